"""Tests of best."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.inference.decision.best import allowances, decided_costs, may_be_best, saving_interval
from thresher.inference.decision.stability import Resamples
from thresher.inference.intervals.table import count_calls, table_interval

MODELS = "abcd"


def drawn(seed, spread=1.0, replicates=200):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=replicates)
    return {name: spread * (common + rng.normal(size=replicates) * (1 + i)) for i, name in enumerate(MODELS)}


def test_allowances_against_loops():
    costs = drawn(3)
    result = allowances(costs, 0.9)
    for i, a in enumerate(MODELS):
        apart = {b: costs[a] - costs[b] for b in MODELS if b != a}
        spread = {b: np.std(each, ddof=1) for b, each in apart.items()}
        largest = [max((apart[b][r] - apart[b].mean()) / spread[b] for b in apart) for r in range(200)]
        critical = max(np.quantile(largest, 0.9), 1.2815515655446004)  # never below one normal difference
        for j, b in enumerate(MODELS):
            assert result[i, j] == pytest.approx(0 if a == b else critical * spread[b])


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4), st.floats(0, 0.5), st.integers(0, 9))
def test_the_cheapest_may_be_best_and_a_margin_only_adds(costs, margin, seed):
    cost = dict(zip(MODELS, costs, strict=True))
    allowance = allowances(drawn(seed, spread=0.05), 0.95)
    result = may_be_best(cost, allowance)
    assert min(cost, key=cost.__getitem__) in result
    assert set(result) <= set(may_be_best(cost, allowance, margin=margin))
    near = {name for name in MODELS if cost[name] <= min(costs) + margin}
    assert near <= set(may_be_best(cost, allowance, margin=margin))


def test_models_that_never_differ_do_not_exclude_each_other():
    same = np.linspace(0.1, 0.2, 50)
    allowance = allowances({"a": same, "b": same, "c": same + np.sin(np.arange(50))}, 0.95)
    assert may_be_best({"a": 0.15, "b": 0.15, "c": 9.0}, allowance) == ("a", "b")


@pytest.mark.parametrize("worse", [0.0, 0.5, 2.0])
def test_the_best_is_in_the_set_as_often_as_the_level_says(worse):
    """Means of correlated costs, resampled: the first model is the best by `worse` standard errors, or by a hair."""
    rng, runs, held = np.random.default_rng(5), 400, 0
    truth, factor = np.array([0, worse, worse, worse, worse]), rng.normal(size=(5, 3))
    for _ in range(runs):
        seen, again = (rng.normal(size=(n, 3)) @ factor.T + rng.normal(size=(n, 5)) for n in (1, 300))
        cost = truth + seen[0]
        names = [f"m{i}" for i in range(5)]
        allowance = allowances(dict(zip(names, (cost + again).T, strict=True)), 0.9)
        held += "m0" in may_be_best(dict(zip(names, cost.tolist(), strict=True)), allowance)
    assert held / runs >= 0.9 - 2 * np.sqrt(0.09 / runs)


@pytest.mark.parametrize("preference", [(), ("c",), ("d", "b", "a", "c")])
def test_decisions_against_loops(preference):
    inside, outside = drawn(1), drawn(2)
    inside["b"] = inside["a"].copy()  # the first of equals is taken
    allowance = allowances(drawn(4), 0.8)
    result = decided_costs(Resamples(inside, outside, inside, {}), allowance, margin=0.1, preference=preference)
    for r in range(200):
        cost = {name: inside[name][r] for name in MODELS}
        best = may_be_best(cost, allowance, margin=0.1)
        taken = next((name for name in preference if name in best), min(cost, key=cost.__getitem__))
        assert result[r] == outside[taken][r]


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
    for result, other in (
        (saving_interval(table, None, condition, optimism=optimism), never),
        (saving_interval(None, rest, condition, optimism=optimism), always),
    ):
        assert result.estimate == pytest.approx(condition.expected_cost(other) - cost - optimism)
        assert result.lower <= result.estimate <= result.upper


@given(st.tuples(CELLS, CELLS, CELLS, CELLS), st.floats(0.01, 10))
def test_at_a_declared_mix_the_limits_against_never_are_those_of_the_cost(cells, ratio):
    """What never costs is then known, so that only the cost is in doubt."""
    table = th.Contingency(*(cell + 1 for cell in cells))
    condition = th.OperatingCondition(ratio, cost_fn=7, cost_fp=2)
    known, cost = ratio / (1 + ratio) * 7, table_interval(table, condition)
    result = saving_interval(table, None, condition)
    assert (result.lower, result.upper) == pytest.approx((known - cost.upper, known - cost.lower))


def test_both_ways_and_weights():
    rng = np.random.default_rng(2)
    positive, one, other = rng.random((3, 400)) < [[0.3], [0.4], [0.5]]
    condition = th.OperatingCondition(prevalence=0.1, cost_ratio=4)
    expected = condition.expected_cost(th.contingency(positive, other)) - condition.expected_cost(
        th.contingency(positive, one)
    )
    more, fewer = one & ~other, other & ~one
    plain = saving_interval(th.contingency(positive, more), th.contingency(positive, fewer), condition)
    assert plain.estimate == pytest.approx(expected)
    same = [count_calls(positive, calls, weight=np.full(400, 3.0)) for calls in (more, fewer)]
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
