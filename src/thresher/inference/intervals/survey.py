"""Intervals from rows with sampling weights or clusters: cases are counted as what they are worth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher._internal.arguments import require_level
from thresher.inference.interval import Interval, normal_quantile, student_quantile
from thresher.inference.intervals.cost import cost_interval, mean_loss_interval
from thresher.inference.intervals.table import (
    CELLS,
    RATES,
    WITHIN_CLASSES,
    ByMeasure,
    interval_at_class_ratio,
    measure_interval,
    slopes,
    within_range,
)
from thresher.ranking import Counts, Flags, Floats, Indices
from thresher.tables import MEASURES, Contingency, Measure, OperatingCondition, measure

_NOTHING = 1e-15  # a variance per case no larger is rounding


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

    def spread(self, influence: Floats) -> float:
        """The variance of a sum over rows, given the influence of a row in each cell.

        Clusters vary as their sums do, and are never taken to vary less than independent rows would.
        """
        of_rows = float(self.squares @ influence**2)
        if self.by_cluster is None:
            return of_rows
        sums = self.by_cluster @ influence
        return max(of_rows, float(sums @ sums))

    def worth(
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
        few = self.fewness(inside, level)
        if varies and few > 0:
            along = np.array(slopes(self.cells.tolist(), value))
            mean = float(along @ self.cells) / total
            plain, seen = float((along - mean) ** 2 @ self.cells), self.spread(along - mean)
            if plain * total > _NOTHING and seen > 0:
                return plain / seen * few
        return float(inside @ self.cells) / self.spread(inside)

    def fewness(self, inside: Floats, level: float) -> float:
        """What a variance seen in few clusters takes off their worth: 1 without clusters, 0 for a single one."""
        if self.by_cluster is None:
            return 1.0
        clusters = int(np.count_nonzero(self.by_cluster @ inside))
        if clusters < 2:
            return 0.0
        return (normal_quantile(level) / student_quantile(level, clusters - 1)) ** 2 * (clusters - 1) / clusters


def sampled_table(
    positive: Flags, called: Flags, *, weight: Floats | None = None, cluster: Indices | None = None
) -> SampledTable:
    """The table of rows that were called positive or not, with what their weights and clusters say.

    Clusters are numbered 0, 1, 2, ...

    >>> labels, calls = np.array([1, 1, 0, 0], dtype=bool), np.array([1, 0, 1, 0], dtype=bool)
    >>> sampled_table(labels, calls, weight=np.array([1.0, 2.0, 3.0, 4.0])).table
    Contingency(tp=1.0, fn=2.0, fp=3.0, tn=4.0)
    """
    cell = 2 * ~positive + ~called  # in the order of CELLS
    cells = np.bincount(cell, weights=weight, minlength=4).astype(np.float64)
    squares = cells if weight is None else np.bincount(cell, weights=weight * weight, minlength=4).astype(np.float64)
    if cluster is None:
        return SampledTable(cells, squares, None)
    clusters = int(cluster.max()) + 1
    by_cluster = np.bincount(cluster * 4 + cell, weights=weight, minlength=4 * clusters)
    return SampledTable(cells, squares, by_cluster.reshape(clusters, 4).astype(np.float64))


def sampled_table_intervals(
    sampled: SampledTable, *, class_ratio: float | None = None, level: float = 0.95
) -> dict[str, Interval]:
    """The interval for every registered measure, as `table_intervals`, from rows with weights or clusters.

    Scaling all weights changes nothing, uneven ones widen the intervals, and so do clusters of rows that are
    alike: for every measure the table is scaled to the number of independent cases it is worth.

    >>> labels, calls = np.repeat([True, False], 50), np.repeat([True, False, True, False], [30, 20, 10, 40])
    >>> print(sampled_table_intervals(sampled_table(labels, calls, weight=np.full(100, 7.0)))["tpr"])
    0.6000 [0.4618, 0.7239]
    >>> print(sampled_table_intervals(sampled_table(labels, calls, cluster=np.arange(100) // 5))["tpr"])
    0.6000 [0.2666, 0.8609]
    """
    require_level(level)
    return ByMeasure(
        (name, sampled_measure_interval(sampled, name, class_ratio=class_ratio, level=level)) for name in MEASURES
    )


def sampled_measure_interval(
    sampled: SampledTable, name: str, *, class_ratio: float | None = None, level: float = 0.95
) -> Interval:
    """The interval for one registered measure, as `measure_interval`, from rows with weights or clusters.

    >>> labels, calls = np.repeat([True, False], 50), np.repeat([True, False, True, False], [30, 20, 10, 40])
    >>> print(sampled_measure_interval(sampled_table(labels, calls, weight=np.full(100, 7.0)), "tpr"))
    0.6000 [0.4618, 0.7239]
    """
    known = measure(name)
    if class_ratio is not None and known.name not in WITHIN_CLASSES:
        return _at_class_ratio(sampled, known, class_ratio, level)
    name = known.name
    estimate = within_range(known, float(known.of(sampled.table)))
    varies = math.isfinite(estimate) and estimate not in known.range
    among = RATES[name][1] if name in RATES else CELLS
    worth = 1.0 if math.isnan(estimate) else sampled.worth(known.of, among, varies=varies, level=level)
    scaled = Contingency(*(sampled.cells * worth).tolist())
    return _around(estimate, measure_interval(scaled, name, level=level))


def _at_class_ratio(sampled: SampledTable, known: Measure, class_ratio: float, level: float) -> Interval:
    """Limits from those of tpr and fpr, stretched where clusters that hold both classes make them vary together."""
    tpr, fpr = (sampled_measure_interval(sampled, rate, level=level) for rate in ("tpr", "fpr"))
    stretch = 1.0
    few = sampled.fewness(np.ones(4), level)
    if sampled.by_cluster is not None and few > 0:
        along = np.array(slopes(sampled.cells.tolist(), lambda table: known.of(table, class_ratio=class_ratio)))
        by_tpr, by_fpr = (along[0] - along[1]) * sampled.table.Pos, (along[2] - along[3]) * sampled.table.Neg
        apart, together = by_tpr**2 * tpr.variance + by_fpr**2 * fpr.variance, sampled.spread(along)
        if apart > 0 and together > 0 and math.isfinite(together):
            stretch = math.sqrt(together / (few * apart))
    return interval_at_class_ratio(sampled.table, known, class_ratio, tpr, fpr, stretch=stretch)


def sampled_cost_interval(sampled: SampledTable, condition: OperatingCondition, *, level: float = 0.95) -> Interval:
    """The interval for the expected cost, as `cost_interval`, from rows with weights or clusters.

    With a declared class ratio, each class is scaled to what it is worth for its error rate, and both again
    so that the variance is that of the cost: classes that share clusters vary together.

    >>> labels, calls = np.repeat([True, False], 50), np.repeat([True, False, True, False], [30, 20, 10, 40])
    >>> rows = sampled_table(labels, calls, weight=np.full(100, 7.0))
    >>> print(sampled_cost_interval(rows, OperatingCondition(cost_fn=5)))
    1.1000 [0.7713, 1.5379]
    """
    estimate = float(condition.expected_cost(sampled.table))
    if condition.prevalence is None:
        scaled = sampled.cells * sampled.worth(condition.expected_cost, varies=True, level=level)
    else:
        of_pos, of_neg = (
            sampled.worth(
                MEASURES[rate].of, RATES[rate][1], varies=0 < MEASURES[rate].of(sampled.table) < 1, level=level
            )
            for rate in ("fnr", "fpr")
        )
        scaled = sampled.cells * np.array([of_pos, of_pos, of_neg, of_neg])
        apart = cost_interval(Contingency(*scaled.tolist()), condition, level=level).variance
        together = sampled.spread(np.array(slopes(sampled.cells.tolist(), condition.expected_cost)))
        if apart > 0 and together > 0:
            scaled *= apart / together * sampled.fewness(np.ones(4), level)
    return _around(estimate, cost_interval(Contingency(*scaled.tolist()), condition, level=level))


def sampled_brier_interval(
    positive: Flags,
    score: Floats,
    *,
    weight: Floats | None = None,
    cluster: Indices | None = None,
    declared_mix: bool = False,
    level: float = 0.95,
) -> Interval:
    """The interval for the Brier score, as `brier_interval`, from rows with weights or clusters.

    The variance is that of the clusters' sums of squared errors, with as many degrees of freedom as there are
    clusters, less one. With a `declared_mix`, which the weights stand for, squared errors vary within classes only.

    >>> labels = np.array([1, 1, 0, 1, 0, 0], dtype=bool)
    >>> scores = np.array([0.9, 0.8, 0.6, 0.55, 0.3, 0.2])
    >>> print(sampled_brier_interval(labels, scores, weight=np.full(6, 7.0)))
    0.1237 [0.0169, 0.5366]
    """
    require_level(level)
    error = (score - positive) ** 2
    # What a probability p foretells of squared errors: p(1 - p), and of their squares p(1 - p)(1 - 3p(1 - p)).
    stated = score * (1 - score)
    strata = positive if declared_mix else None
    return mean_loss_interval(
        error, (stated, stated * (1 - 3 * stated)), weight=weight, cluster=cluster, strata=strata, level=level, most=1.0
    )


def _around(estimate: float, scaled: Interval) -> Interval:
    """An interval of a scaled table, with the estimate of the table itself."""
    if math.isnan(estimate):
        return scaled
    return replace(scaled, estimate=estimate, lower=min(scaled.lower, estimate), upper=max(scaled.upper, estimate))
