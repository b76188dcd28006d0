"""Evaluation of k classes: probability matrices of one or several models on the same rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher._internal.arguments import require_level
from thresher._internal.text import count_text, in_words, visible, visible_lines
from thresher.calibration.scores import SUM_TOLERANCE
from thresher.cautions import Caution
from thresher.curves import MulticlassAUC, multiclass_auc
from thresher.errors import ArgumentError
from thresher.evaluation.cautions import EXTREME, FEW, cautions_data, few_clusters
from thresher.evaluation.results import ModelResult, PageResult
from thresher.evaluation.summary import limits_text, text_table
from thresher.inference import ClassAucIntervals, Comparison, ConfusionIntervals, Interval, intervals
from thresher.inference.class_rows import Classes, ClassifiedRows, classified_rows, require_two_clusters_of_classes
from thresher.inference.comparison.classes import CLASS_MEASURES, class_comparison
from thresher.inference.comparison.difference import require_margin, shown_p
from thresher.inference.influence import (
    MATRIX_MEASURES,
    NOT_SUMMING,
    RowInfluence,
    class_influence,
    log_losses,
    squared_errors,
    sums_to_one,
)
from thresher.inference.interval import undefined
from thresher.inference.intervals.auc import AVERAGES, area_intervals
from thresher.inference.intervals.confusion import sampled_confusion_intervals
from thresher.inference.intervals.loss import mean_loss_interval
from thresher.inputs.columns import Missing
from thresher.inputs.labels import listed
from thresher.ranking import Floats, Ranking
from thresher.tables import ConfusionMatrix

RATES = ("overall_accuracy", *MATRIX_MEASURES)
LABELS: Mapping[str, str] = MappingProxyType(
    {
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
)
MACRO = ("macro_recall", "macro_f1", "one_vs_rest_macro", "one_vs_one_macro")
COMPARED = ("overall_accuracy", *MACRO, "brier", "log_loss")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MulticlassModel(ModelResult):
    """One model: its confusion matrix, its AUCs and its losses, with intervals.

    The confusion matrix is that of the most probable class (the first of equals), or of the predictions given.
    `rankings` are those of each class against the rest. `brier` and `log_loss` are undefined, and their notes say
    why, when rows of probabilities do not sum to 1.

    >>> from thresher.evaluation import evaluate_classes
    >>> result = evaluate_classes([0, 1, 2, 0, 1, 2], [[.8, .1, .1], [.2, .7, .1], [.1, .1, .8]] * 2)
    >>> result["model"]
    MulticlassModel('model', overall accuracy 1.0000 [0.6097, 1.0000])
    """

    name: str
    rankings: Mapping[Any, Ranking]
    confusion: ConfusionMatrix
    rates: ConfusionIntervals
    areas: MulticlassAUC
    auc: ClassAucIntervals
    brier: Interval
    log_loss: Interval

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data; lists are in the order of the confusion matrix's classes."""
        rates, auc = self.rates, self.auc
        by_class = {name: getattr(rates, name) for name in ("precision", "recall", "f1")}
        by_class["one_vs_rest"] = auc.one_vs_rest
        return {
            "confusion": self.confusion.to_dict(),
            **{name: getattr(rates, name).to_dict() for name in RATES},
            **{name: [each[label].to_dict() for label in self.confusion.classes] for name, each in by_class.items()},
            **{name: getattr(auc, name).to_dict() for name in AVERAGES},
            "brier": self.brier.to_dict(),
            "log_loss": self.log_loss.to_dict(),
        }

    @property
    def numbers(self) -> dict[str, Interval]:
        """The numbers of the model that belong to no class, by name, in the order of `LABELS`."""
        every = {name: getattr(self.rates, name) for name in RATES}
        every |= {name: getattr(self.auc, name) for name in AVERAGES}
        every |= {"brier": self.brier, "log_loss": self.log_loss}
        return {name: every[name] for name in LABELS}

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with its name, and the class it is of, if it is of one."""
        losses = [({"quantity": name, "class": None}, getattr(self, name)) for name in ("brier", "log_loss")]
        every = [*self.rates.intervals(), *self.auc.intervals(), *losses]
        return [({"model": self.name, **names}, interval) for names, interval in every]

    def _brief(self) -> str:
        return f"{self.name!r}, overall accuracy {self.rates.overall_accuracy}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MulticlassEvaluation(PageResult[MulticlassModel]):
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

    @property
    def best(self) -> tuple[str, ...]:
        """The models of the highest overall accuracy: all that tie, in the order given."""
        accuracy = {name: model.rates.overall_accuracy.estimate for name, model in self.models.items()}
        most = max(accuracy.values())
        return tuple(name for name, value in accuracy.items() if math.isclose(value, most, rel_tol=1e-12))

    def summary(self) -> str:
        """A table of all models, their paired differences, each model's classes, and the cautions."""
        return visible_lines(_summary_text(self))

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
            "cautions": cautions_data(self.cautions),
        }

    def _brief(self) -> str:
        return f"{', '.join(self.models)}; {self.rows:,} rows, {len(self.classes)} classes"


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
    >>> result = evaluate_classes(labels, matrix)
    >>> result["model"].confusion
    ConfusionMatrix([[1, 1, 0], [0, 2, 0], [0, 0, 2]], classes=['cat', 'cow', 'dog'])
    >>> print(result["model"].rates.overall_accuracy)
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
    influence = {name: class_influence(rows, name) for name in rows.matrices}
    models = {name: _model(rows, name, influence[name], level=level) for name in rows.matrices}
    several = COMPARED if len(models) > 1 else ()
    return MulticlassEvaluation(
        models=models,
        classes=rows.classes,
        rows=rows.index.size,
        level=level,
        comparisons=MappingProxyType(
            {
                measure: class_comparison(rows, influence, measure, level=level, margin=margins[measure])
                for measure in several
            }
        ),
        cautions=_cautions(rows, models),
        dropped=rows.dropped,
        weighted=rows.weight is not None,
        clusters=None if rows.cluster is None else rows.clusters,
    )


def _margins(margin: float | Mapping[str, float]) -> dict[str, float]:
    """The margin of every measure; 0 where a mapping names none."""
    margins = margin if isinstance(margin, Mapping) else dict.fromkeys(COMPARED, margin)
    strange = [name for name in margins if name not in COMPARED]
    if strange:
        known = "" if strange[0] not in CLASS_MEASURES else ", which compare_classes does"
        raise ArgumentError(
            f"models are not compared by {strange[0]!r} here{known}", f"name one of {', '.join(COMPARED)}"
        )
    for each in margins.values():
        require_margin(each)
    return dict.fromkeys(COMPARED, 0.0) | dict(margins)


def _model(rows: ClassifiedRows, name: str, influence: Mapping[str, RowInfluence], *, level: float) -> MulticlassModel:
    """Evaluate one model; `influence` are the influences of rows on its measures."""
    k, called = len(rows.classes), rows.calls[name]
    counts = np.bincount(rows.index * k + called, weights=rows.weight, minlength=k * k).reshape(k, k)
    matrix = ConfusionMatrix(counts, rows.classes, rows.dropped)
    plain = rows.weight is None and rows.cluster is None
    areas = multiclass_auc(rows.index, rows.matrices[name], classes=range(k), weights=rows.weight)
    brier, log_loss = _losses(rows, name, level)
    return MulticlassModel(
        name=name,
        rankings={label: rows.ranking(name, i) for i, label in enumerate(rows.classes)},
        confusion=matrix,
        rates=intervals(matrix, level=level)
        if plain
        else sampled_confusion_intervals(
            rows.index, called, rows.classes, weight=rows.weight, cluster=rows.cluster, level=level
        ),
        areas=replace(areas, classes=rows.classes, dropped=rows.dropped),
        auc=area_intervals(rows, name, influence, level=level),
        brier=brier,
        log_loss=log_loss,
    )


def _losses(rows: ClassifiedRows, name: str, level: float) -> tuple[Interval, Interval]:
    matrix = rows.matrices[name]
    if not sums_to_one(matrix):
        return undefined(level, NOT_SUMMING), undefined(level, NOT_SUMMING)

    def interval(loss: Floats, of_class: Floats, most: float) -> Interval:
        predicted = (matrix * of_class).sum(axis=1), (matrix * of_class**2).sum(axis=1)
        return mean_loss_interval(loss, predicted, weight=rows.weight, cluster=rows.cluster, level=level, most=most)

    # Were class c the true one, the squared error would be ½ (Σ p² + 1) - p of c.
    squared = (matrix**2).sum(axis=1, keepdims=True) / 2 + 0.5 - matrix
    certain = np.where(matrix > 0, matrix, 1.0)  # what cannot happen adds no loss
    return (
        interval(squared_errors(rows, name), squared, 1.0),
        interval(log_losses(rows, name), -np.log(certain), math.inf),
    )


def _cautions(rows: ClassifiedRows, models: Mapping[str, MulticlassModel]) -> tuple[Caution, ...]:
    """All cautions, about the data first and then model by model."""
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
            yield Caution("few-cases-of-class", f"class {name!r} has only {count_text(count, 'case')}")
    yield from few_clusters(None if rows.cluster is None else rows.clusters)
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
        count = int(rows.cases[rows.classes.index(label)])
        text = f"{name} has no column for {label!r}, the class of {count_text(count, 'case')}"
        yield Caution("class-without-column", text)
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
    if name in rows.predicted:
        if unlike := int(np.count_nonzero(matrix[np.arange(called.size), called] < top)):
            yield Caution(
                "predictions-not-likeliest",
                f"{unlike:,} of {called.size:,} predictions of {name} are not the class it gives most to",
            )
    elif tied := int(np.count_nonzero((matrix == top[:, np.newaxis]).sum(axis=1) > 1)):
        text = f"{name} gives two classes the most in {count_text(tied, 'case')}; the first counts as called"
        yield Caution("tied-likeliest", text)
    for label, calls in zip(rows.classes, model.confusion.predicted.tolist(), strict=True):
        if not calls:
            yield Caution("class-never-called", f"{name} never calls a case {label!r}")


def _summary_text(evaluation: MulticlassEvaluation) -> str:
    """Data, a table of models, their paired differences, each model's classes, cautions."""
    parts = [_data(evaluation) + _best(evaluation), _models_table(evaluation)]
    if evaluation.comparisons:
        parts.append(f"Differences, paired:\n{_differences(evaluation)}")
    parts += [f"{name}\n{model.confusion}\n\n{_classes(model)}" for name, model in evaluation.models.items()]
    if evaluation.cautions:
        parts.append("\n".join(["Mind", *(f"  {caution}" for caution in evaluation.cautions)]))
    return "\n\n".join(parts)


def _data(evaluation: MulticlassEvaluation) -> str:
    dropped = f" ({evaluation.dropped:,} dropped for missing values)" if evaluation.dropped else ""
    weighted = ", weighted" if evaluation.weighted else ""
    clustered = "" if evaluation.clusters is None else f", in {evaluation.clusters:,} clusters"
    return (
        f"{evaluation.rows:,} rows{dropped}{weighted}{clustered}, {len(evaluation.classes)} classes."
        f" Intervals at level {evaluation.level:g}."
    )


def _best(evaluation: MulticlassEvaluation) -> str:
    """Which model calls the most cases right, or which ones do."""
    if len(evaluation.models) == 1:
        return ""
    names, best = evaluation.best, evaluation[evaluation.best[0]]
    right = f"{best.confusion.correct.sum().item():,.10g} of {best.confusion.total:,.10g} cases right"
    if len(names) > 1:
        return f"\nTied for the highest overall accuracy: {in_words(names)}, each with {right}."
    return f"\nHighest overall accuracy: {names[0]}, with {right}."


def _models_table(evaluation: MulticlassEvaluation) -> str:
    columns = [model.numbers.values() for model in evaluation.models.values()]
    rows = [[label, *map(limits_text, row)] for label, *row in zip(LABELS.values(), *columns, strict=True)]
    return text_table([["", *evaluation.models], *rows])


def _differences(evaluation: MulticlassEvaluation) -> str:
    rows = [["pair", "measure", "difference", "p, adjusted", "verdict on the first"]]
    for pair in next(iter(evaluation.comparisons.values())).differences:
        for measure, comparison in evaluation.comparisons.items():
            one = comparison[pair]
            rows.append([" - ".join(pair), measure, limits_text(one.interval), shown_p(one.p_adjusted), one.verdict])
    return text_table(rows)


def _classes(model: MulticlassModel) -> str:
    """Recall, precision, F1 and AUC of each class against the rest."""
    columns = model.rates.recall, model.rates.precision, model.rates.f1, model.auc.one_vs_rest
    rows = [["class", "recall", "precision", "F1", "AUC against the rest"]]
    rows += [
        [visible(str(name)), *(limits_text(column[name]) for column in columns)] for name in model.confusion.classes
    ]
    return text_table(rows)
