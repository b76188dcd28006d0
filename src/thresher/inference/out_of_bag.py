"""What a chosen threshold costs on cases it was not chosen on, with limits that hold where all resamples agree."""

from __future__ import annotations

import math

import numpy as np

from thresher.choices import OperatingCondition
from thresher.inference.cost import cost_interval
from thresher.inference.interval import Interval
from thresher.inference.limits import percentile_limits
from thresher.ranking import Floats
from thresher.tables import Contingency


def out_of_bag_interval(
    honest: float, table: Contingency, condition: OperatingCondition, costs: Floats, level: float
) -> Interval:
    """The spread over resamples of the cost at the chosen threshold, moved by the optimism of having chosen it.

    `honest` is the mean cost out of bag, `table` that of the chosen threshold on the data, `costs` its cost on
    every resample. Where all resamples agree (no case was ever misjudged), the limits are those of
    `cost_interval`; none lies below the least that cases can cost.

    >>> table = Contingency(tp=30, fn=20, fp=10, tn=40)
    >>> print(out_of_bag_interval(0.35, table, OperatingCondition(), np.linspace(0.2, 0.4, 101), 0.9))
    0.3500 [0.2600, 0.4400]
    """
    if math.isnan(honest):
        nan = math.nan
        return Interval(nan, nan, nan, nan, level, "out of bag", "every resample left out too little of a class")
    apparent = cost_interval(table, condition, level=level)
    seen = costs[np.isfinite(costs)]
    low, high = percentile_limits(seen, level)
    if not high - low > 1e-12 * max(1.0, abs(high)):
        low, high = apparent.lower, apparent.upper
    moved = honest - apparent.estimate
    variance = float(seen.var(ddof=1)) if seen.size > 1 else math.nan
    note = f"apparent {apparent.estimate:.4g}"
    least = min(condition.cost_tp, condition.cost_tn, condition.cost_fp, condition.cost_fn)
    limits = max(least, min(low + moved, honest)), max(high + moved, honest)
    return Interval(honest, *limits, variance, level, "out of bag", note)
