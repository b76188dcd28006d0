import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import two_class_rankings
from thresher.curves.hull import hull_splits
from thresher.ranking.corners import corners_among, on_edges, thinned


@given(two_class_rankings)
def test_corners_are_those_of_the_hull(r):
    tp, fp = r.covered()
    assert corners_among(fp, tp).tolist() == hull_splits(r, pool="ties").tolist()


@given(two_class_rankings)
def test_what_lies_on_edges_touches_the_hull(r):
    tp, fp = r.covered()
    corner = hull_splits(r, pool="ties")
    found = on_edges(fp, tp, corner)
    inside = np.setdiff1d(hull_splits(r), corner)
    before = corner[np.searchsorted(corner, inside) - 1]
    slanted = (tp[inside] > tp[before]) & (fp[inside] > fp[before])
    assert found.tolist() == inside[slanted].tolist()


def test_one_point_is_a_corner():
    assert corners_among(np.array([3]), np.array([4])).tolist() == [0]
    assert on_edges(np.array([3]), np.array([4]), np.array([0])).size == 0


@given(st.integers(0, 50), st.integers(1, 20))
def test_few_points_stay_and_many_are_thinned(points, most):
    found = thinned(np.arange(points), most=most)
    assert found.size == min(points, most)
    assert (np.diff(found) > 0).all()
