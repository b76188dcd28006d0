"""An evaluation in a terminal: the answer first, then the numbers behind it, then what to mind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from thresher.cli.differences import differences_table
from thresher.cli.picture import CHOSEN, NOT_CHOSEN, colours_of, roc_picture
from thresher.cli.plain_text import plain_text
from thresher.cli.rule_words import calls, over, threshold_text
from thresher.cli.screen import (
    FAINT,
    LONGEST_NAME,
    cautions_text,
    draws_dots,
    heading,
    interval_text,
    name_text,
    number,
    table,
)
from thresher.cli.winners import winners_table
from thresher.evaluation.decision import wins_text
from thresher.tables import contingency_at

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation, ModelEvaluation

_SHOWN = ("accuracy", "tpr", "fpr", "precision", "npv", "f1", "mcc", "lift")
HALF = 0.5
_WHY = {
    math.inf: ": under these costs no score pays for its false alarms",
    -math.inf: ": under these costs no score is low enough to risk a miss",
}
_BESIDE = 96  # columns needed to draw the curve beside the table


def summary(evaluation: Evaluation, screen: Console, *, title: str) -> Iterator[Any]:
    """Blocks to show: data, decision, models, curve and table, comparison, cautions."""
    yield data_line(evaluation, title)
    yield decision_panel(evaluation)
    yield [heading("Models", f"intervals at level {evaluation.level:g}"), *model_tables(evaluation, screen.width)]
    yield at_threshold(evaluation, screen)
    if any(model.given is not None for model in evaluation.models.values()):
        yield [heading("Predictions as given", "beside what the threshold would call"), given_table(evaluation)]
    if evaluation.comparison is not None:
        yield [heading("Differences in AUC", "paired"), differences_table(evaluation.comparison, screen.width)]
    if len(evaluation.models) > 1:
        yield [heading("Cheapest", "by how many false alarms a miss costs"), winners_table(evaluation)]
    yield cautions_text(evaluation.cautions)


def data_line(evaluation: Evaluation, title: str) -> Text:
    """What was read."""
    ranking = evaluation[evaluation.decision.model].ranking
    weighted = " (weighted)" if ranking.weighted else ""
    text = Text.assemble((plain_text(title), "bold"), "\n")
    text.append(f"{evaluation.rows:,} rows: {ranking.Pos:,.10g} positive, {ranking.Neg:,.10g} negative{weighted}")
    if evaluation.dropped:
        text.append(f"; {evaluation.dropped:,} dropped for missing values", style="bold")
    return text


def decision_panel(evaluation: Evaluation) -> Panel:
    """The decision in words."""
    decision = evaluation.decision
    cost, honest, condition = decision.expected_cost, decision.honest_cost, decision.condition
    said = "as in the data" if evaluation.condition.class_ratio is None else "as declared"
    rule, weighty = calls(decision.threshold)
    text = Text.assemble("Use ", (plain_text(decision.model), "bold"), f", and {rule} ", (weighty, "bold"))
    text.append(f"{_WHY.get(decision.threshold, '')}.\n")
    text.append(
        f"A miss costs {condition.cost_ratio:.4g} false alarm{'s' * (condition.cost_ratio != 1)};"
        f" class ratio {condition.class_ratio:.4g}, {said}.\n",
        style=FAINT,
    )
    text.append("Expected cost per case ").append(interval_text(cost))
    text.append("; on rows it was not chosen on ").append(interval_text(honest)).append(".\n")
    text.append(usual_cutoff(evaluation))
    text.append(_range(evaluation))
    if decision.runner_up is not None and decision.gap is not None:
        role, way = ("Runner-up", "more") if decision.gap >= 0 else ("Cheapest on these rows", "less")
        text.append(f"\n{role}: ").append(plain_text(decision.runner_up))
        text.append(f", {number(abs(decision.gap))} {way} per case.")
    if decision.runner_up is not None and decision.wins is not None:
        text.append(f" The decision is {wins_text(decision.wins)}.")
    return Panel(text, title="Decision", title_align="left", border_style=colours_of(1)[0], padding=(0, 1))


def _range(evaluation: Evaluation) -> str:
    """Over which costs the answer stays: of several models the winner, of one its threshold."""
    if len(evaluation.models) > 1:
        return f"It stays the best model {over(evaluation.decision.cost_ratios, 'cost ratios')}."
    holds_for = evaluation.joint.choice.holds_for
    return "" if holds_for is None else f"This stays the best rule {over(holds_for, 'cost ratios')}."


def usual_cutoff(evaluation: Evaluation) -> str:
    """What calling from 0.5 on would cost, where scores are probabilities and that is another rule."""
    winner = evaluation[evaluation.decision.model]
    low, high = winner.choice.interval
    if winner.brier is None or low < HALF <= high:
        return ""
    cost = winner.choice.condition.expected_cost(contingency_at(winner.ranking, HALF))
    return f"The usual cut-off of 0.5 would cost {number(cost)}.\n"


def model_tables(evaluation: Evaluation, width: int) -> Iterator[RenderableType]:
    """All models, one line each; where columns do not fit beside each other, in several tables."""
    heads = ("AUC", "expected cost", "out-of-bag cost", "threshold", "Brier", "miscalibration", "avg. precision")
    colours = colours_of(len(evaluation.models))
    names, cells = [], []
    for (name, model), colour in zip(evaluation.models.items(), colours, strict=True):
        mark = CHOSEN if name == evaluation.decision.model else NOT_CHOSEN
        names.append(Text.assemble((f"{mark} ", colour), name_text(name)))
        cells.append(_numbers(model))
    longest = min(LONGEST_NAME, max(text.cell_len for text in names))
    wide = [max(len(head), *(row[i].cell_len for row in cells)) + 3 for i, head in enumerate(heads)]
    for i, part in enumerate(_packed(wide, width - longest)):
        if i:
            yield Text()
        lines = [[name, *(row[k] for k in part)] for name, row in zip(names, cells, strict=True)]
        yield table(["", *(heads[k] for k in part)], lines)


def _packed(wide: Sequence[int], room: int) -> Iterator[list[int]]:
    """Columns in tables that are no wider than there is room: each takes the first that fit, one at least."""
    left = list(range(len(wide)))
    while left:
        part = [left.pop(0)]
        for column in left.copy():
            if sum(wide[k] for k in (*part, column)) <= room:
                part.append(column)
                left.remove(column)
        yield part


def _numbers(model: ModelEvaluation) -> list[Text]:
    costs = model.expected_cost, model.honest_cost, model.threshold
    others = (model.numbers.get(name) for name in ("brier", "miscalibration", "average_precision"))
    return [Text("–", style=FAINT) if each is None else interval_text(each) for each in (model.auc, *costs, *others)]


def at_threshold(evaluation: Evaluation, screen: Console) -> RenderableType:
    """The ROC curve with the chosen point, and what the chosen threshold does."""
    winner = evaluation[evaluation.decision.model]
    right = Group(
        heading(f"At threshold {threshold_text(winner.threshold.estimate, 4)}", plain_text(winner.name)),
        contingency_table(winner.table),
        Text(),
        table(("measure", "estimate"), [(name, interval_text(winner.measures[name])) for name in _SHOWN]),
    )
    if not draws_dots(screen):
        return right
    beside = screen.width >= _BESIDE
    width = min(46, screen.width - 50) if beside else min(46, screen.width - 6)
    picture = Group(_roc_heading(evaluation, screen), _roc(evaluation, screen, width=width))
    if not beside:
        return Group(picture, Text(), right)
    return Columns([Padding(picture, (0, 4, 0, 0)), right], padding=0)


def _roc_heading(evaluation: Evaluation, screen: Console) -> Text:
    names = list(evaluation.models)
    if screen.color_system is None or len(names) == 1:
        return heading("ROC curve", plain_text(evaluation.decision.model))
    text = heading("ROC curves")
    for name, colour in zip(names, colours_of(len(names)), strict=True):
        text.append("  ━ ", style=colour).append(plain_text(name)[:LONGEST_NAME])
    text.truncate(min(50, screen.width), overflow="ellipsis")
    return text


def _roc(evaluation: Evaluation, screen: Console, *, width: int) -> Text:
    """The winner's curve on top of the others; without colours it stands alone."""
    names = list(evaluation.models)
    colours = dict(zip(names, colours_of(len(names)), strict=True))
    winner = evaluation.decision.model
    shown = [winner, *(name for name in names if name != winner)]
    if screen.color_system is None:
        shown = [winner]
    chosen = float(evaluation[winner].table.fpr), float(evaluation[winner].table.tpr)
    rankings = [evaluation[name].ranking for name in shown]
    return roc_picture(rankings, chosen, width=width, height=13, colours=[colours[name] for name in shown])


def given_table(evaluation: Evaluation) -> Table:
    """What the models' own predictions do, whatever the scores say."""
    lines = []
    for name, model in evaluation.models.items():
        if model.given is not None:
            counts = [Text(f"{getattr(model.given, cell):,.10g}") for cell in ("tp", "fn", "fp", "tn")]
            cost = model.choice.condition.expected_cost(model.given)
            lines.append([name_text(name), *counts, Text(number(model.given.accuracy)), Text(number(cost))])
    return table(("", "tp", "fn", "fp", "tn", "accuracy", "expected cost"), lines)


def contingency_table(cells: Any) -> Table:
    """Actual against called, with totals."""

    def counts(*values: Any) -> Sequence[Text]:
        return [Text(f"{value:,.10g}") for value in values]

    return table(
        ("", "called +", "called -", "total"),
        [
            (Text("actual +"), *counts(cells.tp, cells.fn, cells.Pos)),
            (Text("actual -"), *counts(cells.fp, cells.tn, cells.Neg)),
            (Text("total", style=FAINT), *counts(cells.tp + cells.fp, cells.fn + cells.tn, cells.Pos + cells.Neg)),
        ],
    )
