"""Segments known only as ranges of scores.

A ranking of a billion distinct scores need not name them. It counts ranges that do not overlap, and stores for each
class the lowest and the highest score that occurs there (`Ranges`). Splits between ranges are then exact; unknown is
only the order of positives and negatives inside a range that both classes share. A `Sketch` counts a stream of rows in
bounded memory, in ranges that merge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.json import Reader, flag, number, numbers
from thresher._internal.json import fields as fields_of
from thresher.ranking.sorting import Counts, Flags, Floats
from thresher.ranking.weights import HALF_ULP, adds_exactly, widen

Indices: TypeAlias = Any
Integers: TypeAlias = npt.NDArray[np.int64]
Ends: TypeAlias = tuple[Floats, Floats, Floats, Floats]  # pos_low, pos_high, neg_low, neg_high
Groups: TypeAlias = tuple[Floats, Floats, Counts, Flags]  # low, high, count, positive
Bounded: TypeAlias = "tuple[Floats, Counts, Counts, Ranges | None]"  # score, pos, neg


ABOUT: Mapping[str, Reader] = {"corners": flag, "ties": flag, "rounding": number(0)}
UNKNOWN = -1
_ROUNDING = 2.0**-30
_ENDS = ("pos_low", "pos_high", "neg_low", "neg_high")
_TOP = 63  # level of the two largest blocks of a sketch: the numbers below zero, and the others


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """The lowest and highest score of each class in each segment; NaN if absent.

    Both ends occur in the data. `won`, where it is known, is twice the pairs that positives win inside a segment
    (ties counting one), and -1 where it is not; None when it is known nowhere. `corners` says that every corner of
    the hull is a split between segments, so that no case inside one lies above the hull of what is known. `ties` says
    that every split that costs as little as a corner, at some costs, is a split between segments too.
    `rounding` bounds the relative error of the counts, which is 0 unless they are sums of weights that an engine
    added in an unknown order.
    """

    pos_low: Floats
    pos_high: Floats
    neg_low: Floats
    neg_high: Floats
    won: Counts | None = None
    corners: bool = False
    ties: bool = False
    rounding: float = 0.0

    def __post_init__(self) -> None:
        for column in (*self.ends, *([] if self.won is None else [self.won])):
            column.flags.writeable = False

    @property
    def ends(self) -> Ends:
        """The four columns of scores."""
        return self.pos_low, self.pos_high, self.neg_low, self.neg_high

    @property
    def low(self) -> Floats:
        """The lowest score of each segment."""
        return np.fmin(self.pos_low, self.neg_low)

    @property
    def high(self) -> Floats:
        """The highest score of each segment."""
        return np.fmax(self.pos_high, self.neg_high)

    @property
    def mixed(self) -> Flags:
        """Segments of more than one score that hold both classes."""
        return (self.low < self.high) & ~np.isnan(self.pos_low) & ~np.isnan(self.neg_low)

    @property
    def unresolved(self) -> Flags:
        """Segments in which the order of positives and negatives is not known."""
        return self.mixed if self.won is None else self.mixed & (self.won == UNKNOWN)

    def inner_pairs(self, pos: Counts, neg: Counts) -> tuple[Counts, Counts]:
        """Twice the pairs won inside each segment (a tie counting one): least and most.

        Where the ranges of the classes only touch, the pairs that are not tied all go the same way.
        """
        both = pos * neg
        mixed = self.mixed
        least = np.where(mixed & (self.pos_low < self.neg_high), both * 0, both)
        most = np.where(mixed & (self.pos_high > self.neg_low), both * 2, both)
        if self.won is not None:
            known = mixed & (self.won != UNKNOWN)
            least, most = np.where(known, self.won, least), np.where(known, self.won, most)
        return least, most

    def merge(self, starts: Indices) -> Ranges:
        """The ranges of runs of segments that begin at `starts`."""
        return Ranges(*merge_ends(self.ends, starts), rounding=self.rounding)

    def reweight(self, pos: float, neg: float) -> Ranges:
        """The same ranges of cases whose classes are multiplied by two weights."""
        won = None if self.won is None else np.where(self.won == UNKNOWN, UNKNOWN, self.won * (pos * neg))
        return replace(self, won=won, rounding=self.rounding + float(np.finfo(np.float64).eps))

    def equals(self, other: Ranges) -> bool:
        """Whether both hold the same for every segment."""
        if (self.corners, self.ties) != (other.corners, other.ties) or (self.won is None) != (other.won is None):
            return False
        columns: Any = zip((*self.ends, self.won), (*other.ends, other.won), strict=True)
        return all(own is theirs or np.array_equal(own, theirs, equal_nan=True) for own, theirs in columns)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: an absent class has no ends (None), infinite ones are texts."""
        plain: dict[str, Any] = {end: [_plain(number) for number in getattr(self, end).tolist()] for end in _ENDS}
        plain |= {} if self.won is None else {"won": self.won.tolist()}
        return plain | {name: value for name in ABOUT if (value := getattr(self, name))}

    @classmethod
    def from_dict(cls, value: Any) -> Ranges:
        """Read what `to_dict` wrote; a field that is not so raises `FieldError`."""
        ends = dict.fromkeys(_ENDS, numbers(infinite=True, undefined=True))
        parts = fields_of(value, {**ends, "won": numbers(UNKNOWN), **ABOUT}, optional=("won", *ABOUT))
        columns = {name: np.array(parts[name], dtype=np.float64) for name in _ENDS}
        return cls(**parts | columns | ({"won": np.array(parts["won"])} if "won" in parts else {}))


def merge_ends(ends: Ends, starts: Indices) -> Ends:
    """The ends of runs that begin at `starts`; NaN if a class is absent."""
    least, most = np.fmin.reduceat, np.fmax.reduceat
    return least(ends[0], starts), most(ends[1], starts), least(ends[2], starts), most(ends[3], starts)


def has_all_ties(*parts: Bounded) -> bool:
    """Whether every split that ties with a corner is one between segments."""
    return all(ranges is None or ranges.ties or not ranges.mixed.any() for *_, ranges in parts)


def require_ranges(score: Any, pos: Any, neg: Any, ranges: Ranges) -> None:
    """Raise ValueError unless ranges lie inside these segments, of the classes there."""
    low, high, counts = ranges.low, ranges.high, (np.asarray(pos), np.asarray(neg))
    ends = zip(counts, (ranges.ends[:2], ranges.ends[2:]), strict=True)
    if any(end.shape != counts[0].shape for end in ranges.ends) or not np.array_equal(low, score):
        raise ValueError("a segment carries its lowest score")
    if any(((count > 0) == np.isnan(end)).any() for count, both in ends for end in both):
        raise ValueError("a class has ends where it has cases")
    falls = (ranges.pos_low > ranges.pos_high).any() or (ranges.neg_low > ranges.neg_high).any()
    if falls or (low[:-1] <= high[1:]).any():
        raise ValueError("ranges rise, and do not overlap")
    if ranges.won is not None:
        won, both = ranges.won, 2 * counts[0] * counts[1]
        most = both * (1 + _ROUNDING) if both.dtype.kind == "f" else both  # sums of weights round
        if won.shape != both.shape or ((won != UNKNOWN) & ((won < 0) | (won > most))).any():
            raise ValueError("won counts pairs inside a segment")


def groups_of(ends: Ends, pos: Counts, neg: Counts) -> Groups:
    """Segments as ranges of one class each: (low, high, count, positive)."""
    has_pos, has_neg = pos > 0, neg > 0
    low, high, count = (
        np.concatenate([of_pos[has_pos], of_neg[has_neg]])
        for of_pos, of_neg in ((ends[0], ends[2]), (ends[1], ends[3]), (pos, neg))
    )
    return low, high, count, np.repeat([True, False], [has_pos.sum(), has_neg.sum()])


def merge_ranges(
    low: Floats,
    high: Floats,
    count: Counts,
    positive: Flags,
    *,
    won: tuple[Counts, Counts] | None = None,
    rounding: float = 0.0,
) -> Bounded:
    """Segments of groups that each count one class between two scores.

    Groups come in any order and may overlap; those that do become one segment, whose order inside is unknown. A
    segment carries its lowest score. Ranges are None when every segment is one score, as in an exact ranking, unless
    counts are weights whose sums round otherwise in another order.
    `won` gives each group the pairs won in the segment it comes from and the number of that segment; they stay known
    for the two groups of an old segment that meet no others.
    """
    order = np.argsort(low, kind="stable")
    low, high, count, positive = low[order] + 0.0, high[order] + 0.0, count[order], positive[order]
    first = np.ones(low.size, dtype=np.bool_)
    np.greater(low[1:], np.maximum.accumulate(high)[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    classes = positive, ~positive
    pos, neg = (np.add.reduceat(np.where(of, count, 0), starts)[::-1].copy() for of in classes)
    ends: Any = (np.where(of, end, np.nan) for of in classes for end in (low, high))
    pos_low, pos_high, neg_low, neg_high = (end[::-1] for end in merge_ends(tuple(ends), starts))
    ranges = Ranges(pos_low, pos_high, neg_low, neg_high, rounding=rounding)
    score = np.ascontiguousarray(ranges.low)
    if (score == ranges.high).all() and (not rounding or adds_exactly(pos, neg)):
        return score, pos, neg, None
    if won is not None:
        pairs, segment = won[0][order], won[1][order]
        size = np.diff(starts, append=order.size)
        alone = (size == 2) & (np.minimum.reduceat(segment, starts) == np.maximum.reduceat(segment, starts))
        ranges = replace(ranges, won=np.where(alone, pairs[starts], UNKNOWN)[::-1])
    return score, pos, neg, ranges


def merge_segments(*parts: Bounded) -> Bounded:
    """The segments of several rankings' (score, pos, neg, ranges) together."""
    score, pos, neg = (np.concatenate(columns) for columns in zip(*(part[:3] for part in parts), strict=True))
    ends = zip(*((score,) * 4 if ranges is None else ranges.ends for score, _, _, ranges in parts), strict=True)
    pos_low, pos_high, neg_low, neg_high = map(np.concatenate, ends)
    groups = groups_of((pos_low, pos_high, neg_low, neg_high), pos, neg)
    inner = [
        np.full(score.size, UNKNOWN) if ranges is None or ranges.won is None else ranges.won
        for score, _, _, ranges in parts
    ]
    known = any(ranges is not None and ranges.won is not None for *_, ranges in parts)
    segment = np.concatenate([np.flatnonzero(pos > 0), np.flatnonzero(neg > 0)])
    # Each part brings its own rounding, and half a unit for each segment that is added.
    rounding = sum(ranges.rounding for *_, ranges in parts if ranges) + score.size * HALF_ULP
    return merge_ranges(
        *groups,
        won=(np.concatenate(inner)[segment], segment) if known else None,
        rounding=rounding if pos.dtype.kind == "f" else 0.0,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """Counts per block of scores by rising score, with the ends of each class.

    The float64 numbers in rising order can be numbered by integers. A block of level L is 2**L of those numbers that
    begins at a multiple of 2**L; a single score is a block of level 0. Ranges drawn freely would overlap where streams
    meet, and chains of overlaps would swallow everything; of two blocks that meet, one holds the other. (The summary is
    that of Shrivastava et al. 2004, "Medians and beyond", on blocks of floats instead of a known range of integers.)
    """

    start: Integers
    level: Integers
    pos: Counts
    neg: Counts
    pos_low: Floats
    pos_high: Floats
    neg_low: Floats
    neg_high: Floats

    @classmethod
    def of_segments(cls, score: Floats, pos: Counts, neg: Counts) -> Self:
        """Sketch segments by falling score, one block each."""
        score, pos, neg = score[::-1], widen(pos)[::-1], widen(neg)[::-1]
        of_pos, of_neg = np.where(pos > 0, score, np.nan), np.where(neg > 0, score, np.nan)
        bits = np.ascontiguousarray(score).view(np.int64)
        start = bits ^ ((bits >> 63) & np.int64(2**63 - 1))  # the bits of negative numbers fall as the numbers rise
        return cls(start, np.zeros(score.size, np.int64), pos, neg, of_pos, of_pos, of_neg, of_neg)

    @classmethod
    def merge(cls, parts: Sequence[Sketch]) -> Sketch:
        """Add up sketches: blocks that lie in another one become part of it."""
        columns = {part.name: np.concatenate([getattr(each, part.name) for each in parts]) for part in fields(cls)}
        order = np.argsort(columns["start"], kind="stable")
        both = cls(**{name: column[order] for name, column in columns.items()})
        ends = np.maximum.accumulate(both.start | _mask(both.level))
        first = np.ones(len(both), dtype=np.bool_)
        np.greater(both.start[1:], ends[:-1], out=first[1:])
        if first.all():
            return both
        begin = np.flatnonzero(first)
        return both._unite(begin, np.maximum.reduceat(both.level, begin))

    def __len__(self) -> int:
        return int(self.start.size)

    @property
    def exact(self) -> bool:
        """Whether every block is one score."""
        return not self.level.any()

    def compress(self, most: int) -> Sketch:
        """Unite blocks where cases are few, until there are no more than `most`, or 2.

        Each is the largest block whose cases weigh no more than an equal share, so that every count at a threshold
        is known up to such a share. A block that weighs more by itself stays as it is.
        """
        most, sketch = max(most, 2), self
        share = float(self.pos.sum() + self.neg.sum()) / most
        while len(sketch) > most:
            sketch = sketch._compress_to(share)
            share *= 2
        return sketch

    def groups(self) -> Groups:
        """Blocks as ranges of one class each, as `merge_ranges` takes them."""
        return groups_of((self.pos_low, self.pos_high, self.neg_low, self.neg_high), self.pos, self.neg)

    def _compress_to(self, share: float) -> Sketch:
        """Unite blocks, level by level, where their cases weigh no more than `share`."""
        begin = np.arange(len(self))  # of each united block so far, among those of this sketch
        start, level = self.start, self.level
        mass = (self.pos + self.neg).astype(np.float64)
        for higher in range(1, _TOP + 1):
            block = start >> np.int64(higher)
            meets = block[1:] == block[:-1]
            if not meets.any():
                continue
            first = np.concatenate([[True], ~meets])
            at = np.flatnonzero(first)
            weight, size = np.add.reduceat(mass, at), np.diff(at, append=first.size)
            united = (weight <= share) & (size > 1)
            stays = first | ~np.repeat(united, size)
            if stays.all():
                continue
            at = np.flatnonzero(stays)
            mass = np.add.reduceat(mass, at)
            alone = np.diff(at, append=first.size) == 1
            begin, level = begin[at], np.where(alone, level[at], higher)
            start = start[at] & ~_mask(level)
        return self if begin.size == len(self) else self._unite(begin, level)

    def _unite(self, begin: npt.NDArray[np.intp], level: Integers) -> Sketch:
        """One block of this level for each run of blocks that begins here."""
        pos, neg = (np.add.reduceat(counts, begin) for counts in (self.pos, self.neg))
        ends = merge_ends((self.pos_low, self.pos_high, self.neg_low, self.neg_high), begin)
        return Sketch(self.start[begin] & ~_mask(level), level, pos, neg, *ends)


def _plain(number: float) -> float | str | None:
    if np.isnan(number):
        return None
    return number if np.isfinite(number) else str(number)


def _mask(level: Integers) -> Integers:
    """The bits in which the numbers of a block differ."""
    mask: Integers = ~(np.int64(-1) << level)
    return mask
