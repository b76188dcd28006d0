"""Tests of learn."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

import thresher as th
from thresher.inference import Difference
from thresher.learning import CalibratedModel, column_types, cross_validate, preparation, read_learned, write_learned
from thresher.learning.learn import baseline_words, winner_curves

RNG = np.random.default_rng(2)
LABEL = RNG.random(300) < 0.4
TABLE = pd.DataFrame(RNG.normal(size=(300, 4)), columns=["a", "b", "c", "d"]).assign(
    town=RNG.choice(["Oslo", "Rome", "Bern", "Nice"], 300, p=[0.5, 0.3, 0.19, 0.01])
)
TABLE["a"] += 2 * LABEL
CONDITION = th.OperatingCondition(cost_ratio=4)
MODEL = CalibratedModel(
    Pipeline([("prepare", preparation(column_types(TABLE))), ("model", LogisticRegression())]), method="platt", cv=2
)


@pytest.fixture(scope="module")
def curves():
    told: list[str] = []
    found = winner_curves(
        MODEL, TABLE, LABEL, threshold=0.2, condition=CONDITION, folds=2, stage=told.append, progress=lambda *_: None
    )
    assert told == ["learning curve", "feature curve"]
    return found


def test_the_last_points_are_the_cost_of_the_decided_calls(curves):
    rows, features = curves.rows, curves.features
    cv = cross_validate(MODEL, TABLE, LABEL, folds=2)
    called = cv.scores["model"] >= 0.2
    tables = [th.contingency(cv.labels[cv.fold == fold], called[cv.fold == fold]) for fold in range(2)]
    cost = np.mean([CONDITION.expected_cost(table) for table in tables])
    assert features.validation.estimate[-1] == pytest.approx(cost)
    assert rows.validation.estimate[-1] == pytest.approx(cost, abs=0.05)  # its rows come in another order


def test_one_good_feature_is_enough_of_all_that_are_prepared(curves):
    features = curves.features
    assert features.parameter == "features"
    assert features.sizes == (1, 2, 4, 8)  # four numbers, four towns
    assert features.simplest == 1
    assert features.validation.estimate[0] < 0.6 * 0.6  # calling everyone ill costs 0.6


def test_a_rule_that_calls_no_one_has_curves_too():
    found = winner_curves(MODEL, TABLE, LABEL, threshold=np.inf, condition=CONDITION, folds=2, stage=lambda _: None)
    rows, features = found.rows, found.features
    assert rows is not None
    assert features is not None
    every = 4 * LABEL.mean()
    assert rows.validation.estimate == pytest.approx(np.full(rows.sizes.size, every), abs=0.01)
    assert features.best == 1


def test_what_a_model_cannot_learn_from_is_left_out_and_told():
    steps = Pipeline([("prepare", preparation(column_types(TABLE))), ("model", KNeighborsClassifier(60))])
    model = CalibratedModel(steps, method="platt", cv=2)
    found = winner_curves(model, TABLE, LABEL, threshold=0.4, condition=CONDITION, folds=2, stage=lambda _: None)
    assert found.rows is None  # parts of fewer than 60 rows have no 60 neighbours
    assert found.features is not None
    assert [caution.code for caution in found.cautions] == ["no-curve"]
    assert "there is no learning curve: Expected n_neighbors <= n_samples_fit" in found.cautions[0].text


def test_groups_stay_together_in_the_folds_of_curves():
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(60), 5)
    ill = patient % 2 == 0
    table = pd.DataFrame({"where": rng.normal(size=60)[patient] + rng.normal(0, 0.01, 300)})
    steps = Pipeline([("prepare", preparation(column_types(table))), ("model", KNeighborsClassifier(1))])
    asked: dict[str, Any] = {
        "threshold": 0.5,
        "condition": th.OperatingCondition(),
        "folds": 3,
        "stage": lambda _: None,
    }
    torn = winner_curves(CalibratedModel(steps, method="platt", cv=2), table, ill, **asked)
    kept = winner_curves(CalibratedModel(steps, method="platt", cv=2), table, ill, groups=patient, **asked)
    assert torn.rows is not None
    assert kept.rows is not None
    assert torn.rows.validation.estimate[-1] < 0.25  # a patient's other rows give her away
    assert kept.rows.validation.estimate[-1] > 0.35


def found(model, **against) -> Any:
    names = {"majority": "majority class", "rule": "one-feature rule"}
    differences = {
        names[name]: Difference(
            model, names[name], -0.1, low, high, 0.001, 0.01, level=0.95, method="corrected t", better="lower"
        )
        for name, (low, high) in against.items()
    }
    return SimpleNamespace(decision=SimpleNamespace(model=model), against=differences)


def test_a_clear_winner():
    words = baseline_words(found("tree", majority=(-0.2, -0.05), rule=(-0.2, -0.01)))
    assert words == "tree beats both baselines, the majority class and the one-feature rule."


def test_a_doubtful_winner_names_what_it_does_not_beat():
    words = baseline_words(found("tree", majority=(-0.2, -0.05), rule=(-0.2, 0.01)))
    assert words.startswith("tree does not beat the one-feature rule (cost difference −0.10 [−0.20, 0.01])")


def test_a_baseline_that_wins():
    assert "No model beats the baselines" in baseline_words(found("majority class", rule=(-0.2, 0.1)))


def test_costs_that_are_equal_in_every_fold():
    words = baseline_words(found("tree", majority=(float("nan"), float("nan")), rule=(-0.2, -0.05)))
    assert words == "tree does not beat the majority class (the same cost difference in every fold, −0.1) beyond doubt."


CANCER = load_breast_cancer(as_frame=True).frame
CANCER["target"] = np.where(CANCER["target"] == 0, "malignant", "benign")
CONDITION_OF_WORKFLOW = th.OperatingCondition(cost_ratio=5)


@pytest.fixture(scope="module")
def found_of_workflow():
    return th.learn(
        CANCER,
        "target",
        positive="malignant",
        condition=CONDITION_OF_WORKFLOW,
        models=["logistic"],
        folds=4,
        curves=False,
    )


def test_the_better_model_wins_at_the_cost_it_should(found_of_workflow):
    assert found_of_workflow.decision.model == "logistic"
    assert found_of_workflow.positive == "malignant"
    assert set(found_of_workflow.nested) == {"logistic", "majority class", "one-feature rule"}
    assert found_of_workflow.nested["logistic"].estimate < 0.12
    assert found_of_workflow.nested["majority class"].estimate == pytest.approx(0.63, abs=0.02)
    assert found_of_workflow.against["majority class"].verdict == "better"
    assert found_of_workflow.test["logistic"].auc.lower > 0.95
    assert found_of_workflow.nested["logistic"].lower <= found_of_workflow.test_cost.upper
    assert found_of_workflow.split.sizes == {"train": 427, "test": 142}


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


def test_the_deployed_model_makes_the_decisions_calls(found_of_workflow):
    test = CANCER.iloc[found_of_workflow.split["test"]]
    probability = found_of_workflow.probabilities(test)
    np.testing.assert_array_equal(found_of_workflow.calls(test), probability >= found_of_workflow.decision.threshold)
    table = th.contingency(
        test["target"], np.where(found_of_workflow.calls(test), "malignant", "benign"), positive="malignant"
    )
    assert found_of_workflow.test_cost.estimate == pytest.approx(float(CONDITION_OF_WORKFLOW.expected_cost(table)))
    assert (
        th.auc(th.rank(test["target"], probability, positive="malignant"))
        == found_of_workflow.test["logistic"].auc.estimate
    )


def test_test_rows_change_nothing_that_was_learnt(found_of_workflow):
    other = CANCER.copy()
    rows = found_of_workflow.split["test"]
    other.loc[rows, other.columns[:-1]] = 0.0
    again = th.learn(
        other,
        "target",
        positive="malignant",
        condition=CONDITION_OF_WORKFLOW,
        models=["logistic"],
        folds=4,
        curves=False,
    )
    assert again.decision.threshold == found_of_workflow.decision.threshold
    assert again.nested == found_of_workflow.nested


def test_the_summary_says_it_in_words(found_of_workflow):
    text = found_of_workflow.summary()
    assert "427 rows to learn 'target' from, 142 put aside." in text
    assert "Use logistic" in text
    assert "baselines" in text or "does not beat" in text
    assert "On the rows put aside its calls cost" in text
    with pytest.raises(th.ColumnError, match="columns are not there: 'mean radius'"):
        found_of_workflow.calls(CANCER.drop(columns="mean radius"))


def test_nothing_is_remarked_of_the_majority_class(found_of_workflow):
    assert found_of_workflow.evaluation["majority class"].auc.estimate == 0.5
    assert not any(
        "majority class" in caution.text
        for caution in (*found_of_workflow.cautions, *found_of_workflow.evaluation.cautions)
    )


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
    found_of_workflow = th.learn(table, "sick", models=["logistic"], folds=3)
    assert found_of_workflow.columns.used == ["age", "town"]
    assert found_of_workflow.evaluation[found_of_workflow.decision.model].auc.estimate > 0.65


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
    given: list[dict[str, Any]] = [{"groups": patient}, {"times": rows["day"]}]
    for beside in given:
        found_of_workflow = th.learn(rows, "ill", models=["linear svm"], folds=3, **beside)
        assert found_of_workflow.learning_curve is not None, found_of_workflow.cautions
        assert found_of_workflow.feature_curve is not None
        deployed = read_learned(write_learned(found_of_workflow, rows, tmp_path / next(iter(beside))))
        np.testing.assert_array_equal(deployed.calls(rows), found_of_workflow.calls(rows))


def test_curves_are_left_out_on_request():
    found_of_workflow = th.learn(VISITS, "ill", models=["naive bayes"], folds=3, curves=False)
    assert found_of_workflow.learning_curve is None
    assert found_of_workflow.feature_curve is None
    assert "curve" not in found_of_workflow.summary()
