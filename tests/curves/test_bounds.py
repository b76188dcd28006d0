import math
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.ranges import ranged, rounded
from tests.reference import pr_area_in_decimals
from tests.strategies import rare_positives, two_class_rankings

OF_ANY = [
    (partial(th.bounds, of="auc"), th.auc),
    (partial(th.bounds, of="ks"), lambda r: th.ks(r).statistic),
    (partial(th.bounds, of="average_precision"), th.average_precision),
    (partial(th.bounds, of="pr_area"), th.pr_area),
    (partial(th.bounds, of="expected_cost"), lambda r: th.choose(r).expected_cost),
]
OF_PROBABILITIES = [
    (partial(th.bounds, of="brier"), th.brier),
    (partial(th.bounds, of="log_loss"), lambda r: float(th.log_loss(r))),
]


@pytest.mark.parametrize(("bounds", "value"), OF_ANY)
@given(pair=ranged())
def test_the_exact_value_lies_between(bounds, value, pair):
    exact, r = pair
    assert value(exact) in bounds(r)


@pytest.mark.parametrize(("bounds", "value"), OF_ANY)
@given(pair=ranged(weighted=True))
def test_the_exact_value_of_weighted_rows_lies_between(bounds, value, pair):
    exact, r = pair
    assert value(exact) in bounds(r)


@pytest.mark.parametrize(("bounds", "value"), OF_PROBABILITIES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_exact_loss_lies_between(bounds, value, weighted):
    @given(pair=ranged(probabilities=True, weighted=weighted))
    def check(pair):
        exact, r = pair
        limits = bounds(r)
        assert value(exact) in limits
        assert limits.lower <= limits.upper

    check()


@pytest.mark.parametrize(("bounds", "value"), OF_ANY)
@given(r=two_class_rankings)
def test_an_exact_ranking_leaves_nothing_open(bounds, value, r):
    assert bounds(r) == th.curves.Bounds(value(r), value(r))
    assert bounds(r).width == 0


@given(rare_positives, st.integers(1, 4))
def test_small_areas_lie_between_bounds_as_small(counts, together):
    ranges = [
        (-rows[-1], -rows[0], cases * (side == 0), cases * (side == 1))
        for first in range(0, len(counts), together)
        for side in (0, 1)
        if (rows := [i for i in range(first, min(first + together, len(counts))) if counts[i][side]])
        and (cases := sum(counts[i][side] for i in rows))
    ]
    low, high, pos, neg = zip(*ranges, strict=True)
    limits = th.bounds(th.Ranking.of_ranges(low, high, pos=pos, neg=neg), of="pr_area")
    exact = pr_area_in_decimals(counts)
    if together == 1:
        assert limits.lower == limits.upper == pytest.approx(float(exact), rel=1e-14, abs=0)
    else:
        assert Decimal(limits.lower) <= exact <= Decimal(limits.upper)
        assert limits.lower > 0


@given(ranged())
def test_what_treats_segments_as_ties_lies_between_too(pair):
    _, r = pair
    assert th.auc(r) in th.bounds(r, "auc")
    assert th.curves.ranking_error(r) == pytest.approx(1 - th.auc(r))


@pytest.mark.parametrize("weighted", [False, True])
def test_tables_at_any_threshold(weighted):
    @given(pair=ranged(weighted=weighted))
    def check(pair):
        exact, r = pair
        at = np.concatenate([exact.score, exact.thresholds(), [math.inf, -math.inf]])
        true, limits = th.tables.contingency_at(exact, at), th.curves.table_bounds(r, at)
        assert (limits.least.tp <= true.tp).all()
        assert (true.tp <= limits.most.tp).all()
        assert (limits.least.fp <= true.fp).all()
        assert (true.fp <= limits.most.fp).all()
        for each in (limits.least, limits.most):
            if weighted:  # each cell allows for rounding
                np.testing.assert_allclose(each.tp + each.fn, r.Pos, rtol=1e-12)
            else:
                assert (each.tp + each.fn == r.Pos).all()

    check()


@given(ranged())
def test_costs_at_any_threshold(pair):
    exact, r = pair
    condition = th.OperatingCondition(cost_fp=2, cost_fn=7, cost_tp=-1)
    for at in [*exact.score.tolist(), *r.thresholds().tolist()]:
        true = condition.for_data(exact).expected_cost(th.tables.contingency_at(exact, at))
        limits = th.bounds(r, "expected_cost", threshold=at, condition=condition)
        assert limits.lower - 1e-12 <= true <= limits.upper + 1e-12
        if at in r.thresholds() and at < r.interval(0)[0]:
            assert limits.width == 0


@given(ranged())
def test_the_curve_lies_between_the_curves(pair):
    exact, r = pair
    fpr, tpr, _ = th.roc(exact)
    limits = th.curves.roc_bounds(r)
    assert (tpr <= np.array([_highest(limits.upper_fpr, limits.upper_tpr, x) for x in fpr]) + 1e-12).all()
    assert (tpr >= np.array([_lowest(limits.lower_fpr, limits.lower_tpr, x) for x in fpr]) - 1e-12).all()


@given(ranged())
def test_the_hull_lies_between_the_hulls(pair):
    exact, r = pair
    corner = th.hull(exact, pool="ties")
    tp, fp = corner.covered()
    limits = th.curves.hull_bounds(r)
    for x, y in zip(fp / exact.Neg, tp / exact.Pos, strict=True):
        assert y <= _highest(limits.upper_fpr, limits.upper_tpr, x) + 1e-12
    for x, y in zip(limits.lower_fpr, limits.lower_tpr, strict=True):
        assert y <= _highest(fp / exact.Neg, tp / exact.Pos, x) + 1e-12


CONDITIONS = [
    None,
    th.OperatingCondition(cost_fp=0.1, cost_fn=0.7, cost_tp=-0.3, cost_tn=-0.3),
    th.OperatingCondition(cost_ratio=3, class_ratio=0.3),
]


@pytest.mark.parametrize(("bounds", "value"), OF_ANY + OF_PROBABILITIES)
@given(pair=rounded())
def test_values_of_weights_that_round_lie_between(bounds, value, pair):
    exact, r = pair
    assert value(exact) in bounds(r)


@given(rounded())
def test_values_of_weights_stay_within_what_is_possible(pair):
    _, r = pair
    for bounds, _ in OF_ANY + OF_PROBABILITIES:
        assert bounds(r).lower >= 0
        assert bounds(r).upper <= (math.inf if bounds.keywords["of"] == "log_loss" else 1)


@given(rounded())
def test_tables_of_weights_that_round_lie_between(pair):
    exact, r = pair
    at = np.concatenate([exact.score, exact.thresholds(), [math.inf, -math.inf]])
    true, limits = th.tables.contingency_at(exact, at), th.curves.table_bounds(r, at)
    for cell, lower, upper in (
        ("tp", limits.least, limits.most),
        ("fp", limits.least, limits.most),
        ("fn", limits.most, limits.least),
        ("tn", limits.most, limits.least),
    ):
        assert (getattr(lower, cell) >= 0).all()
        assert (getattr(lower, cell) <= getattr(true, cell)).all()
        assert (getattr(true, cell) <= getattr(upper, cell)).all()


@pytest.mark.parametrize("condition", CONDITIONS)
@given(pair=rounded())
def test_costs_of_weights_that_round_lie_between(condition, pair):
    exact, r = pair
    asked = (condition or th.OperatingCondition()).for_data(exact)
    for at in [*exact.score[:: 1 + len(exact) // 20].tolist(), math.inf, -math.inf]:
        true = float(asked.expected_cost(th.tables.contingency_at(exact, at)))
        assert true in th.bounds(r, "expected_cost", threshold=at, condition=condition)
    assert th.choose(exact, condition).expected_cost in th.bounds(r, "expected_cost", condition=condition)


@given(rounded())
def test_curves_of_weights_that_round_lie_between(pair):
    exact, r = pair
    fpr, tpr, _ = th.roc(exact)
    limits = th.curves.roc_bounds(r)
    for x, y in zip(fpr, tpr, strict=True):
        assert _on(limits.lower_fpr, limits.lower_tpr, x)[0] <= y <= _on(limits.upper_fpr, limits.upper_tpr, x)[1]


@given(rounded())
def test_hulls_of_weights_that_round_lie_between(pair):
    exact, r = pair
    corner, limits = th.hull(exact, pool="ties"), th.curves.hull_bounds(r)
    tp, fp = corner.covered()
    fpr, tpr = fp / corner.Neg, tp / corner.Pos
    for x, y in zip(fpr, tpr, strict=True):
        assert y <= _on(limits.upper_fpr, limits.upper_tpr, x)[1]
    for x, y in zip(limits.lower_fpr, limits.lower_tpr, strict=True):
        assert y <= _on(fpr, tpr, x)[1]


def test_the_hull_keeps_a_corner_next_to_a_negligible_weight():
    """Of two equal points neither turns, and both were left out."""
    r = th.Ranking.of_ranges(
        [0.9, 0.7, 0.6, 0.4, 0.1, 0.2],
        [0.9, 0.7, 0.6, 0.4, 0.3, 0.3],
        pos=[1e9, 1e-9, 0, 1, 0, 1],
        neg=[0, 0, 1.0, 1, 1.0, 0],
    )
    limits = th.curves.hull_bounds(r)
    assert _on(limits.upper_fpr, limits.upper_tpr, 0.0)[1] > 0.99


def _on(x, y, at):
    """The lowest and the highest point of a rising polyline at `at`, to the last digit."""
    here = y[x == at]
    return (here.min(), here.max()) if here.size else (np.interp(at, x, y),) * 2


def _highest(x, y, at):
    """The highest point of a rising polyline at or just before `at`, allowing for rounding."""
    return float(max(np.interp(at, x, y), y[x <= at + 1e-12].max()))


def _lowest(x, y, at):
    return float(min(np.interp(at, x, y), y[x >= at - 1e-12].min()))


def test_bounds_are_reached_by_some_order():
    r = th.Ranking.of_ranges([0.1], [0.9], pos=[2], neg=[2])
    assert th.bounds(r, "auc") == th.curves.Bounds(0.0, 1.0)
    touching = th.Ranking.of_ranges([0.5, 0.1], [0.9, 0.5], pos=[2, 0], neg=[0, 2])
    assert th.bounds(touching, "auc") == th.curves.Bounds(0.5, 1.0)
    assert th.auc(th.rank([1, 1, 0, 0], [0.9, 0.5, 0.5, 0.1])) in th.bounds(touching, "auc")


def test_counts_beyond_int64_products_stay_exact():
    big = 2**40
    r = th.Ranking.of_ranges([0.6, 0.1], [0.9, 0.4], pos=[big, big], neg=[big, big])
    limits = th.bounds(r, "auc")
    assert limits == th.curves.Bounds(0.25, 0.75)
    assert Fraction(limits.lower) <= Fraction(1, 4)


def test_certain_and_wrong_is_infinite_on_both_sides():
    r = th.Ranking.of_ranges([0.0], [0.3], pos=[2], neg=[3])
    assert th.bounds(r, "log_loss") == th.curves.Bounds(math.inf, math.inf)


def test_scores_that_are_no_probabilities_are_refused():
    r = th.Ranking.of_ranges([0.5], [1.5], pos=[2], neg=[3])
    for question in (partial(th.bounds, of="brier"), partial(th.bounds, of="log_loss")):
        with pytest.raises(th.errors.ProbabilityError):
            question(r)


def test_a_range_up_to_infinity_may_be_refused_but_for_its_top():
    """Hypothesis found it: calling the +inf alone positive is cheaper than any split between these ranges."""
    r = th.Ranking.of_ranges([0.5, 0.0], [math.inf, 0.0], pos=[0, 1], neg=[3, 0])
    assert th.choose(th.Ranking([math.inf, 0.5, 0.0], pos=[0, 0, 1], neg=[1, 2, 0])).expected_cost in (
        th.bounds(r, "expected_cost")
    )


def test_a_choice_on_open_segments_says_so():
    r = th.Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    assert "unresolved" in [caution.code for caution in th.choose(r).cautions]
    assert "unresolved" not in [caution.code for caution in th.choose(th.Ranking.parse("[3+][1-]")).cautions]


def test_a_choice_that_no_open_segment_can_better_says_nothing():
    r = th.Ranking.of_ranges([0.8, 0.5, 0.1, 0.2], [0.9, 0.6, 0.4, 0.3], pos=[9, 0, 2, 0], neg=[0, 9, 0, 9])
    assert r.unresolved.any()
    assert "unresolved" not in [caution.code for caution in th.choose(r).cautions]
    # Under a constraint the hull does not tell, and any open segment may hold a better split.
    assert "unresolved" in [caution.code for caution in th.choose(r, subject_to="fpr <= 0.5").cautions]


@pytest.mark.parametrize("bounds", [one for one, _ in OF_ANY] + [th.curves.roc_bounds, th.curves.hull_bounds])
def test_one_class_has_none(bounds):
    with pytest.raises(th.errors.OneClassError):
        bounds(th.Ranking.of_ranges([0.1], [0.5], pos=[3], neg=[0]))


@pytest.mark.parametrize("at", [math.nan, "0.5", None])
def test_what_is_no_threshold_is_refused(at):
    with pytest.raises(th.errors.ArgumentError):
        th.curves.table_bounds(th.Ranking.of_ranges([0.1], [0.5], pos=[3], neg=[1]), at)
