import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.inference import oracles
from tests.strategies import rough_weights
from thresher.inference.intervals.loss import brier_interval
from thresher.inference.intervals.table import count_calls, table_interval, table_intervals

CONDITIONS = (
    th.OperatingCondition(cost_fn=5),
    th.OperatingCondition(cost_tp=10, cost_fn=11, cost_fp=1),
    th.OperatingCondition(prevalence=0.2, cost_fn=3),
)


@st.composite
def decided(draw):
    """Rows of both classes, their calls and scores, and weights."""
    size = draw(st.integers(4, 24))
    flags = st.lists(st.booleans(), min_size=size - 2, max_size=size - 2)
    positive, called = (np.array([True, False, *draw(flags)]) for _ in range(2))
    score = np.array(draw(st.lists(st.integers(0, 8), min_size=size, max_size=size))) / 8
    weight = np.array(draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))) / 2
    return positive, called, score, weight


def brier_of_rows(positive, score, *, level=0.95, **more):
    return th.inference.brier_interval(th.inference.ScoredRows(positive, {"model": score}, **more), level=level)


def intervals(positive, called, score, **more):
    sampled = count_calls(positive, called, **more)
    found = table_intervals(sampled)
    found |= {f"cost {i}": table_interval(sampled, each) for i, each in enumerate(CONDITIONS)}
    return found | {"brier": brier_of_rows(positive, score, **more)}


def plain_intervals(positive, called, score):
    table = th.contingency(positive, called)
    found = th.intervals(table) | {f"cost {i}": table_interval(table, each) for i, each in enumerate(CONDITIONS)}
    return found | {"brier": brier_interval(th.rank(positive, score))}


def same(one, other, **close):
    for name, interval in one.items():
        for field in ("estimate", "lower", "upper", "variance"):
            mine, its = getattr(interval, field), getattr(other[name], field)
            assert mine == pytest.approx(its, nan_ok=True, **close), (name, field)


@given(decided(), st.sampled_from([0.01, 1.0, 100.0]))
def test_equal_weights_are_no_weights(rows, weight):
    *columns, _ = rows
    same(intervals(*columns, weight=np.full(columns[0].size, weight)), plain_intervals(*columns), rel=1e-6, abs=1e-9)


@st.composite
def rough(draw):
    """Rows with weights of any fineness; a third of them are called without error, another third all wrong."""
    positive, called, score, weight = draw(decided())
    called = draw(st.sampled_from([called, positive, ~positive]))
    return positive, called, score, np.array(draw(st.lists(rough_weights, min_size=weight.size, max_size=weight.size)))


@given(rough(), st.sampled_from([0.7, 3.0, 100.0, 1e-9, 1e9]), st.booleans())
def test_the_unit_of_weights_does_not_matter(rows, unit, clustered):
    *columns, weight = rows
    more: Any = {"cluster": np.arange(weight.size) // 2} if clustered else {}
    one, other = (intervals(*columns, weight=each, **more) for each in (weight, weight * unit))
    same(one, other, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("first", "second"), [(0.1, 1.1), (0.3, 1.3), (1 / 3, 1.3)])
def test_rounded_weights_of_tables_without_errors_are_certain_all_the_same(first, second):
    """Their correlation comes out as 0.9999999999999999 or 1.0000000000000002, and means 1."""
    positive, weight = np.array([True, False]), np.array([first, second])
    assert abs(th.Contingency(first, 0.0, 0.0, second).mcc) != 1
    found = table_intervals(count_calls(positive, positive, weight=weight))["mcc"]
    whole = table_intervals(count_calls(positive, positive, weight=np.round(weight * 3000)))["mcc"]
    assert (found.estimate, found.upper) == (1, 1)
    assert found.lower == pytest.approx(whole.lower, rel=1e-6)
    assert found.note == "half a case added to every cell"


@given(decided())
def test_limits_hold_the_estimate(rows):
    *columns, weight = rows
    found = intervals(*columns, weight=weight, cluster=np.arange(weight.size) // 2)
    assert not any(
        interval.estimate < interval.lower or interval.estimate > interval.upper for interval in found.values()
    )
    assert all(
        interval.width > 0 or math.isnan(interval.width) or math.isinf(interval.estimate) for interval in found.values()
    )


def test_copies_of_a_row_in_a_cluster_add_nothing():
    """But for Student's quantile in place of the normal one, all limits are those of the rows without copies."""
    rng = np.random.default_rng(2)
    positive = rng.random(80) < 0.4
    score = np.clip(0.3 + 0.3 * positive + rng.normal(0, 0.2, 80), 0, 1)
    called = score > 0.5
    table, plain = th.contingency(positive, called), plain_intervals(positive, called, score)
    many = [np.repeat(column, 10) for column in (positive, called, score)]
    clustered, as_if = intervals(*many, cluster=np.repeat(np.arange(80), 10)), plain_intervals(*many)
    expected = {name: oracles.measure_of_copies(table, name) for name in th.MEASURES}
    expected |= {f"cost {i}": oracles.cost_of_copies(table, each) for i, each in enumerate(CONDITIONS)}
    expected["brier"] = plain["brier"].lower, plain["brier"].upper
    for name, interval in clustered.items():
        assert (interval.lower, interval.upper) == pytest.approx(expected[name], rel=1e-6), name
        assert interval.estimate == pytest.approx(plain[name].estimate), name
        assert as_if[name].width < 0.4 * plain[name].width


def test_copies_of_a_row_that_nothing_varies_in():
    positive = called = np.repeat([True, False], 10)
    many = np.repeat(positive, 10)
    found = table_intervals(count_calls(many, many, cluster=np.repeat(np.arange(20), 10)))
    plain = th.intervals(th.contingency(positive, called))
    for name in ("tpr", "fpr", "precision", "accuracy", "mcc", "f1"):
        assert (found[name].lower, found[name].upper) == pytest.approx((plain[name].lower, plain[name].upper))
    brier = brier_of_rows(many, many.astype(float), cluster=np.repeat(np.arange(20), 10))
    assert brier.upper == pytest.approx(brier_interval(th.rank(positive, positive.astype(float))).upper)
    assert brier.note


def test_a_class_sampled_more_thinly_keeps_its_own_number_of_cases():
    """500 positives with weights of 0.01 are 500 seen positives, though they stand for 5."""
    positive = np.repeat([True, False], 500)
    called = np.repeat([True, False, True, False], [500, 0, 50, 450])
    found = table_intervals(count_calls(positive, called, weight=np.where(positive, 0.01, 2.0)))
    assert found["tpr"].lower == pytest.approx(th.rate_interval(500, 500).lower)
    assert found["fpr"].upper == pytest.approx(th.rate_interval(50, 500).upper)


def test_uneven_weights_widen():
    rng = np.random.default_rng(3)
    positive = np.repeat([True, False], 100)
    called = rng.random(200) < np.where(positive, 0.8, 0.2)
    weight = rng.exponential(size=200)
    even, uneven = (table_intervals(count_calls(positive, called, weight=w)) for w in (np.ones(200), weight))
    assert uneven["accuracy"].width > 1.2 * even["accuracy"].width


def test_called_cases_of_one_cluster_say_as_much_as_one_case():
    positive = np.array([True, True, False, False, True, False, True, False])
    called = np.array([True, True, True, False, False, False, False, False])
    found = table_intervals(count_calls(positive, called, cluster=np.array([0, 0, 0, 1, 1, 2, 2, 3])))
    assert found["precision"].width > 0.75


def test_clusters_of_alike_rows_are_held_as_often_as_said():
    """Where clusters were ignored, 84 % of the intervals held the truth (60 clusters of 8, correlation one half)."""
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(60), 8)
    held: dict[str, list[bool]] = {"tpr": [], "accuracy": [], "cost": [], "brier": []}
    for _ in range(400):
        copied = rng.random(480) < np.sqrt(0.5)
        positive = np.where(copied, (rng.random(60) < 0.4)[cluster], rng.random(480) < 0.4)
        right = np.where(copied, (rng.random(60) < 0.8)[cluster], rng.random(480) < 0.8)
        sampled = count_calls(positive, positive == right, cluster=cluster)
        found = table_intervals(sampled)
        held["tpr"].append(0.8 in found["tpr"])
        held["accuracy"].append(0.8 in found["accuracy"])
        held["cost"].append(0.4 * 0.2 * 3 + 0.6 * 0.2 in table_interval(sampled, th.OperatingCondition(cost_fn=3)))
        score = np.where(positive == right, 0.8, 0.2)
        held["brier"].append(0.8 * 0.04 + 0.2 * 0.64 in brier_of_rows(positive, score, cluster=cluster))
    assert all(0.92 <= np.mean(each) <= 0.985 for each in held.values()), {n: np.mean(e) for n, e in held.items()}


def test_bad_input():
    rows = np.array([True, False]), np.array([0.8, 0.3])
    with pytest.raises(th.errors.ArgumentError, match="one unit has no spread"):
        brier_of_rows(*rows, cluster=np.array([0, 0]))
    with pytest.raises(th.errors.ArgumentError, match="level"):
        brier_of_rows(*rows, level=95)
    with pytest.raises(th.errors.ArgumentError, match="level"):
        table_intervals(count_calls(rows[0], rows[0]), level=95)
