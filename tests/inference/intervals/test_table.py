import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
import thresher.inference as ti
from tests.inference import oracles
from tests.strategies import rough_weights
from thresher.errors import ArgumentError
from thresher.inference.intervals.loss import brier_interval
from thresher.inference.intervals.table import RATES, count_calls, table_interval, table_intervals

SPAM = th.Contingency(tp=30, fn=20, fp=10, tn=40)
tables = st.tuples(*[st.integers(0, 30)] * 4).filter(any).map(lambda cells: th.Contingency(*cells))


@pytest.mark.parametrize("name", sorted(RATES))
def test_a_rate_of_the_list_is_the_measure_of_that_name(name):
    of, among = RATES[name]
    k, n = (sum(getattr(SPAM, cell) for cell in cells) for cells in (of, among))
    assert th.tables.measure(name).of(SPAM) == pytest.approx(k / n)
    assert ti.interval(SPAM, name) == ti.rate_interval(k, n)
    assert ti.interval(SPAM, name, method="exact", level=0.9) == ti.rate_interval(k, n, method="exact", level=0.9)


@given(tables)
def test_every_measure_lies_between_its_limits_in_its_range(table):
    result = ti.intervals(table)
    assert set(result) == set(th.MEASURES)
    for name, interval in result.items():
        value, (low, high) = th.MEASURES[name].of(table), th.MEASURES[name].range
        if math.isnan(value):
            assert math.isnan(interval.lower)
            assert interval.note == th.MEASURES[name].undefined
        else:
            assert interval.estimate == value
            assert low <= interval.lower <= value <= interval.upper <= high, name
            assert interval.upper > interval.lower, name


def test_the_delta_method_of_youden_is_the_sum_of_two_binomial_variances():
    expected = 0.6 * 0.4 / 50 + 0.2 * 0.8 / 50
    assert ti.interval(SPAM, "youden_j").variance == pytest.approx(expected, rel=1e-6)
    assert ti.interval(SPAM, "average_recall").variance == pytest.approx(expected / 4, rel=1e-6)


def test_a_ratio_has_the_textbook_variance_of_its_logarithm():
    likelihood = ti.interval(SPAM, "lr_plus")
    of_log = 1 / 30 - 1 / 50 + 1 / 10 - 1 / 50
    assert likelihood.variance == pytest.approx(of_log * likelihood.estimate**2, rel=1e-6)
    odds = ti.interval(SPAM, "dor")
    assert odds.variance == pytest.approx((1 / 30 + 1 / 20 + 1 / 10 + 1 / 40) * odds.estimate**2, rel=1e-6)


def test_the_delta_method_agrees_with_simulation():
    rng = np.random.default_rng(5)
    drawn = rng.multinomial(1000, [0.3, 0.2, 0.1, 0.4], size=40_000)
    many = th.Contingency(*drawn.T)
    table = th.Contingency(tp=300, fn=200, fp=100, tn=400)
    for name in ("mcc", "f1", "kappa", "g_mean", "markedness", "lift", "f2"):
        known = th.tables.measure(name)
        assert ti.interval(table, known).variance == pytest.approx(np.var(known.of(many)), rel=0.05), name


def test_at_the_end_of_a_range_there_is_one_limit():
    result = ti.interval(th.Contingency(tp=5, fn=0, fp=0, tn=5), "mcc")
    assert result.estimate == result.upper == 1
    assert 0.2 < result.lower < 0.6
    assert result.variance == pytest.approx(0, abs=1e-12)


def test_a_curve_is_refused():
    curve = th.coverage(th.Ranking.parse("[2+,1-][1+,2-]"))
    with pytest.raises(ArgumentError, match="many splits"):
        ti.interval(curve, "mcc")


@pytest.mark.parametrize(("right", "other"), [(0.1, 1.1), (0.3, 1.3), (1 / 3, 1.3)])
def test_weighted_tables_without_errors_have_limits_at_the_ends(right, other):
    """Their correlations are a rounding error short of 1, or beyond it."""
    assert abs(th.Contingency(right, 0.0, 0.0, other).mcc) != 1
    perfect, wrong = th.Contingency(right, 0.0, 0.0, other), th.Contingency(0.0, right, other, 0.0)
    for table, end in ((perfect, 1), (wrong, -1)):
        result = ti.interval(table, "mcc")
        assert result.estimate == end
        assert end in (result.lower, result.upper)
        assert 0 < result.width < 2


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
    positive, calls = (np.array([True, False, *draw(flags)]) for _ in range(2))
    score = np.array(draw(st.lists(st.integers(0, 8), min_size=size, max_size=size))) / 8
    weight = np.array(draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))) / 2
    return positive, calls, score, weight


def brier_of_rows(positive, score, *, level=0.95, **more):
    return th.inference.brier_interval(th.inference.ScoredRows(positive, {"model": score}, **more), level=level)


def sampled_intervals(positive, calls, score, **more):
    sampled = count_calls(positive, calls, **more)
    result = table_intervals(sampled)
    result |= {f"cost {i}": table_interval(sampled, each) for i, each in enumerate(CONDITIONS)}
    return result | {"brier": brier_of_rows(positive, score, **more)}


def counted_intervals(positive, calls, score):
    table = th.contingency(positive, calls)
    result = th.intervals(table) | {f"cost {i}": table_interval(table, each) for i, each in enumerate(CONDITIONS)}
    return result | {"brier": brier_interval(th.rank(positive, score))}


def same_limits(one, other, **close):
    for name, interval in one.items():
        for field in ("estimate", "lower", "upper", "variance"):
            ours, theirs = getattr(interval, field), getattr(other[name], field)
            assert ours == pytest.approx(theirs, nan_ok=True, **close), (name, field)


@settings(max_examples=12)
@given(decided(), st.sampled_from([0.01, 1.0, 100.0]))
def test_equal_weights_are_no_weights(rows, weight):
    *columns, _ = rows
    same_limits(
        sampled_intervals(*columns, weight=np.full(columns[0].size, weight)),
        counted_intervals(*columns),
        rel=1e-6,
        abs=1e-9,
    )


@st.composite
def rough(draw):
    """Rows with weights of any fineness; a third of them are called without error, another third all wrong."""
    positive, calls, score, weight = draw(decided())
    calls = draw(st.sampled_from([calls, positive, ~positive]))
    return positive, calls, score, np.array(draw(st.lists(rough_weights, min_size=weight.size, max_size=weight.size)))


@settings(max_examples=12)
@given(rough(), st.sampled_from([0.7, 3.0, 100.0, 1e-9, 1e9]), st.booleans())
def test_the_unit_of_weights_does_not_matter(rows, unit, clustered):
    *columns, weight = rows
    more: Any = {"cluster": np.arange(weight.size) // 2} if clustered else {}
    one, other = (sampled_intervals(*columns, weight=each, **more) for each in (weight, weight * unit))
    same_limits(one, other, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("unit", [0.7, 1.0])
def test_few_cases_without_errors_have_the_lower_of_two_lower_limits(unit):
    """Either all positives are called wrong, or some of both classes are: J is 0 there and below 0 here."""
    weight = unit * np.array([82, 23.75, 81, 61, 85.75, 45.984375, 0.03125, 10, 32.0625])
    positive = np.array([1, 0, 0, 1, 1, 1, 0, 1, 1], dtype=np.bool_)
    result = sampled_intervals(positive, positive, np.zeros(9), weight=weight, cluster=np.arange(9) // 2)
    assert result["youden_j"].lower == pytest.approx(-0.0077185, abs=1e-5)


@pytest.mark.parametrize(("first", "second"), [(0.1, 1.1), (0.3, 1.3), (1 / 3, 1.3)])
def test_rounded_weights_of_tables_without_errors_are_certain_all_the_same(first, second):
    """Their correlation comes out as 0.9999999999999999 or 1.0000000000000002, and means 1."""
    positive, weight = np.array([True, False]), np.array([first, second])
    assert abs(th.Contingency(first, 0.0, 0.0, second).mcc) != 1
    result = table_intervals(count_calls(positive, positive, weight=weight))["mcc"]
    integer = table_intervals(count_calls(positive, positive, weight=np.round(weight * 3000)))["mcc"]
    assert (result.estimate, result.upper) == (1, 1)
    assert result.lower == pytest.approx(integer.lower, rel=1e-6)
    assert result.lower < 1


@settings(max_examples=12)
@given(decided())
def test_limits_hold_the_estimate(rows):
    *columns, weight = rows
    result = sampled_intervals(*columns, weight=weight, cluster=np.arange(weight.size) // 2)
    assert not any(
        interval.estimate < interval.lower or interval.estimate > interval.upper for interval in result.values()
    )
    assert all(
        interval.width > 0 or math.isnan(interval.width) or math.isinf(interval.estimate)
        for interval in result.values()
    )


def test_copies_of_a_row_in_a_cluster_add_nothing():
    """But for Student's quantile in place of the normal one, all limits are those of the rows without copies."""
    rng = np.random.default_rng(2)
    positive = rng.random(80) < 0.4
    score = np.clip(0.3 + 0.3 * positive + rng.normal(0, 0.2, 80), 0, 1)
    calls = score > 0.5
    table, plain = th.contingency(positive, calls), counted_intervals(positive, calls, score)
    many = [np.repeat(column, 10) for column in (positive, calls, score)]
    clustered, as_if = sampled_intervals(*many, cluster=np.repeat(np.arange(80), 10)), counted_intervals(*many)
    expected = {name: oracles.measure_of_copies(table, name) for name in th.MEASURES}
    expected |= {f"cost {i}": oracles.cost_of_copies(table, each) for i, each in enumerate(CONDITIONS)}
    expected["brier"] = plain["brier"].lower, plain["brier"].upper
    for name, interval in clustered.items():
        assert (interval.lower, interval.upper) == pytest.approx(expected[name], rel=1e-6), name
        assert interval.estimate == pytest.approx(plain[name].estimate), name
        assert as_if[name].width < 0.4 * plain[name].width


def test_copies_of_a_row_that_nothing_varies_in():
    positive = calls = np.repeat([True, False], 10)
    many = np.repeat(positive, 10)
    result = table_intervals(count_calls(many, many, cluster=np.repeat(np.arange(20), 10)))
    plain = th.intervals(th.contingency(positive, calls))
    for name in ("tpr", "fpr", "precision", "accuracy", "mcc", "f1"):
        assert (result[name].lower, result[name].upper) == pytest.approx((plain[name].lower, plain[name].upper))
    brier = brier_of_rows(many, many.astype(float), cluster=np.repeat(np.arange(20), 10))
    assert brier.upper == pytest.approx(brier_interval(th.rank(positive, positive.astype(float))).upper)
    assert brier.note


def test_a_class_sampled_more_thinly_keeps_its_own_number_of_cases():
    """500 positives with weights of 0.01 are 500 seen positives, though they stand for 5."""
    positive = np.repeat([True, False], 500)
    calls = np.repeat([True, False, True, False], [500, 0, 50, 450])
    result = table_intervals(count_calls(positive, calls, weight=np.where(positive, 0.01, 2.0)))
    assert result["tpr"].lower == pytest.approx(th.rate_interval(500, 500).lower)
    assert result["fpr"].upper == pytest.approx(th.rate_interval(50, 500).upper)


def test_uneven_weights_widen():
    rng = np.random.default_rng(3)
    positive = np.repeat([True, False], 100)
    calls = rng.random(200) < np.where(positive, 0.8, 0.2)
    weight = rng.exponential(size=200)
    even, uneven = (table_intervals(count_calls(positive, calls, weight=w)) for w in (np.ones(200), weight))
    assert uneven["accuracy"].width > 1.2 * even["accuracy"].width


def test_called_cases_of_one_cluster_say_as_much_as_one_case():
    positive = np.array([True, True, False, False, True, False, True, False])
    calls = np.array([True, True, True, False, False, False, False, False])
    result = table_intervals(count_calls(positive, calls, cluster=np.array([0, 0, 0, 1, 1, 2, 2, 3])))
    assert result["precision"].width > 0.75


def test_clusters_of_alike_rows_are_held_as_often_as_stated():
    """Where clusters were ignored, 84 % of the intervals held the truth (60 clusters of 8, correlation one half)."""
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(60), 8)
    held: dict[str, list[bool]] = {"tpr": [], "accuracy": [], "youden_j": [], "cost": [], "brier": []}
    for _ in range(400):
        copied = rng.random(480) < np.sqrt(0.5)
        positive = np.where(copied, (rng.random(60) < 0.4)[cluster], rng.random(480) < 0.4)
        right = np.where(copied, (rng.random(60) < 0.8)[cluster], rng.random(480) < 0.8)
        sampled = count_calls(positive, positive == right, cluster=cluster)
        held["tpr"].append(0.8 in table_interval(sampled, "tpr"))
        held["accuracy"].append(0.8 in table_interval(sampled, "accuracy"))
        held["youden_j"].append(0.6 in table_interval(sampled, "youden_j"))
        held["cost"].append(0.4 * 0.2 * 3 + 0.6 * 0.2 in table_interval(sampled, th.OperatingCondition(cost_fn=3)))
        score = np.where(positive == right, 0.8, 0.2)
        held["brier"].append(0.8 * 0.04 + 0.2 * 0.64 in brier_of_rows(positive, score, cluster=cluster))
    assert all(0.92 <= np.mean(each) <= 0.985 for each in held.values()), {n: np.mean(e) for n, e in held.items()}


def test_bad_input_of_sampled_tables():
    rows = np.array([True, False]), np.array([0.8, 0.3])
    with pytest.raises(th.errors.ArgumentError, match="one unit has no spread"):
        brier_of_rows(*rows, cluster=np.array([0, 0]))
    with pytest.raises(th.errors.ArgumentError, match="level"):
        brier_of_rows(*rows, level=95)
    with pytest.raises(th.errors.ArgumentError, match="level"):
        table_intervals(count_calls(rows[0], rows[0]), level=95)


def test_limits_at_a_class_ratio_are_not_stretched_by_rounding():
    """Without false alarms the lift does not vary with any cell, and clusters have nothing to stretch.

    Every cluster holds a positive that is called, one that is not and four negatives, which say as much as one.
    """
    positive = np.tile([True, False, False], 40)
    calls = positive & (np.arange(120) % 2 == 0)
    clustered = count_calls(positive, calls, cluster=np.arange(120) // 6)
    lift = table_interval(clustered, "lift", class_ratio=1 / 9)
    expected = table_interval(th.Contingency(tp=20, fn=20, fp=0, tn=20), "lift", class_ratio=1 / 9)
    assert lift.lower == pytest.approx(expected.lower)
