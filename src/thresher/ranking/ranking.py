"""`Ranking`: positives and negatives per distinct score. Rankings add."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import as_number, describe, require_between
from thresher._internal.json import FieldError, json_value, not_written, number, numbers, or_none, read_object, text
from thresher._internal.parallel import parallel_map, threads_for
from thresher._internal.results import Tabular
from thresher.errors import (
    ArgumentError,
    EmptyError,
    PositiveLabelError,
    ProbabilityError,
    ThresherError,
    require_both_classes,
)
from thresher.ranking import checks, notation
from thresher.ranking.ranges import Ranges, merge_ranges, merge_segments, require_ranges
from thresher.ranking.sorting import Array, Counts, Flags, Floats, count_rows, sum_by_score
from thresher.ranking.thresholds import LARGEST, midway, require_split, separating_thresholds
from thresher.ranking.weights import EXACT_INTEGERS, in_units, running_total, total_of, widen

FORMAT = "thresher/ranking/1"
_KIND: dict[str, Any] = {"of": "Ranking", "kind": "a ranking"}
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Margins(Tabular):
    """Scores of positives and negatives, their margins, and the cases of each."""

    score: Floats
    positive: Flags
    margin: Floats
    cases: Counts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranking(Tabular):
    """Positives and negatives per distinct score, by falling score.

    Built from counts in any order: they are sorted, equal scores are added up and segments without cases vanish.
    `dropped` counts rows left out on request while reading. `Pos`, `Neg` and `total` count all cases. Counts are int64,
    and float64 in a `weighted` ranking; `narrow` holds them as (pos, neg), in fewer bytes where rows were counted.
    `ranges` is None in an exact ranking; where ranges of scores were counted, it says between which scores the cases
    of each segment lie, and where an engine added up weights, how far their sums may have rounded. `positive` is the
    positive label as a text, where labels were counted; rankings of different ones do not add.

    >>> spam_tree = Ranking(score=[1, 2, -1], pos=[10, 20, 20], neg=[5, 5, 40])
    >>> spam_tree
    Ranking([20+,5-][10+,5-][20+,40-] at scores 2, 1, -1)
    >>> spam_tree.Pos, spam_tree.Neg, len(spam_tree)
    (50, 50, 3)
    >>> Ranking.parse("[1+][2-]") + Ranking.parse("[3-][1+]")
    Ranking([1+,3-][1+,2-] at scores 2, 1)
    """

    score: Floats
    narrow: tuple[Counts, Counts] = field(init=False)
    dropped: int = 0
    ranges: Ranges | None = None
    positive: str | None = None
    Pos: Any = field(init=False)
    Neg: Any = field(init=False)
    total: Any = field(init=False)
    weighted: bool = field(init=False)
    _high: Floats = field(init=False)
    _memory: dict[str, Any] = field(init=False)

    def __init__(self, score: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike, *, dropped: int = 0) -> None:
        scores, positives, negatives = checks.check_segments(score, pos, neg)
        seen = (positives > 0) | (negatives > 0)
        if not seen.any():
            raise EmptyError("there are no cases to rank", "give a count above 0")
        if not seen.all():
            scores, positives, negatives = scores[seen], positives[seen], negatives[seen]
        if not (scores[1:] < scores[:-1]).all():
            scores, positives, negatives = sum_by_score(scores, positives, negatives)
        self._fill(scores + 0.0, positives.copy(), negatives.copy(), dropped=dropped)

    @classmethod
    def count(cls, positive: Flags, scores: Array, weights: Floats | None = None, *, dropped: int = 0) -> Self:
        """Count rows: flags of the positives, scores without NaN, and weights above 0.

        >>> import numpy as np
        >>> Ranking.count(np.array([True, False, True]), np.array([0.9, 0.2, 0.2]))
        Ranking([1+][1+,1-] at scores 0.9, 0.2)
        """
        return cls.of_segments(*count_rows(positive, scores, weights), dropped=dropped)

    @classmethod
    def of_segments(
        cls,
        score: Floats,
        pos: Counts,
        neg: Counts,
        *,
        dropped: int = 0,
        ranges: Ranges | None = None,
        positive: str | None = None,
    ) -> Self:
        """Take over arrays that are segments: falling scores, none empty or missing."""
        ranking = cls.__new__(cls)
        ranking._fill(score, pos, neg, dropped=dropped, ranges=ranges, positive=positive)
        return ranking

    def with_positive(self, label: Any) -> Self:
        """The same, knowing which label its positives have; None stands for 1 and True.

        >>> Ranking.parse("[2+][1-]").with_positive("spam").positive
        'spam'
        """
        return self.of_segments(
            self.score, *self.narrow, dropped=self.dropped, ranges=self.ranges, positive=_label_text(label)
        )

    @classmethod
    def of_ranges(
        cls,
        low: npt.ArrayLike,
        high: npt.ArrayLike,
        *,
        pos: npt.ArrayLike,
        neg: npt.ArrayLike,
        dropped: int = 0,
        rounding: float = 0.0,
    ) -> Self:
        """Count cases by range: their lowest score is `low` and their highest `high`.

        Give each class its own ranges, in any order. Those that overlap become one segment, in which the order
        of the classes is not known: `unresolved` says which, and `bounds` what that leaves open. `rounding` bounds
        the relative error of counts that are sums of weights, which others may have added in another order.

        >>> bounded = Ranking.of_ranges([0.6, 0.1, 0.5], [0.9, 0.4, 0.7], pos=[3, 2, 0], neg=[0, 0, 4])
        >>> bounded
        Ranking([3+,4-][2+] at scores 0.5, 0.1; 1 unresolved)
        >>> bounded.interval(1)  # thresholds that split no range
        (0.4, 0.5)
        """
        *columns, ranges = merge_ranges(*checks.check_ranges(low, high, pos, neg), rounding=rounding)
        return cls.of_segments(*columns, dropped=dropped, ranges=ranges)

    @classmethod
    def parse(cls, text: str, *, score: Sequence[float] | None = None) -> Self:
        """Read the notation of segments; without scores they are called m, m-1, ..., 1.

        >>> print(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]))
        [20+,5-][10+,5-][20+,40-]
        """
        pos, neg = notation.parse_counts(text)
        return cls(np.arange(pos.size, 0, -1.0) if score is None else score, pos, neg)

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote."""
        fields = read_object(value, _READERS, form=FORMAT, optional=("dropped", "spans", "positive"), **_KIND)
        score, pos, neg, ranges = fields["score"], fields["pos"], fields["neg"], fields.get("spans")
        positive = fields.get("positive")
        try:
            ranking = cls(score, pos, neg, dropped=fields.get("dropped", 0))
            if ranges is not None:
                require_ranges(score, pos, neg, ranges)
        except ThresherError as error:
            raise not_written(f'of "score", "pos" and "neg", {error.what}', **_KIND) from None
        except ValueError as error:
            raise not_written(f'"spans" do not fit "score", "pos" and "neg" ({error})', **_KIND) from None
        return cls.of_segments(
            ranking.score, ranking.pos, ranking.neg, dropped=ranking.dropped, ranges=ranges, positive=positive
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(json_value(text, name="Ranking"))

    @classmethod
    def from_parquet(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `to_parquet` wrote."""
        from thresher.sources.storage import read_parquet

        ranking: Any = read_parquet(path)
        return ranking

    @property
    def pos(self) -> Counts:
        """Positives per segment."""
        return self.remember("pos", lambda: widen(self.narrow[0]))

    @property
    def neg(self) -> Counts:
        """Negatives per segment."""
        return self.remember("neg", lambda: widen(self.narrow[1]))

    @property
    def prevalence(self) -> float:
        """The proportion of positives."""
        return float(self.Pos / self.total)

    @property
    def class_ratio(self) -> float:
        """Pos / Neg; infinite without negatives."""
        return float(self.Pos / self.Neg) if self.Neg else math.inf

    @property
    def exact(self) -> bool:
        """Whether every segment is one score."""
        return self.ranges is None or bool((self.score == self._high).all())

    @property
    def unresolved(self) -> Flags:
        """Segments in which the order of positives and negatives is not known."""
        return np.zeros(len(self), dtype=np.bool_) if self.ranges is None else self.ranges.unresolved

    def covered(self) -> tuple[Counts, Counts]:
        """Positives and negatives called positive at split 0..m (tp, fp).

        >>> tp, fp = Ranking.parse("[20+,5-][10+,5-][20+,40-]").covered()
        >>> tp.tolist(), fp.tolist()
        ([0, 20, 30, 50], [0, 5, 10, 50])
        """
        classes = tuple(zip(self.narrow, (self.Pos, self.Neg), strict=True))
        threads = threads_for(len(self))
        tp, fp = self.remember("covered", lambda: parallel_map(lambda one: running_total(*one), classes, threads))
        return tp, fp

    def uncovered(self, split: Any = slice(None)) -> tuple[Any, Any]:
        """Positives and negatives called negative at split 0..m (fn, tn), or at some.

        Weights are added up from the last segment: as total minus tp, small ones would be lost to rounding.

        >>> fn, tn = Ranking.parse("[20+,5-][10+,5-][20+,40-]").uncovered()
        >>> fn.tolist(), tn.tolist()
        ([50, 30, 20, 0], [50, 45, 40, 0])
        """
        if not self.weighted:
            tp, fp = self.covered()
            return self.Pos - tp[split], self.Neg - fp[split]
        classes = tuple(zip(self.narrow, (self.Pos, self.Neg), strict=True))
        fn, tn = self.remember("uncovered", lambda: [running_total(w[::-1], total)[::-1] for w, total in classes])
        return fn[split], tn[split]

    def runs(self, split: npt.NDArray[np.intp]) -> tuple[Counts, Counts]:
        """Positives and negatives between splits, the first of which is 0, the last m.

        >>> import numpy as np
        >>> Ranking.parse("[20+,5-][10+,5-][20+,40-]").runs(np.array([0, 2, 3]))
        (array([30, 20]), array([10, 40]))
        """
        if split.size == len(self) + 1:
            return self.pos, self.neg
        if not self.weighted:
            return np.diff(self.covered()[0][split]), np.diff(self.covered()[1][split])
        # Added up run by run: differences of running sums would lose the weights that are small.
        return np.add.reduceat(self.narrow[0], split[:-1]), np.add.reduceat(self.narrow[1], split[:-1])

    def thresholds(self) -> Floats:
        """One threshold per split 0..m: midway between scores, ±inf at the ends.

        Every threshold t separates exactly, `lower < t <= upper`, even where neighbouring scores
        are one unit in the last place apart or infinite and a midpoint would round away.

        >>> Ranking([0.8, 0.3], pos=[1, 0], neg=[0, 1]).thresholds()
        array([ inf, 0.55, -inf])
        """
        return self.remember("thresholds", lambda: separating_thresholds(self.score, self._high))

    def interval(self, split: int) -> tuple[float, float]:
        """All thresholds of one split, as (lower, upper): lower < t <= upper.

        A threshold of +inf calls nothing positive, so it belongs to split 0 alone, also where a score is +inf.

        >>> Ranking([0.8, 0.3], pos=[1, 0], neg=[0, 1]).interval(1)
        (0.3, 0.8)
        """
        require_split(split, len(self) + 1)
        lower = min(float(self._high[split]), LARGEST) if split < len(self) else -math.inf
        return lower, min(float(self.score[split - 1]), LARGEST) if split else math.inf

    def threshold(self, split: int) -> float:
        """The threshold of one split, as in `thresholds`."""
        require_split(split, len(self) + 1)
        if split in (0, len(self)):
            return math.inf if split == 0 else -math.inf
        return float(midway(self.score[split - 1 : split], self._high[split : split + 1])[0])

    def margins(self, *, boundary: float = 0.0) -> Margins:
        """How far cases lie on the right side of a boundary: below 0 on the wrong one.

        A row per class and score that has cases, positives first: score - `boundary` of positives, `boundary` - score
        of negatives.

        >>> Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]).margins().margin.tolist()
        [2.0, 1.0, -1.0, -2.0, -1.0, 1.0]
        """
        fix = "give the score where the sign turns, e.g. 0.5"
        at = require_between(boundary, -math.inf, math.inf, name="boundary", fix=fix)
        pos, neg = np.flatnonzero(self.pos), np.flatnonzero(self.neg)
        score = np.concatenate([self.score[pos], self.score[neg]])
        positive = np.arange(score.size) < pos.size
        margin = np.where(positive, score - at, at - score) + 0.0
        return Margins(score, positive, margin, np.concatenate([self.pos[pos], self.neg[neg]]))

    def at_class_ratio(self, class_ratio: float) -> Ranking:
        """The same cases, weighted by class so that Pos / Neg is `class_ratio`.

        The total and rates within a class stay; precision, the Brier score and what else depends on the mix change.

        >>> rare = Ranking.parse("[20+,5-][10+,5-][20+,40-]").at_class_ratio(1 / 9)
        >>> round(rare.prevalence, 10), rare.total
        (0.1, 100.0)
        """
        if not 0 < as_number(class_ratio) < math.inf:
            fix = "give Pos / Neg at deployment, e.g. 0.01 for one positive per hundred negatives"
            raise ArgumentError(f"class_ratio must be above 0 and finite, got {class_ratio!r}", fix)
        self.require_both_classes()
        if class_ratio == self.class_ratio:
            return self
        up = self.total * (class_ratio / (1 + class_ratio)) / self.Pos
        down = self.total * (1 / (1 + class_ratio)) / self.Neg
        ranges = None if self.ranges is None else self.ranges.reweight(up, down)
        return Ranking.of_segments(self.score, self.pos * up, self.neg * down, dropped=self.dropped, ranges=ranges)

    def in_units(self) -> Ranking:
        """The same segments in integer counts of a common unit, if weights have one.

        Sums of weights such as 0.1 round; counted in tenths they are compared as exactly as rows are.

        >>> weighted = Ranking([2, 1], pos=[0.1 + 0.2, 0.0], neg=[0.0, 0.5])
        >>> weighted, weighted.in_units()
        (Ranking([0.30000000000000004+][0.5-] at scores 2, 1), Ranking([3+][5-] at scores 2, 1))
        """
        counts = self.remember("in_units", lambda: in_units(self.pos, self.neg)) if self.weighted else None
        if counts is None:
            return self
        ranges = None if self.ranges is None else Ranges(*self.ranges.ends)
        return Ranking.of_segments(self.score, *counts, dropped=self.dropped, ranges=ranges)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; infinite scores become the texts "inf" and "-inf"."""
        scores = [score if math.isfinite(score) else str(score) for score in self.score.tolist()]
        plain: dict[str, Any] = {"format": FORMAT, "score": scores, "pos": self.pos.tolist(), "neg": self.neg.tolist()}
        plain |= {"dropped": self.dropped} if self.dropped else {}
        plain |= {} if self.positive is None else {"positive": self.positive}
        return plain | ({} if self.ranges is None else {"spans": self.ranges.to_dict()})

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly.

        >>> ranking = Ranking.parse("[2+][1-]")
        >>> Ranking.from_json(ranking.to_json()) == ranking
        True
        """
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write a Parquet file, atomically, that `from_parquet` reads back exactly.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     for day in ("monday", "tuesday"):
        ...         Ranking.parse("[20+,5-][10+,5-][20+,40-]").to_parquet(Path(folder, f"{day}.parquet"))
        ...     sum(Ranking.from_parquet(path) for path in Path(folder).iterdir())
        Ranking([40+,10-][20+,10-][40+,80-] at scores 3, 2, 1)
        """
        from thresher.sources.storage import write_parquet

        write_parquet(self, path)

    def to_html(self, path: str | os.PathLike[str], **words: Any) -> None:
        """Write the lessons of a small ranking as a page, with the words of `classroom`.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     Ranking.parse("[20+,5-][10+,5-]").to_html(f"{folder}/lesson.html", positive="spam", negative="ham")
        """
        from thresher.report import classroom

        classroom(self, path, **words)

    def remember(self, name: str, make: Callable[[], T]) -> T:
        """What follows from the ranking alone, made when first asked for."""
        if name not in self._memory:
            self._memory[name] = make()
        value: T = self._memory[name]
        return value

    def require_both_classes(self) -> None:
        """Raise `OneClassError` unless there are positives and negatives."""
        require_both_classes(self.Pos, self.Neg)

    def require_probabilities(self) -> None:
        """Raise `ProbabilityError` unless every score lies in [0, 1]."""
        low, high = self.score, self._high
        if high[0] > 1 or low[-1] < 0:
            outside = np.where(low < 0, low, high)[(high > 1) | (low < 0)]
            which = f"{outside.size:,} of {low.size:,} distinct scores lie outside [0, 1]"
            first = ", ".join(f"{number:g}" for number in outside[:5])
            what = f"{which} (first {first}), and this question needs probabilities"
            raise ProbabilityError(what, "map them to probabilities first, e.g. with calibration_map(ranking)")

    def __add__(self, other: Ranking) -> Ranking:
        if not isinstance(other, Ranking):
            return NotImplemented
        checks.require_safe_total(self.total + other.total)
        positive = require_same_positive(self, other)
        dropped = self.dropped + other.dropped
        if self.ranges is None and other.ranges is None and not (self.weighted or other.weighted):
            both = zip((self.score, self.pos, self.neg), (other.score, other.pos, other.neg), strict=True)
            return Ranking.of_segments(*sum_by_score(*map(np.concatenate, both)), dropped=dropped, positive=positive)
        *columns, ranges = merge_segments(*((each.score, each.pos, each.neg, each.ranges) for each in (self, other)))
        return Ranking.of_segments(*columns, dropped=dropped, ranges=ranges, positive=positive)

    def __radd__(self, other: object) -> Ranking:
        return self if other == 0 else NotImplemented  # sum(rankings) starts from 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking) or (self.ranges is None) != (other.ranges is None):
            return False
        columns = zip((self.score, *self.narrow), (other.score, *other.narrow), strict=True)
        same_ranges = self.ranges is None or other.ranges is None or self.ranges.equals(other.ranges)
        return same_ranges and all(np.array_equal(own, theirs) for own, theirs in columns)

    def __hash__(self) -> int:
        return hash((len(self), self.Pos, self.Neg))

    def __len__(self) -> int:
        return int(self.score.size)

    def __str__(self) -> str:
        return notation.write_ends(self.pos, self.neg)

    def _brief(self) -> str:
        open_ones = int(self.unresolved.sum())
        return notation.summarize(self.score, self.pos, self.neg, dropped=self.dropped, unresolved=open_ones)

    def _columns(self) -> dict[str, Any]:
        return {"score": self.score, "pos": self.pos, "neg": self.neg}

    def _repr_html_(self) -> str:
        from thresher.report.notebook import ranking_html

        return ranking_html(self)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.score, *self.narrow, self.dropped, self.ranges, self.positive  # what is remembered follows from it

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        score, pos, neg, dropped, ranges, positive = state
        self._fill(score, pos, neg, dropped=dropped, ranges=ranges, positive=positive)

    def _fill(
        self,
        score: Floats,
        pos: Counts,
        neg: Counts,
        *,
        dropped: int,
        ranges: Ranges | None = None,
        positive: str | None = None,
    ) -> None:
        for column in (score, pos, neg):
            column.flags.writeable = False
        Pos, Neg = total_of(pos), total_of(neg)
        high = score if ranges is None else ranges.high
        checks.require_a_threshold_below_infinity(score, high)
        for name, value in {
            "score": score,
            "narrow": (pos, neg),
            "dropped": dropped,
            "ranges": ranges,
            "positive": positive,
            "Pos": Pos,
            "Neg": Neg,
            "total": Pos + Neg,
            "weighted": pos.dtype.kind == "f",
            "_high": high,
            "_memory": {},
        }.items():
            object.__setattr__(self, name, value)


def require_same_positive(*rankings: Ranking) -> str | None:
    """The label of the positives; refuses rankings that know different ones.

    >>> require_same_positive(Ranking.parse("[2+][1-]"), Ranking.parse("[1+]").with_positive(True))
    '1'
    """
    known = list(dict.fromkeys(ranking.positive for ranking in rankings if ranking.positive is not None))
    if len(known) > 1:
        what = f"positives are {known[0]!r} in one ranking and {known[1]!r} in another"
        raise PositiveLabelError(what, "count all parts with the same positive label")
    return known[0] if known else None


def _label_text(label: Any) -> str:
    """A label as a text that is the same for 1, 1.0, True and "true"."""
    if label is None:
        return "1"
    if isinstance(label, float | np.floating) and float(label).is_integer():
        return str(int(label))
    return {"true": "1", "false": "0"}.get(str(label).casefold(), str(label))


def require_ranking(value: Any, *, both_classes: bool = False, probabilities: bool = False) -> None:
    """Raise unless `value` is a ranking, with both classes or probabilities if needed.

    >>> require_ranking([0.9, 0.2])
    Traceback (most recent call last):
    thresher.errors.ArgumentError: a ranking is needed, got the list [0.9, 0.2]
      where: require_ranking(value)
      fix:   pass rank(labels, scores)
    """
    if not isinstance(value, Ranking):
        fix = "pass rank(labels, scores)"
        if isinstance(value, str):
            fix = 'pass Ranking.parse("[20+,5-][10+,5-]") for segments, or scan(path, label=..., score=...) for a file'
        elif type(value).__name__ == "Segments":
            fix = "pass segments.ranking(name), one class against the rest"
        raise ArgumentError(f"a ranking is needed, got {describe(value)}", fix)
    if both_classes:
        value.require_both_classes()
    if probabilities:
        value.require_probabilities()


def require_rankings(value: Any, *, least: int = 1) -> None:
    """Raise unless `value` maps names to at least so many rankings of both classes."""
    if not isinstance(value, Mapping) or len(value) < least:
        what = f"rankings by name are needed, {least} or more, got {describe(value)}"
        raise ArgumentError(what, 'pass {"a": ranking, "b": ranking}', parameter="rankings")
    for ranking in value.values():
        require_ranking(ranking, both_classes=True)


def _scores(value: Any) -> list[float]:
    scores = numbers(infinite=True)(value)
    if rounded := [score for score in scores if type(score) is int and abs(score) > EXACT_INTEGERS]:
        raise FieldError(f"must be numbers that a float64 holds, got {rounded[0]}")
    return scores


_READERS = {
    "score": _scores,
    "pos": numbers(0),
    "neg": numbers(0),
    "dropped": number(0, integer=True),
    "spans": or_none(Ranges.from_dict),
    "positive": text,
}
