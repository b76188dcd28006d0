"""Measures of a table in exact fractions, each written from its definition."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias


@dataclass(frozen=True, slots=True)
class Root:
    """A number known by its sign and its square."""

    sign: int
    square: Fraction

    def __float__(self) -> float:
        return self.sign * math.sqrt(self.square)

    @property
    def key(self) -> Fraction:
        """Sorts as the numbers themselves do."""
        return self.sign * self.square


Exact: TypeAlias = Fraction | Root | float  # a float is NaN or infinite


class Cells(NamedTuple):
    """A contingency table in fractions."""

    tp: Fraction
    fn: Fraction
    fp: Fraction
    tn: Fraction

    @property
    def Pos(self) -> Fraction:
        """Actual positives."""
        return self.tp + self.fn

    @property
    def Neg(self) -> Fraction:
        """Actual negatives."""
        return self.fp + self.tn

    @property
    def total(self) -> Fraction:
        """All cases."""
        return self.Pos + self.Neg

    @property
    def yes(self) -> Fraction:
        """Cases called positive."""
        return self.tp + self.fp

    @property
    def no(self) -> Fraction:
        """Cases called negative."""
        return self.fn + self.tn


def over(above: Fraction, below: Fraction) -> Exact:
    """A quotient; 0/0 is NaN and x/0 infinite."""
    if below == 0:
        return math.nan if above == 0 else math.inf
    return above / below


def _both(first: Exact, second: Exact, combine: Callable[[Fraction, Fraction], Fraction]) -> Exact:
    """A combination of two quotients, NaN where one is."""
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return combine(first, second)
    return math.nan


def _likelihood_ratio(above: Exact, below: Exact) -> Exact:
    if isinstance(above, Fraction) and isinstance(below, Fraction):
        return over(above, below)
    return math.nan


def _mcc(t: Cells) -> Exact:
    product = t.yes * t.Pos * t.Neg * t.no
    if product == 0:
        return math.nan
    determinant = t.tp * t.tn - t.fp * t.fn
    return Root((determinant > 0) - (determinant < 0), determinant**2 / product)


def _g_mean(t: Cells) -> Exact:
    product = _both(over(t.tp, t.Pos), over(t.tn, t.Neg), lambda a, b: a * b)
    return Root(1, product) if isinstance(product, Fraction) else math.nan


def _kappa(t: Cells) -> Exact:
    if t.total == 0:
        return math.nan
    observed = (t.tp + t.tn) / t.total
    expected = (t.Pos * t.yes + t.Neg * t.no) / t.total**2
    return over(observed - expected, 1 - expected)


DEFINITIONS: Mapping[str, Callable[[Cells], Exact]] = {
    "accuracy": lambda t: over(t.tp + t.tn, t.total),
    "error_rate": lambda t: over(t.fp + t.fn, t.total),
    "tpr": lambda t: over(t.tp, t.Pos),
    "tnr": lambda t: over(t.tn, t.Neg),
    "fpr": lambda t: over(t.fp, t.Neg),
    "fnr": lambda t: over(t.fn, t.Pos),
    "precision": lambda t: over(t.tp, t.yes),
    "npv": lambda t: over(t.tn, t.no),
    "false_discovery_rate": lambda t: over(t.fp, t.yes),
    "false_omission_rate": lambda t: over(t.fn, t.no),
    "average_recall": lambda t: _both(over(t.tp, t.Pos), over(t.tn, t.Neg), lambda a, b: (a + b) / 2),
    "balanced_error_rate": lambda t: _both(over(t.fn, t.Pos), over(t.fp, t.Neg), lambda a, b: (a + b) / 2),
    "youden_j": lambda t: _both(over(t.tp, t.Pos), over(t.fp, t.Neg), lambda a, b: a - b),
    "markedness": lambda t: _both(over(t.tp, t.yes), over(t.tn, t.no), lambda a, b: a + b - 1),
    "g_mean": _g_mean,
    "f1": lambda t: over(2 * t.tp, 2 * t.tp + t.fp + t.fn),
    "jaccard": lambda t: over(t.tp, t.tp + t.fp + t.fn),
    "mcc": _mcc,
    "kappa": _kappa,
    "lr_plus": lambda t: _likelihood_ratio(over(t.tp, t.Pos), over(t.fp, t.Neg)),
    "lr_minus": lambda t: _likelihood_ratio(over(t.fn, t.Pos), over(t.tn, t.Neg)),
    "dor": lambda t: over(t.tp * t.tn, t.fp * t.fn),
    "predicted_positive_rate": lambda t: over(t.yes, t.total),
    "lift": lambda t: over(t.tp * t.total, t.yes * t.Pos),
    "prevalence": lambda t: over(t.Pos, t.total),
    "class_ratio": lambda t: over(t.Pos, t.Neg),
}


def f_beta(cells: Cells, beta: Fraction) -> Exact:
    """The F measure that counts recall beta times as much."""
    right = (1 + beta**2) * cells.tp
    return over(right, right + beta**2 * cells.fn + cells.fp)


def sort_key(value: Exact) -> Fraction | float:
    """What values are compared by."""
    return value.key if isinstance(value, Root) else value


def tables(points: list[tuple[Fraction, Fraction]], class_ratio: Fraction | None = None) -> list[Cells]:
    """The table of every split; at a class ratio, rates stay and negatives weigh more or less."""
    Neg, Pos = points[-1]
    scale = Fraction(1) if class_ratio is None else Pos / (class_ratio * Neg)
    return [Cells(tp, Pos - tp, fp * scale, (Neg - fp) * scale) for fp, tp in points]
