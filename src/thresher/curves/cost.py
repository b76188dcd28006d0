"""Cost against the operating condition: cost curves, Brier curves and net benefit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import as_numbers, describe
from thresher._internal.results import Tabular
from thresher.curves.hull import Splits, hull_splits
from thresher.errors import ArgumentError
from thresher.ranking import Floats, Ranking, require_ranking
from thresher.tables import contingency_at


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CostCurve(Tabular):
    """Every threshold as a line, and the lower envelope of the best threshold.

    A line runs from (0, fpr) to (1, fnr). The envelope is given by its corners: between
    `probability_cost[i]` and `probability_cost[i + 1]` split `split[i]` is best.
    """

    split: Splits
    fpr: Floats
    fnr: Floats
    probability_cost: Floats
    cost: Floats

    @property
    def area(self) -> float:
        """The expected normalised cost over evenly spread probability-costs."""
        return float(np.dot(np.diff(self.probability_cost), (self.cost[1:] + self.cost[:-1]) / 2))

    def at(self, probability_cost: npt.ArrayLike) -> Floats:
        """The lowest normalised expected cost at any probability-cost in [0, 1]."""
        return np.interp(_in_unit(probability_cost), self.probability_cost, self.cost)

    def _columns(self) -> Mapping[str, Any]:
        return {"probability_cost": self.probability_cost, "cost": self.cost}


def cost_curve(ranking: Ranking) -> CostCurve:
    """Normalised expected cost of the best threshold, by probability-cost.

    The probability-cost x is prevalence·cost_fn / (prevalence·cost_fn + (1 - prevalence)·cost_fp), the
    normalised expected cost fnr·x + fpr·(1 - x); 1 is the cost of being always wrong. Every
    corner of the hull is a line of the envelope (Drummond & Holte 2006).

    >>> curve = cost_curve(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> curve.probability_cost.round(4), curve.cost.round(4)
    (array([0.    , 0.2   , 0.3333, 0.6667, 1.    ]), array([0.    , 0.2   , 0.2667, 0.3333, 0.    ]))
    >>> round(float(curve.at(0.5)), 4)
    0.3
    """
    require_ranking(ranking, both_classes=True)
    split = hull_splits(ranking, pool="ties")
    fpr, fnr = ranking.covered()[1][split] / ranking.Neg, ranking.uncovered(split)[0] / ranking.Pos
    rise, run = (side / total for side, total in zip(ranking.runs(split), (ranking.Pos, ranking.Neg), strict=True))
    x = np.concatenate([[0.0], run / (run + rise), [1.0]])
    left = np.concatenate([[0], np.arange(split.size)])  # the line on the left of each corner
    y = fnr[left] * x + fpr[left] * (1 - x)
    return CostCurve(split=split, fpr=fpr, fnr=fnr, probability_cost=x, cost=y)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BrierCurve(Tabular):
    """Loss of trusting scores as probabilities, by cost proportion.

    Straight between distinct scores, with a jump at each: piece i runs from (`start[i]`,
    `loss_at_start[i]`) to (`end[i]`, `loss_at_end[i]`), and its end belongs to it.
    """

    start: Floats
    end: Floats
    loss_at_start: Floats
    loss_at_end: Floats

    @property
    def area(self) -> float:
        """The area under the curve: the Brier score."""
        return float(np.dot(self.end - self.start, (self.loss_at_start + self.loss_at_end) / 2))


def brier_curve(ranking: Ranking) -> BrierCurve:
    """Loss at the threshold c = cost_fp / (cost_fp + cost_fn), the cost proportion.

    That is the best threshold for calibrated probabilities. The loss is 2·((1 - c)·prevalence·fnr + c·(1 -
    prevalence)·fpr) at threshold c, and its area over c is the Brier score (Hernández-Orallo, Flach & Ferri 2011).

    >>> emails = Ranking([.9, .6, .2], pos=[2, 1, 0], neg=[0, 1, 2])
    >>> round(brier_curve(emails).area, 10)  # (2·0.1² + 0.4² + 0.6² + 2·0.2²) / 6
    0.1033333333
    """
    require_ranking(ranking, both_classes=True, probabilities=True)
    fn, fp = ranking.uncovered()[0][::-1], ranking.covered()[1][::-1]
    edge = np.concatenate([[0.0], ranking.score[::-1], [1.0]])
    start, end = edge[:-1], edge[1:]  # thresholds in (start, end] give the same table
    miss, alarm = fn / ranking.total, fp / ranking.total
    return BrierCurve(
        start=start,
        end=end,
        loss_at_start=2 * ((1 - start) * miss + start * alarm),
        loss_at_end=2 * ((1 - end) * miss + end * alarm),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NetBenefit(Tabular):
    """Net benefit per case of acting on the model, on everyone and on no one."""

    threshold: Floats
    model: Floats
    everyone: Floats
    no_one: Floats


def net_benefit(ranking: Ranking, *, threshold: npt.ArrayLike | None = None) -> NetBenefit:
    """True positives per case minus false ones, at the threshold's exchange rate.

    Acting at probability t holds a false alarm to be as bad as t/(1 - t) hits are good, so net benefit = tp/n - fp/n ·
    t/(1 - t) (Vickers & Elkin 2006). Scores must be probabilities. Without `threshold`: at 0.01, 0.02, ..., 0.99. For
    another class mix, pass the ranking that `adjust_prevalence` makes of this one.

    >>> curve = net_benefit(Ranking([.9, .6, .2], pos=[2, 1, 0], neg=[0, 1, 2]), threshold=[0.5])
    >>> curve.model.round(4), curve.everyone.round(4)
    (array([0.3333]), array([0.]))
    """
    require_ranking(ranking, both_classes=True, probabilities=True)
    at = np.atleast_1d(_in_unit(np.arange(1, 100) / 100 if threshold is None else threshold))
    if (at == 1).any():
        raise ArgumentError("a threshold probability of 1 has no exchange rate", "stay below 1")
    table = contingency_at(ranking, at)
    harm = at / (1 - at)
    return NetBenefit(
        threshold=at,
        model=(table.tp - table.fp * harm) / table.total,
        everyone=(table.Pos - table.Neg * harm) / table.total,
        no_one=np.zeros_like(at),
    )


def _in_unit(values: npt.ArrayLike) -> Floats:
    numbers = as_numbers(values)
    if not ((numbers >= 0) & (numbers <= 1)).all():
        raise ArgumentError(f"this must lie in [0, 1], got {describe(values)}", "give proportions, e.g. 0.2")
    return numbers
