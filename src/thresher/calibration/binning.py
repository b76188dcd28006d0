"""Runs of neighbouring segments: exact segments, the hull's pools, and bins of equal count or width."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from thresher.curves import hull_splits
from thresher.curves.hull import Splits
from thresher.errors import require_one_of, require_whole
from thresher.ranking import Floats, Ranking, require_ranking

MOST_BINS = 1_000_000
Binning: TypeAlias = Literal["exact", "hull", "quantile", "uniform"]


def splits_of(ranking: Ranking, segments: Binning, *, bins: int) -> Splits:
    """The splits 0..m at which runs begin and end.

    >>> splits_of(Ranking.parse("[1+][2+,1-][1+][3-]"), "quantile", bins=2).tolist()
    [0, 2, 4]
    """
    require_bins(bins)
    require_one_of(segments, get_args(Binning), name="segments")
    if segments == "exact":
        return np.arange(len(ranking) + 1)
    if segments == "hull":
        require_ranking(ranking, both_classes=True)
        return hull_splits(ranking)
    if segments == "quantile":
        return quantile_splits(ranking, bins)
    return uniform_splits(ranking, bins)


def require_bins(bins: int) -> None:
    """Raise `ArgumentError` unless the number of bins is whole, at least 1 and at most a million."""
    require_whole(bins, name="the number of bins", least=1, most=MOST_BINS, fix="give e.g. bins=10")


def quantile_splits(ranking: Ranking, bins: int) -> Splits:
    """The splits nearest to equal shares of the cases; a segment is never torn apart.

    Where large segments leave no split near a share, there are fewer bins than asked for.

    >>> quantile_splits(Ranking.parse("[20+,5-][10+,5-][20+,40-]"), 4).tolist()
    [0, 1, 2, 3]
    """
    tp, fp = ranking.covered()
    covered = tp + fp
    share = ranking.total * np.arange(1, bins) / bins
    above = np.searchsorted(covered, share)
    nearer_below = share - covered[above - 1] <= covered[above] - share
    return np.unique(np.concatenate([[0], above - nearer_below, [len(ranking)]]))


def uniform_splits(ranking: Ranking, bins: int) -> Splits:
    """The splits at i / bins, for scores in [0, 1]; a score on an edge belongs to the upper bin.

    >>> uniform_splits(Ranking([0.9, 0.5, 0.1], pos=[1, 1, 0], neg=[0, 0, 1]), 2).tolist()
    [0, 2, 3]
    """
    rising = ranking.score[::-1]
    reached = len(ranking) - np.searchsorted(rising, np.arange(1, bins) / bins, side="left")
    return np.unique(np.concatenate([[0], reached, [len(ranking)]]))


def mean_scores(ranking: Ranking, split: Splits) -> Floats:
    """The mean score of the cases in each run; a run of one segment has exactly its score.

    >>> mean_scores(Ranking([3, 1, 0], pos=[1, 1, 0], neg=[0, 0, 1]), np.array([0, 2, 3]))
    array([2., 0.])
    """
    if split.size == len(ranking) + 1:
        return ranking.score.copy()
    cases = ranking.pos + ranking.neg
    mean = np.add.reduceat(ranking.score * cases, split[:-1]) / np.add.reduceat(cases, split[:-1])
    # A mean lies between the ends, and rounding must not carry it into the next run.
    return np.clip(mean, ranking.score[split[1:] - 1], ranking.score[split[:-1]])
