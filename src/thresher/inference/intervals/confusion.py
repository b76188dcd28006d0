"""Intervals for the measures of a confusion matrix, also with weights or clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher._internal.arguments import require_instance, require_level
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError
from thresher.inference.class_influence import WHOLE_MEASURES, WholeMeasure
from thresher.inference.interval import Interval, interval_columns, normal_quantile, student_quantile
from thresher.inference.intervals.rate import RateMethod, rate_interval
from thresher.inference.intervals.survey import sampled_measure_interval, sampled_table
from thresher.inference.intervals.table import measure_interval
from thresher.ranking import Floats, Indices
from thresher.tables import ConfusionMatrix

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfusionIntervals(Tabular):
    """Intervals for the overall accuracy, every class and the averages over classes.

    What is undefined stays undefined, with the reason as its note.
    """

    overall_accuracy: Interval
    precision: Mapping[Any, Interval]
    recall: Mapping[Any, Interval]
    f1: Mapping[Any, Interval]
    macro_precision: Interval
    macro_recall: Interval
    macro_f1: Interval
    weighted_precision: Interval
    weighted_f1: Interval
    mcc: Interval
    kappa: Interval

    def __str__(self) -> str:
        told = [("overall accuracy", self.overall_accuracy)]
        told += [(f"recall of {name!s}", interval) for name, interval in self.recall.items()]
        told += [(f"precision of {name!s}", interval) for name, interval in self.precision.items()]
        told += [(f"f1 of {name!s}", interval) for name, interval in self.f1.items()]
        told += [(name.replace("_", " "), getattr(self, name)) for name in WHOLE_MEASURES]
        wide = max(len(name) for name, _ in told)
        return "\n".join(f"{name:<{wide}}   {interval}" for name, interval in told)

    def _brief(self) -> str:
        return f"{len(self.recall):,} classes, overall accuracy {self.overall_accuracy}"

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every interval with its name, and the class it is of, if it is of one."""
        rows = [_named("overall_accuracy", None, self.overall_accuracy)]
        rows += [
            _named(measure, label, interval)
            for measure in ("recall", "precision", "f1")
            for label, interval in getattr(self, measure).items()
        ]
        return rows + [_named(measure, None, getattr(self, measure)) for measure in WHOLE_MEASURES]

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(self.intervals())


def _named(quantity: str, label: Any, interval: Interval) -> tuple[dict[str, Any], Interval]:
    return {"quantity": quantity, "class": None if label is None else str(label)}, interval


def confusion_intervals(
    matrix: ConfusionMatrix, *, level: float = 0.95, method: RateMethod = "wilson"
) -> ConfusionIntervals:
    """Intervals for what a confusion matrix says of all classes and of each.

    Cases are taken as drawn from all classes together. The overall accuracy and each class's precision and
    recall are rates and get `method`. Each class's F1 and the averages get the delta method on the logit scale
    (Takahashi et al. 2022 for macro F1), MCC and kappa on Fisher's; in weighted averages the shares of the
    classes are uncertain too. Where a value sits at an end of its range or has no variance, half a case
    is added to every cell first, and the note says so. A weight is read as a number of cases.

    >>> matrix = ConfusionMatrix([[70, 20, 10], [20, 830, 10], [0, 10, 30]], classes=["neg", "neutral", "pos"])
    >>> print(confusion_intervals(matrix))
    overall accuracy       0.9300 [0.9125, 0.9442]
    recall of neg          0.7000 [0.6042, 0.7811]
    recall of neutral      0.9651 [0.9506, 0.9755]
    recall of pos          0.7500 [0.5981, 0.8581]
    precision of neg       0.7778 [0.6815, 0.8513]
    precision of neutral   0.9651 [0.9506, 0.9755]
    precision of pos       0.6000 [0.4618, 0.7239]
    f1 of neg              0.7368 [0.6608, 0.8010]
    f1 of neutral          0.9651 [0.9551, 0.9729]
    f1 of pos              0.6667 [0.5466, 0.7684]
    macro precision        0.7810 [0.7226, 0.8300]
    macro recall           0.8050 [0.7454, 0.8535]
    macro f1               0.7895 [0.7369, 0.8340]
    weighted precision     0.9318 [0.9140, 0.9461]
    weighted f1            0.9304 [0.9128, 0.9446]
    mcc                    0.7196 [0.6539, 0.7746]
    kappa                  0.7193 [0.6535, 0.7743]
    """
    require_level(level)
    require_instance(matrix, ConfusionMatrix, "a confusion matrix", fix="give th.confusion(labels, predictions)")
    if not matrix.total:
        raise ArgumentError("the matrix has no cases", "give counts above 0")
    each = matrix.per_class
    right = np.asarray(each.tp, dtype=np.float64)

    def rates(of: Any, why: str) -> Mapping[Any, Interval]:
        cases = np.asarray(of, dtype=np.float64)
        return MappingProxyType(
            {
                name: rate_interval(min(k, n), n, level=level, method=method) if n else undefined(level, why)
                for name, k, n in zip(matrix.classes, right.tolist(), cases.tolist(), strict=True)
            }
        )

    total = float(matrix.total)
    return ConfusionIntervals(
        overall_accuracy=rate_interval(min(float(right.sum()), total), total, level=level, method=method),
        precision=rates(each.predicted_positive, "nothing is called so"),
        recall=rates(each.Pos, "there are no such cases"),
        f1=MappingProxyType(
            {name: measure_interval(matrix.one_vs_rest(name), "f1", level=level) for name in matrix.classes}
        ),
        **{name: whole_interval(matrix, name, level) for name in WHOLE_MEASURES},
    )


def undefined(level: float, why: str) -> Interval:
    """No number, and the reason."""
    return Interval(math.nan, math.nan, math.nan, math.nan, level, "none", why)


def whole_interval(matrix: ConfusionMatrix, name: str, level: float) -> Interval:
    """The interval of one measure of all classes, from a matrix of cases."""
    known = WHOLE_MEASURES[name]
    estimate = known.value(matrix)
    if math.isnan(estimate):
        return undefined(level, matrix.describe(name).partition(": ")[2])
    estimate = _at_an_end(estimate, known.ends)
    counts, note = matrix.counts.astype(np.float64), ""
    centre, variance = estimate, _variance(counts, known)
    if not (variance > 0 and estimate not in known.ends):
        counts, note = counts + 0.5, "half a case added to every cell"
        centre, variance = known.value(ConfusionMatrix(counts, matrix.classes)), _variance(counts, known)
    lower, upper = known.scale.limits(centre, normal_quantile(level) * math.sqrt(variance))
    return Interval(estimate, min(lower, estimate), max(upper, estimate), variance, level, "delta", note)


def _at_an_end(value: float, ends: tuple[float, float]) -> float:
    """Weights without errors may round to 0.9999999999999999, where a logit would still say something."""
    return next((end for end in ends if abs(value - end) <= _ROUNDING), value)


def _variance(counts: Floats, known: WholeMeasure) -> float:
    """Σ slope² · cell: the measures do not change when all cells grow alike, so nothing is subtracted."""
    return float((known.slopes(counts) ** 2 * counts).sum())


def sampled_confusion_intervals(
    actual: Indices,
    called: Indices,
    classes: Sequence[Any],
    *,
    weight: Floats | None = None,
    cluster: Indices | None = None,
    level: float = 0.95,
) -> ConfusionIntervals:
    """The intervals of `confusion_intervals`, from rows with weights or clusters.

    Scaling all weights changes nothing, uneven ones widen the intervals, and so do clusters of rows that are alike:
    for every measure the matrix is scaled to the number of independent cases it is worth (Rao & Scott 1992). Classes
    and clusters are numbered 0, 1, 2, ...

    >>> actual, called = np.repeat([0, 1, 2], 20), np.repeat([0, 1, 1, 2, 2, 0], [15, 5, 18, 2, 16, 4])
    >>> print(sampled_confusion_intervals(actual, called, "abc", weight=np.full(60, 7.0)).overall_accuracy)
    0.8167 [0.7008, 0.8944]
    >>> print(sampled_confusion_intervals(actual, called, "abc", cluster=np.arange(60) // 4).overall_accuracy)
    0.8167 [0.5614, 0.9394]
    """
    require_level(level)
    k, names = len(classes), list(classes)
    counts = np.bincount(actual * k + called, weights=weight, minlength=k * k).reshape(k, k).astype(np.float64)
    all_rows = np.ones(actual.size, dtype=np.bool_)
    right = sampled_table(all_rows, actual == called, weight=weight, cluster=cluster)
    per_class = [sampled_table(actual == i, called == i, weight=weight, cluster=cluster) for i in range(k)]

    def rates(measure: str, cases: Floats, why: str) -> MappingProxyType[Any, Interval]:
        found = {
            name: sampled_measure_interval(table, measure, level=level) if n else undefined(level, why)
            for name, table, n in zip(names, per_class, cases.tolist(), strict=True)
        }
        return MappingProxyType(found)

    matrix = ConfusionMatrix(counts, names)

    def whole(name: str) -> Interval:
        plain = whole_interval(matrix, name, level)
        if math.isnan(plain.estimate):
            return plain
        slope = WHOLE_MEASURES[name].slopes(counts)[actual, called]
        worth = _worth(slope, weight=weight, cluster=cluster, level=level)
        return replace(whole_interval(ConfusionMatrix(counts * worth, names), name, level), estimate=plain.estimate)

    return ConfusionIntervals(
        overall_accuracy=sampled_measure_interval(right, "tpr", level=level),
        precision=rates("precision", counts.sum(axis=0), "nothing is called so"),
        recall=rates("tpr", counts.sum(axis=1), "there are no such cases"),
        f1=rates("f1", counts.sum(axis=0) + counts.sum(axis=1), "there are no such cases, and nothing is called so"),
        **{name: whole(name) for name in WHOLE_MEASURES},
    )


def _worth(slope: Floats, *, weight: Floats | None, cluster: Indices | None, level: float) -> float:
    """How many independent cases a unit of weight is worth, given each row's slope; Kish's (1965) if nothing varies."""
    heavy = np.ones(slope.size) if weight is None else weight
    plain, seen = float(heavy @ slope**2), _squares(heavy * slope, cluster)
    if not seen > 0:
        return float(heavy.sum()) / _squares(heavy, cluster)
    if cluster is None:
        return plain / seen
    clusters = int(cluster.max()) + 1
    few = (normal_quantile(level) / student_quantile(level, clusters - 1)) ** 2 * (clusters - 1) / clusters
    return plain / seen * few


def _squares(pull: Floats, cluster: Indices | None) -> float:
    """The variance of a sum, by rows or, if it is larger, by clusters."""
    of_rows = float(pull @ pull)
    if cluster is None:
        return of_rows
    sums = np.bincount(cluster, weights=pull)
    return max(of_rows, float(sums @ sums))
