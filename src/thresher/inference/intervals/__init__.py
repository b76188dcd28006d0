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

    A rate is k of n cases and gets `method`. Every other measure gets the delta method under multinomial sampling of
    cases, on the scale that suits its range: logit for [0, 1], Fisher's z for [-1, 1], log for ratios. Where the
    estimate is at an end of its range, half a case is added to every cell first (Haldane 1956), and the note says so.
    An undefined measure stays undefined, with its reason. At a declared `class_ratio` only tpr and fpr were sampled:
    their limits are carried through the measure one at a time, and the two distances combined so that squares add up
    (Zou & Donner 2008).

    Under an `OperatingCondition` it is the expected cost per case, a weighted sum of rates whose limits are combined in
    the same way, so it never has zero width. With a declared class ratio the rates are fnr and fpr, which are
    independent; with that of the data they are the shares of the cells, which vary against each other (Zou 2007). The
    threshold is taken as given, not as chosen on these cases.

    Of a confusion matrix: "overall_accuracy", an average such as "macro_f1", "mcc" and "kappa", or any measure of one
    class against the rest, as in 'recall["dog"]'.

    >>> from thresher.tables import Contingency
    >>> spam = Contingency(tp=30, fn=20, fp=10, tn=40)
    >>> print(interval(spam, "recall"))
    0.6000 [0.4618, 0.7239]
    >>> print(interval(spam, "precision", class_ratio=1/99))
    0.0294 [0.0162, 0.0519]
    >>> print(interval(spam, OperatingCondition(cost_fn=5)))
    1.1000 [0.7713, 1.5379]
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
