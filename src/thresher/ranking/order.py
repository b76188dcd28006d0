"""Rows in their order: for questions that need each row's place and not only counts per score."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.ranking.counting import ROWS_PER_RANGE, Counts, Flags
from thresher.ranking.dealing import MOST, dealt, nearly_rising, partitioning_is_slow, ranges_of
from thresher.ranking.pieces import Floats

Indices = npt.NDArray[np.intp]
ROWS_WORTH_DEALING = 1 << 18


def falling(score: npt.NDArray[Any]) -> tuple[Indices, Indices]:
    """Rows by falling score, and how many rows there are down to the end of each segment.

    >>> order, ends = falling(np.array([0.2, 0.9, 0.2]))
    >>> order.tolist()[0], ends.tolist()
    (1, [1, 3])
    """
    order, ordered = _rising(score)
    return order[::-1], np.append(np.flatnonzero(_apart(ordered[::-1])) + 1, score.size)


def beating(positive: Flags, score: npt.NDArray[Any], weight: Floats | None = None) -> Floats:
    """For each row, how many of the other class score higher, a tie counting half; by weight if given.

    >>> beating(np.array([True, True, False, False]), np.array([3.0, 2.0, 2.0, 1.0]))
    array([0. , 0.5, 1.5, 2. ])
    """
    order, ordered = _rising(score)
    is_pos, apart = positive[order], _apart(ordered)
    if weight is None:
        kind = np.int32 if score.size < np.iinfo(np.int32).max // 2 else np.int64  # half the memory, while they fit
        pos: Counts = np.cumsum(is_pos, dtype=kind)
        neg: Counts = np.arange(1, score.size + 1, dtype=kind)
        neg -= pos
    else:
        heavy = weight[order]
        pos, neg = np.cumsum(heavy * is_pos), np.cumsum(heavy * ~is_pos)
    if apart.all():  # no ties: to the other class, a row adds nothing itself
        above = np.where(is_pos, neg[-1] - neg, pos[-1] - pos)
    else:
        ends = np.append(np.flatnonzero(apart) + 1, score.size)
        above = np.where(is_pos, neg[-1] - _midway(neg, ends), pos[-1] - _midway(pos, ends))
    found = np.empty(score.size)
    found[order] = above
    return found


def _rising(score: npt.NDArray[Any]) -> tuple[Indices, npt.NDArray[Any]]:
    """Rows by rising score, and their scores; where sorting is slow, pairs of both are dealt and sorted."""
    if not ROWS_WORTH_DEALING <= score.size <= MOST or not partitioning_is_slow():
        order = np.argsort(score)
        return order, score[order]
    pair = np.empty(score.size, dtype=np.complex128)
    pair.real, pair.imag = score, np.arange(score.size)
    ranges = ranges_of(score, score.size // ROWS_PER_RANGE)
    pair, ends = dealt(pair, ranges(score), ranges.count)
    for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        part = nearly_rising(pair[start:end], pair.real[start:end])
        part.sort(kind="stable")
        pair[start:end] = part
    return pair.imag.astype(np.intp), pair.real


def _apart(ordered: npt.NDArray[Any]) -> Flags:
    return np.asarray(ordered[1:] != ordered[:-1])


def _midway(total: npt.NDArray[Any], ends: Indices) -> Floats:
    """For each entry, the running total before its segment plus half of what its segment adds."""
    after = total[ends - 1]
    before = np.append(np.zeros(1, dtype=total.dtype), after[:-1])
    return np.repeat((before + after) / 2, np.diff(ends, prepend=0))
