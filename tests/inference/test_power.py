import math

import numpy as np
import pytest
from scipy import stats

import thresher as th
import thresher.inference as ti
from thresher.errors import ArgumentError, InfeasibleError


def test_power_at_the_null_is_the_size_of_the_test():
    assert ti.auc_power(0.5, 50, 50) == pytest.approx(0.05)
    assert ti.auc_power(0.8, 50, 50, null=0.8, level=0.9) == pytest.approx(0.1)
    assert ti.compare_power(0.8, 0.8, 50, 50, correlation=0.3) == pytest.approx(0.05)


def test_power_grows_with_cases_and_with_correlation():
    assert ti.auc_power(0.7, 20, 20) < ti.auc_power(0.7, 40, 40) < ti.auc_power(0.75, 40, 40)
    apart, near = (ti.compare_power(0.85, 0.8, 100, 100, correlation=r) for r in (0, 0.6))
    assert apart < near
    assert ti.compare_power(0.8, 0.85, 100, 100, correlation=0.6) == pytest.approx(near)
    assert ti.auc_power(0.3, 20, 30) == pytest.approx(ti.auc_power(0.7, 30, 20))


def test_power_is_what_simulation_finds():
    """Exponential scores, the model behind Hanley & McNeil's variance."""
    rng = np.random.default_rng(1)
    Pos = Neg = 60
    area = 0.7
    result = 0
    for _ in range(600):
        pos, neg = rng.exponential(area / (1 - area), Pos), rng.exponential(1, Neg)
        result += stats.mannwhitneyu(pos, neg).pvalue < 0.05
    assert result / 600 == pytest.approx(ti.auc_power(area, Pos, Neg), abs=0.04)


@pytest.mark.parametrize("class_ratio", [1, 0.25, 3])
@pytest.mark.parametrize(("auc", "null"), [(0.7, 0.5), (0.9, 0.8), (0.6, 0.7)])
def test_the_sample_is_just_large_enough(auc, null, class_ratio):
    result = ti.auc_sample_size(auc, null=null, power=0.9, class_ratio=class_ratio)
    assert result.achieved == ti.auc_power(auc, result.Pos, result.Neg, null=null) >= 0.9
    assert result.Pos / result.Neg == pytest.approx(class_ratio, rel=0.05)
    assert result.total == result.Pos + result.Neg
    rarer = min(result.Pos, result.Neg) - 1
    other = math.ceil(rarer * max(class_ratio, 1 / class_ratio))
    sizes = (rarer, other) if class_ratio <= 1 else (other, rarer)
    assert ti.auc_power(auc, *sizes, null=null) < 0.9


def test_a_width_is_that_of_the_interval():
    result = ti.auc_sample_size(0.8, width=0.1)
    z = 1.959963984540054
    half = z * math.sqrt(ti.hanley_mcneil_variance(0.8, result.Pos, result.Neg)) / (0.8 * 0.2)
    low, high = (1 / (1 + math.exp(-(math.log(4) + sign * half))) for sign in (-1, 1))
    assert result.achieved == pytest.approx(high - low)
    assert result.achieved <= 0.1 < ti.auc_sample_size(0.8, width=0.11).achieved + 0.01


def test_bad_input():
    for more in (
        {"auc": 1.0},
        {"auc": 0.7, "null": 0},
        {"auc": 0.7, "power": 1},
        {"auc": 0.5},
        {"auc": 0.7, "width": 0},
    ):
        with pytest.raises(ArgumentError):
            ti.auc_sample_size(**more)
    with pytest.raises(ArgumentError, match="class_ratio"):
        ti.auc_sample_size(0.7, class_ratio=0)
    with pytest.raises(ArgumentError, match="level"):
        ti.auc_power(0.7, 10, 10, level=1)
    with pytest.raises(ArgumentError, match="too few"):
        ti.auc_power(0.7, 0, 10)
    with pytest.raises(ArgumentError, match="correlation"):
        ti.compare_power(0.7, 0.8, 10, 10, correlation=1)
    with pytest.raises(InfeasibleError, match="ask for less"):
        ti.auc_sample_size(0.7, null=0.7 + 1e-9)
    assert issubclass(InfeasibleError, th.ThresherError)
