"""How sure are the measures of a confusion matrix: rates as rates, averages by the delta method."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.interval import LOGIT, Interval, normal_quantile, require_level
from thresher.inference.kinds import require_matrix
from thresher.inference.proportion import RateMethod, rate_interval
from thresher.ranking import Floats
from thresher.tables import ConfusionMatrix

_WHERE = "confusion_intervals(matrix)"


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionIntervals:
    """Intervals for the overall accuracy, every class and the averages over classes.

    What is undefined stays undefined, with the reason as its note.
    """

    overall_accuracy: Interval
    precision: Mapping[Any, Interval]
    recall: Mapping[Any, Interval]
    macro_precision: Interval
    macro_recall: Interval
    macro_f1: Interval

    def __str__(self) -> str:
        told = [("overall accuracy", self.overall_accuracy)]
        told += [(f"recall of {name!s}", interval) for name, interval in self.recall.items()]
        told += [(f"precision of {name!s}", interval) for name, interval in self.precision.items()]
        told += [(f"macro {name}", getattr(self, f"macro_{name}")) for name in ("precision", "recall", "f1")]
        wide = max(len(name) for name, _ in told)
        return "\n".join(f"{name:<{wide}}   {interval}" for name, interval in told)


def confusion_intervals(
    matrix: ConfusionMatrix, *, level: float = 0.95, method: RateMethod = "wilson"
) -> ConfusionIntervals:
    """Intervals for what a confusion matrix says of all classes and of each.

    Cases are taken as drawn from all classes together. The overall accuracy and each class's precision and
    recall are rates and get `method`. Macro averages get the delta method on the logit scale (Takahashi et al.
    2022 for F1); where they are 0 or 1 or have no variance, half a case is added to every cell first, and the
    note says so. A weight is read as a number of cases.

    >>> matrix = ConfusionMatrix([[70, 20, 10], [20, 830, 10], [0, 10, 30]], classes=["neg", "neutral", "pos"])
    >>> print(confusion_intervals(matrix))
    overall accuracy       0.9300 [0.9125, 0.9442]
    recall of neg          0.7000 [0.6042, 0.7811]
    recall of neutral      0.9651 [0.9506, 0.9755]
    recall of pos          0.7500 [0.5981, 0.8581]
    precision of neg       0.7778 [0.6815, 0.8513]
    precision of neutral   0.9651 [0.9506, 0.9755]
    precision of pos       0.6000 [0.4618, 0.7239]
    macro precision        0.7810 [0.7226, 0.8300]
    macro recall           0.8050 [0.7454, 0.8535]
    macro f1               0.7895 [0.7369, 0.8340]
    """
    require_level(level, _WHERE)
    require_matrix(matrix, _WHERE)
    if not matrix.total:
        raise ArgumentError("the matrix has no cases", _WHERE, "give counts above 0")
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
        macro_precision=macro_interval(matrix, "precision", level),
        macro_recall=macro_interval(matrix, "recall", level),
        macro_f1=macro_interval(matrix, "f1", level),
    )


def undefined(level: float, why: str) -> Interval:
    """No number, and the reason."""
    return Interval(math.nan, math.nan, math.nan, math.nan, level, "none", why)


def macro_interval(matrix: ConfusionMatrix, of: str, level: float) -> Interval:
    """The interval of one macro average of a matrix of cases."""
    estimate = matrix.average("macro", of)
    if math.isnan(estimate):
        return undefined(level, matrix.why_undefined("macro", of))
    counts, note = matrix.counts.astype(np.float64), ""
    centre, variance = estimate, _variance(counts, of)
    if not (variance > 0 and 0 < estimate < 1):
        counts, note = counts + 0.5, "half a case added to every cell"
        centre, variance = ConfusionMatrix(counts, matrix.classes).average("macro", of), _variance(counts, of)
    lower, upper = LOGIT.limits(centre, normal_quantile(level) * math.sqrt(variance))
    return Interval(estimate, min(lower, estimate), max(upper, estimate), variance, level, "delta", note)


def macro_slopes(counts: Floats, of: str) -> Floats:
    """How a macro average of precision, recall or f1 grows with each cell.

    >>> macro_slopes(np.array([[8.0, 2.0], [1.0, 9.0]]), "recall").round(4)
    array([[ 0.01 , -0.04 ],
           [-0.045,  0.005]])
    """
    right, actual, called = np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0)
    if of == "f1":
        both = actual + called
        per = 2 * right / both
        slope = np.diag(2 / both) - (per / both)[:, np.newaxis] - (per / both)[np.newaxis, :]
    elif of == "recall":
        slope = np.diag(1 / actual) - (right / actual**2)[:, np.newaxis]
    else:
        slope = np.diag(1 / called) - (right / called**2)[np.newaxis, :]
    found: Floats = slope / counts.shape[0]
    return found


def _variance(counts: Floats, of: str) -> float:
    """Σ slope² · cell: the measures do not change when all cells grow alike, so nothing is subtracted."""
    return float((macro_slopes(counts, of) ** 2 * counts).sum())
