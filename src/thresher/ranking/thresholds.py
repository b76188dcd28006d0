"""Thresholds between neighbouring scores, whatever rounding does."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from thresher._internal.parallel import chunks, map_chunks
from thresher.errors import ArgumentError
from thresher.ranking.sorting import BUCKETED_ROWS, Array, Flags, Floats, Indices, even_steps

LARGEST = sys.float_info.max
_MOST_DECIMALS = 18
_BUCKETS = 1 << 14


def reaches(scores: Any, threshold: float) -> Flags:
    """Which scores a threshold calls positive: those at or above it, and none at +inf.

    >>> reaches(np.array([np.inf, 0.5]), 0.5), reaches(np.array([np.inf, 0.5]), np.inf)
    (array([ True,  True]), array([False, False]))
    """
    return np.asarray((scores >= threshold) & (threshold < np.inf), dtype=np.bool_)


def splits_at(score: Floats, threshold: Any) -> Any:
    """How many of falling scores each threshold calls positive.

    >>> splits_at(np.array([np.inf, 0.5]), [np.inf, 1, 0.5])
    array([0, 1, 2])
    """
    below = np.searchsorted(score[::-1], threshold, side="left")
    return np.where(np.isposinf(threshold), 0, score.size - below)


def midway(upper: Floats, lower: Floats) -> Floats:
    """Numbers t with lower < t <= upper, the midpoint wherever that is one.

    The midpoint of neighbours one unit in the last place apart rounds to one of them, and infinite scores have none;
    `upper` itself separates then, since positive means `score >= t`, or the largest float where `upper` is +inf, since
    a threshold of +inf calls nothing positive. No ranking holds both +inf and the largest float next to each other.
    """
    most = np.minimum(upper, LARGEST)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = upper + lower
        middle /= 2
        separates = (lower < middle) & (middle <= most)
        if separates.all():
            return middle
        # A sum may overflow where the midpoint does not; -inf and inf have 0 between them.
        middle = np.where(np.isinf(middle), upper / 2 + lower / 2, np.where(np.isnan(middle), 0.0, middle))
        return np.where((lower < middle) & (middle <= most), middle, most)


def separating_thresholds(low: Floats, high: Floats) -> Floats:
    """One threshold per split 0..m of segments that reach from `low` to `high`."""
    threshold = np.empty(low.size + 1)
    threshold[0], threshold[-1] = np.inf, -np.inf
    upper, lower, between = low[:-1], high[1:], threshold[1:-1]
    map_chunks(lambda chunk: np.copyto(between[chunk], midway(upper[chunk], lower[chunk])), between.size)
    threshold.flags.writeable = False
    return threshold


def cuts_above(score: Array, cut: Floats) -> Indices:
    """How many of the falling cuts lie above each score; most buckets hold no cut."""
    finite = cut[np.isfinite(cut)]
    low, high = (finite[-1], finite[0]) if finite.size else (np.float64(0), np.float64(0))
    cut_buckets = even_steps(cut, low, high, _BUCKETS)
    if score.size < BUCKETED_ROWS or cut_buckets is None:
        return np.searchsorted(-cut, -score.astype(np.float64, copy=False), side="left")
    cuts_in = np.bincount(cut_buckets, minlength=_BUCKETS)
    settled = np.where(cuts_in > 0, -1, cut.size - np.cumsum(cuts_in))
    above = np.empty(score.size, dtype=np.intp)
    for chunk in chunks(score.size):
        part = score[chunk].astype(np.float64, copy=False)
        above[chunk] = settled[even_steps(part, low, high, _BUCKETS)]
        rest = np.flatnonzero(above[chunk] < 0)
        above[chunk][rest] = np.searchsorted(-cut, -part[rest], side="left")
    return above


def require_split(split: Any, splits: int) -> None:
    """Raise `ArgumentError` unless `split` is the number of one of so many splits."""
    if isinstance(split, bool) or not isinstance(split, int | np.integer) or not 0 <= split < splits:
        raise ArgumentError(f"there is no split {split}", f"give a whole number from 0 to {splits - 1:,}")


def shortest_between(lower: Floats, middle: Floats, upper: Floats) -> Floats:
    """The number with the fewest decimals in each (lower, upper], near the middle.

    A threshold between two scores may be any number there, so a short one makes the same calls.

    >>> shortest_between(np.array([0.1234]), np.array([0.12355]), np.array([0.1237]))
    array([0.1236])
    """
    shortest, open_ = middle.copy(), np.isfinite(middle)
    for decimals in range(_MOST_DECIMALS):
        if not open_.any():
            break
        near = np.round(middle, decimals)
        fits = open_ & (lower < near) & (near <= upper)
        shortest[fits] = near[fits]
        open_ &= ~fits
    return shortest
