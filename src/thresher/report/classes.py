"""The multi-class part of the page, as plain data: confusion matrix, classes, and each class against the rest."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher.evaluation import MulticlassEvaluation, MulticlassModel
from thresher.evaluation.bands import class_bands
from thresher.inference import Interval, measure_interval
from thresher.report.bands import lines
from thresher.report.curve import curve
from thresher.report.model import number
from thresher.report.numbers import interval
from thresher.visible import visible

# A page of k classes holds k curves per model, so each gets its share of the room.
CURVE_POINTS = 6000
FEWEST_POINTS = 150

NUMBERS: Mapping[str, str] = MappingProxyType(
    {
        "overall_accuracy": "overall accuracy",
        "macro_recall": "mean class accuracy (macro recall)",
        "macro_precision": "macro precision",
        "macro_f1": "macro F1",
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
)


def class_model(evaluation: MulticlassEvaluation, name: str) -> dict[str, Any]:
    """Everything the page shows of one model of several classes, after `ClassModel` of the page's contract."""
    found = evaluation[name]
    points = max(FEWEST_POINTS, CURVE_POINTS // len(evaluation.classes) // 2)
    return {
        "name": visible(name),
        "matrix": np.asarray(found.confusion.counts).tolist(),
        "classes": [_row(found, i, label, evaluation.level) for i, label in enumerate(evaluation.classes)],
        "numbers": _numbers(found),
        "curves": [curve(found.rankings[label], points=points) for label in evaluation.classes],
        "bands": [lines(class_bands(evaluation, name, label)) for label in evaluation.classes],
    }


def _row(found: MulticlassModel, i: int, label: Any, level: float) -> dict[str, Any]:
    rates = found.rates
    counts = np.asarray(found.confusion.counts)
    table = found.confusion.one_vs_rest(label)
    return {
        "label": visible(str(label)),
        "count": counts[i].sum().item(),
        "precision": interval(rates.precision[label]),
        "recall": interval(rates.recall[label]),
        "f1": interval(measure_interval(table, "f1", level=level)),
        "auc": interval(found.auc.one_vs_rest[label]),
    }


def _numbers(found: MulticlassModel) -> list[dict[str, Any]]:
    rates, areas, matrix = found.rates, found.auc, found.confusion
    values: dict[str, Interval | float] = {
        "overall_accuracy": rates.overall_accuracy,
        "macro_recall": rates.macro_recall,
        "macro_precision": rates.macro_precision,
        "macro_f1": rates.macro_f1,
        "weighted_f1": matrix.weighted_f1,
        "mcc": matrix.mcc,
        "kappa": matrix.kappa,
        "one_vs_rest_macro": areas.one_vs_rest_macro,
        "one_vs_rest_weighted": areas.one_vs_rest_weighted,
        "one_vs_one_macro": areas.one_vs_one_macro,
        "one_vs_one_weighted": areas.one_vs_one_weighted,
        "brier": found.brier,
        "log_loss": found.log_loss,
    }
    return [number(name, label, values[name]) for name, label in NUMBERS.items()]
