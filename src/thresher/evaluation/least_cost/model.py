"""`LeastCostModel`: the numbers of one model of k classes, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from thresher._internal.results import ReadOnly
from thresher.calibration.scores import row_log_losses, row_squared_errors
from thresher.curves import ClassAreas
from thresher.evaluation.results import ModelResult, interval_dicts
from thresher.inference import ClassAucIntervals, ConfusionIntervals, Interval, influence
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.influence import RowInfluence
from thresher.inference.intervals.auc import AVERAGES, area_intervals
from thresher.inference.intervals.class_cost import CaseCosts
from thresher.inference.intervals.confusion import call_intervals
from thresher.inference.intervals.loss import mean_loss_interval
from thresher.ranking import Floats, Ranking, Segments
from thresher.tables import ConfusionMatrix

RATES = ("overall_accuracy", *influence.MATRIX_MEASURES)
LABELS = {
    "expected_cost": "expected cost",
    "out_of_bag_cost": "expected cost, out of bag",
    "foretold_cost": "cost foretold",
    "overall_accuracy": "overall accuracy",
    "macro_recall": "mean class accuracy (macro recall)",
    "macro_precision": "macro precision",
    "macro_f1": "macro F1",
    "weighted_precision": "weighted precision",
    "weighted_f1": "weighted F1",
    "mcc": "MCC",
    "kappa": "kappa",
    "one_vs_rest_macro": "AUC, one-vs-rest, macro",
    "one_vs_rest_weighted": "AUC, one-vs-rest, weighted",
    "one_vs_one_macro": "AUC, one-vs-one, macro",
    "one_vs_one_weighted": "AUC, one-vs-one, weighted",
    "brier": "Brier score",
    "log_loss": "log loss",
}
BY_CLASS = ("precision", "recall", "f1")


@dataclass(frozen=True, eq=False, repr=False)
class LeastCostModel(ModelResult):
    """One model of k classes: its decisions, what they cost, and its probabilities.

    `confusion`, `rates` and `expected_cost` are of the actions of least expected cost; costs are stated at the class
    mix of the condition, all other numbers at that of the rows. Numbers are computed when they are first asked for.
    Where weights were fitted, `out_of_fold` is what each row costs by weights fitted on other rows.
    `predictions` is the table of the user's own calls. `sample` are the rows, whose probabilities are restated from
    the mix that they were made for, where that was declared.

    >>> from thresher import evaluate
    >>> matrix = [[.8, .1, .1], [.2, .7, .1], [.1, .1, .8]] * 2
    >>> evaluate([0, 1, 2, 0, 1, 2], matrix, classes=[0, 1, 2])["model"]
    LeastCostModel('model', expected cost 0.0000 [0.0000, ...], overall accuracy 1.0000 [0.6097, 1.0000])
    """

    name: str
    sample: ClassifiedRows
    costs: CaseCosts
    weights: tuple[float, ...]
    out_of_bag_cost: Interval
    predictions: ConfusionMatrix | None
    level: float
    out_of_fold: CaseCosts | None = None

    @property
    def honest_costs(self) -> CaseCosts:
        """The costs of the rows by a rule that was not fitted on them."""
        return self.costs if self.out_of_fold is None else self.out_of_fold

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of the columns of probabilities."""
        return self.sample.classes

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """Cases by class and by the action taken."""
        return confusion_of(self.sample, self.costs)

    @cached_property
    def expected_cost(self) -> Interval:
        """The cost per case of the actions taken, at the class mix of the condition."""
        return self.costs.interval(level=self.level)

    @cached_property
    def foretold_minus_paid(self) -> Interval:
        """What the probabilities say that the actions cost, minus what they did cost."""
        return self.costs.foretold_minus_paid(level=self.level)

    @property
    def foretold_cost(self) -> Interval:
        """What the probabilities say that the actions cost.

        Its limits are those of the difference from what they did cost.
        """
        paid, apart = self.expected_cost.estimate, self.foretold_minus_paid
        ends = paid + apart.estimate, paid + apart.lower, paid + apart.upper
        return Interval(*ends, apart.variance, self.level, "against what was paid", apart.note)

    @cached_property
    def rates(self) -> ConfusionIntervals:
        """Accuracy, averages over classes, and each class's precision, recall and F1."""
        rows = self.sample
        calls = rows.calls[self.name]
        return call_intervals(self.confusion, rows.index, calls, rows.weight, rows.cluster, level=self.level)

    @cached_property
    def auc(self) -> ClassAucIntervals:
        """The AUC of each class against the rest, and the four averages."""
        return area_intervals(self.sample, self.name, self.influence, level=self.level)

    @property
    def areas(self) -> ClassAreas:
        """The AUC of each class against the rest and against each other, without limits."""
        return self.segments.areas

    @cached_property
    def brier(self) -> Interval:
        """The Brier score, with the factor ½."""
        matrix = self.sample.matrices[self.name]
        # Were class c the true one, the squared error would be ½ (Σ p² + 1) - p of c.
        squared = (matrix**2).sum(axis=1, keepdims=True) / 2 + 0.5 - matrix
        return self._loss(row_squared_errors(matrix, self.sample.index), squared, 1.0)

    @cached_property
    def log_loss(self) -> Interval:
        """The log loss, which may be infinite."""
        matrix = self.sample.matrices[self.name]
        certain = np.where(matrix > 0, matrix, 1.0)  # what cannot happen adds no loss
        return self._loss(row_log_losses(matrix, self.sample.index), -np.log(certain), math.inf)

    @cached_property
    def segments(self) -> Segments:
        """The class counts per distinct vector of probabilities."""
        return self.sample.segments(self.name)

    @cached_property
    def rankings(self) -> Mapping[Any, Ranking]:
        """The ranking of each class against the rest."""
        return ReadOnly({label: self.sample.ranking(self.name, i) for i, label in enumerate(self.classes)})

    @cached_property
    def influence(self) -> Mapping[str, RowInfluence]:
        """What each row adds to each measure that is compared."""
        return ReadOnly(influence.class_influence(self.sample, self.name))

    @property
    def numbers(self) -> dict[str, Interval]:
        """The numbers that belong to no class, in the order of `LABELS`."""
        sources = dict.fromkeys(RATES, self.rates) | dict.fromkeys(AVERAGES, self.auc)
        return {name: getattr(sources.get(name, self), name) for name in LABELS}

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data; lists are in the order of the classes."""
        by_class = {name: getattr(self.rates, name) for name in BY_CLASS} | {"one_vs_rest": self.auc.one_vs_rest}
        return {
            "weights": list(self.weights),
            "confusion": self.confusion.to_dict(),
            "predictions": None if self.predictions is None else self.predictions.to_dict(),
            "numbers": interval_dicts(self.numbers),
            "by_class": {name: [each[label].to_dict() for label in self.classes] for name, each in by_class.items()},
            "foretold_minus_paid": self.foretold_minus_paid.to_dict(),
        }

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with its name, and the class it is of, if it is of one."""
        costs = ("expected_cost", "out_of_bag_cost", "foretold_cost", "brier", "log_loss")
        alone = [({"quantity": name, "class": None}, getattr(self, name)) for name in costs]
        every = [*self.rates.intervals(), *self.auc.intervals(), *alone]
        return [({"model": self.name, **names}, interval) for names, interval in every]

    def _brief(self) -> str:
        return f"{self.name!r}, expected cost {self.expected_cost}, overall accuracy {self.rates.overall_accuracy}"

    def _loss(self, loss: Floats, of_class: Floats, most: float) -> Interval:
        """The interval of a mean loss; `of_class` is what it would be for each class."""
        rows = self.sample
        matrix = rows.matrices[self.name]
        predicted = (matrix * of_class).sum(axis=1), (matrix * of_class**2).sum(axis=1)
        return mean_loss_interval(
            loss, predicted, weight=rows.weight, cluster=rows.cluster, level=self.level, most=most
        )


def confusion_of(rows: ClassifiedRows, costs: CaseCosts) -> ConfusionMatrix:
    """The rows by class and by the action that a rule takes."""
    k, a = costs.costs.costs.shape
    counts = np.bincount(costs.actual * a + costs.actions, weights=rows.weight, minlength=k * a).reshape(k, a)
    return ConfusionMatrix(counts, rows.classes, rows.dropped, costs.costs.actions[k:])
