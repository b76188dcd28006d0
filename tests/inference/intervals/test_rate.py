import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import thresher as th
import thresher.inference as ti
from thresher.errors import ArgumentError

METHODS = ["wilson", "exact", "agresti-coull", "jeffreys"]
rates = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.8, 0.95, 0.999])


@pytest.mark.parametrize(("ours", "theirs"), [("wilson", "wilson"), ("exact", "exact")])
@given(rate=rates, level=levels)
def test_wilson_and_exact_are_those_of_scipy(ours, theirs, rate, level):
    k, n = rate
    peer = stats.binomtest(k, n).proportion_ci(confidence_level=level, method=theirs)
    result = ti.rate_interval(k, n, level=level, method=ours)
    assert (result.lower, result.upper) == pytest.approx((peer.low, peer.high), abs=1e-10)


@given(rates, levels)
def test_jeffreys_is_a_beta_posterior_closed_at_the_ends(rate, level):
    k, n = rate
    result = ti.rate_interval(k, n, level=level, method="jeffreys")
    low, high = stats.beta.ppf([(1 - level) / 2, (1 + level) / 2], k + 0.5, n - k + 0.5)
    assert result.lower == pytest.approx(0 if k == 0 else min(low, k / n), abs=1e-10)
    assert result.upper == pytest.approx(1 if k == n else max(high, k / n), abs=1e-10)


@given(rates, levels)
def test_agresti_coull_is_wald_with_cases_added(rate, level):
    k, n = rate
    z = stats.norm.ppf((1 + level) / 2)
    cases = n + z * z
    p = (k + z * z / 2) / cases
    half = z * math.sqrt(p * (1 - p) / cases)
    result = ti.rate_interval(k, n, level=level, method="agresti-coull")
    assert result.lower == pytest.approx(min(max(0, p - half), k / n), abs=1e-12)
    assert result.upper == pytest.approx(max(min(1, p + half), k / n), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(rate=rates, level=levels)
def test_limits_hold_the_rate_stay_in_range_and_never_meet(method, rate, level):
    k, n = rate
    result = ti.rate_interval(k, n, level=level, method=method)
    assert 0 <= result.lower <= result.estimate <= result.upper <= 1
    assert result.width > 0
    assert result.estimate == k / n
    assert result.variance == pytest.approx(k / n * (1 - k / n) / n)
    mirrored = ti.rate_interval(n - k, n, level=level, method=method)
    assert (mirrored.lower, mirrored.upper) == pytest.approx((1 - result.upper, 1 - result.lower), abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_higher_level_is_wider(method):
    assert ti.rate_interval(3, 20, level=0.99, method=method).width > ti.rate_interval(3, 20, method=method).width


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (0, 0), (1, math.inf), (math.nan, 5), (1, -2)])
def test_what_is_no_rate_is_refused(k, n):
    with pytest.raises(ArgumentError, match="no rate"):
        ti.rate_interval(k, n)


def test_unknown_methods_and_levels_are_refused():
    with pytest.raises(ArgumentError, match="one of wilson, exact, agresti-coull, jeffreys, anytime"):
        ti.rate_interval(1, 2, method="wald")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="level"):
        ti.rate_interval(1, 2, level=95)


@pytest.mark.parametrize(("k", "n"), [("3", 5), (3, "5"), (None, 5)])
def test_a_rate_is_of_numbers(k, n):
    with pytest.raises(th.errors.ArgumentError, match="no rate"):
        th.rate_interval(k, n)
