"""How the measures of a whole confusion matrix grow with each of its cells, which is all the delta method asks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from thresher.inference.interval import FISHER, LOGIT, Scale
from thresher.ranking import Floats
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
