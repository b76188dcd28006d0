"""What other costs would change: the choice of a model, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from thresher._internal.results import Result, Tabular, rows_of
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.intervals.class_cost import least_costs
from thresher.tables import CostMatrix, OperatingCondition
from thresher.tables.condition import required_costs

FACTORS = (0.5, 2.0)


@dataclass(frozen=True, slots=True, repr=False)
class OtherCost(Result):
    """One cost halved or doubled, the cheapest model then, and its cost.

    `of_decision` is the cost of the model decided for.
    """

    actual: Any
    action: Any
    cost: float
    factor: float
    model: str
    expected_cost: float
    of_decision: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CostSensitivity(Tabular):
    """Every cost that is not 0, halved and doubled, with all decisions made again.

    `changes` are those that make another model the cheapest. `now` is the cost under the costs as declared.

    >>> from thresher import evaluate
    >>> matrix = [[.8, .1, .1], [.2, .7, .1], [.1, .6, .3]] * 2
    >>> sensitivity = evaluate([0, 1, 2, 0, 1, 2], {"m": matrix}, classes=[0, 1, 2]).sensitivity
    >>> sensitivity
    CostSensitivity(6 costs halved and doubled, 0 of 12 change the model)
    >>> round(sensitivity.now, 4), round(max(sensitivity, key=lambda one: one.expected_cost).expected_cost, 4)
    (0.3333, 0.6667)
    """

    model: str
    now: float
    others: tuple[OtherCost, ...]

    @property
    def changes(self) -> tuple[OtherCost, ...]:
        """The costs under which another model is the cheapest."""
        return tuple(one for one in self.others if one.model != self.model)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"model": self.model, "now": self.now, "others": [asdict(one) for one in self.others]}

    def __iter__(self) -> Any:
        return iter(self.others)

    def __len__(self) -> int:
        return len(self.others)

    def __str__(self) -> str:
        if not self.changes:
            return "No cost, halved or doubled, makes another model the cheapest."
        lines = [
            f"{one.actual!r} called {one.action!r} at {one.cost * one.factor:g} in place of {one.cost:g}: {one.model} "
            f"costs {one.expected_cost:.4g}, {self.model} {one.of_decision:.4g}"
            for one in self.changes
        ]
        return "\n".join(["Costs that make another model the cheapest:", *lines])

    def _brief(self) -> str:
        number = len(self.others)
        return f"{number // 2} costs halved and doubled, {len(self.changes)} of {number} change the model"

    def _columns(self) -> Mapping[str, Any]:
        return rows_of([asdict(one) for one in self.others])


def cost_sensitivity(rows: ClassifiedRows, condition: OperatingCondition, model: str) -> CostSensitivity:
    """Halve and double each cost that is not 0, and decide again."""
    costs = required_costs(condition.for_data(rows.class_mix))
    now = _costs_under(rows, condition, costs)
    others = []
    for i, j in np.argwhere(costs.costs != 0).tolist():
        for factor in FACTORS:
            changed = costs.costs.copy()
            changed[i, j] *= factor
            by_model = _costs_under(rows, condition, CostMatrix.of_arrays(costs.classes, costs.actions, changed))
            # the model decided for stays where another is no cheaper
            best = min(by_model, key=lambda name: (by_model[name], name != model))
            cost = float(costs.costs[i, j])
            others.append(
                OtherCost(costs.classes[i], costs.actions[j], cost, factor, best, by_model[best], by_model[model])
            )
    return CostSensitivity(model, now[model], tuple(others))


def _costs_under(rows: ClassifiedRows, condition: OperatingCondition, costs: CostMatrix) -> dict[str, float]:
    """What each model's decisions of least expected cost cost per case."""
    asked = OperatingCondition(costs=costs, mix=condition.mix)
    return {name: least_costs(rows, name, asked).mean for name in rows.matrices}
