"""`thresher evaluate`: which model to deploy at which threshold, on the terminal and as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from thresher.cli.app import Door
from thresher.cli.options import (
    CLUSTER,
    CONDITION,
    CURRENT,
    LEVEL,
    PREDICTION,
    PREFER,
    PRINTED,
    QUANTITY,
    ROWS,
    SEED,
    SOURCE,
    TRAINED_AT,
    condition_given,
    operating_condition,
)


@click.command(
    "evaluate",
    cls=Door,
    examples=[
        "thresher evaluate predictions.csv --label malignant --score forest --score logistic --cost-ratio 10",
        "thresher evaluate predictions.csv --label malignant --score forest -o report.html --decision decision.json",
    ],
)
@SOURCE
@ROWS
@CLUSTER
@PREDICTION
@CONDITION
@TRAINED_AT
@LEVEL
@SEED
@CURRENT
@PREFER
@click.option("--margin", type=float, default=0.0, help="Differences in cost per case within this do not matter.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    **QUANTITY,
    help="A further quantity of every model, e.g. partial_auc[fpr<=0.1] or recall@fpr<=0.05. Repeat it for several.",
)
@click.option("--output", "-o", metavar="FILE", help="Write the interactive report, one HTML file.")
@click.option("--title", help="Of the report; the file's name unless told.")
@click.option("--figures", metavar="FOLDER", help="Write the figures into this folder.")
@click.option("--format", type=click.Choice(["pdf", "svg", "png"]), help="Of the figures; svg unless told.")
@click.option("--decision", metavar="FILE", help="Write the decision as JSON, for thresher apply.")
@PRINTED
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Say which model to deploy at which threshold, and how sure that is.

    FILE holds one row per case: a true label and the score of each model. CSV, TSV, Parquet, Arrow or JSON lines,
    plain or compressed; - reads from standard input. A database is a URL, or a file of DuckDB or SQLite, with --table.
    More rows than fit in memory are counted where they are, and what needs rows is left out.
    """
    from thresher.cli.outputs import require_outputs

    if given["format"] and not given["figures"]:
        raise click.UsageError("--format is of figures, and --figures FOLDER is not given", ctx)
    if given["title"] is not None and not given["output"]:
        raise click.UsageError("--title is of the report, and --output FILE is not given", ctx)
    files = {name: given[name] for name in ("figures", "output", "decision")}
    require_outputs(source=given["source"], **files)
    condition = operating_condition(given) if condition_given(given) else None

    from thresher.cli.console.evaluation import evaluated, present, write
    from thresher.cli.inputs import rows_that_fit
    from thresher.inference.comparison.difference import require_margin

    require_margin(given["margin"])  # even of one model, which is compared with nobody
    title = (given["table"] or _name(given["source"])) if given["title"] is None else given["title"]
    rows = rows_that_fit(given)
    if rows is None:
        if given["measures"]:
            raise click.UsageError("--measure needs rows that fit in memory; leave it out, or take a sample", ctx)
        from thresher.cli.console.evaluation import evaluated_where_it_is, present_scan

        present_scan(evaluated_where_it_is(condition, given), given, title=title)
        return
    found = evaluated(rows, condition, given)
    written = write(found, given, title=title)
    present(found, given, title=title, written=written)


def _name(source: str) -> str:
    return "standard input" if source == "-" else Path(source).name
