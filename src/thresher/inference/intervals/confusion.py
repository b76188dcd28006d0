"""Intervals for the measures of a confusion matrix, also with weights or clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from thresher._internal.arguments import require_instance, require_level
from thresher.errors import ArgumentError
from thresher.inference.influence import MATRIX_MEASURES
from thresher.inference.interval import ClassIntervals, Interval, aligned_lines, undefined
from thresher.inference.intervals.class_cost import CaseCosts
from thresher.inference.intervals.rate import RateMethod
from thresher.inference.intervals.table import SampledTable, Table, count_calls, score_interval, table_interval
from thresher.ranking import Floats, Indices
from thresher.tables import ConfusionMatrix, Contingency, OperatingCondition, Quantity, quantity, refusal

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfusionIntervals(ClassIntervals):
    """Intervals for the overall accuracy, every class and the averages over classes.

    What is undefined stays undefined, with the reason as its note.

    >>> matrix = ConfusionMatrix([[70, 20, 10], [20, 830, 10], [0, 10, 30]], classes=["neg", "neutral", "pos"])
    >>> print(confusion_intervals(matrix).recall["pos"])
    0.7500 [0.5981, 0.8581]
    """

    overall_accuracy: Interval
    recall: Mapping[Any, Interval]
    precision: Mapping[Any, Interval]
    f1: Mapping[Any, Interval]
    macro_precision: Interval
    macro_recall: Interval
    macro_f1: Interval
    weighted_precision: Interval
    weighted_f1: Interval
    mcc: Interval
    kappa: Interval

    def __str__(self) -> str:
        lines = []
        for names, interval in self.intervals():
            name = str(names["quantity"]).replace("_", " ")
            lines.append((name if names["class"] is None else f"{name} of {names['class']}", interval))
        return aligned_lines(lines)

    def _brief(self) -> str:
        return f"{len(self.recall):,} classes, overall accuracy {self.overall_accuracy}"


def confusion_intervals(
    matrix: ConfusionMatrix, *, level: float = 0.95, method: RateMethod = "wilson"
) -> ConfusionIntervals:
    """Intervals for what a confusion matrix says of all classes and of each.

    Cases are taken as drawn from all classes together. The overall accuracy and each class's precision and
    recall are rates and get `method`. Each class's F1, the averages, MCC and kappa get score limits: the least and the
    most they are on tables that the score test of all cells accepts (`score_limits`), so that small classes and
    empty cells count as what they may hide. A weight is read as a number of cases. Where some cases are called no
    class, the averages, MCC and kappa have no limits.
    """
    _require_cases(matrix, level)
    tables = [matrix.one_vs_rest(name) for name in matrix.classes]
    of_matrix = partial(_matrix_interval, matrix, level=level)
    return _intervals(matrix, _right(matrix), tables, of_matrix, level=level, method=method)


def confusion_interval(
    matrix: ConfusionMatrix, of: Any, *, level: float = 0.95, method: RateMethod = "wilson"
) -> Interval:
    """The interval of one measure of all classes, or of one class against the rest."""
    _require_cases(matrix, level)
    if of == "overall_accuracy":
        return table_interval(_right(matrix), "tpr", level=level, method=method)
    if isinstance(of, str) and of in MATRIX_MEASURES:
        return _matrix_interval(matrix, of, level)
    known = [*("overall_accuracy", *MATRIX_MEASURES), f'recall["{matrix.classes[0]}"]']
    if isinstance(of, OperatingCondition):
        if of.costs is None:
            raise refusal("an operating condition without costs of named classes is for two classes", known)
        return CaseCosts.of_confusion(matrix, of).interval(level=level)
    asked = quantity(of)
    label = next((name for name in matrix.classes if str(name) == asked.of_class), None)
    if asked.measure is None or asked != Quantity(asked.name, of_class=asked.of_class) or label is None:
        raise refusal(f"{asked} is no measure of this matrix", known)
    return _class_interval(matrix.one_vs_rest(label), asked.name, level, method)


def call_intervals(
    matrix: ConfusionMatrix,
    actual: Indices,
    calls: Indices,
    weight: Floats | None,
    cluster: Indices | None,
    *,
    level: float = 0.95,
) -> ConfusionIntervals:
    """The intervals of `confusion_intervals`, from the rows that a matrix counts.

    Scaling all weights changes nothing, uneven ones widen the intervals, and so do clusters of rows that are alike:
    for every measure the cells are as many independent cases as they are worth (Rao & Scott 1992). Classes and
    clusters are numbered 0, 1, 2, ...
    """
    if weight is None and cluster is None:
        return confusion_intervals(matrix, level=level)
    require_level(level)
    k = len(matrix.classes)
    right = count_calls(np.ones(actual.size, dtype=np.bool_), actual == calls, weight=weight, cluster=cluster)
    tables = [count_calls(actual == i, calls == i, weight=weight, cluster=cluster) for i in range(k)]
    sampled = None  # where actions are no classes, measures of the whole table have no limits
    if not matrix.others:
        sampled = SampledTable.of(actual * k + calls, k * k, weight=weight, cluster=cluster)
    of_matrix = partial(_matrix_interval, matrix, level=level, sampled=sampled)
    return _intervals(matrix, right, tables, of_matrix, level=level)


def _intervals(
    matrix: ConfusionMatrix,
    right: Table,
    tables: Sequence[Table],
    of_matrix: Callable[[str], Interval],
    *,
    level: float,
    method: RateMethod = "wilson",
) -> ConfusionIntervals:
    """Gather the intervals from the table of right calls and that of each class."""

    def by_class(measure: str) -> Mapping[Any, Interval]:
        intervals = (_class_interval(table, measure, level, method) for table in tables)
        return dict(zip(matrix.classes, intervals, strict=True))

    return ConfusionIntervals(
        overall_accuracy=table_interval(right, "tpr", level=level, method=method),
        precision=by_class("precision"),
        recall=by_class("tpr"),
        f1=by_class("f1"),
        **{name: of_matrix(name) for name in MATRIX_MEASURES},
    )


def _require_cases(matrix: ConfusionMatrix, level: float) -> None:
    require_level(level)
    require_instance(matrix, ConfusionMatrix, "a confusion matrix", fix="give th.confusion(labels, predictions)")
    if not matrix.total:
        raise ArgumentError("the matrix has no cases", "give counts above 0")


def _right(matrix: ConfusionMatrix) -> Contingency:
    """All cases as positives, called so where they are right."""
    total, right = float(matrix.total), float(np.asarray(matrix.per_class.tp, dtype=np.float64).sum())
    return Contingency(tp=min(right, total), fn=max(0.0, total - right), fp=0.0, tn=0.0)


def _class_interval(table: Table, measure: str, level: float, method: RateMethod) -> Interval:
    """The interval of a measure of one class against the rest."""
    interval = table_interval(table, measure, level=level, method=method)
    if measure not in _REASONS or not math.isnan(interval.estimate):
        return interval
    return undefined(level, _REASONS[measure])


_REASONS = {
    "precision": "nothing is called so",
    "tpr": "there are no such cases",
    "f1": "there are no such cases, and nothing is called so",
}


def _matrix_interval(matrix: ConfusionMatrix, name: str, level: float, sampled: SampledTable | None = None) -> Interval:
    """The interval of one measure of all classes."""
    known, k = MATRIX_MEASURES[name], len(matrix.classes)
    estimate = known.value(matrix)
    if math.isnan(estimate):
        return undefined(level, matrix.describe(name).partition(": ")[2])
    if matrix.others:
        return replace(
            undefined(level, "some cases are called no class, so that this has no limits"), estimate=estimate
        )
    # Weights without errors may round to 0.9999999999999999.
    estimate = next((end for end in known.ends if abs(estimate - end) <= _ROUNDING), estimate)

    def function(tables: Floats) -> tuple[Floats, Floats]:
        values, slopes = known.slopes(tables.reshape(-1, k, k))
        return values, slopes.reshape(tables.shape)

    table = matrix.counts if sampled is None else sampled
    return score_interval(estimate, table, function, ends=known.ends, level=level)
