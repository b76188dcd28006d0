import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.strategies import float64_scores, labelled_scores, weights
from thresher.ranking.cells import Cells, cells_of, groups, pooled, together


def cells(labels, scores, weight=None):
    ranking = th.rank(labels, scores, weights=weight)
    return cells_of(ranking.score, ranking.pos, ranking.neg)


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in Cells.__slots__)


@given(st.lists(float64_scores, min_size=1, max_size=30).map(lambda numbers: np.array(sorted(set(numbers))) + 0.0))
def test_cells_are_numbered_as_scores_are_ordered(scores):
    scores = np.unique(scores)
    start = cells_of(scores[::-1], np.ones(scores.size, int), np.zeros(scores.size, int)).start
    assert (start[1:] > start[:-1]).all()


def test_neighbours_have_neighbouring_numbers():
    scores = np.array([math.nextafter(1, 2), 1.0, math.nextafter(1, 0), 5e-324, 0.0, -5e-324])
    start = cells_of(scores, np.ones(6, int), np.zeros(6, int)).start
    assert np.diff(start)[[0, 1, 3, 4]].tolist() == [2, 1, 1, 1]  # -0.0 stands between -5e-324 and 0.0


@given(labelled_scores(), st.integers(1, 39))
def test_exact_cells_add_like_rankings(rows, cut):
    labels, scores = rows
    parts = [cells(*piece) for piece in ((labels[:cut], scores[:cut]), (labels[cut:], scores[cut:])) if len(piece[0])]
    assert same(together(parts), cells(labels, scores))


class TestPooled:
    @given(labelled_scores(), st.integers(2, 12), st.booleans(), st.data())
    def test_every_case_is_counted_where_it_lies(self, rows, at_most, weighted, data):
        labels, scores = rows
        eighths = st.lists(weights.map(lambda w: w + 0.125), min_size=labels.size, max_size=labels.size)
        weight = np.array(data.draw(eighths)) if weighted else np.ones(labels.size, int)
        pool = pooled(cells(labels, scores, weight if weighted else None), at_most=at_most)
        assert len(pool) <= at_most
        low, high = np.fmin(pool.pos_low, pool.neg_low), np.fmax(pool.pos_high, pool.neg_high)
        assert (low[1:] > high[:-1]).all()
        for i in range(len(pool)):
            for of_class, count, ends in (
                (labels, pool.pos[i], (pool.pos_low[i], pool.pos_high[i])),
                (~labels, pool.neg[i], (pool.neg_low[i], pool.neg_high[i])),
            ):
                inside = of_class & (scores >= low[i]) & (scores <= high[i])
                assert weight[inside].sum() == count
                if count:
                    assert (scores[inside].min(), scores[inside].max()) == ends
                else:
                    assert np.isnan(ends).all()

    @given(labelled_scores(), labelled_scores(), st.integers(2, 9), st.integers(2, 9))
    def test_pools_of_different_rows_are_nested_or_apart(self, one, other, few, many):
        parts = [pooled(cells(*one), at_most=few), pooled(cells(*other), at_most=many)]
        whole = together(parts)
        ends = whole.start | ~(np.int64(-1) << whole.level)
        assert (whole.start[1:] > ends[:-1]).all()
        for part in parts:
            home = np.searchsorted(whole.start, part.start, side="right") - 1
            assert (part.level <= whole.level[home]).all()
            assert ((part.start | ~(np.int64(-1) << part.level)) <= ends[home]).all()
        assert whole.pos.sum() == one[0].sum() + other[0].sum()
        assert whole.neg.sum() == (~one[0]).sum() + (~other[0]).sum()

    def test_an_equal_share_each(self):
        rng = np.random.default_rng(1)
        scores = rng.beta(0.5, 3, 100_000)
        pool = pooled(cells(rng.random(scores.size) < scores, scores), at_most=1024)
        assert 300 <= len(pool) <= 1024
        assert (pool.pos + pool.neg).max() <= 2 * 100_000 / 1024

    def test_a_heavy_score_stays_alone(self):
        scores = np.concatenate([np.full(1000, 0.5), np.linspace(0.4, 0.6, 100)])
        pool = pooled(cells(np.arange(scores.size) % 2 == 0, scores), at_most=16)
        heavy = np.argmax(pool.pos)
        assert (pool.level[heavy], pool.pos_low[heavy], pool.pos_high[heavy]) == (0, 0.5, 0.5)

    def test_few_cells_are_left_alone(self):
        exact = cells(np.array([True, False]), np.array([1.0, 2.0]))
        assert pooled(exact, at_most=2) is exact
        assert exact.exact

    def test_infinite_scores_and_both_signs(self):
        pool = pooled(cells(np.ones(5, bool), np.array([-math.inf, -1.0, 0.0, 1.0, math.inf])), at_most=2)
        assert (pool.pos.tolist(), pool.level.max()) == ([2, 3], 63)
        assert (pool.pos_low.tolist(), pool.pos_high.tolist()) == ([-math.inf, 0.0], [-1.0, math.inf])


def test_groups_are_ranges_of_one_class():
    low, high, count, positive = groups(pooled(cells(np.array([1, 0, 1]), np.array([1.0, 1.5, 1.75])), at_most=2))
    assert (low.tolist(), high.tolist()) == ([1.0, 1.5], [1.75, 1.5])
    assert (count.tolist(), positive.tolist()) == ([2, 1], [True, False])


@pytest.mark.parametrize("at_most", [2, 3, 10])
def test_pooling_more_than_once_is_pooling_once(at_most):
    scores = np.random.default_rng(2).random(200)
    exact = cells(np.arange(200) % 3 == 0, scores)
    assert same(pooled(pooled(exact, at_most=50), at_most=at_most), pooled(exact, at_most=at_most))
