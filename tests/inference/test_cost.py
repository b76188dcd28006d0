import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

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


@given(st.tuples(*[st.integers(0, 30)] * 4).filter(lambda cells: cells[0] + cells[1] and cells[2] + cells[3]))
def test_with_the_mix_of_the_data_the_variance_is_that_of_the_costs_of_cases(cells):
    costs = 10.0, 11.5, 1.0, -0.5
    condition = th.OperatingCondition(cost_tp=10, cost_fn=11.5, cost_fp=1, cost_tn=-0.5)
    found = cost_interval(th.Contingency(*cells), condition)
    by_case = np.repeat(costs, cells)
    assert found.estimate == pytest.approx(by_case.mean())
    assert found.variance == pytest.approx(by_case.var() / by_case.size, abs=1e-12)
    assert min(costs) <= found.lower <= found.estimate <= found.upper <= max(costs)
    assert found.width > 0


def test_where_everything_is_wrong_the_cost_may_be_lower():
    found = cost_interval(th.Contingency(tp=0, fn=10, fp=10, tn=0), th.OperatingCondition())
    assert found.estimate == found.upper == 1
    assert found.lower < 0.95


@pytest.mark.parametrize(
    "costs", [{"cost_tp": 10, "cost_fn": 11, "cost_fp": 1}, {"cost_fn": 5}, {"cost_tn": -2, "cost_fn": 3, "cost_fp": 1}]
)
def test_the_cost_of_a_sampled_mix_is_held_as_often_as_said(costs):
    """13.6 % held the first of them while a sampled prevalence was taken as known.

    Nothing is drawn: the tables of 60 cases are gone through, and the probabilities of those that hold it added up.
    """
    condition = th.OperatingCondition(**costs)
    share = np.array([0.24, 0.06, 0.07, 0.63])
    truth = float(share @ [condition.cost_tp, condition.cost_fn, condition.cost_fp, condition.cost_tn])
    errors = [(fn, fp) for fn in range(20) for fp in range(20)]
    tables = np.array(
        [(tp, fn, fp, 60 - tp - fn - fp) for tp in range(1, 40) for fn, fp in errors if tp + fn + fp < 60]
    )
    chance = stats.multinomial.pmf(tables, 60, share)
    likely = chance > 1e-6
    held = [truth in cost_interval(th.Contingency(*table), condition) for table in tables[likely].tolist()]
    assert chance[likely].sum() > 0.999
    assert 0.93 < chance[likely] @ held / chance[likely].sum() < 0.96


def test_a_higher_level_is_wider():
    for of in (lambda level: cost_interval(SPAM, th.OperatingCondition(), level=level), _brier_of_the_spam_tree):
        assert of(level=0.5).width < of(level=0.9).width < of(level=0.99).width


def _brier_of_the_spam_tree(level):
    return brier_interval(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4 / 5, 2 / 3, 1 / 3]), level=level)


def test_errors_that_the_probabilities_foretell_widen_the_limits():
    """Ten right calls at 0.99 and 0.02 hide the error of 0.98 that one in some eighty such cases makes."""
    ranking = th.Ranking([0.99, 0.02], pos=[5, 0], neg=[0, 5])
    found = brier_interval(ranking)
    stated = np.array([0.99, 0.02])
    first, second = (stated * (1 - stated) ** k + (1 - stated) * stated**k for k in (2, 4))
    foretold = (second.mean() - first.mean() ** 2) / 9
    assert found.variance < foretold / 100
    deviation = stats.t.ppf(0.975, 9) * math.sqrt(foretold)
    mean = found.estimate
    logit = math.log(mean / (1 - mean))
    assert found.upper == pytest.approx(1 / (1 + math.exp(-logit - deviation / (mean * (1 - mean)))))


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


def test_cells_that_weigh_the_same_are_told_apart_by_their_order():
    """30 and 100 · (0.1 + 0.2) are equals, though the sum rounds higher."""
    condition = th.OperatingCondition(cost_tp=10, cost_fn=11, cost_fp=1)
    more = 100 * (0.1 + 0.2)
    assert more > 30
    whole, rounded = (cost_interval(th.Contingency(tp=30.0, fn=0.0, fp=0.0, tn=tn), condition) for tn in (30.0, more))
    assert (rounded.lower, rounded.upper) == pytest.approx((whole.lower, whole.upper))


def test_errors_that_probabilities_foretell_spread_the_brier_score():
    """Where all went well, the spread is that of squared errors (1 - p)² with chance p and p² with chance 1 - p."""
    ranking = th.Ranking([0.95, 0.9, 0.1], [20, 10, 0], [0, 0, 30])
    p = np.repeat(ranking.score, (ranking.pos + ranking.neg))
    first = (p * (1 - p) ** 2 + (1 - p) * p**2).mean()
    second = (p * (1 - p) ** 4 + (1 - p) * p**4).mean()
    found = th.brier_interval(ranking)
    half = float(stats.t.ppf(0.975, 59)) * np.sqrt((second - first**2) / 59) / (found.estimate * (1 - found.estimate))
    centre = np.log(found.estimate / (1 - found.estimate))
    limits = 1 / (1 + np.exp(-(centre - half))), 1 / (1 + np.exp(-(centre + half)))
    assert (found.lower, found.upper) == pytest.approx(limits)
