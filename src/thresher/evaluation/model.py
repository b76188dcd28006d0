"""`ModelEvaluation`: all that one model's scores say, each number with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from thresher.calibration import CalibrationMap, Decomposition, calibration_map, decomposition, log_loss
from thresher.choices import Choice, OperatingCondition
from thresher.curves import average_precision, ks, pr_area
from thresher.inference import Interval
from thresher.inference.auc import auc_interval
from thresher.inference.cost import brier_interval, cost_interval
from thresher.inference.design_effect import (
    sampled_brier_interval,
    sampled_cost_interval,
    sampled_table,
    sampled_table_intervals,
)
from thresher.inference.scored_rows import ScoredRows
from thresher.inference.table import table_intervals
from thresher.inference.whole_intervals import WholeModel, whole_intervals
from thresher.ranking import Ranking, reaches
from thresher.tables import Contingency

PARTS = ("miscalibration", "refinement", "discrimination", "uncertainty")
NUMBERS = (
    "auc",
    "average_precision",
    "pr_area",
    "ks",
    "brier",
    "log_loss",
    *PARTS,
)
Doubt: TypeAlias = tuple[dict[str, Interval], Interval, Interval | None]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelEvaluation:
    """One model: how it ranks, how well calibrated it is, and what it does at its best threshold.

    `measures` holds every registered measure of `table`, which is the table at the chosen threshold.
    `brier`, `decomposition` and `calibration` are None when the scores are no probabilities.
    `given` is the table of the user's own predictions, if any. `numbers` holds every number of the whole
    model with its interval, from "auc" and "average_precision" to "log_loss" and the parts of the Brier score.

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
    numbers: Mapping[str, Interval]

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
            "numbers": {name: interval.to_dict() for name, interval in self.numbers.items()},
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
    rows: ScoredRows,
    condition: OperatingCondition,
    auc: Interval | None,
    honest_cost: Interval,
    threshold: Interval,
    ks_gain: float,
    given: Contingency | None,
    level: float,
) -> ModelEvaluation:
    """Everything about one model that its ranking, its choice and its rows tell; `auc` where rows tell it better.

    `condition` is that which was asked for: a class ratio that it leaves to the data is as uncertain as they are.
    """
    probabilities = _probabilities(ranking)
    table = choice.table
    weighed = rows.weight is not None or rows.cluster is not None
    doubt = _of_rows(rows, name, choice, condition, level) if weighed else _of_cases(ranking, table, condition, level)
    measures, expected_cost, of_brier = doubt
    of_auc = auc_interval(ranking, level=level) if auc is None else auc
    best, precision, area = ks(ranking), average_precision(ranking), pr_area(ranking)
    loss = float(log_loss(ranking)) if probabilities else None
    parts = decomposition(ranking, segments="hull") if probabilities else None
    estimates = {"average_precision": precision, "pr_area": area}
    if loss is not None and parts is not None:
        estimates |= {"log_loss": loss} | {part: getattr(parts, part) for part in PARTS}
    numbers = {"auc": of_auc} | ({} if of_brier is None else {"brier": of_brier})
    numbers |= whole_intervals(WholeModel.of(rows, name, ranking, level), estimates, best, ks_gain=ks_gain)
    return ModelEvaluation(
        name=name,
        ranking=ranking,
        auc=of_auc,
        average_precision=precision,
        pr_area=area,
        ks=best.statistic,
        choice=choice,
        table=table,
        measures=measures,
        expected_cost=expected_cost,
        honest_cost=honest_cost,
        threshold=threshold,
        brier=of_brier,
        log_loss=loss,
        decomposition=parts,
        calibration=calibration_map(ranking, method="isotonic"),
        given=given,
        numbers=MappingProxyType({name: numbers[name] for name in NUMBERS if name in numbers}),
    )


def _of_cases(ranking: Ranking, table: Contingency, condition: OperatingCondition, level: float) -> Doubt:
    """Intervals of measures, expected cost and Brier score where every row is one independent case."""
    return (
        table_intervals(table, level=level),
        cost_interval(table, condition, level=level),
        brier_interval(ranking, level=level) if _probabilities(ranking) else None,
    )


def _of_rows(rows: ScoredRows, name: str, choice: Choice, condition: OperatingCondition, level: float) -> Doubt:
    """The same where rows carry weights or belong to clusters."""
    score = rows.scores[name].astype(np.float64)
    sampled = sampled_table(rows.positive, reaches(score, choice.threshold), weight=rows.weight, cluster=rows.cluster)
    brier = None
    if _probabilities(choice.ranking):
        brier = sampled_brier_interval(rows.positive, score, weight=rows.weight, cluster=rows.cluster, level=level)
    return (
        sampled_table_intervals(sampled, level=level),
        sampled_cost_interval(sampled, condition, level=level),
        brier,
    )


def _probabilities(ranking: Ranking) -> bool:
    return bool(ranking.score[0] <= 1 and ranking.score[-1] >= 0)
