import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import reference
from tests.strategies import ranking, rough_weights, two_class_counts, two_class_rankings
from thresher._internal import parallel
from thresher.curves import hull_splits
from thresher.curves.hull import upper_corners

EMAILS = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])


def pools(r):
    return list(zip(r.pos.tolist(), r.neg.tolist(), strict=True))


@given(two_class_counts)
def test_strict_splits_are_those_no_chord_passes_above(segments):
    assert hull_splits(ranking(segments)).tolist() == reference.hull_splits(segments)


@given(two_class_counts)
def test_ties_leave_the_corners_only(segments):
    corners = hull_splits(ranking(segments), pool="ties").tolist()
    assert corners == reference.hull_splits(segments, corners_only=True)


@given(two_class_counts)
def test_its_edges_are_the_pools_of_the_textbook_loop(segments):
    assert pools(th.hull(ranking(segments))) == reference.pav(segments)
    assert pools(th.hull(ranking(segments), pool="ties")) == reference.pav(segments, pool_ties=True)


@pytest.mark.parametrize("many", [255, 256, 300, 2**16, 2**31, 2**32, 2**33])
def test_one_class_may_be_far_larger_than_the_other(many):
    """Slopes of neighbours are compared in as few bytes as hold the product of any two counts."""
    for segments in ([(1, many), (1, 1), (1, many), (0, many), (1, 0)], [(many, 1), (1, 1), (many, 1), (many, 0)]):
        assert hull_splits(ranking(segments)).tolist() == reference.hull_splits(segments)


@given(two_class_counts, st.integers(10**9, 10**10))
def test_exactly_so_at_any_size(segments, times):
    """Products of counts pass 2**62 here, where int64 would wrap and float64 would round."""
    many = [(pos * times + (pos > 0), neg * times) for pos, neg in segments]
    assert hull_splits(ranking(many)).tolist() == reference.hull_splits(many)


def test_a_thousand_collinear_splits_all_stay_or_all_go():
    r = th.Ranking(np.arange(1000), np.full(1000, 3), np.full(1000, 7))
    assert len(th.hull(r)) == 1000
    assert len(th.hull(r, pool="ties")) == 1


def test_nearly_collinear_counts_are_distinguished():
    """Slopes n/(n+1) and (n-1)/n differ by 1/n(n+1): beyond float64, and their products beyond int64."""
    big = 10**10
    falling = th.Ranking([2, 1], pos=[big, big - 1], neg=[big + 1, big])
    rising = th.Ranking([2, 1], pos=[big - 1, big], neg=[big, big + 1])
    assert len(th.hull(falling)) == 2
    assert len(th.hull(rising)) == 1


@given(two_class_counts)
def test_integer_weights_give_what_counts_give(segments):
    weighted = ranking([(float(pos), float(neg)) for pos, neg in segments])
    assert hull_splits(weighted).tolist() == hull_splits(ranking(segments)).tolist()


@given(st.lists(st.tuples(rough_weights, rough_weights), min_size=2, max_size=12))
def test_rough_weights_are_on_or_below_their_hull_up_to_rounding(segments):
    r = ranking(segments)
    points = reference.points(segments)
    x, y = (np.array([float(v) for v in axis]) for axis in zip(*points, strict=True))
    corners = hull_splits(r, pool="ties")
    edge = np.interp(x, x[corners], y[corners])
    assert (edge - y >= -1e-9 * y[-1]).all()
    slopes = np.diff(y[corners]) / np.diff(x[corners])
    assert (np.diff(slopes) <= 1e-9 * slopes[:-1]).all()


def test_weights_that_vanish_in_sums_leave_no_empty_pool():
    r = th.Ranking([4, 3, 2, 1], pos=[1e17, 1.0, 0.0, 1.0], neg=[0.0, 0.0, 1.0, 0.0])
    for pool in ("strict", "ties"):
        pooled = th.hull(r, pool=pool)
        assert ((pooled.pos > 0) | (pooled.neg > 0)).all()
        assert th.Ranking.parse(str(pooled), score=pooled.score.tolist()) == pooled


@given(two_class_rankings)
def test_a_pool_carries_its_lowest_score(r):
    pooled = th.hull(r)
    assert set(pooled.score.tolist()) <= set(r.score.tolist())
    for score in pooled.score.tolist():
        assert th.tables.contingency_at(pooled, score) == th.tables.contingency_at(r, score)


@given(two_class_counts, st.data())
def test_any_guess_is_mended(segments, data):
    points = reference.points(segments)
    x, y = (np.array([int(v) for v in axis]) for axis in zip(*points, strict=True))
    last = len(points) - 1
    inner = data.draw(st.sets(st.integers(1, last - 1))) if last > 1 else set()
    guess = np.array(sorted({0, last} | inner), dtype=np.intp)
    assert upper_corners(x, y, guess).tolist() == reference.hull_splits(segments, corners_only=True)


def test_a_curve_of_many_pieces_has_the_same_hull(monkeypatch):
    rng = np.random.default_rng(5)
    labels = rng.random(3000) < 0.4
    scores = np.round(rng.normal(size=3000) + labels, 2)
    at_once = th.hull(th.rank(labels, scores))
    monkeypatch.setattr(parallel, "CHUNK", 7)
    monkeypatch.setattr(parallel, "processors", lambda: 3)
    assert th.hull(th.rank(labels, scores)) == at_once


@given(two_class_counts, st.integers(1, 5))
def test_splits_below_a_chord_are_dropped_early_and_touching_ones_never(segments, piece):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "CHUNK", piece)
        patch.setattr(sys.modules["thresher.curves.hull"], "_FEW", 2)
        assert hull_splits(ranking(segments)).tolist() == reference.hull_splits(segments)


def test_splits_that_touch_an_edge_in_its_middle_stay():
    assert hull_splits(th.Ranking.parse("[1-][1+]" * 400)).tolist() == list(range(0, 801, 2))


@pytest.mark.parametrize("largest", [1, 15, 16, 255, 256, 2**33])
def test_slopes_are_compared_without_overflow(largest):
    counts = [(largest, largest - 1), (largest - 1, largest), (1, largest), (0, 1)]
    dtype = np.min_scalar_type(largest)
    pos, neg = (np.array(column, dtype) for column in zip(*counts, strict=True))
    hull = th.hull(th.Ranking.of_segments(np.arange(4.0, 0, -1), pos, neg))
    assert pools(hull) == reference.pav(counts)


def test_dropped_rows_stay_counted():
    assert th.hull(th.Ranking([2, 1], [1, 0], [0, 1], dropped=3)).dropped == 3


@pytest.mark.parametrize("pool", ["all", None, True])
def test_there_are_two_ways_to_pool(pool):
    with pytest.raises(th.errors.ArgumentError, match='"strict" or "ties"'):
        th.hull(EMAILS, pool=pool)


def test_many_distinct_scores():
    rng = np.random.default_rng(8)
    score = rng.random(20_000)
    r = th.rank(rng.random(20_000) < score, score)
    pooled = th.hull(r)
    rates = pooled.pos / (pooled.pos + pooled.neg)
    assert (np.diff(rates) <= 0).all()
    assert th.auc(pooled) >= th.auc(r)
    assert (pooled.Pos, pooled.Neg) == (r.Pos, r.Neg)


def test_weights_whose_products_vanish_hide_no_corner():
    weighted = th.rank([1, 1, 0, 0], [4, 3, 2, 1], weights=[1, 1e-200, 1e-200, 1])
    assert 2 in hull_splits(weighted)
    assert th.curves.hull_bounds(weighted).upper_tpr.tolist() == [0, 1, 1]


@pytest.mark.parametrize("ratio", [1e-16, 1e-9, 1e9, 1e16])
def test_classes_that_weigh_very_differently(ratio):
    """The hull is that of equal classes, stretched."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 200)
    scores, weights = rng.normal(size=200) + labels, rng.integers(1, 3, 200)
    plain = th.rank(labels, scores, weights=weights)
    uneven = th.rank(labels, scores, weights=np.where(labels == 1, weights * ratio, weights))
    assert hull_splits(uneven, pool="ties").tolist() == hull_splits(plain, pool="ties").tolist()
