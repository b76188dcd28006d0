"""Models that are equally good are named as such: in text, JSON, page and decision."""

from __future__ import annotations

import json

import numpy as np
import pytest

import thresher as th
from tests.inference import class_examples
from thresher.report import payload

LABELS = np.repeat(["setosa", "versicolor", "virginica"], 50)
TRUE = np.repeat(np.eye(3), 50, axis=0)


def matrix(wrong):
    """Probabilities that call every case right but these, each of which is called the next class."""
    made = 0.1 + 0.7 * TRUE
    made[wrong] = np.roll(made[wrong], 1, axis=1)
    return made


TWO = {"tree": matrix([60, 70, 80, 90]), "logit": matrix([110, 120, 130, 140])}  # 146 of 150 each, unlike errors
THREE = TWO | {"guess": matrix(np.arange(0, 150, 3))}


@pytest.mark.parametrize("models", [TWO, THREE], ids=["two", "three"])
def test_two_models_with_146_of_150_tie(models):
    evaluation = class_examples.evaluate(LABELS, models)
    assert evaluation["tree"].rates.overall_accuracy == evaluation["logit"].rates.overall_accuracy
    assert evaluation.decision.tied == ("tree", "logit")
    assert json.loads(evaluation.to_json())["decision"]["tied"] == ["tree", "logit"]
    text = "tree and logit cost the same, 0.02667 per case; only the order in which they were given tells them apart"
    assert [caution.text for caution in evaluation.cautions if caution.code == "tied-models"] == [text]
    headline, why, *_ = payload(evaluation)["answer"]
    assert headline.startswith("Use tree: of ")
    assert "with logit at the same cost and given later" in why
    assert text in json.dumps(payload(evaluation)["cautions"])


def test_a_win_stays_a_win():
    evaluation = class_examples.evaluate(LABELS, {"guess": THREE["guess"], "tree": TWO["tree"]})
    assert evaluation.decision.tied == ("tree",)
    assert "tied-models" not in [caution.code for caution in evaluation.cautions]
    assert payload(evaluation)["answer"][0].startswith("Use tree: of ")


def test_weights_that_round_tie_as_rows_do():
    weights = np.full(150, 0.1)
    assert class_examples.evaluate(LABELS, TWO, weights=weights).decision.tied == ("tree", "logit")


def test_one_model_has_nobody_to_tie_with():
    evaluation = class_examples.evaluate(LABELS, TWO["tree"])
    assert evaluation.decision.tied == ("model",)
    assert "overall accuracy:" not in str(evaluation)


def test_two_classes_name_every_model_that_is_equally_cheap():
    labels = [1, 1, 1, 0, 0, 0]
    models = {"a": [6, 5, 2, 4, 3, 1], "b": [6, 5, 1, 4, 3, 2], "c": [1, 2, 3, 4, 5, 6]}
    evaluation = th.evaluate(labels, models, replicates=50)
    assert evaluation.joint.tied == evaluation.decision.tied == ("a", "b")
    assert "with b at the same cost and given later" in str(evaluation.decision)
    assert "a and b cost the same, 0.1667 per case; only the order in which they were given tells them apart" in str(
        evaluation
    )
    assert json.loads(evaluation.to_json())["decision"]["tied"] == ["a", "b"]
    assert th.Decision.from_json(evaluation.decision.to_json()) == evaluation.decision
    alone = th.evaluate(labels, {"a": models["a"], "c": models["c"]}, replicates=50)
    assert alone.decision.tied == ("a",)
    assert "same cost" not in str(alone.decision)
