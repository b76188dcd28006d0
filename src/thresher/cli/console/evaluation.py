"""An evaluation in a terminal: the answer first, then the numbers behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from thresher._internal.text import plain_text
from thresher.cli.console.picture import colours_of, roc_picture
from thresher.cli.console.screen import (
    FAINT,
    LONGEST_NAME,
    MIND,
    Cell,
    cautions_text,
    heading,
    interval_text,
    name_text,
    number,
    table,
    tables,
)
from thresher.cli.console.tables import (
    CELLS,
    calls,
    contingency_table,
    differences_table,
    ratio_range,
    threshold_number,
)
from thresher.evaluation import ModelEvaluation, ScannedEvaluation, ThresholdEvaluation
from thresher.evaluation import summary as phrases
from thresher.evaluation.decision import saving_text, wins_text
from thresher.evaluation.engine import bounds_text

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
_SIDE_BY_SIDE = 96  # columns needed to draw the curve left of the table
_NOW = "◂ now"


def summary(evaluation: ThresholdEvaluation, screen: Console, *, title: str) -> Iterator[Any]:
    """Blocks to show: the decision, rules, models, curve, comparison and cautions."""
    evaluation = evaluation.shortlist()
    ranking = evaluation[evaluation.decision.model].ranking
    yield _data_line(title, f"{evaluation.rows:,} rows: {phrases.classes_words(ranking)}", evaluation.dropped)
    yield decision_panel(evaluation)
    yield rules_block(evaluation, screen.width)
    yield [heading("Behind it"), _behind(evaluation)]
    aside = f"{phrases.mix_words(evaluation)}, intervals at level {evaluation.level:g}"
    hidden = phrases.hidden_words(evaluation)
    yield [heading("Models", aside), *_model_tables(evaluation, screen.width), *([Text(hidden)] if hidden else [])]
    yield _at_threshold(evaluation, screen)
    if any(model.predictions is not None for model in evaluation.models.values()):
        yield [heading("Predictions as given", "whatever the threshold would call"), _predictions(evaluation)]
    if evaluation.comparison is not None:
        remarks = [Text(plain_text(remark), style=FAINT) for remark in evaluation.comparison.remarks]
        differences = differences_table(evaluation.comparison, screen.width)
        yield [heading("Differences in AUC", "paired"), differences, *remarks]
    if len(evaluation.models) > 1:
        yield [heading("Cheapest", "by how many false alarms a miss costs"), _winners(evaluation)]
    yield cautions_text(phrases.by_importance(evaluation.cautions))


def _data_line(title: str, counts: str, dropped: int, style: str = "bold") -> Text:
    """What was read."""
    text = Text.assemble((plain_text(title), "bold"), f"\n{counts}")
    return text.append(f"; {dropped:,} dropped for missing values" if dropped else "", style=style)


def decision_panel(evaluation: ThresholdEvaluation) -> Panel:
    """The decision in words, with its reason, the main caution and the condition."""
    text = Text(plain_text(phrases.headline(evaluation)), style="bold")
    if why := phrases.reason(evaluation):
        text.append(f"\n{plain_text(why)}", style="not bold")
    for caution in phrases.by_importance(evaluation.cautions)[:1]:
        text.append("\nMind: ", style=MIND).append(plain_text(caution.text), style="not bold")
        text.append(f" ({caution.code})", style=f"not bold {FAINT}")
    words = phrases.condition_words(evaluation)
    text.append(f"\n{words[:1].upper()}{words[1:]}.", style=f"not bold {FAINT}")
    return Panel(text, title="Decision", title_align="left", border_style=colours_of(1)[0], padding=(0, 1))


def rules_block(evaluation: ThresholdEvaluation, width: int) -> list[RenderableType]:
    """Every way to act, per 1,000 cases."""
    first, *heads = phrases.rule_heads(evaluation)
    names, cells = [], []
    for rule in evaluation.rules.values():
        (name, _), *others = phrases.rule_cells(evaluation, rule)
        names.append(name_text(name, "bold" if rule.saving is None else ""))
        cells.append([Text(cell).append(f" [{limits}]" if limits else "", style=FAINT) for cell, limits in others])
    title, _, rest = phrases.rules_caption(evaluation).partition(" cases ")
    tiles = Text(plain_text(phrases.tiles_text(evaluation)))
    return [tiles, Text(), heading(f"{title} cases", rest), *tables(first, heads, names, cells, width)]


def _behind(evaluation: ThresholdEvaluation) -> Text:
    """What the decision rests on, and how far it holds."""
    decision = evaluation.decision
    text = Text("Expected cost per case ").append(interval_text(decision.expected_cost))
    text.append("; on rows it was not chosen on ").append(interval_text(decision.out_of_bag_cost)).append(".\n")
    text.append(f"The exact threshold is {threshold_number(decision.threshold)}. ")
    if len(evaluation.models) > 1:
        text.append(f"It stays the best model {ratio_range(decision.cost_ratios)}.")
    elif (holds_for := evaluation.joint.choice.holds_for) is not None:
        text.append(f"This stays the best rule {ratio_range(holds_for)}.")
    if decision.runner_up is not None and decision.gap is not None:
        role, way = ("Runner-up", "more") if decision.gap >= 0 else ("Cheapest on these rows", "less")
        text.append(f"\n{role}: ").append(plain_text(decision.runner_up))
        text.append(f", {number(abs(decision.gap))} {way} per case.")
    if decision.runner_up is not None and decision.wins is not None:
        text.append(f" The decision is {wins_text(decision.wins)}.")
    return text


def _model_tables(evaluation: ThresholdEvaluation, width: int) -> Iterator[RenderableType]:
    """All models, one line each."""
    quantities = dict.fromkeys(text for each in evaluation.quantities.values() for text in each)
    heads = ("AUC", "expected cost", "out-of-bag cost", "threshold", *_FURTHER.values(), *map(plain_text, quantities))
    colours = colours_of(len(evaluation.models))
    names, cells = [], []
    for (name, model), colour in zip(evaluation.models.items(), colours, strict=True):
        names.append(Text.assemble((phrases.mark(evaluation, evaluation.rules[name]) or "  ", colour), name_text(name)))
        further = (model.numbers.get(key) for key in _FURTHER)
        numbers = (model.auc, model.expected_cost, model.out_of_bag_cost, model.threshold, *further)
        numbers += tuple(evaluation.quantities[name][text] for text in quantities)
        cells.append([Text("–", style=FAINT) if each is None else interval_text(each) for each in numbers])
    return tables("", heads, names, cells, width)


def _at_threshold(evaluation: ThresholdEvaluation, screen: Console) -> RenderableType:
    """The ROC curve with the chosen point, and what the chosen threshold does."""
    winner = evaluation[evaluation.decision.model]
    right = Group(
        heading(
            f"At threshold {phrases.threshold_text(evaluation, winner.name)}",
            f"{plain_text(winner.name)}, in these rows",
        ),
        contingency_table(winner.table),
        Text(),
        _measures_table(evaluation, winner),
    )
    if screen.options.ascii_only:  # braille cannot be shown
        return right
    side_by_side = screen.width >= _SIDE_BY_SIDE
    width = min(46, screen.width - (50 if side_by_side else 6))
    picture = _roc(evaluation, screen, width=width)
    if not side_by_side:
        return Group(picture, Text(), right)
    return Columns([Padding(picture, (0, 4, 0, 0)), right], padding=0)


def _measures_table(evaluation: ThresholdEvaluation, winner: ModelEvaluation) -> Table:
    """Measures at the declared mix; where that is not the rows', theirs too."""
    columns = {phrases.mix_words(evaluation): winner.measures}
    if winner.mix_declared:
        columns[phrases.rows_mix_words(evaluation)] = winner.data_measures
    heads = [words.replace(" (", "\n(") for words in columns]
    return table(("measure", *heads), [(name, *(of[name] for of in columns.values())) for name in _SHOWN])


def _roc(evaluation: ThresholdEvaluation, screen: Console, *, width: int) -> Group:
    """The winner's curve on top of the others; without colours it is drawn alone."""
    names, winner = list(evaluation.models), evaluation.decision.model
    colours = dict(zip(names, colours_of(len(names)), strict=True))
    alone = screen.color_system is None or len(names) == 1
    if alone:
        text = heading("ROC curve", plain_text(winner))
    else:
        text = heading("ROC curves")
        for name, colour in colours.items():
            text.append("  ━ ", style=colour).append(plain_text(name)[:LONGEST_NAME])
        text.truncate(min(50, screen.width), overflow="ellipsis")
    shown = [winner, *(name for name in names if name != winner and not alone)]
    chosen = float(evaluation[winner].table.fpr), float(evaluation[winner].table.tpr)
    rankings, styles = [evaluation[name].ranking for name in shown], [colours[name] for name in shown]
    return Group(text, roc_picture(rankings, chosen, width=width, height=13, colours=styles))


def _predictions(evaluation: ThresholdEvaluation) -> Table:
    """What the models' own predictions do, whatever their scores are."""
    lines: list[list[Cell]] = []
    for name, model in evaluation.models.items():
        if model.predictions is not None:
            counts = [phrases.total_text(getattr(model.predictions, cell)) for cell in CELLS]
            cost = float(model.choice.condition.expected_cost(model.predictions))
            lines.append([name, *counts, float(model.predictions.accuracy), cost])
    return table(("", *CELLS, "accuracy", "expected cost"), lines)


def _winners(evaluation: ThresholdEvaluation) -> Table:
    """Who is cheapest at which cost ratios, the range of the condition marked."""
    ranges: list[tuple[str, float, float]] = []
    for each in evaluation.joint.ranges:
        name = each.rule if each.rule != "threshold" else " or ".join(each.models)
        low = ranges.pop()[1] if ranges and ranges[-1][0] == name else each.low  # neighbours of one winner are one
        ranges.append((name, low, each.high))
    now = evaluation.condition.cost_ratio
    lines = []
    for name, low, high in ranges:
        mark = Text(_NOW if low <= now <= high else "", style=FAINT)
        lines.append((Text(plain_text(name)), threshold_number(low, 4), threshold_number(high, 4), mark))
    return table(("", "from", "to", ""), lines)


def scan_blocks(scan: ScannedEvaluation, width: int, *, title: str) -> Iterator[Any]:
    """Blocks to show: the decision, models with bounds, differences and cautions."""
    winner = scan[scan.decision.model]
    ranking, decision = winner.ranking, scan.decision
    yield _data_line(title, f"{ranking.Pos:,.10g} positive, {ranking.Neg:,.10g} negative", scan.dropped, style="")
    rule, weighty = calls(decision.threshold)
    answer = Text.assemble("Use ", (plain_text(decision.model), "bold"), f", and {rule} ", (weighty, "bold"), ".\n")
    answer.append("Expected cost per case ").append(interval_text(decision.expected_cost))
    answer.append(f"; the least that any threshold reaches is {bounds_text(winner.bounds['expected_cost'])}.\n")
    answer.append(f"{saving_text(decision.saving, decision.baseline_words)}\n")
    yield answer.append(f"It stays the best model {ratio_range(decision.cost_ratios)}.")
    first, *rules = phrases.rules_rows(scan.rules, scan.condition)
    yield table(first, rules)
    lines: list[list[Cell]] = []
    for name, model in scan.models.items():
        area, threshold = bounds_text(model.bounds["auc"]), threshold_number(model.choice.threshold)
        lines.append([name, model.auc, area, model.expected_cost, threshold])
    heads = ("", "AUC", "AUC within", "expected cost", "threshold")
    yield [heading("Models", f"intervals at level {scan.level:g}; bounds are certain"), table(heads, lines)]
    yield [heading(f"At threshold {threshold_number(decision.threshold, 4)}"), contingency_table(winner.choice.table)]
    others = [(name, bounds_text(each)) for name, each in winner.bounds.items()]
    yield [heading("Bounds", plain_text(decision.model)), table(("number", "within"), others)]
    if scan.comparison is not None:
        yield [heading("Differences in AUC", "paired"), differences_table(scan.comparison, width)]
        if decision.gap is not None:
            yield Text(f"Runner-up: {plain_text(decision.runner_up or '')}, {number(decision.gap)} more per case.")
    yield cautions_text(scan.cautions)
