"""Spans: between which scores the cases of a segment lie, where a ranking counted ranges instead of scores.

A ranking of a billion distinct scores need not name them. It counts ranges that do not overlap, and keeps for
each class the lowest and the highest score that occurs there. Splits between ranges are then exact, and what is
not known is only the order of positives and negatives inside a range that both classes share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

import numpy as np

from thresher._internal.json import Reader, flag, number, numbers
from thresher._internal.json import fields as fields_of
from thresher.ranking.counting import Counts, Flags
from thresher.ranking.pieces import Floats
from thresher.ranking.weights import added_exactly

Indices: TypeAlias = Any


def _exact_numbers(value: Any) -> dict[str, float]:
    names = value if isinstance(value, Mapping) else {}
    return fields_of(value, dict.fromkeys(names, number(infinite=True)))


ABOUT: Mapping[str, Reader] = {
    "corners": flag,
    "ties": flag,
    "rounding": number(0),
    "numbers": _exact_numbers,
}
UNKNOWN = -1
_ROUNDING = 2.0**-30
_ENDS = ("pos_low", "pos_high", "neg_low", "neg_high")


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The lowest and highest score of each class in each segment; NaN for a class that is absent.

    Both ends occur in the data. `won`, where it is known, is twice the pairs that positives win inside a segment
    (ties counting one), and -1 where it is not; None when it is known nowhere. `corners` says that every corner of
    the hull is a split between segments, so that no case inside one lies above the hull of what is known. `ties` says
    that every split that costs as little as a corner, at some costs, is a split between segments too.
    `rounding` bounds the relative error of the counts, which is 0 unless they are sums of weights that an engine
    added in an order of its own. `numbers` holds exact ones of the cases behind these segments by the names of their
    functions, e.g. "average_precision", where somebody saw every case; other segments do not inherit them.
    """

    pos_low: Floats
    pos_high: Floats
    neg_low: Floats
    neg_high: Floats
    won: Counts | None = None
    corners: bool = False
    ties: bool = False
    rounding: float = 0.0
    numbers: Mapping[str, float] = field(default_factory=dict)

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

        >>> one = Spans(*(np.array([end]) for end in (0.5, 0.7, 0.1, 0.5)))
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

    def pooled(self, starts: Indices) -> Spans:
        """The spans of runs of segments that begin at `starts`."""
        low, high = np.fmin.reduceat, np.fmax.reduceat
        return Spans(
            low(self.pos_low, starts),
            high(self.pos_high, starts),
            low(self.neg_low, starts),
            high(self.neg_high, starts),
            rounding=self.rounding,
        )

    def weighted(self, pos: float, neg: float) -> Spans:
        """The same spans of cases whose positives and negatives are multiplied by two weights.

        Pairs won are multiplied by both; `numbers` of the cases behind the segments may depend on the mix, and go.
        """
        won = None if self.won is None else np.where(self.won == UNKNOWN, UNKNOWN, self.won * (pos * neg))
        rounding = self.rounding + float(np.finfo(np.float64).eps)
        return Spans(*self.ends, won=won, corners=self.corners, ties=self.ties, rounding=rounding)

    def same_as(self, other: Spans) -> bool:
        """Whether both say the same of every segment."""
        ends = (np.array_equal(a, b, equal_nan=True) for a, b in zip(self.ends, other.ends, strict=True))
        if (self.corners, self.ties) != (other.corners, other.ties) or dict(self.numbers) != dict(other.numbers):
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
        if self.numbers:
            plain["numbers"] = {name: _plain(number) for name, number in self.numbers.items()}
        return plain | ({"rounding": self.rounding} if self.rounding else {})

    @classmethod
    def from_dict(cls, value: Any) -> Spans:
        """Read what `to_dict` wrote; a field that is not so raises `FieldError`."""
        known = fields_of(
            value,
            {
                **dict.fromkeys(_ENDS, numbers(infinite=True, undefined=True)),
                "won": numbers(UNKNOWN),
                **ABOUT,
            },
            optional=("won", *ABOUT),
        )
        columns = {name: np.array(known[name], dtype=np.float64) for name in _ENDS}
        return cls(**known | columns | ({"won": np.array(known["won"])} if "won" in known else {}))


Bounded: TypeAlias = tuple[Floats, Counts, Counts, Spans | None]


def kept_number(spans: Spans | None, name: str) -> float | None:
    """An exact number of the cases behind ranges of scores, where somebody saw them all; None where none is kept.

    >>> kept_number(None, "average_precision") is None
    True
    """
    return None if spans is None else spans.numbers.get(name)


def ties_kept(*parts: Bounded) -> bool:
    """Whether every split that ties with a corner is one between segments: nothing is pooled, or `ties` says so.

    >>> ties_kept((np.array([0.5]), np.array([2]), np.array([0]), None))
    True
    """
    return all(spans is None or spans.ties or not spans.mixed.any() for *_, spans in parts)


def require_spans(score: Any, pos: Any, neg: Any, spans: Spans) -> None:
    """Raise ValueError unless spans belong to these segments: inside each, of the classes there, apart from others."""
    low, high, counts = spans.low, spans.high, (np.asarray(pos), np.asarray(neg))
    ends = zip(counts, (spans.ends[:2], spans.ends[2:]), strict=True)
    if any(end.shape != counts[0].shape for end in spans.ends) or not np.array_equal(low, score):
        raise ValueError("a segment carries its lowest score")
    if any(((count > 0) == np.isnan(end)).any() for count, both in ends for end in both):
        raise ValueError("a class has ends where it has cases")
    if (spans.pos_low > spans.pos_high).any() or (spans.neg_low > spans.neg_high).any() or (low[:-1] <= high[1:]).any():
        raise ValueError("ranges rise, and do not overlap")
    if spans.won is not None:
        won, both = spans.won, 2 * counts[0] * counts[1]
        most = both * (1 + _ROUNDING) if both.dtype.kind == "f" else both  # sums of weights round
        if won.shape != both.shape or ((won != UNKNOWN) & ((won < 0) | (won > most))).any():
            raise ValueError("won counts pairs inside a segment")


def resolved(
    low: Floats,
    high: Floats,
    count: Counts,
    positive: Flags,
    *,
    won: tuple[Counts, Counts] | None = None,
    rounding: float = 0.0,
) -> Bounded:
    """Segments of groups that each count one class between two scores: (score, pos, neg, spans) by falling score.

    Groups come in any order and may overlap; those that do become one segment, whose order inside is unknown. A
    segment carries its lowest score. Spans are None when every segment is one score, as in an exact ranking, unless
    counts are weights whose sums round otherwise in another order.
    `won` belongs to groups as to segments, and stays known for the two groups of an old segment that meet no others.

    >>> low, high = np.array([0.1, 0.6, 0.3]), np.array([0.4, 0.9, 0.7])
    >>> score, pos, neg, spans = resolved(low, high, np.array([5, 6, 7]), np.array([True, False, False]))
    >>> score, pos, neg, spans.unresolved
    (array([0.1]), array([5]), array([13]), array([ True]))
    """
    order = np.argsort(low, kind="stable")
    low, high, count, positive = low[order] + 0.0, high[order] + 0.0, count[order], positive[order]
    first = np.ones(low.size, dtype=np.bool_)
    np.greater(low[1:], np.maximum.accumulate(high)[:-1], out=first[1:])
    starts = np.flatnonzero(first)

    def of_class(mine: Flags) -> tuple[Counts, Floats, Floats]:
        counts = np.add.reduceat(np.where(mine, count, 0), starts)
        there = np.logical_or.reduceat(mine, starts)
        least = np.minimum.reduceat(np.where(mine, low, np.inf), starts)
        most = np.maximum.reduceat(np.where(mine, high, -np.inf), starts)
        return counts[::-1].copy(), np.where(there, least, np.nan)[::-1], np.where(there, most, np.nan)[::-1]

    pos, pos_low, pos_high = of_class(positive)
    neg, neg_low, neg_high = of_class(~positive)
    spans = Spans(pos_low, pos_high, neg_low, neg_high, rounding=rounding)
    score = np.ascontiguousarray(spans.low)
    if (score == spans.high).all() and (not rounding or added_exactly(pos, neg)):
        return score, pos, neg, None
    if won is not None:
        inner, segment = won
        spans = replace(spans, won=_still_known(inner[order], segment[order], starts)[::-1])
    return score, pos, neg, spans


def joined(*parts: Bounded) -> Bounded:
    """The segments of several rankings' (score, pos, neg, spans) together; ranges that overlap become one.

    >>> one = np.array([0.5]), np.array([2]), np.array([0]), None
    >>> joined(one, (np.array([0.3]), np.array([0]), np.array([1]), None))[:3]
    (array([0.5, 0.3]), array([2, 0]), array([0, 1]))
    """
    firsts = np.cumsum([0, *(score.size for score, *_ in parts)])[:-1]
    numbered = (_groups(first, *part) for first, part in zip(firsts.tolist(), parts, strict=True))
    low, high, count, positive, won, segment = (np.concatenate(columns) for columns in zip(*numbered, strict=True))
    known = any(part[3] is not None and part[3].won is not None for part in parts)
    rounding = sum(map(_rounding, parts)) if count.dtype.kind == "f" else 0.0
    return resolved(low, high, count, positive, won=(won, segment) if known else None, rounding=rounding)


def _rounding(part: Bounded) -> float:
    """What a part adds to the rounding of sums of weights: its own, and half a unit for each segment added."""
    score, _, _, spans = part
    return (spans.rounding if spans else 0.0) + score.size * 2.0**-53


def _groups(
    first: int, score: Floats, pos: Counts, neg: Counts, spans: Spans | None
) -> tuple[Floats, Floats, Counts, Flags, Counts, Indices]:
    """The groups that `resolved` would make these segments of: low, high, count, positive, won, number of the segment.

    Numbers begin with `first`.
    """
    has = pos > 0, neg > 0
    ends = (score,) * 4 if spans is None else spans.ends
    inner = np.full(score.size, UNKNOWN) if spans is None or spans.won is None else spans.won
    return (
        np.concatenate([ends[0][has[0]], ends[2][has[1]]]),
        np.concatenate([ends[1][has[0]], ends[3][has[1]]]),
        np.concatenate([pos[has[0]], neg[has[1]]]),
        np.repeat([True, False], [has[0].sum(), has[1].sum()]),
        np.concatenate([inner[has[0]], inner[has[1]]]),
        np.concatenate([np.flatnonzero(side) for side in has]) + first,
    )


def _still_known(won: Counts, segment: Indices, starts: Indices) -> Counts:
    """What is known of a segment made of both classes of one old segment; nothing of any other."""
    size = np.diff(starts, append=won.size)
    same = (np.minimum.reduceat(segment, starts) == np.maximum.reduceat(segment, starts)) & (size == 2)
    return np.where(same, won[starts], UNKNOWN)


def _plain(number: float) -> float | str | None:
    if np.isnan(number):
        return None
    return number if np.isfinite(number) else str(number)
