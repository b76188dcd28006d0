"""An evaluation in plain text, for a terminal or a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thresher._internal.text import in_words, interval_text, number_text, per_thousand_text, percent_text, visible
from thresher.evaluation.first_screen import (
    asked,
    by_weight,
    classes_words,
    headline,
    mix_words,
    reason,
    rows_mix_words,
    rule_cells,
    rule_heads,
    rules_caption,
    threshold_text,
    tiles,
)
from thresher.inference import Interval
from thresher.inference.comparison.difference import shown_p
from thresher.tables import OperatingCondition

if TYPE_CHECKING:
    from thresher.evaluation.evaluate import Evaluation
    from thresher.evaluation.model import ModelEvaluation
    from thresher.evaluation.rules import Rule


def summary_text(evaluation: Evaluation) -> str:
    """The answer and a table of rules; then models, the table at the chosen threshold, comparison and cautions."""
    winner = evaluation[evaluation.decision.model]
    parts = [_answer(evaluation), _rules(evaluation), _models(evaluation), _at_threshold(evaluation, winner)]
    if evaluation.comparison is not None:
        parts.append(f"Differences in AUC, paired:\n{evaluation.comparison}")
    parts.append(f"Decision\n{evaluation.decision}")
    if evaluation.cautions:
        parts.append("\n".join(["Mind", *(f"  {caution}" for caution in by_weight(evaluation.cautions))]))
    return "\n\n".join(parts)


def _answer(evaluation: Evaluation) -> str:
    """The sentence, why it is this model, the caution that matters most, and what was asked."""
    ranking = evaluation[evaluation.decision.model].ranking
    dropped = f"; {evaluation.dropped:,} dropped for missing values" if evaluation.dropped else ""
    cases = (
        f"{evaluation.rows:,} rows{dropped}: {classes_words(ranking)}"
        f" ({percent_text(ranking.prevalence)} positive); {asked(evaluation)}."
    )
    mind = [f"Mind: {caution.text} ({caution.code})" for caution in by_weight(evaluation.cautions)[:1]]
    return "\n".join(line for line in (headline(evaluation), reason(evaluation), *mind, cases) if line)


def _rules(evaluation: Evaluation) -> str:
    rows = [
        [cell if not limits else f"{cell} [{limits}]" for cell, limits in rule_cells(evaluation, rule)]
        for rule in evaluation.rules.values()
    ]
    return f"{tiles_text(evaluation)}\n\n{rules_caption(evaluation)}\n{text_table([rule_heads(evaluation), *rows])}"


def tiles_text(evaluation: Evaluation) -> str:
    """The four numbers of the first screen in a line, with their limits."""
    *counts, cost = (
        (tile.what, tile.value + (f" ({tile.limits})" if tile.limits else "")) for tile in tiles(evaluation)
    )
    shown = [f"{value} {what}" for what, value in counts]
    return f"Per 1,000 cases: {'; '.join(shown)}; {cost[0]}: {cost[1]}."


def rules_text(rules: Mapping[str, Rule], condition: OperatingCondition) -> str:
    """What every rule does per 1,000 cases, and what the first one, that decided for, saves against it.

    >>> from thresher import evaluate
    >>> found = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], seed=1)
    >>> print(rules_text(found.rules, found.condition))
    per 1,000 cases  found  missed  false alarms  cost              saved
    model              333     167             0   378
    never                0     500             0   500    122 [−335, 700]
    always             500       0           500   500    122 [−734, 633]
    0.5                500       0           167   167  −212 [−712, 445]
    """
    return text_table(rules_rows(rules, condition))


def rules_rows(rules: Mapping[str, Rule], condition: OperatingCondition) -> list[list[str]]:
    """The same as rows of texts, the heads first."""
    rows = [["per 1,000 cases", "found", "missed", "false alarms", "cost", "saved"]]
    for rule in rules.values():
        per = rule.per(1000, condition)
        positives = per.found + per.missed
        counts = per_thousand_text(per.found, positives), per_thousand_text(per.missed, positives)
        alarms = per_thousand_text(per.false_alarms, 1000 - positives)
        saved = "" if rule.saving is None else _thousand(rule.saving)
        rows.append([rule.name, *counts, alarms, number_text(per.cost), saved])
    return rows


def _thousand(interval: Interval) -> str:
    return interval_text(interval.estimate, interval.lower, interval.upper, scale=1000)


def _models(evaluation: Evaluation) -> str:
    """A row per number and a column per model."""
    models = evaluation.models.values()
    known = [name for name in _NUMBERS if any(name in model.numbers for model in models)]
    rows = [[f"at level {evaluation.level:g}", *(model.name for model in models)]]
    rows += [
        [_NUMBERS[name], *("" if name not in model.numbers else short(model.numbers[name]) for model in models)]
        for name in known
    ]
    texts = dict.fromkeys(text for each in evaluation.quantities.values() for text in each)
    rows += [[text, *(short(evaluation.quantities[model.name][text]) for model in models)] for text in texts]
    rows.append(["expected cost", *(short(model.expected_cost) for model in models)])
    rows.append(["expected cost, out of bag", *(short(model.out_of_bag_cost) for model in models)])
    rows.append(["threshold", *(short(model.threshold) for model in models)])
    return text_table(rows)


_NUMBERS = {
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


def _at_threshold(evaluation: Evaluation, winner: ModelEvaluation) -> str:
    """The counts in the rows, and measures at the declared mix, with the rows' own beside them."""
    shown = ("accuracy", "tpr", "fpr", "precision", "f1", "mcc", "lift")
    columns = {mix_words(evaluation): winner.measures}
    if winner.mix_declared:
        columns[rows_mix_words(evaluation)] = winner.data_measures
    rows = [["measure", *columns], *([name, *(short(of[name]) for of in columns.values())] for name in shown)]
    at = f"{winner.name} at {threshold_text(evaluation, winner.name)}: counts in these rows"
    return f"{at}\n{winner.table}\n\n{text_table(rows)}"


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of texts in columns, the first aligned left and the others right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if i == 0 else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def short(interval: Interval) -> str:
    """An interval in a table, to the digits that its width deserves."""
    return interval_text(interval.estimate, interval.lower, interval.upper)


if TYPE_CHECKING:
    from thresher.evaluation.classes import MulticlassEvaluation, MulticlassModel


def class_summary_text(evaluation: MulticlassEvaluation) -> str:
    """Data, a table of models, their paired differences, each model's classes, cautions."""
    parts = [_data(evaluation) + _best(evaluation), _models_of_class_summary(evaluation)]
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


def _models_of_class_summary(evaluation: MulticlassEvaluation) -> str:
    models = evaluation.models.values()
    rows = [["", *(model.name for model in models)]]
    rows += [
        [told, *(short(each) for each in intervals)]
        for told, intervals in zip(
            _NUMBERS_OF_CLASS_SUMMARY, zip(*(_numbers(model) for model in models), strict=True), strict=True
        )
    ]
    return text_table(rows)


_NUMBERS_OF_CLASS_SUMMARY = (
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
