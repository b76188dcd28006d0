"""Passes after the first: buckets are divided where it matters, until little enough is open or one split is certain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from thresher.ranking import Counts, Flags, Floats, Ranking
from thresher.sources.lenses import Lens, lenses_for
from thresher.sources.refinement import Piece, divided, hiding_as_good, open_share, pieces_around, pieces_for
from thresher.sources.tallies import Tallies

TOLERANCE = 1e-6
PASSES = 2
LOOKS = 3


class Condition(Protocol):
    """What a split is chosen under: `OperatingCondition`, which lives in a room on the right."""

    def slope_coverage(self, ranking: Ranking) -> float:
        """The slope of lines of equal cost, in positives per negative of a ranking."""


def refined(found: Tallies, tallied: Callable[..., Tallies], condition: Condition | None, *, buckets: int) -> Tallies:
    """Count again, through lenses where scores crowd, and then with buckets divided, at most twice.

    Without a condition until every AUC is known to 1e-6; with one until its best split is certain in every ranking.
    """
    found, lenses = _through_lenses(found, tallied, buckets)
    first, tolerance = found, TOLERANCE
    for number in range(PASSES):
        if condition is None:
            left = max(open_share(ranking) for ranking in found.rankings().values())
            tolerance *= TOLERANCE / left if number and left else 1.0
            pieces = () if left <= TOLERANCE else pieces_for(*_shares(first), tolerance=tolerance)
        else:
            pieces = _near_the_best(first, found, condition)
        if not divided(pieces):
            return found
        found = tallied(f"refining ({number + 1})", pieces=pieces, lenses=lenses)
    return found


def _through_lenses(found: Tallies, tallied: Callable[..., Tallies], buckets: int) -> tuple[Tallies, tuple[Lens, ...]]:
    """What is counted when crowds of scores are spread out, and the lenses that do it."""
    lenses: tuple[Lens, ...] = ()
    for number in range(LOOKS):
        bucket, pos, neg = _shares(found)
        place = np.searchsorted(bucket, found.key)
        low, high = np.full(bucket.size, np.inf), np.full(bucket.size, -np.inf)
        np.minimum.at(low, place, found.low)
        np.maximum.at(high, place, found.high)
        more = lenses_for(pos * neg, low, high, lenses, buckets=buckets, least=TOLERANCE)
        if len(more) == len(lenses):
            break
        lenses = more
        found = tallied(f"looking closer ({number + 1})", lenses=lenses)
    return found, lenses


def _near_the_best(first: Tallies, found: Tallies, condition: Condition) -> tuple[Piece, ...]:
    """Parts for the buckets that touch a segment which may hide a better split."""
    wanted = np.zeros(first.key.size, dtype=np.bool_)
    for i in range(len(found.names)):
        ranking = found.ranking_of(i)
        if ranking.ranges is None or not (ranking.Pos and ranking.Neg):
            continue
        hidden = np.flatnonzero(hiding_as_good(ranking, condition.slope_coverage(ranking)))[::-1]
        low, high = ranking.ranges.low[hidden], ranking.ranges.high[hidden]
        wanted |= (first.ranking == i) & _meet(first.low, first.high, low, high)
    bucket, place = np.unique(first.key, return_inverse=True)
    return pieces_around(bucket, np.bincount(place[wanted], minlength=bucket.size) > 0)


def _meet(low: Floats, high: Floats, starts: Floats, ends: Floats) -> Flags:
    """Which ranges share a score with any of others, which rise and do not overlap."""
    if not starts.size:
        return np.zeros(low.size, dtype=np.bool_)
    next_ = np.searchsorted(ends, low, side="left")
    inside = next_ < ends.size
    return inside & (starts[np.minimum(next_, ends.size - 1)] <= high)


def _shares(found: Tallies) -> tuple[Counts, Floats, Floats]:
    """The share of positives and of negatives in each bucket, of the ranking that is most open there."""
    bucket, place = np.unique(found.key, return_inverse=True)
    cases: Any = found.cases if found.weight is None else found.weight
    pos, neg = np.zeros(bucket.size), np.zeros(bucket.size)
    for i in range(len(found.names)):
        mine = found.ranking == i
        both = [
            np.bincount(place[mine & flags], cases[mine & flags], minlength=bucket.size)
            for flags in (found.positive, ~found.positive)
        ]
        if all(side.sum() for side in both):
            np.maximum(pos, both[0] / both[0].sum(), out=pos)
            np.maximum(neg, both[1] / both[1].sum(), out=neg)
    return bucket, pos, neg
