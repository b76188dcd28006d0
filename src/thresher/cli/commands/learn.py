"""`thresher learn`: from a table to a folder with a calibrated model, its decision, its scores and a report."""

from __future__ import annotations

from typing import Any

import click

from thresher.cli.app import Door
from thresher.cli.options import CONDITION, LEVEL, PRINTED, SEED, SOURCE, TARGET, column_items, operating_condition


@click.command(
    "learn",
    cls=Door,
    examples=[
        "thresher learn tumours.csv --target tumour --positive malignant --cost-fn 5 --model logistic -o out/",
        "thresher learn tumours.csv --target tumour --positive malignant --model tree --type id=ignored --json",
    ],
)
@SOURCE
@TARGET
@click.option("--positive", metavar="LABEL", help="The positive label; bool and 0/1 need no word.")
@CONDITION
@click.option("--model", "models", metavar="NAME", multiple=True, help="Try this candidate model; all by default.")
@click.option("--prefer", metavar="MODEL", help="Take it if it may be best: simplest, first, or a model.")
@click.option("--type", "types", metavar="COLUMN=KIND", multiple=True, help="What a column is: ignored, text, ...")
@click.option("--order", "orders", metavar="COLUMN=A,B,...", multiple=True, help="Categories from lowest to highest.")
@click.option("--group", metavar="COLUMN", shell_complete=column_items, help="Column of what must not be torn apart.")
@click.option("--time", metavar="COLUMN", shell_complete=column_items, help="Column to test on later rows by.")
@click.option(
    "--missing",
    type=click.Choice(["indicator", "fill", "drop"]),
    default="indicator",
    show_default=True,
    help="Fill missing values and say where, only fill them, or drop rows that lack any.",
)
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Of the cross-validation.")
@click.option(
    "--curves/--no-curves", default=True, show_default=True, help="Draw the winner's learning and feature curves, too."
)
@click.option("--jobs", type=int, help="Fits that run at once; -1 for one per processor.")
@LEVEL
@SEED
@click.option("--output", "-o", metavar="FOLDER", help="Write the model, its decision, scores and report here.")
@click.option("--overwrite", is_flag=True, help="Replace a folder that learn wrote before.")
@PRINTED
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Learn a model and its threshold from a table, checked on untouched rows.

    FILE holds one row per case and a column to learn. A quarter of the rows is put aside; on the others several models
    and two baselines are compared on the same folds, and the one chosen is tried once on the rows put aside.
    """
    if given["overwrite"] and not given["output"]:
        raise click.UsageError("--overwrite is of the folder, and --output FOLDER is not given", ctx)
    condition = operating_condition(given)

    from thresher.cli.learning import learned, learning_table, require_feasible, write
    from thresher.cli.learning import present_of_learned as present

    require_feasible(given)
    table = learning_table(given)
    found, remarks = learned(table, condition, given)
    written = write(found, table, given)
    present(found, table, given, remarks=remarks, written=written)
