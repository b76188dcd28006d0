"""Further queries: buckets divided where the AUC or a split needs it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from thresher.curves.bounds import may_hide_tie
from thresher.ranking import Counts, Flags, Floats, Ranking
from thresher.sources.buckets import SUBS
from thresher.sources.engines.query import Piece, Run
from thresher.sources.engines.result import BucketCounts
from thresher.sources.options import Condition

TOLERANCE = 1e-6
PIECES = 64
MOST_PARTS = 3 * 2**20
_MARGIN = 1.5  # cases are not spread evenly inside buckets


def refine(
    counts: BucketCounts,
    count_again: Callable[[Sequence[Piece], Sequence[Run]], BucketCounts | None],
    condition: Condition | None,
) -> BucketCounts:
    """Count again where an answer is open.

    Without a condition, once, so that every AUC is known to 1e-6. With one, so that its best split is certain in every
    ranking: buckets near it are divided if they hold many rows, and what then may still hide a split as good is counted
    score by score. It stays open only if that takes too many groups, for which `count_again` returns None.
    """
    if condition is None:
        width = max(open_share(ranking) for ranking in counts.rankings().values())
        pieces = () if width <= TOLERANCE else pieces_for(*_shares(counts), tolerance=TOLERANCE)
        return (count_again(pieces, ()) if _divide(pieces) else None) or counts
    pieces, near = (), _near_the_best(counts, condition)
    if near.cases > MOST_PARTS and _divide(around := pieces_around(near.key, near.wanted)):
        pieces, counts = around, count_again(around, ()) or counts
        near = _near_the_best(counts, condition)
    return (count_again(pieces, near.runs) if near.runs else None) or counts


def pieces_for(bucket: Counts, pos: Floats, neg: Floats, *, tolerance: float) -> tuple[Piece, ...]:
    """Divide buckets so that about a share of `tolerance` of all pairs stays open.

    A bucket of p positives and n negatives that is divided into k parts leaves p·n/k pairs open. For a fixed number of
    parts in all, the sum is least when k follows √(p·n), and is then (Σ√(p·n))² / parts: at most Pos·Neg / parts,
    whatever the scores. `pos` and `neg` are shares of their class.
    """
    mass = np.sqrt(pos * neg)
    total = float(mass.sum())
    if not total > 0:
        return ()
    parts = min(MOST_PARTS, math.ceil(_MARGIN * total**2 / tolerance))
    share = np.cumsum(mass) / total
    # Pieces of equal mass hold as many parts each, so that pieces are narrow where both classes crowd.
    number = np.minimum(np.floor((share - mass / total / 2) * PIECES).astype(np.int64), PIECES - 1)
    first = np.flatnonzero(np.diff(number, prepend=-1))
    ends = np.append(first[1:], bucket.size)
    pieces = []
    for start, end in zip(first.tolist(), ends.tolist(), strict=True):
        of_piece = float(mass[start:end].sum()) / total * parts
        pieces.append(Piece(int(bucket[start]), min(SUBS, max(1, math.ceil(of_piece / (end - start))))))
    return tuple(pieces)


def pieces_around(bucket: Counts, wanted: Flags, *, parts: int = MOST_PARTS) -> tuple[Piece, ...]:
    """Divide the wanted buckets evenly, and few others where those lie in many runs."""
    runs = _runs(wanted)
    if not runs:
        return ()
    each = min(SUBS, max(1, parts // sum(end - start + 1 for start, end in runs)))
    pieces = [Piece(int(bucket[0]), 1)] if runs[0][0] else []
    for start, end in runs:
        pieces += [Piece(int(bucket[start]), each)]
        if end + 1 < bucket.size:
            pieces += [Piece(int(bucket[end]) + 1, 1)]
    return tuple(pieces)


def open_share(ranking: Ranking) -> float:
    """The share of pairs whose order is open: the width of the bounds of the AUC."""
    if ranking.ranges is None or not ranking.Pos or not ranking.Neg:
        return 0.0
    least, most = ranking.ranges.inner_pairs(ranking.pos.astype(np.float64), ranking.neg.astype(np.float64))
    return float((most - least).sum()) / 2 / (float(ranking.Pos) * float(ranking.Neg))


def _divide(pieces: Sequence[Piece]) -> bool:
    return any(piece.parts > 1 for piece in pieces)


def _runs(wanted: Flags) -> list[Run]:
    """First and last place of runs of flags, joined over narrow gaps if many."""
    at = np.flatnonzero(wanted)
    if not at.size:
        return []
    gap = np.diff(at)
    widest = np.argsort(-gap, kind="stable")[: PIECES // 2 - 1]
    breaks = np.sort(widest[gap[widest] > 1])
    starts, ends = at[np.append(0, breaks + 1)], at[np.append(breaks, at.size - 1)]
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


class _Near(NamedTuple):
    """Keys by rising score, which may hide a split as good, and their rows."""

    key: Counts
    wanted: Flags
    cases: int

    @property
    def runs(self) -> list[Run]:
        return [(int(self.key[start]), int(self.key[end])) for start, end in _runs(self.wanted)]


def _near_the_best(counts: BucketCounts, condition: Condition) -> _Near:
    """The keys that touch a segment which may hide a split as good as the best."""
    wanted = np.zeros(counts.key.size, dtype=np.bool_)
    for i in range(len(counts.names)):
        ranking = counts.ranking_of(i)
        if ranking.ranges is None or not (ranking.Pos and ranking.Neg):
            continue
        hidden = np.flatnonzero(may_hide_tie(ranking, condition.slope_coverage(ranking)))[::-1]
        low, high = ranking.ranges.low[hidden], ranking.ranges.high[hidden]
        wanted |= (counts.ranking == i) & _meet(counts.low, counts.high, low, high)
    key, place = np.unique(counts.key, return_inverse=True)
    flags = np.bincount(place[wanted], minlength=key.size) > 0
    return _Near(key, flags, int(counts.cases[flags[place]].sum()))


def _meet(low: Floats, high: Floats, starts: Floats, ends: Floats) -> Flags:
    """Which ranges share a score with any of others, which rise and do not overlap."""
    if not starts.size:
        return np.zeros(low.size, dtype=np.bool_)
    next_ = np.searchsorted(ends, low, side="left")
    inside = next_ < ends.size
    return inside & (starts[np.minimum(next_, ends.size - 1)] <= high)


def _shares(counts: BucketCounts) -> tuple[Counts, Floats, Floats]:
    """The shares of positives and negatives per bucket, the largest of all rankings."""
    bucket, place = np.unique(counts.key, return_inverse=True)
    cases: Any = counts.cases if counts.weight is None else counts.weight
    pos, neg = np.zeros(bucket.size), np.zeros(bucket.size)
    for i in range(len(counts.names)):
        here = counts.ranking == i
        both = [
            np.bincount(place[here & flags], cases[here & flags], minlength=bucket.size)
            for flags in (counts.positive, ~counts.positive)
        ]
        if all(side.sum() for side in both):
            np.maximum(pos, both[0] / both[0].sum(), out=pos)
            np.maximum(neg, both[1] / both[1].sum(), out=neg)
    return bucket, pos, neg
