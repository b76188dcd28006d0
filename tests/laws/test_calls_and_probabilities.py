"""Calls and probabilities of the same rows never contradict each other, also of scores that no row has."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.strategies import labelled_scores
from thresher.evaluation import contradictions
from thresher.ranking import reaches

RATIOS = st.sampled_from([0.01, 0.2, 1 / 3, 0.5, 2 / 3, 1, 2, 3, 7.5, 100])


def scores_around(ranking, more):
    """Scores of the data and others: on either side of each threshold, at the ends, and any more."""
    at = ranking.thresholds()
    with np.errstate(over="ignore", under="ignore"):
        return np.concatenate([ranking.score, at, np.nextafter(at, -math.inf), np.nextafter(at, math.inf), more])


@given(labelled_scores(both_classes=True), RATIOS, st.lists(st.floats(allow_nan=False), max_size=20))
def test_a_score_is_called_iff_its_probability_pays(rows, cost_ratio, more):
    """At the data's mix: called => p >= 1/(1 + cost ratio), not called => p <= it; equal only where pools tie."""
    ranking = th.rank(*rows)
    condition = th.OperatingCondition(cost_ratio=cost_ratio)
    scores = scores_around(ranking, more)
    probability = th.calibration_map(ranking)(scores)
    pays = float(1 / (1 + condition.exact_cost_ratio))
    choice = th.choose(ranking, condition)
    for point in choice.points:
        result = reaches(scores, point.threshold)
        assert (probability[result] >= pays).all()
        assert (probability[~result] <= pays).all()
        assert not contradictions(result, probability, condition).any()
    if choice.splits.size == 1:
        assert (reaches(scores, choice.threshold) == (probability >= pays)).all()


@given(labelled_scores(both_classes=True), RATIOS, RATIOS, st.lists(st.floats(allow_nan=False), max_size=20))
def test_so_it_is_at_a_declared_mix(rows, cost_ratio, class_ratio, more):
    ranking = th.rank(*rows)
    condition = th.OperatingCondition(cost_ratio=cost_ratio, class_ratio=class_ratio)
    scores = scores_around(ranking, more)
    of_data = th.calibration_map(ranking)(scores)
    assert condition.prevalence is not None
    probability = th.adjust_prevalence(of_data, condition.prevalence, trained_at=ranking.prevalence)
    for point in th.choose(ranking, condition).points:
        result = reaches(scores, point.threshold)
        assert not contradictions(result, probability, condition).any()
        assert of_data[result].min(initial=1.0) >= of_data[~result].max(initial=0.0)


def test_ramps_smoothing_and_curves_can_contradict():
    emails = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
    condition = th.OperatingCondition(cost_ratio=1)
    threshold = th.choose(emails, condition).threshold
    scores = np.linspace(0, 1, 1001)
    outcome = reaches(scores, threshold)
    for options in ({"interpolate": True, "smoothing": "laplace"}, {"method": "platt"}):
        probability = th.calibration_map(emails, **options)(scores)
        result = contradictions(outcome, probability, condition)
        sure = np.abs(probability - 0.5) > 1e-9
        assert (result == (sure & (outcome != (probability >= 0.5)))).all()
        assert result.any()
