"""`ModelEvaluation`: all that one model's scores say, each number with its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher._internal.arguments import as_number
from thresher.calibration import (
    CalibrationMap,
    Decomposition,
    adjust_prevalence,
    calibration_map,
    decomposition,
    log_loss,
)
from thresher.choices import Choice
from thresher.curves import average_precision, ks, pr_area
from thresher.curves.hull import with_hull_of
from thresher.errors import ArgumentError, argument
from thresher.evaluation.results import ModelResult
from thresher.inference import Interval, auc_interval, brier_interval, interval, intervals
from thresher.inference.intervals.calibration_report import calibration_numbers
from thresher.inference.intervals.model import ModelSample, model_intervals
from thresher.inference.intervals.table import Table, count_calls
from thresher.inference.rows import ScoredRows
from thresher.ranking import Ranking, reaches
from thresher.tables import Contingency, OperatingCondition

PARTS = ("miscalibration", "refinement", "discrimination", "uncertainty")
NUMBERS = (
    "auc",
    "average_precision",
    "pr_area",
    "ks",
    "brier",
    "log_loss",
    *PARTS,
    "calibration_intercept",
    "calibration_slope",
    "calibration_in_the_large",
    "observed_expected",
    "ici",
    "e50",
    "e90",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelEvaluation(ModelResult):
    """One model: how it ranks, how well calibrated it is, and what it does at its best threshold.

    Every number is stated at the class mix of the condition; where one is declared, `data_measures` and
    `data_numbers` are those of the rows as they are, and `production` is the ranking at the declared mix, its
    probabilities restated for it. `measures` holds every registered measure at the chosen threshold, whose counts in
    the rows are `table`. `numbers` holds every number that belongs to no threshold, with its interval, from "auc" to
    "log_loss" and the parts of the Brier score; `brier`, `log_loss` and `decomposition` are None when the scores are no
    probabilities. `calibration` maps scores to probabilities at the mix of the rows.
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
    production: Ranking
    auc: Interval
    average_precision: float
    pr_area: float
    ks: float
    choice: Choice
    table: Contingency
    measures: Mapping[str, Interval]
    data_measures: Mapping[str, Interval]
    expected_cost: Interval
    out_of_bag_cost: Interval
    threshold: Interval
    brier: Interval | None
    log_loss: float | None
    decomposition: Decomposition | None
    calibration: CalibrationMap
    given: Contingency | None
    numbers: Mapping[str, Interval]
    data_numbers: Mapping[str, Interval]

    @property
    def mix_declared(self) -> bool:
        """Whether numbers are stated at a declared class mix."""
        return self.measures is not self.data_measures

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data (curves are read off `ranking`); "in_data" holds those of the rows as they are."""
        return {
            "threshold": self.threshold.to_dict(),
            "table": _cells(self.table),
            "measures": _plain(self.measures),
            "expected_cost": self.expected_cost.to_dict(),
            "out_of_bag_cost": self.out_of_bag_cost.to_dict(),
            "given": None if self.given is None else _cells(self.given),
            "numbers": _plain(self.numbers),
            "in_data": {"measures": _plain(self.data_measures), "numbers": _plain(self.data_numbers)},
        }

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with its name: of the model, of its costs and threshold, and at that threshold."""
        decided = {
            "expected_cost": self.expected_cost,
            "out_of_bag_cost": self.out_of_bag_cost,
            "threshold": self.threshold,
        }
        every = {**self.numbers, **decided, **self.measures}
        return [({"model": self.name, "quantity": name}, interval) for name, interval in every.items()]

    def _brief(self) -> str:
        return f"{self.name!r}, AUC {self.auc}, expected cost {self.expected_cost}"


def _cells(table: Contingency) -> dict[str, Any]:
    return {cell: getattr(table, cell) for cell in ("tp", "fn", "fp", "tn")}


def _plain(intervals: Mapping[str, Interval]) -> dict[str, Any]:
    return {name: interval.to_dict() for name, interval in intervals.items()}


def model_evaluation(
    name: str,
    ranking: Ranking,
    choice: Choice,
    *,
    rows: ScoredRows,
    read: ScoredRows,
    production: ScoredRows | None,
    condition: OperatingCondition,
    trained_at: float,
    auc: Interval | None,
    out_of_bag_cost: Interval,
    threshold: Interval,
    ks_gain: float,
    given: Contingency | None,
    level: float,
) -> ModelEvaluation:
    """Everything about one model that its ranking, its choice and its rows tell; `auc` where rows tell it better.

    `condition` is that which was asked for: a class ratio that it leaves to the data is as uncertain as they are.
    `read` are the rows with probabilities restated for their own class mix, where scores were made for another,
    and `production` the rows at the class mix that the condition declares, if it does.
    """
    area = auc_interval(ranking, level=level) if auc is None else auc
    data_measures, expected_cost = _at_threshold(rows, name, choice, condition, level, class_ratio=None)
    numbers_at = partial(_numbers, name=name, auc=area, ks_gain=ks_gain, level=level)
    data_ranking = ranking if read is rows else at_prevalence(ranking, None, trained_at)
    if production is None or condition.prevalence is None:
        at_mix, measures = data_ranking, data_measures
        numbers, parts = numbers_at(read, ranking=data_ranking)
        data_numbers = numbers
    else:
        at_mix = at_prevalence(ranking, condition.prevalence, trained_at)
        measures, _ = _at_threshold(rows, name, choice, condition, level, class_ratio=condition.class_ratio)
        numbers, parts = numbers_at(production, ranking=at_mix)
        data_numbers = _OnDemand(lambda: numbers_at(read, ranking=data_ranking)[0])
    return ModelEvaluation(
        name=name,
        ranking=ranking,
        production=at_mix,
        auc=area,
        average_precision=numbers["average_precision"].estimate,
        pr_area=numbers["pr_area"].estimate,
        ks=ks(ranking).statistic,
        choice=choice,
        table=choice.table,
        measures=measures,
        data_measures=data_measures,
        expected_cost=expected_cost,
        out_of_bag_cost=out_of_bag_cost,
        threshold=threshold,
        brier=numbers.get("brier"),
        log_loss=numbers["log_loss"].estimate if "log_loss" in numbers else None,
        decomposition=parts,
        calibration=calibration_map(ranking, method="isotonic"),
        given=given,
        numbers=numbers,
        data_numbers=data_numbers,
    )


def at_prevalence(ranking: Ranking, prevalence: float | None, trained_at: float | None) -> Ranking:
    """The ranking at a declared prevalence, or its own, with probabilities restated for it; other scores stay."""
    if are_probabilities(ranking):
        to = ranking.prevalence if prevalence is None else prevalence
        return with_hull_of(adjust_prevalence(ranking, to, trained_at=trained_at), ranking)
    return (
        ranking if prevalence is None else with_hull_of(ranking.at_class_ratio(prevalence / (1 - prevalence)), ranking)
    )


def are_probabilities(ranking: Ranking) -> bool:
    """Whether every score could be a probability."""
    return bool(ranking.score[0] <= 1 and ranking.score[-1] >= 0)


def require_prevalence(trained_at: Any) -> None:
    """Raise `ArgumentError` unless the prevalence that scores were made for is one, or left out."""
    if trained_at is not None and not 0 < as_number(trained_at) < 1:
        raise ArgumentError(
            f"{argument('trained_at')} must lie between 0 and 1, got {trained_at!r}",
            "give the proportion of positives that the scores were made for, e.g. that of the training rows",
        )


def _at_threshold(
    rows: ScoredRows,
    name: str,
    choice: Choice,
    condition: OperatingCondition,
    level: float,
    *,
    class_ratio: float | None,
) -> tuple[dict[str, Interval], Interval]:
    """Intervals of all measures at the chosen threshold, and of its expected cost."""
    table: Table = choice.table
    if not rows.simple:
        calls = reaches(rows.scores[name].astype(np.float64), choice.threshold)
        table = count_calls(rows.positive, calls, weight=rows.weight, cluster=rows.cluster)
    measures = intervals(table, class_ratio=class_ratio, level=level)
    return measures, interval(table, condition, level=level)


class _OnDemand(Mapping[str, Interval]):
    """Intervals by name, computed when the first of them is read."""

    def __init__(self, compute: Callable[[], Mapping[str, Interval]]) -> None:
        self._compute = cache(compute)

    def __getitem__(self, name: str) -> Interval:
        return self._compute()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._compute())

    def __len__(self) -> int:
        return len(self._compute())


def _numbers(
    rows: ScoredRows, name: str, ranking: Ranking, *, auc: Interval, ks_gain: float, level: float
) -> tuple[Mapping[str, Interval], Decomposition | None]:
    """Intervals of the numbers that belong to no threshold, and the parts of the Brier score."""
    estimates = {"average_precision": average_precision(ranking), "pr_area": pr_area(ranking)}
    intervals, parts = {"auc": auc}, None
    if are_probabilities(ranking):
        parts = decomposition(ranking, bins="hull")
        estimates |= {"log_loss": float(log_loss(ranking))} | {part: getattr(parts, part) for part in PARTS}
        intervals["brier"] = brier_interval(ranking if rows.simple else rows, model=name, level=level)
        intervals |= calibration_numbers(rows, name, ranking, level=level)
    intervals |= model_intervals(ModelSample.of(rows, name, ranking, level), estimates, ks(ranking), ks_gain=ks_gain)
    return MappingProxyType({name: intervals[name] for name in NUMBERS if name in intervals}), parts
