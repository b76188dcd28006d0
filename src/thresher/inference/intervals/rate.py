"""Intervals for rates: so many out of so many."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Literal, TypeAlias

from thresher._internal.arguments import require_level, require_one_of
from thresher.errors import ArgumentError
from thresher.inference.interval import Interval, normal_quantile

RateMethod: TypeAlias = Literal["wilson", "exact", "agresti-coull", "jeffreys"]


def rate_interval(k: float, n: float, *, level: float = 0.95, method: RateMethod = "wilson") -> Interval:
    """The interval for a rate of k in n cases.

    "wilson" (1927) inverts the score test; "exact" (Clopper & Pearson 1934) never covers less than it
    says and usually more; "agresti-coull" (1998) adds cases to Wald's; "jeffreys" is the Bayesian
    interval under a Beta(½, ½) prior, closed at the ends (Brown, Cai & DasGupta 2001). None has zero width.

    >>> print(rate_interval(30, 50))
    0.6000 [0.4618, 0.7239]
    >>> print(rate_interval(0, 20, method="exact"))
    0.0000 [0.0000, 0.1684]
    """
    require_level(level)
    if not (isinstance(k, Real) and isinstance(n, Real)):
        raise ArgumentError(f"{k!r} of {n!r} cases is no rate", "give two numbers")
    if not (n > 0 and math.isfinite(n) and 0 <= k <= n):
        raise ArgumentError(f"{k} of {n} cases is no rate", "give 0 <= k <= n and n above 0")
    require_one_of(method, _LIMITS, name="method")
    lower, upper = _LIMITS[method](k, n, level)
    rate = k / n
    return Interval(
        estimate=rate,
        lower=min(max(lower, 0.0), rate),
        upper=max(min(upper, 1.0), rate),
        variance=rate * (1 - rate) / n,
        level=level,
        method=method,
    )


def _wilson(k: float, n: float, level: float) -> tuple[float, float]:
    z2 = normal_quantile(level) ** 2
    centre = (k + z2 / 2) / (n + z2)
    half = math.sqrt(z2) / (n + z2) * math.sqrt(k * (n - k) / n + z2 / 4)
    return (0.0 if k == 0 else centre - half), (1.0 if k == n else centre + half)


def _agresti_coull(k: float, n: float, level: float) -> tuple[float, float]:
    z = normal_quantile(level)
    cases = n + z * z
    centre = (k + z * z / 2) / cases
    half = z * math.sqrt(centre * (1 - centre) / cases)
    return centre - half, centre + half


def _exact(k: float, n: float, level: float) -> tuple[float, float]:
    return exact_limits(k, n, (1 - level) / 2)


def _jeffreys(k: float, n: float, level: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail, shape = (1 - level) / 2, (k + 0.5, n - k + 0.5)
    return (0.0 if k == 0 else float(betaincinv(*shape, tail))), (
        1.0 if k == n else float(betaincinv(*shape, 1 - tail))
    )


def exact_limits(k: float, n: float, tail: float) -> tuple[float, float]:
    """Clopper and Pearson's limits of k in n, beyond each of which lies at most `tail`."""
    from scipy.special import betaincinv

    lower = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    upper = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))
    return lower, upper


_LIMITS: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "wilson": _wilson,
    "exact": _exact,
    "agresti-coull": _agresti_coull,
    "jeffreys": _jeffreys,
}
