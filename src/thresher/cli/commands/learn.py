"""`thresher learn`: from a table to a calibrated model with a threshold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import click

from thresher.cli import options
from thresher.cli.options import ConditionOptions, PrintOptions, column_option, option


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The target, the kinds of columns, and the columns of groups and times."""

    target: str | None = column_option(help="Column to learn.")
    positive: str | None = option(**options.POSITIVE)
    types: tuple[str, ...] = option(metavar="COLUMN=KIND", help="What a column is: ignored, text, ...")
    orders: tuple[str, ...] = option(metavar="COLUMN=A,B,...", help="Categories from lowest to highest.")
    group: str | None = column_option(help="Column of what must not be torn apart.")
    time: str | None = column_option(help="Column to test on later rows by.")
    missing: Literal["indicator", "fill", "drop"] = option(
        default="indicator", help="Fill missing values and say where, only fill them, or drop rows that lack any."
    )


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """How models are compared, and the folder to write."""

    models: tuple[str, ...] = option(metavar="NAME", help="Try this one of the candidates; all by default.")
    prefer: str | None = option(metavar="MODEL", help="Take it if it may be best: simplest, first, or a model.")
    folds: int = option(type=click.IntRange(min=2), default=5, help="Of the cross-validation.")
    curves: bool = option(
        "--curves/--no-curves", default=True, help="Draw the winner's learning and feature curves, too."
    )
    jobs: int | None = option(help="Fits that run at once; -1 for one per processor.")
    level: float = option(**options.LEVEL)
    seed: int = option(**options.SEED)
    output: str | None = option("-o", metavar="FOLDER", help="Write the model, its decision, scores and report here.")
    overwrite: bool = option(help="Replace a folder that learn wrote before.")


@options.define(
    "learn",
    examples=[
        "thresher learn tumours.csv --target tumour --positive malignant --cost-fn 5 --model logistic -o out/",
        "thresher learn tumours.csv --target tumour --positive malignant --model tree --type id=ignored --json",
    ],
)
@options.SOURCE
def command(
    source: str, columns: TableOptions, condition: ConditionOptions, how: LearnOptions, printed: PrintOptions
) -> None:
    """Learn a model and its threshold from a table, checked on untouched rows.

    FILE holds one row per case and a column to learn. A quarter of the rows is put aside; on the others several models
    and two baselines are compared on the same folds, and the one chosen is tried once on the rows put aside.
    """
    if how.overwrite and not how.output:
        raise click.UsageError("--overwrite is of the folder, and --output FOLDER is not given")
    declared = condition.condition()

    from thresher.cli.console.learning import learned_summary, plain_learned
    from thresher.cli.console.screen import present
    from thresher.cli.learning import learn_from, read_table, require_feasible, write_folder

    require_feasible(how)
    table, dropped = read_table(source, columns)
    learnt, remarks = learn_from(table, declared, how, quiet=printed.quiet)
    written = write_folder(learnt, table, how, source=source)
    more: dict[str, Any] = {"dropped": dropped, "remarks": remarks, "written": written}
    present(
        printed,
        lambda: json.dumps(plain_learned(learnt, **more), allow_nan=False, default=str),
        lambda screen: learned_summary(learnt, width=screen.width, **more),
    )
