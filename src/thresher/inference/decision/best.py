"""Which models may be the best, and what one rule saves against another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from thresher.inference.bootstrap.replicates import percentile_limits, variance_of
from thresher.inference.decision.stability import Resamples
from thresher.inference.interval import Interval, normal_quantile, undefined
from thresher.inference.intervals.table import Table, table_interval
from thresher.ranking import Floats
from thresher.tables import OperatingCondition

_TIE = 1e-12


def allowances(drawn: Mapping[str, Floats], level: float) -> Floats:
    """How much more than model j (column) model i (row) may cost and be the best.

    `drawn` is the cost of each model on every resample. For each model the differences from all others, centred and
    in units of their standard deviations s[i, j], have a largest one in every resample; its quantile at `level` is
    c[i], and the allowance c[i] * s[i, j]. If i is the best, then at this level none of its differences exceeds
    its allowance: one-sided multiple comparisons with the best (Hsu 1984, 1996; Edwards & Hsu 1983), the quantile that
    of resampled paired differences as in the model confidence set (Hansen, Lunde & Nason 2011). It is never below the
    normal quantile of a single difference, since few resamples and few errors show tails that are too short.
    """
    costs = np.stack(list(drawn.values()))
    least = normal_quantile(2 * level - 1) if level > 0.5 else 0.0  # one-sided
    allowance = np.zeros((len(costs), len(costs)))
    for i, cost in enumerate(costs):
        apart = cost - costs
        apart -= apart.mean(axis=1, keepdims=True)
        spread = apart.std(axis=1, ddof=1) if apart.shape[1] > 1 else np.full(len(costs), np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = np.nan_to_num(apart / spread[:, np.newaxis]).max(axis=0)
        allowance[i] = max(least, float(np.quantile(largest, level))) * spread
        allowance[i, i] = 0.0
    return allowance


def may_be_best(cost: Mapping[str, float], allowance: Floats, *, margin: float = 0.0) -> tuple[str, ...]:
    """The models that no other one beats by more than its allowance and `margin`.

    With margin 0 the truly best model is among them at the level of the allowances; with a margin, every model
    that costs at most so much more than the best is, each at that level. Models that differ in no resample (allowance
    0) do not exclude each other.
    """
    costs = np.array(list(cost.values()))
    apart = costs[:, np.newaxis] - costs
    beaten = (apart > allowance + margin + _TIE * np.abs(costs)) & (allowance > 0)
    return tuple(name for name, loses in zip(cost, beaten.any(axis=1).tolist(), strict=True) if not loses)


def decided_costs(
    resamples: Resamples, allowance: Floats, *, margin: float = 0.0, preference: Sequence[str] = ()
) -> Floats:
    """What the decision made on each resample costs on the rows it left out.

    The cheapest model is chosen, the first of equals; or, of the models that may be best on the resample, the first in
    order of `preference`.
    """
    names = list(resamples.inside)
    inside, outside = (np.stack(list(costs.values())) for costs in (resamples.inside, resamples.outside))
    least = inside.min(axis=0)
    chosen = np.argmax(inside <= least + _TIE * np.abs(least), axis=0)
    for name in reversed(preference):
        i = names.index(name)
        most = inside[i] - (allowance[i] + margin)[:, np.newaxis] - _TIE * np.abs(inside)
        chosen[(most <= inside).all(axis=0)] = i  # no other model beats it beyond its allowance
    return np.asarray(outside[chosen, np.arange(chosen.size)])


def saving_interval(
    more: Table | None,
    fewer: Table | None,
    condition: OperatingCondition,
    *,
    level: float = 0.95,
    optimism: float = 0.0,
    drawn: Floats | None = None,
) -> Interval:
    """What a rule saves per case against another, from cases only one calls positive.

    `more` is the table in which exactly the cases that the rule alone calls positive are called positive, `fewer` that
    of the cases which only the other rule calls so; None where there can be no such case: no rule calls fewer cases
    than none. A positive that only one rule calls saves it a miss, a negative costs it a false alarm. The limits of
    both parts are combined (Zou & Donner 2008). `optimism` is by how much the rule costs more on cases it was not
    chosen on, and moves the estimate. `drawn` is the saving on every resample; the limits reach at least as far as
    their percentiles, with and without the optimism, and never exclude the estimate.
    """
    if math.isnan(optimism):
        return replace(undefined(level, "every resample left out too little of a class"), method="out of bag")
    calls = OperatingCondition(  # what calling a case positive costs, instead of negative
        condition.class_ratio,
        cost_fp=condition.cost_fp - condition.cost_tn,
        cost_fn=0,
        cost_tp=condition.cost_tp - condition.cost_fn,
        cost_tn=0,
    )
    gains, losses = (
        Interval(0.0, 0.0, 0.0, 0.0, level, "none") if table is None else table_interval(table, calls, level=level)
        for table in (more, fewer)
    )
    apparent = losses.estimate - gains.estimate
    below = math.hypot(gains.upper - gains.estimate, losses.estimate - losses.lower)
    above = math.hypot(gains.estimate - gains.lower, losses.upper - losses.estimate)
    estimate = apparent - optimism
    ends = [estimate, apparent - below, apparent + above, estimate - below, estimate + above]
    variance = gains.variance + losses.variance
    if drawn is not None:
        ends += [end - optimism for end in percentile_limits(drawn, level) if not math.isnan(end)]
        variance = variance_of(drawn)
    return Interval(estimate, min(ends), max(ends), variance, level, "out of bag, paired", apparent=apparent)
