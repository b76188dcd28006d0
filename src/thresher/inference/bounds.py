"""Certified bounds of one number of a ranking: the exact value lies between them."""

from __future__ import annotations

import math
from functools import partial
from typing import overload

import numpy as np

from thresher._internal.arguments import as_number, describe, require_one_of
from thresher.calibration import brier, log_loss, log_losses, squared_losses
from thresher.choices import choose
from thresher.choices.choose import operating_condition
from thresher.choices.objective import TIED_WEIGHTS
from thresher.curves.bounds import (
    Bounds,
    auc_bounds,
    average_precision_bounds,
    certain,
    extreme_curve,
    ks_bounds,
    may_hide_better,
    may_hide_tie,
    outward,
    pr_area_bounds,
    table_bounds,
)
from thresher.errors import ArgumentError, ProbabilityError, argument
from thresher.ranking import Floats, Ranking, require_ranking
from thresher.tables import Contingency, OperatingCondition, contingency_at

_OF_RANKING = {
    "auc": auc_bounds,
    "average_precision": average_precision_bounds,
    "pr_area": pr_area_bounds,
    "ks": ks_bounds,
}


@overload
def bounds(
    ranking: Ranking, of: str, *, condition: OperatingCondition | None = ..., threshold: float | None = ...
) -> Bounds: ...
@overload
def bounds(ranking: Ranking, of: None = ..., *, condition: OperatingCondition | None = ...) -> dict[str, Bounds]: ...
def bounds(
    ranking: Ranking,
    of: str | None = None,
    *,
    condition: OperatingCondition | None = None,
    threshold: float | None = None,
) -> Bounds | dict[str, Bounds]:
    """Bounds of a number of a ranking, or of all of them by name.

    Of a ranking of single scores both bounds are the number itself. One that counts ranges of scores, as scans of many
    rows give, leaves the order inside a range open, and the bounds say how much that matters.

    Parameters
    ----------
    ranking
        The scored cases.
    of
        "auc", "average_precision", "pr_area", "ks", "expected_cost", or of probabilities "brier" and "log_loss".
        Without it, all that the ranking has.
    condition
        Costs and class ratio of "expected_cost".
    threshold
        Where "expected_cost" is taken; without one, at the best threshold. The upper bound is then what
        `choose(ranking, condition)` reaches, and equal bounds say that the choice is certain.

    Examples
    --------
    >>> ranges = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> bounds(ranges, "auc")
    Bounds(lower=0.39..., upper=0.86...)
    >>> bounds(ranges, "expected_cost", threshold=0.5)
    Bounds(lower=0.36..., upper=0.36...)
    >>> bounds(ranges)["brier"]
    Bounds(lower=0.24..., upper=0.26...)
    """
    require_ranking(ranking)
    probabilities = {name: partial(_loss_bounds, name=name) for name in ("brier", "log_loss")}
    if of is None:
        numbers = _OF_RANKING | (probabilities if _are_probabilities(ranking) else {})
        every = {name: number(ranking) for name, number in numbers.items()}
        return every | {"expected_cost": _best_cost_bounds(ranking, condition)}
    require_one_of(of, (*_OF_RANKING, "expected_cost", *probabilities), name="of")
    if threshold is not None and of != "expected_cost":
        raise ArgumentError(f"{of} has no threshold", f"leave {argument('threshold')} out", parameter="threshold")
    if of != "expected_cost":
        return (_OF_RANKING | probabilities)[of](ranking)
    return _best_cost_bounds(ranking, condition) if threshold is None else _cost_bounds(ranking, threshold, condition)


def _are_probabilities(ranking: Ranking) -> bool:
    try:
        ranking.require_probabilities()
    except ProbabilityError:
        return False
    return True


def _cost_bounds(ranking: Ranking, threshold: float, condition: OperatingCondition | None) -> Bounds:
    """The smallest and the largest expected cost that a threshold may have.

    At a threshold that splits no segment, both are the cost itself (of weights, up to rounding).
    """
    require_ranking(ranking, both_classes=True)
    asked = operating_condition(condition).for_data(ranking)
    if math.isnan(as_number(threshold)):
        raise ArgumentError(f"one threshold is needed, got {describe(threshold)}", "give one number at a time")
    if ranking.ranges is None:
        return certain(float(asked.expected_cost(contingency_at(ranking, threshold))))
    tables = table_bounds(ranking, threshold)
    least, most = tables.least, tables.most
    if not ranking.weighted and (least.tp, least.fp) == (most.tp, most.fp):
        return certain(float(asked.expected_cost(least)))
    best = Contingency(tp=most.tp, fn=most.fn, fp=least.fp, tn=least.tn)
    worst = Contingency(tp=least.tp, fn=least.fn, fp=most.fp, tn=most.tn)
    return _outward(ranking, asked, float(asked.expected_cost(best)), float(asked.expected_cost(worst)))


def _best_cost_bounds(ranking: Ranking, condition: OperatingCondition | None) -> Bounds:
    """Bounds of the least expected cost that any threshold reaches.

    `choose(ranking, condition)` reaches the upper one, so their distance is what the choice may leave on the table by
    not knowing the order inside segments. Equal bounds say that the choice is certain; those of weights are widened
    for rounding.
    """
    require_ranking(ranking, both_classes=True)
    asked = operating_condition(condition)
    reached = choose(ranking, asked).expected_cost
    if ranking.ranges is None:
        return certain(reached)
    resolved, slope = asked.for_data(ranking), asked.slope_coverage(ranking)
    if not ranking.weighted and not may_hide_tie(ranking, slope).any():
        return certain(reached)
    least = reached
    if may_hide_better(ranking, slope).any():
        # The least cost on the highest curve; a hidden split that ties costs otherwise by rounding alone.
        fp, tp = extreme_curve(ranking, highest=True)
        highest = Contingency(tp=tp, fn=ranking.Pos - tp, fp=fp, tn=ranking.Neg - fp)
        least = min(reached, float(np.min(resolved.expected_cost(highest))))
    # Of weights, `choose` takes the middle of the thresholds that tie, which may cost a little more than the least.
    tie = TIED_WEIGHTS * (abs(resolved.cost_fn - resolved.cost_tp) + abs(resolved.cost_fp - resolved.cost_tn))
    return _outward(ranking, resolved, least, reached, tie=tie if ranking.weighted else 0.0)


def _outward(
    ranking: Ranking, condition: OperatingCondition, lower: float, upper: float, *, tie: float = 0.0
) -> Bounds:
    costs = (condition.cost_fp, condition.cost_fn, condition.cost_tp, condition.cost_tn)
    # A mean of two equal costs, such as 0.1, may round past them.
    past = 2.0**-50 if ranking.weighted else 0.0
    least, most = min(costs) - past * abs(min(costs)), max(costs) + past * abs(max(costs))
    return outward(ranking, lower - tie, upper + tie, least, most, scale=max(abs(cost) for cost in costs))


def _loss_bounds(ranking: Ranking, name: str) -> Bounds:
    """The smallest and the largest Brier score or log loss that a ranking allows.

    A positive loses least at the highest score of its segment and a negative at the lowest. Both ends occur, so that
    one case of each class is known to be there; of weights, none is.
    """
    require_ranking(ranking, probabilities=True)
    squared = name == "brier"
    if ranking.ranges is None:
        return certain(brier(ranking) if squared else float(log_loss(ranking)))
    ranges, losses = ranking.ranges, squared_losses if squared else log_losses
    best, worst = losses(ranges.pos_high, ranges.neg_low), losses(ranges.pos_low, ranges.neg_high)
    if any(np.isinf(each).any() for each in worst):  # a case is certain and wrong
        return Bounds(math.inf, math.inf)

    def mean(all_but_one: tuple[Floats, Floats], one: tuple[Floats, Floats]) -> float:
        total = 0.0
        for counts, most, other in zip((ranking.pos, ranking.neg), all_but_one, one, strict=True):
            has = np.flatnonzero(counts)
            at_other_end = 0 if counts.dtype.kind == "f" else 1
            total += math.fsum((most[has] * (counts[has] - at_other_end) + other[has] * at_other_end).tolist())
        return total / ranking.total

    lower, upper = mean(best, worst), mean(worst, best)
    if squared:
        return outward(ranking, lower, upper, 0.0, 1.0)
    return outward(ranking, lower, upper, 0.0, math.inf, scale=1.0 + upper)
