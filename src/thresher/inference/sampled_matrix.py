"""Intervals for a confusion matrix of rows with sampling weights or clusters: cases counted as what they are worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher.inference.design_effect import sampled_measure_interval, sampled_table
from thresher.inference.interval import Interval, normal_quantile, require_level, student_quantile
from thresher.inference.matrix import ConfusionIntervals, undefined, whole_interval
from thresher.inference.matrix_slopes import WHOLE_MEASURES
from thresher.ranking import Floats, Indices
from thresher.tables import ConfusionMatrix


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
