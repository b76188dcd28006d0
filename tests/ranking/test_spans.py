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
from tests.strategies import float64_scores, labelled_scores


def simple():
    return th.Ranking.of_ranges([0.6, 0.1, 0.5], [0.9, 0.4, 0.7], pos=[3, 2, 0], neg=[0, 0, 4])


def test_overlapping_ranges_become_one_unresolved_segment():
    r = simple()
    assert str(r) == "[3+,4-][2+]"
    assert r.unresolved.tolist() == [True, False]
    assert not r.exact
    assert r.score.tolist() == [0.5, 0.1]
    assert (r.spans.pos_low[0], r.spans.pos_high[0]) == (0.6, 0.9)
    assert (r.spans.neg_low[0], r.spans.neg_high[0]) == (0.5, 0.7)
    assert math.isnan(r.spans.neg_low[1])


def test_thresholds_split_no_range():
    r = simple()
    assert r.interval(1) == (0.4, 0.5)
    assert 0.4 < r.threshold(1) <= 0.5
    assert r.thresholds()[1] == r.threshold(1)


def test_ranges_of_one_score_each_make_an_exact_ranking():
    r = th.Ranking.of_ranges([0.5, 0.5, 0.1], [0.5, 0.5, 0.1], pos=[3, 0, 0], neg=[0, 2, 1])
    assert r == th.Ranking([0.5, 0.1], [3, 0], [2, 1])
    assert r.exact
    assert r.spans is None
    assert not r.unresolved.any()


def test_sums_of_weights_that_round_stay_bounded():
    ends = [0.5, 0.5, 0.1]
    r = th.Ranking.of_ranges(ends, ends, pos=[0.1 + 0.2, 0, 0], neg=[0, 0.7, 0.1], rounding=2.0**-50)
    assert r.exact
    assert r.spans is not None
    assert th.auc_bounds(r).width > 0
    assert th.Ranking.from_json(r.to_json()) == r
    assert (r + r).spans is not None
    assert (r + th.rank([1, 0], [0.5, 0.3], weights=[0.1, 0.2])).exact
    eighths = th.Ranking.of_ranges(ends, ends, pos=[0.375, 0, 0], neg=[0, 0.5, 0.125], rounding=2.0**-50)
    assert eighths.spans is None


def test_exact_rankings_carry_nothing():
    r = th.rank([1, 0], [0.5, 0.4])
    assert r.spans is None
    assert "spans" not in r.to_dict()


@given(ranged())
def test_counting_ranges_keeps_the_totals_and_orders_segments(pair):
    exact, r = pair
    assert (r.Pos, r.Neg) == (exact.Pos, exact.Neg)
    tops = r.score if r.spans is None else r.spans.high
    assert (r.score[:-1] > tops[1:]).all()


@given(ranged())
def test_every_split_is_a_split_of_the_exact_ranking(pair):
    exact, r = pair
    known = set(zip(*(cells.tolist() for cells in exact.covered()), strict=True))
    assert set(zip(*(cells.tolist() for cells in r.covered()), strict=True)) <= known
    # No number lies between +inf, which calls nothing positive, and the largest float.
    first = 2 if len(r) > 1 and r.score[0] == np.inf and r.score[1] == np.finfo(float).max else 1
    table = th.contingency_at(exact, r.thresholds()[first:])
    assert np.array_equal(table.tp, r.covered()[0][first:])
    assert np.array_equal(table.fp, r.covered()[1][first:])


@given(labelled_scores(both_classes=True), labelled_scores(both_classes=True), st.lists(float64_scores, max_size=8))
def test_sums_are_as_sound_as_their_parts(one, other, edges):
    exact = th.rank(*one) + th.rank(*other)
    for r in (
        bounded(one[0], one[1], edges) + bounded(other[0], other[1], edges),
        bounded(one[0], one[1], edges) + th.rank(*other),
        bounded(one[0], one[1], edges) + bounded(other[0], other[1], edges[::2]),
    ):
        assert (r.Pos, r.Neg) == (exact.Pos, exact.Neg)
        assert th.auc(exact) in th.auc_bounds(r)
        assert th.auc(r) in th.auc_bounds(r)


@given(labelled_scores(both_classes=True), labelled_scores(both_classes=True), st.lists(float64_scores, max_size=8))
def test_days_counted_with_the_same_edges_leave_no_more_open_than_the_whole(one, other, edges):
    together = [np.concatenate([np.asarray(a, float), np.asarray(b, float)]) for a, b in zip(one, other, strict=True)]
    added, whole = (
        th.auc_bounds(bounded(one[0], one[1], edges) + bounded(other[0], other[1], edges)),
        th.auc_bounds(bounded(together[0], together[1], edges)),
    )
    assert whole.lower <= added.lower <= added.upper <= whole.upper


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
    with pytest.raises(th.NotationError, match="spans"):
        th.Ranking.from_dict(plain)


@pytest.mark.parametrize("ranges", [([0.6], [0.5]), ([math.nan], [0.5]), ([0.1, 0.2], [0.5]), ([0.1], [0.2])])
def test_what_is_no_range_is_refused(ranges):
    with pytest.raises(th.ThresherError):
        th.Ranking.of_ranges(*ranges, pos=[1], neg=[1])


def test_no_cases():
    with pytest.raises(th.EmptyError):
        th.Ranking.of_ranges([0.1], [0.2], pos=[0], neg=[0])


def test_repr_says_how_many_are_unresolved():
    assert repr(simple()).endswith("; 1 unresolved)")


def test_pools_of_the_hull_keep_their_ranges():
    pools = th.hull(simple())
    assert pools.spans is not None
    assert pools.spans.high[0] == 0.9


def test_rounding_of_weights_adds_up_as_rows_do():
    weighted = th.Ranking.of_ranges([0.1, 0.2], [0.4, 0.3], pos=[0.3, 0], neg=[0, 0.7], rounding=1e-12)
    plain = th.Ranking([0.6, 0.5], pos=[0.1, 0.2], neg=[0.0, 0.1])
    for added, least in ((weighted + weighted + weighted, 3e-12), (weighted + plain, 1e-12)):
        assert added.spans is not None
        assert added.spans.rounding >= least
    whole = simple() + simple()
    assert whole.spans is not None
    assert whole.spans.rounding == 0
