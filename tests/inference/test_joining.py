import numpy as np
import pytest

import thresher as th
from tests.inference.resampling_oracles import calibrated
from thresher.inference.joining import joined


def test_few_segments_stay():
    ranking = calibrated(50, 0)
    found, lowest = joined(ranking, most=50)
    assert found is ranking
    assert lowest is ranking.score


@pytest.mark.parametrize("most", [7, 64, 999])
def test_cases_are_kept_and_shared_evenly(most):
    ranking = calibrated(1000, 1)
    found, lowest = joined(ranking, most=most)
    assert len(found) == most
    assert (found.Pos, found.Neg) == (ranking.Pos, ranking.Neg)
    assert (found.score * (found.pos + found.neg)).sum() == pytest.approx((ranking.score).sum())
    assert np.ptp(found.pos + found.neg) <= 2
    assert (np.diff(found.score) < 0).all()
    group = np.searchsorted(-lowest, -ranking.score)
    assert np.bincount(group, weights=ranking.pos).tolist() == found.pos.tolist()


def test_a_large_segment_is_a_group_of_its_own():
    ranking = th.Ranking([5, 4, 3, 2, 1], [1, 1, 90, 1, 1], [1, 1, 90, 1, 1])
    found, _ = joined(ranking, most=3)
    assert found.pos.sum() == 94
    assert len(found) <= 3
