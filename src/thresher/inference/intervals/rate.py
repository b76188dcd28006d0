"""Intervals for rates: so many out of so many."""

from __future__ import annotations

import math
from numbers import Real
from typing import Literal, TypeAlias, get_args

from thresher._internal.arguments import require_level, require_one_of
from thresher.errors import ArgumentError
from thresher.inference.anytime.mixture import mean_limits
from thresher.inference.interval import Interval, normal_quantile

RateMethod: TypeAlias = Literal["wilson", "exact", "agresti-coull", "jeffreys", "anytime"]


def rate_interval(k: float, n: float, *, level: float = 0.95, method: RateMethod = "wilson") -> Interval:
    """The interval for a rate of k in n cases.

    "wilson" (1927) inverts the score test; "exact" (Clopper & Pearson 1934) never covers less than it
    says and usually more; "agresti-coull" (1998) adds cases to Wald's; "jeffreys" is the Bayesian
    interval under a Beta(½, ½) prior, closed at the ends (Brown, Cai & DasGupta 2001). None has zero width. These
    are for one look. "anytime" holds at every look, also of the running mean of a rate that drifts.

    >>> print(rate_interval(30, 50))
    0.6000 [0.4618, 0.7239]
    >>> print(rate_interval(0, 20, method="exact"))
    0.0000 [0.0000, 0.1684]
    >>> print(rate_interval(80, 100, method="anytime"))
    0.8000 [0.6576, 0.9063]
    """
    require_level(level)
    if not (isinstance(k, Real) and isinstance(n, Real)):
        raise ArgumentError(f"{k!r} of {n!r} cases is no rate", "give two numbers")
    if not (n > 0 and math.isfinite(n) and 0 <= k <= n):
        raise ArgumentError(f"{k} of {n} cases is no rate", "give 0 <= k <= n and n above 0")
    require_one_of(method, get_args(RateMethod), name="method")
    lower, upper = _limits(k, n, level, method)
    rate = k / n
    limits = min(max(lower, 0.0), rate), max(min(upper, 1.0), rate)
    return Interval(rate, *limits, variance=rate * (1 - rate) / n, level=level, method=method)


def _limits(k: float, n: float, level: float, method: RateMethod) -> tuple[float, float]:
    z, tail = normal_quantile(level), (1 - level) / 2
    cases = n + z * z
    centre = (k + z * z / 2) / cases
    if method == "exact":
        return exact_limits(k, n, tail)
    if method == "anytime":
        lower, upper = (float(limit) for limit in mean_limits(k, k, n, level=level))
        return lower, upper
    if method == "jeffreys":
        from scipy.special import betaincinv

        lower, upper = (float(betaincinv(k + 0.5, n - k + 0.5, quantile)) for quantile in (tail, 1 - tail))
    elif method == "wilson":
        half = z / cases * math.sqrt(k * (n - k) / n + z * z / 4)
        lower, upper = centre - half, centre + half
    else:
        half = z * math.sqrt(centre * (1 - centre) / cases)
        return centre - half, centre + half
    return (0.0 if k == 0 else lower), (1.0 if k == n else upper)


def exact_limits(k: float, n: float, tail: float) -> tuple[float, float]:
    """Clopper and Pearson's limits of k in n, at most `tail` beyond each."""
    from scipy.special import betaincinv

    lower = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    upper = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))
    return lower, upper
