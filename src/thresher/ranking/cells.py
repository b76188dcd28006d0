"""Cells: segments that are pooled into ranges when there are too many, so that any two ranges are nested or apart.

The float64 numbers in rising order can be numbered by integers. A cell of level L is a block of 2**L of those numbers
that begins at a multiple of 2**L; a single score is a cell of level 0. Ranges drawn freely would overlap where
streams meet, and chains of overlaps would swallow everything. Blocks do not: when two of them meet, one holds the
other, whoever drew them. (The summary is that of Shrivastava et al. 2004, "Medians and beyond", kept on blocks of
floats instead of a known range of integers.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.ranking.counting import Counts, Flags
from thresher.ranking.pieces import Floats
from thresher.ranking.weights import wide

Integers: TypeAlias = npt.NDArray[np.int64]
_TOP = 63  # of this level there are two cells: the numbers below zero, and the others


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Counts per cell by rising score, with the lowest and highest score of each class; NaN for an absent class."""

    start: Integers
    level: Integers
    pos: Counts
    neg: Counts
    pos_low: Floats
    pos_high: Floats
    neg_low: Floats
    neg_high: Floats

    def __len__(self) -> int:
        return int(self.start.size)

    @property
    def exact(self) -> bool:
        """Whether every cell is one score."""
        return not self.level.any()


def cells_of(score: Floats, pos: Counts, neg: Counts) -> Cells:
    """The cells of segments by falling score, as `counted` gives them.

    >>> cells_of(np.array([0.5, -1.0]), np.array([2, 0]), np.array([1, 3])).pos_low
    array([nan, 0.5])
    """
    score, pos, neg = score[::-1], wide(pos)[::-1], wide(neg)[::-1]
    of_pos, of_neg = np.where(pos > 0, score, np.nan), np.where(neg > 0, score, np.nan)
    return Cells(_numbered(score), np.zeros(score.size, np.int64), pos, neg, of_pos, of_pos, of_neg, of_neg)


def together(parts: Sequence[Cells]) -> Cells:
    """Add up cells: those that lie in another one become part of it.

    >>> one = cells_of(np.array([0.5]), np.array([2]), np.array([1]))
    >>> together([one, one]).pos
    array([4])
    """
    columns = {field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Cells)}
    order = np.argsort(columns["start"], kind="stable")
    whole = Cells(**{name: column[order] for name, column in columns.items()})
    ends = np.maximum.accumulate(whole.start | _mask(whole.level))
    first = np.ones(len(whole), dtype=np.bool_)
    np.greater(whole.start[1:], ends[:-1], out=first[1:])
    if first.all():
        return whole
    begin = np.flatnonzero(first)
    return _united(whole, begin, np.maximum.reduceat(whole.level, begin))


def pooled(cells: Cells, *, at_most: int) -> Cells:
    """Larger cells where cases are few, until there are no more than `at_most`.

    Each is the largest block whose cases weigh no more than an equal share, so that every count at a threshold
    is known up to such a share. A cell that weighs more by itself stays as it is.

    >>> four = cells_of(np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 1, 0, 1]), np.array([0, 0, 1, 0]))
    >>> two = pooled(four, at_most=2)
    >>> two.pos, two.pos_low, two.pos_high
    (array([1, 2]), array([0.6, 0.8]), array([0.6, 0.9]))
    """
    share = float(cells.pos.sum() + cells.neg.sum()) / max(at_most, 2)
    while len(cells) > max(at_most, 2):
        cells = _pooled_up_to(cells, share)
        share *= 2
    return cells


def groups(cells: Cells) -> tuple[Floats, Floats, Counts, Flags]:
    """Cells as ranges of one class each: (low, high, count, positive)."""
    has_pos, has_neg = cells.pos > 0, cells.neg > 0
    return (
        np.concatenate([cells.pos_low[has_pos], cells.neg_low[has_neg]]),
        np.concatenate([cells.pos_high[has_pos], cells.neg_high[has_neg]]),
        np.concatenate([cells.pos[has_pos], cells.neg[has_neg]]),
        np.repeat([True, False], [has_pos.sum(), has_neg.sum()]),
    )


def _numbered(score: Floats) -> Integers:
    """The place of each number among all float64 numbers: their bits, with those of negative numbers turned round."""
    bits = np.ascontiguousarray(score).view(np.int64)
    return bits ^ ((bits >> 63) & np.int64(2**63 - 1))


def _mask(level: Integers) -> Integers:
    """The bits in which the numbers of a cell differ."""
    mask: Integers = ~(np.int64(-1) << level)
    return mask


def _pooled_up_to(cells: Cells, share: float) -> Cells:
    begin = np.arange(len(cells))  # of each pool so far, among the cells given
    start, level = cells.start, cells.level
    mass = (cells.pos + cells.neg).astype(np.float64)
    for higher in range(1, _TOP + 1):
        block = start >> np.int64(higher)
        meets = block[1:] == block[:-1]
        if not meets.any():
            continue
        first = np.concatenate([[True], ~meets])
        at = np.flatnonzero(first)
        weight, size = np.add.reduceat(mass, at), np.diff(at, append=first.size)
        pool = (weight <= share) & (size > 1)
        kept = first | ~np.repeat(pool, size)
        if kept.all():
            continue
        at = np.flatnonzero(kept)
        mass = np.add.reduceat(mass, at)
        lone = np.diff(at, append=first.size) == 1
        begin, level = begin[at], np.where(lone, level[at], higher)
        start = start[at] & ~_mask(level)
    return cells if begin.size == len(cells) else _united(cells, begin, level)


def _united(cells: Cells, begin: npt.NDArray[np.intp], level: Integers) -> Cells:
    """One cell of this level for each run of cells that begins here."""
    return Cells(
        start=cells.start[begin] & ~_mask(level),
        level=level,
        pos=np.add.reduceat(cells.pos, begin),
        neg=np.add.reduceat(cells.neg, begin),
        pos_low=np.fmin.reduceat(cells.pos_low, begin),
        pos_high=np.fmax.reduceat(cells.pos_high, begin),
        neg_low=np.fmin.reduceat(cells.neg_low, begin),
        neg_high=np.fmax.reduceat(cells.neg_high, begin),
    )
