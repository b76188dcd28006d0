"""What one rule saves against another on the same cases, with limits that hold where all resamples agree."""

from __future__ import annotations

import math

from thresher.choices import OperatingCondition
from thresher.inference.cost import cost_interval
from thresher.inference.design_effect import SampledTable, sampled_cost_interval
from thresher.inference.interval import Interval
from thresher.inference.limits import percentile_limits, variance_of
from thresher.ranking import Floats
from thresher.tables import Contingency


def saving_interval(
    more: Contingency | SampledTable | None,
    fewer: Contingency | SampledTable | None,
    condition: OperatingCondition,
    *,
    level: float = 0.95,
    optimism: float = 0.0,
    drawn: Floats | None = None,
) -> Interval:
    """What a rule saves per case against another one, from the cases that only one of them calls positive.

    `more` is the table in which exactly the cases that the rule alone calls positive are called positive, `fewer` that
    of the cases which only the other rule calls so; None where there can be no such case: no rule calls fewer cases
    than none. A positive that only one rule calls saves it a miss, a negative costs it a false alarm. The limits of
    both parts are combined (Zou & Donner 2008). `optimism` is by how much the rule costs more on cases it was not
    chosen on, and moves the estimate. `drawn` is the saving on every resample; the limits reach at least as far as
    their percentiles, with and without the optimism, and never exclude the estimate.

    >>> found = Contingency(tp=30, fn=20, fp=10, tn=40)
    >>> print(saving_interval(found, None, OperatingCondition(cost_fn=5)))
    1.4000 [0.9723, 1.8910]
    >>> print(saving_interval(found, None, OperatingCondition(cost_fn=5), optimism=0.1))
    1.3000 [0.8723, 1.8910]
    """
    nan = math.nan
    if math.isnan(optimism):
        return Interval(nan, nan, nan, nan, level, "out of bag", "every resample left out too little of a class")
    calls = _cost_of_calls(condition)
    gains, losses = _cost(more, calls, level), _cost(fewer, calls, level)
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


def _cost_of_calls(condition: OperatingCondition) -> OperatingCondition:
    """The same condition with the costs of calling a case positive instead of negative."""
    return OperatingCondition(
        condition.class_ratio,
        cost_fp=condition.cost_fp - condition.cost_tn,
        cost_fn=0,
        cost_tp=condition.cost_tp - condition.cost_fn,
        cost_tn=0,
    )


def _cost(table: Contingency | SampledTable | None, calls: OperatingCondition, level: float) -> Interval:
    if table is None:
        return Interval(0.0, 0.0, 0.0, 0.0, level, "none")
    if isinstance(table, SampledTable):
        return sampled_cost_interval(table, calls, level=level)
    return cost_interval(table, calls, level=level)
