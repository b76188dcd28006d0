import math

import numpy as np
import pytest

import thresher as th
from thresher.inference.out_of_bag import out_of_bag_interval

TABLE = th.Contingency(tp=30, fn=20, fp=10, tn=40)
EVEN = th.OperatingCondition()


def test_the_wider_spread_is_moved_by_the_optimism():
    costs = np.random.default_rng(0).normal(0.3, 0.2, 999)
    found = out_of_bag_interval(0.36, th.cost_interval(TABLE, EVEN), EVEN, costs)
    assert (found.lower, found.upper) == pytest.approx((0, np.quantile(costs, 0.975) + 0.06))
    assert found.estimate == 0.36
    assert found.variance == pytest.approx(costs.var(ddof=1))
    assert found.apparent == pytest.approx(0.3)


def test_errors_that_no_resample_shows_are_allowed_for():
    plain = th.cost_interval(TABLE, EVEN)
    found = out_of_bag_interval(0.36, plain, EVEN, np.full(50, 0.3))
    assert (found.lower, found.upper) == pytest.approx((plain.lower, plain.upper + 0.06))


def test_dear_misses_are_covered():
    """The true cost at the chosen threshold, where misses are dear and the data show none."""
    condition, held = th.OperatingCondition(cost_ratio=20), 0
    rng = np.random.default_rng(5)
    fresh = rng.random(200_000) < 0.3
    score = rng.normal(size=fresh.size) + 1.5 * fresh
    for draw in range(40):
        rows = slice(draw * 100, (draw + 1) * 100)
        found = th.honest_choice(th.rank(fresh[rows], score[rows]), condition, replicates=100)
        truth = condition.expected_cost(th.contingency_at(th.rank(fresh, score), found.choice.threshold))
        held += truth in found.expected_cost
    assert held >= 36


def test_nothing_left_out_says_so():
    found = out_of_bag_interval(math.nan, th.cost_interval(TABLE, EVEN), EVEN, np.array([0.1, 0.2]))
    assert math.isnan(found.lower)
    assert "left out too little" in found.note


@pytest.mark.parametrize("n", [4, 6, 100])
def test_perfect_data_leave_doubt(n):
    labels = np.arange(n) < n // 2
    for found in (
        th.evaluate(labels, -np.arange(float(n))).decision.honest_cost,
        th.honest_choice(th.rank(labels, -np.arange(float(n)))).expected_cost,
    ):
        assert found.lower <= found.estimate < found.upper
        assert found.lower >= 0


def test_no_limit_lies_below_what_cases_can_cost():
    found = th.evaluate(
        [1, 0, 1, 0, 1], {"a": [0.9, 0.2, 0.8, 0.4, 0.3]}, weights=[1, 2, 1.5, 1, 1], clusters=list("xxyzy")
    ).decision.honest_cost
    assert 0 <= found.lower <= found.estimate <= found.upper
    paying = th.OperatingCondition(cost_tp=-2, cost_fn=1)
    paid = out_of_bag_interval(-0.5, th.cost_interval(TABLE, paying), paying, np.array([-2.5, 0.0]))
    assert paid.lower >= -2


def test_limits_move_down_with_a_cost_that_came_out_lower():
    seen = th.cost_interval(th.Contingency(tp=30, fn=20, fp=10, tn=40), th.OperatingCondition())
    found = out_of_bag_interval(seen.estimate - 0.1, seen, th.OperatingCondition(), np.full(50, seen.estimate))
    assert found.lower == pytest.approx(seen.lower - 0.1)
    assert found.upper == seen.upper
