"""`thresher apply`: what a decision or a calibration map says, added to new scores as a column."""

from __future__ import annotations

import json
from typing import Any

import click

from thresher.cli.app import Door
from thresher.cli.options import PRINTED


@click.command(
    "apply",
    cls=Door,
    examples=[
        "thresher apply decision.json predictions.csv -o called.csv",
        "thresher apply decision.json predictions.csv --probability -o called.parquet",
    ],
)
@click.argument("artefact", metavar="DECISION", type=str)
@click.argument("source", metavar="FILE", type=str)
@click.option("--score", metavar="COLUMN", help="Column of scores; the decision's model unless told.")
@click.option("--output", "-o", default="-", metavar="FILE", help="Where to (.csv, .csv.gz, .tsv, .parquet, .arrow).")
@click.option("--column", metavar="NAME", help="Name of the new column; predicted (or probability) unless told.")
@click.option("--probability", is_flag=True, help="Add the decision's calibrated probability, too.")
@PRINTED
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Do what a decision or a calibration map says to new scores.

    DECISION is what evaluate --decision or calibrate -o wrote. The rows of FILE come out in their order with a column
    added: 1 where the score is at least the threshold and 0 elsewhere, or the probability. Without -o
    they go to standard output, as CSV. Where probabilities speak against calls, a caution says how many.
    """
    from thresher.cli.outputs import STANDARD, require_outputs

    source, target = given["source"], given["output"]
    if given["artefact"] == STANDARD:
        raise click.UsageError("the decision must be a file; - is for rows", ctx)
    if given["as_json"] and target == STANDARD:
        raise click.UsageError("--json tells of the file written, so it needs --output FILE", ctx)
    require_outputs(source=source, output=None if target == STANDARD else target)

    from thresher.cli.console.screen import working
    from thresher.cli.inputs import read_artefact
    from thresher.cli.outputs import write_with_columns

    artefact = read_artefact(given["artefact"])
    added, counted = artefact.columns(given["column"], probability=given["probability"])
    with working("applying"):
        rows = write_with_columns(source, target, score=artefact.score(given["score"]), added=added)
    cautions = artefact.cautions(counted, rows)
    mapped = given["probability"] or artefact.decision is None
    if given["as_json"]:
        plain: dict[str, Any] = {"rows": rows, "positive": counted.positive, "output": target}
        if mapped:
            plain |= {"map": artefact.map_name(), "against_probability": counted.against}
            plain["cautions"] = [{"code": caution.code, "text": caution.text} for caution in cautions]
        click.echo(json.dumps(plain))
    elif not given["quiet"]:
        if target != STANDARD:
            called = "" if counted.positive is None else f", {counted.positive:,} of them called positive"
            by = f"; probabilities by the {artefact.map_name()}" if mapped else ""
            click.echo(f"wrote {click.format_filename(target)}: {rows:,} rows{called}{by}", err=True)
        for caution in cautions:
            click.echo(f"! {caution.text}  ({caution.code})", err=True)
