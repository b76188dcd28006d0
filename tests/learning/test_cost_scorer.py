"""Scorers that price calls, in scikit-learn's searches, against costs counted by hand."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th
from thresher.learning import ThresholdClassifier, cost_scorer

RNG = np.random.default_rng(5)
Y = (RNG.random(300) < 0.3).astype(int)
X = RNG.normal(size=(300, 2)) + 1.2 * Y[:, np.newaxis]
WEIGHT = RNG.integers(1, 4, size=300)
COSTS = th.OperatingCondition(cost_ratio=8)
RARE = th.OperatingCondition(cost_fn=40, cost_fp=2, prevalence=0.05)
MODEL = LogisticRegression().fit(X, Y)


def by_hand(called, condition, weight=None):
    """The mean cost of calls, row by row, with rows weighted to the condition's class mix."""
    weight = np.ones(Y.size) if weight is None else weight.astype(float)
    if condition.prevalence is not None:
        share = weight[Y == 1].sum() / weight.sum()
        weight = weight * np.where(Y == 1, condition.prevalence / share, (1 - condition.prevalence) / (1 - share))
    cost = np.where(Y == 1, np.where(called, 0, condition.cost_fn), np.where(called, condition.cost_fp, 0))
    return np.average(cost, weights=weight)


@pytest.mark.parametrize("condition", [COSTS, RARE])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["rows", "weights"])
def test_every_scorer_is_minus_the_cost_counted_by_hand(condition, weight):
    given = {} if weight is None else {"sample_weight": weight}
    p = MODEL.predict_proba(X)[:, 1]
    assert cost_scorer(condition)(MODEL, X, Y, **given) == pytest.approx(-by_hand(MODEL.predict(X), condition, weight))
    best = min(by_hand(p >= t, condition, weight) for t in [*p, np.inf])
    assert cost_scorer(condition, threshold="best")(MODEL, X, Y, **given) == pytest.approx(-best)
    share = np.average(Y, weights=weight)
    to = share if condition.prevalence is None else condition.prevalence
    odds = p / (1 - p) * (to / (1 - to)) / (share / (1 - share))
    bayes = by_hand(odds * condition.cost_ratio >= 1, condition, weight)
    assert cost_scorer(condition, threshold="bayes")(MODEL, X, Y, **given) == pytest.approx(-bayes)


def test_a_search_finds_the_cheapest_model_and_its_score_is_what_its_calls_cost():
    grid = {"logisticregression__C": [1e-6, 1.0]}
    model = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(model, grid, scoring=cost_scorer(COSTS, threshold="best"), cv=3).fit(X, Y)
    assert search.cv_results_["mean_test_score"].max() == search.best_score_
    plain = GridSearchCV(model, grid, scoring=cost_scorer(COSTS), cv=3).fit(X, Y)
    assert plain.score(X, Y) == pytest.approx(-by_hand(plain.predict(X), COSTS))


def test_a_threshold_classifier_scores_itself_by_its_condition():
    model = ThresholdClassifier(LogisticRegression(), COSTS, cv=3).fit(X, Y)
    assert model.score(X, Y) == pytest.approx(-by_hand(model.predict(X), COSTS))
    assert model.score(X, Y) == cost_scorer(COSTS)(model, X, Y)
    assert model.score(X, Y, WEIGHT) == pytest.approx(-by_hand(model.predict(X), COSTS, WEIGHT))
    unsaid = ThresholdClassifier(LogisticRegression(), cv=3).fit(X, Y)
    assert unsaid.score(X, Y) == pytest.approx(-np.mean(unsaid.predict(X) != Y))


@pytest.mark.parametrize("threshold", [None, "bayes", "best"])
def test_texts_need_the_positive_one_and_either_may_be_it(threshold):
    names = np.array(["ham", "spam"])[Y]
    model = LogisticRegression().fit(X, names)
    found = [
        cost_scorer(COSTS, positive=positive, threshold=threshold)(model, X, names) for positive in ("spam", "ham")
    ]
    assert found[0] == cost_scorer(COSTS, threshold=threshold)(MODEL, X, Y)
    turned = LogisticRegression().fit(X, 1 - Y)
    assert found[1] == pytest.approx(cost_scorer(COSTS, threshold=threshold)(turned, X, 1 - Y))
    with pytest.raises(th.PositiveLabelError):
        cost_scorer(COSTS, threshold=threshold)(model, X, names)


def test_weights_are_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = cost_scorer(COSTS).set_score_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=False)
        routed = cross_val_score(model, X, Y, scoring=scorer, cv=2, params={"sample_weight": WEIGHT})
    assert not np.allclose(routed, cross_val_score(LogisticRegression(), X, Y, scoring=cost_scorer(COSTS), cv=2))


def test_folds_of_one_class_have_a_cost_unless_the_mix_is_declared():
    ones = Y == 1
    missed = np.mean(MODEL.predict(X[ones]) == 0)
    assert cost_scorer(COSTS)(MODEL, X[ones], Y[ones]) == pytest.approx(-8 * missed)
    assert cost_scorer(COSTS, threshold="best")(MODEL, X[ones], Y[ones]) == 0
    for threshold in (None, "bayes", "best"):
        assert np.isnan(cost_scorer(RARE, threshold=threshold)(MODEL, X[ones], Y[ones]))


def test_a_scorer_is_sent_to_other_processes():
    again = pickle.loads(pickle.dumps(cost_scorer(RARE, threshold="bayes")))  # noqa: S301
    assert again(MODEL, X, Y) == cost_scorer(RARE, threshold="bayes")(MODEL, X, Y)
    parallel = cross_validate(LogisticRegression(), X, Y, scoring=cost_scorer(RARE), cv=2, n_jobs=2)["test_score"]
    np.testing.assert_array_equal(
        parallel, cross_val_score(LogisticRegression(), X, Y, scoring=cost_scorer(RARE), cv=2)
    )


def test_bad_input():
    with pytest.raises(th.ArgumentError, match="no operating condition"):
        cost_scorer(8)  # type: ignore[arg-type]
    with pytest.raises(th.ArgumentError, match='threshold must be "bayes" or "best"'):
        cost_scorer(COSTS, threshold=0.5)  # type: ignore[arg-type]
