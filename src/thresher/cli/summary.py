"""An evaluation in a terminal: the answer first, then the numbers behind it, then what to mind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from thresher.cli.differences import differences_table
from thresher.cli.picture import colours_of, roc_picture
from thresher.cli.plain_text import plain_text
from thresher.cli.rule_words import over
from thresher.cli.rule_words import threshold_text as threshold_number
from thresher.cli.screen import (
    FAINT,
    LONGEST_NAME,
    MIND,
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
from thresher.evaluation.first_screen import (
    asked,
    by_weight,
    classes_words,
    headline,
    mark,
    mix_words,
    reason,
    rows_mix_words,
    rule_cells,
    rule_heads,
    rules_caption,
    threshold_text,
    total_text,
)
from thresher.evaluation.summary import tiles_text

if TYPE_CHECKING:
    from thresher.evaluation import Evaluation, ModelEvaluation

_SHOWN = ("accuracy", "tpr", "fpr", "precision", "npv", "f1", "mcc", "lift")
_FURTHER = {
    "brier": "Brier",
    "miscalibration": "miscalibration",
    "average_precision": "avg. precision",
    "calibration_slope": "cal. slope",
    "calibration_intercept": "cal. intercept",
    "observed_expected": "O:E",
    "ici": "ICI",
}
_BESIDE = 96  # columns needed to draw the curve beside the table


def summary(evaluation: Evaluation, screen: Console, *, title: str) -> Iterator[Any]:
    """Blocks to show: data, decision, rules, what it rests on, models, curve and table, comparison, cautions."""
    yield data_line(evaluation, title)
    yield decision_panel(evaluation)
    yield rules_block(evaluation, screen.width)
    yield _behind(evaluation)
    aside = f"{mix_words(evaluation)}, intervals at level {evaluation.level:g}"
    yield [heading("Models", aside), *model_tables(evaluation, screen.width)]
    yield at_threshold(evaluation, screen)
    if any(model.given is not None for model in evaluation.models.values()):
        yield [heading("Predictions as given", "beside what the threshold would call"), given_table(evaluation)]
    if evaluation.comparison is not None:
        yield [heading("Differences in AUC", "paired"), differences_table(evaluation.comparison, screen.width)]
    if len(evaluation.models) > 1:
        yield [heading("Cheapest", "by how many false alarms a miss costs"), winners_table(evaluation)]
    yield cautions_text(by_weight(evaluation.cautions))


def data_line(evaluation: Evaluation, title: str) -> Text:
    """What was read."""
    ranking = evaluation[evaluation.decision.model].ranking
    text = Text.assemble((plain_text(title), "bold"), "\n")
    text.append(f"{evaluation.rows:,} rows: {classes_words(ranking)}")
    if evaluation.dropped:
        text.append(f"; {evaluation.dropped:,} dropped for missing values", style="bold")
    return text


def decision_panel(evaluation: Evaluation) -> Panel:
    """The decision in words: the sentence, why this model, the caution that matters most, and what was asked."""
    text = Text(plain_text(headline(evaluation)), style="bold")
    if why := reason(evaluation):
        text.append(f"\n{plain_text(why)}", style="not bold")
    for caution in by_weight(evaluation.cautions)[:1]:
        text.append("\nMind: ", style=MIND).append(plain_text(caution.text), style="not bold")
        text.append(f" ({caution.code})", style=f"not bold {FAINT}")
    words = asked(evaluation)
    text.append(f"\n{words[:1].upper()}{words[1:]}.", style=f"not bold {FAINT}")
    return Panel(text, title="Decision", title_align="left", border_style=colours_of(1)[0], padding=(0, 1))


def rules_block(evaluation: Evaluation, width: int) -> list[RenderableType]:
    """Every way to act per 1,000 cases: models, never, always, the usual cut-off, and the rule in use."""
    first, *heads = rule_heads(evaluation)
    names, cells = [], []
    for rule in evaluation.rules.values():
        (name, _), *others = rule_cells(evaluation, rule)
        names.append(name_text(name, "bold" if rule.saving is None else ""))
        cells.append([Text(cell).append(f" [{limits}]" if limits else "", style=FAINT) for cell, limits in others])
    caption = rules_caption(evaluation)
    title, _, rest = caption.partition(" cases ")
    line = plain_text(tiles_text(evaluation))
    return [Text(line), Text(), heading(f"{title} cases", rest), *_tables(first, heads, names, cells, width)]


def _behind(evaluation: Evaluation) -> list[RenderableType]:
    """What the decision rests on, and how far it holds."""
    decision = evaluation.decision
    text = Text("Expected cost per case ").append(interval_text(decision.expected_cost))
    text.append("; on rows it was not chosen on ").append(interval_text(decision.honest_cost)).append(".\n")
    text.append(f"The exact threshold is {threshold_number(decision.threshold)}. {_range(evaluation)}")
    if decision.runner_up is not None and decision.gap is not None:
        role, way = ("Runner-up", "more") if decision.gap >= 0 else ("Cheapest on these rows", "less")
        text.append(f"\n{role}: ").append(plain_text(decision.runner_up))
        text.append(f", {number(abs(decision.gap))} {way} per case.")
    if decision.runner_up is not None and decision.wins is not None:
        text.append(f" The decision is {wins_text(decision.wins)}.")
    return [heading("Behind it"), text]


def _range(evaluation: Evaluation) -> str:
    """Over which costs the answer stays: of several models the winner, of one its threshold."""
    if len(evaluation.models) > 1:
        return f"It stays the best model {over(evaluation.decision.cost_ratios, 'cost ratios')}."
    holds_for = evaluation.joint.choice.holds_for
    return "" if holds_for is None else f"This stays the best rule {over(holds_for, 'cost ratios')}."


def model_tables(evaluation: Evaluation, width: int) -> Iterator[RenderableType]:
    """All models, one line each; where columns do not fit beside each other, in several tables."""
    asked = dict.fromkeys(text for each in evaluation.quantities.values() for text in each)
    heads = ("AUC", "expected cost", "out-of-bag cost", "threshold", *_FURTHER.values(), *map(plain_text, asked))
    colours = colours_of(len(evaluation.models))
    names, cells = [], []
    for (name, model), colour in zip(evaluation.models.items(), colours, strict=True):
        names.append(Text.assemble((mark(evaluation, evaluation.rules[name]) or "  ", colour), name_text(name)))
        cells.append(_numbers(model) + [interval_text(evaluation.quantities[name][text]) for text in asked])
    return _tables("", heads, names, cells, width)


def _tables(
    first: str, heads: Sequence[str], names: Sequence[Text], cells: Sequence[Sequence[Text]], width: int
) -> Iterator[RenderableType]:
    """One line per name; where columns do not fit beside each other, in several tables."""
    longest = min(LONGEST_NAME, max(text.cell_len for text in names))
    wide = [max(len(head), *(row[i].cell_len for row in cells)) + 3 for i, head in enumerate(heads)]
    for i, part in enumerate(_packed(wide, width - longest)):
        if i:
            yield Text()
        lines = [[name, *(row[k] for k in part)] for name, row in zip(names, cells, strict=True)]
        yield table([first, *(heads[k] for k in part)], lines)


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
    others = (model.numbers.get(name) for name in _FURTHER)
    return [Text("–", style=FAINT) if each is None else interval_text(each) for each in (model.auc, *costs, *others)]


def at_threshold(evaluation: Evaluation, screen: Console) -> RenderableType:
    """The ROC curve with the chosen point, and what the chosen threshold does."""
    winner = evaluation[evaluation.decision.model]
    right = Group(
        heading(f"At threshold {threshold_text(evaluation, winner.name)}", f"{plain_text(winner.name)}, in these rows"),
        contingency_table(winner.table),
        Text(),
        _measures_table(evaluation, winner),
    )
    if not draws_dots(screen):
        return right
    beside = screen.width >= _BESIDE
    width = min(46, screen.width - 50) if beside else min(46, screen.width - 6)
    picture = Group(_roc_heading(evaluation, screen), _roc(evaluation, screen, width=width))
    if not beside:
        return Group(picture, Text(), right)
    return Columns([Padding(picture, (0, 4, 0, 0)), right], padding=0)


def _measures_table(evaluation: Evaluation, winner: ModelEvaluation) -> Table:
    """Measures at the declared mix; where that is not the rows', theirs beside."""
    columns = {mix_words(evaluation): winner.measures}
    if winner.mix_declared:
        columns[rows_mix_words(evaluation)] = winner.data_measures
    heads = [words.replace(" (", "\n(") for words in columns]
    return table(
        ("measure", *heads), [(name, *(interval_text(of[name]) for of in columns.values())) for name in _SHOWN]
    )


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
            counts = [Text(total_text(getattr(model.given, cell))) for cell in ("tp", "fn", "fp", "tn")]
            cost = model.choice.condition.expected_cost(model.given)
            lines.append([name_text(name), *counts, Text(number(model.given.accuracy)), Text(number(cost))])
    return table(("", "tp", "fn", "fp", "tn", "accuracy", "expected cost"), lines)


def contingency_table(cells: Any) -> Table:
    """Actual against called, with totals."""

    def counts(*values: Any) -> Sequence[Text]:
        return [Text(total_text(value)) for value in values]

    return table(
        ("", "called +", "called -", "total"),
        [
            (Text("actual +"), *counts(cells.tp, cells.fn, cells.Pos)),
            (Text("actual -"), *counts(cells.fp, cells.tn, cells.Neg)),
            (Text("total", style=FAINT), *counts(cells.tp + cells.fp, cells.fn + cells.tn, cells.Pos + cells.Neg)),
        ],
    )
