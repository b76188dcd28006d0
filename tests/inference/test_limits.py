import math

import numpy as np
import pytest

from thresher.inference.limits import bca_limits, percentile_limits, quantiles, variance_of


def test_percentiles_leave_out_what_is_undefined():
    assert percentile_limits(np.array([math.nan, *range(101)]), 0.9) == pytest.approx((5, 95))


def test_values_near_the_largest_number_have_limits_and_no_warnings():
    far = np.array([-1.5e308, -1e308, 1e308, 1.7e308])
    assert quantiles(far, (0.5, 1.0)) == (0.0, 1.7e308)
    low, high = quantiles(far, (0.1, 0.9))
    assert (low, high) == pytest.approx((-1.35e308, 1.49e308))
    assert variance_of(far) == math.inf
    assert variance_of(far / 1e200) == pytest.approx(np.var(far / 1e200, ddof=1))
    assert variance_of(np.array([3e160, 3e160])) == 0


def test_variances_leave_out_infinite_values():
    assert variance_of(np.array([1.0, math.inf, 4.0, -math.inf, math.nan])) == 4.5
    assert math.isnan(variance_of(np.array([1.0, math.inf])))


def bca(values, estimate, acceleration, level):
    """Efron (1987), written out: replicates that equal the estimate count half as below it."""
    from statistics import NormalDist

    normal = NormalDist()
    below = sum(1.0 if v < estimate else 0.5 if v == estimate else 0.0 for v in values) / len(values)
    bias = normal.inv_cdf(below)
    shares = []
    for z in (normal.inv_cdf((1 - level) / 2), normal.inv_cdf((1 + level) / 2)):
        moved = bias + z
        shares.append(normal.cdf(bias + moved / (1 - acceleration * moved)))
    return tuple(float(np.quantile(values, share)) for share in shares)


@pytest.mark.parametrize("ties", [0, 1, 30, 60])
@pytest.mark.parametrize("acceleration", [-0.1, 0.0, 0.1])
def test_replicates_that_tie_with_the_estimate_count_half(ties, acceleration):
    values = np.concatenate([np.full(ties, 0.5), np.linspace(0, 0.49, 25), np.linspace(0.51, 1, 40)])
    assert bca_limits(values, 0.5, acceleration, 0.9) == pytest.approx(bca(values, 0.5, acceleration, 0.9))
