"""An evaluation in a terminal: the answer first, then the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from thresher._internal.optional import lazy_import
from thresher._internal.text import plain_text
from thresher.choices import JointChoice
from thresher.cli.console.picture import colours_of, roc_picture
from thresher.cli.console.screen import (
    BAD,
    FAINT,
    GOOD,
    LONGEST_NAME,
    MIND,
    cautions_text,
    console,
    draws_dots,
    heading,
    interval_text,
    name_text,
    number,
    show,
    table,
    working,
)
from thresher.cli.inputs import LabelledScores, scanning
from thresher.errors import ArgumentError
from thresher.evaluation import Evaluation, ScannedEvaluation, evaluate, evaluate_scan
from thresher.evaluation.decision import saving_text, wins_text
from thresher.evaluation.engine import bounds_text
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
from thresher.evaluation.summary import rules_rows, tiles_text
from thresher.inference.comparison.difference import shown_p
from thresher.tables import OperatingCondition


def calls(threshold: float) -> tuple[str, str]:
    """What a threshold calls positive, in two parts of which the second weighs more.

    An infinite threshold is not compared with anything: it calls no case positive, or every one.

    >>> " ".join(calls(0.425)), " ".join(calls(math.inf)), " ".join(calls(-math.inf))
    ('call a case positive when its score is >= 0.425', 'call no case positive', 'call every case positive')
    """
    if math.isinf(threshold):
        return "call", f"{'no' if threshold > 0 else 'every'} case positive"
    return "call a case positive when its score is", f">= {threshold:.6g}"


def threshold_number(threshold: float, digits: int = 6) -> str:
    """A threshold as a number alone, for lists and tables.

    >>> threshold_number(1 / 3, 4), threshold_number(math.inf), threshold_number(-math.inf)
    ('0.3333', '∞', '-∞')
    """
    return f"{threshold:.{digits}g}".replace("inf", "∞")


def same_calls(interval: tuple[float, float]) -> str:
    """Which thresholds make the same calls: those above the lower end and up to the upper one.

    >>> same_calls((0.2, 0.5)), same_calls((0.5, math.inf)), same_calls((-math.inf, 0.2))
    ('every threshold above 0.2 and up to 0.5', 'every threshold above 0.5', 'every threshold up to 0.2')
    """
    low, high = told_apart(*interval, digits=6)
    ends = [f"above {low}"] * (interval[0] > -math.inf) + [f"up to {high}"] * (interval[1] < math.inf)
    return f"every threshold {' and '.join(ends)}".rstrip()


def told_apart(low: float, high: float, *, digits: int, kind: str = "g") -> tuple[str, str]:
    """Two numbers with so many digits, or with as many more as it takes to tell them apart.

    >>> told_apart(0.25, 1 / 3, digits=4), told_apart(0.123456, 0.123457, digits=4)
    (('0.25', '0.3333'), ('0.123456', '0.123457'))
    """
    while f"{low:.{digits}{kind}}" == f"{high:.{digits}{kind}}" and low != high:
        digits += 1
    return f"{low:.{digits}{kind}}", f"{high:.{digits}{kind}}"


def over(ratios: tuple[float, float], what: str) -> str:
    """A range of ratios, which lie between 0 and infinity.

    >>> over((0.5, 2), "cost ratios"), over((0, math.inf), "cost ratios")
    ('for cost ratios from 0.5 to 2', 'for all cost ratios')
    >>> over((0, 3), "cost ratios"), over((3, math.inf), "cost ratios")
    ('for cost ratios up to 3', 'for cost ratios of 3 and above')
    >>> over((1, 1), "cost ratios"), over((0.999999, 1), "cost ratios")
    ('for cost ratios of 1 alone', 'for cost ratios from 0.999999 to 1')
    """
    low, high = ratios
    if low == high:
        return f"for {what} of {low:.4g} alone"
    least, most = told_apart(low, high, digits=4)
    if low <= 0:
        return f"for all {what}" if high == math.inf else f"for {what} up to {most}"
    return f"for {what} of {least} and above" if high == math.inf else f"for {what} from {least} to {most}"


if TYPE_CHECKING:
    from thresher.inference import Comparison, Difference

_STYLES = {
    "better": GOOD,
    "worse": BAD,
    "higher": "bold",
    "lower": "bold",
    "practically equal": "bold",
    "undecided": FAINT,
}
_HEADS = ("first - second", "difference", "p", "adjusted p", "the first is")
_WITH_P, _WITH_ADJUSTED = 92, 80


def differences_table(comparison: Comparison, width: int) -> Table:
    """One line per pair; a narrow terminal leaves p-values out, which the verdict has heeded anyway."""
    left_out = {2, 3} if width < _WITH_ADJUSTED else {2} if width < _WITH_P else set()
    kept = [i for i in range(len(_HEADS)) if i not in left_out]
    lines = [_line(one) for one in comparison.differences.values()]
    return table([_HEADS[i] for i in kept], [[line[i] for i in kept] for line in lines])


def _line(one: Difference) -> tuple[Text, ...]:
    p, adjusted = (Text("–" if math.isnan(p) else shown_p(p)) for p in (one.p_value, one.p_adjusted))
    verdict = Text(one.verdict, style=_STYLES[one.verdict])
    pair = Text.assemble(plain_text(one.a), (" - ", FAINT), plain_text(one.b), overflow="fold")
    return pair, interval_text(one.interval), p, adjusted, verdict


def comparison_blocks(comparison: Comparison, width: int, *, mix: str = "") -> Iterator[Any]:
    """The measure of every model, every pair, and what the verdicts mean; `mix` is the class mix declared."""
    if mix:
        yield Text(f"Stated at {mix}.", style=FAINT)
    yield table(
        ("model", comparison.measure),
        [(name_text(name), Text(number(comparison.estimates[name]))) for name in comparison.names],
    )
    side = "neither side" if comparison.better == "neither" else comparison.better
    aside = f"paired, {side} is better, limits at level {comparison.level:g}"
    yield [heading("Differences", aside), differences_table(comparison, width)]
    remarks = [one.note for one in comparison.differences.values() if one.note]
    if comparison.margin:
        remarks.insert(0, f"Differences within {comparison.margin:g} count as practically none.")
    if comparison.dropped:
        remarks.append(f"{comparison.dropped:,} rows dropped for missing values.")
    yield [Text(plain_text(remark), style=FAINT) for remark in dict.fromkeys(remarks)]


if TYPE_CHECKING:
    from thresher.evaluation import Evaluation

_NOW = "◂ now"


def winners(joint: JointChoice) -> list[tuple[str, float, float]]:
    """Ranges of cost ratios with who is cheapest there, neighbours with the same winner joined.

    >>> from thresher import Ranking, choose
    >>> both = choose({"careful": Ranking.parse("[4+][1+,5-]"), "eager": Ranking.parse("[5+,1-][4-]")})
    >>> winners(both)
    [('careful', 0.0, 1.0), ('eager', 1.0, inf)]
    """
    found: list[tuple[str, float, float]] = []
    for each in joint.ranges:
        name = each.rule if each.rule != "threshold" else " or ".join(each.models)
        low = each.low
        if found and found[-1][0] == name:
            low = found.pop()[1]
        found.append((name, low, each.high))
    return found


def winners_table(evaluation: Evaluation) -> Table:
    """One line per range, the one that holds the condition's cost ratio marked."""
    now = evaluation.condition.cost_ratio
    lines = []
    for name, low, high in winners(evaluation.joint):
        mark = Text(_NOW if low <= now <= high else "", style=FAINT)
        lines.append((Text(plain_text(name)), Text(f"{low:.4g}"), Text(f"{high:.4g}"), mark))
    return table(("", "from", "to", ""), lines)


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


def evaluated_where_it_is(condition: OperatingCondition | None, given: Mapping[str, Any]) -> ScannedEvaluation:
    """The library's `evaluate_scan`, as the options say; what needs rows is refused before the work begins."""
    for option in ("output", "figures", "cluster", "current", "prefer"):
        if given.get(option):
            fix = "leave it out, or give a sample of the rows"
            raise ArgumentError(f"--{option} needs rows, and there are more than fit", fix)
    with scanning(given) as asked:
        settings = {name: given[name] for name in ("level", "margin", "trained_at")}
        return evaluate_scan(given["source"], condition=condition, **settings, **asked)


def present_scan(found: ScannedEvaluation, given: Mapping[str, Any], *, title: str) -> None:
    """Write the decision if asked for, and print the summary, or plain data, or nothing."""
    if given.get("decision"):
        found.decision.save(given["decision"])
    if given["as_json"]:
        click.echo(found.to_json())
    elif not given["quiet"]:
        screen = console()
        wrote = Text.assemble(("wrote ", "bold"), f"decision  {plain_text(given['decision'] or '')}")
        show(screen, [*scan_blocks(found, screen.width, title=title), *([wrote] if given.get("decision") else [])])


def scan_blocks(found: ScannedEvaluation, width: int, *, title: str) -> Iterator[Any]:
    """Blocks to show: data, decision, models with bounds, the table, differences, cautions."""
    winner = found[found.decision.model]
    ranking, decision = winner.ranking, found.decision
    text = Text.assemble((plain_text(title), "bold"), f"\n{ranking.Pos:,.10g} positive, {ranking.Neg:,.10g} negative")
    yield text.append(f"; {found.dropped:,} dropped for missing values" if found.dropped else "")
    rule, weighty = calls(decision.threshold)
    said = Text.assemble("Use ", (plain_text(decision.model), "bold"), f", and {rule} ", (weighty, "bold"), ".\n")
    said.append("Expected cost per case ").append(interval_text(decision.expected_cost))
    said.append(f"; the least that any threshold reaches is {bounds_text(winner.bounds['expected_cost'])}.\n")
    said.append(f"{saving_text(decision.saving, decision.baseline)}\n")
    yield said.append(f"It stays the best model {over(decision.cost_ratios, 'cost ratios')}.")
    first, *rules = rules_rows(found.rules, found.condition)
    yield table(first, [[name_text(row[0]), *map(Text, row[1:])] for row in rules])
    lines = [
        [
            name_text(name),
            interval_text(model.auc),
            Text(bounds_text(model.bounds["auc"])),
            interval_text(model.expected_cost),
            Text(threshold_number(model.choice.threshold)),
        ]
        for name, model in found.models.items()
    ]
    heads = ("", "AUC", "AUC within", "expected cost", "threshold")
    yield [heading("Models", f"intervals at level {found.level:g}; bounds are certain"), table(heads, lines)]
    yield [heading(f"At threshold {threshold_number(decision.threshold, 4)}"), contingency_table(winner.choice.table)]
    others = [(name, Text(bounds_text(each))) for name, each in winner.bounds.items()]
    yield [heading("Bounds", plain_text(decision.model)), table(("number", "within"), others)]
    if found.comparison is not None:
        yield [heading("Differences in AUC", "paired"), differences_table(found.comparison, width)]
        if decision.gap is not None:
            yield Text(f"Runner-up: {plain_text(decision.runner_up or '')}, {number(decision.gap)} more per case.")
    yield cautions_text(found.cautions)


def evaluated(rows: LabelledScores, condition: OperatingCondition | None, given: Mapping[str, Any]) -> Evaluation:
    """The library's `evaluate`, as the options say."""
    with working(f"evaluating {len(rows.labels):,} rows"):
        return evaluate(
            rows.labels,
            rows.scores,
            positive=rows.positive,
            condition=condition,
            predictions=rows.predictions or None,
            weights=rows.weights,
            clusters=rows.clusters,
            trained_at=given.get("trained_at"),
            measures=given.get("measures", ()),
            level=given["level"],
            current=rows.current,
            prefer=given.get("prefer"),
            margin=given.get("margin", 0.0),
            seed=given["seed"],
            missing=given["missing"],
        )


def write(found: Evaluation, given: Mapping[str, Any], *, title: str) -> list[str]:
    """Write the files asked for; each is whole or not there."""
    written = []
    if given.get("output"):
        with working("writing the report"):
            found.to_html(given["output"], title=title)
        written.append(f"report    {given['output']}")
    if given.get("figures"):
        with working("drawing the figures"):
            lazy_import("plots").write_figures(found, given["figures"], format=given["format"] or "svg")
        written.append(f"figures   {given['figures']}")
    if given.get("decision"):
        found.decision.save(given["decision"])
        written.append(f"decision  {given['decision']}")
    return written


def present(found: Evaluation, given: Mapping[str, Any], *, title: str, written: Sequence[str]) -> None:
    """Print the summary, or plain data, or nothing."""
    if given["as_json"]:
        click.echo(found.to_json())
    elif not given["quiet"]:
        from thresher.cli.console.screen import console, show

        screen = console()
        files = [Text.assemble(("wrote ", "bold"), plain_text(line)) for line in written]
        show(screen, [*summary(found, screen, title=title), files])
