"""`MulticlassModel`: all that one model's probabilities of k classes say, each number with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.curves import MulticlassAUC, multiclass_auc
from thresher.inference import ConfusionIntervals, Interval, MulticlassIntervals, confusion_intervals
from thresher.inference.class_pulls import NOT_SUMMING, Pulled, log_losses, squared_errors, sums_to_one
from thresher.inference.classified_rows import ClassifiedRows
from thresher.inference.interval import interval_columns
from thresher.inference.matrix import undefined
from thresher.inference.matrix_slopes import WHOLE_MEASURES
from thresher.inference.mean_loss import mean_loss_interval
from thresher.inference.multiclass import AVERAGES, area_intervals
from thresher.inference.sampled_matrix import sampled_confusion_intervals
from thresher.ranking import Floats, Ranking
from thresher.results import Tabular
from thresher.tables import ConfusionMatrix

RATES = ("overall_accuracy", *WHOLE_MEASURES)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MulticlassModel(Tabular):
    """One model: its confusion matrix, its AUCs and its losses, with intervals.

    The confusion matrix is that of the most probable class (the first of equals), or of the predictions given.
    `rankings` are those of each class against the rest. `brier` and `log_loss` are undefined, and their notes say
    why, when rows of probabilities do not sum to 1.

    >>> from thresher import evaluate_classes
    >>> found = evaluate_classes([0, 1, 2, 0, 1, 2], [[.8, .1, .1], [.2, .7, .1], [.1, .1, .8]] * 2)
    >>> found["model"]
    MulticlassModel('model', overall accuracy 1.0000 [0.6097, 1.0000])
    """

    name: str
    rankings: Mapping[Any, Ranking]
    confusion: ConfusionMatrix
    rates: ConfusionIntervals
    areas: MulticlassAUC
    auc: MulticlassIntervals
    brier: Interval
    log_loss: Interval

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data; lists are in the order of the confusion matrix's classes."""
        rates, auc = self.rates, self.auc
        classes = self.confusion.classes
        return {
            "confusion": self.confusion.to_dict(),
            **{name: getattr(rates, name).to_dict() for name in RATES},
            "precision": [rates.precision[name].to_dict() for name in classes],
            "recall": [rates.recall[name].to_dict() for name in classes],
            "f1": [rates.f1[name].to_dict() for name in classes],
            "one_vs_rest": [auc.one_vs_rest[name].to_dict() for name in classes],
            **{name: getattr(auc, name).to_dict() for name in AVERAGES},
            "brier": self.brier.to_dict(),
            "log_loss": self.log_loss.to_dict(),
        }

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with its name, and the class it is of, if it is of one."""
        losses = [({"quantity": name, "class": None}, getattr(self, name)) for name in ("brier", "log_loss")]
        every = [*self.rates.intervals(), *self.auc.intervals(), *losses]
        return [({"model": self.name, **names}, interval) for names, interval in every]

    def _brief(self) -> str:
        return f"{self.name!r}, overall accuracy {self.rates.overall_accuracy}"

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(self.intervals())


def class_model(rows: ClassifiedRows, name: str, pulls: Mapping[str, Pulled], *, level: float) -> MulticlassModel:
    """Everything about one model that rows and what they add to its measures tell."""
    k, called, of_model = len(rows.classes), rows.calls[name], rows.of_model(name)
    counts = np.bincount(rows.index * k + called, weights=rows.weight, minlength=k * k).reshape(k, k)
    matrix = ConfusionMatrix(counts, rows.classes, rows.dropped)
    plain = rows.weight is None and rows.cluster is None
    areas = multiclass_auc(rows.index, rows.matrices[name], classes=range(k), weights=rows.weight)
    brier, log_loss = _losses(rows, name, level)
    return MulticlassModel(
        name=name,
        rankings={label: of_model.ranking(i) for i, label in enumerate(rows.classes)},
        confusion=matrix,
        rates=confusion_intervals(matrix, level=level)
        if plain
        else sampled_confusion_intervals(
            rows.index, called, rows.classes, weight=rows.weight, cluster=rows.cluster, level=level
        ),
        areas=replace(areas, classes=rows.classes, dropped=rows.dropped),
        auc=area_intervals(rows, name, pulls, level=level),
        brier=brier,
        log_loss=log_loss,
    )


def _losses(rows: ClassifiedRows, name: str, level: float) -> tuple[Interval, Interval]:
    matrix = rows.matrices[name]
    if not sums_to_one(matrix):
        return undefined(level, NOT_SUMMING), undefined(level, NOT_SUMMING)

    def interval(loss: Floats, of_class: Floats, most: float) -> Interval:
        foretold = (matrix * of_class).sum(axis=1), (matrix * of_class**2).sum(axis=1)
        return mean_loss_interval(loss, foretold, weight=rows.weight, cluster=rows.cluster, level=level, most=most)

    # Were class c the true one, the squared error would be ½ (Σ p² + 1) - p of c.
    squared = (matrix**2).sum(axis=1, keepdims=True) / 2 + 0.5 - matrix
    certain = np.where(matrix > 0, matrix, 1.0)  # what cannot happen foretells no loss
    return (
        interval(squared_errors(rows, name), squared, 1.0),
        interval(log_losses(rows, name), -np.log(certain), math.inf),
    )
