"""How sure are multi-class AUCs: each class against the rest, and the averages over classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher._internal.results import Tabular
from thresher.inference.class_rows import ClassifiedRows, classified_rows, require_two_clusters_of_classes
from thresher.inference.influence import RowInfluence, class_influence
from thresher.inference.interval import (
    LOGIT,
    Interval,
    aligned_lines,
    interval_columns,
    require_level,
    student_quantile,
)
from thresher.inference.intervals.auc import NOTHING, auc_interval, exact_pairs
from thresher.inference.rows import ScoredRows
from thresher.sources.columns import Missing

AVERAGES = ("one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassAucIntervals(Tabular):
    """An interval for each class against the rest, and for each of the four averages."""

    one_vs_rest: Mapping[Any, Interval]
    one_vs_rest_macro: Interval
    one_vs_rest_weighted: Interval
    one_vs_one_macro: Interval
    one_vs_one_weighted: Interval
    dropped: int = 0

    def __str__(self) -> str:
        lines = [(f"{name!s} against the rest", interval) for name, interval in self.one_vs_rest.items()]
        lines += [(name.replace("_", "-", 2).replace("_", ", "), getattr(self, name)) for name in AVERAGES]
        return aligned_lines(lines)

    def _brief(self) -> str:
        return f"{len(self.one_vs_rest):,} classes, one-vs-rest macro {self.one_vs_rest_macro}"

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every interval with its name, and the class it is of, if it is of one."""
        rows: list[tuple[dict[str, Any], Interval]] = [
            ({"quantity": "one_vs_rest", "class": str(label)}, one) for label, one in self.one_vs_rest.items()
        ]
        return rows + [({"quantity": name, "class": None}, getattr(self, name)) for name in AVERAGES]

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(self.intervals())


def class_auc_interval(
    labels: Any,
    probabilities: Any,
    *,
    classes: Sequence[Any] | None = None,
    weights: Any = None,
    clusters: Any = None,
    level: float = 0.95,
    missing: Missing = "raise",
) -> ClassAucIntervals:
    """Intervals for every one-vs-rest AUC and the four averages of `multiclass_auc`.

    Each class against the rest is `auc_interval` of its ranking. An average adds up, row by row, what the row
    contributes to each AUC in it (its placement less the AUC, as in DeLong 1988), because a row is a positive
    of one AUC and a negative of others; rows are taken as drawn from all classes together, so
    the shares of the classes in weighted averages are uncertain too. Limits are on the logit scale, with
    Student's quantile for as many degrees of freedom as the smallest class has cases, less one. `weights` and
    `clusters` are those of `auc_interval` of rows: with clusters, sums over them take the place of rows.

    >>> labels = ["cat"] * 4 + ["cow"] * 4 + ["dog"] * 4
    >>> probabilities = [[.7, .2, .1], [.4, .1, .5], [.6, .3, .1], [.5, .4, .1], [.3, .6, .1], [.5, .3, .2],
    ...     [.2, .7, .1], [.3, .4, .3], [.2, .5, .3], [.1, .1, .8], [.2, .2, .6], [.4, .2, .4]]
    >>> print(class_auc_interval(labels, probabilities))
    cat against the rest    0.9375 [0.5073, 0.9954]
    cow against the rest    0.8750 [0.4568, 0.9831]
    dog against the rest    0.9219 [0.4980, 0.9929]
    one-vs-rest, macro      0.9115 [0.4892, 0.9910]
    one-vs-rest, weighted   0.9115 [0.4880, 0.9911]
    one-vs-one, macro       0.9115 [0.4696, 0.9917]
    one-vs-one, weighted    0.9115 [0.4693, 0.9917]
    """
    require_level(level)
    rows = classified_rows(
        labels, {"model": probabilities}, classes=classes, weights=weights, clusters=clusters, missing=missing
    )
    require_two_clusters_of_classes(rows)
    return area_intervals(rows, "model", class_influence(rows, "model"), level=level)


def area_intervals(
    rows: ClassifiedRows, model: str, influence: Mapping[str, RowInfluence], *, level: float
) -> ClassAucIntervals:
    """The same from rows that were checked already, and the influences on the averages."""
    smallest, units = float(rows.class_units.min()), rows.units

    def average(of: RowInfluence) -> Interval:
        area, variance = of.estimate, of.variance(rows.cluster) if smallest > 1 else math.nan
        if not (variance > NOTHING and 0 < area < 1):
            return exact_pairs(min(1.0, area), variance, (smallest, max(units - smallest, smallest)), level)
        deviation = student_quantile(level, smallest - 1) * math.sqrt(variance)
        return Interval(area, *LOGIT.limits(area, deviation), variance, level, "placements")

    against_rest = {name: _class_interval(rows, model, i, level) for i, name in enumerate(rows.classes)}
    return ClassAucIntervals(
        one_vs_rest=MappingProxyType(against_rest),
        **{name: average(influence[name]) for name in AVERAGES},
        dropped=rows.dropped,
    )


def _class_interval(rows: ClassifiedRows, model: str, i: int, level: float) -> Interval:
    """The interval of the AUC of class i against the rest."""
    if rows.weight is None and rows.cluster is None:
        return auc_interval(rows.ranking(model, i), level=level)
    score = np.ascontiguousarray(rows.matrices[model][:, i])
    return auc_interval(ScoredRows(rows.index == i, {model: score}, rows.weight, rows.cluster), level=level)
