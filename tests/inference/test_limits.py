import math

import numpy as np
import pytest

from thresher.inference.limits import out_of_bag_interval, percentile_limits


def test_percentiles_leave_out_what_is_undefined():
    assert percentile_limits(np.array([math.nan, *range(101)]), 0.9) == pytest.approx((5, 95))


def test_the_spread_is_moved_by_the_optimism():
    costs = np.random.default_rng(0).normal(0.2, 0.02, 999)
    found = out_of_bag_interval(0.26, 0.2, costs, 0.95)
    assert (found.lower, found.upper) == pytest.approx(np.quantile(costs, [0.025, 0.975]) + 0.06)
    assert found.estimate == 0.26
    assert found.variance == pytest.approx(costs.var(ddof=1))
    assert found.note == "apparent 0.2"


def test_nothing_left_out_says_so():
    found = out_of_bag_interval(math.nan, 0.2, np.array([0.1, 0.2]), 0.95)
    assert math.isnan(found.lower)
    assert "left out too little" in found.note
