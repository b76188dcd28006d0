import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import thresher.inference as ti
from tests.inference import oracles
from thresher.errors import ArgumentError, LabelError, LengthError, PositiveLabelError

few = st.integers(0, 12)


def predictions(only_a, only_b, both, neither):
    """Labels and two columns of predictions with these counts of who is right."""
    n = only_a + only_b + both + neither
    labels = np.arange(n) % 2
    right_a = np.repeat([True, False, True, False], [only_a, only_b, both, neither])
    right_b = np.repeat([False, True, True, False], [only_a, only_b, both, neither])
    return labels, np.where(right_a, labels, 1 - labels), np.where(right_b, labels, 1 - labels)


@given(few, few, few, st.integers(1, 5))
def test_it_is_the_binomial_test_of_cases_on_which_one_is_wrong(only_a, only_b, both, neither):
    rows = predictions(only_a, only_b, both, neither)
    result = ti.mcnemar(*rows)
    assert (result.only_a, result.only_b, result.both, result.neither) == (only_a, only_b, both, neither)
    assert result.p_value == pytest.approx(oracles.mcnemar_exact(only_a, only_b), abs=1e-10)
    if only_a + only_b:
        assert result.p_value == pytest.approx(stats.binomtest(only_a, only_a + only_b).pvalue, abs=1e-10)
    mid = ti.mcnemar(*rows, method="mid-p")
    assert mid.p_value == pytest.approx(oracles.mcnemar_exact(only_a, only_b, mid=True), abs=1e-10)
    chi = ti.mcnemar(*rows, method="chi-squared")
    expected = (only_a - only_b) ** 2 / (only_a + only_b) if only_a + only_b else 0
    assert chi.statistic == pytest.approx(expected)
    assert chi.p_value == pytest.approx(stats.chi2.sf(expected, 1), abs=1e-12)


@given(few, few, few, st.integers(1, 5))
def test_the_difference_is_in_accuracy_a_minus_b_and_has_width(only_a, only_b, both, neither):
    labels, a, b = predictions(only_a, only_b, both, neither)
    result, turned = ti.mcnemar(labels, a, b), ti.mcnemar(labels, b, a)
    assert result.difference == pytest.approx((a == labels).mean() - (b == labels).mean())
    assert -1 <= result.interval.lower <= result.difference <= result.interval.upper <= 1
    assert result.interval.width > 0
    assert (turned.interval.lower, turned.interval.upper) == pytest.approx(
        (-result.interval.upper, -result.interval.lower)
    )
    assert turned.p_value == result.p_value


def test_many_cases_do_not_overflow():
    result = ti.mcnemar(*predictions(60_000, 61_000, 5, 5), method="mid-p")
    assert result.p_value == pytest.approx(2 * stats.norm.sf(1000 / math.sqrt(121_000)), rel=0.01)


def test_words_as_labels():
    result = ti.mcnemar(["spam", "ham", "spam"], ["spam", "ham", "ham"], ["ham", "ham", "ham"], positive="spam")
    assert (result.only_a, result.only_b, result.both, result.neither) == (1, 0, 1, 1)


def test_bad_input():
    with pytest.raises(LengthError, match="predictions_b 1"):
        ti.mcnemar([1, 0], [1, 0], [1])
    with pytest.raises(PositiveLabelError):
        ti.mcnemar(["x", "y"], ["x", "y"], ["y", "y"])
    with pytest.raises(ArgumentError, match='method must be "exact", "mid-p" or "chi-squared"'):
        ti.mcnemar([1, 0], [1, 0], [1, 0], method="wald")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="level"):
        ti.mcnemar([1, 0], [1, 0], [1, 0], level=1)


@given(few, few, few, st.integers(1, 5), st.sampled_from([0.9, 0.95, 0.99]))
def test_it_says_where_the_limits_and_the_test_disagree_about_no_difference(only_a, only_b, both, neither, level):
    result = ti.mcnemar(*predictions(only_a, only_b, both, neither), level=level)
    agree = (0 in result.interval) == (result.p_value >= 1 - level)
    assert (result.interval.note == "") == agree
    assert ("disagree about 0" in str(result)) != agree


def test_limits_without_0_next_to_a_large_p_value():
    result = ti.mcnemar(*predictions(5, 0, 20, 0))
    assert result.interval.lower > 0
    assert result.p_value == 0.0625
    assert str(result).endswith("p and the limits disagree about 0; the limits are approximate, so go by p")


def test_a_third_label_is_blamed_on_the_column_that_holds_it():
    with pytest.raises(LabelError, match="predictions_b hold 2, and the labels are 1 and 0"):
        ti.mcnemar([1, 0], [1, 0], [2, 0])
    with pytest.raises(LabelError, match="more than two labels"):
        ti.mcnemar([1, 0, 2], [1, 0, 2], [2, 0, 1])
