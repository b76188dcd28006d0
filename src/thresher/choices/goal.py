"""What weights of k classes are looked for: a cost or a measure, within limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.choices.objective import TIED_WEIGHTS
from thresher.errors import ArgumentError, InfeasibleError, MeasureError, argument
from thresher.ranking import Flags, Floats, Segments
from thresher.tables import MATRIX_MEASURES, CostMatrix, Limit, Measure, Quantity, limits_of, quantity, refusal
from thresher.tables.matrix_measures import matrix_values, place_of_class
from thresher.tables.quantities import RELATIONS

_ZERO = 1e-13  # of all cases: what running sums leave of a cell that is empty


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """The loss of confusion matrices, and how far they are from limits.

    Lower is better. Matrices have a row per class and a column per action; `factor` is what a case of each class counts
    at the class mix asked for. Losses within `slack` tie. Without a measure the loss is the cost per case.
    """

    costs: CostMatrix
    factor: Floats
    total: float
    measure: Measure | None
    of_class: int | None
    sign: float
    limits: tuple[tuple[Limit, int | None], ...]

    @classmethod
    def of(cls, segments: Segments, costs: CostMatrix, factor: Floats, *, maximise: Any, subject_to: Any) -> Goal:
        """Read what is to be maximised, and its limits, also those after its @."""
        measure, of_class, within = _measure(maximise, segments.classes)
        limits = (*limits_of(subject_to), *within)
        places = [None if one.of_class is None else place_of_class(one.of_class, segments.classes) for one in limits]
        total = float((segments.cases * factor).sum())
        goal = cls(costs, factor, total, measure, of_class, -1.0, tuple(zip(limits, places, strict=True)))
        for one, place in goal.limits:  # a measure that is of one class only is refused before any search
            matrix_values(one.measure, np.ones((1, *costs.costs.shape)), of_class=place)
        return goal

    @property
    def name(self) -> str:
        """What is optimised."""
        if self.measure is None:
            return "expected cost"
        text = self.measure.name
        return text if self.of_class is None else f'{text}["{self.costs.classes[self.of_class]}"]'

    @property
    def linear(self) -> bool:
        """Whether the loss is a sum over cases, without limits."""
        return self.measure is None and not self.limits

    @property
    def slack(self) -> float:
        """Losses that differ by less tie."""
        return TIED_WEIGHTS * (float(np.abs(self.costs.regret.costs).max()) if self.measure is None else 1.0)

    @property
    def cost_per_case(self) -> Floats:
        """What one case of each class adds to the cost, by action."""
        per_case: Floats = self.costs.costs * (self.factor / self.total)[:, np.newaxis]
        return per_case

    def losses(self, counts: Floats) -> tuple[Floats, Floats]:
        """How far matrices are from meeting the limits, and their losses."""
        if self.measure is None:
            loss = np.einsum("...ia,ia->...", counts, self.cost_per_case)
        at_mix = counts * self.factor[:, np.newaxis]
        at_mix = np.where(at_mix > _ZERO * self.total, at_mix, 0.0)
        if self.measure is not None:
            values = self.sign * matrix_values(self.measure, at_mix, of_class=self.of_class)
            loss = np.where(np.isnan(values), math.inf, values)
        short = np.zeros(counts.shape[:-2])
        for limit, place in self.limits:
            values = matrix_values(limit.measure, at_mix, of_class=place)
            by = limit.bound - values if ">" in limit.relation else values - limit.bound
            met = RELATIONS[limit.relation](values, limit.bound)
            least = np.nextafter(0.0, 1.0)  # a strict limit is not met at its bound
            short = short + np.where(met, 0.0, np.where(np.isnan(by), self._undefined, np.maximum(by, least)))
        return short, loss

    def value(self, loss: float) -> float:
        """The number that people asked for."""
        return loss if self.measure is None else self.sign * loss

    def infeasible(self, counts: Floats, *, proved: bool) -> InfeasibleError:
        """The error of limits that no weights found meet."""
        at_mix = counts * self.factor[:, np.newaxis]
        reached = []
        for limit, place in self.limits:
            value = float(matrix_values(limit.measure, at_mix[np.newaxis], of_class=place)[0])
            if not RELATIONS[limit.relation](value, limit.bound):
                reached.append(f"{limit.of} = {value:.4g}")
        every = " and ".join(str(limit) for limit, _ in self.limits)
        what = f"no weights {'' if proved else 'found '}meet {every}; the closest reach {', '.join(reached)}"
        return InfeasibleError(what, "relax it, or look for a better model", parameter="subject_to")

    @property
    def _undefined(self) -> float:
        return 2.0 + sum(abs(limit.bound) for limit, _ in self.limits)


def better(first: tuple[float, float], second: tuple[float, float], slack: float) -> bool:
    """Whether (shortfall, loss) is nearer to the limits, or as near and cheaper."""
    if first[0] != second[0]:
        return first[0] < second[0]
    return first[1] < second[1] - slack or (math.isinf(second[1]) and not math.isinf(first[1]))


def ties_with_best(short: Floats, loss: Floats, slack: float) -> tuple[Flags, tuple[float, float]]:
    """The candidates that tie for best, and what the best of them reaches."""
    nearest = short.min()
    near = short == nearest
    least = loss[near].min()
    tied = near & (loss == least) if math.isinf(least) else near & (loss <= least + slack)
    return tied, (float(nearest), float(least))


def _measure(maximise: Any, classes: Sequence[Any]) -> tuple[Measure | None, int | None, tuple[Limit, ...]]:
    if maximise is None:
        return None, None, ()
    if not isinstance(maximise, str | Measure | Quantity):
        raise ArgumentError("a measure of several classes is named by text", 'give e.g. "macro_f1" or \'recall["L"]\'')
    asked = quantity(maximise)
    known = asked.measure
    if known is None or asked.threshold is not None:
        can = [*MATRIX_MEASURES, "mcc", "kappa", f'recall["{classes[0]}"]']
        raise refusal(f"{asked} is no measure of a confusion matrix, so no weights are best by it", can)
    if known.better != "higher":
        what = f"{known.name} is {'neither better nor worse' if known.better == 'neither' else 'better when lower'}"
        raise MeasureError(what, f"bound it by {argument('subject_to')}, or maximise another", parameter="maximise")
    place = None if asked.of_class is None else place_of_class(asked.of_class, classes)
    matrix_values(known, np.ones((1, len(classes), len(classes))), of_class=place)
    return known, place, asked.limits
