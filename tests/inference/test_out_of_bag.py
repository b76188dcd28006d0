import math

import numpy as np
import pytest

import thresher as th
from thresher.inference.out_of_bag import out_of_bag_interval

TABLE = th.Contingency(tp=30, fn=20, fp=10, tn=40)
EVEN = th.OperatingCondition()


def test_the_spread_is_moved_by_the_optimism():
    costs = np.random.default_rng(0).normal(0.3, 0.02, 999)
    found = out_of_bag_interval(0.36, TABLE, EVEN, costs, 0.95)
    assert (found.lower, found.upper) == pytest.approx(np.quantile(costs, [0.025, 0.975]) + 0.06)
    assert found.estimate == 0.36
    assert found.variance == pytest.approx(costs.var(ddof=1))
    assert found.note == "apparent 0.3"


def test_nothing_left_out_says_so():
    found = out_of_bag_interval(math.nan, TABLE, EVEN, np.array([0.1, 0.2]), 0.95)
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
    paid = out_of_bag_interval(-0.5, TABLE, th.OperatingCondition(cost_tp=-2, cost_fn=1), np.array([-2.5, 0.0]), 0.95)
    assert paid.lower >= -2
