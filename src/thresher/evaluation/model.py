"""`ModelEvaluation`: the numbers of one model, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from thresher._internal.arguments import as_number
from thresher._internal.results import ReadOnly
from thresher.calibration import CalibrationMap, adjust_prevalence, calibration_map, log_loss
from thresher.calibration.decomposition import Decomposition, decomposition
from thresher.choices import Choice
from thresher.curves import average_precision, ks, pr_area
from thresher.curves.hull import with_hull_of
from thresher.errors import ArgumentError, argument
from thresher.evaluation.results import ModelResult, interval_dicts
from thresher.evaluation.rows import EvaluatedRows, cells, table_at
from thresher.inference import Interval, auc_interval, brier_interval, interval, intervals
from thresher.inference.intervals.calibration_report import calibration_numbers
from thresher.inference.intervals.model import ModelSample, model_intervals
from thresher.inference.intervals.table import Table
from thresher.inference.rows import ScoredRows
from thresher.ranking import Ranking
from thresher.tables import Contingency

PARTS = ("miscalibration", "refinement", "discrimination", "uncertainty")
NUMBERS = {
    "auc": "AUC",
    "average_precision": "average precision",
    "pr_area": "area under the PR curve",
    "ks": "Kolmogorov-Smirnov",
    "brier": "Brier",
    "log_loss": "log loss",
    "miscalibration": "calibration loss (miscalibration)",
    "refinement": "refinement loss",
    "discrimination": "discrimination",
    "uncertainty": "uncertainty",
    "calibration_intercept": "calibration intercept",
    "calibration_slope": "calibration slope",
    "calibration_in_the_large": "calibration in the large",
    "observed_expected": "observed : expected",
    "ici": "ICI",
    "e50": "E50",
    "e90": "E90",
}


@dataclass(frozen=True, eq=False, repr=False)
class ModelEvaluation(ModelResult):
    """One model: its ranking, its calibration, and its best threshold.

    Every number is stated at the class mix of the condition, and computed when it is first asked for; where a mix is
    declared, `data_measures` and `data_numbers` are those of the rows as they are. `brier`, `log_loss` and
    `decomposition` are None when the scores are no probabilities. `predictions` is the table of the user's own ones.

    >>> from thresher import evaluate
    >>> model = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2])["model"]
    >>> model.table
    Contingency(tp=2, fn=1, fp=0, tn=3)
    >>> print(model.measures["tpr"])
    0.6667 [0.2077, 0.9385]
    """

    name: str
    ranking: Ranking
    choice: Choice
    out_of_bag_cost: Interval
    threshold: Interval
    predictions: Contingency | None
    ks_gain: float
    rows: EvaluatedRows

    @property
    def mix_declared(self) -> bool:
        """Whether numbers are stated at a declared class mix."""
        return self.rows.condition.prevalence is not None

    @property
    def table(self) -> Contingency:
        """The counts in the rows at the chosen threshold."""
        return self.choice.table

    @cached_property
    def auc(self) -> Interval:
        """The area under the ROC curve."""
        scored = self.rows.scored
        return auc_interval(self.ranking if scored.simple else scored, model=self.name, level=self.rows.level)

    @cached_property
    def expected_cost(self) -> Interval:
        """The cost per case of the chosen threshold, on the rows it was chosen on."""
        return interval(self._sampled_table, self.rows.condition, level=self.rows.level)

    @cached_property
    def measures(self) -> Mapping[str, Interval]:
        """Every registered measure at the chosen threshold."""
        at_mix = self.rows.condition.class_ratio
        return ReadOnly(intervals(self._sampled_table, class_ratio=at_mix, level=self.rows.level))

    @cached_property
    def data_measures(self) -> Mapping[str, Interval]:
        """The same at the class mix of the rows."""
        return ReadOnly(intervals(self._sampled_table, level=self.rows.level)) if self.mix_declared else self.measures

    @cached_property
    def production(self) -> Ranking:
        """The ranking at the declared class mix, probabilities restated for it."""
        if not self.mix_declared:
            return self._data_ranking
        return at_prevalence(self.ranking, self.rows.condition.prevalence, self.rows.made_at)

    @cached_property
    def numbers(self) -> Mapping[str, Interval]:
        """The numbers that belong to no threshold."""
        rows = self.rows.in_production if self.mix_declared else self.rows.in_data
        return self._numbers_of(rows, self.production, self.decomposition)

    @cached_property
    def data_numbers(self) -> Mapping[str, Interval]:
        """The same at the class mix of the rows."""
        if not self.mix_declared:
            return self.numbers
        return self._numbers_of(self.rows.in_data, self._data_ranking, _decomposition(self._data_ranking))

    @cached_property
    def decomposition(self) -> Decomposition | None:
        """The parts of the Brier score."""
        return _decomposition(self.production)

    @cached_property
    def calibration(self) -> CalibrationMap:
        """The map from scores to probabilities at the mix of the rows."""
        return calibration_map(self.ranking, method="isotonic")

    @property
    def average_precision(self) -> float:
        """The mean precision over the positives."""
        return self.numbers["average_precision"].estimate

    @property
    def pr_area(self) -> float:
        """The area under the precision-recall curve."""
        return self.numbers["pr_area"].estimate

    @property
    def ks(self) -> float:
        """The Kolmogorov-Smirnov distance between the classes."""
        return ks(self.ranking).statistic

    @property
    def brier(self) -> Interval | None:
        """The Brier score."""
        return self.numbers.get("brier")

    @property
    def log_loss(self) -> float | None:
        """The log loss, which may be infinite."""
        return self.numbers["log_loss"].estimate if "log_loss" in self.numbers else None

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data; "in_data" holds those at the mix of the rows."""
        return {
            "threshold": self.threshold.to_dict(),
            "table": cells(self.table),
            "measures": interval_dicts(self.measures),
            "expected_cost": self.expected_cost.to_dict(),
            "out_of_bag_cost": self.out_of_bag_cost.to_dict(),
            "predictions": None if self.predictions is None else cells(self.predictions),
            "numbers": interval_dicts(self.numbers),
            "in_data": {"measures": interval_dicts(self.data_measures), "numbers": interval_dicts(self.data_numbers)},
        }

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with its name, those at the chosen threshold last."""
        decided = {name: getattr(self, name) for name in ("expected_cost", "out_of_bag_cost", "threshold")}
        every = {**self.numbers, **decided, **self.measures}
        return [({"model": self.name, "quantity": name}, interval) for name, interval in every.items()]

    def _brief(self) -> str:
        return f"{self.name!r}, AUC {self.auc}, expected cost {self.expected_cost}"

    @cached_property
    def _sampled_table(self) -> Table:
        """The table at the chosen threshold, with what weights and clusters say."""
        scored = self.rows.scored
        return self.table if scored.simple else table_at(scored, self.name, self.choice.threshold)

    @cached_property
    def _data_ranking(self) -> Ranking:
        """The ranking with probabilities restated for the mix of the rows."""
        if self.rows.in_data is self.rows.scored:
            return self.ranking
        return at_prevalence(self.ranking, None, self.rows.made_at)

    def _numbers_of(self, rows: ScoredRows, ranking: Ranking, parts: Decomposition | None) -> Mapping[str, Interval]:
        """Intervals of the numbers that belong to no threshold."""
        level = self.rows.level
        estimates = {"average_precision": average_precision(ranking), "pr_area": pr_area(ranking)}
        known = {"auc": self.auc}
        if parts is not None:
            estimates |= {"log_loss": float(log_loss(ranking))} | {part: getattr(parts, part) for part in PARTS}
            known["brier"] = brier_interval(ranking if rows.simple else rows, model=self.name, level=level)
            known |= calibration_numbers(rows, self.name, ranking, level=level)
        sample = ModelSample.of(rows, self.name, ranking, level)
        known |= model_intervals(sample, estimates, ks(ranking), ks_gain=self.ks_gain)
        return ReadOnly({name: known[name] for name in NUMBERS if name in known})


def at_prevalence(ranking: Ranking, prevalence: float | None, trained_at: float | None) -> Ranking:
    """The ranking at a prevalence (or its own), probabilities restated for it."""
    if are_probabilities(ranking):
        to = ranking.prevalence if prevalence is None else prevalence
        return with_hull_of(adjust_prevalence(ranking, to, trained_at=trained_at), ranking)
    if prevalence is None:
        return ranking
    return with_hull_of(ranking.at_class_ratio(prevalence / (1 - prevalence)), ranking)


def are_probabilities(ranking: Ranking) -> bool:
    """Whether every score could be a probability."""
    return bool(ranking.score[0] <= 1 and ranking.score[-1] >= 0)


def require_prevalence(trained_at: Any) -> None:
    """Raise `ArgumentError` unless `trained_at` is a prevalence, or left out."""
    if trained_at is not None and not 0 < as_number(trained_at) < 1:
        fix = "give the proportion of positives that the scores were made for, e.g. that of the training rows"
        raise ArgumentError(f"{argument('trained_at')} must lie between 0 and 1, got {trained_at!r}", fix)


def _decomposition(ranking: Ranking) -> Decomposition | None:
    return decomposition(ranking, bins="hull") if are_probabilities(ranking) else None
