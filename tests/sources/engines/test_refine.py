import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from thresher.sources.refinement import (
    MOST_PARTS,
    PIECES,
    divided,
    hiding_as_good,
    hiding_better,
    open_share,
    pieces_around,
    pieces_for,
)

import thresher as th
from tests.ranges import bounded as in_ranges
from tests.ranges import ranged
from tests.reachable import CONDITIONS, rows_with_infinities


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=300))
def test_pieces_rise_and_are_few(shares):
    pos, neg = (np.array(side) for side in zip(*shares, strict=True))
    found = pieces_for(np.arange(len(shares)) + 7, pos, neg, tolerance=1e-4)
    assert len(found) <= PIECES
    assert all(a.first < b.first for a, b in itertools.pairwise(found))
    assert all(piece.parts >= 1 for piece in found)


def test_parts_follow_where_both_classes_are():
    pos = np.r_[np.full(50, 1e-6), np.full(50, 0.02)]
    found = pieces_for(np.arange(100), pos, pos, tolerance=1e-3)
    assert found[-1].parts > 10 * found[0].parts
    assert divided(found)


def test_the_number_of_parts_is_bounded():
    same = np.full(1000, 1e-3)
    parts = pieces_for(np.arange(1000), same, same, tolerance=1e-12)
    assert sum(piece.parts for piece in parts) <= MOST_PARTS + 1000


def test_nothing_to_divide():
    assert pieces_for(np.arange(3), np.zeros(3), np.ones(3), tolerance=1e-6) == ()


def test_the_open_share_is_the_width_of_the_bounds():
    r = th.Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    assert abs(open_share(r) - th.auc_bounds(r).width) < 1e-12
    assert open_share(th.Ranking.parse("[1+,1-]")) == 0


@given(st.lists(st.booleans(), min_size=1, max_size=400))
def test_pieces_around_divide_what_is_wanted_and_little_else(flags):
    wanted, bucket = np.array(flags), np.arange(len(flags)) * 3 - 50
    found = pieces_around(bucket, wanted, parts=10**6)
    assert len(found) <= PIECES + 1
    assert all(a.first < b.first for a, b in itertools.pairwise(found))
    if not wanted.any():
        assert found == ()
        return
    first = np.array([piece.first for piece in found])
    each = np.array([piece.parts for piece in found])[np.maximum(np.searchsorted(first, bucket, side="right") - 1, 0)]
    assert (each[wanted] > 1).all()
    runs = np.count_nonzero(np.diff(wanted.astype(int), prepend=0) == 1)
    if runs <= PIECES // 2:
        assert (each[~wanted] == 1).all()


@given(ranged(), st.floats(0.01, 100))
def test_where_no_segment_is_a_rival_the_choice_is_certain(both, cost_ratio):
    _, bounded = both
    condition = th.OperatingCondition(cost_ratio=cost_ratio)
    slope = condition.slope_coverage(bounded)
    if not hiding_better(bounded, slope).any():
        assert th.best_cost_bounds(bounded, condition=condition).width < 1e-12
    if not hiding_as_good(bounded, slope).any():
        assert th.best_cost_bounds(bounded, condition=condition).width == 0


@given(rows_with_infinities(), st.lists(st.integers(-5, 5), max_size=4))
def test_where_nothing_as_good_is_hidden_the_choice_is_that_of_the_rows(rows, edges):
    exact, bounded = th.rank(*rows), in_ranges(rows[0], rows[1], edges)
    for condition in CONDITIONS:
        one, other = th.choose(bounded, condition), th.choose(exact, condition)
        hidden = hiding_as_good(bounded, condition.slope_coverage(bounded)).any()
        assert hidden == ("unresolved" in [caution.code for caution in one.cautions])
        assert hidden or repr(one) == repr(other)
        assert other.expected_cost in th.best_cost_bounds(bounded, condition=condition)


def test_a_range_of_one_class_up_to_infinity_hides_nothing():
    r = th.Ranking.of_ranges([0.5, 0.0], [np.inf, 0.0], pos=[0, 1], neg=[3, 0])
    assert not hiding_better(r, 1.0).any()
