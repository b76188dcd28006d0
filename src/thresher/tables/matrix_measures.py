"""Measures of many confusion matrices at once, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher.errors import MeasureError
from thresher.ranking import Floats
from thresher.tables.contingency import Contingency
from thresher.tables.measures import MEASURES, Measure, measure


@dataclass(frozen=True, slots=True)
class MatrixMeasure(Measure):
    """A measure of a confusion matrix of several classes, not of a table of two."""

    def of(self, table: Contingency, *, class_ratio: float | None = None) -> Any:  # noqa: ARG002
        """Refused: a contingency table is of two classes."""
        what = f"{self.name} is a number of a confusion matrix of several classes, and there are two classes here"
        raise MeasureError(what, f"give one of {', '.join(MEASURES)}")


def matrix_values(of: Measure, counts: Floats, *, of_class: int | None = None) -> Floats:
    """A measure of matrices, the last two axes of `counts`: actual classes by actions.

    Of one class it is that of the class against the rest. Without a class, accuracy, MCC, Cohen's kappa and the mean of
    recalls are those of all classes; actions that are no classes come last.

    >>> counts = np.array([[[8.0, 1, 1], [1, 6, 3], [0, 2, 8]], [[10, 0, 0], [0, 10, 0], [0, 0, 10]]])
    >>> matrix_values(measure("kappa"), counts), matrix_values(measure("recall"), counts, of_class=2)
    (array([0.6, 1. ]), array([0.8, 1. ]))
    """
    right, actual, calls, total = _margins(counts)
    if of_class is not None:
        return np.asarray(_per_class(of, right, actual, calls, total)[..., of_class])
    with np.errstate(invalid="ignore", divide="ignore"):
        if of.name in ("overall_accuracy", "accuracy", "weighted_recall"):
            return np.asarray(right.sum(axis=-1) / total)
        if of.name == "error_rate":
            return np.asarray((total - right.sum(axis=-1)) / total)
        if of.name in ("mcc", "kappa"):
            return _agreement(of.name, right.sum(axis=-1), actual, counts.sum(axis=-2), total)
        how, _, each = of.name.partition("_")
        if of.name in ("mean_class_accuracy", "average_recall"):
            how, each = "macro", "recall"
        if how not in ("macro", "weighted"):
            what = f"{of.name} is of one class, and there are several"
            names = ", ".join(MATRIX_MEASURES)
            raise MeasureError(
                what, f'name the class, as in {of.name}["{{class}}"], or give one of {names}, mcc, kappa'
            )
        values = _per_class(measure(each), right, actual, calls, total)
        if how == "macro":
            return np.asarray(values.mean(axis=-1))
        return np.asarray((np.where(actual > 0, values * actual, 0.0)).sum(axis=-1) / total)


def place_of_class(text: str, classes: Sequence[Any]) -> int:
    """The place of the class that a text names."""
    names = [str(name) for name in classes]
    if text not in names:
        raise MeasureError(f"there is no class {text!r}", f"classes are {', '.join(names)}")
    return names.index(text)


def _margins(counts: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Cases called right, of each class and called each class, and all cases."""
    k = counts.shape[-2]
    right = np.diagonal(counts[..., :k], axis1=-2, axis2=-1)
    return right, counts.sum(axis=-1), counts[..., :k].sum(axis=-2), counts.sum(axis=(-2, -1))


def _per_class(of: Measure, right: Floats, actual: Floats, calls: Floats, total: Floats) -> Floats:
    """A measure of each class against the rest, aligned with the classes."""
    fn, fp = np.maximum(actual - right, 0.0), np.maximum(calls - right, 0.0)
    tn = np.maximum(total[..., np.newaxis] - right - fn - fp, 0.0)
    table = Contingency(*(np.ascontiguousarray(cell).ravel() for cell in (right, fn, fp, tn)))
    values: Floats = np.asarray(of.of(table), dtype=np.float64).reshape(right.shape)
    return values


def _agreement(name: str, right: Floats, actual: Floats, calls: Floats, total: Floats) -> Floats:
    """MCC of k classes (Gorodkin 2004) or kappa (Cohen 1960)."""
    by_chance = (actual * calls[..., : actual.shape[-1]]).sum(axis=-1)
    above = right * total - by_chance
    if name == "kappa":
        return np.asarray(above / (total**2 - by_chance))
    apart = [total**2 - (margin**2).sum(axis=-1) for margin in (actual, calls)]
    return np.asarray(above / np.sqrt(apart[0] * apart[1]))


def _define(name: str, formula: str, estimates: str) -> MatrixMeasure:
    return MatrixMeasure(name, name, formula, estimates, (0.0, 1.0), "higher", "a class has no value")


_ALL = (
    _define("overall_accuracy", "right / total", "P(called what it is)"),
    _define("mean_class_accuracy", "mean of recalls", "P(called what it is) if all classes were equally frequent"),
    *(
        _define(f"{how}_{of}", f"{mean} of the classes' {of}", f"{of} of a class, {words}")
        for how, mean, words in (("macro", "mean", "every class alike"), ("weighted", "weighted mean", "by its cases"))
        for of in ("precision", "recall", "f1")
        if (how, of) != ("macro", "recall")  # which is another name of average_recall
    ),
)
MATRIX_MEASURES: Mapping[str, MatrixMeasure] = MappingProxyType({known.name: known for known in _ALL})
