"""Tests of scoring."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th
from thresher.learning import CostSensitiveClassifier, cost_scorer
from thresher.learning.validation.fit_and_score import ScoredFold
from thresher.learning.validation.scoring import (
    corrected_interval,
    fold_metric,
    prediction_table,
    variance_factor,
)

LABELS = np.array([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], dtype=bool)
SCORES = np.array([0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
FOLD = ScoredFold(LABELS, SCORES, SCORES >= 0.5)
RANKING = th.rank(LABELS, SCORES)
TABLE = th.contingency(LABELS, SCORES >= 0.5)


@pytest.mark.parametrize(
    ("wanted", "value", "better"),
    [
        ("auc", 0.75, "higher"),
        ("AUC", 0.75, "higher"),
        ("brier", th.brier(RANKING), "lower"),
        ("log_loss", float(th.log_loss(RANKING)), "lower"),
        ("average_precision", th.average_precision(RANKING), "higher"),
        ("error_rate", TABLE.error_rate, "lower"),
        (th.tables.measure("recall"), TABLE.tpr, "higher"),
        (th.OperatingCondition(cost_ratio=5), (5 * 2 + 1) / 10, "lower"),
        (th.pr_area, th.pr_area(RANKING), "higher"),
    ],
)
def test_the_value_is_that_of_the_library(wanted, value, better):
    stick = fold_metric(wanted)
    assert stick(FOLD) == pytest.approx(value)
    assert stick.better == better
    assert stick.range[0] <= stick(FOLD) <= stick.range[1]


def test_weights_count_as_rows():
    weights = np.arange(1, 11)
    again = np.repeat(np.arange(10), weights)
    weighted = ScoredFold(LABELS, SCORES, SCORES >= 0.5, weights.astype(float))
    repeated = ScoredFold(LABELS[again], SCORES[again], SCORES[again] >= 0.5)
    for wanted in ("auc", "brier", "f1", th.OperatingCondition(cost_ratio=3)):
        assert fold_metric(wanted)(weighted) == pytest.approx(fold_metric(wanted)(repeated))


def test_one_class_has_a_cost_at_the_datas_ratio_alone():
    only = ScoredFold(np.array([True, True]), np.array([0.9, 0.1]), np.array([True, False]))
    assert fold_metric(th.OperatingCondition(cost_ratio=4))(only) == 2
    assert np.isnan(fold_metric(th.OperatingCondition(class_ratio=1, cost_ratio=4))(only))
    with pytest.raises(th.errors.OneClassError):
        fold_metric("auc")(only)
    with pytest.raises(th.errors.MeasureError, match="is no number but"):
        fold_metric(lambda ranking: [ranking])(only)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("wanted", ["acuracy", 5, None])
def test_what_is_no_measure_is_refused(wanted):
    with pytest.raises(th.errors.MeasureError):
        fold_metric(wanted)


VALUES = np.array([0.81, 0.79, 0.84, 0.80, 0.82])


def test_it_is_the_corrected_test_of_the_values_against_zero():
    result = corrected_interval(VALUES, test_share=0.2, level=0.9, spread=(0, 1))
    test = th.inference.corrected_t(VALUES, np.zeros(5), test_share=0.2, level=0.9)
    assert (result.estimate, result.lower, result.upper) == pytest.approx((test.difference, test.lower, test.upper))
    assert result.variance == pytest.approx(test.variance)


def test_limits_stay_in_the_range_and_no_spread_gives_none():
    result = corrected_interval(np.array([0.99, 1.0, 0.8]), test_share=0.3, level=0.95, spread=(0, 1))
    assert result.upper == 1
    for values in (np.ones(4), np.ones(1)):
        still = corrected_interval(values, test_share=0.3, level=0.95, spread=(0, 1))
        assert math.isnan(still.lower)
        assert still.note


def test_the_correction_is_larger_than_for_independent_folds():
    assert variance_factor(10, 0.1) == pytest.approx(1 / 10 + 1 / 9)


LABELS_OF_CALLED_ROWS = np.repeat([True, False], [60, 140])
CALLS = np.tile([True, False, False, True, False], 40)
COSTS = th.OperatingCondition(cost_ratio=3)


def test_rows_by_themselves_are_cases():
    result = th.interval(prediction_table(LABELS_OF_CALLED_ROWS, CALLS), COSTS, level=0.9)
    plain = th.interval(th.contingency(LABELS_OF_CALLED_ROWS, CALLS), COSTS, level=0.9)
    assert (result.estimate, result.lower, result.upper) == (plain.estimate, plain.lower, plain.upper)
    alone = th.interval(prediction_table(LABELS_OF_CALLED_ROWS, CALLS, clusters=np.arange(200)), COSTS, level=0.9)
    assert alone.upper - alone.lower == pytest.approx(plain.upper - plain.lower, rel=0.02)


def test_ten_copies_of_a_row_are_worth_one():
    once = th.interval(prediction_table(LABELS_OF_CALLED_ROWS, CALLS), COSTS)
    copied, whose = np.repeat(LABELS_OF_CALLED_ROWS, 10), np.repeat(np.arange(200), 10)
    torn = th.interval(prediction_table(copied, np.repeat(CALLS, 10)), COSTS)
    together = th.interval(prediction_table(copied, np.repeat(CALLS, 10), clusters=whose), COSTS)
    assert together.estimate == pytest.approx(once.estimate)
    assert together.upper - together.lower == pytest.approx(once.upper - once.lower, rel=0.02)
    assert torn.upper - torn.lower < 0.4 * (together.upper - together.lower)


def test_weights_are_no_counts_of_cases():
    heavy = th.interval(prediction_table(LABELS_OF_CALLED_ROWS, CALLS, weights=np.full(200, 50.0)), COSTS)
    once = th.interval(prediction_table(LABELS_OF_CALLED_ROWS, CALLS), COSTS)
    assert heavy.upper - heavy.lower == pytest.approx(once.upper - once.lower)


def test_measures_count_groups_too():
    copied, whose = np.repeat(LABELS_OF_CALLED_ROWS, 10), np.repeat(np.arange(200), 10)
    once = th.interval(prediction_table(LABELS_OF_CALLED_ROWS, CALLS), "tpr")
    together = th.interval(prediction_table(copied, np.repeat(CALLS, 10), clusters=whose), "tpr")
    assert together.estimate == once.estimate == th.contingency(LABELS_OF_CALLED_ROWS, CALLS).tpr
    assert together.upper - together.lower == pytest.approx(once.upper - once.lower, rel=0.05)


RNG = np.random.default_rng(5)
Y = (RNG.random(300) < 0.3).astype(int)
X = RNG.normal(size=(300, 2)) + 1.2 * Y[:, np.newaxis]
WEIGHT = RNG.integers(1, 4, size=300)
COSTS_OF_COST_SCORER = th.OperatingCondition(cost_ratio=8)
RARE = th.OperatingCondition(cost_fn=40, cost_fp=2, prevalence=0.05)
MODEL = LogisticRegression().fit(X, Y)


def by_definition(calls, condition, weight=None):
    """The mean cost of calls, row by row, with rows weighted to the condition's class mix."""
    weight = np.ones(Y.size) if weight is None else weight.astype(float)
    if condition.prevalence is not None:
        share = weight[Y == 1].sum() / weight.sum()
        weight = weight * np.where(Y == 1, condition.prevalence / share, (1 - condition.prevalence) / (1 - share))
    cost = np.where(Y == 1, np.where(calls, 0, condition.cost_fn), np.where(calls, condition.cost_fp, 0))
    return np.average(cost, weights=weight)


@pytest.mark.parametrize("condition", [COSTS_OF_COST_SCORER, RARE])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["rows", "weights"])
def test_every_scorer_is_minus_the_cost_by_definition(condition, weight):
    options = {} if weight is None else {"sample_weight": weight}
    p = MODEL.predict_proba(X)[:, 1]
    assert cost_scorer(condition)(MODEL, X, Y, **options) == pytest.approx(
        -by_definition(MODEL.predict(X), condition, weight)
    )
    best = min(by_definition(p >= t, condition, weight) for t in [*p, np.inf])
    assert cost_scorer(condition, threshold="best")(MODEL, X, Y, **options) == pytest.approx(-best)
    share = np.average(Y, weights=weight)
    to = share if condition.prevalence is None else condition.prevalence
    odds = p / (1 - p) * (to / (1 - to)) / (share / (1 - share))
    bayes = by_definition(odds * condition.cost_ratio >= 1, condition, weight)
    assert cost_scorer(condition, threshold="bayes")(MODEL, X, Y, **options) == pytest.approx(-bayes)


def test_a_search_finds_the_cheapest_model_and_its_score_is_what_its_calls_cost():
    grid = {"logisticregression__C": [1e-6, 1.0]}
    model = make_pipeline(StandardScaler(), LogisticRegression())
    search = GridSearchCV(model, grid, scoring=cost_scorer(COSTS_OF_COST_SCORER, threshold="best"), cv=3).fit(X, Y)
    assert search.cv_results_["mean_test_score"].max() == search.best_score_
    plain = GridSearchCV(model, grid, scoring=cost_scorer(COSTS_OF_COST_SCORER), cv=3).fit(X, Y)
    assert plain.score(X, Y) == pytest.approx(-by_definition(plain.predict(X), COSTS_OF_COST_SCORER))


def test_a_threshold_classifier_scores_itself_by_its_condition():
    model = CostSensitiveClassifier(LogisticRegression(), COSTS_OF_COST_SCORER, cv=3).fit(X, Y)
    assert model.score(X, Y) == pytest.approx(-by_definition(model.predict(X), COSTS_OF_COST_SCORER))
    assert model.score(X, Y) == cost_scorer(COSTS_OF_COST_SCORER)(model, X, Y)
    assert model.score(X, Y, WEIGHT) == pytest.approx(-by_definition(model.predict(X), COSTS_OF_COST_SCORER, WEIGHT))
    unsaid = CostSensitiveClassifier(LogisticRegression(), cv=3).fit(X, Y)
    assert unsaid.score(X, Y) == pytest.approx(-np.mean(unsaid.predict(X) != Y))


@pytest.mark.parametrize("threshold", [None, "bayes", "best"])
def test_texts_need_the_positive_one_and_either_may_be_it(threshold):
    names = np.array(["ham", "spam"])[Y]
    model = LogisticRegression().fit(X, names)
    result = [
        cost_scorer(COSTS_OF_COST_SCORER, positive=positive, threshold=threshold)(model, X, names)
        for positive in ("spam", "ham")
    ]
    assert result[0] == cost_scorer(COSTS_OF_COST_SCORER, threshold=threshold)(MODEL, X, Y)
    turned = LogisticRegression().fit(X, 1 - Y)
    assert result[1] == pytest.approx(cost_scorer(COSTS_OF_COST_SCORER, threshold=threshold)(turned, X, 1 - Y))
    with pytest.raises(th.errors.PositiveLabelError):
        cost_scorer(COSTS_OF_COST_SCORER, threshold=threshold)(model, X, names)


def test_weights_are_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = cost_scorer(COSTS_OF_COST_SCORER).set_score_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=False)
        routed = cross_val_score(model, X, Y, scoring=scorer, cv=2, params={"sample_weight": WEIGHT})
    assert not np.allclose(
        routed, cross_val_score(LogisticRegression(), X, Y, scoring=cost_scorer(COSTS_OF_COST_SCORER), cv=2)
    )


def test_folds_of_one_class_have_a_cost_unless_the_mix_is_declared():
    ones = Y == 1
    missed = np.mean(MODEL.predict(X[ones]) == 0)
    assert cost_scorer(COSTS_OF_COST_SCORER)(MODEL, X[ones], Y[ones]) == pytest.approx(-8 * missed)
    assert cost_scorer(COSTS_OF_COST_SCORER, threshold="best")(MODEL, X[ones], Y[ones]) == 0
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
    with pytest.raises(th.errors.ArgumentError, match="an operating condition is needed"):
        cost_scorer(8)  # type: ignore[arg-type]
    with pytest.raises(th.errors.ArgumentError, match='threshold must be "bayes" or "best"'):
        cost_scorer(COSTS_OF_COST_SCORER, threshold=0.5)  # type: ignore[arg-type]
