"""An evaluation of more rows than fit: made where they are, written and shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click
from rich.text import Text

from thresher.choices import OperatingCondition
from thresher.cli.differences import differences_table
from thresher.cli.plain_text import plain_text
from thresher.cli.rule_words import calls, over, threshold_text
from thresher.cli.scanned import scanning
from thresher.cli.screen import cautions_text, console, heading, interval_text, name_text, number, show, table
from thresher.cli.summary import contingency_table
from thresher.errors import ArgumentError
from thresher.evaluation import ScannedEvaluation, evaluate_scan
from thresher.evaluation.decision import saving_text
from thresher.evaluation.scanned_evaluation import bounds_text
from thresher.evaluation.summary import rules_rows


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
            Text(threshold_text(model.choice.threshold)),
        ]
        for name, model in found.models.items()
    ]
    heads = ("", "AUC", "AUC within", "expected cost", "threshold")
    yield [heading("Models", f"intervals at level {found.level:g}; bounds are certain"), table(heads, lines)]
    yield [heading(f"At threshold {threshold_text(decision.threshold, 4)}"), contingency_table(winner.choice.table)]
    others = [(name, Text(bounds_text(each))) for name, each in winner.bounds.items()]
    yield [heading("Bounds", plain_text(decision.model)), table(("number", "within"), others)]
    if found.comparison is not None:
        yield [heading("Differences in AUC", "paired"), differences_table(found.comparison, width)]
        if decision.gap is not None:
            yield Text(f"Runner-up: {plain_text(decision.runner_up or '')}, {number(decision.gap)} more per case.")
    yield cautions_text(found.cautions)
