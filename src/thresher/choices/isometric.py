"""Isometrics: points of coverage, ROC or PR space of equal value."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import as_number, require_between, require_integer, require_one_of
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError, MeasureError, argument
from thresher.ranking import Floats
from thresher.tables import Contingency, Measure, measure
from thresher.tables.condition import OperatingCondition

Plane: TypeAlias = Literal["coverage", "roc", "pr"]
# Coefficients of tp, fp and 1 in a numerator and a denominator.
Linear: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float]]
_HALVINGS = 60
_MOST_POINTS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Isometric(Tabular):
    """Points of equal value, from the left; `slope` is None unless it is straight.

    x and y are fp and tp in coverage space, fpr and tpr in ROC space, recall and precision in PR space.
    """

    measure: str
    value: float
    plane: Plane
    x: Floats
    y: Floats
    slope: float | None


def isometric(
    of: str | Measure | OperatingCondition,
    value: float,
    *,
    plane: Plane = "coverage",
    Pos: float,
    Neg: float,
    points: int = 101,
) -> Isometric:
    """Where a measure, or the expected cost under a condition, equals `value`.

    Most measures are ratios of two linear functions of tp and fp, so their isometrics are straight in coverage and ROC
    space (Flach 2003); the others are solved for numerically, to full precision, at about `points` places.

    >>> line = isometric("accuracy", 0.7, Pos=50, Neg=50, points=3)
    >>> line.x, line.y, line.slope
    (array([ 0., 15., 30.]), array([20., 35., 50.]), 1.0)
    >>> isometric("precision", 0.75, plane="roc", Pos=50, Neg=50).slope
    3.0
    """
    require_one_of(plane, get_args(Plane), name="plane")
    if not np.isfinite(as_number(value)):
        raise ArgumentError(f"the value must be finite, got {value}", "give a number the measure takes")
    if not (0 < as_number(Pos) < np.inf and 0 < as_number(Neg) < np.inf):
        raise ArgumentError(f"Pos and Neg must be above 0, got {Pos} and {Neg}", "give the class totals")
    points = require_integer(points, name="points", least=2, most=_MOST_POINTS, fix="give e.g. 101")
    name = "expected cost" if isinstance(of, OperatingCondition) else measure(of).name
    straight = _linear(of, Pos, Neg)
    fp, tp, slope = (
        _line(straight, value, Pos=Pos, Neg=Neg, points=points, name=name)
        if straight is not None
        else (*_curve(measure(of), value, Pos, Neg, points), None)  # type: ignore[arg-type]
    )
    if plane == "pr":
        real = tp > 0
        fp, tp = fp[real], tp[real]
        if not real.any():
            raise _nowhere(name, value, Pos, Neg)
        return Isometric(name, value, plane, tp / Pos, tp / (tp + fp), None)
    if plane == "roc":
        return Isometric(name, value, plane, fp / Neg, tp / Pos, None if slope is None else slope * Neg / Pos)
    return Isometric(name, value, plane, fp, tp, slope)


def straight_isometrics(of: Any) -> bool:
    """Whether a measure is better on one side, and its isometrics are straight.

    >>> straight_isometrics("f1"), straight_isometrics("mcc"), straight_isometrics("predicted_positive_rate")
    (True, False, False)
    """
    return isinstance(of, str | Measure) and measure(of).better != "neither" and _linear(of, 1, 1) is not None


def _linear(of: str | Measure | OperatingCondition, Pos: float, Neg: float) -> Linear | None:
    if isinstance(of, OperatingCondition):
        of_pos, of_neg = of.shares or (Pos / (Pos + Neg), Neg / (Pos + Neg))
        up, down = of_pos / Pos, of_neg / Neg
        constant = of_pos * of.cost_fn + of_neg * of.cost_tn
        return (up * (of.cost_tp - of.cost_fn), down * (of.cost_fp - of.cost_tn), constant), (0, 0, 1)
    known = measure(of)
    N = Pos + Neg
    if known.beta is not None or known.name == "f1":
        square = 1.0 if known.beta is None else known.beta**2
        return (1 + square, 0, 0), (1, 1, square * Pos)
    forms: dict[str, Linear] = {
        "accuracy": ((1, -1, Neg), (0, 0, N)),
        "error_rate": ((-1, 1, Pos), (0, 0, N)),
        "tpr": ((1, 0, 0), (0, 0, Pos)),
        "fnr": ((-1, 0, Pos), (0, 0, Pos)),
        "fpr": ((0, 1, 0), (0, 0, Neg)),
        "tnr": ((0, -1, Neg), (0, 0, Neg)),
        "precision": ((1, 0, 0), (1, 1, 0)),
        "false_discovery_rate": ((0, 1, 0), (1, 1, 0)),
        "npv": ((0, -1, Neg), (-1, -1, N)),
        "false_omission_rate": ((-1, 0, Pos), (-1, -1, N)),
        "average_recall": ((Neg, -Pos, Pos * Neg), (0, 0, 2 * Pos * Neg)),
        "balanced_error_rate": ((-Neg, Pos, Pos * Neg), (0, 0, 2 * Pos * Neg)),
        "youden_j": ((Neg, -Pos, 0), (0, 0, Pos * Neg)),
        "jaccard": ((1, 0, 0), (0, 1, Pos)),
        "kappa": ((2 * Neg, -2 * Pos, 0), (Neg - Pos, Neg - Pos, N * Pos)),
        "lr_plus": ((Neg, 0, 0), (0, Pos, 0)),
        "lr_minus": ((-Neg, 0, Pos * Neg), (0, -Pos, Pos * Neg)),
        "predicted_positive_rate": ((1, 1, 0), (0, 0, N)),
        "lift": ((N, 0, 0), (Pos, Pos, 0)),
    }
    return forms.get(known.name)


def _line(
    form: Linear, value: float, *, Pos: float, Neg: float, points: int, name: str
) -> tuple[Floats, Floats, float | None]:
    """Where a·tp + b·fp + c = 0 crosses the rectangle of possible tables."""
    (a, b, c), (d, e, f) = form
    a, b, c = a - value * d, b - value * e, c - value * f
    if b == 0:
        fp, tp = np.linspace(0, Neg, points), np.full(points, -c / a if a else np.nan)
    elif a == 0:
        fp, tp = np.full(points, -c / b), np.linspace(0, Pos, points)
    else:
        corners = sorted([-c / b, -(c + a * Pos) / b])  # fp where tp is 0 and where it is Pos
        fp = np.linspace(max(0.0, corners[0]), min(float(Neg), corners[1]), points)
        tp = -(b * fp + c) / a
        tp = np.clip(tp, 0, Pos) if fp[0] <= fp[-1] else tp
    slack = 1e-9 * (Pos + Neg)
    inside = fp[0] <= fp[-1] and fp[0] >= -slack and fp[-1] <= Neg + slack
    defined = d * tp + e * fp + f > 0  # where all of the line is one undefined corner, nothing has the value
    if not inside or not ((tp >= -slack) & (tp <= Pos + slack)).all() or not defined.any():
        raise _nowhere(name, value, Pos, Neg)
    return fp + 0.0, tp + 0.0, np.inf if a == 0 else -b / a


def _curve(known: Measure, value: float, Pos: float, Neg: float, points: int) -> tuple[Floats, Floats]:
    """Solve for tp at even fp and for fp at even tp; they rise in tp and fall in fp."""

    def at(tp: Floats, fp: Floats) -> Any:
        return known.of(Contingency(tp=tp, fn=Pos - tp, fp=fp, tn=Neg - fp))

    if known.better == "neither":
        raise MeasureError(f"{known.name} does not depend on the threshold", "ask for another measure")
    lines = max(points // 2, 2) + 1  # at least one within the rectangle: a curve may meet none of its edges
    along_fp, along_tp = np.linspace(0, Neg, lines), np.linspace(0, Pos, lines)
    tp = _bisect(lambda t: at(t, along_fp) - value, along_fp.size, Pos)
    fp = _bisect(lambda f: value - at(along_tp, f), along_tp.size, Neg)
    all_fp, all_tp = np.concatenate([along_fp, fp]), np.concatenate([tp, along_tp])
    with np.errstate(invalid="ignore"):
        solved = np.isclose(at(np.nan_to_num(all_tp), np.nan_to_num(all_fp)), value, rtol=1e-6, atol=1e-9)
    solved &= ~np.isnan(all_tp) & ~np.isnan(all_fp)
    if not solved.any():
        raise _nowhere(known.name, value, Pos, Neg)
    all_fp, all_tp = all_fp[solved], all_tp[solved]
    order = np.argsort(all_fp + all_tp, kind="stable")
    return all_fp[order], all_tp[order]


def _bisect(rising: Callable[[Floats], Any], size: int, high: float) -> Floats:
    """Zeros of functions that rise from 0 to `high`, NaN where the sign stays."""
    below, above = np.zeros(size), np.full(size, high)
    with np.errstate(invalid="ignore"):
        for _ in range(_HALVINGS):
            middle = (below + above) / 2
            up = np.asarray(rising(middle)) >= 0
            above, below = np.where(up, middle, above), np.where(up, below, middle)
        ends = [np.asarray(rising(np.full(size, end))) for end in (0.0, high)]
        solved = (ends[1] >= 0) & ~(ends[0] > 0)  # an end itself may be the zero
    return np.where(solved, above, np.nan)


def _nowhere(name: str, value: float, Pos: float, Neg: float) -> ArgumentError:
    what = f"no table of {Pos:g} positives and {Neg:g} negatives has {name} {value:g}"
    return ArgumentError(what, "give a value that the measure takes")


def read_accuracy(fpr: float, tpr: float, slope: float) -> float:
    """The accuracy of a point of ROC space, read off the descending diagonal.

    Where the accuracy isometric through the point, of slope Neg / Pos, meets the diagonal from (0, 1) to (1, 0), the
    true positive rate equals the true negative rate, and both equal the accuracy. On a line of equal cost the same
    crossing reads 1 minus the cost as a share of what getting everything wrong costs.

    >>> round(read_accuracy(0.5, 1, slope=2/3), 10), round(read_accuracy(0.2, 0.6, slope=3), 10)
    (0.8, 0.75)
    """
    for name, rate in (("fpr", fpr), ("tpr", tpr)):
        if not 0 <= as_number(rate) <= 1:
            raise ArgumentError(f"{argument(name)} must lie in [0, 1], got {rate!r}", "give a rate", parameter=name)
    steep = require_between(slope, 0, math.inf, name="slope", fix="give Neg / Pos, or the slope of equal costs")
    return (tpr + steep * (1 - fpr)) / (1 + steep)
