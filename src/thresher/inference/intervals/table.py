"""Intervals for measures and costs of one contingency table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from thresher._internal.arguments import require_level
from thresher.errors import ArgumentError
from thresher.inference.interval import Interval, normal_quantile, stretch_limits, student_quantile, undefined
from thresher.inference.intervals.rate import RateMethod, rate_interval
from thresher.inference.intervals.score import OfTables, score_limits
from thresher.ranking import Flags, Floats, Indices
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
_NO_VARIANCE = 1e-15  # a relative variance no larger is rounding


@dataclass(frozen=True, slots=True, eq=False)
class SampledTable:
    """A table of rows that are more or less than one case each.

    `cells` holds the weights of tp, fn, fp and tn, or of a confusion matrix row by row, `squares` the sums of their
    squares, and `by_cluster` the weights cluster by cluster. `design` is the design effect of clusters on the recall
    of each class: how much more it varies than with independent rows (Kish 1965).
    """

    cells: Floats
    squares: Floats
    by_cluster: Any = None
    design: Floats = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "design", self._design_effects())

    @classmethod
    def of(cls, cell: Indices, size: int, *, weight: Floats | None, cluster: Indices | None) -> SampledTable:
        """Count rows by the number of the cell that each is in."""
        cells = np.bincount(cell, weights=weight, minlength=size).astype(np.float64)
        squares: Floats = cells
        if weight is not None:
            squares = np.bincount(cell, weights=weight * weight, minlength=size).astype(np.float64)
        if cluster is None:
            return cls(cells, squares)
        from scipy.sparse import csr_array

        weights = np.ones(cell.size) if weight is None else weight
        return cls(cells, squares, csr_array((weights, (cluster, cell)), shape=(int(cluster.max()) + 1, size)))

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

    def independent_cases(self, gradient: Floats, level: float) -> tuple[Floats, Floats]:
        """The cells as numbers of independent cases, and the weight of a case in each.

        Rows of one cell are as many cases as Kish (1965) says, fewer by the design effect of their class, and all
        together such that a value with this `gradient` varies as rows and clusters say (Rao & Scott 1992). Few
        clusters show little of how much they vary: Student's quantile takes the place of the normal one. The value is
        on a scale of about 1, so that rounding is not taken for variance.
        """
        unit = self._case_weights()
        if self.by_cluster is None:
            return self.cells / unit, unit
        unit = unit * np.repeat(self.design, len(self.design))
        apart, together = float(gradient**2 @ (self.cells * unit)), self.variance(gradient)
        factor = self.df_factor(np.ones_like(self.cells), level)
        if factor == 0:  # a single cluster is a single case
            unit = np.full_like(unit, self.cells.sum())
        elif apart > _NO_VARIANCE and 0 < together < math.inf:
            unit = unit * (together / (apart * factor))
        return self.cells / unit, unit

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
            slope = of_tables(value)(self.cells[np.newaxis])[1][0]
            as_cases, as_rows = float(slope**2 @ self.cells), self.variance(slope)
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

    def _case_weights(self) -> Floats:
        """The weight of a case in each cell; of its class, or of all, if it is empty."""
        k = math.isqrt(self.cells.size)
        weights, squares = self.cells.reshape(k, k), self.squares.reshape(k, k)
        unit = np.full((k, k), squares.sum() / weights.sum())
        for cells, of in ((weights.sum(axis=1, keepdims=True), squares.sum(axis=1, keepdims=True)), (weights, squares)):
            unit = np.divide(of, cells, out=unit, where=np.broadcast_to(cells > 0, unit.shape))
        return unit.ravel()

    def _design_effects(self) -> Floats:
        k = math.isqrt(self.cells.size)
        effects = np.ones(k)
        if self.by_cluster is None:
            return effects
        for i in range(k):
            inside = np.zeros((k, k))
            inside[i] = 1.0
            cases = float(inside.ravel() @ self.cells)
            right = np.zeros((k, k))
            right[i, i] = 1.0
            recall = float(right.ravel() @ self.cells) / cases if cases else 0.0
            # Where a class varies in nothing, its cases vary in number.
            influence = (right - recall * inside).ravel() if 0 < recall < 1 else inside.ravel()
            if cases:
                effects[i] = self.variance(influence) / float(self.squares @ influence**2)
        return effects


Table: TypeAlias = Contingency | SampledTable


def count_calls(
    positive: Flags, calls: Flags, *, weight: Floats | None = None, cluster: Indices | None = None
) -> Table:
    """The table of labels and calls; weights or clusters make it a sampled one."""
    cell = 2 * ~positive + ~calls  # in the order of CELLS
    if weight is None and cluster is None:
        return Contingency(*np.bincount(cell, minlength=4).tolist())
    return SampledTable.of(cell, 4, weight=weight, cluster=cluster)


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
    counts = table.table if isinstance(table, SampledTable) else table
    if any(not isinstance(getattr(counts, cell), int | float) for cell in CELLS):
        raise ArgumentError("the table holds many splits", "give the table of one threshold")
    if isinstance(of, OperatingCondition):
        return _cost_interval(table, counts, of, level)
    known = measure(of)
    declared = class_ratio if known.name not in WITHIN_CLASSES else None
    estimate = _within_range(known, float(known.of(counts, class_ratio=declared)))
    if math.isnan(estimate):
        return undefined(level, known.undefined)
    if declared is None and known.name in RATES:
        return _rate_interval(table, counts, known, level, method)
    if declared is not None and known.name in ("prevalence", "class_ratio"):
        return Interval(estimate, estimate, estimate, 0.0, level, "declared")
    function = of_tables(partial(known.of, class_ratio=declared))
    return score_interval(estimate, table, function, ends=known.range, level=level)


def score_interval(
    estimate: float,
    table: Table | Floats,
    function: OfTables,
    *,
    ends: tuple[float, float],
    level: float,
) -> Interval:
    """The interval with score limits for a function of cells that all may grow alike.

    The variance is that of the delta method: 0 where no cell that varies matters.
    """
    cells = cells_of(table)
    cases, unit = cells, np.ones_like(cells)
    with np.errstate(all="ignore"):
        slope = function(cells[np.newaxis])[1][0]
        if isinstance(table, SampledTable):
            scale = ends[1] - ends[0] if math.isfinite(ends[1]) else abs(estimate) or 1.0
            cases, unit = table.independent_cases(slope / scale, level)
    (lower,), (upper,) = score_limits(function, cases[np.newaxis], level=level, unit=unit[np.newaxis])
    limits = stretch_limits(estimate, max(ends[0], float(lower)), min(ends[1], float(upper)))
    variance = float((slope * unit) ** 2 @ cases) if math.isfinite(estimate) else math.nan
    return Interval(estimate, *limits, variance, level, "score")


def cells_of(table: Table | Floats) -> Floats:
    """The cells as one row of floats."""
    if isinstance(table, SampledTable):
        return table.cells
    if isinstance(table, Contingency):
        return np.array([getattr(table, cell) for cell in CELLS], dtype=np.float64)
    return table.astype(np.float64).ravel()


def mean_costs(costs: Floats, prevalence: float | None) -> OfTables:
    """The cost per case as a function of tables, with a row of costs for each.

    With a declared prevalence it is the mean over each class that is weighed by it.
    """
    groups = [(slice(0, 4), 1.0)]
    if prevalence is not None:
        groups = [(slice(0, 2), prevalence), (slice(2, 4), 1 - prevalence)]

    def means(cells: Floats) -> tuple[Floats, Floats]:
        cost = np.tile(costs, (len(cells) // len(costs), 1))
        value, gradient = np.zeros(len(cells)), np.zeros_like(cells)
        for group, share in groups:
            total = cells[:, group].sum(axis=1)
            mean = (cells[:, group] * cost[:, group]).sum(axis=1) / total
            value += share * mean
            gradient[:, group] = share * (cost[:, group] - mean[:, np.newaxis]) / total[:, np.newaxis]
        return value, gradient

    return means


def mean_cost_limits(
    tables: Sequence[Table], costs: Floats, *, prevalence: float | None, level: float
) -> tuple[Floats, Floats]:
    """Score limits of the cost per case of many tables, each with its own costs."""
    function = mean_costs(costs, prevalence)
    cases = np.array([cells_of(table) for table in tables])
    unit, slopes = np.ones_like(cases), function(cases)[1]
    for i, table in enumerate(tables):
        if isinstance(table, SampledTable):
            cases[i], unit[i] = table.independent_cases(slopes[i] / np.ptp(costs[i]), level)
    return score_limits(function, cases, level=level, unit=unit)


def _cost_interval(table: Table, counts: Contingency, condition: OperatingCondition, level: float) -> Interval:
    """The interval for the expected cost per case under a condition."""
    if not (counts.Pos and counts.Neg):
        raise ArgumentError("a class is absent, so its error rate is unknown", "give a table of both classes")
    costs = np.array([[getattr(condition, f"cost_{cell}") for cell in CELLS]], dtype=np.float64)
    estimate, function = float(condition.expected_cost(counts)), mean_costs(costs, condition.prevalence)
    return score_interval(estimate, table, function, ends=(float(costs.min()), float(costs.max())), level=level)


def _rate_interval(table: Table, counts: Contingency, known: Measure, level: float, method: RateMethod) -> Interval:
    """The interval for a rate, of as many cases as sampled rows are worth."""
    k, n = (sum(getattr(counts, cell) for cell in cells) for cells in RATES[known.name])
    if not isinstance(table, SampledTable):
        return rate_interval(k, n, level=level, method=method)
    worth = table.cases_per_weight(known.of, RATES[known.name][1], varies=0 < k < n, level=level)
    interval = rate_interval(min(k * worth, n * worth), n * worth, level=level, method=method)
    estimate = _within_range(known, float(known.of(counts)))
    lower, upper = stretch_limits(estimate, interval.lower, interval.upper)
    return replace(interval, estimate=estimate, lower=lower, upper=upper)


def of_tables(value: Callable[[Contingency], Any]) -> OfTables:
    """A measure as a function of tables; an empty cell has the derivative 0."""

    def function(cells: Floats) -> tuple[Floats, Floats]:
        step = _STEP * cells
        away = step[:, :, np.newaxis] * np.eye(4)
        near = cells[:, np.newaxis]
        rows = np.concatenate([near, near + away, near - away], axis=1)  # two dimensions are not cut into chunks
        values = np.asarray(value(Contingency(*np.moveaxis(rows, 2, 0))), dtype=np.float64)
        rise: Floats = values[:, 1:5] - values[:, 5:]
        return values[:, 0], np.divide(rise, 2 * step, out=np.zeros_like(rise), where=step > 0)

    return function


def _within_range(known: Measure, value: float) -> float:
    """A value of a measure, put on an end of its range if rounding moved it off.

    Weights of tables without errors have correlations of 0.9999999999999999 as well as of 1.0000000000000002.
    """
    near = (float(end) for end in known.range if math.isfinite(end) and abs(value - end) <= _ROUNDING)
    return next(near, value)
