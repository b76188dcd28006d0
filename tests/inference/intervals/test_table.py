import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
import thresher.inference as ti
from thresher.errors import ArgumentError
from thresher.inference.intervals import table as room

SPAM = th.Contingency(tp=30, fn=20, fp=10, tn=40)
tables = st.tuples(*[st.integers(0, 30)] * 4).filter(any).map(lambda cells: th.Contingency(*cells))


@pytest.mark.parametrize("name", sorted(room.RATES))
def test_a_rate_of_the_list_is_the_measure_of_that_name(name):
    of, among = room.RATES[name]
    k, n = (sum(getattr(SPAM, cell) for cell in cells) for cells in (of, among))
    assert th.tables.measure(name).of(SPAM) == pytest.approx(k / n)
    assert ti.interval(SPAM, name) == ti.rate_interval(k, n)
    assert ti.interval(SPAM, name, method="exact", level=0.9) == ti.rate_interval(k, n, method="exact", level=0.9)


@given(tables)
def test_every_measure_lies_between_its_limits_in_its_range(table):
    found = ti.intervals(table)
    assert set(found) == set(th.MEASURES)
    for name, interval in found.items():
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
    z = 1.959963984540054
    assert likelihood.lower == pytest.approx(3 * math.exp(-z * math.sqrt(of_log)), rel=1e-6)
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


def test_at_the_end_of_a_range_half_a_case_is_added_and_said():
    found = ti.interval(th.Contingency(tp=5, fn=0, fp=0, tn=5), "mcc")
    assert found.estimate == found.upper == 1
    assert found.lower < 0.9
    assert "half a case" in found.note


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
        found = ti.interval(table, "mcc")
        assert found.estimate == end
        assert end in (found.lower, found.upper)
        assert found.note == "half a case added to every cell"
        assert found.width < 2
