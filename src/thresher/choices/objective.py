"""Objectives: what makes one split better than another, compared so that ties are ties."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.curves.hull import Splits
from thresher.errors import ArgumentError, MeasureError, argument
from thresher.ranking import Flags, Floats, Ranking, in_pieces, pieces_of
from thresher.tables import Contingency, Measure, measure
from thresher.tables.condition import OperatingCondition, simplest

Place: TypeAlias = tuple[Any, Any]  # (fpr, tpr), or counts in a common unit

_FITS_INT64 = 2**62
TIED_WEIGHTS = 1e-12  # costs of weights that differ by this share of the largest tie: the one rule for all choices
_CLOSE = 1e-9  # far wider than rounding; what is this close to the best is compared exactly


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """A loss per split, lower is better, and how to compare it.

    `loss` decides, a slice of the `splits` at a time; where it is in floats, values within `slack` of the best tie,
    and `exact` (if any) settles them. `values` is what people asked for, None for a cost.
    """

    name: str
    splits: int
    loss: Callable[[slice], npt.NDArray[Any]]
    slack: Callable[[float], float]
    exact: Callable[[Splits], list[int]] | None = None
    values: Floats | None = None

    def best(self, allowed: Flags | None) -> tuple[Splits, int | None]:
        """All best splits among the allowed (None: all are), and the best of the rest."""
        worst = _worst(self.loss(slice(0, 1)))

        def loss(piece: slice) -> npt.NDArray[Any]:
            found = self.loss(piece)
            if allowed is not None:
                found = np.where(allowed[piece], found, worst)
            return np.where(np.isnan(found), worst, found) if found.dtype.kind == "f" else found

        def lowest(piece: slice) -> tuple[Any, int]:
            found = loss(piece)
            place = int(found.argmin())
            return found[place].item(), piece.start + place

        def near(piece: slice) -> tuple[Splits, tuple[Any, int]]:
            """Splits as good as the best, and the best of the others."""
            found = loss(piece)
            good = found <= limit
            place = int(np.where(good, worst, found).argmin())
            return np.flatnonzero(good) + piece.start, (
                worst if good[place] else found[place].item(),
                piece.start + place,
            )

        lows = in_pieces(lowest, self.splits)
        least = min(lows)[0]
        if least == worst:
            raise MeasureError(
                f"{self.name} is undefined at every threshold allowed",
                fix="relax the constraints, or choose by another measure",
            )
        limit = least + self.slack(least)
        pieces = pieces_of(self.splits)
        looked = [near(piece) for piece, (low, _) in zip(pieces, lows, strict=True) if low <= limit]
        tied = np.concatenate([splits for splits, _ in looked])
        others = [low for low in lows if low[0] > limit] + [other for _, other in looked]
        value, second = min(others)
        if self.exact is None:
            if value == worst:
                return tied, None
            if (
                wide := value + self.slack(value)
            ) > value:  # of splits that tie for second the first, as with whole counts
                later = ((loss(piece), piece.start) for piece in pieces)
                firsts = (start + np.flatnonzero((one > limit) & (one <= wide))[:1] for one, start in later)
                second = int(next(first[0] for first in firsts if first.size))
            return tied, second
        # Floats may not tell apart what lies close to the best, nor what lies close to the second best.
        wide = limit if value == worst else value + self.slack(value)
        close = np.concatenate([np.flatnonzero(loss(piece) <= wide) + piece.start for piece in pieces])
        costs = np.array(self.exact(close), dtype=object)
        tied, dearer = close[costs == costs.min()], costs > costs.min()
        return tied, int(close[dearer][costs[dearer].argmin()]) if dearer.any() else None


def cost_objective(ranking: Ranking, condition: OperatingCondition) -> Objective:
    """Expected cost up to a positive factor and a constant: fp·a + fn·b with whole a and b."""
    a, b = _unit_costs(ranking, condition)
    tp, fp = ranking.covered()
    dearer = Fraction(max(a, b))
    alarm, miss = float(Fraction(a) / dearer), float(Fraction(b) / dearer)

    def in_floats(at: slice) -> Floats:
        return np.asarray(fp[at] * alarm + (ranking.Pos - tp[at]) * miss)

    if ranking.weighted:
        largest = ranking.Neg * alarm + ranking.Pos * miss
        return Objective("expected cost", tp.size, in_floats, lambda _: TIED_WEIGHTS * largest)
    whole_a, whole_b = _whole(a, b)
    if whole_a * ranking.Neg + whole_b * ranking.Pos < _FITS_INT64:
        # fn is Pos - tp, and Pos is the same for all
        return Objective("expected cost", tp.size, lambda at: fp[at] * whole_a - tp[at] * whole_b, lambda _: 0)

    def exact(splits: Splits) -> list[int]:
        pairs = zip(fp[splits].tolist(), tp[splits].tolist(), strict=True)
        return [alarms * whole_a + (ranking.Pos - hits) * whole_b for alarms, hits in pairs]

    return Objective("expected cost", tp.size, in_floats, lambda least: _CLOSE * abs(least), exact=exact)


def measure_objective(table: Contingency, *, maximise: Any, minimise: Any) -> Objective:
    """A measure in the direction asked for; its values tie when they differ by rounding alone."""
    if maximise is not None and minimise is not None:
        raise ArgumentError(f"both {argument('maximise')} and {argument('minimise')} are given", "give one of them")
    wanted, sign = (maximise, -1.0) if minimise is None else (minimise, 1.0)
    if callable(wanted) and not isinstance(wanted, Measure):
        name, values = getattr(wanted, "__name__", "objective"), np.asarray(wanted(table), dtype=np.float64)
        if values.shape != np.shape(table.tp):
            raise MeasureError(
                f"{name} gives shape {values.shape} for {np.shape(table.tp)[0]:,} splits",
                fix="return one number per entry of the table's cells",
            )
    else:
        known = measure(wanted)
        _require_direction(known, maximising=sign < 0)
        name, values = known.name, np.asarray(known.of(table), dtype=np.float64)
    return Objective(name, values.size, lambda at: sign * values[at], _two_ulps, values=values)


def advantage(before: Place, at: Place, after: Place) -> float:
    """What a point of ROC space saves where its neighbours cost the same, as a share of the largest cost there.

    Along the line between the neighbours units of fpr and tpr cost in proportion to dy and dx, the largest cost is thus
    dx + dy. Weighted points that save no more than `TIED_WEIGHTS` are no corners of a hull.

    >>> advantage((0, 0), (0.25, 0.75), (1, 1)), advantage((0, 0), (0.5, 0.5), (1, 1))
    (0.25, 0.0)
    """
    dx, dy = after[0] - before[0], after[1] - before[1]
    largest = dx + abs(dy)
    saved = (at[1] - before[1]) * dx - (at[0] - before[0]) * dy
    return float(saved / largest) if largest else 0.0


def _unit_costs(ranking: Ranking, condition: OperatingCondition) -> tuple[Any, Any]:
    """What one false positive and one false negative of the data cost, up to a common factor."""
    cost_ratio = condition.exact_cost_ratio
    if condition.class_ratio is None:
        return cost_ratio.denominator, cost_ratio.numerator
    odds = cost_ratio * simplest(condition.class_ratio)
    return odds.denominator * ranking.Pos, odds.numerator * ranking.Neg


def _whole(a: int, b: int) -> tuple[int, int]:
    common = math.gcd(a, b)
    return a // common, b // common


def _require_direction(known: Measure, *, maximising: bool) -> None:
    if known.better == ("lower" if maximising else "higher"):
        other = "minimise" if maximising else "maximise"
        raise MeasureError(
            f"{known.name} is better when {known.better}",
            fix=f"pass {argument(other, known.name)}",
            parameter="maximise" if maximising else "minimise",
        )


def _worst(loss: npt.NDArray[Any]) -> Any:
    return math.inf if loss.dtype.kind == "f" else int(np.iinfo(loss.dtype).max)


def _two_ulps(least: float) -> float:
    return 0.0 if math.isinf(least) else 2 * float(np.spacing(abs(least)))
