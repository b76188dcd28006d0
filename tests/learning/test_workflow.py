"""From a table to a decision: figures on known data, words when nothing is learnt, and refusals."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import thresher as th
from thresher.learning import read_learned, write_learned

CANCER = load_breast_cancer(as_frame=True).frame
CANCER["target"] = np.where(CANCER["target"] == 0, "malignant", "benign")
CONDITION = th.OperatingCondition(cost_ratio=5)


@pytest.fixture(scope="module")
def found():
    return th.learn(
        CANCER, "target", positive="malignant", condition=CONDITION, models=["logistic"], folds=4, curves=False
    )


def test_the_better_model_wins_at_the_cost_it_should(found):
    assert found.decision.model == "logistic"
    assert found.positive == "malignant"
    assert set(found.nested) == {"logistic", "majority class", "one-feature rule"}
    assert found.nested["logistic"].estimate < 0.12
    assert found.nested["majority class"].estimate == pytest.approx(0.63, abs=0.02)
    assert found.against["majority class"].verdict == "better"
    assert found.test["logistic"].auc.lower > 0.95
    assert found.nested["logistic"].lower <= found.test_cost.upper
    assert found.split.sizes == {"train": 427, "test": 142}


def test_under_doubt_the_simplest_is_taken():
    rng = np.random.default_rng(0)
    blind = pd.DataFrame({"x": rng.normal(size=120), "y": rng.random(120) < 0.5})
    learnt = th.learn(blind, "y", prefer="simplest", models=["tree", "logistic"], folds=3, curves=False)
    assert set(learnt.evaluation.may_be_best) > {"majority class"}
    assert learnt.decision.model == "majority class"
    assert "it is preferred" in learnt.decision.why
    with pytest.raises(th.ArgumentError, match="names no model"):
        th.learn(blind, "y", prefer="current", models=["tree"])
    with pytest.raises(th.ArgumentError, match="the name of a rule"):
        th.learn(blind, "y", models={"never": GaussianNB()})


def test_the_deployed_model_makes_the_decisions_calls(found):
    test = CANCER.iloc[found.split["test"]]
    probability = found.probabilities(test)
    np.testing.assert_array_equal(found.calls(test), probability >= found.decision.threshold)
    table = th.contingency(test["target"], np.where(found.calls(test), "malignant", "benign"), positive="malignant")
    assert found.test_cost.estimate == pytest.approx(float(CONDITION.expected_cost(table)))
    assert th.auc(th.rank(test["target"], probability, positive="malignant")) == found.test["logistic"].auc.estimate


def test_test_rows_change_nothing_that_was_learnt(found):
    other = CANCER.copy()
    rows = found.split["test"]
    other.loc[rows, other.columns[:-1]] = 0.0
    again = th.learn(
        other, "target", positive="malignant", condition=CONDITION, models=["logistic"], folds=4, curves=False
    )
    assert again.decision.threshold == found.decision.threshold
    assert again.nested == found.nested


def test_the_summary_says_it_in_words(found):
    text = found.summary()
    assert "427 rows to learn 'target' from, 142 put aside." in text
    assert "Use logistic" in text
    assert "baselines" in text or "does not beat" in text
    assert "On the rows put aside its calls cost" in text
    with pytest.raises(th.ColumnError, match="columns are not there: 'mean radius'"):
        found.calls(CANCER.drop(columns="mean radius"))


def test_nothing_is_remarked_of_the_majority_class(found):
    assert found.evaluation["majority class"].auc.estimate == 0.5
    assert not any("majority class" in caution.text for caution in (*found.cautions, *found.evaluation.cautions))


def test_noise_beats_no_baseline():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    table["y"] = rng.integers(0, 2, 200)
    nothing = th.learn(table, "y", models={"bayes": GaussianNB()}, folds=3)
    assert not nothing.beats_baselines
    assert "does not beat" in nothing.summary() or "No model beats the baselines" in nothing.summary()
    assert nothing.learning_curve is not None
    assert nothing.learning_curve.measure == "expected_cost"


def test_tables_of_mixed_columns_are_prepared():
    rng = np.random.default_rng(1)
    label = rng.random(240) < 0.4
    table = {
        "age": np.where(rng.random(240) < 0.1, np.nan, rng.normal(40, 10, 240) + 8 * label),
        "town": np.where(rng.random(240) < 0.5 + 0.3 * label, "Oslo", "Rome"),
        "sick": label,
    }
    found = th.learn(table, "sick", models=["logistic"], folds=3)
    assert found.columns.used == ["age", "town"]
    assert found.evaluation[found.decision.model].auc.estimate > 0.65


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        (lambda t: t.rename(columns={"target": "goal"}), th.ColumnError, "no column 'target'"),
        (lambda t: t.assign(target="benign"), th.OneClassError, "nothing to learn"),
        (lambda t: t.assign(target=t.index < 3), th.LabelError, "3 of 569 rows"),
        (lambda t: t.assign(target=np.arange(569) % 3), th.PositiveLabelError, "has 3 classes, 0, 1 and 2"),
        (lambda t: t.assign(target=t["target"].mask(t.index == 5)), th.MissingValueError, "1 of 569"),
        (lambda t: t.iloc[:0], th.EmptyError, "no rows"),
        (lambda t: pd.DataFrame({"target": t["target"] == "benign"}), th.ArgumentError, "no column is left"),
    ],
)
def test_tables_that_cannot_teach_are_refused_in_words(change, error, told):
    with pytest.raises(error, match=told):
        th.learn(change(CANCER), "target", positive=None, models=["tree"])


def test_models_and_labels_are_checked_before_anything_is_fitted():
    with pytest.raises(th.ArgumentError, match="no model 'svm'"):
        th.learn(CANCER, "target", models=["svm"])
    with pytest.raises(th.PositiveLabelError, match="'benign' and 'malignant'"):
        th.learn(CANCER, "target", models=["tree"])


def visits(patients):
    """Five visits of each patient, who is ill or not, and measured nearly the same each time."""
    patient = np.repeat(np.arange(patients), 5)
    rows = np.random.default_rng(1).normal(size=(patients, 2))[patient]
    return patient, pd.DataFrame(
        rows + np.random.default_rng(2).normal(0, 0.01, (patient.size, 2)), columns=["a", "b"]
    ).assign(
        ill=np.random.default_rng(0).permutation(patients)[patient] % 2 == 0,
        day=np.random.default_rng(3).permutation(patient.size),
    )


PATIENT, VISITS = visits(80)


def test_groups_are_not_torn_apart_by_folds_nor_by_folds_within():
    asked: dict[str, Any] = {
        "models": {"nearest": KNeighborsClassifier(1)},
        "types": {"day": "ignored"},
        "folds": 3,
        "curves": False,
    }
    torn = th.learn(VISITS, "ill", **asked)
    kept = th.learn(VISITS, "ill", groups=PATIENT, **asked)
    assert torn.nested["nearest"].estimate < 0.1  # a patient's other visits give her away
    assert kept.nested["nearest"].estimate > 0.35
    scores = kept.validation.scores["nearest"]
    assert np.abs(scores - 0.5).max() < 0.25  # and its map knows that it knows nothing
    assert kept.test_cost.upper - kept.test_cost.lower > 1.5 * 2 * 1.96 * np.sqrt(
        0.25 / 100
    )  # 20 patients, not 100 rows


def test_groups_and_time_go_through_folders_and_curves(tmp_path):
    patient, rows = visits(150)
    given: list[dict[str, Any]] = [{"groups": patient}, {"time": rows["day"]}]
    for beside in given:
        found = th.learn(rows, "ill", models=["linear svm"], folds=3, **beside)
        assert found.learning_curve is not None, found.cautions
        assert found.feature_curve is not None
        deployed = read_learned(write_learned(found, rows, tmp_path / next(iter(beside))))
        np.testing.assert_array_equal(deployed.calls(rows), found.calls(rows))


def test_curves_are_left_out_on_request():
    found = th.learn(VISITS, "ill", models=["naive bayes"], folds=3, curves=False)
    assert found.learning_curve is None
    assert found.feature_curve is None
    assert "curve" not in found.summary()
