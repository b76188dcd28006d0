"""`Ranking`: how many positives and negatives share each distinct score. Rankings add."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import (
    EmptyError,
    LengthError,
    MissingValueError,
    NotationError,
    OneClassError,
    WeightError,
)
from thresher.ranking import notation
from thresher.ranking.counting import Counts, Floats, summed
from thresher.ranking.scores import rankable

FORMAT = "thresher/ranking/1"
SEGMENTS_SHOWN = 12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranking:
    """Positives and negatives per distinct score, by falling score.

    Built from counts in any order: they are sorted, equal scores are added up and segments
    without cases vanish. `dropped` counts rows left out on request while reading. Counts are
    int64; they are float64 when rows carry weights.

    >>> spam_tree = Ranking(score=[1, 2, -1], pos=[10, 20, 20], neg=[5, 5, 40])
    >>> spam_tree
    Ranking([20+,5-][10+,5-][20+,40-] at scores 2, 1, -1)
    >>> spam_tree.Pos, spam_tree.Neg, len(spam_tree)
    (50, 50, 3)
    >>> Ranking.parse("[1+][2-]") + Ranking.parse("[3-][1+]")
    Ranking([1+,3-][1+,2-] at scores 2, 1)
    """

    score: Floats
    pos: Counts
    neg: Counts
    dropped: int = 0
    Pos: Any = field(init=False)
    Neg: Any = field(init=False)
    _covered: tuple[Counts, Counts] | None = field(init=False, default=None)

    def __init__(self, score: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike, *, dropped: int = 0) -> None:
        scores, positives, negatives = _checked(score, pos, neg)
        seen = (positives > 0) | (negatives > 0)
        if not seen.any():
            raise EmptyError("there are no cases to rank", _WHERE, "give at least one segment with a count above 0")
        if not seen.all():
            scores, positives, negatives = scores[seen], positives[seen], negatives[seen]
        if not (scores[1:] < scores[:-1]).all():
            scores, positives, negatives = summed(scores, positives, negatives)
        self._fill(scores + 0.0, positives.copy(), negatives.copy(), dropped)

    @classmethod
    def of_segments(cls, score: Floats, pos: Counts, neg: Counts, *, dropped: int = 0) -> Self:
        """Take over arrays that are known to be segments already: falling scores, nothing empty or missing."""
        ranking = cls.__new__(cls)
        ranking._fill(score, pos, neg, dropped)
        return ranking

    @classmethod
    def parse(cls, text: str, *, score: Sequence[float] | None = None) -> Self:
        """Read the notation of segments; without scores they are called m, m-1, ..., 1.

        >>> print(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]))
        [20+,5-][10+,5-][20+,40-]
        """
        pos, neg = notation.counts_in(text)
        return cls(np.arange(pos.size, 0, -1.0) if score is None else score, pos, neg)

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote."""
        if not isinstance(value, Mapping) or value.get("format") != FORMAT or not {"score", "pos", "neg"} <= set(value):
            raise NotationError(
                "this is not a ranking as thresher writes it",
                where="Ranking.from_dict",
                fix=f'give an object with "format": "{FORMAT}" and the lists "score", "pos" and "neg"',
            )
        score = [float(number) for number in value["score"]]
        return cls(score, value["pos"], value["neg"], dropped=int(value.get("dropped", 0)))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            raise NotationError(
                f"this is not JSON: {error}", "Ranking.from_json", "give the text that Ranking.to_json() returned"
            ) from None
        return cls.from_dict(value)

    @property
    def total(self) -> Any:
        """All cases, or their weight."""
        return self.Pos + self.Neg

    @property
    def prevalence(self) -> float:
        """The proportion of positives."""
        return float(self.Pos / self.total)

    @property
    def class_ratio(self) -> float:
        """Pos / Neg; infinite without negatives."""
        return float(self.Pos / self.Neg) if self.Neg else math.inf

    @property
    def weighted(self) -> bool:
        """Whether the counts are weights."""
        return self.pos.dtype.kind == "f"

    def covered(self) -> tuple[Counts, Counts]:
        """Positives and negatives called positive at split 0..m (tp, fp).

        >>> tp, fp = Ranking.parse("[20+,5-][10+,5-][20+,40-]").covered()
        >>> tp.tolist(), fp.tolist()
        ([0, 20, 30, 50], [0, 5, 10, 50])
        """
        if self._covered is None:
            object.__setattr__(self, "_covered", (_running(self.pos, self.Pos), _running(self.neg, self.Neg)))
        assert self._covered is not None  # noqa: S101
        return self._covered

    def thresholds(self) -> Floats:
        """One threshold per split 0..m: midway between neighbouring scores, with ±inf at the ends.

        Every threshold t separates exactly, `lower < t <= upper`, even where neighbouring scores
        are one unit in the last place apart or infinite and a midpoint would round away.

        >>> Ranking([0.8, 0.3], pos=[1, 0], neg=[0, 1]).thresholds()
        array([ inf, 0.55, -inf])
        """
        upper, lower = self.score[:-1], self.score[1:]
        with np.errstate(invalid="ignore"):
            middle = upper / 2 + lower / 2
        middle[np.isinf(upper) & np.isinf(lower)] = 0.0
        middle = np.where((lower < middle) & (middle <= upper), middle, upper)
        return np.concatenate([[np.inf], middle, [-np.inf]])

    def require_both_classes(self, where: str) -> None:
        """Raise `OneClassError` unless there are positives and negatives."""
        if not self.Pos or not self.Neg:
            absent = "positives" if not self.Pos else "negatives"
            raise OneClassError(
                f"there are no {absent} among {self.total:,} cases, and this question needs both classes",
                where=where,
                fix="check which label is positive, or give data with both classes",
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain data; infinite scores become the texts "inf" and "-inf", which JSON can carry."""
        score = [number if math.isfinite(number) else str(number) for number in self.score.tolist()]
        plain = {"format": FORMAT, "score": score, "pos": self.pos.tolist(), "neg": self.neg.tolist()}
        return plain | ({"dropped": self.dropped} if self.dropped else {})

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly.

        >>> r = Ranking.parse("[2+][1-]")
        >>> Ranking.from_json(r.to_json()) == r
        True
        """
        return json.dumps(self.to_dict(), allow_nan=False)

    def __add__(self, other: Ranking) -> Ranking:
        if not isinstance(other, Ranking):
            return NotImplemented
        score, pos, neg = (
            np.concatenate([getattr(self, column), getattr(other, column)]) for column in ("score", "pos", "neg")
        )
        return Ranking.of_segments(*summed(score, pos, neg), dropped=self.dropped + other.dropped)

    def __radd__(self, other: object) -> Ranking:
        # sum(rankings) starts from 0.
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ranking) and all(
            np.array_equal(getattr(self, column), getattr(other, column)) for column in ("score", "pos", "neg")
        )

    def __hash__(self) -> int:
        return hash((len(self), self.Pos, self.Neg))

    def __len__(self) -> int:
        return int(self.score.size)

    def __str__(self) -> str:
        return notation.written(self.pos, self.neg)

    def __repr__(self) -> str:
        if len(self) <= SEGMENTS_SHOWN:
            inside = f"{self} at scores {', '.join(f'{number:g}' for number in self.score)}"
        else:
            ends = notation.written(self.pos[:3], self.neg[:3]), notation.written(self.pos[-3:], self.neg[-3:])
            inside = (
                f"{ends[0]}…{ends[1]}: {len(self):,} segments, {self.Pos:,}+ {self.Neg:,}-, "
                f"scores {self.score[0]:g} to {self.score[-1]:g}"
            )
        dropped = f"; {self.dropped:,} rows dropped" if self.dropped else ""
        return f"Ranking({inside}{dropped})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_columns, (self.score, self.pos, self.neg, self.dropped)

    def _fill(self, score: Floats, pos: Counts, neg: Counts, dropped: int) -> None:
        for column in (score, pos, neg):
            column.flags.writeable = False
        for name, value in {
            "score": score,
            "pos": pos,
            "neg": neg,
            "dropped": dropped,
            "Pos": pos.sum().item(),
            "Neg": neg.sum().item(),
            "_covered": None,
        }.items():
            object.__setattr__(self, name, value)


_WHERE = "Ranking(score, pos, neg)"


def _checked(score: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike) -> tuple[Floats, Counts, Counts]:
    scores = rankable(np.asarray(score), where=_WHERE).astype(np.float64)
    counts = [np.asarray(pos), np.asarray(neg)]
    if any(column.ndim != 1 or column.size != scores.size for column in (scores, *counts)):
        raise LengthError(
            f"score, pos and neg have shapes {scores.shape}, {counts[0].shape} and {counts[1].shape}",
            where=_WHERE,
            fix="give three columns of the same length, one entry per segment",
        )
    if np.isnan(scores).any():
        missing = np.flatnonzero(np.isnan(scores))
        raise MissingValueError(
            f"{missing.size:,} of {scores.size:,} scores are NaN, which has no rank (first at {missing[:5].tolist()})",
            where=_WHERE,
            fix="leave those segments out, or give them a score",
        )
    kind = np.int64 if all(column.dtype.kind in "iub" for column in counts) else np.float64
    positives, negatives = (column.astype(kind) for column in counts)
    for name, column in (("pos", positives), ("neg", negatives)):
        if not (np.isfinite(column) & (column >= 0)).all():
            bad = np.flatnonzero(~(np.isfinite(column) & (column >= 0)))
            raise WeightError(
                f"{name}[{bad[0]}] is {column[bad[0]]}, and a count is finite and not negative",
                where=_WHERE,
                fix="give counts (or summed weights) of 0 or more",
            )
    return scores, positives, negatives


def _running(counts: Counts, total: float) -> Counts:
    out = np.zeros(counts.size + 1, dtype=counts.dtype)
    np.cumsum(counts, out=out[1:])
    np.minimum(out, total, out=out)  # a running sum of weights may round past their total
    out[-1] = total
    out.flags.writeable = False
    return out


def _of_columns(score: Floats, pos: Counts, neg: Counts, dropped: int) -> Ranking:
    return Ranking.of_segments(score, pos, neg, dropped=dropped)
