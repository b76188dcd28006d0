"""Segments known only as score ranges: between which scores the cases of each segment lie.

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


ABOUT: Mapping[str, Reader] = {"corners": flag, "ties": flag, "rounding": number(0)}
UNKNOWN = -1
_ROUNDING = 2.0**-30
_ENDS = ("pos_low", "pos_high", "neg_low", "neg_high")
_TOP = 63  # level of the two largest blocks of a sketch: the numbers below zero, and the others


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """The lowest and highest score of each class in each segment; NaN for a class that is absent.

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
        for part in fields(self):
            if isinstance(column := getattr(self, part.name), np.ndarray):
                column.flags.writeable = False

    @property
    def ends(self) -> tuple[Floats, Floats, Floats, Floats]:
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
        """Twice the pairs won inside each segment (a tie counting one): at least, and at most.

        Where the ranges of the classes only touch, the pairs that are not tied all go the same way.

        >>> one = Ranges(*(np.array([end]) for end in (0.5, 0.7, 0.1, 0.5)))
        >>> one.inner_pairs(np.array([3]), np.array([2]))
        (array([6]), array([12]))
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
        low, high = np.fmin.reduceat, np.fmax.reduceat
        return Ranges(
            low(self.pos_low, starts),
            high(self.pos_high, starts),
            low(self.neg_low, starts),
            high(self.neg_high, starts),
            rounding=self.rounding,
        )

    def reweight(self, pos: float, neg: float) -> Ranges:
        """The same ranges of cases whose positives and negatives are multiplied by two weights.

        Pairs won are multiplied by both.
        """
        won = None if self.won is None else np.where(self.won == UNKNOWN, UNKNOWN, self.won * (pos * neg))
        rounding = self.rounding + float(np.finfo(np.float64).eps)
        return Ranges(*self.ends, won=won, corners=self.corners, ties=self.ties, rounding=rounding)

    def equals(self, other: Ranges) -> bool:
        """Whether both hold the same for every segment."""
        ends = (np.array_equal(a, b, equal_nan=True) for a, b in zip(self.ends, other.ends, strict=True))
        if (self.corners, self.ties) != (other.corners, other.ties):
            return False
        if self.won is None or other.won is None:
            return self.won is other.won and all(ends)
        return all(ends) and np.array_equal(self.won, other.won)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: an absent class has no ends (None), infinite ones are texts."""
        plain: dict[str, Any] = {end: [_plain(number) for number in getattr(self, end).tolist()] for end in _ENDS}
        if self.won is not None:
            plain["won"] = self.won.tolist()
        plain |= {name: True for name in ("corners", "ties") if getattr(self, name)}
        return plain | ({"rounding": self.rounding} if self.rounding else {})

    @classmethod
    def from_dict(cls, value: Any) -> Ranges:
        """Read what `to_dict` wrote; a field that is not so raises `FieldError`."""
        parts = fields_of(
            value,
            {
                **dict.fromkeys(_ENDS, numbers(infinite=True, undefined=True)),
                "won": numbers(UNKNOWN),
                **ABOUT,
            },
            optional=("won", *ABOUT),
        )
        columns = {name: np.array(parts[name], dtype=np.float64) for name in _ENDS}
        return cls(**parts | columns | ({"won": np.array(parts["won"])} if "won" in parts else {}))


Bounded: TypeAlias = tuple[Floats, Counts, Counts, Ranges | None]


def has_all_ties(*parts: Bounded) -> bool:
    """Whether every split that ties with a corner is one between segments: nothing is merged, or `ties` says so.

    >>> has_all_ties((np.array([0.5]), np.array([2]), np.array([0]), None))
    True
    """
    return all(ranges is None or ranges.ties or not ranges.mixed.any() for *_, ranges in parts)


def require_ranges(score: Any, pos: Any, neg: Any, ranges: Ranges) -> None:
    """Raise ValueError unless ranges belong to these segments: inside each, of the classes there, apart from others."""
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


def merge_ranges(
    low: Floats,
    high: Floats,
    count: Counts,
    positive: Flags,
    *,
    won: tuple[Counts, Counts] | None = None,
    rounding: float = 0.0,
) -> Bounded:
    """Segments of groups that each count one class between two scores: (score, pos, neg, ranges) by falling score.

    Groups come in any order and may overlap; those that do become one segment, whose order inside is unknown. A
    segment carries its lowest score. Ranges are None when every segment is one score, as in an exact ranking, unless
    counts are weights whose sums round otherwise in another order.
    `won` belongs to groups as to segments, and stays known for the two groups of an old segment that meet no others.

    >>> low, high = np.array([0.1, 0.6, 0.3]), np.array([0.4, 0.9, 0.7])
    >>> score, pos, neg, ranges = merge_ranges(low, high, np.array([5, 6, 7]), np.array([True, False, False]))
    >>> score, pos, neg, ranges.unresolved
    (array([0.1]), array([5]), array([13]), array([ True]))
    """
    order = np.argsort(low, kind="stable")
    low, high, count, positive = low[order] + 0.0, high[order] + 0.0, count[order], positive[order]
    first = np.ones(low.size, dtype=np.bool_)
    np.greater(low[1:], np.maximum.accumulate(high)[:-1], out=first[1:])
    starts = np.flatnonzero(first)

    def of_class(of: Flags) -> tuple[Counts, Floats, Floats]:
        counts = np.add.reduceat(np.where(of, count, 0), starts)
        there = np.logical_or.reduceat(of, starts)
        least = np.minimum.reduceat(np.where(of, low, np.inf), starts)
        most = np.maximum.reduceat(np.where(of, high, -np.inf), starts)
        return counts[::-1].copy(), np.where(there, least, np.nan)[::-1], np.where(there, most, np.nan)[::-1]

    pos, pos_low, pos_high = of_class(positive)
    neg, neg_low, neg_high = of_class(~positive)
    ranges = Ranges(pos_low, pos_high, neg_low, neg_high, rounding=rounding)
    score = np.ascontiguousarray(ranges.low)
    if (score == ranges.high).all() and (not rounding or adds_exactly(pos, neg)):
        return score, pos, neg, None
    if won is not None:
        inner, segment = won
        ranges = replace(ranges, won=_known_pairs(inner[order], segment[order], starts)[::-1])
    return score, pos, neg, ranges


def merge_segments(*parts: Bounded) -> Bounded:
    """The segments of several rankings' (score, pos, neg, ranges) together; ranges that overlap become one.

    >>> one = np.array([0.5]), np.array([2]), np.array([0]), None
    >>> merge_segments(one, (np.array([0.3]), np.array([0]), np.array([1]), None))[:3]
    (array([0.5, 0.3]), array([2, 0]), array([0, 1]))
    """
    firsts = np.cumsum([0, *(score.size for score, *_ in parts)])[:-1]
    numbered = (_groups(first, *part) for first, part in zip(firsts.tolist(), parts, strict=True))
    low, high, count, positive, won, segment = (np.concatenate(columns) for columns in zip(*numbered, strict=True))
    known = any(part[3] is not None and part[3].won is not None for part in parts)
    rounding = sum(map(_rounding, parts)) if count.dtype.kind == "f" else 0.0
    return merge_ranges(low, high, count, positive, won=(won, segment) if known else None, rounding=rounding)


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """Counts per block of scores by rising score, with the lowest and highest score of each class; NaN if absent.

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
        """Sketch segments by falling score, one block each.

        >>> Sketch.of_segments(np.array([0.5, -1.0]), np.array([2, 0]), np.array([1, 3])).pos_low
        array([nan, 0.5])
        """
        score, pos, neg = score[::-1], widen(pos)[::-1], widen(neg)[::-1]
        of_pos, of_neg = np.where(pos > 0, score, np.nan), np.where(neg > 0, score, np.nan)
        bits = np.ascontiguousarray(score).view(np.int64)
        start = bits ^ ((bits >> 63) & np.int64(2**63 - 1))  # the bits of negative numbers fall as the numbers rise
        return cls(start, np.zeros(score.size, np.int64), pos, neg, of_pos, of_pos, of_neg, of_neg)

    @classmethod
    def merge(cls, parts: Sequence[Sketch]) -> Sketch:
        """Add up sketches: blocks that lie in another one become part of it.

        >>> one = Sketch.of_segments(np.array([0.5]), np.array([2]), np.array([1]))
        >>> Sketch.merge([one, one]).pos
        array([4])
        """
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

        >>> four = Sketch.of_segments(np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 1, 0, 1]), np.array([0, 0, 1, 0]))
        >>> two = four.compress(2)
        >>> two.pos, two.pos_low, two.pos_high
        (array([1, 2]), array([0.6, 0.8]), array([0.6, 0.9]))
        """
        most, sketch = max(most, 2), self
        share = float(self.pos.sum() + self.neg.sum()) / most
        while len(sketch) > most:
            sketch = sketch._compress_to(share)
            share *= 2
        return sketch

    def groups(self) -> tuple[Floats, Floats, Counts, Flags]:
        """Blocks as ranges of one class each: (low, high, count, positive), as `merge_ranges` takes them."""
        has_pos, has_neg = self.pos > 0, self.neg > 0
        return (
            np.concatenate([self.pos_low[has_pos], self.neg_low[has_neg]]),
            np.concatenate([self.pos_high[has_pos], self.neg_high[has_neg]]),
            np.concatenate([self.pos[has_pos], self.neg[has_neg]]),
            np.repeat([True, False], [has_pos.sum(), has_neg.sum()]),
        )

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
        return Sketch(
            start=self.start[begin] & ~_mask(level),
            level=level,
            pos=np.add.reduceat(self.pos, begin),
            neg=np.add.reduceat(self.neg, begin),
            pos_low=np.fmin.reduceat(self.pos_low, begin),
            pos_high=np.fmax.reduceat(self.pos_high, begin),
            neg_low=np.fmin.reduceat(self.neg_low, begin),
            neg_high=np.fmax.reduceat(self.neg_high, begin),
        )


def _rounding(part: Bounded) -> float:
    """What a part adds to the rounding of sums of weights: its own, and half a unit for each segment added."""
    score, _, _, ranges = part
    return (ranges.rounding if ranges else 0.0) + score.size * HALF_ULP


def _groups(
    first: int, score: Floats, pos: Counts, neg: Counts, ranges: Ranges | None
) -> tuple[Floats, Floats, Counts, Flags, Counts, Indices]:
    """The groups that `merge_ranges` makes these segments of: low, high, count, positive, won, number of the segment.

    Numbers begin with `first`.
    """
    has = pos > 0, neg > 0
    ends = (score,) * 4 if ranges is None else ranges.ends
    inner = np.full(score.size, UNKNOWN) if ranges is None or ranges.won is None else ranges.won
    return (
        np.concatenate([ends[0][has[0]], ends[2][has[1]]]),
        np.concatenate([ends[1][has[0]], ends[3][has[1]]]),
        np.concatenate([pos[has[0]], neg[has[1]]]),
        np.repeat([True, False], [has[0].sum(), has[1].sum()]),
        np.concatenate([inner[has[0]], inner[has[1]]]),
        np.concatenate([np.flatnonzero(side) for side in has]) + first,
    )


def _known_pairs(won: Counts, segment: Indices, starts: Indices) -> Counts:
    """What is known of a segment made of both classes of one old segment; nothing of any other."""
    size = np.diff(starts, append=won.size)
    same = (np.minimum.reduceat(segment, starts) == np.maximum.reduceat(segment, starts)) & (size == 2)
    return np.where(same, won[starts], UNKNOWN)


def _plain(number: float) -> float | str | None:
    if np.isnan(number):
        return None
    return number if np.isfinite(number) else str(number)


def _mask(level: Integers) -> Integers:
    """The bits in which the numbers of a block differ."""
    mask: Integers = ~(np.int64(-1) << level)
    return mask
