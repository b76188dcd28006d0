"""Tests of learn."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

import thresher as th
from thresher.inference import Difference
from thresher.learning import CalibratedModel, column_types, cross_validate, preparation, read_learned, write_learned
from thresher.learning.learned import baseline_words
from thresher.learning.winner_curves import winner_curves

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


def at(threshold):
    """What a threshold decides."""
    return lambda scores: scores >= threshold


@pytest.fixture(scope="module")
def curves():
    words: list[str] = []
    result = winner_curves(
        MODEL, TABLE, LABEL, decide=at(0.2), condition=CONDITION, folds=2, stage=words.append, progress=lambda *_: None
    )
    assert words == ["learning curve", "feature curve"]
    return result


def test_the_last_points_are_the_cost_of_the_decided_calls(curves):
    rows, features = curves.rows, curves.features
    cv = cross_validate(MODEL, TABLE, LABEL, folds=2)
    calls = cv.scores["model"] >= 0.2
    tables = [th.contingency(cv.labels[cv.fold == fold], calls[cv.fold == fold]) for fold in range(2)]
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
    result = winner_curves(MODEL, TABLE, LABEL, decide=at(np.inf), condition=CONDITION, folds=2, stage=lambda _: None)
    rows, features = result.rows, result.features
    assert rows is not None
    assert features is not None
    every = 4 * LABEL.mean()
    assert rows.validation.estimate == pytest.approx(np.full(rows.sizes.size, every), abs=0.01)
    assert features.best == 1


def test_what_a_model_cannot_learn_from_is_left_out_with_a_caution():
    steps = Pipeline([("prepare", preparation(column_types(TABLE))), ("model", KNeighborsClassifier(60))])
    model = CalibratedModel(steps, method="platt", cv=2)
    result = winner_curves(model, TABLE, LABEL, decide=at(0.4), condition=CONDITION, folds=2, stage=lambda _: None)
    assert result.rows is None  # parts of fewer than 60 rows have no 60 neighbours
    assert result.features is not None
    assert [caution.code for caution in result.cautions] == ["no-curve"]
    assert "there is no learning curve: Expected n_neighbors <= n_samples_fit" in result.cautions[0].text


def test_groups_stay_together_in_the_folds_of_curves():
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(60), 5)
    ill = patient % 2 == 0
    table = pd.DataFrame({"where": rng.normal(size=60)[patient] + rng.normal(0, 0.01, 300)})
    steps = Pipeline([("prepare", preparation(column_types(table))), ("model", KNeighborsClassifier(1))])
    asked: dict[str, Any] = {
        "decide": at(0.5),
        "condition": th.OperatingCondition(),
        "folds": 3,
        "stage": lambda _: None,
    }
    torn = winner_curves(CalibratedModel(steps, method="platt", cv=2), table, ill, **asked)
    together = winner_curves(CalibratedModel(steps, method="platt", cv=2), table, ill, groups=patient, **asked)
    assert torn.rows is not None
    assert together.rows is not None
    assert torn.rows.validation.estimate[-1] < 0.25  # a patient's other rows give her away
    assert together.rows.validation.estimate[-1] > 0.35


def result(model, **against) -> Any:
    names = {"majority": "majority class", "rule": "one-feature rule"}
    differences = {
        names[name]: Difference(
            model, names[name], -0.1, low, high, 0.001, 0.01, level=0.95, method="corrected t", better="lower"
        )
        for name, (low, high) in against.items()
    }
    nested = {name: SimpleNamespace(estimate=0.48) for name in (model, *differences)}
    return SimpleNamespace(positive=1, decision=SimpleNamespace(model=model), against=differences, nested=nested)


def test_a_clear_winner():
    words = baseline_words(result("tree", majority=(-0.2, -0.05), rule=(-0.2, -0.01)))
    assert words == "tree beats both baselines, the majority class and the one-feature rule."


def test_a_doubtful_winner_names_what_it_does_not_beat():
    words = baseline_words(result("tree", majority=(-0.2, -0.05), rule=(-0.2, 0.01)))
    assert words.startswith("tree does not beat the one-feature rule (cost difference −0.10 [−0.20, 0.01])")


def test_a_baseline_that_wins():
    learned = result("majority class", rule=(-0.2, 0.1))
    words = "No model beats the baselines beyond doubt: the majority class itself is cheapest"
    assert baseline_words(learned) == f"{words}."
    learned.nested["tree"] = SimpleNamespace(estimate=0.43)
    assert baseline_words(learned) == f"{words}, though tree costs less with nested choices."


def test_costs_that_are_equal_in_every_fold():
    words = baseline_words(result("tree", majority=(float("nan"), float("nan")), rule=(-0.2, -0.05)))
    assert words == "tree does not beat the majority class (the same cost difference in every fold, −0.1) beyond doubt."


CANCER = load_breast_cancer(as_frame=True).frame
CANCER["target"] = np.where(CANCER["target"] == 0, "malignant", "benign")
ASYMMETRIC = th.OperatingCondition(cost_ratio=5)


@pytest.fixture(scope="module")
def learned():
    return th.learn(
        CANCER,
        "target",
        positive="malignant",
        condition=ASYMMETRIC,
        models=["logistic"],
        folds=4,
        curves=False,
    )


def test_the_better_model_wins_at_the_cost_it_should(learned):
    assert learned.decision.model == "logistic"
    assert learned.positive == "malignant"
    assert set(learned.nested) == {"logistic", "majority class", "one-feature rule"}
    assert learned.nested["logistic"].estimate < 0.12
    assert learned.nested["majority class"].estimate == pytest.approx(0.63, abs=0.02)
    assert learned.against["majority class"].verdict == "better"
    assert learned.test["logistic"].auc.lower > 0.95
    assert learned.nested["logistic"].lower <= learned.test_cost.upper
    assert learned.split.sizes == {"train": 427, "test": 142}


def test_under_doubt_the_simplest_is_taken():
    rng = np.random.default_rng(0)
    blind = pd.DataFrame({"x": rng.normal(size=120), "y": rng.random(120) < 0.5})
    learnt = th.learn(blind, "y", prefer="simplest", models=["tree", "logistic"], folds=3, curves=False)
    assert set(learnt.evaluation.may_be_best) > {"majority class"}
    assert learnt.decision.model == "majority class"
    assert "it is preferred" in learnt.decision.why
    with pytest.raises(th.errors.ArgumentError, match="names no model"):
        th.learn(blind, "y", prefer="current", models=["tree"])
    with pytest.raises(th.errors.ArgumentError, match="the name of a rule"):
        th.learn(blind, "y", models={"never": GaussianNB()})


def test_the_deployed_model_makes_the_decisions_calls(learned):
    test = CANCER.iloc[learned.split["test"]]
    probability = learned.probabilities(test)
    np.testing.assert_array_equal(learned.calls(test), probability >= learned.decision.threshold)
    table = th.contingency(test["target"], np.where(learned.calls(test), "malignant", "benign"), positive="malignant")
    assert learned.test_cost.estimate == pytest.approx(float(ASYMMETRIC.expected_cost(table)))
    assert th.auc(th.rank(test["target"], probability, positive="malignant")) == learned.test["logistic"].auc.estimate


def test_test_rows_change_nothing_that_was_learnt(learned):
    other = CANCER.copy()
    rows = learned.split["test"]
    other.loc[rows, other.columns[:-1]] = 0.0
    again = th.learn(
        other,
        "target",
        positive="malignant",
        condition=ASYMMETRIC,
        models=["logistic"],
        folds=4,
        curves=False,
    )
    assert again.decision.threshold == learned.decision.threshold
    assert again.nested == learned.nested


def test_the_summary_says_it_in_words(learned):
    text = learned.summary()
    assert "427 rows to learn 'target' from, 142 put aside." in text
    assert "Use logistic" in text
    assert "baselines" in text or "does not beat" in text
    assert "On the rows put aside its calls cost" in text
    with pytest.raises(th.errors.ColumnError, match="columns are not there: 'mean radius'"):
        learned.calls(CANCER.drop(columns="mean radius"))


def test_nothing_is_remarked_of_the_majority_class(learned):
    assert learned.evaluation["majority class"].auc.estimate == 0.5
    assert not any("majority class" in caution.text for caution in (*learned.cautions, *learned.evaluation.cautions))


def test_noise_beats_no_baseline():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    table["y"] = rng.integers(0, 2, 200)
    nothing = th.learn(table, "y", models={"bayes": GaussianNB()}, folds=3)
    assert not nothing.beats_baselines
    assert "does not beat" in nothing.summary() or "No model beats the baselines" in nothing.summary()
    assert nothing.learning_curve is not None
    assert nothing.learning_curve.measure == "expected_cost"


def test_overfitting_few_rows_and_another_population_are_cautions():
    world = th.laboratory.Gaussians([[0.0] * 8, [1.0] + [0.0] * 7])
    sample = world.sample(160, seed=1)
    table = pd.DataFrame(sample.X, columns=list("abcdefgh")).assign(y=sample.labels == 1)
    forest = {"forest": RandomForestClassifier(30, random_state=0)}
    options: dict[str, Any] = {"curves": False, "folds": 4}
    deployment = table.drop(columns="y").assign(b=lambda rows: rows["b"] + 2)
    learned = th.learn(table, "y", models=forest, prefer="forest", deployment=deployment, **options)
    texts = {caution.code: caution.text for caution in learned.cautions}
    assert "forest costs 0 per case on the rows it learnt from, and 0.3" in texts["overfitting"]
    assert texts["unrepresentative-test"].startswith("1 of 8 columns differ from deployment: 'b' (at most")
    assert "few-rows-per-parameter" not in texts
    plain = th.learn(table, "y", models=["naive bayes"], prefer="naive bayes", deployment=table, **options)
    texts = {caution.code: caution.text for caution in plain.cautions}
    assert texts["few-rows-per-parameter"].startswith("naive bayes sets 33 numbers by 120 training rows, 3.6 for each")
    assert not texts.keys() & {"overfitting", "unrepresentative-test"}
    with pytest.raises(
        th.errors.ColumnError, match="1 of 8 columns are not there: 'h'\n  where: the rows at deployment"
    ):
        th.learn(table, "y", models=forest, deployment=table.drop(columns="h"), **options)


def test_tables_of_mixed_columns_are_prepared():
    rng = np.random.default_rng(1)
    label = rng.random(240) < 0.4
    table = {
        "age": np.where(rng.random(240) < 0.1, np.nan, rng.normal(40, 10, 240) + 8 * label),
        "town": np.where(rng.random(240) < 0.5 + 0.3 * label, "Oslo", "Rome"),
        "sick": label,
    }
    learned: Any = th.learn(table, "sick", models=["logistic"], folds=3, curves=False)
    assert learned.columns.used == ["age", "town"]
    assert learned.evaluation[learned.decision.model].auc.estimate > 0.65


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda t: t.rename(columns={"target": "goal"}), th.errors.ColumnError, "no column 'target'"),
        (lambda t: t.assign(target="benign"), th.errors.OneClassError, "nothing to learn"),
        (lambda t: t.assign(target=t.index < 3), th.errors.LabelError, "3 of 569 rows"),
        (lambda t: t.assign(target=np.arange(569) // 280), th.errors.LabelError, "class 2 of .* has 9 of 569 rows"),
        (lambda t: t.assign(target=t["target"].mask(t.index == 5)), th.errors.MissingValueError, "1 of 569"),
        (lambda t: t.iloc[:0], th.errors.EmptyError, "no rows"),
        (lambda t: pd.DataFrame({"target": t["target"] == "benign"}), th.errors.ArgumentError, "no column is left"),
    ],
)
def test_tables_that_cannot_teach_are_refused_in_words(change, error, words):
    with pytest.raises(error, match=words):
        th.learn(change(CANCER), "target", positive=None, models=["tree"])


def test_models_and_labels_are_checked_before_anything_is_fitted():
    with pytest.raises(th.errors.ArgumentError, match="no model 'svm'"):
        th.learn(CANCER, "target", models=["svm"])
    with pytest.raises(th.errors.PositiveLabelError, match="'benign' or 'malignant'"):
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
    together = th.learn(VISITS, "ill", groups=PATIENT, **asked)
    assert torn.nested["nearest"].estimate < 0.1  # a patient's other visits give her away
    assert together.nested["nearest"].estimate > 0.35
    scores = together.validation.scores["nearest"]
    assert np.abs(scores - 0.5).max() < 0.25  # and its map knows that it knows nothing
    assert together.test_cost.upper - together.test_cost.lower > 1.5 * 2 * 1.96 * np.sqrt(
        0.25 / 100
    )  # 20 patients, not 100 rows


def test_groups_and_time_go_through_folders_and_curves(tmp_path):
    patient, rows = visits(150)
    options: list[dict[str, Any]] = [{"groups": patient}, {"times": rows["day"]}]
    for row_data in options:
        learned = th.learn(rows, "ill", models=["naive bayes"], folds=3, **row_data)
        assert learned.learning_curve is not None, learned.cautions
        assert learned.feature_curve is not None
        deployed = read_learned(write_learned(learned, rows, tmp_path / next(iter(row_data))))
        np.testing.assert_array_equal(deployed.calls(rows), learned.calls(rows))


def test_curves_are_left_out_on_request():
    learned = th.learn(VISITS, "ill", models=["naive bayes"], folds=3, curves=False)
    assert learned.learning_curve is None
    assert learned.feature_curve is None
    assert "curve" not in learned.summary()
