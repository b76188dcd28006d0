"""The page's contract has two halves: what Python writes here, and what `frontend/src/contents.ts` expects."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from tests.report import examples
from thresher.report import contents
from thresher.report.page import embedded

CONTRACT = Path(__file__).parents[2] / "frontend" / "src" / "contents.ts"


def interface(name):
    """The names of an interface's fields, nested ones left out."""
    (body,) = re.findall(rf"export interface {name} \{{\n(.*?)\n\}}", CONTRACT.read_text(encoding="utf-8"), re.DOTALL)
    return set(re.findall(r"^  (\w+)\??:", body, flags=re.MULTILINE))


@pytest.fixture(scope="module")
def binary():
    return contents(examples.evaluation())


@pytest.fixture(scope="module")
def several():
    return contents(examples.classes())


def test_fields_are_those_of_the_contract(binary, several):
    model = binary["models"][0]
    for name, value in {
        "Contents": binary,
        "Model": model,
        "Curve": model["curve"],
        "Pool": model["pools"][0],
        "Lines": model["bands"]["roc"],
        "Condition": binary["condition"],
        "Cells": model["optimum"]["cells"],
        "Interval": model["expected_cost"],
        "Measure": binary["measures"][0],
        "Pair": binary["comparison"][0],
        "ClassModel": several["class_models"][0],
        "ClassRow": several["class_models"][0]["classes"][0],
    }.items():
        assert set(value) == interface(name), name
    assert set(several) == set(binary)


def test_data_tell_what_was_read():
    labels, scores = examples.models(50, count=1)
    names = np.where(labels, "yes", "no").astype(object)
    names[7] = None
    found = th.evaluate(
        names,
        scores,
        positive="yes",
        weights=np.linspace(1, 2, 50),
        clusters=np.arange(50) // 2,
        missing="drop",
        replicates=20,
    )
    data = contents(found)["data"]
    assert (data["rows"], data["dropped"], data["weighted"], data["clusters"]) == (49, 1, True, 25)
    assert (data["positive"], data["negative"]) == ("yes", "no")
    assert data["Pos"] == found["model 1"].ranking.Pos
    assert data["fingerprint"] == found.decision.fingerprint


@pytest.mark.parametrize(("labels", "names"), [([1, 0, 1, 0], ("1", "0")), ([True, False] * 2, ("True", "False"))])
def test_labels_are_named_as_given(labels, names):
    data = contents(th.evaluate(labels, [4, 3, 2, 1], replicates=20))["data"]
    assert (data["positive"], data["negative"]) == names


def test_costs_of_right_calls_are_a_baseline():
    labels, scores = examples.models(80, count=2)
    condition = th.OperatingCondition(prevalence=0.2, cost_fp=3, cost_fn=10, cost_tp=-2, cost_tn=1)
    evaluation = th.evaluate(labels, scores, condition=condition, replicates=20)
    told = contents(evaluation)["condition"]
    best = evaluation[evaluation.decision.model].table
    share = told["class_ratio"] / (1 + told["class_ratio"])
    cost = share * best.fnr * told["cost_fn"] + (1 - share) * best.fpr * told["cost_fp"] + told["baseline"]
    assert cost == pytest.approx(evaluation.decision.expected_cost.estimate)
    assert told["cost_ratio"] == told["cost_fn"] / told["cost_fp"]
    assert not told["class_ratio_from_data"]


def test_a_declared_class_ratio_is_told_apart_from_the_datas(binary):
    assert binary["condition"]["class_ratio_from_data"]
    assert binary["condition"]["class_ratio"] == binary["data"]["Pos"] / binary["data"]["Neg"]


def test_comparison_has_every_pair(binary):
    assert [(pair["a"][-1], pair["b"][-1]) for pair in binary["comparison"]] == [("1", "2"), ("1", "3"), ("2", "3")]
    assert contents(examples.emails())["comparison"] == []


@pytest.mark.parametrize("name", examples.awkward())
def test_the_edges_of_data_are_plain_data(name):
    found = contents(examples.awkward()[name])
    assert json.loads(embedded(found)) == found


def test_titles(binary, several):
    assert binary["title"] == "3 models on 300 cases"
    assert several["title"] == "2 models on 90 cases"
    assert contents(examples.emails(), title="Ten e-mails")["title"] == "Ten e-mails"
    assert contents(examples.emails())["title"] == "1 model on 10 cases"
