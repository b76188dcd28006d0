import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
import thresher.inference as ti
from thresher.errors import ArgumentError, OneClassError

AVERAGES = ["one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted"]


def rows(n, rng, share=(0.5, 0.3, 0.2), strength=1.0):
    labels = rng.choice(3, size=n, p=share)
    logits = rng.normal(size=(n, 3)) + strength * np.eye(3)[labels]
    weights = np.exp(logits)
    return labels, weights / weights.sum(axis=1, keepdims=True)


@st.composite
def small(draw):
    labels = np.array([0, 1, 2, *draw(st.lists(st.integers(0, 2), max_size=12))])
    grid = draw(st.lists(st.integers(0, 5), min_size=3 * labels.size, max_size=3 * labels.size))
    return labels, np.array(grid).reshape(-1, 3) / 5


@given(small(), st.sampled_from([0.8, 0.95]))
def test_estimates_are_those_of_multiclass_auc_and_lie_between_their_limits(data, level):
    labels, probabilities = data
    found, plain = (
        ti.class_auc_interval(labels, probabilities, level=level),
        th.curves.multiclass_auc(labels, probabilities),
    )
    for name in AVERAGES:
        interval = getattr(found, name)
        assert interval.estimate == pytest.approx(getattr(plain, name), abs=1e-12)
        assert -1e-12 <= interval.lower <= interval.estimate + 1e-12
        assert interval.estimate - 1e-12 <= interval.upper <= 1
        assert interval.width > 0
    for name, ranking in th.curves.one_vs_rest_rankings(labels, probabilities).items():
        assert str(found.one_vs_rest[name]) == str(ti.auc_interval(ranking, level=level))


def test_for_two_classes_all_are_the_auc():
    rng = np.random.default_rng(4)
    labels = rng.integers(2, size=200)
    p = 1 / (1 + np.exp(-rng.normal(size=200) - labels))
    found = ti.class_auc_interval(labels, np.column_stack([1 - p, p]))
    variance = ti.auc_variance(th.rank(labels, p))
    for name in AVERAGES:
        assert getattr(found, name).estimate == pytest.approx(th.auc(th.rank(labels, p)))
        assert getattr(found, name).variance == pytest.approx(variance, rel=1e-9)


@pytest.mark.parametrize("share", [(0.4, 0.3, 0.3), (0.7, 0.2, 0.1)])
def test_the_variances_are_what_simulation_finds(share):
    rng = np.random.default_rng(8)
    found: dict[str, list[float]] = {name: [] for name in AVERAGES}
    said: dict[str, list[float]] = {name: [] for name in AVERAGES}
    for i in range(500):
        labels, probabilities = rows(200, rng, share)
        plain = th.curves.multiclass_auc(labels, probabilities)
        for name in AVERAGES:
            found[name].append(getattr(plain, name))
        if i < 60:
            intervals = ti.class_auc_interval(labels, probabilities)
            for name in AVERAGES:
                said[name].append(getattr(intervals, name).variance)
    for name in AVERAGES:
        assert np.mean(said[name]) == pytest.approx(np.var(found[name]), rel=0.2), name


def test_perfect_columns_still_have_width():
    labels = [0, 0, 1, 1, 2, 2]
    found = ti.class_auc_interval(labels, np.eye(3)[labels])
    for name in AVERAGES:
        assert getattr(found, name).upper == 1
        assert getattr(found, name).lower < 0.5


def test_a_class_of_one_row_has_limits_and_no_variance():
    labels, probabilities = [0, 0, 0, 1, 1, 2], np.random.default_rng(0).random((6, 3))
    found = ti.class_auc_interval(labels, probabilities)
    assert math.isnan(found.one_vs_rest_macro.variance)
    assert found.one_vs_rest_macro.method == "exact pairs"


def test_bad_input():
    with pytest.raises(ArgumentError, match="level"):
        ti.class_auc_interval([0, 1], [[0.5, 0.5], [0.4, 0.6]], level=0)
    with pytest.raises(OneClassError):
        ti.class_auc_interval([0, 0], [[0.5, 0.5], [0.4, 0.6]], classes=[0, 1])
