"""What a chosen threshold costs on cases it was not chosen on, with limits that hold where all resamples agree."""

from __future__ import annotations

import math

import numpy as np

from thresher.choices import OperatingCondition
from thresher.inference.interval import Interval
from thresher.inference.limits import percentile_limits
from thresher.ranking import Floats


def out_of_bag_interval(honest: float, apparent: Interval, condition: OperatingCondition, costs: Floats) -> Interval:
    """The interval of the cost at the chosen threshold, with the optimism of having chosen it added.

    `honest` is the mean cost out of bag, `apparent` the interval of what the chosen threshold costs on the data,
    `costs` that cost on every resample. Errors that did not happen to be seen at the chosen threshold show in no
    resample, so the limits of `apparent` are held too, as they are and with the optimism added:
    conservative, and never of zero width. None lies below the least that cases can cost.

    >>> from thresher.inference.cost import cost_interval
    >>> from thresher.tables import Contingency
    >>> seen = cost_interval(Contingency(tp=30, fn=20, fp=10, tn=40), OperatingCondition(), level=0.9)
    >>> print(out_of_bag_interval(0.35, seen, OperatingCondition(), np.linspace(0.2, 0.4, 101)))
    0.3500 [0.2360, 0.4400]
    """
    level = apparent.level
    if math.isnan(honest):
        nan = math.nan
        return Interval(nan, nan, nan, nan, level, "out of bag", "every resample left out too little of a class")
    seen = costs[np.isfinite(costs)]
    low, high = percentile_limits(seen, level)
    moved = honest - apparent.estimate
    variance = float(seen.var(ddof=1)) if seen.size > 1 else math.nan
    least = min(condition.cost_tp, condition.cost_tn, condition.cost_fp, condition.cost_fn)
    lower = min(apparent.lower, apparent.lower + moved, low + moved, honest)
    upper = max(apparent.upper, apparent.upper + moved, high + moved, honest)
    limits = max(least, lower), upper
    return Interval(honest, *limits, variance, level, "out of bag", apparent=apparent.estimate)
