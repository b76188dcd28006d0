"""Evaluation of k classes: one or several models on the same rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from thresher._internal.arguments import require_level
from thresher._internal.text import count_text, in_words, visible, visible_lines
from thresher.calibration.scores import row_log_losses, row_squared_errors
from thresher.cautions import Caution
from thresher.curves import ClassAreas
from thresher.curves.class_areas import class_areas
from thresher.errors import ArgumentError
from thresher.evaluation.cautions import EXTREME, FEW, cautions_data, few_clusters
from thresher.evaluation.results import ModelResult, PageResult, interval_dicts, limits_text
from thresher.evaluation.summary import mind, text_table
from thresher.inference import ClassAucIntervals, Comparison, ConfusionIntervals, Interval, influence, intervals
from thresher.inference.class_rows import Classes, ClassifiedRows, classified_rows, require_two_clusters_of_classes
from thresher.inference.comparison.classes import CLASS_MEASURES, class_comparison
from thresher.inference.comparison.difference import require_margin, shown_p
from thresher.inference.interval import undefined
from thresher.inference.intervals.auc import AVERAGES, area_intervals
from thresher.inference.intervals.confusion import sampled_confusion_intervals
from thresher.inference.intervals.loss import mean_loss_interval
from thresher.inputs.columns import Missing
from thresher.inputs.labels import listed
from thresher.ranking import Floats, Ranking
from thresher.ranking.segments import SUM_TOLERANCE
from thresher.tables import ConfusionMatrix

RATES = ("overall_accuracy", *influence.MATRIX_MEASURES)
LABELS = {
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
    areas: ClassAreas
    auc: ClassAucIntervals
    brier: Interval
    log_loss: Interval

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data; lists are in the order of the classes."""
        by_class = {name: getattr(self.rates, name) for name in ("precision", "recall", "f1")}
        by_class["one_vs_rest"] = self.auc.one_vs_rest
        return {
            "confusion": self.confusion.to_dict(),
            **interval_dicts({name: getattr(self.rates, name) for name in RATES}),
            **{name: [each[label].to_dict() for label in self.confusion.classes] for name, each in by_class.items()},
            **interval_dicts({name: getattr(self.auc, name) for name in AVERAGES}),
            **interval_dicts({"brier": self.brier, "log_loss": self.log_loss}),
        }

    @property
    def numbers(self) -> dict[str, Interval]:
        """The numbers that belong to no class, in the order of `LABELS`."""
        sources = dict.fromkeys(RATES, self.rates) | dict.fromkeys(AVERAGES, self.auc)
        return {name: getattr(sources.get(name, self), name) for name in LABELS}

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every number with its name, and the class it is of, if it is of one."""
        losses = [({"quantity": name, "class": None}, getattr(self, name)) for name in ("brier", "log_loss")]
        every = [*self.rates.intervals(), *self.auc.intervals(), *losses]
        return [({"model": self.name, **names}, interval) for names, interval in every]

    def _brief(self) -> str:
        return f"{self.name!r}, overall accuracy {self.rates.overall_accuracy}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MulticlassEvaluation(PageResult[MulticlassModel]):
    """Several models of k classes on the same rows, each by its name.

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
        """Models, their paired differences, each model's classes, and the cautions."""
        columns = [model.numbers.values() for model in self.models.values()]
        numbers = [[label, *map(limits_text, row)] for label, *row in zip(LABELS.values(), *columns, strict=True)]
        parts = [_data_words(self), text_table([["", *self.models], *numbers])]
        if self.comparisons:
            rows = [["pair", "measure", "difference", "p, adjusted", "verdict on the first"]]
            for pair in next(iter(self.comparisons.values())).differences:
                for measure, one in ((measure, each[pair]) for measure, each in self.comparisons.items()):
                    p_value = shown_p(one.p_adjusted)
                    rows.append([" - ".join(pair), measure, limits_text(one.interval), p_value, one.verdict])
            parts.append(f"Differences, paired:\n{text_table(rows)}")
        parts += [f"{name}\n{model.confusion}\n\n{_classes(model)}" for name, model in self.models.items()]
        return visible_lines("\n\n".join([*parts, *mind(self.cautions)]))

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
    """Evaluate probability matrices of k classes, each number with its interval.

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
    weights, clusters
        Sampling weights, and what rows belong together (patients, users); only clusters count as independent.
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
    of_rows = {name: influence.class_influence(rows, name) for name in rows.matrices}
    models = {name: _model(rows, name, of_rows[name], level=level) for name in rows.matrices}
    return MulticlassEvaluation(
        models=models,
        classes=rows.classes,
        rows=rows.index.size,
        level=level,
        comparisons={
            measure: class_comparison(rows, of_rows, measure, level=level, margin=margins[measure])
            for measure in (COMPARED if len(models) > 1 else ())
        },
        cautions=(*_on_data(rows, models), *chain(*(_on_model(rows, model) for model in models.values()))),
        dropped=rows.dropped,
        weighted=rows.weight is not None,
        clusters=None if rows.cluster is None else rows.clusters,
    )


def _margins(margin: float | Mapping[str, float]) -> dict[str, float]:
    """The margin of every measure; 0 where a mapping names none."""
    margins = margin if isinstance(margin, Mapping) else dict.fromkeys(COMPARED, margin)
    for name, each in margins.items():
        if name not in COMPARED:
            known = ", which compare_classes does" if name in CLASS_MEASURES else ""
            fix = f"name one of {', '.join(COMPARED)}"
            raise ArgumentError(f"models are not compared by {name!r} here{known}", fix)
        require_margin(each)
    return dict.fromkeys(COMPARED, 0.0) | dict(margins)


def _model(
    rows: ClassifiedRows, name: str, of_rows: Mapping[str, influence.RowInfluence], *, level: float
) -> MulticlassModel:
    """Evaluate one model; `of_rows` are the influences of rows on its measures."""
    k, calls = len(rows.classes), rows.calls[name]
    counts = np.bincount(rows.index * k + calls, weights=rows.weight, minlength=k * k).reshape(k, k)
    matrix = ConfusionMatrix(counts, rows.classes, rows.dropped)
    if rows.weight is None and rows.cluster is None:
        rates = intervals(matrix, level=level)
    else:
        rates = sampled_confusion_intervals(
            rows.index, calls, rows.classes, weight=rows.weight, cluster=rows.cluster, level=level
        )
    brier, log_loss = _losses(rows, name, level)
    return MulticlassModel(
        name=name,
        rankings={label: rows.ranking(name, i) for i, label in enumerate(rows.classes)},
        confusion=matrix,
        rates=rates,
        areas=class_areas(rows.classes, matrix.actual, partial(rows.ranking, name), dropped=rows.dropped),
        auc=area_intervals(rows, name, of_rows, level=level),
        brier=brier,
        log_loss=log_loss,
    )


def _losses(rows: ClassifiedRows, name: str, level: float) -> tuple[Interval, Interval]:
    matrix = rows.matrices[name]
    if not influence.sums_to_one(matrix):
        return undefined(level, influence.NOT_SUMMING), undefined(level, influence.NOT_SUMMING)

    def interval(loss: Floats, of_class: Floats, most: float) -> Interval:
        predicted = (matrix * of_class).sum(axis=1), (matrix * of_class**2).sum(axis=1)
        return mean_loss_interval(loss, predicted, weight=rows.weight, cluster=rows.cluster, level=level, most=most)

    # Were class c the true one, the squared error would be ½ (Σ p² + 1) - p of c.
    squared = (matrix**2).sum(axis=1, keepdims=True) / 2 + 0.5 - matrix
    certain = np.where(matrix > 0, matrix, 1.0)  # what cannot happen adds no loss
    return (
        interval(row_squared_errors(matrix, rows.index), squared, 1.0),
        interval(row_log_losses(matrix, rows.index), -np.log(certain), math.inf),
    )


def _on_data(rows: ClassifiedRows, models: Mapping[str, MulticlassModel]) -> Iterator[Caution]:
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
        pooled = f"{listed(rows.pooled)} ({rows.pooled_rows:,} of {rows.index.size:,} rows)"
        yield Caution("pooled-labels", f"labels that are no class of their own were pooled: {pooled}")
    right = {name: float(model.confusion.correct.sum()) for name, model in models.items()}
    most = max(right.values())
    tied = [name for name, number in right.items() if math.isclose(number, most, rel_tol=1e-12)]
    if len(tied) > 1:
        what = f"{most:,.10g} of {models[tied[0]].confusion.total:,.10g} cases"
        yield Caution("tied-models", f"{in_words(tied)} call as many cases right, {what}; none of them is best")


def _on_model(rows: ClassifiedRows, model: MulticlassModel) -> Iterator[Caution]:
    name, size = model.name, rows.index.size
    matrix = rows.matrices[name]
    for label in rows.absent[name]:
        count = int(rows.cases[rows.classes.index(label)])
        text = f"{name} has no column for {label!r}, the class of {count_text(count, 'case')}"
        yield Caution("class-without-column", text)
    off = np.flatnonzero(np.abs(matrix.sum(axis=1) - 1) > SUM_TOLERANCE)
    if off.size:
        first = f"the first sums to {matrix[off[0]].sum():.6g}"
        yield Caution("rows-not-summing", f"{off.size:,} of {size:,} rows of {name} do not sum to 1 ({first})")
    if wrong := int(np.count_nonzero(matrix[np.arange(size), rows.index] == 0)):
        what = f"{wrong:,} of {size:,} cases got probability 0 from {name} for what they are"
        yield Caution("certain-and-wrong", what)
    yield from _on_calls(rows, model)
    if (matrix == matrix[0]).all():
        yield Caution("one-score", f"{name} gives every case the same probabilities")
        return
    for label, area in model.auc.one_vs_rest.items():
        if area.estimate < 0.5:
            yield Caution("auc-below-half", f"{name} has AUC {area.estimate:.3f} for {label!r} against the rest")


def _on_calls(rows: ClassifiedRows, model: MulticlassModel) -> Iterator[Caution]:
    name, size = model.name, rows.index.size
    matrix = rows.matrices[name]
    top = matrix.max(axis=1)
    if name in rows.predicted:
        if unlike := int(np.count_nonzero(matrix[np.arange(size), rows.calls[name]] < top)):
            what = f"{unlike:,} of {size:,} predictions of {name} are not the class it gives most to"
            yield Caution("predictions-not-likeliest", what)
    elif tied := int(np.count_nonzero((matrix == top[:, np.newaxis]).sum(axis=1) > 1)):
        text = f"{name} gives two classes the most in {count_text(tied, 'case')}; the first counts as called"
        yield Caution("tied-likeliest", text)
    for label, number in zip(rows.classes, model.confusion.predicted.tolist(), strict=True):
        if not number:
            yield Caution("class-never-called", f"{name} never calls a case {label!r}")


def _data_words(evaluation: MulticlassEvaluation) -> str:
    """What was read, and which model calls the most cases right, or which ones do."""
    dropped = f" ({evaluation.dropped:,} dropped for missing values)" if evaluation.dropped else ""
    weighted = ", weighted" if evaluation.weighted else ""
    clustered = "" if evaluation.clusters is None else f", in {evaluation.clusters:,} clusters"
    rows = f"{evaluation.rows:,} rows{dropped}{weighted}{clustered}, {len(evaluation.classes)} classes."
    words = f"{rows} Intervals at level {evaluation.level:g}."
    if len(evaluation.models) == 1:
        return words
    names, best = evaluation.best, evaluation[evaluation.best[0]].confusion
    right = f"{best.correct.sum().item():,.10g} of {best.total:,.10g} cases right"
    if len(names) > 1:
        return f"{words}\nTied for the highest overall accuracy: {in_words(names)}, each with {right}."
    return f"{words}\nHighest overall accuracy: {names[0]}, with {right}."


def _classes(model: MulticlassModel) -> str:
    """Recall, precision, F1 and AUC of each class against the rest."""
    columns = model.rates.recall, model.rates.precision, model.rates.f1, model.auc.one_vs_rest
    rows = [[visible(str(name)), *(limits_text(of[name]) for of in columns)] for name in model.confusion.classes]
    return text_table([["class", "recall", "precision", "F1", "AUC against the rest"], *rows])
