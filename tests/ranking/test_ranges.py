import copy
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.ranges import bounded, ranged
from tests.strategies import float64_scores, labelled_scores, weights
from thresher.ranking import Ranges, Sketch


def simple():
    return th.Ranking.of_ranges([0.6, 0.1, 0.5], [0.9, 0.4, 0.7], pos=[3, 2, 0], neg=[0, 0, 4])


def test_overlapping_ranges_become_one_unresolved_segment():
    r = simple()
    assert str(r) == "[3+,4-][2+]"
    assert r.unresolved.tolist() == [True, False]
    assert not r.exact
    assert r.score.tolist() == [0.5, 0.1]
    assert (r.ranges.pos_low[0], r.ranges.pos_high[0]) == (0.6, 0.9)
    assert (r.ranges.neg_low[0], r.ranges.neg_high[0]) == (0.5, 0.7)
    assert math.isnan(r.ranges.neg_low[1])


def test_thresholds_split_no_range():
    r = simple()
    assert r.interval(1) == (0.4, 0.5)
    assert 0.4 < r.threshold(1) <= 0.5
    assert r.thresholds()[1] == r.threshold(1)


def test_ranges_of_one_score_each_make_an_exact_ranking():
    r = th.Ranking.of_ranges([0.5, 0.5, 0.1], [0.5, 0.5, 0.1], pos=[3, 0, 0], neg=[0, 2, 1])
    assert r == th.Ranking([0.5, 0.1], [3, 0], [2, 1])
    assert r.exact
    assert r.ranges is None
    assert not r.unresolved.any()


def test_sums_of_weights_that_round_stay_bounded():
    ends = [0.5, 0.5, 0.1]
    r = th.Ranking.of_ranges(ends, ends, pos=[0.1 + 0.2, 0, 0], neg=[0, 0.7, 0.1], rounding=2.0**-50)
    assert r.exact
    assert r.ranges is not None
    assert th.bounds(r, "auc").width > 0
    assert th.Ranking.from_json(r.to_json()) == r
    assert (r + r).ranges is not None
    assert (r + th.rank([1, 0], [0.5, 0.3], weights=[0.1, 0.2])).exact
    eighths = th.Ranking.of_ranges(ends, ends, pos=[0.375, 0, 0], neg=[0, 0.5, 0.125], rounding=2.0**-50)
    assert eighths.ranges is None


def test_pairs_of_ranges_that_only_touch_are_won_or_tied():
    touching = Ranges(np.array([0.5]), np.array([0.7]), np.array([0.1]), np.array([0.5]))
    least, most = touching.inner_pairs(np.array([3]), np.array([2]))
    assert (least.tolist(), most.tolist()) == ([6], [12])


def test_exact_rankings_carry_nothing():
    r = th.rank([1, 0], [0.5, 0.4])
    assert r.ranges is None
    assert "spans" not in r.to_dict()


@given(ranged())
def test_counting_ranges_keeps_the_totals_and_orders_segments(pair):
    exact, r = pair
    assert (r.Pos, r.Neg) == (exact.Pos, exact.Neg)
    tops = r.score if r.ranges is None else r.ranges.high
    assert (r.score[:-1] > tops[1:]).all()


@given(ranged())
def test_every_split_is_a_split_of_the_exact_ranking(pair):
    exact, r = pair
    known = set(zip(*(cells.tolist() for cells in exact.covered()), strict=True))
    assert set(zip(*(cells.tolist() for cells in r.covered()), strict=True)) <= known
    table = th.tables.contingency_at(exact, r.thresholds())
    assert np.array_equal(table.tp, r.covered()[0])
    assert np.array_equal(table.fp, r.covered()[1])


@given(labelled_scores(both_classes=True), labelled_scores(both_classes=True), st.lists(float64_scores, max_size=8))
def test_sums_are_as_sound_as_their_parts(one, other, edges):
    exact = th.rank(*one) + th.rank(*other)
    for r in (
        bounded(one[0], one[1], edges) + bounded(other[0], other[1], edges),
        bounded(one[0], one[1], edges) + th.rank(*other),
        bounded(one[0], one[1], edges) + bounded(other[0], other[1], edges[::2]),
    ):
        assert (r.Pos, r.Neg) == (exact.Pos, exact.Neg)
        assert th.auc(exact) in th.bounds(r, "auc")
        assert th.auc(r) in th.bounds(r, "auc")


@given(labelled_scores(both_classes=True), labelled_scores(both_classes=True), st.lists(float64_scores, max_size=8))
def test_days_counted_with_the_same_edges_leave_no_more_open_than_all_at_once(one, other, edges):
    together = [np.concatenate([np.asarray(a, float), np.asarray(b, float)]) for a, b in zip(one, other, strict=True)]
    added, at_once = (
        th.bounds(bounded(one[0], one[1], edges) + bounded(other[0], other[1], edges), "auc"),
        th.bounds(bounded(together[0], together[1], edges), "auc"),
    )
    assert at_once.lower <= added.lower <= added.upper <= at_once.upper


@given(ranged(), st.booleans())
def test_copies_and_json_are_equal(pair, weighted):
    _, r = pair
    if weighted:
        r = th.Ranking.of_ranges([0.5, 0.2], [0.8, math.inf], pos=[0.25, 1], neg=[1, 0.5], dropped=3, rounding=1e-12)
    assert th.Ranking.from_json(r.to_json()) == r
    assert pickle.loads(pickle.dumps(r)) == r  # noqa: S301
    assert copy.deepcopy(r) == r
    assert th.Ranking.from_json(r.to_json()).to_json() == r.to_json()


def test_equality_asks_for_the_spans_too():
    r = simple()
    assert r != th.Ranking(r.score, r.pos, r.neg)
    assert r != th.Ranking.of_ranges([0.6, 0.1, 0.5], [0.8, 0.4, 0.7], pos=[3, 2, 0], neg=[0, 0, 4])
    assert r == simple()


@pytest.mark.parametrize(
    "change",
    [
        {"pos_low": [0.6]},
        {"pos_low": [None, 0.1]},
        {"neg_high": [0.7, 0.2]},
        {"pos_low": [0.55, 0.2]},
        {"pos_high": [0.2, 0.4]},
        {"pos_high": [0.9, 0.55]},
        {"won": [99, -1]},
        {"won": [1]},
        {"pos_low": "spam"},
    ],
)
def test_spans_that_do_not_fit_are_refused(change):
    plain = json.loads(simple().to_json())
    plain["spans"] |= change
    with pytest.raises(th.errors.NotationError, match="spans"):
        th.Ranking.from_dict(plain)


@pytest.mark.parametrize("ranges", [([0.6], [0.5]), ([math.nan], [0.5]), ([0.1, 0.2], [0.5]), ([0.1], [0.2])])
def test_what_is_no_range_is_refused(ranges):
    with pytest.raises(th.ThresherError):
        th.Ranking.of_ranges(*ranges, pos=[1], neg=[1])


def test_no_cases():
    with pytest.raises(th.errors.EmptyError):
        th.Ranking.of_ranges([0.1], [0.2], pos=[0], neg=[0])


def test_repr_says_how_many_are_unresolved():
    assert repr(simple()).endswith("; 1 unresolved)")


def test_pools_of_the_hull_keep_their_ranges():
    pools = th.hull(simple())
    assert pools.ranges is not None
    assert pools.ranges.high[0] == 0.9


def test_rounding_of_weights_adds_up_as_rows_do():
    weighted = th.Ranking.of_ranges([0.1, 0.2], [0.4, 0.3], pos=[0.3, 0], neg=[0, 0.7], rounding=1e-12)
    plain = th.Ranking([0.6, 0.5], pos=[0.1, 0.2], neg=[0.0, 0.1])
    for added, least in ((weighted + weighted + weighted, 3e-12), (weighted + plain, 1e-12)):
        assert added.ranges is not None
        assert added.ranges.rounding >= least
    both = simple() + simple()
    assert both.ranges is not None
    assert both.ranges.rounding == 0


def sketch(labels, scores, weight=None):
    ranking = th.rank(labels, scores, weights=weight)
    return Sketch.of_segments(ranking.score, ranking.pos, ranking.neg)


def same(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in Sketch.__slots__)


@given(st.lists(float64_scores, min_size=1, max_size=30).map(lambda numbers: np.array(sorted(set(numbers))) + 0.0))
def test_blocks_are_numbered_as_scores_are_ordered(scores):
    scores = np.unique(scores)
    start = Sketch.of_segments(scores[::-1], np.ones(scores.size, int), np.zeros(scores.size, int)).start
    assert (start[1:] > start[:-1]).all()


def test_neighbours_have_neighbouring_numbers():
    scores = np.array([math.nextafter(1, 2), 1.0, math.nextafter(1, 0), 5e-324, 0.0, -5e-324])
    start = Sketch.of_segments(scores, np.ones(6, int), np.zeros(6, int)).start
    assert np.diff(start)[[0, 1, 3, 4]].tolist() == [2, 1, 1, 1]  # -0.0 lies between -5e-324 and 0.0


@given(labelled_scores(), st.integers(1, 39))
def test_exact_sketches_add_like_rankings(rows, cut):
    labels, scores = rows
    parts = [sketch(*part) for part in ((labels[:cut], scores[:cut]), (labels[cut:], scores[cut:])) if len(part[0])]
    assert same(Sketch.merge(parts), sketch(labels, scores))


class TestCompress:
    @given(labelled_scores(), st.integers(2, 12), st.booleans(), st.data())
    def test_every_case_is_counted_where_it_lies(self, rows, most, weighted, data):
        labels, scores = rows
        eighths = st.lists(weights.map(lambda w: w + 0.125), min_size=labels.size, max_size=labels.size)
        weight = np.array(data.draw(eighths)) if weighted else np.ones(labels.size, int)
        blocks = sketch(labels, scores, weight if weighted else None).compress(most)
        assert len(blocks) <= most
        low, high = np.fmin(blocks.pos_low, blocks.neg_low), np.fmax(blocks.pos_high, blocks.neg_high)
        assert (low[1:] > high[:-1]).all()
        for i in range(len(blocks)):
            for of_class, count, ends in (
                (labels, blocks.pos[i], (blocks.pos_low[i], blocks.pos_high[i])),
                (~labels, blocks.neg[i], (blocks.neg_low[i], blocks.neg_high[i])),
            ):
                inside = of_class & (scores >= low[i]) & (scores <= high[i])
                assert weight[inside].sum() == count
                if count:
                    assert (scores[inside].min(), scores[inside].max()) == ends
                else:
                    assert np.isnan(ends).all()

    @given(labelled_scores(), labelled_scores(), st.integers(2, 9), st.integers(2, 9))
    def test_blocks_of_different_rows_are_nested_or_apart(self, one, other, few, many):
        parts = [sketch(*one).compress(few), sketch(*other).compress(many)]
        both = Sketch.merge(parts)
        ends = both.start | ~(np.int64(-1) << both.level)
        assert (both.start[1:] > ends[:-1]).all()
        for part in parts:
            home = np.searchsorted(both.start, part.start, side="right") - 1
            assert (part.level <= both.level[home]).all()
            assert ((part.start | ~(np.int64(-1) << part.level)) <= ends[home]).all()
        assert both.pos.sum() == one[0].sum() + other[0].sum()
        assert both.neg.sum() == (~one[0]).sum() + (~other[0]).sum()

    def test_an_equal_share_each(self):
        rng = np.random.default_rng(1)
        scores = rng.beta(0.5, 3, 100_000)
        blocks = sketch(rng.random(scores.size) < scores, scores).compress(1024)
        assert 300 <= len(blocks) <= 1024
        assert (blocks.pos + blocks.neg).max() <= 2 * 100_000 / 1024

    def test_a_heavy_score_stays_alone(self):
        scores = np.concatenate([np.full(1000, 0.5), np.linspace(0.4, 0.6, 100)])
        blocks = sketch(np.arange(scores.size) % 2 == 0, scores).compress(16)
        heavy = np.argmax(blocks.pos)
        assert (blocks.level[heavy], blocks.pos_low[heavy], blocks.pos_high[heavy]) == (0, 0.5, 0.5)

    def test_few_blocks_are_not_compressed(self):
        exact = sketch(np.array([True, False]), np.array([1.0, 2.0]))
        assert exact.compress(2) is exact
        assert exact.exact

    def test_infinite_scores_and_both_signs(self):
        blocks = sketch(np.ones(5, bool), np.array([-math.inf, -1.0, 0.0, 1.0, math.inf])).compress(2)
        assert (blocks.pos.tolist(), blocks.level.max()) == ([2, 3], 63)
        assert (blocks.pos_low.tolist(), blocks.pos_high.tolist()) == ([-math.inf, 0.0], [-1.0, math.inf])


def test_groups_are_ranges_of_one_class():
    low, high, count, positive = sketch(np.array([1, 0, 1]), np.array([1.0, 1.5, 1.75])).compress(2).groups()
    assert (low.tolist(), high.tolist()) == ([1.0, 1.5], [1.75, 1.5])
    assert (count.tolist(), positive.tolist()) == ([2, 1], [True, False])


@pytest.mark.parametrize("most", [2, 3, 10])
def test_compressing_twice_is_compressing_once(most):
    scores = np.random.default_rng(2).random(200)
    exact = sketch(np.arange(200) % 3 == 0, scores)
    assert same(exact.compress(50).compress(most), exact.compress(most))
