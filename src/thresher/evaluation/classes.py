"""Evaluation of k classes: probability matrices of one or several models on the same rows."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher._internal.arguments import is_one_of, require_level
from thresher._internal.optional import lazy_import
from thresher._internal.results import Tabular
from thresher._internal.text import in_words, visible_lines
from thresher.calibration.scores import SUM_TOLERANCE
from thresher.cautions import Caution
from thresher.curves import MulticlassAUC, multiclass_auc
from thresher.errors import ArgumentError, MissingExtraError
from thresher.evaluation.cautions import EXTREME, FEW
from thresher.evaluation.summary import class_summary_text
from thresher.inference import Comparison, ConfusionIntervals, Interval, MulticlassIntervals, confusion_intervals
from thresher.inference.class_influence import (
    NOT_SUMMING,
    WHOLE_MEASURES,
    Pulled,
    class_pulls,
    log_losses,
    squared_errors,
    sums_to_one,
)
from thresher.inference.class_rows import Classes, ClassifiedRows, classified_rows, require_two_clusters_of_classes
from thresher.inference.comparison.classes import CLASS_MEASURES, class_comparison
from thresher.inference.comparison.difference import require_margin
from thresher.inference.interval import interval_columns
from thresher.inference.intervals.class_auc import AVERAGES, area_intervals
from thresher.inference.intervals.confusion import sampled_confusion_intervals, undefined
from thresher.inference.intervals.cost import mean_loss_interval
from thresher.ranking import Floats, Ranking
from thresher.sources.columns import Missing
from thresher.sources.labels import listed
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


def class_remarks(rows: ClassifiedRows, models: Mapping[str, MulticlassModel]) -> tuple[Caution, ...]:
    """All remarks, about the data first and then model by model."""
    each = (_on_model(rows, name, model) for name, model in models.items())
    return tuple(itertools.chain(_on_data(rows), _on_ties(models), *each))


def _on_ties(models: Mapping[str, MulticlassModel]) -> Iterator[Caution]:
    right = {name: float(model.confusion.correct.sum()) for name, model in models.items()}
    most = max(right.values())
    tied = [name for name, cases in right.items() if math.isclose(cases, most, rel_tol=1e-12)]
    if len(tied) > 1:
        cases = f"{most:,.10g} of {models[tied[0]].confusion.total:,.10g} cases"
        yield Caution("tied-models", f"{in_words(tied)} call as many cases right, {cases}; none of them is best")


def _on_data(rows: ClassifiedRows) -> Iterator[Caution]:
    cases = rows.cases
    for name, count in zip(rows.classes, cases.tolist(), strict=True):
        if count < FEW:
            yield Caution("few-cases-of-class", f"class {name!r} has only {count} cases")
    if rows.cluster is not None and rows.clusters < FEW:
        yield Caution("few-clusters", f"rows belong to only {rows.clusters} clusters; only these are independent")
    if cases.max() >= EXTREME * cases.min():
        frequent, rare = (rows.classes[int(at)] for at in (cases.argmax(), cases.argmin()))
        times = cases.max() / cases.min()
        yield Caution("extreme-class-ratio", f"class {frequent!r} is {times:,.0f} times as frequent as {rare!r}")
    if rows.pooled_rows:
        yield Caution(
            "pooled-labels",
            f"labels that are no class of their own were pooled: {listed(rows.pooled)}"
            f" ({rows.pooled_rows:,} of {rows.index.size:,} rows)",
        )


def _on_model(rows: ClassifiedRows, name: str, model: MulticlassModel) -> Iterator[Caution]:
    matrix = rows.matrices[name]
    for label in rows.absent[name]:
        count = rows.cases[rows.classes.index(label)]
        yield Caution("class-without-column", f"{name} has no column for {label!r}, the class of {count:,} cases")
    off = np.abs(matrix.sum(axis=1) - 1) > SUM_TOLERANCE
    if off.any():
        first = int(np.flatnonzero(off)[0])
        yield Caution(
            "rows-not-summing",
            f"{int(off.sum()):,} of {off.size:,} rows of {name} do not sum to 1 (the first sums to"
            f" {matrix[first].sum():.6g})",
        )
    if wrong := int(np.count_nonzero(matrix[np.arange(rows.index.size), rows.index] == 0)):
        what = f"{wrong:,} of {rows.index.size:,} cases got probability 0 from {name} for what they are"
        yield Caution("certain-and-wrong", what)
    yield from _on_calls(rows, name, model)
    if (matrix == matrix[0]).all():
        yield Caution("one-score", f"{name} gives every case the same probabilities")
    else:
        for label, interval in model.auc.one_vs_rest.items():
            if interval.estimate < 0.5:
                yield Caution(
                    "auc-below-half", f"{name} has AUC {interval.estimate:.3f} for {label!r} against the rest"
                )


def _on_calls(rows: ClassifiedRows, name: str, model: MulticlassModel) -> Iterator[Caution]:
    matrix, called = rows.matrices[name], rows.calls[name]
    top = matrix.max(axis=1)
    if name in rows.given:
        if unlike := int(np.count_nonzero(matrix[np.arange(called.size), called] < top)):
            yield Caution(
                "predictions-not-likeliest",
                f"{unlike:,} of {called.size:,} predictions of {name} are not the class it gives most to",
            )
    elif tied := int(np.count_nonzero((matrix == top[:, np.newaxis]).sum(axis=1) > 1)):
        yield Caution(
            "tied-likeliest", f"{name} gives two classes the most in {tied:,} cases; the first counts as called"
        )
    for label, calls in zip(rows.classes, model.confusion.predicted.tolist(), strict=True):
        if not calls:
            yield Caution("class-never-called", f"{name} never calls a case {label!r}")


COMPARED = (
    "overall_accuracy",
    "macro_recall",
    "macro_f1",
    "one_vs_rest_macro",
    "one_vs_one_macro",
    "brier",
    "log_loss",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MulticlassEvaluation(Tabular):
    """Several models of k classes on the same rows; `evaluation["name"]` is one of them.

    `comparisons` holds the paired differences of all models by measure, e.g. `comparisons["brier"]["a", "b"]`; it is
    empty for one model. `cautions` are what a careful analyst would notice. `dropped` counts rows left out on
    request, `clusters` the clusters that rows belong to, if any.
    """

    models: Mapping[str, MulticlassModel]
    classes: tuple[Any, ...]
    rows: int
    level: float
    comparisons: Mapping[str, Comparison]
    cautions: tuple[Caution, ...]
    dropped: int
    weighted: bool
    clusters: int | None

    def __getitem__(self, name: str) -> MulticlassModel:
        if not is_one_of(name, self.models):
            raise ArgumentError(f"there is no model {name!r}", f"pick one of {', '.join(self.models)}")
        return self.models[name]

    @property
    def best(self) -> tuple[str, ...]:
        """The models of the highest overall accuracy: all that tie, in the order given."""
        accuracy = {name: model.rates.overall_accuracy.estimate for name, model in self.models.items()}
        most = max(accuracy.values())
        return tuple(name for name, value in accuracy.items() if math.isclose(value, most, rel_tol=1e-12))

    def summary(self) -> str:
        """A table of all models, their paired differences, each model's classes, and the cautions."""
        return visible_lines(class_summary_text(self))

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain data."""
        return {
            "rows": self.rows,
            "dropped": self.dropped,
            "weighted": self.weighted,
            "clusters": self.clusters,
            "level": self.level,
            "classes": list(self.classes),
            "best": list(self.best),
            "models": {name: model.to_dict() for name, model in self.models.items()},
            "comparisons": {
                measure: [one.to_dict() for one in comparison.differences.values()]
                for measure, comparison in self.comparisons.items()
            },
            "cautions": [{"code": caution.code, "text": caution.text} for caution in self.cautions],
        }

    def to_json(self) -> str:
        """The same as JSON; classes that it has no word for, such as dates, are written as text."""
        return json.dumps(self.to_dict(), allow_nan=False, indent=2, default=str)

    def to_html(self, path: str | PathLike[str], *, title: str | None = None) -> None:
        """Write everything as one self-contained HTML file; needs the extra `report`."""
        lazy_import("report").write_page(self, path, title=title)

    def _repr_html_(self) -> str | None:
        try:
            found: str = lazy_import("report").framed(self)
        except MissingExtraError:  # notebooks then show the text
            return None
        return found

    def __str__(self) -> str:
        return self.summary()

    def _brief(self) -> str:
        return f"{', '.join(self.models)}; {self.rows:,} rows, {len(self.classes)} classes"

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(chain.from_iterable(model.intervals() for model in self.models.values()))


def evaluate_classes(
    labels: Any,
    probabilities: Any,
    *,
    classes: Classes = None,
    other: Any = None,
    predictions: Any = None,
    weights: Any = None,
    clusters: Any = None,
    level: float = 0.95,
    margin: float | Mapping[str, float] = 0.0,
    missing: Missing = "raise",
) -> MulticlassEvaluation:
    """Evaluate probability matrices: confusion matrix, one-vs-rest and one-vs-one AUC, losses, with intervals.

    Several models are compared pair by pair on the same rows, as `compare_classes` does, p-values adjusted after Holm
    within each measure.

    Parameters
    ----------
    labels
        The actual class of each row: texts, numbers or booleans.
    probabilities
        A matrix (a row per case, a column per class), or a mapping of model names to matrices.
    classes
        Which class each column belongs to: one list for all models, or a mapping of model names to lists, where a
        model may lack a class (it then gives it probability 0). Without it, the names of a frame's columns, and of
        anything else the labels in rising order.
    other
        The class that labels not among `classes` count as; without it they are refused.
    predictions
        The models' own calls, one column or a mapping; without them, the most probable class, the first of equals.
    weights
        Sampling weights, one per row.
    clusters
        What rows belong together (patients, users); only clusters count as independent.
    level
        Of all intervals.
    margin
        Differences within this margin are practically none: one number, or one by name of measure.
    missing
        "raise" refuses missing values; "drop" leaves those rows out for all models and counts them.

    Examples
    --------
    >>> labels = ["cat", "dog", "cow", "cat", "dog", "cow"]
    >>> matrix = [[.7, .1, .2], [.1, .2, .7], [.2, .6, .2], [.4, .5, .1], [.2, .2, .6], [.3, .4, .3]]
    >>> found = evaluate_classes(labels, matrix)
    >>> found["model"].confusion
    ConfusionMatrix([[1, 1, 0], [0, 2, 0], [0, 0, 2]], classes=['cat', 'cow', 'dog'])
    >>> print(found["model"].rates.overall_accuracy)
    0.8333 [0.4365, 0.9699]
    >>> both = evaluate_classes(labels, {"forest": matrix, "guess": [[.4, .3, .3]] * 6})
    >>> print(both.comparisons["one_vs_rest_macro"]["forest", "guess"])
    forest - guess  0.4583 [...]  p ...  undecided
    """
    require_level(level)
    margins = _margins(margin)
    rows = classified_rows(
        labels,
        probabilities,
        classes=classes,
        other=other,
        predictions=predictions,
        weights=weights,
        clusters=clusters,
        missing=missing,
    )
    require_two_clusters_of_classes(rows)
    pulls = {name: class_pulls(rows, name) for name in rows.matrices}
    models = {name: class_model(rows, name, pulls[name], level=level) for name in rows.matrices}
    several = COMPARED if len(models) > 1 else ()
    return MulticlassEvaluation(
        models=models,
        classes=rows.classes,
        rows=rows.index.size,
        level=level,
        comparisons=MappingProxyType(
            {
                measure: class_comparison(rows, pulls, measure, level=level, margin=margins[measure])
                for measure in several
            }
        ),
        cautions=class_remarks(rows, models),
        dropped=rows.dropped,
        weighted=rows.weight is not None,
        clusters=None if rows.cluster is None else rows.clusters,
    )


def _margins(margin: float | Mapping[str, float]) -> dict[str, float]:
    """The margin of every measure; 0 where a mapping names none."""
    given = margin if isinstance(margin, Mapping) else dict.fromkeys(COMPARED, margin)
    strange = [name for name in given if name not in COMPARED]
    if strange:
        known = "" if strange[0] not in CLASS_MEASURES else ", which compare_classes does"
        raise ArgumentError(
            f"models are not compared by {strange[0]!r} here{known}", f"name one of {', '.join(COMPARED)}"
        )
    for each in given.values():
        require_margin(each)
    return dict.fromkeys(COMPARED, 0.0) | dict(given)
