"""`compare_classes`: models of k classes on the same rows, pair by pair."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from thresher._internal.arguments import is_one_of, require_level, require_one_of
from thresher.errors import ArgumentError, MeasureError
from thresher.inference.class_rows import (
    Classes,
    ClassifiedRows,
    classified_rows,
    named_matrices,
    require_two_clusters_of_classes,
)
from thresher.inference.comparison.comparison import Comparison, Correction
from thresher.inference.comparison.difference import (
    ROUNDING,
    Better,
    Difference,
    pairs_difference,
    require_margin,
    student_difference,
    undefined_difference,
)
from thresher.inference.influence import RowInfluence, class_influence, influence_variance
from thresher.inputs.columns import Missing


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
    }
)


def compare_classes(
    labels: Any,
    probabilities: Mapping[str, Any],
    *,
    measure: str = "overall_accuracy",
    classes: Classes = None,
    other: Any = None,
    predictions: Any = None,
    weights: Any = None,
    clusters: Any = None,
    level: float = 0.95,
    margin: float = 0.0,
    correction: Correction = "holm",
    missing: Missing = "raise",
) -> Comparison:
    """Compare two or more models of k classes on the same rows by one measure.

    The variance of a difference is that of the differences of what each row adds to both models (for one AUC that is
    DeLong's covariance, for the accuracy McNemar's discordant rows). `weights` count as sampling weights, `clusters`
    are what is independent. Limits are Student's, with as many degrees of freedom as there are rows or clusters, in
    averages over classes those of the scarcest class, less one. Where two models never differ, conservative limits
    say what may have stayed unseen.

    Parameters
    ----------
    labels, classes, other, predictions, weights, clusters, missing
        As in `evaluate_classes`.
    probabilities
        The matrix of each model by its name.
    measure
        "overall_accuracy", "macro_recall" or "macro_f1" of the calls; "one_vs_rest_macro", "one_vs_rest_weighted",
        "one_vs_one_macro" or "one_vs_one_weighted", averages of the AUC; "brier" or "log_loss".
    level, margin
        Confidence level, and the largest difference that does not matter, in units of the measure.
    correction
        "holm" adjusts p-values for the number of pairs; "none" does not.

    Examples
    --------
    >>> labels = ["cat", "cow", "dog"] * 4
    >>> sure = [[.8, .1, .1], [.1, .8, .1], [.1, .1, .8]] * 3 + [[.8, .1, .1], [.1, .2, .7], [.2, .1, .7]]
    >>> shy = [[.4, .3, .3], [.3, .4, .3], [.3, .4, .3]] * 4
    >>> print(compare_classes(labels, {"sure": sure, "shy": shy}))
    model   overall_accuracy
    sure    0.9167
    shy     0.6667
    pair         difference         0.95 limits      p   adjusted   verdict on the first
    sure - shy       0.2500   [-0.1449, 0.6449]   0.19       0.19   undecided
    """
    require_level(level)
    require_margin(margin)
    require_one_of(correction, ("holm", "none"), name="correction")
    if not is_one_of(measure, CLASS_MEASURES):
        raise MeasureError(f"there is no measure {measure!r} of classes", f"pick {', '.join(CLASS_MEASURES)}")
    if len(named_matrices(probabilities)) < 2:
        raise ArgumentError("there are no two models to compare", 'give {"a": matrix_a, "b": matrix_b}')
    rows = classified_rows(
        labels,
        probabilities,
        classes=classes,
        other=other,
        predictions=predictions,
        weights=weights,
        clusters=clusters,
        missing=missing,
    )
    require_two_clusters_of_classes(rows)
    influence = {name: class_influence(rows, name) for name in rows.matrices}
    return class_comparison(rows, influence, measure, level=level, margin=margin, correction=correction)


def class_comparison(
    rows: ClassifiedRows,
    influence: Mapping[str, Mapping[str, RowInfluence]],
    measure: str,
    *,
    level: float,
    margin: float,
    correction: Correction = "holm",
) -> Comparison:
    """The same from rows that were checked already, and every model's influences."""
    known = CLASS_MEASURES[measure]
    clustered = rows.cluster is not None
    units = float(rows.class_units.min()) if known.averaged else rows.units

    def difference(a: str, b: str) -> Difference:
        one, other = influence[a][measure], influence[b][measure]
        method = "delta, paired by clusters" if clustered else "delta, paired"
        if not (math.isfinite(one.estimate) and math.isfinite(other.estimate)):
            return undefined_difference((a, b), level=level, method=method, note=one.note or other.note)
        apart, variance = one.estimate - other.estimate, influence_variance(one.values - other.values, rows.cluster)
        if units <= 1 or not variance > ROUNDING * (one.variance(rows.cluster) + other.variance(rows.cluster)):
            exact = pairs_difference(apart, max(variance, 0.0), units, (a, b), level=level, span=known.span)
            note = f"the models differ alike on all rows; limits from {units:g} independent cases, conservative"
            return replace(exact, method="exact cases", note=note)
        return student_difference(
            apart, variance, (a, b), level=level, method=method, freedom=units - 1, span=known.span
        )

    return Comparison(
        names=tuple(rows.matrices),
        measure=measure,
        better=known.better,
        estimates={name: influence[name][measure].estimate for name in rows.matrices},
        differences={(a, b): difference(a, b) for a, b in itertools.combinations(rows.matrices, 2)},
        spread=None,
        pairs=units,
        level=level,
        margin=margin,
        correction=correction,
        clustered=clustered,
        dropped=rows.dropped,
    )
