"""Intervals for measures and costs of one contingency table, counted or sampled with weights and clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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
_NO_VARIANCE = 1e-15  # a variance per case no larger is rounding


@dataclass(frozen=True, slots=True, eq=False)
class SampledTable:
    """A contingency table of rows that stand for more or less than one independent case each.

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
        """The variance of a sum over rows, given the influence of a row in each cell.

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
        """How many independent cases a unit of weight is worth for a value of the table (Rao & Scott 1992).

        It is the variance of as many cases as there is weight, over the variance of these rows. Few clusters
        show little of how much they vary: Student's quantile takes the place of the normal one, with as many
        degrees of freedom as clusters hold cases `among` the cells that matter, less one (Korn & Graubard 1998).
        Where nothing varies, it is Kish's (1965) number of those cases over their weight.
        """
        total = float(self.cells.sum())
        inside = np.array([float(cell in among) for cell in CELLS])
        factor = self.df_factor(inside, level)
        if varies and factor > 0:
            gradient = np.array(cell_gradient(self.cells.tolist(), value))
            mean = float(gradient @ self.cells) / total
            as_cases, as_rows = float((gradient - mean) ** 2 @ self.cells), self.variance(gradient - mean)
            if as_cases * total > _NO_VARIANCE and as_rows > 0:
                return as_cases / as_rows * factor
        return float(inside @ self.cells) / self.variance(inside)

    def df_factor(self, inside: Floats, level: float) -> float:
        """What few clusters take off the number of cases: 1 without clusters, 0 for a single one."""
        if self.by_cluster is None:
            return 1.0
        clusters = int(np.count_nonzero(self.by_cluster @ inside))
        if clusters < 2:
            return 0.0
        return (normal_quantile(level) / student_quantile(level, clusters - 1)) ** 2 * (clusters - 1) / clusters


Table: TypeAlias = Contingency | SampledTable


def count_calls(
    positive: Flags, called: Flags, *, weight: Floats | None = None, cluster: Indices | None = None
) -> Table:
    """The table of rows that were called positive or not; weights or clusters (0, 1, 2, ...) make it a sampled one.

    >>> labels, calls = np.array([1, 1, 0, 0], dtype=bool), np.array([1, 0, 1, 0], dtype=bool)
    >>> count_calls(labels, calls)
    Contingency(tp=1, fn=1, fp=1, tn=1)
    >>> count_calls(labels, calls, weight=np.array([1.0, 2.0, 3.0, 4.0])).table
    Contingency(tp=1.0, fn=2.0, fp=3.0, tn=4.0)
    """
    cell = 2 * ~positive + ~called  # in the order of CELLS
    counts = np.bincount(cell, weights=weight, minlength=4)
    if weight is None and cluster is None:
        return Contingency(*counts.tolist())
    cells = counts.astype(np.float64)
    squares = cells if weight is None else np.bincount(cell, weights=weight * weight, minlength=4).astype(np.float64)
    if cluster is None:
        return SampledTable(cells, squares, None)
    clusters = int(cluster.max()) + 1
    by_cluster = np.bincount(cluster * 4 + cell, weights=weight, minlength=4 * clusters)
    return SampledTable(cells, squares, by_cluster.reshape(clusters, 4).astype(np.float64))


class ByMeasure(dict[str, Interval]):
    """Intervals by the names of measures, to be found by their synonyms too; unknown ones get the nearest.

    >>> table_intervals(Contingency(tp=3, fn=1, fp=0, tn=2))["sensitivity"].estimate
    0.75
    """

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
    """The interval for one measure of a table, or for its expected cost under a condition; see `interval`.

    A sampled table is scaled, for every measure, to the number of independent cases it is worth: scaling all weights
    changes nothing, uneven ones widen the interval, and so do clusters of rows that are alike.

    >>> labels, calls = np.repeat([True, False], 50), np.repeat([True, False, True, False], [30, 20, 10, 40])
    >>> print(table_interval(count_calls(labels, calls, weight=np.full(100, 7.0)), "tpr"))
    0.6000 [0.4618, 0.7239]
    >>> print(table_interval(count_calls(labels, calls, cluster=np.arange(100) // 5), "tpr"))
    0.6000 [0.2666, 0.8609]
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
    return _delta(table, known, estimate, level)


def cell_gradient(cells: Sequence[float], value: Callable[[Contingency], Any]) -> list[float]:
    """The derivative of a value of a table by each of its cells; 0 for an empty cell, whose cases do not vary.

    >>> [round(slope, 6) for slope in cell_gradient([30, 20, 10, 40], lambda table: table.tpr)]
    [0.008, -0.012, 0.0, 0.0]
    """
    gradient = []
    for i, cell in enumerate(cells):
        if cell == 0:
            gradient.append(0.0)
            continue
        up, down = ([*cells[:i], cell * (1 + sign * _STEP), *cells[i + 1 :]] for sign in (1, -1))
        gradient.append(float(value(Contingency(*up)) - value(Contingency(*down))) / (2 * _STEP * cell))
    return gradient


def _around(estimate: float, scaled: Interval) -> Interval:
    """An interval of a scaled table, with the estimate of the table itself."""
    return replace(scaled, estimate=estimate, lower=min(scaled.lower, estimate), upper=max(scaled.upper, estimate))


def _within_range(known: Measure, value: float) -> float:
    """A value of a measure; one that rounding moves off an end of its range, inward or outward, is put there.

    Weights of tables without errors have correlations of 0.9999999999999999 as well as of 1.0000000000000002.

    >>> _within_range(measure("mcc"), -1.0000000000000002), _within_range(measure("mcc"), 0.3)
    (-1.0, 0.3)
    """
    for end in known.range:
        if math.isfinite(end) and abs(value - end) <= _ROUNDING:
            return float(end)
    return value


def _delta(table: Contingency, known: Measure, estimate: float, level: float) -> Interval:
    cells, note, centre = [float(getattr(table, cell)) for cell in CELLS], "", estimate
    variance = _variance(cells, known.of) if math.isfinite(estimate) and estimate not in known.range else 0.0
    if not (variance > 0 and math.isfinite(variance)):
        cells = [cell + 0.5 for cell in cells]
        note = "half a case added to every cell"
        centre, variance = float(known.of(Contingency(*cells))), _variance(cells, known.of)
    lower, upper = _scale(known).limits(centre, normal_quantile(level) * math.sqrt(variance))
    return Interval(estimate, min(lower, estimate), max(upper, estimate), variance, level, "delta", note)


def _variance(cells: list[float], value: Callable[[Contingency], Any]) -> float:
    """Delta-method variance: gradient · multinomial covariance · gradient."""
    gradient = cell_gradient(cells, value)
    squares = sum(slope * slope * cell for slope, cell in zip(gradient, cells, strict=True))
    product = sum(slope * cell for slope, cell in zip(gradient, cells, strict=True))
    return squares - product * product / sum(cells)


def _scale(known: Measure) -> Scale:
    if known.range[0] < 0:
        return FISHER
    return LOGIT if known.range[1] == 1 else LOG


def _at_class_ratio(table: Table, known: Measure, class_ratio: float, level: float, method: RateMethod) -> Interval:
    """The interval for a measure at a declared class ratio, from the intervals of the two rates it depends on."""
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

    by_tpr = [value(end, fpr.estimate) for end in (tpr.lower, tpr.upper)]
    by_fpr = [value(tpr.estimate, end) for end in (fpr.lower, fpr.upper)]
    if not math.isfinite(estimate):  # a ratio over a rate of 0: the careful ends of both rates say how large it is
        ends = value(tpr.lower, fpr.upper), value(tpr.upper, fpr.lower)
        return Interval(estimate, min(*ends, estimate), estimate, math.nan, level, "rates, combined")
    stretch = _stretch(table, known, class_ratio, (tpr, fpr), level)
    distances = [[(end - estimate) for end in ends if not math.isnan(end)] for ends in (by_tpr, by_fpr)]
    below, above = (
        stretch * math.hypot(*(max(0.0, *(side * distance for distance in each), 0.0) for each in distances))
        for side in (-1, 1)
    )
    low, high = known.range
    cells = [float(getattr(counts, cell)) for cell in CELLS]
    variance = stretch**2 * _variance(cells, lambda other: known.of(other, class_ratio=class_ratio))
    limits = max(low, estimate - below), min(high, estimate + above)
    return Interval(estimate, min(limits[0], estimate), max(limits[1], estimate), variance, level, "rates, combined")


def _stretch(table: Table, known: Measure, class_ratio: float, rates: tuple[Interval, Interval], level: float) -> float:
    """How much wider limits are where clusters that hold both classes make tpr and fpr vary together."""
    if not isinstance(table, SampledTable) or table.by_cluster is None:
        return 1.0
    factor = table.df_factor(np.ones(4), level)
    if not factor > 0:
        return 1.0
    tpr, fpr = rates
    gradient = np.array(cell_gradient(table.cells.tolist(), lambda other: known.of(other, class_ratio=class_ratio)))
    by_tpr, by_fpr = (gradient[0] - gradient[1]) * table.table.Pos, (gradient[2] - gradient[3]) * table.table.Neg
    apart, together = by_tpr**2 * tpr.variance + by_fpr**2 * fpr.variance, table.variance(gradient)
    if apart > 0 and together > 0 and math.isfinite(together):
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
    if condition.prevalence is None:
        return _mixed_cost_interval(table, condition, level, method)
    estimate = float(condition.expected_cost(table))
    below = above = variance = 0.0
    for factor, k, n in (
        (condition.prevalence * (condition.cost_fn - condition.cost_tp), table.fn, table.Pos),
        ((1 - condition.prevalence) * (condition.cost_fp - condition.cost_tn), table.fp, table.Neg),
    ):
        rate = rate_interval(k, n, level=level, method=method)
        below += (factor * (rate.estimate - rate.lower)) ** 2
        above += (factor * (rate.upper - rate.estimate)) ** 2
        variance += factor**2 * rate.variance
    return Interval(
        estimate, estimate - math.sqrt(below), estimate + math.sqrt(above), variance, level, f"{method}, combined"
    )


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
    together = table.variance(np.array(cell_gradient(table.cells.tolist(), condition.expected_cost)))
    if apart > 0 and together > 0:
        scaled *= apart / together * table.df_factor(np.ones(4), level)
    return scaled


def _mixed_cost_interval(
    table: Contingency, condition: OperatingCondition, level: float, method: RateMethod
) -> Interval:
    """Limits from the shares of the cells, correlated as shares of one total are (Zou 2007).

    The largest cell is what the others leave: their correlations are then never perfect, so the width never 0.
    """
    cost = np.array([condition.cost_tp, condition.cost_fn, condition.cost_fp, condition.cost_tn], dtype=np.float64)
    cells = np.array([table.tp, table.fn, table.fp, table.tn], dtype=np.float64)
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
    return Interval(
        estimate, min(limits[0], estimate), max(limits[1], estimate), variance, level, f"{method}, combined"
    )
