"""Tests of learn with more than two classes, on iris and wine."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import f1_score, log_loss

import thresher as th
from thresher.learning import read_learned, write_learned
from thresher.learning.validation.cross_validate import nested_costs, nested_predictions
from thresher.learning.validation.scoring import action_costs

IRIS = load_iris(as_frame=True)
FLOWERS = IRIS.frame.drop(columns="target").assign(species=IRIS.target_names[IRIS.target])
NAMES = ["setosa", "versicolor", "virginica"]
COSTS = th.CostMatrix.by_class({"virginica": 5}, NAMES[::-1])
CONDITION = th.OperatingCondition(costs=COSTS)
QUICK: dict[str, Any] = {"folds": 3, "curves": False, "calibration": "temperature"}


@pytest.fixture(scope="module")
def learned():
    return th.learn(FLOWERS, "species", condition=CONDITION, models=["naive bayes", "logistic"], **QUICK)


def test_the_decision_is_of_least_expected_cost_and_checked_on_untouched_rows(learned):
    assert learned.positive is None
    assert learned.labels == tuple(NAMES)
    assert learned.decision.model in ("naive bayes", "logistic")
    assert learned.against["majority class"].verdict == "better"
    test = FLOWERS.iloc[learned.split["test"]]
    vectors = learned.probabilities(test)
    np.testing.assert_allclose(vectors.sum(axis=1), 1)
    dear = np.array([[0, 1, 1], [1, 0, 1], [5, 5, 0]])
    calls = np.array(NAMES)[(vectors @ dear).argmin(axis=1)]
    np.testing.assert_array_equal(learned.calls(test), calls)
    actual = test["species"].to_numpy()
    paid = dear[np.searchsorted(NAMES, actual), np.searchsorted(NAMES, calls)]
    assert learned.test_cost.estimate == pytest.approx(paid.mean())
    measures = {name: number.estimate for name, number in learned.test_measures.items()}
    assert measures["overall_accuracy"] == pytest.approx((calls == actual).mean())
    assert measures["macro_f1"] == pytest.approx(f1_score(actual, calls, average="macro"))
    assert measures["weighted_f1"] == pytest.approx(f1_score(actual, calls, average="weighted"))
    assert measures["log_loss"] == pytest.approx(log_loss(actual, vectors, labels=NAMES))
    assert list(measures)[4:] == ["log_loss", "brier", "one_vs_one_macro"]


def test_nested_costs_are_those_of_decisions_made_without_the_rows(learned):
    cv = learned.validation
    for name in ("logistic", "majority class"):
        costs = nested_costs(cv, CONDITION, name)
        place = [NAMES.index(label) for label in cv.labels]
        dear = COSTS.for_classes(NAMES).costs
        paid = dear[place, (cv.scores[name] @ dear).argmin(axis=1)]
        np.testing.assert_allclose(costs, [paid[cv.fold == fold].mean() for fold in range(3)])
    calls = nested_predictions(cv, CONDITION)
    every = action_costs(CONDITION, cv.labels, calls, weights=None, clusters=None)
    assert learned.nested_choice.estimate == pytest.approx(nested_costs(cv, CONDITION).mean())
    assert learned.nested_choice.upper - learned.nested_choice.estimate >= every.interval().upper - every.mean - 1e-12


def test_a_declared_mix_weighs_the_classes():
    mix = {"setosa": 0.1, "versicolor": 0.6, "virginica": 0.3}
    condition = th.OperatingCondition(costs=COSTS, mix=mix)
    learnt: Any = th.learn(FLOWERS, "species", condition=condition, models=["naive bayes"], **QUICK)
    rule = learnt.decision.rule
    shares = np.array([rule.trained_at[name] for name in NAMES])
    np.testing.assert_allclose(rule.weights, np.array([mix[name] for name in NAMES]) / shares)
    test = FLOWERS.iloc[learnt.split["test"]]
    matrix = th.confusion(test["species"], learnt.calls(test), classes=NAMES)
    assert learnt.test_cost.estimate == pytest.approx(condition.expected_cost(matrix))


def test_the_words_speak_of_classes(learned, tmp_path):
    text = learned.summary()
    assert "say the one of least expected cost" in text
    assert "With the model chosen without the rows it is judged on" in text
    assert "threshold" not in text
    frame = learned.to_frame()
    assert {"macro_f1", "mean_class_accuracy", "one_vs_one_macro", "brier"} <= set(frame.columns)
    deployed = read_learned(write_learned(learned, FLOWERS, tmp_path / "out"))
    assert deployed.several
    np.testing.assert_array_equal(deployed.calls(FLOWERS), learned.calls(FLOWERS))
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "actual virginica" in page
    scores = pd.read_parquet(tmp_path / "out" / "predictions.parquet")
    of_test = scores[scores["part"] == "test"]
    assert "logistic: versicolor" in scores.columns
    np.testing.assert_array_equal(of_test["called"], learned.calls(FLOWERS.iloc[of_test["row"]]))


def test_a_folder_of_other_classes_is_refused(learned, tmp_path):
    place = write_learned(learned, FLOWERS, tmp_path / "out")
    columns = place / "columns.json"
    columns.write_text(columns.read_text(encoding="utf-8").replace('"setosa"', '"tulip"'), encoding="utf-8")
    with pytest.raises(th.errors.NotationError, match="of other classes"):
        read_learned(place)


def test_every_candidate_learns_wine():
    wine = load_wine(as_frame=True).frame
    learnt = th.learn(wine, "target", folds=2, curves=False, calibration="vector")
    assert set(learnt.nested) >= {"linear svm", "boosting", "neighbours", "forest", "tree"}
    assert learnt.nested["linear svm"].estimate < 0.15 < learnt.nested["majority class"].estimate
    assert learnt.calls(wine).dtype.kind == "i"


def test_the_best_map_by_cost_is_the_usual_one():
    learnt = th.learn(FLOWERS, "species", condition=CONDITION, models=["naive bayes"], folds=2, curves=False)
    assert learnt.model.method == "auto"
    assert learnt.model.condition == CONDITION
    candidates = learnt.model.map_.candidates
    assert candidates[0].cost == min(each.cost for each in candidates)


def test_curves_are_of_the_cost():
    asked = QUICK | {"curves": True, "folds": 2}
    learnt = th.learn(FLOWERS, "species", condition=CONDITION, models=["naive bayes"], **asked)
    assert learnt.learning_curve is not None, learnt.cautions
    assert learnt.feature_curve is not None
    assert learnt.learning_curve.measure == "expected_cost"
    assert learnt.feature_curve.validation.estimate[-1] < 0.5


def test_joining_rare_classes_is_a_caution():
    rare = FLOWERS.assign(species=FLOWERS["species"].where(FLOWERS.index < 145, "violet"))
    with pytest.raises(th.errors.LabelError, match="class 'violet'"):
        th.learn(rare, "species", models=["naive bayes"], **QUICK)
    learnt = th.learn(rare, "species", other="virginica", models=["naive bayes"], **QUICK)
    assert learnt.labels == tuple(NAMES)
    assert learnt.cautions[0].text == "classes of 'species' were joined into one: 'violet'"


def test_two_classes_with_named_costs_need_no_positive_one():
    two = FLOWERS[50:].reset_index(drop=True)
    costs = th.CostMatrix({"versicolor": {"virginica": 1}, "virginica": {"versicolor": 4}}).with_action("ask", 0.3)
    learnt: Any = th.learn(
        two, "species", condition=th.OperatingCondition(costs=costs), models=["naive bayes"], **QUICK
    )
    assert learnt.labels == ("versicolor", "virginica")
    assert set(learnt.calls(two)) == {"versicolor", "virginica", "ask"}
    assert learnt.test["naive bayes"].confusion.others == ("ask",)


@pytest.mark.parametrize(("calibration", "words"), [("platt", "auto, temperature"), ("sigmoid", "auto, temperature")])
def test_maps_of_two_classes_are_refused(calibration, words):
    with pytest.raises(th.errors.ArgumentError, match=words):
        th.learn(FLOWERS, "species", calibration=calibration, models=["naive bayes"])
    with pytest.raises(th.errors.ArgumentError, match="platt, isotonic"):
        th.learn(FLOWERS, "species", positive="setosa", calibration="vector", models=["naive bayes"])
