import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.tables.condition import simplest

SPAM = th.Contingency(tp=30, fn=20, fp=10, tn=40)
TREE = th.Ranking.parse("[20+,10-][10+,10-][20+,80-]")


def test_slopes_follow_from_ratios():
    condition = th.OperatingCondition(class_ratio=0.5, cost_ratio=4)
    assert condition.slope_roc == 0.5
    assert condition.slope_coverage(TREE) == 0.5 * 50 / 100


def test_coverage_slope_is_one_over_cost_ratio_when_the_ratios_agree():
    assert th.OperatingCondition(cost_ratio=4).slope_coverage(TREE) == 0.25
    assert th.OperatingCondition(class_ratio=0.5, cost_ratio=4).slope_coverage(TREE) == 0.25


def test_prevalence_and_class_ratio_are_two_words_for_one_thing():
    assert th.OperatingCondition(prevalence=0.2).class_ratio == 0.25
    assert th.OperatingCondition(prevalence=0.2) == th.OperatingCondition(class_ratio=0.25)
    assert th.OperatingCondition(class_ratio=0.25).prevalence == 0.2


def test_full_cost_matrix_reduces_to_two_differences():
    full = th.OperatingCondition(cost_fp=3, cost_fn=9, cost_tp=-1, cost_tn=1)
    assert full.cost_ratio == 10 / 2
    assert full.slope_coverage(TREE) == pytest.approx(0.2)


def test_expected_cost_is_asymmetric():
    # 20 misses at 5 and 10 false alarms at 1 over 100 cases; transposed it would be 0.7.
    assert th.OperatingCondition(cost_fp=1, cost_fn=5).expected_cost(SPAM) == pytest.approx(1.1)
    assert th.OperatingCondition(cost_fp=5, cost_fn=1).expected_cost(SPAM) == pytest.approx(0.7)


def test_expected_cost_with_costs_of_right_calls():
    condition = th.OperatingCondition(cost_fp=1, cost_fn=5, cost_tp=2, cost_tn=0.5)
    assert condition.expected_cost(SPAM) == pytest.approx((30 * 2 + 20 * 5 + 10 * 1 + 40 * 0.5) / 100)


def test_expected_cost_at_a_declared_class_ratio():
    condition = th.OperatingCondition(class_ratio=1 / 9, cost_ratio=5)
    assert condition.expected_cost(SPAM) == pytest.approx(0.1 * 0.4 * 5 + 0.9 * 0.2)


def test_class_ratio_of_the_data_is_filled_in():
    assert th.OperatingCondition(cost_ratio=3).for_data(TREE).class_ratio == 0.5
    declared = th.OperatingCondition(class_ratio=2)
    assert declared.for_data(TREE) is declared


def test_round_trip_through_plain_data():
    condition = th.OperatingCondition(prevalence=0.1, cost_fp=2, cost_fn=7, cost_tp=1)
    assert th.OperatingCondition(**condition.to_dict()) == condition


@pytest.mark.parametrize(
    "arguments",
    [
        {"cost_ratio": -2},
        {"cost_ratio": 0},
        {"cost_ratio": math.inf},
        {"cost_ratio": math.nan},
        {"class_ratio": 0},
        {"class_ratio": math.nan},
        {"prevalence": 0},
        {"prevalence": 1},
        {"prevalence": 1.2},
        {"class_ratio": 1, "prevalence": 0.5},
        {"cost_ratio": 2, "cost_fn": 3},
        {"cost_fp": 1, "cost_tn": 1},
        {"cost_fn": 1, "cost_tp": 4},
        {"cost_fp": math.inf},
    ],
)
def test_contradictions_are_refused(arguments):
    with pytest.raises(th.errors.ConditionError) as raised:
        th.OperatingCondition(**arguments)
    assert raised.value.fix


def test_slope_without_class_ratio_needs_the_data():
    with pytest.raises(th.errors.ConditionError, match="for_data"):
        _ = th.OperatingCondition(cost_ratio=2).slope_roc


def test_repr_says_as_in_the_data():
    assert repr(th.OperatingCondition(cost_ratio=2)) == "OperatingCondition(class_ratio=as in the data, cost_ratio=2)"
    assert "cost_tp=1" in repr(th.OperatingCondition(cost_fn=3, cost_tp=1))


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_ratio_of_integers_is_recognised(a, b):
    assert simplest(a / b) == Fraction(a, b)


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_the_simplest_fraction_is_the_same_float(number):
    assert float(simplest(number)) == number


def test_golden_expected_cost_is_the_nearest_float():
    table = th.Contingency(tp=30, fn=20, fp=5, tn=45)
    assert th.OperatingCondition(cost_fp=1, cost_fn=2).expected_cost(table) == 0.45  # 45 / 100
    assert th.OperatingCondition(cost_fp=0.1, cost_fn=0.3).expected_cost(table) == 0.065
    assert th.OperatingCondition(prevalence=0.1, cost_fn=3).expected_cost(table) == 0.21


@given(
    st.tuples(*[st.integers(1, 10**5)] * 4),
    st.tuples(st.integers(1, 60), st.integers(1, 60), st.integers(-20, 0), st.integers(-20, 0)),
    st.one_of(st.none(), st.integers(1, 99)),
)
def test_expected_cost_is_the_exact_quotient_rounded_once(cells, tenths, percent):
    fp, fn, tp, tn = (tenth / 10 for tenth in tenths)
    prevalence = None if percent is None else percent / 100
    condition = th.OperatingCondition(prevalence=prevalence, cost_fp=fp, cost_fn=fn, cost_tp=tp, cost_tn=tn)
    hits, misses, alarms, rejections = cells
    Pos, Neg = hits + misses, alarms + rejections
    share = Fraction(Pos, Pos + Neg) if percent is None else Fraction(percent, 100)
    of_pos = Fraction(hits * tenths[2] + misses * tenths[1], 10 * Pos)
    of_neg = Fraction(alarms * tenths[0] + rejections * tenths[3], 10 * Neg)
    table = th.Contingency(tp=hits, fn=misses, fp=alarms, tn=rejections)
    assert condition.expected_cost(table) == float(share * of_pos + (1 - share) * of_neg)
    weighted = th.Contingency(*(float(cell) for cell in cells))
    column = th.Contingency(*([cell] for cell in cells))
    assert condition.expected_cost(weighted) == condition.expected_cost(table)
    assert condition.expected_cost(column)[0] == condition.expected_cost(table)


@given(st.integers(1, 10**6), st.integers(10**15, 10**18), st.integers(1, 100), st.integers(1, 100), st.booleans())
def test_the_share_of_a_rare_class_keeps_its_digits(few, many, alarm, miss, rare_negatives):
    Pos, Neg = (many, few) if rare_negatives else (few, many)
    table = th.Contingency(tp=Pos - Pos // 3, fn=Pos // 3, fp=Neg // 2, tn=Neg - Neg // 2)
    exact = Fraction(alarm * (Neg // 2) + miss * (Pos // 3), Pos + Neg)
    for class_ratio in (None, Pos / Neg):
        condition = th.OperatingCondition(class_ratio=class_ratio, cost_fp=alarm, cost_fn=miss)
        assert condition.expected_cost(table) == pytest.approx(float(exact), rel=1e-14, abs=0)
    declared = th.OperatingCondition(class_ratio=Pos / Neg)
    assert declared.shares == pytest.approx((Pos / (Pos + Neg), Neg / (Pos + Neg)), rel=1e-15, abs=0)


def test_acting_on_everyone_counts_rare_negatives():
    ranking = th.Ranking([0.9, 0.1], pos=[10**17, 0], neg=[0, 3])
    everyone = th.net_benefit(ranking, threshold=[1 - 2**-50]).everyone[0]
    harm = Fraction(2**50 - 1)
    assert everyone == pytest.approx(float((10**17 - 3 * harm) / Fraction(10**17 + 3)), rel=1e-14)


@pytest.mark.parametrize(
    "parts",
    [
        {"cost_ratio": 1e-320},
        {"cost_ratio": 1e101},
        {"class_ratio": 1e-101},
        {"prevalence": 1e-200},
        {"cost_fp": 1e-60, "cost_fn": 1e60},
        {"cost_fp": 1e-200, "cost_fn": 1e-200},
        {"cost_fn": 1, "cost_tp": -1e200},
    ],
)
def test_numbers_whose_squares_are_no_floats_are_refused(parts):
    with pytest.raises(th.errors.ConditionError, match="outside 1e-100 to 1e\\+100"):
        th.OperatingCondition(**parts)


def test_costs_that_floats_do_not_tell_apart_have_a_ratio():
    assert th.OperatingCondition(cost_fp=2**60 + 1, cost_tn=2.0**60, cost_fn=3).cost_ratio == 3


@pytest.mark.parametrize("cost", [1e-101, -1e101, float("inf"), float("nan")])
def test_costs_of_classes_have_sizes_that_can_be_squared(cost):
    with pytest.raises(th.errors.ConditionError, match="the cost of 'a' called 'b' is"):
        th.CostMatrix({"a": {"b": cost}, "b": {"a": 1}})
    with pytest.raises(th.errors.ConditionError, match="neither 0 nor in size from"):
        th.CostMatrix.ordinal("abc", power=1000)
