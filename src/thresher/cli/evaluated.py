"""What `evaluate` and `demo` share: the evaluation itself, the files it is written to, and what is printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.text import Text

from thresher.choices import OperatingCondition
from thresher.cli.plain_text import plain_text
from thresher.cli.rows import LabelledScores
from thresher.cli.working import working
from thresher.evaluation import Evaluation, evaluate
from thresher.extras import room


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
            room("plots").write_figures(found, given["figures"], format=given["format"] or "svg")
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
        from thresher.cli.screen import console, show
        from thresher.cli.summary import summary

        screen = console()
        files = [Text.assemble(("wrote ", "bold"), plain_text(line)) for line in written]
        show(screen, [*summary(found, screen, title=title), files])
