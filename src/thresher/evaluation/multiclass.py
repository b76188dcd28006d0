"""`MulticlassEvaluation`: probability matrices of one or several models on the same rows, k classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from thresher.calibration import brier_multiclass, log_loss_multiclass
from thresher.curves import MulticlassAUC, multiclass_auc, one_vs_rest_rankings
from thresher.errors import ArgumentError, MissingExtraError
from thresher.evaluation.summary import short, text_table
from thresher.extras import room
from thresher.inference import ConfusionIntervals, MulticlassIntervals, confusion_intervals, multiclass_auc_interval
from thresher.inference.interval import require_level
from thresher.ranking import Ranking
from thresher.tables import ConfusionMatrix, confusion
from thresher.visible import visible, visible_lines

_WHERE = "evaluate_classes(labels, probabilities)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MulticlassModel:
    """One model: its confusion matrix, its AUCs and its losses, with intervals.

    The confusion matrix is that of the most probable class (the first of equals), or of the predictions given.
    `rankings` are those of each class against the rest.

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
    brier: float
    log_loss: float

    def __repr__(self) -> str:
        return f"MulticlassModel({self.name!r}, overall accuracy {self.rates.overall_accuracy})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MulticlassEvaluation:
    """Several models of k classes on the same rows; `evaluation["name"]` is one of them."""

    models: Mapping[str, MulticlassModel]
    classes: tuple[Any, ...]
    rows: int
    level: float

    def __getitem__(self, name: str) -> MulticlassModel:
        if name not in self.models:
            raise ArgumentError(
                f"there is no model {name!r}", "MulticlassEvaluation[name]", f"pick one of {', '.join(self.models)}"
            )
        return self.models[name]

    def summary(self) -> str:
        """A table of all models, then each model's confusion matrix and AUCs."""
        head = ["", "overall accuracy", "macro F1", "AUC, one-vs-rest macro", "AUC, one-vs-one macro", "Brier"]
        lines = [head]
        for name, model in self.models.items():
            numbers = model.rates.overall_accuracy, model.rates.macro_f1
            areas = model.auc.one_vs_rest_macro, model.auc.one_vs_one_macro
            lines.append([name, *(short(each) for each in (*numbers, *areas)), f"{model.brier:.4f}"])
        parts = [
            f"{self.rows:,} rows, {len(self.classes)} classes. Intervals at level {self.level:g}.",
            text_table(lines),
        ]
        parts += [f"{name}\n{model.confusion}\n\n{model.auc}" for name, model in self.models.items()]
        return "\n\n".join(parts)

    def to_html(self, path: str | PathLike[str], *, title: str | None = None) -> None:
        """Write everything as one self-contained HTML file; needs the extra `report`."""
        room("report").write_page(self, path, title=title)

    def _repr_html_(self) -> str | None:
        try:
            found: str = room("report").framed(self)
        except MissingExtraError:  # notebooks then show the text
            return None
        return found

    def __str__(self) -> str:
        return visible_lines(self.summary())

    def __repr__(self) -> str:
        names = visible(", ".join(self.models))
        return f"MulticlassEvaluation({names}; {self.rows:,} rows, {len(self.classes)} classes)"


def evaluate_classes(
    labels: Any,
    probabilities: Any,
    *,
    classes: Sequence[Any] | None = None,
    predictions: Mapping[str, Any] | None = None,
    level: float = 0.95,
) -> MulticlassEvaluation:
    """Evaluate probability matrices: confusion matrix, one-vs-rest and one-vs-one AUC, losses, with intervals.

    `probabilities` is a matrix (a row per case, a column per class) or a mapping of model names to matrices.
    Columns belong to `classes` in that order; without it, to the labels in rising order.

    >>> labels = ["cat", "dog", "cow", "cat", "dog", "cow"]
    >>> matrix = [[.7, .1, .2], [.1, .2, .7], [.2, .6, .2], [.4, .5, .1], [.2, .2, .6], [.3, .4, .3]]
    >>> found = evaluate_classes(labels, matrix)
    >>> found["model"].confusion
    ConfusionMatrix([[1, 1, 0], [0, 2, 0], [0, 0, 2]], classes=['cat', 'cow', 'dog'])
    >>> print(found["model"].rates.overall_accuracy)
    0.8333 [0.4365, 0.9699]
    """
    require_level(level, _WHERE)
    matrices = dict(probabilities) if isinstance(probabilities, Mapping) else {"model": probabilities}
    if not matrices:
        raise ArgumentError("there are no models", _WHERE, "give {'name': matrix, ...}")
    given = {} if predictions is None else dict(predictions)
    unknown = [name for name in given if name not in matrices]
    if unknown:
        raise ArgumentError(f"predictions are given for {unknown[0]!r}, which has no matrix", _WHERE, "check the name")
    models = {
        name: _model(name, labels, matrix, classes=classes, predictions=given.get(name), level=level)
        for name, matrix in matrices.items()
    }
    first = next(iter(models.values()))
    return MulticlassEvaluation(models, first.confusion.classes, int(first.confusion.total), level)


def _model(
    name: str, labels: Any, matrix: Any, *, classes: Sequence[Any] | None, predictions: Any, level: float
) -> MulticlassModel:
    areas = multiclass_auc(labels, matrix, classes=classes)
    names = list(areas.classes)
    array = np.asarray(matrix, dtype=np.float64)
    called = [names[i] for i in np.argmax(array, axis=1)] if predictions is None else predictions
    matrix_of = confusion(labels, called, classes=names)
    return MulticlassModel(
        name=name,
        rankings=one_vs_rest_rankings(labels, matrix, classes=names),
        confusion=matrix_of,
        rates=confusion_intervals(matrix_of, level=level),
        areas=areas,
        auc=multiclass_auc_interval(labels, matrix, classes=names, level=level),
        brier=brier_multiclass(labels, matrix, classes=names),
        log_loss=float(log_loss_multiclass(labels, matrix, classes=names)),
    )
