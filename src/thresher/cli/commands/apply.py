"""`thresher apply`: what a decision or a map says, as a column of new scores."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import click

from thresher.cli import options
from thresher.cli.options import PrintOptions, option


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    """The scores that are read, and the columns that are added."""

    score: str | None = option(
        metavar="COLUMN",
        help="Column of scores; by default that of the decision's model. Of k classes, with {class} in it.",
    )
    output: str = option("-o", **options.WRITTEN)
    column: str | None = option(metavar="NAME", help="Name of the new column; predicted (or probability) by default.")
    probability: bool = option(help="Add the decision's calibrated probability, too.")


@options.define(
    "apply",
    examples=[
        "thresher apply decision.json predictions.csv -o called.csv",
        "thresher apply decision.json predictions.csv --probability -o called.parquet",
    ],
)
@click.argument("artefact", metavar="DECISION", type=str)
@options.SOURCE
def command(artefact: str, source: str, how: ApplyOptions, printed: PrintOptions) -> None:
    """Do what a decision or a calibration map says to new scores.

    DECISION is what evaluate --decision or calibrate -o wrote. The rows of FILE come out in their order with a column
    added: 1 where the score is at least the threshold and 0 elsewhere, or the probability. Without -o
    they go to standard output, as CSV. Where probabilities speak against calls, a caution says how many.

    A decision of k classes reads a column of probabilities per class, named by the class, or MODEL_CLASS, and adds the
    action of least expected cost.
    """
    from thresher._internal.text import count_text, log_json, log_line
    from thresher.cli.outputs import STANDARD, place_of, require_outputs, write_with_columns

    if artefact == STANDARD:
        raise click.UsageError("the decision must be a file; - is for rows")
    if printed.as_json and how.output == STANDARD:
        raise click.UsageError("--json tells of the file written, so it needs --output FILE")
    require_outputs(source=source, output=None if how.output == STANDARD else how.output)

    from thresher.cli.console.screen import working
    from thresher.cli.inputs import read_artefact

    rule = read_artefact(artefact)
    new = rule.columns(how.score, how.column, probability=how.probability, place=place_of(source))
    with working("applying"):
        rows = write_with_columns(source, how.output, new)
    cautions = rule.cautions(rows)
    mapped = how.probability or rule.decision is None
    if printed.as_json:
        plain: dict[str, Any] = {"rows": rows, "positive": rule.positive, "output": how.output}
        if mapped:
            plain |= {"map": rule.map_name(), "against_probability": rule.against}
            plain["cautions"] = [caution.to_dict() for caution in cautions]
        click.echo(log_json(json.dumps(plain)))
    elif not printed.quiet:
        if how.output != STANDARD:
            positive = "" if rule.positive is None else f", {rule.positive:,} of them called positive"
            by = f"; probabilities by the {rule.map_name()}" if mapped else ""
            click.echo(
                log_line(f"wrote {click.format_filename(how.output)}: {count_text(rows, 'row')}{positive}{by}"),
                err=True,
            )
        for caution in cautions:
            click.echo(log_line(f"! {caution.text}  ({caution.code})"), err=True)
