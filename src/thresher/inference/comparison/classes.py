"""Models of k classes on the same rows, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from thresher._internal.text import did_you_mean
from thresher.choices.least_cost import class_condition
from thresher.errors import ArgumentError, MeasureError
from thresher.inference.class_rows import Classes, ClassifiedRows, classified_rows, named_matrices
from thresher.inference.comparison.comparison import Comparison, Correction, Pairing
from thresher.inference.comparison.difference import (
    ROUNDING,
    Better,
    Difference,
    Pair,
    pairs_difference,
    student_difference,
    undefined_difference,
)
from thresher.inference.influence import RowInfluence, class_influence, influence_variance
from thresher.inference.interval import Interval, normal_quantile
from thresher.inference.intervals.class_cost import CaseCosts, least_costs
from thresher.tables import OperatingCondition


@dataclass(frozen=True, slots=True)
class ClassMeasure:
    """A measure of k classes by which models are compared.

    `span` is how far two models can be apart. `averaged` says that it is a mean over classes, which is no surer than
    its scarcest class.
    """

    better: Better
    span: float
    averaged: bool


CLASS_MEASURES: Mapping[str, ClassMeasure] = MappingProxyType(
    {
        "overall_accuracy": ClassMeasure("higher", 1.0, averaged=False),
        "macro_recall": ClassMeasure("higher", 1.0, averaged=True),
        "macro_f1": ClassMeasure("higher", 1.0, averaged=True),
        "one_vs_rest_macro": ClassMeasure("higher", 1.0, averaged=True),
        "one_vs_rest_weighted": ClassMeasure("higher", 1.0, averaged=True),
        "one_vs_one_macro": ClassMeasure("higher", 1.0, averaged=True),
        "one_vs_one_weighted": ClassMeasure("higher", 1.0, averaged=True),
        "brier": ClassMeasure("lower", 1.0, averaged=False),
        "log_loss": ClassMeasure("lower", math.inf, averaged=False),
        "expected_cost": ClassMeasure("lower", math.inf, averaged=False),
    }
)


def compare_vectors(
    labels: Any,
    probabilities: Any,
    *,
    measure: str,
    classes: Classes,
    condition: OperatingCondition | None,
    against: str | None,
    level: float,
    margin: float,
    correction: Correction,
    **columns: Any,
) -> Comparison:
    """Compare models of k classes: what `compare` does with matrices.

    The variance of a difference is that of the differences of what each row adds to both models (for one AUC that is
    DeLong's covariance, for the accuracy McNemar's discordant rows, for costs those of the rows). Limits are Student's,
    with as many degrees of freedom as there are rows or clusters, in averages over classes those of the scarcest
    class, less one. Where two models never differ, conservative limits say what may have stayed unseen.
    """
    if measure not in CLASS_MEASURES:
        only = "an AUC of k classes is an average, of which there are four" if measure == "auc" else ""
        what = only or f"there is no measure {measure!r} by which models of k classes are compared"
        raise MeasureError(what, f"{did_you_mean(measure, CLASS_MEASURES)} pick {', '.join(CLASS_MEASURES)}".strip())
    if len(named_matrices(probabilities)) < 2:
        raise ArgumentError("there are no two models to compare", 'give {"a": matrix_a, "b": matrix_b}')
    rows = classified_rows(labels, probabilities, classes=classes, **columns)
    rows.require_two_clusters()
    if measure == "expected_cost":
        asked = class_condition(rows.class_mix, condition)
        costs = {name: least_costs(rows, name, asked) for name in rows.matrices}
        return cost_comparison(rows, costs, against=against, level=level, margin=margin, correction=correction)
    if condition is not None:
        raise ArgumentError(f"costs and a class mix change no {measure}", "leave the condition out")
    influence = {name: class_influence(rows, name) for name in rows.matrices}
    return class_comparison(
        rows, influence, measure, against=against, level=level, margin=margin, correction=correction
    )


def class_comparison(
    rows: ClassifiedRows,
    influence: Mapping[str, Mapping[str, RowInfluence]],
    measure: str,
    *,
    against: str | None = None,
    level: float,
    margin: float,
    correction: Correction = "holm",
) -> Comparison:
    """The same from rows that were checked already, and every model's influences."""
    known = CLASS_MEASURES[measure]
    units = _scarcest(rows) if known.averaged else rows.units

    def difference(a: str, b: str) -> Difference:
        one, other = influence[a][measure], influence[b][measure]
        if not (math.isfinite(one.estimate) and math.isfinite(other.estimate)):
            return undefined_difference((a, b), level=level, method=_method(rows), note=one.note or other.note)
        apart, variance = one.estimate - other.estimate, influence_variance(one.values - other.values, rows.cluster)
        if units <= 1 or not variance > ROUNDING * (one.variance(rows.cluster) + other.variance(rows.cluster)):
            return _unseen_difference(apart, variance, units, (a, b), level=level, span=known.span)
        return student_difference(
            apart, variance, (a, b), level=level, method=_method(rows), freedom=units - 1, span=known.span
        )

    estimates = {name: influence[name][measure].estimate for name in rows.matrices}
    asked: dict[str, Any] = {"against": against, "level": level, "margin": margin, "correction": correction}
    return _comparison(rows, measure, estimates, units, difference, **asked)


def cost_comparison(
    rows: ClassifiedRows,
    costs: Mapping[str, CaseCosts],
    *,
    against: str | None = None,
    level: float,
    margin: float,
    correction: Correction = "holm",
) -> Comparison:
    """Compare what each model's decisions cost per case, from the costs of the cases."""
    units = _scarcest(rows)
    matrix = next(iter(costs.values())).costs.costs
    span = float(matrix.max() - matrix.min())

    def difference(a: str, b: str) -> Difference:
        apart = costs[a].minus(costs[b], level=level)
        if not apart.variance > 0:
            return _unseen_difference(apart.estimate, 0.0, units, (a, b), level=level, span=span)
        return student_difference(
            apart.estimate,
            apart.variance,
            (a, b),
            level=level,
            method=_method(rows),
            freedom=_freedom(apart),
            span=span,
        )

    estimates = {name: each.interval(level=level).estimate for name, each in costs.items()}
    asked: dict[str, Any] = {"against": against, "level": level, "margin": margin, "correction": correction}
    return _comparison(rows, "expected_cost", estimates, units, difference, **asked)


def _scarcest(rows: ClassifiedRows) -> float:
    """Independent cases of the scarcest class that has any."""
    return float(rows.class_units[rows.present].min())


def _freedom(interval: Interval) -> float:
    """The degrees of freedom of Student's limits."""
    from scipy.special import stdtridf

    reach = (interval.upper - interval.lower) / 2 / math.sqrt(interval.variance)
    if reach <= normal_quantile(interval.level) * (1 + ROUNDING):
        return math.inf
    return float(stdtridf((1 + interval.level) / 2, reach))


def _method(rows: ClassifiedRows) -> str:
    return "delta, paired" if rows.cluster is None else "delta, paired by clusters"


def _unseen_difference(
    apart: float, variance: float, units: float, pair: Pair, *, level: float, span: float
) -> Difference:
    exact = pairs_difference(apart, max(variance, 0.0), units, pair, level=level, span=span)
    note = f"the models differ alike on all rows; limits from {units:g} independent cases, conservative"
    return replace(exact, method="exact cases", note=note)


def _comparison(
    rows: ClassifiedRows,
    measure: str,
    estimates: Mapping[str, float],
    units: float,
    difference: Callable[[str, str], Difference],
    *,
    against: str | None,
    **judged: Any,
) -> Comparison:
    better = CLASS_MEASURES[measure].better
    pairing = Pairing.of(against, tuple(estimates), better)
    return Comparison(
        names=tuple(estimates),
        measure=measure,
        better=better,
        estimates=estimates,
        differences={pair: difference(*pair) for pair in pairing.pairs(estimates)},
        spread=None,
        pairs=units,
        clustered=rows.cluster is not None,
        dropped=rows.dropped,
        against=pairing.model(estimates),
        **judged,
    )
