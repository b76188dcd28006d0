"""Intervals for measures and costs of one contingency table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from thresher._internal.arguments import require_level
from thresher.errors import ArgumentError
from thresher.inference.interval import (
    FISHER,
    LOG,
    LOGIT,
    Interval,
    Scale,
    normal_quantile,
    stretch_limits,
    student_quantile,
    undefined,
)
from thresher.inference.intervals.rate import RateMethod, rate_interval
from thresher.ranking import Counts, Flags, Floats, Indices
from thresher.tables import MEASURES, Contingency, Measure, OperatingCondition, measure, require_table

# What of how many: attributes of a table whose ratio is the rate.
RATES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "accuracy": (("tp", "tn"), ("tp", "fn", "fp", "tn")),
    "error_rate": (("fn", "fp"), ("tp", "fn", "fp", "tn")),
    "prevalence": (("tp", "fn"), ("tp", "fn", "fp", "tn")),
    "predicted_positive_rate": (("tp", "fp"), ("tp", "fn", "fp", "tn")),
    "tpr": (("tp",), ("tp", "fn")),
    "fnr": (("fn",), ("tp", "fn")),
    "tnr": (("tn",), ("fp", "tn")),
    "fpr": (("fp",), ("fp", "tn")),
    "precision": (("tp",), ("tp", "fp")),
    "false_discovery_rate": (("fp",), ("tp", "fp")),
    "npv": (("tn",), ("fn", "tn")),
    "false_omission_rate": (("fn",), ("fn", "tn")),
    "jaccard": (("tp",), ("tp", "fn", "fp")),
}
CELLS = ("tp", "fn", "fp", "tn")
# Measures of tpr and fpr alone, which no class mix changes.
WITHIN_CLASSES = ("tpr", "fnr", "tnr", "fpr")
_STEP = 1e-5
_ROUNDING = 1e-12
_EQUAL_CELLS = 1e-9
_NO_VARIANCE = 1e-15  # a relative variance no larger is rounding


@dataclass(frozen=True, slots=True, eq=False)
class SampledTable:
    """A contingency table of rows that are more or less than one case each.

    `cells` holds the weights of tp, fn, fp and tn, `squares` the sums of their squares, and `by_cluster` the
    weights cluster by cluster.
    """

    cells: Floats
    squares: Floats
    by_cluster: Counts | None

    @property
    def table(self) -> Contingency:
        """The table of weights."""
        return Contingency(*self.cells.tolist())

    def variance(self, influence: Floats) -> float:
        """The variance of a sum over rows, from the influence of a row in each cell.

        Clusters vary as their sums do, and are never taken to vary less than independent rows would.
        """
        of_rows = float(self.squares @ influence**2)
        if self.by_cluster is None:
            return of_rows
        sums = self.by_cluster @ influence
        return max(of_rows, float(sums @ sums))

    def cases_per_weight(
        self, value: Callable[[Contingency], Any], among: tuple[str, ...] = CELLS, *, varies: bool, level: float
    ) -> float:
        """How many cases a unit of weight is worth for a value (Rao & Scott 1992).

        It is the variance of as many cases as there is weight, over the variance of these rows. Few clusters
        show little of how much they vary: Student's quantile takes the place of the normal one, with as many
        degrees of freedom as clusters hold cases `among` the cells that matter, less one (Korn & Graubard 1998).
        Where nothing varies, it is Kish's (1965) number of those cases over their weight.
        """
        inside = np.array([float(cell in among) for cell in CELLS])
        factor = self.df_factor(inside, level)
        if varies and factor > 0:
            as_cases, as_rows = _variance(self.cells, value), self.variance(cell_gradient(self.cells, value))
            if as_cases * float(self.cells.sum()) > _NO_VARIANCE and as_rows > 0:
                return as_cases / as_rows * factor
        return float(inside @ self.cells) / self.variance(inside)

    def df_factor(self, inside: Floats, level: float) -> float:
        """What few clusters take off the number of cases; 1 without clusters."""
        if self.by_cluster is None:
            return 1.0
        clusters = int(np.count_nonzero(self.by_cluster @ inside))
        if clusters < 2:
            return 0.0
        return (normal_quantile(level) / student_quantile(level, clusters - 1)) ** 2 * (clusters - 1) / clusters


Table: TypeAlias = Contingency | SampledTable


def count_calls(
    positive: Flags, calls: Flags, *, weight: Floats | None = None, cluster: Indices | None = None
) -> Table:
    """The table of labels and calls; weights or clusters make it a sampled one."""
    cell = 2 * ~positive + ~calls  # in the order of CELLS
    counts = np.bincount(cell, weights=weight, minlength=4)
    if weight is None and cluster is None:
        return Contingency(*counts.tolist())
    cells, by_cluster = counts.astype(np.float64), None
    squares = cells if weight is None else np.bincount(cell, weights=weight * weight, minlength=4).astype(np.float64)
    if cluster is not None:
        clusters = int(cluster.max()) + 1
        by_cluster = np.bincount(cluster * 4 + cell, weights=weight, minlength=4 * clusters).reshape(clusters, 4)
    return SampledTable(cells, squares, by_cluster)


class ByMeasure(dict[str, Interval]):
    """Intervals by the names of measures, or by their synonyms."""

    def __missing__(self, name: str) -> Interval:
        known = measure(name).name
        if known not in self:
            raise KeyError(name)
        return self[known]


def table_intervals(
    table: Table, *, class_ratio: float | None = None, level: float = 0.95, method: RateMethod = "wilson"
) -> dict[str, Interval]:
    """The interval for every registered measure of one table, by name."""
    return ByMeasure(
        (name, table_interval(table, name, class_ratio=class_ratio, level=level, method=method)) for name in MEASURES
    )


def table_interval(
    table: Table,
    of: str | Measure | OperatingCondition,
    *,
    class_ratio: float | None = None,
    level: float = 0.95,
    method: RateMethod = "wilson",
) -> Interval:
    """The interval for one measure or the expected cost of a table; see `interval`.

    A sampled table is scaled, for every measure, to the number of independent cases it is worth: scaling all weights
    changes nothing, uneven ones widen the interval, and so do clusters of rows that are alike.
    """
    require_level(level)
    if not isinstance(table, SampledTable):
        require_table(table)
    if isinstance(of, OperatingCondition):
        return _cost_interval(table, of, level, method)
    known = measure(of)
    counts = table.table if isinstance(table, SampledTable) else table
    if any(not isinstance(getattr(counts, cell), int | float) for cell in CELLS):
        raise ArgumentError("the table holds many splits", "give the table of one threshold")
    if class_ratio is not None and known.name not in WITHIN_CLASSES:
        return _at_class_ratio(table, known, class_ratio, level, method)
    estimate = _within_range(known, float(known.of(counts)))
    if math.isnan(estimate):
        return undefined(level, known.undefined)
    if isinstance(table, SampledTable):
        varies = math.isfinite(estimate) and estimate not in known.range
        among = RATES[known.name][1] if known.name in RATES else CELLS
        scaled = table.cells * table.cases_per_weight(known.of, among, varies=varies, level=level)
        return _around(estimate, table_interval(Contingency(*scaled.tolist()), known, level=level, method=method))
    if known.name in RATES:
        k, n = (sum(getattr(table, cell) for cell in cells) for cells in RATES[known.name])
        return rate_interval(k, n, level=level, method=method)
    scale = FISHER if known.range[0] < 0 else LOGIT if known.range[1] == 1 else LOG
    return delta_interval(
        estimate,
        np.array([getattr(table, cell) for cell in CELLS], dtype=np.float64),
        lambda more: float(known.of(Contingency(*more.tolist()))),
        lambda more: _variance(more, known.of),
        ends=known.range,
        scale=scale,
        level=level,
    )


def delta_interval(
    estimate: float,
    cells: Floats,
    value: Callable[[Floats], float],
    variance: Callable[[Floats], float],
    *,
    ends: tuple[float, float],
    scale: Scale,
    level: float,
) -> Interval:
    """Delta-method limits; at an end of the range, half a case joins every cell."""
    spread = variance(cells) if math.isfinite(estimate) and estimate not in ends else 0.0
    centre, note = estimate, ""
    if not 0 < spread < math.inf:
        cells, note = cells + 0.5, "half a case added to every cell"
        centre, spread = value(cells), variance(cells)
    lower, upper = scale.limits(centre, normal_quantile(level) * math.sqrt(spread))
    return Interval(estimate, *stretch_limits(estimate, lower, upper), spread, level, "delta", note)


def cell_gradient(cells: Floats, value: Callable[[Contingency], Any]) -> Floats:
    """The derivative of a value by each cell; 0 for an empty one, which does not vary."""
    gradient = np.zeros(4)
    for i in np.flatnonzero(cells):
        step = np.zeros(4)
        step[i] = _STEP * cells[i]
        up, down = (float(value(Contingency(*(cells + away).tolist()))) for away in (step, -step))
        gradient[i] = (up - down) / (2 * step[i])
    return gradient


def _variance(cells: Floats, value: Callable[[Contingency], Any]) -> float:
    """Delta-method variance: gradient · multinomial covariance · gradient."""
    gradient = cell_gradient(cells, value)
    return float(gradient**2 @ cells - (gradient @ cells) ** 2 / cells.sum())


def _around(estimate: float, scaled: Interval) -> Interval:
    """An interval of a scaled table, with the estimate of the table itself."""
    lower, upper = stretch_limits(estimate, scaled.lower, scaled.upper)
    return replace(scaled, estimate=estimate, lower=lower, upper=upper)


def _within_range(known: Measure, value: float) -> float:
    """A value of a measure, put on an end of its range if rounding moved it off.

    Weights of tables without errors have correlations of 0.9999999999999999 as well as of 1.0000000000000002.
    """
    near = (float(end) for end in known.range if math.isfinite(end) and abs(value - end) <= _ROUNDING)
    return next(near, value)


def _at_class_ratio(table: Table, known: Measure, class_ratio: float, level: float, method: RateMethod) -> Interval:
    """The interval for a measure at a declared class ratio, from those of both rates."""
    tpr, fpr = (table_interval(table, rate, level=level, method=method) for rate in ("tpr", "fpr"))
    counts = table.table if isinstance(table, SampledTable) else table
    estimate = _within_range(known, float(known.of(counts, class_ratio=class_ratio)))
    if math.isnan(estimate):
        return undefined(level, known.undefined)
    if known.name in ("prevalence", "class_ratio"):
        return Interval(estimate, estimate, estimate, 0.0, level, "declared")

    def value(hits: float, alarms: float) -> float:
        cells = hits * class_ratio, (1 - hits) * class_ratio, alarms, 1 - alarms
        return float(known.of(Contingency(*cells)))

    if not math.isfinite(estimate):  # a ratio over a rate of 0: the careful ends of both rates say how large it is
        ends = value(tpr.lower, fpr.upper), value(tpr.upper, fpr.lower)
        return Interval(estimate, min(*ends, estimate), estimate, math.nan, level, "rates, combined")
    by_tpr = [value(end, fpr.estimate) - estimate for end in (tpr.lower, tpr.upper)]
    by_fpr = [value(tpr.estimate, end) - estimate for end in (fpr.lower, fpr.upper)]
    # The largest distance that each rate makes, on either side; undefined ones do not count.
    below = math.hypot(*(max(0.0, *(-away for away in each if away < 0), 0.0) for each in (by_tpr, by_fpr)))
    above = math.hypot(*(max(0.0, *(away for away in each if away > 0), 0.0) for each in (by_tpr, by_fpr)))

    def at_ratio(other: Contingency) -> Any:
        return known.of(other, class_ratio=class_ratio)

    stretch = _stretch(table, at_ratio, (tpr, fpr), level)
    low, high = max(known.range[0], estimate - stretch * below), min(known.range[1], estimate + stretch * above)
    cells = np.array([getattr(counts, cell) for cell in CELLS], dtype=np.float64)
    variance = stretch**2 * _variance(cells, at_ratio)
    return Interval(estimate, *stretch_limits(estimate, low, high), variance, level, "rates, combined")


def _stretch(
    table: Table, value: Callable[[Contingency], Any], rates: tuple[Interval, Interval], level: float
) -> float:
    """How much wider limits are where clusters make tpr and fpr vary together."""
    if not isinstance(table, SampledTable) or table.by_cluster is None:
        return 1.0
    gradient, factor = cell_gradient(table.cells, value), table.df_factor(np.ones(4), level)
    slopes = (gradient[0] - gradient[1]) * table.table.Pos, (gradient[2] - gradient[3]) * table.table.Neg
    apart = sum(slope**2 * rate.variance for slope, rate in zip(slopes, rates, strict=True))
    together, least = table.variance(gradient), _NO_VARIANCE * float(value(table.table)) ** 2
    if factor > 0 and apart > least and 0 < together < math.inf:
        return math.sqrt(together / (factor * apart))
    return 1.0


def _cost_interval(table: Table, condition: OperatingCondition, level: float, method: RateMethod) -> Interval:
    """The interval for the expected cost per case under a condition."""
    if isinstance(table, SampledTable):
        scaled = Contingency(*_scaled_for_cost(table, condition, level).tolist())
        estimate = float(condition.expected_cost(table.table))
        return _around(estimate, _cost_interval(scaled, condition, level, method))
    if not (table.Pos and table.Neg):
        raise ArgumentError("a class is absent, so its error rate is unknown", "give a table of both classes")
    if condition.shares is None:
        return _mixed_cost_interval(table, condition, level, method)
    estimate = float(condition.expected_cost(table))
    factors = (
        condition.shares[0] * (condition.cost_fn - condition.cost_tp),
        condition.shares[1] * (condition.cost_fp - condition.cost_tn),
    )
    rates = [rate_interval(k, n, level=level, method=method) for k, n in ((table.fn, table.Pos), (table.fp, table.Neg))]
    costs = list(zip(factors, rates, strict=True))
    below = math.hypot(*(factor * (rate.estimate - rate.lower) for factor, rate in costs))
    above = math.hypot(*(factor * (rate.upper - rate.estimate) for factor, rate in costs))
    variance = sum(factor**2 * rate.variance for factor, rate in costs)
    return Interval(estimate, estimate - below, estimate + above, variance, level, f"{method}, combined")


def _scaled_for_cost(table: SampledTable, condition: OperatingCondition, level: float) -> Floats:
    """The cells as so many independent cases.

    With a declared class ratio, each class is scaled to what it is worth for its error rate, and both again
    so that the variance is that of the cost: classes that share clusters vary together.
    """
    if condition.prevalence is None:
        return table.cells * table.cases_per_weight(condition.expected_cost, varies=True, level=level)
    of_pos, of_neg = (
        table.cases_per_weight(
            MEASURES[rate].of, RATES[rate][1], varies=0 < MEASURES[rate].of(table.table) < 1, level=level
        )
        for rate in ("fnr", "fpr")
    )
    scaled = table.cells * np.array([of_pos, of_pos, of_neg, of_neg])
    apart = _cost_interval(Contingency(*scaled.tolist()), condition, level, "wilson").variance
    together = table.variance(cell_gradient(table.cells, condition.expected_cost))
    if apart > 0 and together > 0:
        scaled *= apart / together * table.df_factor(np.ones(4), level)
    return scaled


def _mixed_cost_interval(
    table: Contingency, condition: OperatingCondition, level: float, method: RateMethod
) -> Interval:
    """Limits from the shares of the cells, correlated as they are (Zou 2007).

    The largest cell is what the others leave: their correlations are then never perfect, so the width never 0.
    """
    cost = np.array([getattr(condition, f"cost_{cell}") for cell in CELLS], dtype=np.float64)
    cells = np.array([getattr(table, cell) for cell in CELLS], dtype=np.float64)
    rest = int(np.argmax(cells >= cells.max() * (1 - _EQUAL_CELLS)))  # the first of equals, whatever weights round to
    others = [at for at in range(4) if at != rest]
    factor = (cost - cost[rest])[others]
    rates = [rate_interval(cells[at], table.total, level=level, method=method) for at in others]
    share, low, high = (np.array([getattr(rate, name) for rate in rates]) for name in ("estimate", "lower", "upper"))
    odds, sign = share / (1 - share), np.sign(factor)
    together = -np.sqrt(np.outer(odds, odds)) * np.outer(sign, sign)
    np.fill_diagonal(together, 1.0)
    below = np.where(factor > 0, factor * (share - low), factor * (share - high))
    above = np.where(factor > 0, factor * (high - share), factor * (low - share))
    estimate = float(condition.expected_cost(table))
    half_below, half_above = (math.sqrt(max(0.0, float(away @ together @ away))) for away in (below, above))
    variance = max(0.0, float(factor**2 @ share - (factor @ share) ** 2)) / float(table.total)
    limits = max(float(cost.min()), estimate - half_below), min(float(cost.max()), estimate + half_above)
    return Interval(estimate, *stretch_limits(estimate, *limits), variance, level, f"{method}, combined")
