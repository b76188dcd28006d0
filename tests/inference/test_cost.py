import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.strategies import two_class_rankings
from thresher.inference.cost import brier_interval, cost_interval

SPAM = th.Contingency(tp=30, fn=20, fp=10, tn=40)


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 30), st.integers(1, 30))
def test_limits_hold_the_estimate_and_have_width(tp, fn, fp, tn):
    table = th.Contingency(tp=tp, fn=fn, fp=fp, tn=tn)
    for condition in (th.OperatingCondition(cost_ratio=4), th.OperatingCondition(prevalence=0.2, cost_fn=3, cost_tp=1)):
        found = cost_interval(table, condition)
        assert found.estimate == pytest.approx(condition.expected_cost(table))
        assert found.lower <= found.estimate <= found.upper
        assert found.width > 0


def test_limits_grow_with_the_cost_of_the_uncertain_error():
    cheap, dear = (cost_interval(SPAM, th.OperatingCondition(class_ratio=1, cost_fn=c)) for c in (1, 10))
    assert dear.width > 5 * cheap.width


def test_a_lone_rate_keeps_its_own_limits():
    # With false alarms next to free, expected cost is prevalence · cost_fn · fnr.
    condition = th.OperatingCondition(prevalence=0.5, cost_fp=1e-12, cost_fn=2)
    found, fnr = cost_interval(SPAM, condition), th.rate_interval(20, 50)
    assert found.lower == pytest.approx(fnr.lower)
    assert found.upper == pytest.approx(fnr.upper)


def test_a_class_without_cases_is_refused():
    with pytest.raises(th.ArgumentError, match="class is absent"):
        cost_interval(th.Contingency(tp=1, fn=2, fp=0, tn=0), th.OperatingCondition())


@given(two_class_rankings.filter(lambda r: r.total > 2))
def test_brier_moments_against_rows(ranking):
    probabilities = th.Ranking(np.linspace(0.95, 0.1, len(ranking)), ranking.pos, ranking.neg)
    score = np.concatenate([np.repeat(probabilities.score, side) for side in (ranking.pos, ranking.neg)])
    label = np.arange(score.size) < ranking.Pos
    errors = (score - label) ** 2
    found = brier_interval(probabilities)
    assert found.estimate == pytest.approx(errors.mean())
    assert found.variance == pytest.approx(errors.var(ddof=1) / errors.size, abs=1e-12)
    assert found.estimate == pytest.approx(th.brier(probabilities))
    assert found.lower < found.estimate < found.upper


def test_equal_errors_still_have_width():
    found = brier_interval(th.Ranking([1, 0], pos=[5, 0], neg=[0, 5]))
    assert found.estimate == 0
    assert found.upper > 0
    assert found.note


def test_bad_input():
    with pytest.raises(th.ProbabilityError):
        brier_interval(th.Ranking([3, 0], pos=[5, 0], neg=[0, 5]))
    with pytest.raises(th.ArgumentError, match="one case"):
        brier_interval(th.Ranking([0.5], pos=[1], neg=[0]))
    with pytest.raises(th.ArgumentError, match="level"):
        cost_interval(SPAM, th.OperatingCondition(), level=95)
    assert math.isfinite(cost_interval(SPAM, th.OperatingCondition()).variance)
