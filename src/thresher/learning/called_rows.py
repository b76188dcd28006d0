"""Called rows: what calls cost and how good they are, where rows of a group are no independent cases."""

from __future__ import annotations

from typing import Any

from thresher.choices import OperatingCondition
from thresher.inference import Interval, cost_interval
from thresher.inference.design_effect import (
    SampledTable,
    sampled_cost_interval,
    sampled_table,
    sampled_table_intervals,
)
from thresher.inference.scored_rows import cluster_codes
from thresher.inference.table import table_intervals
from thresher.ranking import Flags, Floats
from thresher.tables import contingency


def calls_cost(
    positive: Flags,
    called: Flags,
    condition: OperatingCondition,
    *,
    weights: Floats | None = None,
    clusters: Any = None,
    level: float = 0.95,
) -> Interval:
    """The expected cost of calls on rows that had no part in them; rows of a cluster are no independent cases.

    >>> import numpy as np
    >>> labels, calls = np.repeat([True, False], 50), np.repeat([True, False, True, False], [30, 20, 10, 40])
    >>> print(calls_cost(labels, calls, OperatingCondition(cost_fn=5)))
    1.1000 [0.7713, 1.5379]
    >>> print(calls_cost(labels, calls, OperatingCondition(cost_fn=5), clusters=np.arange(100) // 5))
    1.1000 [0.4789, 2.2749]
    """
    if weights is None and clusters is None:
        return cost_interval(contingency(positive, called), condition, level=level)
    return sampled_cost_interval(_sampled(positive, called, weights, clusters), condition, level=level)


def calls_measures(
    positive: Flags, called: Flags, *, class_ratio: float | None = None, clusters: Any = None, level: float = 0.95
) -> dict[str, Interval]:
    """Every registered measure of calls, with its interval, at the class ratio of the rows or at a declared one.

    >>> import numpy as np
    >>> labels, calls = np.repeat([True, False], 50), np.repeat([True, False, True, False], [30, 20, 10, 40])
    >>> print(calls_measures(labels, calls)["tpr"])
    0.6000 [0.4618, 0.7239]
    """
    if clusters is None:
        return table_intervals(contingency(positive, called), class_ratio=class_ratio, level=level)
    sampled = _sampled(positive, called, None, clusters)
    return sampled_table_intervals(sampled, class_ratio=class_ratio, level=level)


def _sampled(positive: Flags, called: Flags, weights: Floats | None, clusters: Any) -> SampledTable:
    codes = None if clusters is None else cluster_codes(clusters)
    return sampled_table(positive, called, weight=weights, cluster=codes)
