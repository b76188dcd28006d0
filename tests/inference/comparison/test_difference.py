import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import thresher as th
import thresher.inference as ti
from tests.inference import oracles
from tests.strategies import two_class_rankings
from thresher.errors import ArgumentError, OneClassError
from thresher.inference.comparison.difference import (
    bootstrap_difference,
    difference_by_reach,
    pairs_difference,
    require_margin,
)
from thresher.inference.intervals.auc import student_tail


def difference(lower, upper, *, margin=0.0, better="higher", p=0.01, adjusted=math.nan):
    return ti.Difference(
        "a",
        "b",
        (lower + upper) / 2,
        lower,
        upper,
        variance=1.0,
        p_value=p,
        level=0.95,
        method="test",
        margin=margin,
        better=better,
        p_adjusted=adjusted,
    )


@pytest.mark.parametrize(
    ("lower", "upper", "margin", "verdict"),
    [
        (0.01, 0.05, 0.0, "better"),
        (-0.05, -0.01, 0.0, "worse"),
        (-0.01, 0.05, 0.0, "undecided"),
        (0.0, 0.05, 0.0, "undecided"),
        (0.01, 0.05, 0.02, "undecided"),
        (0.03, 0.05, 0.02, "better"),
        (-0.05, -0.03, 0.02, "worse"),
        (-0.01, 0.02, 0.02, "practically equal"),
        (0.005, 0.015, 0.02, "practically equal"),
        (-0.03, 0.01, 0.02, "undecided"),
        (0.0, 0.0, 0.0, "undecided"),
        (math.nan, math.nan, 0.1, "undecided"),
    ],
)
def test_the_verdict_follows_from_limits_and_margin(lower, upper, margin, verdict):
    result = difference(lower, upper, margin=margin)
    assert result.verdict == verdict
    turned = {"better": "worse", "worse": "better"}
    assert result.mirrored.verdict == turned.get(verdict, verdict)
    assert difference(lower, upper, margin=margin, better="lower").verdict == turned.get(verdict, verdict)


def test_among_several_pairs_the_adjusted_p_value_must_agree():
    assert difference(0.01, 0.05, p=0.03, adjusted=0.09).verdict == "undecided"
    assert difference(0.01, 0.05, p=0.01, adjusted=0.03).verdict == "better"
    assert difference(-0.01, 0.01, p=0.9, adjusted=1.0, margin=0.02).verdict == "practically equal"


def test_a_mirror_turns_the_sign_and_nothing_else():
    result = difference(0.01, 0.05)
    mirrored = result.mirrored
    assert (mirrored.a, mirrored.b) == ("b", "a")
    assert (mirrored.difference, mirrored.lower, mirrored.upper) == pytest.approx((-0.03, -0.05, -0.01))
    assert mirrored.mirrored == result
    assert str(difference(0.0, 0.0).mirrored.difference) == "0.0"


def test_plain_data():
    plain = difference(0.01, 0.05).to_dict()
    assert plain["verdict"] == "better"
    assert json.loads(json.dumps(plain, allow_nan=False))["difference"] == pytest.approx(0.03)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_its_definition(p_values):
    assert ti.holm(p_values) == pytest.approx(oracles.holm(p_values), abs=1e-15)


def test_holm_leaves_out_what_is_undefined():
    result = ti.holm([0.01, math.nan, 0.02])
    assert result[0] == 0.02
    assert math.isnan(result[1])
    assert result[2] == 0.02


@given(st.floats(-1, 1), st.integers(1, 200), st.sampled_from([0.8, 0.95, 0.99]))
def test_without_variance_limits_come_from_disjoint_pairs(d, pairs, level):
    result = pairs_difference(d, 0.0, pairs, level=level)
    assert -1 <= result.lower <= d <= result.upper <= 1
    assert result.upper > result.lower
    assert 0 < result.p_value <= 1 or pairs > 50
    if abs(abs(d) - 1) > 1e-9 and result.lower > 1e-9:
        assert result.p_value < 1 - level


def test_the_bootstrap_says_what_it_could_not_see():
    options: dict[str, Any] = {"level": 0.95, "span": 1.0, "cases": 20}
    ones = np.ones(101)
    result = bootstrap_difference(ones, ones, **options)
    assert (result.lower, result.upper) == pytest.approx((-(1 - 0.025 ** (1 / 20)), 1 - 0.025 ** (1 / 20)))
    assert result.p_value == 1
    assert "all resamples agree" in result.note
    nothing = np.full(101, math.nan)
    undefined = bootstrap_difference(nothing, ones, **options)
    assert math.isnan(undefined.p_value)
    assert undefined.verdict == "undecided"
    assert "undefined" in str(undefined)
    some = np.where(np.arange(101) % 2, math.nan, np.arange(101.0))
    assert "undefined in 50 of 100 resamples" in bootstrap_difference(some, ones, **options).note


@pytest.mark.parametrize("margin", [-0.1, math.nan, math.inf])
def test_a_margin_is_a_number(margin):
    with pytest.raises(ArgumentError, match="margin must be 0 or more"):
        require_margin(margin)


def test_two_infinite_ratios_have_no_difference():
    infinite = np.array([math.inf, math.inf, 1.0])
    result = bootstrap_difference(infinite, infinite, level=0.95, span=1.0, cases=10)
    assert math.isnan(result.difference)
    assert result.note == "the measure is undefined on the data"


GOOD, FAIR = th.Ranking.parse("[30+,2-][15+,8-][5+,40-]"), th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")


def test_limits_of_both_are_combined():
    result, a, b = ti.compare_unpaired(GOOD, FAIR), ti.auc_interval(GOOD), ti.auc_interval(FAIR)
    assert result.difference == th.auc(GOOD) - th.auc(FAIR) > 0
    assert result.variance == pytest.approx(ti.auc_variance(GOOD) + ti.auc_variance(FAIR))
    assert result.lower == pytest.approx(result.difference - math.hypot(a.estimate - a.lower, b.upper - b.estimate))
    assert result.upper == pytest.approx(result.difference + math.hypot(a.upper - a.estimate, b.estimate - b.lower))
    assert result.verdict == "better"


@given(two_class_rankings, two_class_rankings, st.floats(0.01, 0.99))
def test_p_and_limits_of_unpaired_samples_agree(a, b, level):
    result = ti.compare_unpaired(a, b, level=level)
    if abs(result.p_value - (1 - level)) > 1e-9:
        assert (result.p_value < 1 - level) == (not result.lower <= 0 <= result.upper)


@given(two_class_rankings, two_class_rankings)
def test_the_difference_has_width_and_a_mirror(a, b):
    result, turned = ti.compare_unpaired(a, b), ti.compare_unpaired(b, a)
    assert -1 <= result.lower <= result.difference <= result.upper <= 1
    assert result.upper > result.lower
    assert (turned.difference, turned.lower, turned.upper) == pytest.approx(
        (-result.difference, -result.upper, -result.lower), abs=1e-9
    )
    assert turned.p_value == pytest.approx(result.p_value, abs=1e-9)
    assert 0 <= result.p_value <= 1


def test_where_one_has_no_variance_limits_are_combined():
    perfect = th.Ranking.parse("[20+][20-]")
    result = ti.compare_unpaired(perfect, FAIR)
    a, b = ti.auc_interval(perfect), ti.auc_interval(FAIR)
    assert result.lower == pytest.approx(0.29 - math.hypot(1 - a.lower, b.upper - 0.71))
    assert "no spread" in result.note
    edge = ti.compare_unpaired(perfect, FAIR, level=1 - result.p_value)
    assert edge.lower == pytest.approx(0, abs=1e-9)
    assert ti.compare_unpaired(perfect, perfect).p_value == 1


def test_bad_input_of_unpaired_samples():
    with pytest.raises(OneClassError):
        ti.compare_unpaired(GOOD, th.Ranking.parse("[2+]"))
    with pytest.raises(ArgumentError, match="level"):
        ti.compare_unpaired(GOOD, FAIR, level=2)
    with pytest.raises(ArgumentError, match="margin"):
        ti.compare_unpaired(GOOD, FAIR, margin=-2)


@pytest.mark.parametrize("freedom", [1, 1.5, 2, 3, 4.7, 5, 13, 300])
@pytest.mark.parametrize("away", [1e-3, 0.5, 8, 200])
def test_p_values_are_those_of_the_limits_whatever_the_tails(freedom, away):
    """SciPy's quantiles of the smallest tails have the wrong sign at some degrees of freedom."""

    def reach(tail):
        return (student_tail(tail, freedom),) * 2

    result = difference_by_reach(away, reach, variance=1, level=0.95, method="student", span=math.inf)
    assert result.p_value == pytest.approx(max(2e-100, 2 * stats.t.sf(away, freedom)), rel=1e-6)


@pytest.mark.parametrize("strength", [1, 4, 40])
def test_p_of_the_surest_differences_keeps_falling(strength):
    far = th.Ranking([2, 1], pos=[90 * strength, 10 * strength], neg=[10 * strength, 90 * strength])
    p = ti.compare_unpaired(far, th.Ranking([2, 1], pos=[50, 50], neg=[50, 50])).p_value
    assert 0 < p < 1e-8
