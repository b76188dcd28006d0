"""`interval` for one measure of a table, `intervals` for all."""

from __future__ import annotations

from typing import Any, overload

from thresher.errors import ArgumentError
from thresher.inference.interval import Interval
from thresher.inference.intervals.confusion import ConfusionIntervals, confusion_interval, confusion_intervals
from thresher.inference.intervals.rate import RateMethod
from thresher.inference.intervals.table import Table, table_interval, table_intervals
from thresher.tables import ConfusionMatrix, Measure, OperatingCondition


def interval(
    table: Table | ConfusionMatrix,
    of: str | Measure | OperatingCondition,
    *,
    class_ratio: float | None = None,
    level: float = 0.95,
    method: RateMethod = "wilson",
) -> Interval:
    """The interval for a measure of one table, or for its expected cost.

    A rate is k of n cases and gets `method`. Every other measure, a rate at a declared `class_ratio` among them, gets
    score limits: the least and the most it is on tables of expected counts m that the score test of the four cells
    accepts, which are those where the sum of (count - m)² / m is at most z². At a declared ratio only tpr and fpr
    matter, as they were sampled. A cell that is empty may be one by chance: what it may hide is part of the limits, so
    none has zero width, and a ratio over a rate that was seen as 0 has a lower limit. `variance` is the delta method's.
    An undefined measure stays undefined, with its reason.

    Under an `OperatingCondition` it is the expected cost per case, with score limits as well: with a declared class
    ratio from fnr and fpr, with that of the data from the shares of all cells. The threshold is taken as given, not as
    chosen on these cases.

    Of a confusion matrix: "overall_accuracy", an average such as "macro_f1", "mcc" and "kappa", or any measure of one
    class against the rest, as in 'recall["dog"]'. A condition of k classes gives the expected cost of its decisions,
    from the costs of the cases (`CaseCosts`).

    >>> from thresher.tables import Contingency
    >>> spam = Contingency(tp=30, fn=20, fp=10, tn=40)
    >>> print(interval(spam, "recall"))
    0.6000 [0.4618, 0.7239]
    >>> print(interval(spam, "precision", class_ratio=1/99))
    0.0294 [0.0169, 0.0533]
    >>> print(interval(spam, OperatingCondition(cost_fn=5)))
    1.1000 [0.7669, 1.5379]
    >>> print(interval(Contingency(tp=10, fn=0, fp=0, tn=20), "lr_plus"))
    inf [5.9678, inf]
    >>> print(interval(Contingency(tp=0, fn=1, fp=0, tn=9), "precision"))
    undefined (nothing is predicted positive)
    """
    if isinstance(table, ConfusionMatrix):
        _require_no_ratio(class_ratio)
        return confusion_interval(table, of, level=level, method=method)
    return table_interval(table, of, class_ratio=class_ratio, level=level, method=method)


@overload
def intervals(
    table: ConfusionMatrix, *, class_ratio: None = ..., level: float = ..., method: RateMethod = ...
) -> ConfusionIntervals: ...
@overload
def intervals(
    table: Table, *, class_ratio: float | None = ..., level: float = ..., method: RateMethod = ...
) -> dict[str, Interval]: ...
def intervals(
    table: Table | ConfusionMatrix,
    *,
    class_ratio: float | None = None,
    level: float = 0.95,
    method: RateMethod = "wilson",
) -> Any:
    """The interval for every measure of one table, by name.

    Of a confusion matrix they are `ConfusionIntervals`.

    >>> from thresher.tables import Contingency
    >>> spam = intervals(Contingency(tp=30, fn=20, fp=10, tn=40))
    >>> print(spam["accuracy"], spam["recall"] == spam["tpr"])
    0.7000 [0.6042, 0.7811] True
    """
    if isinstance(table, ConfusionMatrix):
        _require_no_ratio(class_ratio)
        return confusion_intervals(table, level=level, method=method)
    return table_intervals(table, class_ratio=class_ratio, level=level, method=method)


def _require_no_ratio(class_ratio: float | None) -> None:
    if class_ratio is not None:
        raise ArgumentError("a confusion matrix has no class ratio to declare", "leave class_ratio out")
