import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import thresher as th
from tests.inference.resampling_oracles import calibrated
from tests.reachable import CONDITIONS, require_same_choices, rows_with_infinities
from tests.strategies import labelled_scores, two_class_rankings
from thresher.curves.hull import hull_splits
from thresher.ranking import merge_at, shorten, splits_to_keep
from thresher.ranking.compression import MOST_TIES, corners_among, on_edges


@given(two_class_rankings, st.integers(1, 6))
def test_pairs_hull_and_choices_stay_exact(exact, segments):
    few = shorten(exact, segments, keep="hull")
    assert th.auc(few) == th.auc(exact)
    assert th.bounds(few, "auc") == th.bounds(exact, "auc")
    assert (few.Pos, few.Neg) == (exact.Pos, exact.Neg)
    for cost_ratio in (0.3, 1, 4):
        condition = th.OperatingCondition(cost_ratio=cost_ratio)
        assert th.choose(few, condition).expected_cost == pytest.approx(th.choose(exact, condition).expected_cost)
        assert th.bounds(few, "expected_cost", condition=condition).width == 0
    assert str(th.hull(few, pool="ties")) == str(th.hull(exact, pool="ties"))


@given(rows_with_infinities(), st.integers(1, 6))
def test_choices_are_those_of_the_rows_where_some_scores_are_infinite(rows, segments):
    exact = th.rank(*rows)
    require_same_choices(shorten(exact, segments, keep="hull"), exact)


@given(rows_with_infinities(), rows_with_infinities(), st.integers(1, 3))
def test_bounds_hold_for_short_rankings_added_up(one, other, segments):
    exact = th.rank(*one) + th.rank(*other)
    added = shorten(th.rank(*one), segments, keep="hull") + shorten(th.rank(*other), segments, keep="hull")
    for condition in CONDITIONS:
        assert th.choose(exact, condition).expected_cost in th.bounds(added, "expected_cost", condition=condition)


@given(labelled_scores(both_classes=True, max_size=12), labelled_scores(both_classes=True, max_size=12))
def test_pairs_inside_segments_that_meet_are_not_known(one, other):
    exact = th.rank(*one) + th.rank(*other)
    added = shorten(th.rank(*one), 2, keep="hull") + shorten(th.rank(*other), 2, keep="hull")
    assert th.auc(exact) in th.bounds(added, "auc")
    assert th.average_precision(exact) in th.bounds(added, "average_precision")


def test_halves_of_two_segments_that_won_as_many_pairs_are_no_segment():
    one = th.Ranking([8, 5, 3], pos=[0, 1, 1], neg=[1, 0, 0])
    other = th.Ranking([4, 1], pos=[0, 1], neg=[1, 0])
    added = shorten(one, 1, keep="hull") + shorten(other, 1, keep="hull")
    assert th.auc(one + other) == 1 / 6
    assert th.auc(one + other) in th.bounds(added, "auc")


def test_a_segment_that_reaches_up_to_infinity_can_be_refused():
    exact = th.Ranking([np.inf, 4, 3, 2], pos=[0, 2, 1, 3], neg=[5, 0, 1, 9])
    few = shorten(exact, 1, keep="hull")
    condition = th.OperatingCondition(cost_ratio=0.1)
    assert th.choose(few, condition).threshold == th.choose(exact, condition).threshold == np.inf
    assert th.bounds(few, "expected_cost", condition=condition) == th.bounds(
        exact, "expected_cost", condition=condition
    )


def test_pairs_won_inside_segments_are_counted():
    few = shorten(th.Ranking.parse("[2+][1-][1+,1-][1+][3-][1+][2-]"), 2, keep="hull")
    assert few.ranges is not None
    assert few.ranges.won is not None
    assert (str(few), few.ranges.won.tolist()) == ("[2+][2+,2-][1+,3-][2-]", [-1, 1, 0, -1])


def test_splits_that_tie_stay():
    exact = th.Ranking.parse("[1+][1-]" * 20)
    few = shorten(exact, 1, keep="hull")
    assert few.ranges is not None
    assert few.ranges.ties
    assert repr(th.choose(few)) == repr(th.choose(exact))
    assert "20 tied" in repr(th.choose(few))


def test_of_very_many_ties_some_stay_and_it_is_known_that_others_are_lost():
    exact = th.Ranking.parse("[1+][1-]" * 2000)
    few = shorten(exact, 1, keep="hull")
    assert len(few) < 2 * MOST_TIES
    assert few.ranges is not None
    assert not few.ranges.ties
    choice = th.choose(few)
    assert choice.expected_cost == th.choose(exact).expected_cost
    assert "or more tied" in repr(choice)
    assert "cost the same" in " ".join(caution.text for caution in choice.cautions)
    assert choice.expected_cost in th.bounds(few, "expected_cost")
    # Elsewhere on the hull nothing is open.
    assert th.bounds(few, "expected_cost", condition=th.OperatingCondition(cost_ratio=3)).width == 0


def test_counts_whose_pairs_no_number_holds_stay_as_they_are():
    exact = th.Ranking(range(9, 0, -1), pos=[2**40] * 9, neg=[2**40] * 9)
    assert shorten(exact, 1, keep="hull") is exact


@given(labelled_scores(both_classes=True, max_size=60), st.integers(1, 6))
def test_bounds_hold_for_the_rest(rows, segments):
    exact = th.rank(*rows)
    few = shorten(exact, segments, keep="hull")
    assert th.average_precision(exact) in th.bounds(few, "average_precision")
    assert th.pr_area(exact) in th.bounds(few, "pr_area")
    assert th.ks(exact).statistic in th.bounds(few, "ks")
    assert th.Ranking.from_json(few.to_json()) == few


def test_a_long_ranking_becomes_short():
    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.4
    exact = th.rank(labels, rng.normal(size=20_000) + labels)
    few = shorten(exact, 100, keep="hull")
    assert len(few) < 400
    assert th.auc(few) == th.auc(exact)
    assert th.bounds(few, "average_precision").width < 0.02


@given(
    st.lists(st.tuples(st.booleans(), st.integers(-9, 9), st.integers(-50, 50)), min_size=2, max_size=40),
    st.integers(1, 6),
)
@example([(True, 6, 57), (True, 5, 0), (False, 4, 53), (True, 3, 53), (False, 2, 0), (False, 1, 57)], 2)
def test_weights_that_vanish_next_to_others_hide_no_corner(rows, segments):
    labels, scores, powers = zip(*[(True, 9.5, 0), (False, -9.5, 0), *rows], strict=True)
    exact = th.rank(labels, scores, weights=[2.0**power for power in powers])
    few = shorten(exact, segments, keep="hull")
    for cost_ratio in (0.01, 0.3, 1, 4, 100):
        condition = th.OperatingCondition(cost_ratio=cost_ratio)
        bounds = th.bounds(few, "expected_cost", condition=condition)
        assert th.choose(exact, condition).expected_cost in bounds
        assert bounds.width <= 1e-9


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 9)), min_size=2, max_size=30), st.integers(1, 4))
def test_weights_are_read_back(rows, segments):
    labels, parts = zip(*[(True, 1), (False, 1), *rows], strict=True)
    exact = th.rank(labels, range(len(labels)), weights=[part / 3 for part in parts])
    few = shorten(exact, segments, keep="hull")
    assert th.Ranking.from_json(few.to_json()) == few


def test_weights():
    exact = th.rank([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], weights=[0.25, 1, 2, 1, 1, 1])
    assert th.auc(shorten(exact, 1, keep="hull")) == pytest.approx(th.auc(exact))


def test_weights_on_one_line_become_short():
    rng = np.random.default_rng(0)
    weights = np.repeat(rng.random(20_000), 2)
    exact = th.rank(np.tile([1, 0], 20_000), np.repeat(np.arange(20_000), 2), weights=weights)
    assert len(shorten(exact, 100, keep="hull")) < 20_000


@given(two_class_rankings)
def test_corners_are_those_of_the_hull(r):
    tp, fp = r.covered()
    assert corners_among(fp, tp).tolist() == hull_splits(r, pool="ties").tolist()


@given(two_class_rankings)
def test_what_lies_on_edges_touches_the_hull(r):
    tp, fp = r.covered()
    corner = hull_splits(r, pool="ties")
    tied = on_edges(fp, tp, corner)
    inside = np.setdiff1d(hull_splits(r), corner)
    before = corner[np.searchsorted(corner, inside) - 1]
    slanted = (tp[inside] > tp[before]) & (fp[inside] > fp[before])
    assert tied.tolist() == inside[slanted].tolist()


def test_one_point_is_a_corner():
    assert corners_among(np.array([3]), np.array([4])).tolist() == [0]
    assert on_edges(np.array([3]), np.array([4]), np.array([0])).size == 0


@pytest.mark.parametrize("keep", ["even", "classes", "percent", "hull"])
def test_few_segments_stay(keep):
    ranking = calibrated(50, 0)
    assert shorten(ranking, 50, keep=keep) is ranking
    assert splits_to_keep(ranking, 50, keep=keep).tolist() == list(range(51))


@pytest.mark.parametrize("most", [7, 64, 999])
def test_even_groups_hold_all_cases(most):
    ranking = calibrated(1000, 1)
    short = shorten(ranking, most, keep="even")
    assert len(short) == most
    assert (short.Pos, short.Neg) == (ranking.Pos, ranking.Neg)
    assert (short.score * (short.pos + short.neg)).sum() == pytest.approx((ranking.score).sum())
    assert np.ptp(short.pos + short.neg) <= 2
    assert (np.diff(short.score) < 0).all()
    lowest = ranking.score[splits_to_keep(ranking, most, keep="even")[1:] - 1]
    group = np.searchsorted(-lowest, -ranking.score)
    assert np.bincount(group, weights=ranking.pos).tolist() == short.pos.tolist()


def test_a_large_segment_is_a_group_by_itself():
    ranking = th.Ranking([5, 4, 3, 2, 1], [1, 1, 90, 1, 1], [1, 1, 90, 1, 1])
    short = shorten(ranking, 3, keep="even")
    assert short.pos.sum() == 94
    assert len(short) <= 3


@pytest.mark.parametrize("most", [20, 100, 500])
def test_segments_of_even_classes_hold_equal_shares_and_the_corners(most):
    ranking = calibrated(5000, 2)
    short = shorten(ranking, most, keep="classes")
    assert (short.Pos, short.Neg) == (ranking.Pos, ranking.Neg)
    assert short.pos.max() <= ranking.Pos / (most // 2) + 1
    assert short.neg.max() <= ranking.Neg / (most // 2) + 1
    corners = hull_splits(ranking, pool="ties")
    if corners.size <= most:
        assert set(ranking.score[corners[1:] - 1]) <= set(short.score)
    assert len(short) < 2 * most + corners.size
    assert th.auc(short) == pytest.approx(th.auc(ranking), abs=1 / most)


def test_integer_percents_stay_thresholds():
    ranking = calibrated(5000, 3)
    short = shorten(ranking, 100, keep="percent")
    for percent in range(1, 100):
        assert th.tables.contingency_at(short, percent / 100) == th.tables.contingency_at(ranking, percent / 100)


@given(two_class_rankings, st.data())
def test_merged_segments_carry_their_lowest_score_and_all_cases(ranking, data):
    inner = data.draw(st.sets(st.integers(1, len(ranking))))
    split = np.array(sorted({0, len(ranking)} | inner))
    short = merge_at(ranking, split)
    tp, fp = ranking.covered()
    assert short.score.tolist() == ranking.score[split[1:] - 1].tolist()
    assert [covered.tolist() for covered in short.covered()] == [tp[split].tolist(), fp[split].tolist()]


@pytest.mark.parametrize("points", [50, 300])
def test_segments_of_a_thin_curve_hold_every_case(points):
    ranking = calibrated(1000, 6)
    short = merge_at(ranking, th.curves.thin(ranking, points=points).split)
    assert (short.Pos, short.Neg) == (ranking.Pos, ranking.Neg)
    assert len(short) < points
    assert th.auc(short) == pytest.approx(th.auc(ranking), abs=0.01)
