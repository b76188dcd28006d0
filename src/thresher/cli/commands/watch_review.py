"""`thresher watch review`: rows to label next."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from thresher.cli import options
from thresher.cli.commands.watch import STORE, StoreOptions, WatchPrintOptions
from thresher.cli.options import option
from thresher.errors import ArgumentError

_FORMULA = re.compile(r"^(?:[=@\t\r]|[+-](?![0-9.]+$))")  # what spreadsheets run


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """How many rows, and for what."""

    at_most: int = option(type=click.IntRange(min=1), default=200, help="How many rows can be labelled.")
    towards: Literal["recall", "cost", "precision"] = option(default="recall", help="What the labels are to tell.")
    sample: float | None = option(**options.SHARE, help="Draw this share of new rows without alarm from now on.")
    output: str | None = option("-o", metavar="FILE", help="Write the rows to a file (.csv, .tsv, .parquet).")


@options.define("review", examples=["thresher watch review fraud.db --at-most 200 --towards recall -o queue.csv"])
@STORE
def command(store: str, how: ReviewOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Choose rows to label next, and say what that buys.

    First come drawn rows that are due, then the queue of the last closed stretch: label it from the top, and skip none.
    """
    from thresher._internal.atomic import replace_file
    from thresher.cli.console.screen import present
    from thresher.cli.console.watch import review_blocks
    from thresher.cli.outputs import write_columns
    from thresher.watching import Watch

    watch = Watch(store, name=where.name, timeout=where.timeout)
    if how.sample is not None:
        watch.draw(how.sample)
    review = watch.review(how.at_most, towards=how.towards)
    if how.output is not None:
        kind = Path(how.output).suffix.lower()
        if kind not in (".csv", ".tsv", ".parquet"):
            raise ArgumentError(f"the format of {how.output} is not known", "name it .csv, .tsv or .parquet")
        formula = next((name for name in review.id if _FORMULA.match(name)), None)
        if formula is not None and kind != ".parquet":
            what = f"the id {formula[:40]!r} is a formula that a spreadsheet would run"
            raise ArgumentError(what, "write a .parquet file")
        columns = dict(review._columns())
        with replace_file(how.output) as path:
            write_columns(path, kind, columns)
        if not (printed.quiet or printed.as_json):
            click.echo(f"wrote {click.format_filename(how.output)}: {len(review):,} rows", err=True)
        if not printed.as_json:
            return
    present(printed, lambda: json.dumps(review.to_dict()), lambda _: review_blocks(review))
