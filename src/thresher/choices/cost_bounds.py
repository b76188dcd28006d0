"""Bounds of expected cost, at a threshold and at the best one, for rankings that count ranges."""

from __future__ import annotations

import math

import numpy as np

from thresher.choices.choose import choose, operating_condition
from thresher.choices.objective import TIED_WEIGHTS
from thresher.curves import Bounds, table_bounds
from thresher.curves.bounds import certain, may_hide_better, may_hide_tie, outward, upper_corners_of
from thresher.errors import ArgumentError
from thresher.ranking import Ranking, as_number, described, require_ranking
from thresher.tables import Contingency, contingency_at
from thresher.tables.condition import OperatingCondition


def cost_bounds(ranking: Ranking, threshold: float, *, condition: OperatingCondition | None = None) -> Bounds:
    """The smallest and the largest expected cost per case that acting at a threshold may have.

    At a threshold that splits no segment, as every threshold that `choose` returns, both are the cost itself (of
    weights, up to rounding).

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> cost_bounds(bounded, 0.5)
    Bounds(lower=0.36..., upper=0.36...)
    """
    require_ranking(ranking, both_classes=True)
    asked = operating_condition(condition).for_data(ranking)
    if math.isnan(as_number(threshold)):
        raise ArgumentError(f"one threshold is needed, got {described(threshold)}", "give one number at a time")
    if ranking.spans is None:
        return certain(float(asked.expected_cost(contingency_at(ranking, threshold))))
    found = table_bounds(ranking, threshold)
    least, most = found.least, found.most
    if not ranking.weighted and (least.tp, least.fp) == (most.tp, most.fp):
        return certain(float(asked.expected_cost(least)))
    best = Contingency(tp=most.tp, fn=most.fn, fp=least.fp, tn=least.tn)
    worst = Contingency(tp=least.tp, fn=least.fn, fp=most.fp, tn=most.tn)
    return _outward(ranking, asked, float(asked.expected_cost(best)), float(asked.expected_cost(worst)))


def best_cost_bounds(ranking: Ranking, *, condition: OperatingCondition | None = None) -> Bounds:
    """Bounds of the least expected cost that any threshold reaches.

    The upper one is reached by `choose(ranking, condition)`, so their distance is what the choice may leave on the
    table by not knowing the order inside segments. Equal bounds say that the choice is certain; those of weights leave
    room for rounding.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> best_cost_bounds(bounded)
    Bounds(lower=0.18..., upper=0.36...)
    """
    require_ranking(ranking, both_classes=True)
    asked = operating_condition(condition)
    reached = choose(ranking, asked).expected_cost
    if ranking.spans is None:
        return certain(reached)
    resolved = asked.for_data(ranking)
    slope = asked.slope_coverage(ranking)
    if not ranking.weighted and not may_hide_tie(ranking, slope).any():
        return certain(reached)
    # A split that ties may be hidden, and its cost rounds otherwise.
    better = may_hide_better(ranking, slope).any()
    least = _least_cost(ranking, resolved) if better else reached
    # Of weights, `choose` takes the middle of the thresholds that tie, which may cost a little more than the least.
    tie = TIED_WEIGHTS * (abs(resolved.cost_fn - resolved.cost_tp) + abs(resolved.cost_fp - resolved.cost_tn))
    return _outward(ranking, resolved, min(least, reached), reached, tie=tie if ranking.weighted else 0.0)


def _least_cost(ranking: Ranking, condition: OperatingCondition) -> float:
    """The least cost on the highest curve that the ranking allows."""
    fp, tp = upper_corners_of(ranking)
    table = Contingency(tp=tp, fn=ranking.Pos - tp, fp=fp, tn=ranking.Neg - fp)
    return float(np.min(condition.expected_cost(table)))


def _outward(
    ranking: Ranking, condition: OperatingCondition, lower: float, upper: float, *, tie: float = 0.0
) -> Bounds:
    costs = (condition.cost_fp, condition.cost_fn, condition.cost_tp, condition.cost_tn)
    # A mean of two equal costs, such as 0.1, may round past them.
    ends = (*costs, lower, upper) if ranking.weighted else costs
    scale = max(abs(cost) for cost in costs)
    return outward(ranking, lower - tie, upper + tie, min(ends), max(ends), scale=scale)
