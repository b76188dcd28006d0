"""What one rule saves against another, with limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.inference.cost import cost_interval
from thresher.inference.design_effect import sampled_table
from thresher.inference.saving import saving_interval

CELLS = st.integers(0, 40)
CONDITIONS = st.builds(
    th.OperatingCondition,
    class_ratio=st.none() | st.floats(0.01, 10),
    cost_fn=st.floats(1, 20),
    cost_fp=st.floats(0.5, 3),
    cost_tp=st.floats(-2, 0.5),
    cost_tn=st.floats(-1, 0.2),
)


@given(st.tuples(CELLS, CELLS, CELLS, CELLS), CONDITIONS, st.floats(-0.2, 0.5))
def test_the_saving_is_the_difference_in_cost_and_inside_its_limits(cells, condition, optimism):
    tp, fn, fp, tn = (cell + 1 for cell in cells)
    table = th.Contingency(tp=tp, fn=fn, fp=fp, tn=tn)
    never = th.Contingency(tp=0, fn=tp + fn, fp=0, tn=fp + tn)
    always = th.Contingency(tp=tp + fn, fn=0, fp=fp + tn, tn=0)
    cost = condition.expected_cost(table)
    rest = th.Contingency(tp=fn, fn=tp, fp=tn, tn=fp)  # what only always calls
    for found, other in (
        (saving_interval(table, None, condition, optimism=optimism), never),
        (saving_interval(None, rest, condition, optimism=optimism), always),
    ):
        assert found.estimate == pytest.approx(condition.expected_cost(other) - cost - optimism)
        assert found.lower <= found.estimate <= found.upper


@given(st.tuples(CELLS, CELLS, CELLS, CELLS), st.floats(0.01, 10))
def test_at_a_declared_mix_the_limits_against_never_are_those_of_the_cost(cells, ratio):
    """What never costs is then known, so that only the cost is in doubt."""
    table = th.Contingency(*(cell + 1 for cell in cells))
    condition = th.OperatingCondition(ratio, cost_fn=7, cost_fp=2)
    known, cost = ratio / (1 + ratio) * 7, cost_interval(table, condition)
    found = saving_interval(table, None, condition)
    assert (found.lower, found.upper) == pytest.approx((known - cost.upper, known - cost.lower))


def test_both_ways_and_weights():
    rng = np.random.default_rng(2)
    positive, mine, other = rng.random((3, 400)) < [[0.3], [0.4], [0.5]]
    condition = th.OperatingCondition(prevalence=0.1, cost_ratio=4)
    expected = condition.expected_cost(th.contingency(positive, other)) - condition.expected_cost(
        th.contingency(positive, mine)
    )
    more, fewer = mine & ~other, other & ~mine
    plain = saving_interval(th.contingency(positive, more), th.contingency(positive, fewer), condition)
    assert plain.estimate == pytest.approx(expected)
    same = [sampled_table(positive, calls, weight=np.full(400, 3.0)) for calls in (more, fewer)]
    weighted = saving_interval(same[0], same[1], condition)
    assert (weighted.estimate, weighted.lower, weighted.upper) == pytest.approx(
        (plain.estimate, plain.lower, plain.upper)
    )


def test_resamples_widen_the_limits_and_unknown_optimism_says_so():
    table, condition = th.Contingency(tp=30, fn=20, fp=10, tn=40), th.OperatingCondition()
    plain = saving_interval(table, None, condition)
    wide = saving_interval(table, None, condition, drawn=np.linspace(-1, 1, 1001))
    assert (wide.lower, wide.upper) == pytest.approx((-0.95, 0.95))
    assert wide.estimate == plain.estimate
    unknown = saving_interval(table, None, condition, optimism=math.nan)
    assert math.isnan(unknown.estimate)
    assert "left out too little" in unknown.note
