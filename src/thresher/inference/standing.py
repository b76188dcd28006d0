"""Where positives and negatives stand in one model's order, prepared once so that any resample is counted fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.ranking import Counts, Flags, Floats, Indices, Ranking, splits_at
from thresher.ranking.order import falling


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One class in a model's order: its items by falling score, those of one score forming a group.

    An item is what is drawn: a row, or all cases of a class that share a score. `order` is None when items
    stand in order already, `start` when every group is one item, `weight` when every case weighs 1.
    """

    order: Indices | None
    start: Indices | None
    weight: Floats | None
    segment: Indices

    def counts(self, times: Counts) -> Counts:
        """Cases (or weight) in each group when item i is drawn `times[..., i]` times."""
        ordered = times if self.order is None else times[..., self.order]
        if self.weight is not None:
            ordered = ordered * self.weight
        return ordered if self.start is None else np.add.reduceat(ordered, self.start, axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Both classes in one model's order; `score` holds the distinct scores, falling.

    `above[i]` counts the groups of negatives that score higher than the i-th group of positives, and `upto[i]`
    those that score as high or higher: one and the same array when no score is shared by both classes.
    """

    score: Floats
    pos: Side
    neg: Side
    above: Indices
    upto: Indices

    @classmethod
    def of_sides(cls, score: Floats, pos: Side, neg: Side) -> Standing:
        """Put two sides next to each other."""
        above, upto = (np.searchsorted(neg.segment, pos.segment, side=side) for side in ("left", "right"))
        return cls(score, pos, neg, upto if np.array_equal(above, upto) else above, upto)

    @classmethod
    def of_ranking(cls, ranking: Ranking) -> Standing:
        """The standing whose items are a ranking's non-empty segments, class by class."""
        pos, neg = (Side(None, None, None, np.flatnonzero(counts)) for counts in (ranking.pos, ranking.neg))
        return cls.of_sides(ranking.score, pos, neg)

    @classmethod
    def of_cases(cls, ranking: Ranking) -> Standing:
        """The standing whose items are a ranking's single cases, for questions about which of them were drawn."""
        segment = np.arange(len(ranking))
        pos, neg = (_side(None, np.repeat(segment, counts), None) for counts in (ranking.pos, ranking.neg))
        return cls.of_sides(ranking.score, pos, neg)

    @classmethod
    def of_rows(cls, positive: Flags, score: Any, weight: Floats | None) -> Standing:
        """The standing whose items are the positive and the negative rows, each numbered by row order.

        >>> found = Standing.of_rows(np.array([True, False, True]), np.array([1.0, 2.0, 3.0]), None)
        >>> found.pos.order, found.upto
        (array([1, 0]), array([0, 1]))
        """
        order, ends = falling(score)
        segment = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
        is_pos = positive[order]
        number = np.where(positive, np.cumsum(positive), np.cumsum(~positive)) - 1
        sides = []
        for mine in (is_pos, ~is_pos):
            rows = order[mine]
            sides.append(_side(number[rows], segment[mine], None if weight is None else weight[rows]))
        return cls.of_sides(score[order[ends - 1]].astype(np.float64) + 0.0, *sides)

    def split(self, threshold: float) -> tuple[int, int]:
        """How many groups of positives and of negatives score at least `threshold`."""
        called = int(splits_at(self.score, threshold))
        return int(np.searchsorted(self.pos.segment, called)), int(np.searchsorted(self.neg.segment, called))


def _side(order: Indices | None, segment: Indices, weight: Floats | None) -> Side:
    first = np.ones(segment.size, dtype=np.bool_)
    np.not_equal(segment[1:], segment[:-1], out=first[1:])
    start = None if first.all() else np.flatnonzero(first)
    in_order = order is None or bool((order[1:] > order[:-1]).all())
    return Side(None if in_order else order, start, weight, segment if start is None else segment[start])
