"""What a careful analyst would notice about an evaluation of k classes, each remark with its code."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

import numpy as np

from thresher.calibration.probabilities import SUM_TOLERANCE
from thresher.cautions import Caution
from thresher.evaluation.class_model import MulticlassModel
from thresher.evaluation.remarks import EXTREME, FEW
from thresher.inference.classified_rows import ClassifiedRows
from thresher.sources.labels import listed
from thresher.visible import in_words


def class_remarks(rows: ClassifiedRows, models: Mapping[str, MulticlassModel]) -> tuple[Caution, ...]:
    """All remarks, about the data first and then model by model."""
    each = (_on_model(rows, name, model) for name, model in models.items())
    return tuple(itertools.chain(_on_data(rows), _on_ties(models), *each))


def _on_ties(models: Mapping[str, MulticlassModel]) -> Iterator[Caution]:
    right = {name: float(model.confusion.correct.sum()) for name, model in models.items()}
    most = max(right.values())
    tied = [name for name, cases in right.items() if math.isclose(cases, most, rel_tol=1e-12)]
    if len(tied) > 1:
        cases = f"{most:,.10g} of {models[tied[0]].confusion.total:,.10g} cases"
        yield Caution("tied-models", f"{in_words(tied)} call as many cases right, {cases}; none of them is best")


def _on_data(rows: ClassifiedRows) -> Iterator[Caution]:
    cases = rows.cases
    for name, count in zip(rows.classes, cases.tolist(), strict=True):
        if count < FEW:
            yield Caution("few-cases-of-class", f"class {name!r} has only {count} cases")
    if rows.cluster is not None and rows.clusters < FEW:
        yield Caution("few-clusters", f"rows belong to only {rows.clusters} clusters; only these are independent")
    if cases.max() >= EXTREME * cases.min():
        frequent, rare = (rows.classes[int(at)] for at in (cases.argmax(), cases.argmin()))
        times = cases.max() / cases.min()
        yield Caution("extreme-class-ratio", f"class {frequent!r} is {times:,.0f} times as frequent as {rare!r}")
    if rows.pooled_rows:
        yield Caution(
            "pooled-labels",
            f"labels that are no class of their own were pooled: {listed(rows.pooled)}"
            f" ({rows.pooled_rows:,} of {rows.index.size:,} rows)",
        )


def _on_model(rows: ClassifiedRows, name: str, model: MulticlassModel) -> Iterator[Caution]:
    matrix = rows.matrices[name]
    for label in rows.absent[name]:
        count = rows.cases[rows.classes.index(label)]
        yield Caution("class-without-column", f"{name} has no column for {label!r}, the class of {count:,} cases")
    off = np.abs(matrix.sum(axis=1) - 1) > SUM_TOLERANCE
    if off.any():
        first = int(np.flatnonzero(off)[0])
        yield Caution(
            "rows-not-summing",
            f"{int(off.sum()):,} of {off.size:,} rows of {name} do not sum to 1 (the first sums to"
            f" {matrix[first].sum():.6g})",
        )
    if wrong := int(np.count_nonzero(matrix[np.arange(rows.index.size), rows.index] == 0)):
        what = f"{wrong:,} of {rows.index.size:,} cases got probability 0 from {name} for what they are"
        yield Caution("certain-and-wrong", what)
    yield from _on_calls(rows, name, model)
    if (matrix == matrix[0]).all():
        yield Caution("one-score", f"{name} gives every case the same probabilities")
    else:
        for label, interval in model.auc.one_vs_rest.items():
            if interval.estimate < 0.5:
                yield Caution(
                    "auc-below-half", f"{name} has AUC {interval.estimate:.3f} for {label!r} against the rest"
                )


def _on_calls(rows: ClassifiedRows, name: str, model: MulticlassModel) -> Iterator[Caution]:
    matrix, called = rows.matrices[name], rows.calls[name]
    top = matrix.max(axis=1)
    if name in rows.given:
        if unlike := int(np.count_nonzero(matrix[np.arange(called.size), called] < top)):
            yield Caution(
                "predictions-not-likeliest",
                f"{unlike:,} of {called.size:,} predictions of {name} are not the class it gives most to",
            )
    elif tied := int(np.count_nonzero((matrix == top[:, np.newaxis]).sum(axis=1) > 1)):
        yield Caution(
            "tied-likeliest", f"{name} gives two classes the most in {tied:,} cases; the first counts as called"
        )
    for label, calls in zip(rows.classes, model.confusion.predicted.tolist(), strict=True):
        if not calls:
            yield Caution("class-never-called", f"{name} never calls a case {label!r}")
