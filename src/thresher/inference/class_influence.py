"""Influence functions of the measures of k classes.

A measure M of weighted rows that does not depend on the unit of weights moves by w · ∂M/∂w when a row is drawn once
more. These pulls sum to 0, the sum of their squares is the delta method's variance, that of the difference of two
models is the difference of their pulls, and rows of one cluster pull together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher.calibration.scores import SUM_TOLERANCE
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.interval import FISHER, LOGIT, Scale
from thresher.inference.intervals.auc import count_above
from thresher.ranking import Flags, Floats, Indices
from thresher.tables import ConfusionMatrix


@dataclass(frozen=True, slots=True)
class WholeMeasure:
    """A measure of all classes: its value, its slopes, and the scale on which its limits are symmetric."""

    value: Callable[[ConfusionMatrix], float]
    slopes: Callable[[Floats], Floats]
    scale: Scale

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most it can be."""
        return (-1.0, 1.0) if self.scale is FISHER else (0.0, 1.0)


def average_slopes(counts: Floats, how: str, of: str) -> Floats:
    """How a macro or weighted average of precision, recall or f1 grows with each cell.

    >>> average_slopes(np.array([[8.0, 2.0], [1.0, 9.0]]), "macro", "recall").round(4)
    array([[ 0.01 , -0.04 ],
           [-0.045,  0.005]])
    """
    right, actual, called = np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0)
    total = counts.sum()
    share = actual / total if how == "weighted" else np.full(right.size, 1 / right.size)
    counting = share > 0  # a class without cases weighs nothing, defined or not
    of_row, of_column, whole = {
        "f1": (1.0, 1.0, (actual + called) / 2),
        "recall": (1.0, 0.0, actual),
        "precision": (0.0, 1.0, called),
    }[of]
    with np.errstate(divide="ignore", invalid="ignore"):
        per = np.where(counting, share / whole, 0.0)
        value = np.where(counting, right / whole, 0.0)
    lost = per * value / (of_row + of_column)
    found: Floats = np.diag(per) - (of_row * lost)[:, np.newaxis] - (of_column * lost)[np.newaxis, :]
    if how == "weighted":  # a case also makes its own class weigh more, and the others less
        found = found + ((value - share @ value) / total)[:, np.newaxis]
    return found


def mcc_slopes(counts: Floats) -> Floats:
    """How the correlation of actual and called class (Gorodkin 2004) grows with each cell.

    >>> mcc_slopes(np.array([[30.0, 20.0], [10.0, 40.0]])).round(4)
    array([[ 0.0071, -0.0116],
           [-0.0174,  0.0048]])
    """
    beyond, along, actual, called = _beyond_chance(counts)
    total = counts.sum()
    apart = total**2 - actual @ actual, total**2 - called @ called
    spread = math.sqrt(apart[0] * apart[1])
    grown = (total - actual)[:, np.newaxis] / apart[0] + (total - called)[np.newaxis, :] / apart[1]
    found: Floats = along / spread - beyond / spread * grown
    return found


def kappa_slopes(counts: Floats) -> Floats:
    """How Cohen's (1960) kappa grows with each cell.

    >>> kappa_slopes(np.array([[30.0, 20.0], [10.0, 40.0]])).round(4)
    array([[ 0.0072, -0.0128],
           [-0.0152,  0.0048]])
    """
    beyond, along, actual, called = _beyond_chance(counts)
    total = counts.sum()
    most = total**2 - actual @ called
    grown = 2 * total - called[:, np.newaxis] - actual[np.newaxis, :]
    found: Floats = along / most - beyond / most**2 * grown
    return found


def _beyond_chance(counts: Floats) -> tuple[float, Floats, Floats, Floats]:
    """Cases right beyond chance, times all cases; how that grows with each cell; the totals of rows and columns."""
    right, actual, called = float(np.trace(counts)), counts.sum(axis=1), counts.sum(axis=0)
    total = float(counts.sum())
    along = total * np.eye(actual.size) + right - called[:, np.newaxis] - actual[np.newaxis, :]
    return right * total - float(actual @ called), along, actual, called


def _average(how: str, of: str) -> WholeMeasure:
    return WholeMeasure(
        lambda matrix: matrix.average(how, of),  # type: ignore[arg-type]
        lambda counts: average_slopes(counts, how, of),
        LOGIT,
    )


WHOLE_MEASURES: Mapping[str, WholeMeasure] = MappingProxyType(
    {
        "macro_precision": _average("macro", "precision"),
        "macro_recall": _average("macro", "recall"),
        "macro_f1": _average("macro", "f1"),
        "weighted_precision": _average("weighted", "precision"),
        "weighted_f1": _average("weighted", "f1"),
        "mcc": WholeMeasure(lambda matrix: matrix.mcc, mcc_slopes, FISHER),
        "kappa": WholeMeasure(lambda matrix: matrix.kappa, kappa_slopes, FISHER),
    }
)


NOT_SUMMING = "rows of probabilities do not sum to 1"


@dataclass(frozen=True, slots=True, eq=False)
class Pulled:
    """A measure, and what each row adds to it; `note` says why it is undefined."""

    estimate: float
    pull: Floats
    note: str = ""

    def spread(self, cluster: Indices | None) -> float:
        """The variance of the measure: of rows, or of clusters drawn whole."""
        return spread(self.pull, cluster)


def spread(pull: Floats, cluster: Indices | None) -> float:
    """The variance of a sum of pulls.

    >>> round(spread(np.array([0.3, -0.1, -0.2]), None), 10)
    0.14
    >>> round(spread(np.array([0.3, -0.1, -0.2]), np.array([0, 0, 1])), 10)
    0.16
    """
    if cluster is None:
        return float(pull @ pull)
    sums = np.bincount(cluster, weights=pull)
    return float(sums @ sums) * sums.size / (sums.size - 1)


def class_pulls(rows: ClassifiedRows, model: str) -> Mapping[str, Pulled]:
    """Every measure of one model that is compared or averaged over classes, with its pulls.

    >>> from thresher.inference.class_rows import classified_rows
    >>> rows = classified_rows([0, 1, 2, 0], [[.8, .1, .1], [.2, .7, .1], [.1, .6, .3], [.6, .3, .1]])
    >>> found = class_pulls(rows, "model")
    >>> found["overall_accuracy"].estimate, found["overall_accuracy"].pull.round(3)
    (0.75, array([ 0.072,  0.072, -0.217,  0.072]))
    """
    matrix, share = rows.matrices[model], rows.share
    right = (rows.calls[model] == rows.index).astype(np.float64)
    found = {"overall_accuracy": _mean(right, rows)}
    found |= _matrix_averages(rows, model)
    found |= _areas(rows, matrix, share)
    if not sums_to_one(matrix):
        undefined = Pulled(math.nan, np.full(share.size, math.nan), NOT_SUMMING)
        return MappingProxyType(found | {"brier": undefined, "log_loss": undefined})
    return MappingProxyType(
        found | {"brier": _mean(squared_errors(rows, model), rows), "log_loss": _mean(log_losses(rows, model), rows)}
    )


def sums_to_one(matrix: Floats) -> bool:
    """Whether every row of probabilities sums to 1, as nearly as losses ask for."""
    return bool((np.abs(matrix.sum(axis=1) - 1) <= SUM_TOLERANCE).all())


def squared_errors(rows: ClassifiedRows, model: str) -> Floats:
    """Half the sum of squared errors of each row's probabilities."""
    away = rows.matrices[model].copy()
    away[np.arange(rows.index.size), rows.index] -= 1
    error: Floats = np.einsum("ij,ij->i", away, away) / 2
    return error


def log_losses(rows: ClassifiedRows, model: str) -> Floats:
    """Minus the logarithm of the probability given to each row's class; infinite for 0."""
    with np.errstate(divide="ignore"):
        loss: Floats = np.abs(np.log(rows.matrices[model][np.arange(rows.index.size), rows.index]))
    return loss


def _mean(values: Floats, rows: ClassifiedRows) -> Pulled:
    mean = float(rows.share @ values)
    if not math.isfinite(mean):
        return Pulled(mean, np.full(values.size, math.nan), "a case was given probability 0 for what it is")
    return Pulled(mean, rows.share * (values - mean) * _step(rows.index.size, rows.cluster))


def _matrix_averages(rows: ClassifiedRows, model: str) -> dict[str, Pulled]:
    """Macro recall and macro F1 of the calls."""
    k, called, heavy = len(rows.classes), rows.calls[model], rows.share
    right = called == rows.index
    actual, calls, hits = (
        np.bincount(of, weights=each, minlength=k)
        for of, each in ((rows.index, heavy), (called, heavy), (rows.index, heavy * right))
    )
    recall, f1 = hits / actual, 2 * hits / (actual + calls)
    of_recall = (right - recall[rows.index]) / actual[rows.index] * _class_steps(rows)[rows.index]
    per = 1 / (actual + calls)
    lost = f1 * per
    of_f1 = (2 * right * per[rows.index] - lost[rows.index] - lost[called]) * _step(rows.index.size, rows.cluster)
    return {
        "macro_recall": Pulled(float(recall.mean()), heavy * of_recall / k),
        "macro_f1": Pulled(float(f1.mean()), heavy * of_f1 / k),
    }


def _areas(rows: ClassifiedRows, matrix: Floats, share: Floats) -> dict[str, Pulled]:
    """The four averages of the AUC.

    Rows are taken as drawn from all classes together, so that the shares of classes are uncertain too.
    """
    k, columns = len(rows.classes), [np.ascontiguousarray(column) for column in matrix.T]
    of_class = np.bincount(rows.index, weights=share, minlength=k)
    macro, weighted = np.zeros(share.size), np.zeros(share.size)
    areas = np.empty(k)
    for i, score in enumerate(columns):
        areas[i], pull = _area(rows.index == i, score, rows.weight, rows.cluster)
        macro += pull / k
        weighted += pull * of_class[i]
    mean = float(of_class @ areas)
    weighted += (areas - mean)[rows.index] * share
    one_macro, one_weighted = np.zeros(share.size), np.zeros(share.size)
    mean_with, total = np.zeros(k), 0.0
    for i, score in enumerate(columns):
        for j in range(k):
            if i == j:
                continue
            within = (rows.index == i) | (rows.index == j)
            heavy = None if rows.weight is None else rows.weight[within]
            area, pull = _area(rows.index[within] == i, score[within], heavy, rows.cluster)
            total += area
            mean_with[[i, j]] += area / (2 * (k - 1))
            one_macro[within] += pull / (k * (k - 1))
            one_weighted[within] += pull * (of_class[i] + of_class[j]) / (2 * (k - 1))
    one_mean = float(of_class @ mean_with)
    one_weighted += (mean_with - one_mean)[rows.index] * share
    return {
        "one_vs_rest_macro": Pulled(float(areas.mean()), macro),
        "one_vs_rest_weighted": Pulled(mean, weighted),
        "one_vs_one_macro": Pulled(total / (k * (k - 1)), one_macro),
        "one_vs_one_weighted": Pulled(one_mean, one_weighted),
    }


def _area(positive: Flags, score: Any, weight: Floats | None, cluster: Indices | None) -> tuple[float, Floats]:
    """An AUC, and per row its placement less the AUC, over the weight of its side (DeLong 1988)."""
    above = count_above(positive, score, weight)
    heavy = np.ones(positive.size) if weight is None else weight
    Pos, Neg = (float(heavy[side].sum()) for side in (positive, ~positive))
    placement = np.where(positive, 1 - above / Neg, above / Pos)
    area = float(heavy[positive] @ placement[positive]) / Pos
    rows = int(np.count_nonzero(positive))
    steps = _step(rows, cluster) / Pos, _step(positive.size - rows, cluster) / Neg
    return area, (placement - area) * heavy * np.where(positive, *steps)


def _step(rows: int, cluster: Indices | None) -> float:
    """What makes the squares of rows' pulls unbiased; clusters are corrected for by their own number."""
    if cluster is not None:
        return 1.0
    return math.sqrt(rows / (rows - 1)) if rows > 1 else math.nan


def _class_steps(rows: ClassifiedRows) -> Floats:
    return np.array([_step(count, rows.cluster) for count in rows.cases.tolist()])
