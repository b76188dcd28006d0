"""What a bootstrap draws from, and what one replicate looks like to a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import ArgumentError, WeightError
from thresher.inference.rows import ONLY_MODEL, Rows, Standing
from thresher.ranking import Counts, Floats, Indices, Ranking, midway

Times: TypeAlias = tuple[Counts, Counts]
MOST_CASES_DRAWN_SINGLY = 10_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Positive and negative items as the observed sample holds them.

    `cases` says how many cases each item stands for (rows: one each), class by class; `cluster` the cluster of
    each item, when items may only be drawn together; `weighted` whether a case may weigh other than 1.
    """

    cases: Times
    cluster: tuple[Indices, Indices] | None
    standings: Mapping[str, Standing]
    weighted: bool

    @property
    def items(self) -> tuple[int, int]:
        """How many positive and negative items there are."""
        return self.cases[0].size, self.cases[1].size

    @property
    def handled(self) -> int:
        """How many items every replicate handles: all of them, for every model."""
        return sum(self.items) * len(self.standings)

    @property
    def clusters(self) -> int:
        """How many clusters there are, 0 without clusters."""
        return 0 if self.cluster is None else 1 + max(int(side.max()) for side in self.cluster)


def sample_of(source: Rows | Ranking, *, singly: bool = False) -> Sample:
    """The sample in rows, or in a ranking, whose items are then its segments.

    With `singly` the items of a ranking are its cases, so that one can say which of them were not drawn. Weights
    that are whole numbers count cases; other weights belong to rows that a ranking has forgotten.

    >>> found = sample_of(Ranking.parse("[20+,5-][10+][20+,40-]"))
    >>> found.cases
    (array([20, 10, 20]), array([ 5, 40]))
    """
    if isinstance(source, Rows):
        pos = int(np.count_nonzero(source.positive))
        ones = np.ones(pos, dtype=np.int64), np.ones(len(source) - pos, dtype=np.int64)
        cluster = source.cluster
        both = None if cluster is None else (cluster[source.positive], cluster[~source.positive])
        return Sample(ones, both, source.standings, source.weight is not None)
    if not isinstance(source, Ranking):
        raise ArgumentError(
            f"there is nothing to draw from in {type(source).__name__}",
            "give a Ranking, or Rows.of(labels, scores) for several models, weights or clusters",
        )
    source.require_both_classes()
    ranking = _in_whole_cases(source)
    if not singly:
        cases = ranking.pos[ranking.pos > 0], ranking.neg[ranking.neg > 0]
        return Sample(cases, None, {ONLY_MODEL: Standing.of_ranking(ranking)}, weighted=False)
    if ranking.total > MOST_CASES_DRAWN_SINGLY:
        raise ArgumentError(
            f"{ranking.total:,} cases are too many to remember which were drawn (at most {MOST_CASES_DRAWN_SINGLY:,})",
            "with so many cases the optimism is negligible; or draw a sample of the rows first",
        )
    ones = np.ones(ranking.Pos, dtype=np.int64), np.ones(ranking.Neg, dtype=np.int64)
    return Sample(ones, None, {ONLY_MODEL: Standing.of_cases(ranking)}, weighted=False)


def _in_whole_cases(ranking: Ranking) -> Ranking:
    if not ranking.weighted:
        return ranking
    if np.mod(ranking.pos, 1).any() or np.mod(ranking.neg, 1).any():
        raise WeightError(
            "this ranking holds weights that are not whole, and no longer knows which rows carried them;"
            " rows are what would be drawn again",
            "give Rows.of(labels, scores, weights=...) instead of the ranking",
        )
    counts = ranking.pos.astype(np.int64), ranking.neg.astype(np.int64)
    return Ranking.of_segments(ranking.score, *counts, dropped=ranking.dropped)


Parts: TypeAlias = tuple[Any, ...]  # a few numbers of a replicate; of several, an array each
_NEAR = 64  # how far to look for the next score before looking everywhere


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """Positives and negatives per group of equal score, some of which may not have been drawn at all.

    Of one replicate, or of several in rows; `each` takes them apart. What several statistics need is worked out when
    first asked for and kept.

    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> drawn = Resampled.of(Standing.of_ranking(tree), (np.array([25, 0, 25]), np.array([3, 7, 40])))
    >>> drawn.tp.tolist(), drawn.fp_upto.tolist(), str(drawn.ranking())
    ([25, 25, 50], [3, 10, 50], '[25+,3-][7-][25+,40-]')
    """

    standing: Standing
    pos: Counts
    neg: Counts
    model: str = ""
    _memory: dict[str, Counts] = field(default_factory=dict)

    @classmethod
    def of(cls, standing: Standing, times: Times, *, model: str = "") -> Resampled:
        """Count what was drawn by falling score."""
        return cls(standing, standing.pos.counts(times[0]), standing.neg.counts(times[1]), model)

    @property
    def Pos(self) -> Any:
        """All positives drawn."""
        return _plain(self.tp[..., -1])

    @property
    def Neg(self) -> Any:
        """All negatives drawn."""
        return _plain(self.fp[..., -1])

    @property
    def tp(self) -> Counts:
        """True positives when everything down to each group of positives is called positive."""
        return self._kept("tp", lambda: _running(self.pos)[..., 1:])

    @property
    def fp(self) -> Counts:
        """Negatives in the first 0, 1, 2, ... groups of negatives."""
        return self._kept("fp", lambda: _running(self.neg))

    @property
    def fp_upto(self) -> Counts:
        """False positives when everything down to each group of positives is called positive."""
        return self._kept("fp_upto", lambda: self.fp.take(self.standing.upto, axis=-1))

    @property
    def fp_above(self) -> Counts:
        """Negatives that score higher than each group of positives."""
        if self.standing.above is self.standing.upto:
            return self.fp_upto
        return self._kept("fp_above", lambda: self.fp.take(self.standing.above, axis=-1))

    def at_class_ratio(self, class_ratio: float) -> Resampled:
        """One replicate with each class weighted so that Pos / Neg is `class_ratio`; the total stays."""
        total = self.Pos + self.Neg
        up = total * class_ratio / (1 + class_ratio) / max(self.Pos, 1)
        down = total / (1 + class_ratio) / max(self.Neg, 1)
        return Resampled(self.standing, self.pos * up, self.neg * down, self.model)

    def each(self) -> Iterator[Resampled]:
        """Replicate by replicate, each with its part of the running sums, which are worked out for all together."""
        if self.pos.ndim == 1:
            yield self
            return
        _ = self.tp, self.fp_upto  # worked out here, and kept
        for i, (pos, neg) in enumerate(zip(self.pos, self.neg, strict=True)):
            yield Resampled(self.standing, pos, neg, self.model, {name: all_[i] for name, all_ in self._memory.items()})

    def at(self, threshold: float) -> tuple[Any, Any]:
        """True and false positives at a threshold."""
        pos, neg = self.standing.split(threshold)
        fp = _plain(self.fp[..., neg])
        return _plain(self.tp[..., pos - 1]) if pos else 0 * fp, fp

    def curve(self) -> tuple[Floats, Floats]:
        """The corners of the coverage curve, (fp, tp), from nothing to everything called positive."""
        fp, tp = np.zeros(2 * self.pos.size + 2), np.zeros(2 * self.pos.size + 2)
        fp[1:-1:2], fp[2:-1:2], fp[-1] = self.fp_above, self.fp_upto, self.Neg
        tp[2:-1:2], tp[-1] = self.tp, self.Pos
        tp[3:-1:2] = self.tp[:-1]
        return fp, tp

    def threshold_after(self, group: int) -> float:
        """Midway between the score of a group of positives and the next score that was drawn; -inf if none was."""
        segment = self.standing.pos.segment
        below = [
            int(side.segment[start + found])
            for side, counts, start in (
                (self.standing.pos, self.pos, group + 1),
                (self.standing.neg, self.neg, int(self.standing.upto[group])),
            )
            if (found := _first_drawn(counts[start:])) is not None
        ]
        if not below:
            return -math.inf
        upper, lower = self.standing.score[[segment[group], min(below)]]
        return float(midway(np.array([upper]), np.array([lower]))[0])

    def ranking(self) -> Ranking:
        """The replicate as a ranking, for any function of one."""
        pos, neg = self.by_segment()
        seen = (pos > 0) | (neg > 0)
        return Ranking.of_segments(self.standing.score[seen], pos[seen], neg[seen])

    def by_segment(self) -> tuple[Counts, Counts]:
        """Positives and negatives per distinct score of the sample, 0 where none were drawn."""
        size = self.standing.score.size
        pos, neg = np.zeros(size, dtype=self.pos.dtype), np.zeros(size, dtype=self.neg.dtype)
        pos[self.standing.pos.segment] = self.pos
        neg[self.standing.neg.segment] = self.neg
        return pos, neg

    def _kept(self, name: str, make: Callable[[], Counts]) -> Counts:
        if name not in self._memory:
            self._memory[name] = make()
        return self._memory[name]


def _running(counts: Counts) -> Counts:
    """The sum of the first 0, 1, 2, ... counts of each replicate."""
    *rows, groups = counts.shape
    running = np.empty((*rows, groups + 1), dtype=counts.dtype)
    running[..., 0] = 0
    for row, out in zip(np.atleast_2d(counts), np.atleast_2d(running), strict=True):
        np.cumsum(row, dtype=counts.dtype, out=out[1:])  # of all rows at once it would keep the interpreter lock
    return running


def _plain(of_each: Any) -> Any:
    """A number of Python for one replicate, which never overflows; an array for several."""
    return of_each if of_each.ndim else of_each.item()


def _first_drawn(counts: Counts) -> int | None:
    for reach in (_NEAR, counts.size):
        seen = counts[:reach] > 0
        first = int(seen.argmax()) if seen.size else 0
        if seen.size and seen[first]:
            return first
    return None
