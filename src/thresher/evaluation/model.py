"""`ModelEvaluation`: all that one model's scores say, each number with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thresher.calibration import CalibrationMap, Decomposition, calibration_map, decomposition, log_loss
from thresher.choices import Choice
from thresher.curves import average_precision, ks, pr_area
from thresher.inference import Interval
from thresher.inference.auc import auc_interval
from thresher.inference.cost import brier_interval, cost_interval
from thresher.inference.table import table_intervals
from thresher.ranking import Ranking
from thresher.tables import Contingency


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelEvaluation:
    """One model: how it ranks, how well calibrated it is, and what it does at its best threshold.

    `measures` holds every registered measure of `table`, which is the table at the chosen threshold.
    `brier`, `decomposition` and `calibration` are None when the scores are no probabilities.
    `given` is the table of the user's own predictions, if any.

    >>> from thresher import evaluate
    >>> model = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2])["model"]
    >>> model.table
    Contingency(tp=2, fn=1, fp=0, tn=3)
    >>> print(model.measures["tpr"])
    0.6667 [0.2077, 0.9385]
    """

    name: str
    ranking: Ranking
    auc: Interval
    average_precision: float
    pr_area: float
    ks: float
    choice: Choice
    table: Contingency
    measures: Mapping[str, Interval]
    expected_cost: Interval
    honest_cost: Interval
    threshold: Interval
    brier: Interval | None
    log_loss: float | None
    decomposition: Decomposition | None
    calibration: CalibrationMap
    given: Contingency | None

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data (curves are read off `ranking`)."""
        parts = self.decomposition
        return {
            "auc": self.auc.to_dict(),
            "average_precision": self.average_precision,
            "pr_area": self.pr_area,
            "ks": self.ks,
            "threshold": self.threshold.to_dict(),
            "table": _cells(self.table),
            "measures": {name: interval.to_dict() for name, interval in self.measures.items()},
            "expected_cost": self.expected_cost.to_dict(),
            "honest_cost": self.honest_cost.to_dict(),
            "given": None if self.given is None else _cells(self.given),
            "brier": None if self.brier is None else self.brier.to_dict(),
            "log_loss": self.log_loss if self.log_loss is not None and math.isfinite(self.log_loss) else None,
            "miscalibration": None if parts is None else parts.miscalibration,
            "discrimination": None if parts is None else parts.discrimination,
            "uncertainty": None if parts is None else parts.uncertainty,
        }

    def __repr__(self) -> str:
        return f"ModelEvaluation({self.name!r}, AUC {self.auc}, expected cost {self.expected_cost})"


def _cells(table: Contingency) -> dict[str, Any]:
    return {cell: getattr(table, cell) for cell in ("tp", "fn", "fp", "tn")}


def model_evaluation(
    name: str,
    ranking: Ranking,
    choice: Choice,
    *,
    auc: Interval | None,
    honest_cost: Interval,
    threshold: Interval,
    given: Contingency | None,
    level: float,
) -> ModelEvaluation:
    """Everything about one model that its ranking and its choice tell; `auc` where rows tell it better."""
    probabilities = ranking.score[0] <= 1 and ranking.score[-1] >= 0
    table = choice.table
    return ModelEvaluation(
        name=name,
        ranking=ranking,
        auc=auc_interval(ranking, level=level) if auc is None else auc,
        average_precision=average_precision(ranking),
        pr_area=pr_area(ranking),
        ks=ks(ranking).statistic,
        choice=choice,
        table=table,
        measures=table_intervals(table, level=level),
        expected_cost=cost_interval(table, choice.condition, level=level),
        honest_cost=honest_cost,
        threshold=threshold,
        brier=brier_interval(ranking, level=level) if probabilities else None,
        log_loss=float(log_loss(ranking)) if probabilities else None,
        decomposition=decomposition(ranking, segments="hull") if probabilities else None,
        calibration=calibration_map(ranking, method="isotonic"),
        given=given,
    )
