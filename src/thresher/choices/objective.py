"""Objectives: which of two splits is better, compared without rounding."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.parallel import chunks, map_chunks
from thresher.curves.hull import Splits
from thresher.errors import MeasureError, argument
from thresher.ranking import EXACT_INTEGERS, Floats, Ranking
from thresher.tables import Contingency, Measure, measure
from thresher.tables.condition import OperatingCondition, simplest
from thresher.tables.contingency import table_of_fractions

Place: TypeAlias = tuple[Any, Any]  # (fpr, tpr), or counts in a common unit

_FITS_INT64 = 2**62
TIED_WEIGHTS = 1e-12  # costs of weights that differ by this share of the largest tie: the one rule for all choices
_CLOSE = 1e-9  # far wider than rounding; what is this close to the best is compared exactly
_DIFFERENCES = 1e-14  # rounding of a measure that is a difference of products, such as kappa, whatever its value


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """A loss per split, lower is better, and how to compare it.

    `loss` decides, a slice of the `size` candidates at a time; NaN is undefined and never best, an infinite loss is
    compared as any other. Floats within `slack` of the best tie, and `exact` (if any) settles them. `values` is what
    people asked for, None for a cost.
    """

    name: str
    size: int
    loss: Callable[[slice], npt.NDArray[Any]]
    slack: Callable[[float], float]
    exact: Callable[[Splits], list[Any]] | None = None
    values: Floats | None = None

    def best(self) -> tuple[Splits, Splits]:
        """All best candidates, and the first of the next best where there are any."""
        pieces = chunks(self.size)
        lows = map_chunks(lambda piece: _lowest(self.loss(piece), piece.start), self.size)
        defined = [low for low in lows if low is not None]
        if not defined:
            what = f"{self.name} is undefined at every threshold allowed"
            raise MeasureError(what, "relax the constraints, or choose by another measure")
        least = min(defined)[0]
        limit = least + self.slack(least)
        good, others = [], [low for low in defined if low[0] > limit]
        for piece, low in zip(pieces, lows, strict=True):
            if low is not None and low[0] <= limit:
                values = self.loss(piece)
                is_good = values <= limit
                good.append(np.flatnonzero(is_good) + piece.start)
                rest = np.flatnonzero(~is_good)
                if rest.size and (next_low := _lowest(values[rest], 0)) is not None:
                    others.append((next_low[0], piece.start + int(rest[next_low[1]])))
        tied = np.concatenate(good)
        value, second = min(others, default=(limit, -1))
        wide = value + self.slack(value) if others else limit
        if self.exact is None and (wide == value or not others):
            return tied, np.array([second])[: len(others)]
        # Floats may not tell apart what lies close to the best, nor what lies close to the second best.
        close = np.concatenate([np.flatnonzero(self.loss(piece) <= wide) + piece.start for piece in pieces])
        if self.exact is None:
            return tied, np.setdiff1d(close, tied)[:1]
        costs = np.array(self.exact(close), dtype=object)
        dearer = costs[costs > costs.min()]
        return close[costs == costs.min()], close[costs == dearer.min()][:1] if dearer.size else close[:0]


def cost_objective(ranking: Ranking, condition: OperatingCondition, at: Splits | slice) -> Objective:
    """Expected cost up to a factor and a constant: fp·a + fn·b with whole a and b."""
    odds = condition.exact_cost_ratio
    a: Any = odds.denominator
    b: Any = odds.numerator
    if condition.class_ratio is not None:
        odds *= simplest(condition.class_ratio)
        exactly = Fraction if ranking.weighted else int  # products may pass the largest float
        a, b = odds.denominator * exactly(ranking.Pos), odds.numerator * exactly(ranking.Neg)
    tp, fp = (covered[at] for covered in ranking.covered())
    fn = ranking.uncovered(at)[0] if ranking.weighted else None
    dearer = Fraction(max(a, b))
    alarm, miss = float(Fraction(a) / dearer), float(Fraction(b) / dearer)

    def in_floats(at: slice) -> Floats:
        return np.asarray(fp[at] * alarm + (ranking.Pos - tp[at] if fn is None else fn[at]) * miss)

    if ranking.weighted:
        largest = ranking.Neg * alarm + ranking.Pos * miss
        return Objective("expected cost", tp.size, in_floats, lambda _: TIED_WEIGHTS * largest)
    common = math.gcd(a, b)
    a, b = a // common, b // common
    if a * ranking.Neg + b * ranking.Pos < _FITS_INT64:
        # fn is Pos - tp, and Pos is the same for all
        return Objective("expected cost", tp.size, lambda at: fp[at] * a - tp[at] * b, lambda _: 0)

    def exact(splits: Splits) -> list[int]:
        pairs = zip(fp[splits].tolist(), tp[splits].tolist(), strict=True)
        return [alarms * a + (ranking.Pos - hits) * b for alarms, hits in pairs]

    return Objective("expected cost", tp.size, in_floats, lambda least: _CLOSE * abs(least), exact=exact)


def measure_objective(
    wanted: Any, table: Contingency, at: Splits | slice = slice(None), *, maximise: bool
) -> Objective:
    """A measure of some splits of a table; values that differ by rounding alone tie."""
    if callable(wanted) and not isinstance(wanted, Measure):
        name, values = getattr(wanted, "__name__", "objective"), np.asarray(wanted(table), dtype=np.float64)
        if values.shape != np.shape(table.tp):
            what = f"{name} gives shape {values.shape} for {np.shape(table.tp)[0]:,} splits"
            raise MeasureError(what, "return one number per entry of the table's cells")
    else:
        known = measure(wanted)
        if known.better == ("lower" if maximise else "higher"):
            how, other = ("maximise", "minimise") if maximise else ("minimise", "maximise")
            what = f"{known.name} is better when {known.better}"
            raise MeasureError(what, f"pass {argument(other, known.name)}", parameter=how)
        name, values = known.name, np.asarray(known.of(table), dtype=np.float64)
    values, sign = values[at], -1.0 if maximise else 1.0
    return Objective(name, values.size, lambda piece: sign * values[piece], _two_ulps, values=values)


def mix_factors(class_ratio: float, Pos: float, Neg: float) -> tuple[float, float]:
    """What positives and negatives are multiplied by to have a class ratio.

    Both are whole numbers where counts times them are.

    >>> mix_factors(0.1, 30, 60)
    (1.0, 5.0)
    """
    odds = simplest(class_ratio) * Fraction(Neg) / Fraction(Pos)
    exactly = max(odds.numerator * Pos, odds.denominator * Neg) < EXACT_INTEGERS
    scale = Fraction(1) if exactly else 1 / max(odds, Fraction(1)) / odds.denominator
    return float(odds.numerator * scale), float(odds.denominator * scale)


def compare_exactly(
    objective: Objective, wanted: Any, ranking: Ranking, class_ratio: float, at: Splits | slice
) -> Objective:
    """Settle ties of a measure at a declared class ratio in fractions.

    Cells round there. `at` are the candidates among the splits of the ranking. Weights and functions of a table have no
    exact value.
    """
    if ranking.weighted or (callable(wanted) and not isinstance(wanted, Measure)):
        return objective
    known, odds = measure(wanted), simplest(class_ratio) * Fraction(int(ranking.Neg), int(ranking.Pos))
    if not known.depends_on_mix:
        return objective
    sign = -1 if known.better == "higher" else 1
    hits, alarms = (covered[at] for covered in ranking.covered())

    def exact(splits: Splits) -> list[Fraction]:
        values = []
        for tp, fp in zip(hits[splits].tolist(), alarms[splits].tolist(), strict=True):
            positives, negatives = (tp * odds, (ranking.Pos - tp) * odds), (Fraction(fp), Fraction(ranking.Neg - fp))
            values.append(sign * _exact_order(known, table_of_fractions(*positives, *negatives)))
        return values

    return replace(objective, slack=lambda least: _CLOSE * abs(least) + _DIFFERENCES, exact=exact)


def splits_near_best(corner: Splits, loss: Floats) -> Splits:
    """Splits that may be best or second best by a measure with straight isometrics.

    No split under an edge of the hull is better than both of its ends. So the best splits, those second to them, and
    all that tie with either lie on edges that end in the best or the second best corner.

    >>> splits_near_best(np.array([0, 3, 5, 6, 9]), np.array([0.9, 0.1, 0.2, 0.5, 0.9])).tolist()
    [0, 1, 2, 3, 4, 5, 6, 9]
    """
    loss = np.where(np.isnan(loss), np.inf, loss)
    limit = _close_to(loss.min())
    limit = _close_to(loss[loss > limit].min(initial=np.inf))
    near = loss <= limit
    length = np.where(near[:-1] | near[1:], np.diff(corner), 1)
    start = corner[:-1] - (np.cumsum(length) - length)
    return np.append(np.repeat(start, length) + np.arange(length.sum()), corner[-1])


def advantage(before: Place, at: Place, after: Place) -> float:
    """What a point of ROC space saves where its neighbours cost the same.

    A share of the largest cost there: along the line between the neighbours units of fpr and tpr cost in proportion to
    dy and dx, so that is dx + dy. Weighted points that save no more than `TIED_WEIGHTS` are no corners of a hull.

    >>> advantage((0, 0), (0.25, 0.75), (1, 1)), advantage((0, 0), (0.5, 0.5), (1, 1))
    (0.25, 0.0)
    """
    dx, dy = after[0] - before[0], after[1] - before[1]
    largest = dx + abs(dy)
    saved = (at[1] - before[1]) * dx - (at[0] - before[0]) * dy
    return float(saved / largest) if largest else 0.0


def _exact_order(known: Measure, table: Contingency) -> Any:
    """A fraction that orders tables of fractions as a measure does.

    Roots have no exact value, and a beta is the simplest fraction that it stands for.
    """
    if known.name == "mcc":  # its square is J times markedness, and all three have one sign
        return table.youden_j * abs(table.markedness)
    if known.beta is not None:
        square = simplest(known.beta) ** 2
        return table.tp / ((1 + square) * table.tp + square * table.fn + table.fp)
    return known.of(table)


def _lowest(values: npt.NDArray[Any], start: int) -> tuple[Any, int] | None:
    """The least value, infinite or not, and its place; None where all are undefined."""
    low = np.fmin.reduce(values)
    return None if np.isnan(low) else (low.item(), start + int((values == low).argmax()))


def _close_to(least: float) -> float:
    return least if math.isinf(least) else least + _CLOSE * max(1.0, abs(least))


def _two_ulps(least: float) -> float:
    return 0.0 if math.isinf(least) else 2 * float(np.spacing(abs(least)))
