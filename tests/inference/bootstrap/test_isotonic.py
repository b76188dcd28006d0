import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests import strategies
from thresher.inference.bootstrap.isotonic import pooled_at, pooled_impurity


@given(strategies.two_class_rankings)
def test_impurity_is_that_of_the_hulls_pools(ranking):
    pools = th.hull(ranking, pool="ties")
    expected = (pools.pos * pools.neg / (pools.pos + pools.neg)).sum()
    assert pooled_impurity(ranking.pos, ranking.neg) == pytest.approx(expected, abs=1e-9)


@given(strategies.two_class_rankings)
def test_the_height_at_a_segment_is_the_isotonic_map(ranking):
    result = pooled_at(ranking.score, ranking.pos, ranking.neg, np.arange(len(ranking)))
    assert result == pytest.approx(th.calibration_map(ranking)(ranking.score))


def test_empty_segments_belong_to_the_pool_on_their_side_of_the_step():
    pos, neg = np.array([0, 3, 0, 0, 1, 0]), np.array([0, 1, 0, 0, 3, 0])
    score = np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.1])
    assert pooled_at(score, pos, neg, np.arange(6)).tolist() == [0.75, 0.75, 0.75, 0.25, 0.25, 0.25]
    drawn = th.Ranking(score, pos, neg)
    assert th.calibration_map(drawn)(score).tolist() == pooled_at(score, pos, neg, np.arange(6)).tolist()


def test_nothing_drawn():
    assert np.isnan(pooled_impurity(np.zeros(3, dtype=int), np.zeros(3, dtype=int)))
