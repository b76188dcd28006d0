"""Where a second look pays: into how many parts each bucket is divided, for the AUC or for one chosen split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thresher.ranking import Counts, Flags, Floats, Ranking
from thresher.sources.buckets import SUBS

PIECES = 64
MOST_PARTS = 3 * 2**20
_MARGIN = 1.5  # cases are not spread evenly inside buckets
_AS_GOOD = 1e-12  # of the largest value: `choose` lets weights tie within it


@dataclass(frozen=True, slots=True)
class Piece:
    """Buckets from `first` up to the next piece, each divided into `parts`."""

    first: int
    parts: int


def pieces_for(bucket: Counts, pos: Floats, neg: Floats, *, tolerance: float) -> tuple[Piece, ...]:
    """Divide buckets so that pairs inside parts are at most a share of about `tolerance` of all pairs.

    A bucket of p positives and n negatives that is divided into k parts leaves p·n/k pairs open. For a given number of
    parts in all, the sum is least when k follows √(p·n), and is then (Σ√(p·n))² / parts: at most Pos·Neg / parts,
    whatever the scores. `pos` and `neg` are shares of their class.

    >>> pieces_for(np.array([3, 4]), np.array([0.5, 0.5]), np.array([0.9, 0.1]), tolerance=0.01)
    (Piece(first=3, parts=..., Piece(first=4, parts=...))
    """
    mass = np.sqrt(pos * neg)
    whole = float(mass.sum())
    if not whole > 0:
        return ()
    parts = min(MOST_PARTS, math.ceil(_MARGIN * whole**2 / tolerance))
    share = np.cumsum(mass) / whole
    # Pieces of equal mass hold as many parts each, so that narrow pieces stand where both classes crowd.
    number = np.minimum(np.floor((share - mass / whole / 2) * PIECES).astype(np.int64), PIECES - 1)
    first = np.flatnonzero(np.diff(number, prepend=-1))
    ends = np.append(first[1:], bucket.size)
    found = []
    for start, end in zip(first.tolist(), ends.tolist(), strict=True):
        of_piece = float(mass[start:end].sum()) / whole * parts
        found.append(Piece(int(bucket[start]), min(SUBS, max(1, math.ceil(of_piece / (end - start))))))
    return tuple(found)


def pieces_around(bucket: Counts, wanted: Flags, *, parts: int = MOST_PARTS) -> tuple[Piece, ...]:
    """Divide the wanted buckets evenly, and no others unless the wanted ones lie in too many runs.

    >>> pieces_around(np.array([3, 4, 5, 8]), np.array([False, True, True, False]), parts=10)
    (Piece(first=3, parts=1), Piece(first=4, parts=5), Piece(first=6, parts=1))
    """
    at = np.flatnonzero(wanted)
    if not at.size:
        return ()
    gap = np.diff(at)
    widest = np.argsort(-gap, kind="stable")[: PIECES // 2 - 1]
    breaks = np.sort(widest[gap[widest] > 1])
    starts, ends = at[np.append(0, breaks + 1)], at[np.append(breaks, at.size - 1)]
    each = min(SUBS, max(1, parts // int((ends - starts + 1).sum())))
    found = [Piece(int(bucket[0]), 1)] if starts[0] else []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        found += [Piece(int(bucket[start]), each)]
        if end + 1 < bucket.size:
            found += [Piece(int(bucket[end]) + 1, 1)]
    return tuple(found)


def hiding_better(ranking: Ranking, slope: float) -> Flags:
    """Segments that may hide a better split than any between segments, by tp - slope · fp.

    Inside an open segment the curve reaches no higher than where all its positives come first.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> hiding_better(bounded, 1.0), hiding_better(bounded, 0.1)
    (array([ True,  True]), array([False,  True]))
    """
    if ranking.ranges is None or ranking.ranges.corners:
        return np.zeros(len(ranking), dtype=np.bool_)
    highest, reached = _values(ranking, slope)
    return ranking.ranges.mixed & (highest > reached.max())


def hiding_as_good(ranking: Ranking, slope: float) -> Flags:
    """Segments that may hide a split as good as the best between segments, or a better one.

    Where every corner of the hull is known, only splits on the edge between two that tie are as good.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1], [0.9, 0.8, 0.1], pos=[2, 0, 2], neg=[0, 2, 0])
    >>> hiding_better(bounded, 1.0), hiding_as_good(bounded, 1.0)
    (array([False, False]), array([ True, False]))
    """
    if ranking.ranges is None or (ranking.ranges.corners and ranking.ranges.ties and not ranking.weighted):
        return np.zeros(len(ranking), dtype=np.bool_)
    highest, reached = _values(ranking, slope)
    least = reached.max() - _AS_GOOD * (ranking.Pos + slope * ranking.Neg)
    if not ranking.ranges.corners:
        return ranking.ranges.mixed & (highest >= least)
    tied = np.flatnonzero(reached >= least)
    between = np.arange(len(ranking))
    return ranking.ranges.mixed & (between >= tied[0]) & (between < tied[-1])


def open_share(ranking: Ranking) -> float:
    """The share of pairs whose order a ranking leaves open: the width of the bounds of its AUC.

    >>> open_share(Ranking.of_ranges([0.1, 0.2], [0.4, 0.3], pos=[2, 0], neg=[0, 2]))
    1.0
    """
    if ranking.ranges is None or not ranking.Pos or not ranking.Neg:
        return 0.0
    least, most = ranking.ranges.inner_pairs(ranking.pos.astype(np.float64), ranking.neg.astype(np.float64))
    return float((most - least).sum()) / 2 / (float(ranking.Pos) * float(ranking.Neg))


def divided(pieces: Sequence[Piece]) -> bool:
    """Whether any bucket is divided at all.

    >>> divided([Piece(0, 1)]), divided([Piece(0, 1), Piece(5, 8)])
    (False, True)
    """
    return any(piece.parts > 1 for piece in pieces)


def _values(ranking: Ranking, slope: float) -> tuple[Floats, Floats]:
    """What tp - slope · fp may come to inside each segment, and what it is at the splits between them."""
    tp, fp = (covered.astype(np.float64) for covered in ranking.covered())
    reached = tp - slope * fp
    return tp[1:] - slope * fp[:-1], reached
