import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import thresher.inference as ti
from thresher.errors import ArgumentError, LengthError, MissingValueError

TREE, LOGIT = [0.81, 0.79, 0.84, 0.80, 0.82], [0.78, 0.77, 0.80, 0.79, 0.78]
folds = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=2, max_size=30)


@given(folds, st.sampled_from([0.1, 0.2, 0.5]))
def test_the_corrected_t_is_its_formula(scores, share):
    a, b = (np.array(each) / 100 for each in zip(*scores, strict=True))
    result = ti.corrected_t(a, b, test_share=share)
    away = a - b
    n = away.size
    variance = (1 / n + share / (1 - share)) * np.var(away, ddof=1)
    assert result.difference == pytest.approx(away.mean(), abs=1e-12)
    if np.ptp(away) < 1e-9:
        assert math.isnan(result.p_value)
        assert result.verdict == "undecided"
        assert "say nothing" in result.note
        return
    assert result.variance == pytest.approx(variance, rel=1e-9)
    t = away.mean() / math.sqrt(variance)
    assert result.p_value == pytest.approx(2 * stats.t.sf(abs(t), n - 1), abs=1e-10)
    low, high = stats.t.interval(0.95, n - 1, away.mean(), math.sqrt(variance))
    assert (result.lower, result.upper) == pytest.approx((low, high), abs=1e-9)
    turned = ti.corrected_t(b, a, test_share=share)
    assert (turned.difference, turned.lower) == pytest.approx((-result.difference, -result.upper), abs=1e-12)


def test_trap_29_it_is_wider_than_the_spread_of_folds_says():
    result = ti.corrected_t(TREE, LOGIT, test_share=0.2)
    naive = stats.ttest_rel(TREE, LOGIT)
    assert result.p_value > naive.pvalue
    assert result.variance == pytest.approx(np.var(np.subtract(TREE, LOGIT), ddof=1) * (1 / 5 + 1 / 4))


@given(folds, st.sampled_from([0.0, 0.01, 0.2]))
def test_probabilities_sum_to_1_and_are_those_of_students_t(scores, margin):
    a, b = (np.array(each) / 100 for each in zip(*scores, strict=True))
    result = ti.bayesian_correlated_t(a, b, test_share=0.1, margin=margin)
    if np.ptp(a - b) < 1e-9:
        assert math.isnan(result.left)
        return
    assert result.left + result.within + result.right == pytest.approx(1, abs=1e-12)
    posterior = stats.t((a - b).size - 1, (a - b).mean(), result.scale)
    assert result.left == pytest.approx(posterior.cdf(-margin), abs=1e-10)
    assert result.right == pytest.approx(posterior.sf(margin), abs=1e-10)
    turned = ti.bayesian_correlated_t(b, a, test_share=0.1, margin=margin)
    assert (turned.left, turned.right) == pytest.approx((result.right, result.left), abs=1e-12)
    lower = ti.bayesian_correlated_t(a, b, test_share=0.1, margin=margin, better="lower")
    assert lower.better_probability == result.worse_probability == result.left


def test_lower_may_be_better():
    result = ti.corrected_t(LOGIT, TREE, test_share=0.2, better="lower")
    assert result.difference < 0
    assert result.verdict == "better"


@pytest.mark.parametrize("test", [ti.corrected_t, ti.bayesian_correlated_t])
def test_bad_input(test):
    for share in (0, 1, 10, math.nan):
        with pytest.raises(ArgumentError, match="test_share"):
            test(TREE, LOGIT, test_share=share)
    with pytest.raises(LengthError, match="shapes"):
        test(TREE, LOGIT[:3], test_share=0.2)
    with pytest.raises(ArgumentError, match="1 fold"):
        test([1], [2], test_share=0.2)
    with pytest.raises(MissingValueError, match="first fold 1"):
        test([1, math.nan], [2, 3], test_share=0.2)
    with pytest.raises(ArgumentError, match="better must be"):
        test(TREE, LOGIT, test_share=0.2, better="up")
    with pytest.raises(ArgumentError, match="margin"):
        test(TREE, LOGIT, test_share=0.2, margin=-1)


def test_level():
    with pytest.raises(ArgumentError, match="level"):
        ti.corrected_t(TREE, LOGIT, test_share=0.2, level=95)
