"""An evaluation in plain text, for a terminal or a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from thresher.choices import OperatingCondition
from thresher.inference import Interval
from thresher.visible import interval_text

if TYPE_CHECKING:
    from thresher.evaluation.evaluation import Evaluation
    from thresher.evaluation.model import ModelEvaluation
    from thresher.evaluation.rules import Rule


def summary_text(evaluation: Evaluation) -> str:
    """Data, a table of models, the table at the chosen threshold, comparison, decision, cautions."""
    winner = evaluation[evaluation.decision.model]
    rules = rules_text(evaluation.rules, evaluation.condition)
    parts = [_data(evaluation, winner), _models(evaluation), rules, _at_threshold(winner)]
    if evaluation.comparison is not None:
        parts.append(f"Differences in AUC, paired:\n{evaluation.comparison}")
    parts.append(f"Decision\n{evaluation.decision}")
    if evaluation.cautions:
        parts.append("\n".join(["Mind", *(f"  {caution}" for caution in evaluation.cautions)]))
    return "\n\n".join(parts)


def rules_text(rules: Mapping[str, Rule], condition: OperatingCondition) -> str:
    """What every rule does per 1,000 cases, and what the first one, that decided for, saves against it.

    >>> from thresher import evaluate
    >>> found = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], seed=1)
    >>> print(rules_text(found.rules, found.condition))
    per 1,000 cases  found  missed  false alarms   cost                   saved
    model            333.3   166.7             0  378.4
    never                0     500             0    500     121.6 [-334.9, 700]
    always             500       0           500    500   121.6 [-734.4, 632.9]
    0.5                500       0         166.7  166.7  -211.8 [-711.8, 444.8]
    """
    rows = [["per 1,000 cases", "found", "missed", "false alarms", "cost", "saved"]]
    for rule in rules.values():
        saving = "" if rule.saving is None else thousand(rule.saving)
        rows.append([rule.name, *(f"{number:.4g}" for number in rule.per(1000, condition)), saving])
    return text_table(rows)


def thousand(interval: Interval) -> str:
    """An amount per 1,000 cases with its limits, where there are any."""
    estimate, low, high = (f"{1000 * end:.4g}" for end in (interval.estimate, interval.lower, interval.upper))
    return estimate if interval.lower != interval.lower else f"{estimate} [{low}, {high}]"


def _data(evaluation: Evaluation, winner: ModelEvaluation) -> str:
    ranking = winner.ranking
    dropped = f"; {evaluation.dropped:,} dropped for missing values" if evaluation.dropped else ""
    return (
        f"{evaluation.rows:,} rows{dropped}: {ranking.Pos:,.10g} positive, {ranking.Neg:,.10g} negative"
        f" (class ratio {ranking.class_ratio:.4g}). {evaluation.condition}\n"
        f"Intervals at level {evaluation.level:g}."
    )


def _models(evaluation: Evaluation) -> str:
    """A row per number and a column per model."""
    models = evaluation.models.values()
    known = [name for name in _NUMBERS if any(name in model.numbers for model in models)]
    rows = [["", *(model.name for model in models)]]
    rows += [
        [_NUMBERS[name], *("" if name not in model.numbers else short(model.numbers[name]) for model in models)]
        for name in known
    ]
    rows.append(["expected cost", *(short(model.expected_cost) for model in models)])
    rows.append(["expected cost, out of bag", *(short(model.honest_cost) for model in models)])
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
}


def _at_threshold(winner: ModelEvaluation) -> str:
    shown = ("accuracy", "tpr", "fpr", "precision", "f1", "mcc", "lift")
    rows = [["measure", f"{winner.name} at {winner.threshold.estimate:.4g}"]]
    rows += [[name, short(winner.measures[name])] for name in shown]
    return f"{winner.table}\n\n{text_table(rows)}"


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
