"""From tables to decisions, end to end: figures on known data, against scikit-learn's own and against theory."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th
from thresher.learning import read_learned, write_learned

COSTS = th.OperatingCondition(cost_ratio=5)
PLAIN = {"logistic": LogisticRegression(max_iter=2000), "naive bayes": GaussianNB()}


# Name, table, positive class, model; ranges of its AUC out of fold, its nested cost and its cost on rows put aside.
KNOWN = [
    ("breast cancer", load_breast_cancer, 0, "logistic", (0.99, 1.0), (0.04, 0.14), (0.02, 0.15)),
    ("digits", load_digits, 8, "logistic", (0.95, 0.99), (0.07, 0.16), (0.07, 0.2)),
    ("wine", load_wine, 1, "naive bayes", (0.975, 1.0), (0.05, 0.2), (0.0, 0.15)),
]


@pytest.fixture(scope="module", params=KNOWN, ids=lambda case: case[0])
def case(request):
    _, load, positive, model, *ranges = request.param
    table = load(as_frame=True).frame
    result = th.learn(table, "target", positive=positive, condition=COSTS, models=[model], folds=4, curves=False)
    return table, result, ranges


def within(value, limits):
    return limits[0] <= value <= limits[1]


def test_figures_lie_where_they_should(case):
    table, result, (areas, nested, aside) = case
    winner, prevalence = result.decision.model, (table["target"] == result.positive).mean()
    assert winner in PLAIN
    assert within(result.evaluation[winner].auc.estimate, areas)
    assert within(result.nested[winner].estimate, nested)
    assert within(result.test_cost.estimate, aside)
    assert result.test_cost.lower <= result.nested[winner].upper
    assert result.test_cost.upper >= result.nested[winner].lower
    # Calling everyone positive or no one, whichever is cheaper, is all that the majority class can do.
    cheaper = min(5 * prevalence, 1 - prevalence)
    assert result.nested["majority class"].estimate == pytest.approx(cheaper, abs=0.02)
    assert result.against["majority class"].verdict == "better"
    assert result.evaluation["majority class"].auc.estimate == 0.5


def test_scikit_learn_finds_the_same(case):
    table, result, _ = case
    train, test = (table.iloc[result.split[part]] for part in ("train", "test"))
    names = [column.name for column in result.columns if column.name in result.columns.used]
    plain = make_pipeline(StandardScaler(), PLAIN[result.decision.model])
    plain.fit(train[names], train["target"] == result.positive)
    positive = test["target"] == result.positive
    area = roc_auc_score(positive, plain.predict_proba(test[names])[:, 1])
    assert result.test[result.decision.model].auc.estimate == pytest.approx(
        area, abs=1e-3
    )  # columns of two values are not scaled
    tn, fp, fn, tp = confusion_matrix(positive, result.calls(test)).ravel()
    assert result.test_cost.estimate == pytest.approx((5 * fn + fp) / len(test))
    table = result.test[result.decision.model].predictions
    assert (table.tn, table.fp, table.fn, table.tp) == (tn, fp, fn, tp)


def test_what_is_deployed_makes_the_same_calls(case, tmp_path):
    table, result, _ = case
    deployed = read_learned(write_learned(result, table, tmp_path / "out"))
    np.testing.assert_array_equal(deployed.calls(table), result.calls(table))
    negative, positive = deployed.labels
    assert deployed.named(np.array([False, True])).tolist() == [negative, positive]
    several = table["target"].nunique() > 2
    assert (negative, positive) == ((f"not {result.positive}", str(result.positive)) if several else (1, 0))


def table_of(sample):
    """Rows of a world as a table to learn from."""
    return pd.DataFrame(sample.X).add_prefix("x").assign(y=sample.labels == 1)


@pytest.mark.parametrize(("apart", "features"), [(1.0, 2), (2.5, 3)])
@pytest.mark.slow
def test_the_bayes_error_is_where_curves_lead(apart, features):
    means = np.zeros((2, features))
    means[1, 0] = apart
    world = th.laboratory.Gaussians(means)
    bayes, best = float(world.bayes_error), float(world.auc(means[1]))
    result: Any = th.learn(table_of(world.sample(800, seed=3)), "y", models=["naive bayes"], folds=3)
    winner = result.decision.model
    assert result.learning_curve is not None
    assert result.learning_curve.asymptote is not None
    assert result.feature_curve is not None
    assert bayes in result.learning_curve.asymptote
    assert result.learning_curve.asymptote.upper < 2.5 * bayes
    assert bayes in result.nested[winner]
    assert bayes in result.test_cost
    assert best in result.test[winner].auc
    assert result.nested[winner].estimate == pytest.approx(bayes, abs=0.04)
    # One feature separates the classes and the others are noise.
    assert result.feature_curve.validation.estimate[0] == pytest.approx(bayes, abs=0.04)
    fresh = table_of(world.sample(20_000, seed=4))
    error = (result.calls(fresh) != fresh["y"]).mean()
    assert bayes - 0.01 < error < bayes + 0.02
