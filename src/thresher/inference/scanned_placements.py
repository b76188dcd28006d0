"""What sums of placements that an engine made say: AUCs with intervals, and how those of several models differ."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.auc import moderated_interval
from thresher.inference.interval import Interval
from thresher.inference.pairwise import Comparison
from thresher.inference.placements import AucCovariance
from thresher.ranking import Floats
from thresher.sources.paired import PlacementSums


def covariance_of(sums: PlacementSums) -> AucCovariance:
    """AUCs and DeLong's covariance of them, from sums of placements about ½; the formulas are `auc_covariance`'s.

    >>> one = np.array([[0.25, 0.5], [0.5, 1.0]])
    >>> total, products = np.array([0.5, 1.0, 0.5, 1.0]), np.kron(np.eye(2), one)
    >>> covariance_of(PlacementSums(total, products, (1, 1, 2), clustered=False)).areas
    array([1.])
    """
    width = sums.total.size // 2
    sides = slice(0, width), slice(width, None)
    areas = np.clip(0.5 + sums.total[: width - 1] / sums.total[width - 1], 0.0, 1.0)
    about = np.hstack([np.eye(width - 1), 0.5 - areas[:, np.newaxis]])  # from sums of a unit to its influence
    to_influence = [about / sums.total[side][-1] for side in sides]

    def spread(one: int, other: int, units: int) -> Floats:
        found = to_influence[one] @ sums.products[sides[one], sides[other]] @ to_influence[other].T
        found = np.where(np.abs(found) <= _noise(sums) ** 2, 0.0, found)
        return found * (units / (units - 1) if units > 1 else math.nan)

    crossed = spread(0, 1, sums.units[2]) if sums.clustered else np.zeros((width - 1, width - 1))
    of_pos, of_neg = (spread(side, side, sums.units[side]) for side in (0, 1))
    return AucCovariance(areas, of_pos, of_neg, crossed + crossed.T, independent_cases(sums))


def _noise(sums: PlacementSums) -> float:
    """What placements may be off by, since an engine adds weights up in an order of its own."""
    return 2.0**-50 * math.sqrt(sums.units[2])


def independent_cases(sums: PlacementSums) -> tuple[float, float]:
    """Independent positives and negatives: clusters, or Kish's (1965) effective number of weighted rows.

    >>> products = np.diag([0.0, 4.0, 0.0, 1.0])
    >>> independent_cases(PlacementSums(np.array([0.0, 4.0, 0.0, 1.0]), products, (9, 1, 10), clustered=False))
    (4.0, 1.0)
    """
    if sums.clustered:
        return float(sums.units[0]), float(sums.units[1])
    half = sums.total.size // 2
    pos, neg = (float(sums.total[i] ** 2 / sums.products[i, i]) for i in (half - 1, -1))
    return pos, neg


def scanned_auc_intervals(sums: PlacementSums, *, level: float, method: str) -> list[Interval]:
    """The interval of each model's AUC, as `row_auc_interval` gives it for independent rows with or without weights.

    >>> products = np.kron(np.eye(2), np.array([[1.0, 1.0], [1.0, 4.0]]))
    >>> sums = PlacementSums(np.array([1.0, 4.0, 1.0, 4.0]), products, (4, 4, 8), clustered=False)
    >>> print(scanned_auc_intervals(sums, level=0.95, method="delong")[0])
    0.7500 [0.1492, 0.9809]
    """
    found = covariance_of(sums)
    return [
        moderated_interval(
            float(area), (float(found.of_pos[i, i]), float(found.of_neg[i, i])), found.cases, level, method=method
        )
        for i, area in enumerate(found.areas)
    ]


def auc_comparison(sums: PlacementSums, empty: Comparison) -> Comparison:
    """A comparison of AUCs filled with its numbers."""
    cases = independent_cases(sums)
    if sums.clustered and min(cases) < 2:
        fix = "give rows of at least two clusters with each class, or leave cluster= out if rows are independent"
        raise ArgumentError("a class lies in one cluster, which shows no spread between clusters", fix)
    found = covariance_of(sums)
    return replace(empty, pairs=min(cases)).of_aucs(found, noise=_noise(sums))


def empty_comparison(names: tuple[str, ...], *, level: float, margin: float, dropped: int = 0) -> Comparison:
    """A comparison of AUCs without any numbers yet.

    >>> empty_comparison(("a", "b"), level=0.95, margin=0.0).measure
    'auc'
    """
    return Comparison(
        names=names,
        measure="auc",
        better="higher",
        estimates={},
        differences={},
        spread=None,
        pairs=math.nan,
        level=level,
        margin=margin,
        correction="holm",
        dropped=dropped,
    )
