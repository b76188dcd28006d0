"""What calls cost: rows of a group are no independent cases."""

import numpy as np
import pytest

import thresher as th
from thresher.learning.called_rows import calls_cost, calls_measures

LABELS = np.repeat([True, False], [60, 140])
CALLS = np.tile([True, False, False, True, False], 40)
COSTS = th.OperatingCondition(cost_ratio=3)


def test_rows_by_themselves_are_cases():
    found = calls_cost(LABELS, CALLS, COSTS, level=0.9)
    plain = th.cost_interval(th.contingency(LABELS, CALLS), COSTS, level=0.9)
    assert (found.estimate, found.lower, found.upper) == (plain.estimate, plain.lower, plain.upper)
    alone = calls_cost(LABELS, CALLS, COSTS, clusters=np.arange(200), level=0.9)
    assert alone.upper - alone.lower == pytest.approx(plain.upper - plain.lower, rel=0.02)


def test_ten_copies_of_a_row_are_worth_one():
    once = calls_cost(LABELS, CALLS, COSTS)
    copied, whose = np.repeat(LABELS, 10), np.repeat(np.arange(200), 10)
    torn = calls_cost(copied, np.repeat(CALLS, 10), COSTS)
    kept = calls_cost(copied, np.repeat(CALLS, 10), COSTS, clusters=whose)
    assert kept.estimate == pytest.approx(once.estimate)
    assert kept.upper - kept.lower == pytest.approx(once.upper - once.lower, rel=0.02)
    assert torn.upper - torn.lower < 0.4 * (kept.upper - kept.lower)


def test_weights_are_no_counts_of_cases():
    heavy = calls_cost(LABELS, CALLS, COSTS, weights=np.full(200, 50.0))
    once = calls_cost(LABELS, CALLS, COSTS)
    assert heavy.upper - heavy.lower == pytest.approx(once.upper - once.lower)


def test_measures_count_groups_too():
    copied, whose = np.repeat(LABELS, 10), np.repeat(np.arange(200), 10)
    once = calls_measures(LABELS, CALLS)["tpr"]
    kept = calls_measures(copied, np.repeat(CALLS, 10), clusters=whose)["tpr"]
    assert kept.estimate == once.estimate == th.contingency(LABELS, CALLS).tpr
    assert kept.upper - kept.lower == pytest.approx(once.upper - once.lower, rel=0.05)
