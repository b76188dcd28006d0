"""An evaluation of k classes in plain text, for a terminal or a log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thresher.evaluation.summary import short, text_table
from thresher.inference import Interval
from thresher.inference.difference import shown_p
from thresher.visible import in_words, visible

if TYPE_CHECKING:
    from thresher.evaluation.class_model import MulticlassModel
    from thresher.evaluation.multiclass import MulticlassEvaluation


def class_summary_text(evaluation: MulticlassEvaluation) -> str:
    """Data, a table of models, their paired differences, each model's classes, cautions."""
    parts = [_data(evaluation) + _best(evaluation), _models(evaluation)]
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


def _models(evaluation: MulticlassEvaluation) -> str:
    models = evaluation.models.values()
    rows = [["", *(model.name for model in models)]]
    rows += [
        [told, *(short(each) for each in intervals)]
        for told, intervals in zip(_NUMBERS, zip(*(_numbers(model) for model in models), strict=True), strict=True)
    ]
    return text_table(rows)


_NUMBERS = (
    "overall accuracy",
    "mean class accuracy (macro recall)",
    "macro precision",
    "macro F1",
    "weighted precision",
    "weighted F1",
    "MCC",
    "kappa",
    "AUC, one-vs-rest macro",
    "AUC, one-vs-rest weighted",
    "AUC, one-vs-one macro",
    "AUC, one-vs-one weighted",
    "Brier",
    "log loss",
)


def _numbers(model: MulticlassModel) -> tuple[Interval, ...]:
    rates, auc = model.rates, model.auc
    return (
        rates.overall_accuracy,
        rates.macro_recall,
        rates.macro_precision,
        rates.macro_f1,
        rates.weighted_precision,
        rates.weighted_f1,
        rates.mcc,
        rates.kappa,
        auc.one_vs_rest_macro,
        auc.one_vs_rest_weighted,
        auc.one_vs_one_macro,
        auc.one_vs_one_weighted,
        model.brier,
        model.log_loss,
    )


def _differences(evaluation: MulticlassEvaluation) -> str:
    rows = [["pair", "measure", "difference", "p, adjusted", "verdict on the first"]]
    for pair in next(iter(evaluation.comparisons.values())).differences:
        for measure, comparison in evaluation.comparisons.items():
            one = comparison[pair]
            told = short(one.interval), shown_p(one.p_adjusted), one.verdict
            rows.append([" - ".join(pair), measure, *told])
    return text_table(rows)


def _classes(model: MulticlassModel) -> str:
    """What each class is worth by itself: recall, precision, F1, and its AUC against the rest."""
    rows = [["class", "recall", "precision", "F1", "AUC against the rest"]]
    rows += [
        [
            visible(str(name)),
            *(short(of[name]) for of in _of_classes(model)),
        ]
        for name in model.confusion.classes
    ]
    return text_table(rows)


def _of_classes(model: MulticlassModel) -> tuple[Mapping[Any, Interval], ...]:
    return model.rates.recall, model.rates.precision, model.rates.f1, model.auc.one_vs_rest
