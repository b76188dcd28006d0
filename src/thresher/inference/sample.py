"""What a bootstrap draws from: items of both classes, how many cases each stands for, and the models' orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from thresher.errors import ArgumentError, WeightError
from thresher.inference.rows import ONLY_MODEL, Rows
from thresher.inference.standing import Standing
from thresher.ranking import Counts, Indices, Ranking

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
