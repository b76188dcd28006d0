"""An evaluation in plain text, for a terminal or a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thresher.inference import Interval

if TYPE_CHECKING:
    from thresher.evaluation.evaluation import Evaluation
    from thresher.evaluation.model import ModelEvaluation


def summary_text(evaluation: Evaluation) -> str:
    """Data, a table of models, the table at the chosen threshold, comparison, decision, cautions."""
    winner = evaluation[evaluation.decision.model]
    parts = [_data(evaluation, winner), _models(evaluation), _at_threshold(winner)]
    if evaluation.comparison is not None:
        parts.append(f"Differences in AUC, paired:\n{evaluation.comparison}")
    parts.append(f"Decision\n{evaluation.decision}")
    if evaluation.cautions:
        parts.append("\n".join(["Mind", *(f"  {caution}" for caution in evaluation.cautions)]))
    return "\n\n".join(parts)


def _data(evaluation: Evaluation, winner: ModelEvaluation) -> str:
    ranking = winner.ranking
    dropped = f"; {evaluation.dropped:,} dropped for missing values" if evaluation.dropped else ""
    return (
        f"{evaluation.rows:,} rows{dropped}: {ranking.Pos:,.10g} positive, {ranking.Neg:,.10g} negative"
        f" (class ratio {ranking.class_ratio:.4g}). {evaluation.condition}\n"
        f"Intervals at level {evaluation.level:g}."
    )


def _models(evaluation: Evaluation) -> str:
    head = ["", "AUC", "Brier", "miscalibration", "expected cost", "out-of-bag", "threshold"]
    lines = [head]
    for name, model in evaluation.models.items():
        parts = model.decomposition
        lines.append(
            [
                name,
                short(model.auc),
                "" if model.brier is None else short(model.brier),
                "" if parts is None else f"{parts.miscalibration:.4f}",
                short(model.expected_cost),
                short(model.honest_cost),
                f"{model.threshold.estimate:.4g}",
            ]
        )
    return text_table(lines)


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
    """An interval in a table: three decimals, or the word undefined."""
    if interval.estimate != interval.estimate:
        return "undefined"
    return f"{interval.estimate:.3f} [{interval.lower:.3f}, {interval.upper:.3f}]"
