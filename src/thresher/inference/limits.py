"""Confidence limits from replicates: percentile, basic, and bias-corrected and accelerated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from thresher.ranking import Floats

_SQUARES_FIT = 1e150

LimitMethod: TypeAlias = Literal["percentile", "basic", "bca", "studentised"]


def quantiles(values: Floats, shares: tuple[float, float]) -> tuple[float, float]:
    """Two quantiles of replicates, NaN left out; infinite values are taken as they are, never averaged.

    >>> quantiles(np.array([0.0, 1.0, 2.0, np.inf]), (0.5, 1.0))
    (1.5, inf)
    >>> quantiles(np.array([-np.inf, 1.0, 2.0, 3.0]), (0.1, 0.9))
    (-inf, 2.7)
    """
    seen = values[~np.isnan(values)]
    if not seen.size:
        return math.nan, math.nan
    low, high = (_quantile(seen, share) for share in shares)
    return low, high


def variance_of(values: Floats) -> float:
    """The variance of replicates, infinite ones left out; NaN where fewer than two are left.

    Squares of values near the largest number are too large for one: their variance is then infinite.

    >>> variance_of(np.array([1.0, 3.0, np.inf])), variance_of(np.array([1e308, -1e308]))
    (2.0, inf)
    """
    finite = values[np.isfinite(values)]
    if finite.size < 2:
        return math.nan
    largest = float(np.abs(finite).max())
    if largest < _SQUARES_FIT:
        return float(finite.var(ddof=1))
    return float((finite / largest).var(ddof=1)) * largest * largest


def percentile_limits(values: Floats, level: float) -> tuple[float, float]:
    """The central quantiles of the replicates."""
    return quantiles(values, ((1 - level) / 2, (1 + level) / 2))


def basic_limits(values: Floats, estimate: float, level: float) -> tuple[float, float]:
    """The central quantiles mirrored in the estimate: what is too high in replicates is taken off.

    >>> basic_limits(np.arange(101.0), 40, 0.9)
    (-15.0, 75.0)
    """
    low, high = percentile_limits(values, level)
    return 2 * estimate - high, 2 * estimate - low


@dataclass(frozen=True, slots=True, eq=False)
class Jackknife:
    """Values with one unit left out, the stratum of each, and how many units each stands for."""

    values: Floats
    stratum: Floats
    alike: Floats

    def acceleration(self) -> float:
        """How fast the spread grows with the estimate: a sixth of the skewness of the influence of units.

        With U = (n - 1)(mean - value) in a stratum of n units, Σ U³/n³ / (6 (Σ U²/n²)^1.5), both summed over strata.
        Source: Efron & Tibshirani 1993, 14.15, and for several samples as in SciPy.
        """
        cubes = squares = 0.0
        for stratum in range(int(self.stratum.max()) + 1):
            mine = self.stratum == stratum
            value, alike = self.values[mine], self.alike[mine]
            n = alike.sum()
            influence = (n - 1) / n * ((value * alike).sum() / n - value)
            cubes += float((influence**3 * alike).sum())
            squares += float((influence**2 * alike).sum())
        acceleration = cubes / (6 * squares**1.5) if squares > 0 else 0.0
        return acceleration if math.isfinite(acceleration) else 0.0


def bca_limits(values: Floats, estimate: float, acceleration: float, level: float) -> tuple[float, float]:
    """Bias-corrected and accelerated limits (Efron 1987).

    Replicates equal to the estimate count half as below it. Where all are on one side, the bias is taken as
    if half a replicate were on the other.
    """
    from scipy.special import ndtr, ndtri

    seen = values[~np.isnan(values)]
    if not seen.size:
        return math.nan, math.nan
    below = (np.count_nonzero(seen < estimate) + np.count_nonzero(seen <= estimate)) / 2
    bias = float(ndtri(min(max(below, 0.5), seen.size - 0.5) / seen.size))

    def share(z: float) -> float:
        moved = bias + z
        stretch = 1 - acceleration * moved
        return float(ndtr(bias + moved / stretch)) if stretch > 0 else float(moved > 0)

    z = float(ndtri((1 + level) / 2))
    return quantiles(seen, (share(-z), share(z)))


def _quantile(seen: Floats, share: float) -> float:
    low, high = (float(np.quantile(seen, share, method=side)) for side in ("lower", "higher"))
    if low == high or not math.isfinite(low):
        return low
    part = (share * (seen.size - 1)) % 1
    apart = high - low
    # Two finite values may be further apart than any number is large.
    return low + part * apart if math.isfinite(apart) or math.isinf(high) else low * (1 - part) + high * part
