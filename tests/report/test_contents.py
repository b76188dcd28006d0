"""The page's contract has two halves: what Python writes here, and what `frontend/src/contents.ts` expects."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from tests.report import examples
from thresher.report import contents
from thresher.report.grid import grids
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


def texts(told):
    """All texts inside plain data, keys and the raw names left out."""
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict):
        for name, value in told.items():
            if name not in ("name", "decision"):
                yield from texts(value)
    elif isinstance(told, list):
        for value in told:
            yield from texts(value)


def test_nothing_that_is_shown_hides_or_turns_text():
    name = "a\u202eb\x1bc\u2028d"
    labels, scores = examples.models(60, count=2)
    named = dict(zip([name, f"other {name}"], scores.values(), strict=True))
    found = th.evaluate(np.where(labels, name, f"not {name}"), named, positive=name, replicates=20)
    several = examples.classes(labels=(name, "cow", "dog"))
    for told in (contents(found, title=name), contents(several, title=name)):
        assert any("a�b␛c�d" in text for text in texts(told))
        assert not any(sign in text for text in texts(told) for sign in "\u202e\x1b\u2028")
    assert contents(found)["decision"]["model"] == found.decision.model


def test_names_from_right_to_left_stay_within_their_sentence():
    labels, scores = examples.models(60, count=2)
    found = contents(th.evaluate(labels, dict(zip("אב", scores.values(), strict=True)), replicates=20))
    assert "when \u2068א\u2069 says" in found["answer"][0]


def test_titles(binary, several):
    assert binary["title"] == "3 models on 300 cases"
    assert several["title"] == "2 models on 90 cases"
    assert contents(examples.emails(), title="Ten e-mails")["title"] == "Ten e-mails"
    assert contents(examples.emails())["title"] == "1 model on 10 cases"


def test_classes_are_compared_and_cautioned():
    evaluation = examples.classes()
    found = contents(evaluation)
    assert [caution["code"] for caution in found["cautions"]] == [caution.code for caution in evaluation.cautions]
    assert {pair["measure"] for pair in found["comparison"]} >= {"overall accuracy", "Brier score"}
    pair = evaluation.comparisons["brier"]["forest", "tree"]
    assert [one["difference"] for one in found["comparison"] if one["measure"] == "Brier score"] == [pair.difference]
    captions = [grid.caption for grid in grids(found)]
    assert "Differences, paired" in captions
