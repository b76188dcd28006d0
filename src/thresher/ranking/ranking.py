"""`Ranking`: how many positives and negatives share each distinct score. Rankings add."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError, EmptyError, require_both_classes
from thresher.ranking import notation, segments
from thresher.ranking.counting import Counts, Flags, summed
from thresher.ranking.kept import Kept
from thresher.ranking.numbers import as_number
from thresher.ranking.pieces import Floats, side_by_side
from thresher.ranking.spans import Spans, joined, resolved
from thresher.ranking.thresholds import LARGEST, midway, require_split, separating
from thresher.ranking.weights import running, sum_of, wide

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranking(Kept):
    """Positives and negatives per distinct score, by falling score.

    Built from counts in any order: they are sorted, equal scores are added up and segments
    without cases vanish. `dropped` counts rows left out on request while reading. Counts are
    int64; they are float64 when rows carry weights. `narrow` holds them as (pos, neg), in fewer
    bytes where rows were counted. `spans` is None in an exact ranking; where ranges of scores were
    counted, it says between which scores the cases of each segment lie, and where an engine added up
    weights, how far their sums may have rounded.

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
    spans: Spans | None = None
    Pos: Any = field(init=False)
    Neg: Any = field(init=False)
    _memory: dict[str, Any] = field(init=False)

    def __init__(self, score: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike, *, dropped: int = 0) -> None:
        scores, positives, negatives = segments.checked(score, pos, neg)
        seen = (positives > 0) | (negatives > 0)
        if not seen.any():
            raise EmptyError("there are no cases to rank", "give a count above 0")
        if not seen.all():
            scores, positives, negatives = scores[seen], positives[seen], negatives[seen]
        if not (scores[1:] < scores[:-1]).all():
            scores, positives, negatives = summed(scores, positives, negatives)
        self._fill(scores + 0.0, positives.copy(), negatives.copy(), dropped)

    @classmethod
    def of_segments(
        cls, score: Floats, pos: Counts, neg: Counts, *, dropped: int = 0, spans: Spans | None = None
    ) -> Self:
        """Take over arrays that are known to be segments already: falling scores, nothing empty or missing."""
        ranking = cls.__new__(cls)
        ranking._fill(score, pos, neg, dropped, spans)
        return ranking

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
        """Count ranges instead of scores: so many cases whose lowest score is `low` and whose highest is `high`.

        Give each class ranges of its own, in any order. Those that overlap become one segment, in which the order
        of the classes is not known: `unresolved` says which, and e.g. `auc_bounds` what that leaves open. `rounding`
        bounds the relative error of counts that are sums of weights, which others may have added in another order.

        >>> bounded = Ranking.of_ranges([0.6, 0.1, 0.5], [0.9, 0.4, 0.7], pos=[3, 2, 0], neg=[0, 0, 4])
        >>> bounded
        Ranking([3+,4-][2+] at scores 0.5, 0.1; 1 unresolved)
        >>> bounded.interval(1)  # thresholds that split no range
        (0.4, 0.5)
        """
        *columns, spans = resolved(*segments.checked_ranges(low, high, pos, neg), rounding=rounding)
        return cls.of_segments(*columns, dropped=dropped, spans=spans)

    @classmethod
    def parse(cls, text: str, *, score: Sequence[float] | None = None) -> Self:
        """Read the notation of segments; without scores they are called m, m-1, ..., 1.

        >>> print(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]))
        [20+,5-][10+,5-][20+,40-]
        """
        pos, neg = notation.counts_in(text)
        return cls(np.arange(pos.size, 0, -1.0) if score is None else score, pos, neg)

    @property
    def pos(self) -> Counts:
        """Positives per segment."""
        return self.remembered("pos", lambda: wide(self.narrow[0]))

    @property
    def neg(self) -> Counts:
        """Negatives per segment."""
        return self.remembered("neg", lambda: wide(self.narrow[1]))

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
        return self.narrow[0].dtype.kind == "f"

    @property
    def exact(self) -> bool:
        """Whether every segment is one score."""
        return self.spans is None or bool((self.score == self._tops()).all())

    @property
    def unresolved(self) -> Flags:
        """Segments in which the order of positives and negatives is not known; none in an exact ranking."""
        return np.zeros(len(self), dtype=np.bool_) if self.spans is None else self.spans.unresolved

    def covered(self) -> tuple[Counts, Counts]:
        """Positives and negatives called positive at split 0..m (tp, fp).

        >>> tp, fp = Ranking.parse("[20+,5-][10+,5-][20+,40-]").covered()
        >>> tp.tolist(), fp.tolist()
        ([0, 20, 30, 50], [0, 5, 10, 50])
        """
        tp, fp = self.remembered("covered", lambda: side_by_side(self._covered, (0, 1), len(self)))
        return tp, fp

    def runs(self, split: npt.NDArray[np.intp]) -> tuple[Counts, Counts]:
        """Positives and negatives between neighbouring splits, of which the first is 0 and the last m.

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
        """One threshold per split 0..m: midway between neighbouring scores, with ±inf at the ends.

        Every threshold t separates exactly, `lower < t <= upper`, even where neighbouring scores
        are one unit in the last place apart or infinite and a midpoint would round away.

        >>> Ranking([0.8, 0.3], pos=[1, 0], neg=[0, 1]).thresholds()
        array([ inf, 0.55, -inf])
        """
        return self.remembered("thresholds", lambda: separating(self.score, self._tops()))

    def interval(self, split: int) -> tuple[float, float]:
        """All thresholds of one split, as (lower, upper): lower < t <= upper.

        A threshold of +inf calls nothing positive, so it belongs to split 0 alone, also where a score is +inf.

        >>> Ranking([0.8, 0.3], pos=[1, 0], neg=[0, 1]).interval(1)
        (0.3, 0.8)
        """
        require_split(split, len(self) + 1)
        lower = min(float(self._tops()[split]), LARGEST) if split < len(self) else -math.inf
        return lower, min(float(self.score[split - 1]), LARGEST) if split else math.inf

    def threshold(self, split: int) -> float:
        """The threshold of one split, as in `thresholds`."""
        require_split(split, len(self) + 1)
        if split in (0, len(self)):
            return math.inf if split == 0 else -math.inf
        return float(midway(self.score[split - 1 : split], self._tops()[split : split + 1])[0])

    def at_class_ratio(self, class_ratio: float) -> Ranking:
        """The same cases, each class weighted so that Pos / Neg is `class_ratio`; the total stays.

        Rates within a class do not change; precision, the Brier score and whatever else depends on the class mix do.

        >>> rare = Ranking.parse("[20+,5-][10+,5-][20+,40-]").at_class_ratio(1 / 9)
        >>> round(rare.prevalence, 10), rare.total
        (0.1, 100.0)
        """
        if not 0 < as_number(class_ratio) < math.inf:
            raise ArgumentError(
                f"class_ratio must be above 0 and finite, got {class_ratio!r}",
                "give Pos / Neg at deployment, e.g. 0.01 for one positive per hundred negatives",
            )
        self.require_both_classes()
        if class_ratio == self.class_ratio:
            return self
        up = self.total * (class_ratio / (1 + class_ratio)) / self.Pos
        down = self.total * (1 / (1 + class_ratio)) / self.Neg
        spans = None if self.spans is None else self.spans.weighted(up, down)
        return Ranking.of_segments(self.score, self.pos * up, self.neg * down, dropped=self.dropped, spans=spans)

    def whole(self) -> Ranking:
        """The same segments with whole counts of a common unit, where weights have one; else the ranking itself.

        Sums of weights such as 0.1 round; counted in tenths they are compared as exactly as rows are.

        >>> weighted = Ranking([2, 1], pos=[0.1 + 0.2, 0.0], neg=[0.0, 0.5])
        >>> weighted, weighted.whole()
        (Ranking([0.30000000000000004+][0.5-] at scores 2, 1), Ranking([3+][5-] at scores 2, 1))
        """
        counts = self.remembered("whole", lambda: segments.whole(self.pos, self.neg)) if self.weighted else None
        if counts is None:
            return self
        spans = None if self.spans is None else Spans(*self.spans.ends)
        return Ranking.of_segments(self.score, *counts, dropped=self.dropped, spans=spans)

    def remembered(self, name: str, make: Callable[[], T]) -> T:
        """What follows from the ranking alone, made when first asked for and kept with it."""
        if name not in self._memory:
            self._memory[name] = make()
        kept: T = self._memory[name]
        return kept

    def require_both_classes(self) -> None:
        """Raise `OneClassError` unless there are positives and negatives."""
        require_both_classes(self.Pos, self.Neg)

    def require_probabilities(self) -> None:
        """Raise `ProbabilityError` unless every score lies in [0, 1]."""
        segments.require_probabilities(self.score, self._tops())

    def __add__(self, other: Ranking) -> Ranking:
        if not isinstance(other, Ranking):
            return NotImplemented
        segments.require_safe_total(self.total + other.total)
        dropped = self.dropped + other.dropped
        if self.spans is None and other.spans is None and not (self.weighted or other.weighted):
            both = zip((self.score, self.pos, self.neg), (other.score, other.pos, other.neg), strict=True)
            return Ranking.of_segments(*summed(*map(np.concatenate, both)), dropped=dropped)
        *columns, spans = joined(*((each.score, each.pos, each.neg, each.spans) for each in (self, other)))
        return Ranking.of_segments(*columns, dropped=dropped, spans=spans)

    def __radd__(self, other: object) -> Ranking:
        return self if other == 0 else NotImplemented  # sum(rankings) starts from 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking) or (self.spans is None) != (other.spans is None):
            return False
        if self.spans is not None and other.spans is not None and not self.spans.same_as(other.spans):
            return False
        columns = zip((self.score, *self.narrow), (other.score, *other.narrow), strict=True)
        return all(np.array_equal(mine, theirs) for mine, theirs in columns)

    def __hash__(self) -> int:
        return hash((len(self), self.Pos, self.Neg))

    def __len__(self) -> int:
        return int(self.score.size)

    def __str__(self) -> str:
        return notation.bounded(self.pos, self.neg)

    def _brief(self) -> str:
        open_ones = int(self.unresolved.sum())
        return notation.shown(self.score, self.pos, self.neg, dropped=self.dropped, unresolved=open_ones)

    def _repr_html_(self) -> str:
        from thresher.report.notebook import ranking_html

        return ranking_html(self)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.score, *self.narrow, self.dropped, self.spans  # what is remembered can be found again

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._fill(*state)

    def _covered(self, of: int) -> Counts:
        return running(self.narrow[of], (self.Pos, self.Neg)[of])

    def _tops(self) -> Floats:
        spans = self.spans
        return self.score if spans is None else self.remembered("tops", lambda: spans.high)

    def _fill(self, score: Floats, pos: Counts, neg: Counts, dropped: int, spans: Spans | None = None) -> None:
        for column in (score, pos, neg):
            column.flags.writeable = False
        for name, value in {
            "score": score,
            "narrow": (pos, neg),
            "dropped": dropped,
            "spans": spans,
            "Pos": sum_of(pos),
            "Neg": sum_of(neg),
            "_memory": {},
        }.items():
            object.__setattr__(self, name, value)
