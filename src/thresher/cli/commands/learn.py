"""`thresher learn`: from a table to a folder with a calibrated model, its decision, its scores and a report."""

from __future__ import annotations

import json

import click

from thresher.cli import options
from thresher.cli.app import Door
from thresher.cli.options import ConditionOptions, LearnOptions, PrintOptions, TableOptions


@click.command(
    "learn",
    cls=Door,
    examples=[
        "thresher learn tumours.csv --target tumour --positive malignant --cost-fn 5 --model logistic -o out/",
        "thresher learn tumours.csv --target tumour --positive malignant --model tree --type id=ignored --json",
    ],
)
@options.SOURCE
@options.TARGET
@click.option("--positive", metavar="LABEL", help="The positive label; bool and 0/1 need no word.")
@options.CONDITION
@click.option("--model", "models", metavar="NAME", multiple=True, help="Try this one of the zoo; all unless told.")
@click.option("--prefer", metavar="MODEL", help="Take it if it may be best: simplest, first, or a model.")
@click.option("--type", "types", metavar="COLUMN=KIND", multiple=True, help="What a column is: ignored, text, ...")
@click.option("--order", "orders", metavar="COLUMN=A,B,...", multiple=True, help="Categories from lowest to highest.")
@click.option(
    "--group", metavar="COLUMN", shell_complete=options.column_items, help="Column of what must not be torn apart."
)
@click.option("--time", metavar="COLUMN", shell_complete=options.column_items, help="Column to test on later rows by.")
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
@options.LEVEL
@options.SEED
@click.option("--output", "-o", metavar="FOLDER", help="Write the model, its decision, scores and report here.")
@click.option("--overwrite", is_flag=True, help="Replace a folder that learn wrote before.")
@options.PRINTED
@click.pass_context
@options.typed
def command(
    ctx: click.Context,
    /,
    *,
    source: str,
    columns: TableOptions,
    condition: ConditionOptions,
    settings: LearnOptions,
    printed: PrintOptions,
    output: str | None,
    overwrite: bool,
) -> None:
    """Learn a model and its threshold from a table, checked on untouched rows.

    FILE holds one row per case and a column to learn. A quarter of the rows is put aside; on the others a zoo of models
    and two baselines are compared on the same folds, and the one chosen is tried once on the rows put aside.
    """
    if overwrite and not output:
        raise click.UsageError("--overwrite is of the folder, and --output FOLDER is not given", ctx)
    declared = condition.condition()

    from thresher.cli.console.learning import learned_summary, plain_learned
    from thresher.cli.console.screen import present
    from thresher.cli.learning import learn_from, read_table, require_feasible, write_folder

    require_feasible(level=settings.level, output=output, overwrite=overwrite)
    table = read_table(source, columns)
    learnt, remarks = learn_from(table, declared, settings, missing=columns.missing, quiet=printed.quiet)
    written = write_folder(learnt, table, output, source=source, overwrite=overwrite)
    more = {"dropped": table.dropped, "warnings": remarks, "written": written}
    present(
        printed,
        lambda: json.dumps(plain_learned(learnt) | more, allow_nan=False, default=str),
        lambda screen: learned_summary(
            learnt, width=screen.width, dropped=table.dropped, remarks=remarks, written=written
        ),
    )
