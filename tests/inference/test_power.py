import math

import numpy as np
import pytest
from scipy import stats

import thresher as th
import thresher.inference as ti
from thresher.errors import ArgumentError, InfeasibleError
from thresher.inference.power import exponential_pairs, exponential_separation, normal_pairs, normal_separation
from thresher.laboratory import Sample, Scores, coverage


def test_power_at_the_null_is_the_size_of_the_test():
    assert ti.auc_power(0.5, 5000, 5000) == pytest.approx(0.05, abs=0.001)
    assert ti.auc_power(0.8, 5000, 5000, null=0.8, level=0.9) == pytest.approx(0.1, abs=0.001)
    assert 0.02 < ti.auc_power(0.5, 20, 20) < 0.05  # small samples are judged more carefully
    assert ti.compare_power(0.8, 0.8, 50, 50, correlation=0.3) == pytest.approx(0.05)


def test_power_grows_with_cases_and_with_correlation():
    assert ti.auc_power(0.7, 20, 20) < ti.auc_power(0.7, 40, 40) < ti.auc_power(0.75, 40, 40)
    apart, near = (ti.compare_power(0.85, 0.8, 100, 100, correlation=r) for r in (0, 0.6))
    assert apart < near
    assert ti.compare_power(0.8, 0.85, 100, 100, correlation=0.6) == pytest.approx(near)
    assert ti.auc_power(0.3, 20, 30) == pytest.approx(ti.auc_power(0.7, 30, 20))


class Planned:
    """Samples of a world with exactly the planned positives and negatives."""

    def __init__(self, world, plan):
        self.world, self.plan = world, plan

    def sample(self, n, rng):
        labels = np.arange(n) < self.plan.Pos
        shares = rng.random(n)
        scores = np.where(labels, self.world.positive.ppf(shares), self.world.negative.ppf(shares))
        return Sample(labels.astype(int), scores[:, np.newaxis], scores)


def worlds(auc, plan):
    """Normal and exponential classes of that AUC, in the planned numbers."""
    exponential = Scores(stats.expon(scale=auc / (1 - auc)), stats.expon())
    return Planned(Scores.of_auc(auc), plan), Planned(exponential, plan)


def shares(auc, plan, enough):
    """How often planned studies find what they were planned for, in both worlds."""
    return [
        coverage(world, plan.total, lambda s: enough(th.auc_interval(s.ranking)), replicates=500).estimate
        for world in worlds(auc, plan)
    ]


@pytest.mark.parametrize(
    ("auc", "null", "class_ratio"), [(0.7, 0.5, 1), (0.9, 0.7, 0.1), (0.8, 0.7, 0.1), (0.95, 0.5, 1), (0.9, 0.8, 5)]
)
def test_planned_studies_find_the_difference_as_often_as_promised(auc, null, class_ratio):
    plan = ti.auc_sample_size(auc, null=null, power=0.8, class_ratio=class_ratio)
    assert min(shares(auc, plan, lambda interval: null not in interval)) > 0.8 - 0.05


@pytest.mark.parametrize(
    ("auc", "width", "class_ratio"), [(0.8, 0.15, 1), (0.9, 0.15, 0.2), (0.7, 0.3, 1), (0.55, 0.2, 1)]
)
def test_planned_intervals_are_as_narrow_as_often_as_promised(auc, width, class_ratio):
    plan = ti.auc_sample_size(auc, width=width, assurance=0.8, class_ratio=class_ratio)
    assert min(shares(auc, plan, lambda interval: interval.width <= width)) > 0.8 - 0.06
    fewer = ti.SampleSize(round(plan.Pos * 0.8), round(plan.Neg * 0.8), 0.0)
    assert min(shares(auc, fewer, lambda interval: interval.width <= width)) < 0.7


@pytest.mark.parametrize(("auc", "null"), [(0.9999, 0.99), (0.99999, 0.5), (0.9999, 0.999)])
def test_plans_near_an_auc_of_1_know_that_most_samples_are_perfect(auc, null):
    """The limits of a perfect sample follow from its size alone."""
    plan = ti.auc_sample_size(auc, null=null, power=0.8)
    assert 0.8 <= plan.achieved <= 1
    perfect = th.auc_interval(th.Ranking([1.0, 0.0], [plan.Pos, 0], [0, plan.Neg]))
    assert perfect.lower > null
    assert min(shares(auc, plan, lambda interval: null not in interval)) > 0.8 - 0.05
    narrow = ti.auc_sample_size(auc, width=0.01)
    assert min(shares(auc, narrow, lambda interval: interval.width <= 0.01)) > 0.8 - 0.05


def test_perfect_samples_are_as_frequent_as_counted():
    rng = np.random.default_rng(3)
    for area, Pos, Neg in ((0.9, 4, 9), (0.99, 30, 10), (0.05, 2, 2)):
        plan = ti.SampleSize(Pos, Neg, 0.0)
        for world, chance in zip(worlds(area, plan), (normal_separation, exponential_separation), strict=True):
            samples = (world.sample(Pos + Neg, rng).ranking for _ in range(1500))
            assert np.mean([th.auc(each) == 1 for each in samples]) == pytest.approx(chance(area, Pos, Neg), abs=0.045)


def test_power_of_plans_is_not_wasted():
    plan = ti.auc_sample_size(0.7, power=0.8)
    fewer = ti.SampleSize(round(plan.Pos * 0.8), round(plan.Neg * 0.8), 0.0)
    assert max(shares(0.7, fewer, lambda interval: 0.5 not in interval)) < 0.8


@pytest.mark.parametrize("area", [0.55, 0.8, 0.97])
def test_pairs_are_what_the_classes_make_them(area):
    shift = np.sqrt(2) * stats.norm.ppf(area)
    grid = np.linspace(-10, 10 + shift, 40_001)
    negative, positive = stats.norm.pdf(grid), stats.norm.pdf(grid, shift)
    normal = (
        np.trapezoid(positive * stats.norm.cdf(grid) ** 2, grid),
        np.trapezoid(negative * stats.norm.sf(grid - shift) ** 2, grid),
    )
    assert normal_pairs(area) == pytest.approx(normal, abs=1e-9)
    scale = area / (1 - area)
    share = np.linspace(0, 1, 2_000_001)
    exponential = np.trapezoid((1 - share**scale) ** 2, share), np.trapezoid(share ** (2 / scale), share)
    assert exponential_pairs(area) == pytest.approx(exponential, abs=1e-5)


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


def test_more_assurance_and_less_width_need_more_cases():
    sizes = [
        ti.auc_sample_size(0.8, width=w, assurance=a).total
        for w, a in ((0.1, 0.5), (0.1, 0.8), (0.1, 0.99), (0.05, 0.99))
    ]
    assert sizes == sorted(set(sizes))
    assert ti.auc_sample_size(0.8, width=0.1).achieved >= 0.8


def test_bad_input():
    for more in (
        {"auc": 1.0},
        {"auc": 0.7, "null": 0},
        {"auc": 0.7, "power": 1},
        {"auc": 0.5},
        {"auc": 0.7, "width": 0},
        {"auc": 0.7, "width": 0.1, "assurance": 1},
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
