"""Yardsticks: any measure of models as one number of scored rows, for folds and curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher.calibration import brier, log_loss
from thresher.choices import OperatingCondition
from thresher.curves import auc, average_precision
from thresher.errors import MeasureError
from thresher.ranking import Flags, Floats, Ranking
from thresher.sources import rank
from thresher.tables import Contingency, Measure, contingency, measure

Better: TypeAlias = Literal["higher", "lower", "neither"]
Yard: TypeAlias = "str | Measure | OperatingCondition | Callable[[Ranking], float] | Yardstick"


@dataclass(frozen=True, slots=True, eq=False)
class ScoredFold:
    """Rows of a fold: which are positive, their scores, what the model calls them, and their weights.

    `within` ranks the rows that the model learnt from by scores of folds within them, where the model makes such folds.
    """

    positive: Flags
    score: Floats
    called: Flags
    weight: Floats | None = None
    within: Ranking | None = None

    def ranking(self) -> Ranking:
        """The rows ranked."""
        return rank(self.positive, self.score, weights=self.weight)

    def table(self) -> Contingency:
        """The table of the model's own calls."""
        return contingency(self.positive, self.called, weights=self.weight)


@dataclass(frozen=True, slots=True)
class Yardstick:
    """A measure by name, its direction and range, and how it is read off scored rows."""

    name: str
    better: Better
    range: tuple[float, float]
    of: Callable[[ScoredFold], float]


_OF_RANKINGS: dict[str, tuple[Better, tuple[float, float], Callable[[Ranking], float]]] = {
    "auc": ("higher", (0.0, 1.0), auc),
    "average_precision": ("higher", (0.0, 1.0), average_precision),
    "brier": ("lower", (0.0, 1.0), brier),
    "log_loss": ("lower", (0.0, np.inf), log_loss),
}


def yardstick(wanted: Yard) -> Yardstick:
    """Any measure: "auc", "average_precision", "brier" and "log_loss" look at scores, others at the model's calls.

    A registered measure is taken of the table of the model's own predictions, an `OperatingCondition` as their
    expected cost, a function is given the ranking, and a yardstick is one already.

    >>> fold = ScoredFold(np.array([True, False, True]), np.array([0.9, 0.4, 0.2]), np.array([True, False, False]))
    >>> yardstick("auc").of(fold), round(yardstick("error_rate").of(fold), 4)
    (0.5, 0.3333)
    >>> yardstick(OperatingCondition(cost_ratio=6)).of(fold)
    2.0
    """
    if isinstance(wanted, str) and wanted.lower() in _OF_RANKINGS:
        better, spread, function = _OF_RANKINGS[wanted.lower()]
        return Yardstick(wanted.lower(), better, spread, lambda fold: float(function(fold.ranking())))
    if isinstance(wanted, Yardstick):
        return wanted
    if isinstance(wanted, OperatingCondition):
        costs = (wanted.cost_fp, wanted.cost_fn, wanted.cost_tp, wanted.cost_tn)
        spread = (float(min(*costs)), float(max(*costs)))
        return Yardstick("expected_cost", "lower", spread, lambda fold: table_cost(wanted, fold.table()))
    if callable(wanted) and not isinstance(wanted, Measure):
        name = getattr(wanted, "__name__", "measure")
        return Yardstick(name, "higher", (-np.inf, np.inf), lambda fold: float(wanted(fold.ranking())))
    known: Measure = measure(_as_name(wanted))
    return Yardstick(known.name, known.better, known.range, lambda fold: float(known.of(fold.table())))


def table_cost(condition: OperatingCondition, table: Contingency) -> float:
    """The expected cost per case; of one class its own, or NaN where the condition declares a class ratio.

    >>> table_cost(OperatingCondition(cost_ratio=5), Contingency(tp=3, fn=1, fp=0, tn=0))
    1.25
    """
    if condition.class_ratio is not None and not (table.Pos and table.Neg):
        return float("nan")
    if not (table.Pos and table.Neg):  # one class: its rate is undefined, and its share is 0
        cells = (table.tp, table.fn, table.fp, table.tn)
        costs = (condition.cost_tp, condition.cost_fn, condition.cost_fp, condition.cost_tn)
        return float(sum(n * cost for n, cost in zip(cells, costs, strict=True)) / sum(cells))
    return float(condition.expected_cost(table))


def _as_name(wanted: Any) -> str | Measure:
    if not isinstance(wanted, str | Measure):
        raise MeasureError(
            f"{wanted!r} is no measure",
            fix='give a name such as "error_rate" or "auc", an OperatingCondition, or a function of a ranking',
        )
    return wanted
