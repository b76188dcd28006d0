"""Distances between two distributions, for one look."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of
from thresher._internal.results import Result
from thresher.cautions import Caution
from thresher.errors import ArgumentError
from thresher.ranking import Floats


@dataclass(frozen=True, slots=True, repr=False)
class Distance(Result):
    """How far two distributions lie apart; `p_value` is that of the K-S test.

    `kolmogorov_smirnov` is the greatest gap between the cumulative shares, `energy` 2∫(F - G)² and `wasserstein`
    ∫|F - G|, both over the scores. The p-value is for one look, and too large where many scores are tied.
    """

    kolmogorov_smirnov: float
    energy: float
    wasserstein: float
    p_value: float


def distance(score: npt.ArrayLike, reference: npt.ArrayLike, counts: npt.ArrayLike) -> Distance:
    """Distances between two distributions, from counts per score.

    >>> distance([0.1, 0.4, 0.9], reference=[50, 30, 20], counts=[30, 30, 40])
    Distance(kolmogorov_smirnov=0.2, energy=0.064, wasserstein=0.16, p_value=0.0313767)
    """
    from scipy.special import kolmogorov

    scores = numbers_of(score, name="score")
    first, second = (_counts(each, scores.size) for each in (reference, counts))
    order = np.argsort(scores, kind="stable")
    n, m = first.sum(), second.sum()
    gap = (np.cumsum(first[order]) / n - np.cumsum(second[order]) / m)[:-1]
    width = np.diff(scores[order])
    gap = gap[width > 0] if gap.size else gap
    width = width[width > 0]
    most = float(np.abs(gap).max()) if gap.size else 0.0
    size = math.sqrt(n * m / (n + m))
    p_value = float(kolmogorov((size + 0.12 + 0.11 / size) * most))  # Stephens (1970)
    return Distance(most, float(2 * gap**2 @ width), float(np.abs(gap) @ width), p_value)


@dataclass(frozen=True, slots=True, repr=False)
class StabilityIndex(Result):
    """The population stability index, and what it is when nothing changes.

    `null_mean` is its mean where both samples come from one distribution: it depends on how many rows there are, so no
    fixed limit means the same twice. `p_value` is for one look.
    """

    value: float
    null_mean: float
    p_value: float

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to keep in mind."""
        what = f"without any change the index would be {self.null_mean:.3g} on average at these sizes"
        return (Caution("psi-depends-on-size", what),)


def stability_index(reference: npt.ArrayLike, counts: npt.ArrayLike) -> StabilityIndex:
    """The population stability index Σ (p - q) log(p/q) of counts per cell.

    Over B cells it is (1/n + 1/m) χ² with B - 1 degrees of freedom when nothing has changed (Yurdakul 2018). A cell
    that is empty on one side makes it infinite: join cells, or use `drift`.

    >>> stability_index([100] * 10, [6, 14, 9, 11, 10, 12, 8, 13, 7, 10])
    StabilityIndex(value=0.0625791, null_mean=0.099, p_value=0.770595)
    """
    from scipy.special import chdtrc

    first = numbers_of(reference, name="reference")
    second = _counts(counts, first.size)
    first = _counts(first, first.size)
    used = (first > 0) | (second > 0)
    n, m = first.sum(), second.sum()
    p, q = first[used] / n, second[used] / m
    one_sided = (p == 0).any() or (q == 0).any()
    value = math.inf if one_sided else float((p - q) @ np.log(p / q))
    freedom, scale = int(used.sum()) - 1, float(1 / n + 1 / m)
    p_value = float(chdtrc(freedom, value / scale)) if freedom and math.isfinite(value) else float(not freedom)
    return StabilityIndex(value, freedom * scale, p_value)


def _counts(values: npt.ArrayLike, size: int) -> Floats:
    counts = numbers_of(values, name="counts")
    if counts.size != size or not (np.isfinite(counts) & (counts >= 0)).all() or not counts.sum() > 0:
        what = f"{size} counts of at least 0 are needed, one of them above 0"
        raise ArgumentError(what, "count both samples in the same cells", parameter="counts")
    return counts
