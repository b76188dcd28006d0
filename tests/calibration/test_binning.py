from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.calibration import oracles
from tests.strategies import rankings
from thresher.calibration.binning import mean_scores, quantile_splits, splits_of, uniform_splits
from thresher.errors import ArgumentError
from thresher.ranking import Ranking


@given(rankings, st.integers(1, 8))
def test_quantile_edges_are_the_splits_nearest_to_equal_shares(ranking, bins):
    covered = np.cumsum([0, *(ranking.pos + ranking.neg)])
    nearest = {int(np.argmin(np.abs(covered * bins - i * ranking.total))) for i in range(1, bins)}
    assert quantile_splits(ranking, bins).tolist() == sorted(nearest | {0, len(ranking)})


@given(oracles.probability_rankings(both_classes=False), st.integers(1, 8))
def test_uniform_bins_hold_the_scores_between_their_edges(ranking, bins):
    split = uniform_splits(ranking, bins)
    bin_of = [sum(score >= i / bins for i in range(1, bins)) for score in ranking.score.tolist()]
    runs = [set(bin_of[start:end]) for start, end in pairwise(split)]
    assert [len(run) for run in runs] == [1] * len(runs)
    assert len(set.union(*runs)) == len(runs)
    assert (split[0], split[-1]) == (0, len(ranking))


@given(rankings, st.integers(1, 8))
def test_runs_hold_all_cases_and_their_mean_lies_inside(ranking, bins):
    split = quantile_splits(ranking, bins)
    pos, neg = ranking.runs(split)
    assert (pos.sum(), neg.sum()) == (ranking.Pos, ranking.Neg)
    mean = mean_scores(ranking, split)
    assert mean @ (pos + neg) == pytest.approx(ranking.score @ (ranking.pos + ranking.neg))
    assert (mean <= ranking.score[split[:-1]]).all()
    assert (mean >= ranking.score[split[1:] - 1]).all()


def test_the_mean_of_neighbours_stays_between_them():
    low = 0.1
    score = [low, *np.nextafter([low] * 2, [1, 0])]
    ranking = Ranking(score, [7, 7, 7], [3, 3, 3])
    assert ranking.score[-1] <= mean_scores(ranking, np.array([0, 3]))[0] <= ranking.score[0]


def test_small_weights_are_not_lost_in_running_sums():
    ranking = Ranking([0.9, 0.5, 0.4], [1e18, 0, 0], [0, 1e-3, 1e-3])
    pos, neg = ranking.runs(np.array([0, 1, 3]))
    assert (pos.tolist(), neg.tolist()) == ([1e18, 0], [0, 2e-3])


def test_unknown_segments_and_bins():
    ranking = Ranking([0.5], [1], [1])
    with pytest.raises(ArgumentError, match="'deciles'"):
        splits_of(ranking, "deciles", bins=10)  # type: ignore[arg-type]
    for bins in (0, -1, 2.5):
        with pytest.raises(ArgumentError, match="number of bins"):
            splits_of(ranking, "uniform", bins=bins)  # type: ignore[arg-type]
