"""How sure are multi-class AUCs: each class against the rest, and the averages over classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher.curves.multiclass import ClassRows, class_rows
from thresher.inference.auc import NOTHING, auc_interval, exact_pairs
from thresher.inference.interval import LOGIT, Interval, require_level, student_quantile
from thresher.ranking import Flags, Floats, beating
from thresher.sources.columns import Missing

_WHERE = "multiclass_auc_interval(labels, probabilities)"


@dataclass(frozen=True, slots=True, eq=False)
class MulticlassIntervals:
    """An interval for each class against the rest, and for each of the four averages."""

    one_vs_rest: Mapping[Any, Interval]
    one_vs_rest_macro: Interval
    one_vs_rest_weighted: Interval
    one_vs_one_macro: Interval
    one_vs_one_weighted: Interval
    dropped: int = 0

    def __str__(self) -> str:
        averages = ("one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted")
        told = [(f"{name!s} against the rest", interval) for name, interval in self.one_vs_rest.items()]
        told += [(name.replace("_", "-", 2).replace("_", ", "), getattr(self, name)) for name in averages]
        wide = max(len(name) for name, _ in told)
        return "\n".join(f"{name:<{wide}}   {interval}" for name, interval in told)


def multiclass_auc_interval(
    labels: Any,
    probabilities: Any,
    *,
    classes: Sequence[Any] | None = None,
    level: float = 0.95,
    missing: Missing = "raise",
) -> MulticlassIntervals:
    """Intervals for every one-vs-rest AUC and the four averages of `multiclass_auc`.

    Each class against the rest is `auc_interval` of its ranking. An average adds up, row by row, what the row
    contributes to each AUC in it (its placement less the AUC, as in DeLong 1988), because a row is a positive
    of one AUC and a negative of others; rows are taken as drawn from all classes together, so
    the shares of the classes in weighted averages are uncertain too. Limits are on the logit scale, with
    Student's quantile for as many degrees of freedom as the smallest class has cases, less one.

    >>> labels = ["cat"] * 4 + ["cow"] * 4 + ["dog"] * 4
    >>> probabilities = [[.7, .2, .1], [.4, .1, .5], [.6, .3, .1], [.5, .4, .1], [.3, .6, .1], [.5, .3, .2],
    ...     [.2, .7, .1], [.3, .4, .3], [.2, .5, .3], [.1, .1, .8], [.2, .2, .6], [.4, .2, .4]]
    >>> print(multiclass_auc_interval(labels, probabilities))
    cat against the rest    0.9375 [0.5073, 0.9954]
    cow against the rest    0.8750 [0.4568, 0.9831]
    dog against the rest    0.9219 [0.4980, 0.9929]
    one-vs-rest, macro      0.9115 [0.4892, 0.9910]
    one-vs-rest, weighted   0.9115 [0.4880, 0.9911]
    one-vs-one, macro       0.9115 [0.4696, 0.9917]
    one-vs-one, weighted    0.9115 [0.4693, 0.9917]
    """
    require_level(level, _WHERE)
    rows = class_rows(labels, probabilities, classes=classes, weights=None, missing=missing, where=_WHERE)
    cases = np.bincount(rows.index, minlength=len(rows.classes))
    share = cases / cases.sum()
    rest_area, rest_pull = _one_vs_rest(rows)
    one_area, one_pull, mean_with = _one_vs_one(rows, share)
    drawn = np.eye(len(rows.classes))[:, rows.index] / rows.index.size  # what a row adds to its class's share
    weighted = float(share @ rest_area)
    by_share = share @ rest_pull + (rest_area - weighted) @ drawn
    smallest = int(cases.min())

    def interval(area: float, pull: Floats) -> Interval:
        return _interval(area, pull, smallest, rows.index.size, level)

    return MulticlassIntervals(
        one_vs_rest=MappingProxyType(
            {name: auc_interval(rows.ranking(i), level=level) for i, name in enumerate(rows.classes)}
        ),
        one_vs_rest_macro=interval(float(rest_area.mean()), rest_pull.mean(axis=0)),
        one_vs_rest_weighted=interval(weighted, by_share),
        one_vs_one_macro=interval(one_area[0], one_pull[0]),
        one_vs_one_weighted=interval(one_area[1], one_pull[1] + (mean_with - one_area[1]) @ drawn),
        dropped=rows.dropped,
    )


def _one_vs_rest(rows: ClassRows) -> tuple[Floats, Floats]:
    """The AUC of each class against the rest, and what each row contributes to it (classes × rows)."""
    found = [_pull(rows.index == i, rows.scores[i]) for i in range(len(rows.classes))]
    return np.array([area for area, _ in found]), np.stack([pull for _, pull in found])


def _one_vs_one(rows: ClassRows, share: Floats) -> tuple[tuple[float, float], tuple[Floats, Floats], Floats]:
    """Macro and weighted one-vs-one AUC, what each row contributes to them, and each class's mean with others."""
    k = len(rows.classes)
    macro, weighted = np.zeros(rows.index.size), np.zeros(rows.index.size)
    mean_with, total = np.zeros(k), 0.0
    for i in range(k):
        for j in range(k):
            if i == j:
                continue
            within = (rows.index == i) | (rows.index == j)
            area, pull = _pull(rows.index[within] == i, rows.scores[i][within])
            total += area
            mean_with[[i, j]] += area / (2 * (k - 1))
            macro[within] += pull / (k * (k - 1))
            weighted[within] += pull * (share[i] + share[j]) / (2 * (k - 1))
    return (total / (k * (k - 1)), float(share @ mean_with)), (macro, weighted), mean_with


def _pull(positive: Flags, score: Any) -> tuple[float, Floats]:
    """An AUC, and per row its placement less the AUC over the cases of its side: squares sum to DeLong's variance."""
    Pos = int(np.count_nonzero(positive))
    Neg = positive.size - Pos
    above = beating(positive, score)
    placement = np.where(positive, 1 - above / Neg, above / Pos)
    area = float(placement[positive].mean())
    with np.errstate(divide="ignore", invalid="ignore"):  # one case of a class has no spread
        each = np.where(positive, np.sqrt(np.divide(1, Pos * (Pos - 1))), np.sqrt(np.divide(1, Neg * (Neg - 1))))
        return area, (placement - area) * each


def _interval(area: float, pull: Floats, smallest: int, rows: int, level: float) -> Interval:
    variance = float(pull @ pull) if smallest > 1 else math.nan
    if not (variance > NOTHING and 0 < area < 1):
        return exact_pairs(min(1.0, area), variance, (smallest, rows - smallest), level)
    deviation = student_quantile(level, smallest - 1) * math.sqrt(variance)
    return Interval(area, *LOGIT.limits(area, deviation), variance, level, "placements")
