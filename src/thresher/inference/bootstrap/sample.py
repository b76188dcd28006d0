"""What a bootstrap draws from, and what one replicate is to a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import ArgumentError, WeightError
from thresher.inference.rows import ONLY_MODEL, ScoredRows
from thresher.ranking import Counts, Flags, Floats, Indices, Ranking, falling_order, midway, splits_at

Times: TypeAlias = tuple[Counts, Counts]  # how often each positive and each negative item is drawn
Parts: TypeAlias = tuple[Any, ...]  # a few numbers of a replicate; of several, an array each
MOST_CASES_DRAWN_SINGLY = 10_000_000
_NEAR = 64  # how far to search for the next score before searching everywhere


@dataclass(frozen=True, slots=True, eq=False)
class ClassOrder:
    """The items of one class by falling score, grouped by equal score.

    An item is what is drawn: a row, or all cases of a class that share a score. `permutation` is None when items are
    in order already, `start` when every group is one item, `weight` when every case weighs 1.
    """

    permutation: Indices | None
    start: Indices | None
    weight: Floats | None
    segment: Indices

    @classmethod
    def of(cls, permutation: Indices | None, segment: Indices, weight: Floats | None) -> ClassOrder:
        """Group items by the segment of each, which are in order."""
        first = np.ones(segment.size, dtype=np.bool_)
        np.not_equal(segment[1:], segment[:-1], out=first[1:])
        start = None if first.all() else np.flatnonzero(first)
        sorted_ = permutation is None or bool((permutation[1:] > permutation[:-1]).all())
        return cls(None if sorted_ else permutation, start, weight, segment if start is None else segment[start])

    def counts(self, times: Counts) -> Counts:
        """Cases (or weight) in each group when item i is drawn `times[..., i]` times."""
        ordered = times if self.permutation is None else times[..., self.permutation]
        if self.weight is not None:
            ordered = ordered * self.weight
        return ordered if self.start is None else np.add.reduceat(ordered, self.start, axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class ModelOrder:
    """Both classes in one model's order; `score` holds the distinct scores, falling.

    `above[i]` counts the groups of negatives that score higher than the i-th group of positives, and `upto[i]`
    those that score as high or higher: one and the same array when no score is shared by both classes.
    """

    score: Floats
    pos: ClassOrder
    neg: ClassOrder
    above: Indices
    upto: Indices

    @classmethod
    def of_classes(cls, score: Floats, pos: ClassOrder, neg: ClassOrder) -> ModelOrder:
        """Merge the orders of both classes."""
        above, upto = (np.searchsorted(neg.segment, pos.segment, side=side) for side in ("left", "right"))
        return cls(score, pos, neg, upto if np.array_equal(above, upto) else above, upto)

    @classmethod
    def of_ranking(cls, ranking: Ranking, *, singly: bool = False) -> ModelOrder:
        """The order of a ranking's non-empty segments, or of its single cases."""
        pos, neg = (
            ClassOrder.of(None, np.repeat(np.arange(len(ranking)), counts if singly else counts > 0), None)
            for counts in (ranking.pos, ranking.neg)
        )
        return cls.of_classes(ranking.score, pos, neg)

    @classmethod
    def of_rows(cls, positive: Flags, score: Any, weight: Floats | None) -> ModelOrder:
        """The order of positive and of negative rows by falling score."""
        order, ends = falling_order(score)
        segment = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
        is_pos = positive[order]
        number = np.where(positive, np.cumsum(positive), np.cumsum(~positive)) - 1
        classes = []
        for side in (is_pos, ~is_pos):
            rows = order[side]
            classes.append(ClassOrder.of(number[rows], segment[side], None if weight is None else weight[rows]))
        return cls.of_classes(score[order[ends - 1]].astype(np.float64) + 0.0, *classes)

    def split(self, threshold: float) -> tuple[int, int]:
        """How many groups of positives and of negatives score at least `threshold`."""
        segments = int(splits_at(self.score, threshold))
        return int(np.searchsorted(self.pos.segment, segments)), int(np.searchsorted(self.neg.segment, segments))


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Positive and negative items as the observed sample holds them.

    `cases` says how many cases each item stands for (rows: one each), class by class; `cluster` the cluster of
    each item, when items may only be drawn together; `weighted` whether a case may weigh other than 1.
    """

    cases: Times
    cluster: tuple[Indices, Indices] | None
    orders: Mapping[str, ModelOrder]
    weighted: bool

    @property
    def items(self) -> tuple[int, int]:
        """How many positive and negative items there are."""
        return self.cases[0].size, self.cases[1].size

    @property
    def clusters(self) -> int:
        """How many clusters there are, 0 without clusters."""
        return 0 if self.cluster is None else 1 + max(int(side.max()) for side in self.cluster)


def sample_of(source: ScoredRows | Ranking, *, singly: bool = False) -> Sample:
    """The sample in rows, or in a ranking, whose items are then its segments.

    With `singly` the items of a ranking are its cases, so that one can say which of them were not drawn.
    """
    if isinstance(source, ScoredRows):
        rows = sort_rows(source)
        pos = int(np.count_nonzero(rows.positive))
        ones = np.ones(pos, dtype=np.int64), np.ones(len(rows) - pos, dtype=np.int64)
        cluster = None if rows.cluster is None else (rows.cluster[rows.positive], rows.cluster[~rows.positive])
        orders = {name: ModelOrder.of_rows(rows.positive, score, rows.weight) for name, score in rows.scores.items()}
        return Sample(ones, cluster, orders, rows.weight is not None)
    if not isinstance(source, Ranking):
        raise ArgumentError(
            f"there is nothing to draw from in {type(source).__name__}",
            "give a Ranking, or ScoredRows.of(labels, scores) for several models, weights or clusters",
        )
    source.require_both_classes()
    ranking = _in_units(source)
    if singly and ranking.total > MOST_CASES_DRAWN_SINGLY:
        raise ArgumentError(
            f"{ranking.total:,} cases are too many to remember which were drawn (at most {MOST_CASES_DRAWN_SINGLY:,})",
            "with so many cases the optimism is negligible; or draw a sample of the rows first",
        )
    cases = ranking.pos[ranking.pos > 0], ranking.neg[ranking.neg > 0]
    if singly:
        cases = np.ones(ranking.Pos, dtype=np.int64), np.ones(ranking.Neg, dtype=np.int64)
    return Sample(cases, None, {ONLY_MODEL: ModelOrder.of_ranking(ranking, singly=singly)}, weighted=False)


def sort_rows(rows: ScoredRows) -> ScoredRows:
    """Rows sorted by class, positives first, then by falling score.

    The first model's scores decide, so that its draws need no permutation.
    """
    order, _ = falling_order(next(iter(rows.scores.values())))
    is_pos = rows.positive[order]
    return rows.take(np.concatenate([order[is_pos], order[~is_pos]]))


def _in_units(ranking: Ranking) -> Ranking:
    """A ranking with integer counts; weights that are not whole are refused."""
    if not ranking.weighted:
        return ranking
    if np.mod(ranking.pos, 1).any() or np.mod(ranking.neg, 1).any():
        raise WeightError(
            "this ranking holds weights that are not whole, and no longer knows which rows carried them;"
            " rows are what would be drawn again",
            "give ScoredRows.of(labels, scores, weights=...) instead of the ranking",
        )
    counts = ranking.pos.astype(np.int64), ranking.neg.astype(np.int64)
    return Ranking.of_segments(ranking.score, *counts, dropped=ranking.dropped)


@dataclass(frozen=True, eq=False)
class Resampled:
    """Drawn positives and negatives per group of equal score, which may be 0.

    Of one replicate, or of several in rows; `each` separates them, with tp, fp and fp_upto as `running`.
    """

    order: ModelOrder
    pos: Counts
    neg: Counts
    model: str = ""
    running: tuple[Counts, ...] | None = None

    @classmethod
    def of(cls, order: ModelOrder, times: Times, *, model: str = "") -> Resampled:
        """Count what was drawn by falling score."""
        return cls(order, order.pos.counts(times[0]), order.neg.counts(times[1]), model)

    @property
    def Pos(self) -> Any:
        """All positives drawn."""
        return _plain(self.tp[..., -1])

    @property
    def Neg(self) -> Any:
        """All negatives drawn."""
        return _plain(self.fp[..., -1])

    @cached_property
    def tp(self) -> Counts:
        """True positives when each group of positives is the last called positive."""
        return _running(self.pos)[..., 1:] if self.running is None else self.running[0]

    @cached_property
    def fp(self) -> Counts:
        """Negatives in the first 0, 1, 2, ... groups of negatives."""
        return _running(self.neg) if self.running is None else self.running[1]

    @cached_property
    def fp_upto(self) -> Counts:
        """False positives when each group of positives is the last called positive."""
        return self.fp.take(self.order.upto, axis=-1) if self.running is None else self.running[2]

    @cached_property
    def fp_above(self) -> Counts:
        """Negatives that score higher than each group of positives."""
        return self.fp_upto if self.order.above is self.order.upto else self.fp.take(self.order.above, axis=-1)

    def at_class_ratio(self, class_ratio: float) -> Resampled:
        """Each class weighted so that Pos / Neg is `class_ratio`; the total stays."""
        total = self.Pos + self.Neg
        up = total * class_ratio / (1 + class_ratio) / np.maximum(self.Pos, 1)
        down = total / (1 + class_ratio) / np.maximum(self.Neg, 1)
        return Resampled(self.order, self.pos * up[..., np.newaxis], self.neg * down[..., np.newaxis], self.model)

    def each(self) -> Iterator[Resampled]:
        """The replicates one at a time, with running sums computed for all at once."""
        if self.pos.ndim == 1:
            yield self
            return
        for pos, neg, *running in zip(self.pos, self.neg, self.tp, self.fp, self.fp_upto, strict=True):
            yield Resampled(self.order, pos, neg, self.model, tuple(running))

    def at(self, threshold: float) -> tuple[Any, Any]:
        """True and false positives at a threshold."""
        pos, neg = self.order.split(threshold)
        fp = _plain(self.fp[..., neg])
        return _plain(self.tp[..., pos - 1]) if pos else 0 * fp, fp

    def curve(self) -> tuple[Floats, Floats]:
        """The corners (fp, tp) of the coverage curve, from none to all positive."""
        fp, tp = np.zeros(2 * self.pos.size + 2), np.zeros(2 * self.pos.size + 2)
        fp[1:-1:2], fp[2:-1:2], fp[-1] = self.fp_above, self.fp_upto, self.Neg
        tp[2:-1:2], tp[-1] = self.tp, self.Pos
        tp[3:-1:2] = self.tp[:-1]
        return fp, tp

    def threshold_after(self, group: int) -> float:
        """The threshold midway between a group of positives and the next score drawn.

        It is -inf where no lower score was drawn.
        """
        starts = (self.order.pos, self.pos, group + 1), (self.order.neg, self.neg, int(self.order.upto[group]))
        below = [
            int(side.segment[start + offset])
            for side, counts, start in starts
            if (offset := _first_drawn(counts[start:])) is not None
        ]
        if not below:
            return -math.inf
        upper, lower = self.order.score[[self.order.pos.segment[group], min(below)]]
        return float(midway(np.array([upper]), np.array([lower]))[0])

    def ranking(self) -> Ranking:
        """The replicate as a ranking, for any function of one."""
        pos, neg = self.by_segment()
        seen = (pos > 0) | (neg > 0)
        return Ranking.of_segments(self.order.score[seen], pos[seen], neg[seen])

    def by_segment(self) -> tuple[Counts, Counts]:
        """Drawn positives and negatives per distinct score of the sample."""
        size = self.order.score.size
        pos, neg = np.zeros(size, dtype=self.pos.dtype), np.zeros(size, dtype=self.neg.dtype)
        pos[self.order.pos.segment] = self.pos
        neg[self.order.neg.segment] = self.neg
        return pos, neg


def _running(counts: Counts) -> Counts:
    """The sum of the first 0, 1, 2, ... counts of each replicate."""
    *rows, groups = counts.shape
    running = np.empty((*rows, groups + 1), dtype=counts.dtype)
    running[..., 0] = 0
    for row, out in zip(np.atleast_2d(counts), np.atleast_2d(running), strict=True):
        np.cumsum(row, dtype=counts.dtype, out=out[1:])  # of all rows at once it would keep the interpreter lock
    return running


def _plain(of_each: Any) -> Any:
    """A Python number for one replicate, which never overflows; else an array."""
    return of_each if of_each.ndim else of_each.item()


def _first_drawn(counts: Counts) -> int | None:
    for reach in (_NEAR, counts.size):
        seen = counts[:reach] > 0
        first = int(seen.argmax()) if seen.size else 0
        if seen.size and seen[first]:
            return first
    return None
