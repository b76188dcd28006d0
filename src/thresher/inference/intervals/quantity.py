"""Intervals of quantities that belong to one model: partial areas, and what a fixed threshold brings."""

from __future__ import annotations

import math

import numpy as np

from thresher.inference.influence import row_contributions
from thresher.inference.interval import LOGIT, Interval, student_quantile
from thresher.inference.intervals.cost import cost_interval
from thresher.inference.intervals.rate import rate_interval
from thresher.inference.intervals.survey import sampled_cost_interval, sampled_measure_interval, sampled_table
from thresher.inference.intervals.table import measure_interval
from thresher.inference.rows import ScoredRows
from thresher.ranking import Flags
from thresher.tables import Contingency, OperatingCondition, Quantity

_NOTHING = 1e-30  # a variance no larger is rounding


def partial_area_interval(rows: ScoredRows, model: str, asked: Quantity, *, level: float) -> Interval:
    """The interval of a partial area, on the logit scale of its share of what it could be at most.

    Student's quantile has as many degrees of freedom as there are cases of the scarcer class, less one; where no spread
    is seen, limits are as for a rate of so many cases.

    >>> from thresher.inference import ScoredRows
    >>> from thresher.tables import quantity
    >>> rows = ScoredRows.of([1, 0, 1, 0, 1, 0], {"tree": [6, 5, 4, 3, 2, 1]})
    >>> print(partial_area_interval(rows, "tree", quantity("partial_auc[fpr<=0.5]"), level=0.95))
    0.2222 [0.0006, 0.4990]
    """
    within = asked.within
    if within is None:
        raise AssertionError(asked)
    raw = Quantity("partial_auc", within)
    found = row_contributions(rows, model, raw)
    most, few = within.high - within.low, min(rows.cases)
    share, variance = min(1.0, max(0.0, found.estimate / most)), found.variance(rows) / most**2
    method, note = "influence", ""
    if few > 1 and variance > _NOTHING and 0 < share < 1:
        low, high = LOGIT.limits(share, student_quantile(level, few - 1) * math.sqrt(variance))
    else:
        rate = rate_interval(share * few, few, level=level, method="exact")
        low, high, method = rate.lower, rate.upper, "exact"
        note = f"no spread is seen; limits as for a rate of {few:g} cases"
    if asked.name == "partial_auc":
        return Interval(share * most, low * most, high * most, variance * most**2, level, method, note)
    # Standardised areas are a straight function of plain ones (McClish 1989).
    start, end = (within.low, within.high) if within.rate == "fpr" else (1 - within.high, 1 - within.low)
    chance = (end**2 - start**2) / 2
    stretch = 0.5 * most / (most - chance)
    estimate, lower, upper = (0.5 + stretch * (each - chance / most) for each in (share, low, high))
    return Interval(estimate, lower, upper, variance * stretch**2, level, method, note)


def called_measure_interval(
    rows: ScoredRows, called: Flags, asked: Quantity, *, class_ratio: float | None, level: float
) -> Interval:
    """The interval of a measure of given calls, at the rows' class ratio or a declared one."""
    measure = asked.measure
    if measure is None:
        raise AssertionError(asked)
    sampled = sampled_table(rows.positive, called, weight=rows.weight, cluster=rows.cluster)
    if rows.weight is None and rows.cluster is None:
        return measure_interval(_counts(sampled.table), measure, class_ratio=class_ratio, level=level)
    return sampled_measure_interval(sampled, measure.name, class_ratio=class_ratio, level=level)


def called_cost_interval(rows: ScoredRows, called: Flags, condition: OperatingCondition, *, level: float) -> Interval:
    """The interval of the expected cost of given calls."""
    sampled = sampled_table(rows.positive, called, weight=rows.weight, cluster=rows.cluster)
    if rows.weight is None and rows.cluster is None:
        return cost_interval(_counts(sampled.table), condition, level=level)
    return sampled_cost_interval(sampled, condition, level=level)


def net_benefit_interval(
    rows: ScoredRows, model: str, asked: Quantity, *, prevalence: float | None, trained_at: float | None, level: float
) -> Interval:
    """The interval of a net benefit: minus what calls cost where a hit brings 1 and a false alarm takes t / (1 - t).

    Calls are those of the probabilities at the class mix that it is stated at.

    >>> from thresher.inference import ScoredRows
    >>> from thresher.tables import quantity
    >>> rows = ScoredRows.of([1, 0, 1, 0], {"tree": [0.9, 0.6, 0.4, 0.1]})
    >>> asked = quantity("net_benefit@0.5")
    >>> print(net_benefit_interval(rows, "tree", asked, prevalence=None, trained_at=None, level=0.95))
    0.0000 [-0.7338, 0.3338]
    """
    at = asked.probability or math.nan
    stated = rows.at_prevalence(prevalence, trained_at=trained_at)
    called = stated.scores[model].astype(np.float64) >= at
    gains = OperatingCondition(prevalence=prevalence, cost_fp=at / (1 - at), cost_fn=0, cost_tp=-1, cost_tn=0)
    cost = called_cost_interval(rows, called, gains, level=level)
    return Interval(
        0.0 - cost.estimate, 0.0 - cost.upper, 0.0 - cost.lower, cost.variance, level, cost.method, cost.note
    )


def _counts(table: Contingency) -> Contingency:
    """The same table in whole numbers."""
    return Contingency(*(int(getattr(table, cell)) for cell in ("tp", "fn", "fp", "tn")))
