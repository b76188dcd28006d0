"""How sure are the measures of a confusion matrix: rates as rates, averages by the delta method."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.interval import Interval, interval_columns, normal_quantile, require_level
from thresher.inference.kinds import require_matrix
from thresher.inference.matrix_slopes import WHOLE_MEASURES, WholeMeasure
from thresher.inference.proportion import RateMethod, rate_interval
from thresher.inference.table import measure_interval
from thresher.ranking import Floats
from thresher.results import Tabular
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
    require_matrix(matrix)
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
