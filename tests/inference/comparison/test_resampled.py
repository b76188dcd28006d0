import numpy as np
import pytest

import thresher as th
from thresher.inference.comparison import paired
from thresher.inference.rows import ScoredRows

AT = {"a": 0.0, "b": 0.5, "c": -0.5}


def rows(n=120, **more):
    rng = np.random.default_rng(0)
    labels = rng.random(n) < 0.5
    return labels, {name: rng.normal(size=n) + labels for name in AT}, more


def scored(n=120, **more):
    labels, scores, _ = rows(n)
    return ScoredRows.of(labels, scores, **more)


@pytest.mark.parametrize("more", [{}, {"weights": np.arange(1.0, 121)}, {"clusters": np.arange(120) // 4}])
def test_the_data_come_first_and_resamples_keep_what_models_share(more):
    found = paired.resample_tables(scored(**more), AT, 50, np.random.default_rng(1))
    labels, scores, _ = rows()
    for name, table in found.items():
        expected = th.contingency(labels, scores[name] >= AT[name], weights=more.get("weights"))
        assert [float(np.asarray(cell)[0]) for cell in (table.tp, table.fn, table.fp, table.tn)] == pytest.approx(
            [expected.tp, expected.fn, expected.fp, expected.tn]
        )
    first = found["a"]
    for table in found.values():  # the same rows for all models: the same positives in every resample
        assert np.asarray(table.Pos) == pytest.approx(np.asarray(first.Pos))
        assert np.asarray(table.Neg) == pytest.approx(np.asarray(first.Neg))
    assert np.ptp(np.asarray(first.Pos)) > 0


def test_drawing_from_the_small_table_is_drawing_rows():
    plain = paired.resample_tables(scored(), AT, 8000, np.random.default_rng(1))
    one_by_one = paired.resample_tables(scored(clusters=np.arange(120)), AT, 8000, np.random.default_rng(2))
    for one, other in (("a", "b"), ("b", "c")):
        spread = [np.cov(t[one].accuracy[1:], t[other].accuracy[1:]) for t in (plain, one_by_one)]
        assert spread[0] == pytest.approx(spread[1], rel=0.1, abs=1e-4)


def test_resampled_costs_choose_as_choose_does():
    condition = th.OperatingCondition(cost_ratio=2)
    data = scored()
    found = paired.resample_costs(data, condition, 5, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    labels, scores, _ = rows()
    for i in range(1, 6):
        drawn = rng.integers(120, size=120)
        for name in AT:
            chosen = th.choose(th.rank(labels[drawn], scores[name][drawn]), condition)
            assert found[name][i] == pytest.approx(chosen.expected_cost, abs=1e-12)


@pytest.mark.parametrize("condition", [th.OperatingCondition(cost_ratio=0.05), th.OperatingCondition(class_ratio=0.01)])
def test_where_calling_nothing_is_cheapest_it_costs_what_misses_do(condition):
    labels, scores, _ = rows()
    scores = {name: -values for name, values in scores.items()}  # the first to be called are mostly negative
    found = paired.resample_costs(ScoredRows.of(labels, scores), condition, 30, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    sides = np.flatnonzero(labels), np.flatnonzero(~labels)
    if condition.class_ratio is None:
        redrawn = list(rng.integers(120, size=(30, 120)))
    else:  # class by class, all draws of positives first
        redrawn = list(np.hstack([side[rng.integers(side.size, size=(30, side.size))] for side in sides]))
    for i, drawn in enumerate([np.arange(120), *redrawn]):
        nothing = th.Contingency(tp=0, fn=int(labels[drawn].sum()), fp=0, tn=int((~labels[drawn]).sum()))
        for name in AT:
            assert found[name][i] <= condition.expected_cost(nothing) + 1e-12
            chosen = th.choose(th.rank(labels[drawn], scores[name][drawn]), condition)
            assert found[name][i] == pytest.approx(chosen.expected_cost, abs=1e-12)


def test_to_call_nothing_refuses_an_infinite_score():
    labels, scores, _ = rows()
    top = int(np.flatnonzero(~labels)[0])
    for values in scores.values():
        values[top] = np.inf
    condition = th.OperatingCondition(cost_ratio=0.01)
    data = ScoredRows.of(labels, scores)
    found = paired.resample_costs(data, condition, 5, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    for i in range(6):
        drawn = np.arange(120) if i == 0 else rng.integers(120, size=120)
        for name in AT:
            chosen = th.choose(th.rank(labels[drawn], scores[name][drawn]), condition)
            assert found[name][i] == pytest.approx(chosen.expected_cost, abs=1e-12)
            assert found[name][i] <= labels[drawn].mean() * 0.01 + 1e-12


def test_models_that_call_nothing_are_called_nothing():
    """Above every score no model has a precision, and all have the same accuracy: neither is better."""
    labels, scores, _ = rows()
    above = dict.fromkeys(AT, 99.0)
    precision = th.compare(labels, scores, measure="precision", thresholds=above)["a", "b"]
    assert np.isnan(precision.difference)
    assert (precision.verdict, precision.note) == ("undecided", "the measure is undefined on the data")
    accuracy = th.compare(labels, scores, measure="accuracy", thresholds=above)["a", "b"]
    assert (accuracy.difference, accuracy.p_value, accuracy.verdict) == (0, 1, "undecided")
    assert "all resamples agree" in accuracy.note
    few = min(int(labels.sum()), int((~labels).sum()))
    assert accuracy.upper == -accuracy.lower == pytest.approx(1 - 0.025 ** (1 / few))
    wide = th.compare(labels, scores, measure="accuracy", thresholds=above, margin=0.5)["a", "b"]
    assert wide.verdict == "practically equal"


@pytest.mark.parametrize("more", [{}, {"weights": np.linspace(1, 2, 40)}])
def test_single_precision_scores_are_compared_as_doubles(more):
    """A threshold between two neighbouring singles rounds to one of them unless the scores become doubles first."""
    low = np.float32(0.5)
    high = np.nextafter(low, np.float32(1))
    labels, scores = np.array([0, 1] * 20), np.array([low, high] * 20)
    between = (float(low) + float(high)) / 2
    given = {"a": scores, "b": scores[::-1].copy()}
    found = th.compare(labels, given, measure="accuracy", thresholds={"a": between, "b": between}, **more)
    assert found.estimates["a"] == 1
    assert found.estimates["b"] == 0


@pytest.mark.parametrize("more", [{}, {"weights": np.full(120, 2.0)}, {"clusters": np.arange(120)}])
def test_stratified_resamples_hold_the_classes_fixed_unless_there_are_clusters(more):
    for stratified in (True, False):
        found = paired.resample_tables(scored(**more), AT, 50, np.random.default_rng(1), stratified=stratified)
        for table in found.values():
            assert (np.ptp(table.Pos) == 0) == (stratified and "clusters" not in more)
            assert np.ptp(table.total) == 0
            assert np.ptp(table.tp) > 0
