"""Commands that ask a watch: promises, rows to label, a threshold, its history."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from thresher.cli import options
from thresher.cli.options import STORE, PrintOptions, StoreOptions, WatchPrintOptions, option

_QUEUES = (".csv", ".tsv", ".parquet")
_FORMULA = re.compile(r"[=\t\r]|[@+-].*[(!|]", re.DOTALL)  # what spreadsheets run; ids such as -x4Z_ are harmless


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The moment, and what is written."""

    as_of: str | None = option(metavar="TIME", help="A former moment, as it was known then.")
    output: str | None = option("-o", metavar="FILE", help="Write the page as one HTML file, too.")
    prometheus: str | None = option(metavar="FILE", help="Write gauges for Prometheus, too.")
    no_gate: bool = option(help="Judge young cohorts too; refused where delay tells the class.")
    strict: bool = option(help="Exit 1 unless every promise holds.")


@options.define(
    "check",
    examples=[
        "thresher watch check fraud.db --json",
        "thresher watch check fraud.db -o watch.html --prometheus fraud.prom",
    ],
)
@STORE
def check(store: str, how: CheckOptions, where: StoreOptions, printed: PrintOptions) -> None:
    """Say of every promise whether it holds: exit 0, 1 or 3.

    Exit 0: nothing is broken. 1: a promise is broken, or an alarm stands until it is acknowledged. 3: nothing is
    watched, because no rows or labels come, or no promise can be decided. 75: the store is in use, try again.
    """
    from thresher.cli.outputs import require_outputs

    require_outputs(source=store, output=how.output, prometheus=how.prometheus)

    from thresher._internal.atomic import write_file
    from thresher.cli.console.screen import present, working
    from thresher.cli.console.watch import check_blocks, prometheus_text

    watch = where.watch(store)
    with working("checking"):
        checked = watch.check(as_of=how.as_of, gate=not how.no_gate)
    if how.prometheus is not None:
        write_file(how.prometheus, prometheus_text(checked))
    if how.output is not None:
        checked.to_html(how.output)
    present(printed, checked.to_json, lambda _: check_blocks(checked))
    code = checked.exit_code
    if how.strict and any(one.verdict != "holds" for one in checked.promises.values()):
        code = 1
    if code:
        raise click.exceptions.Exit(code)


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """How many rows, and for what."""

    at_most: int = option(type=click.IntRange(min=1), default=200, help="How many rows can be labelled.")
    towards: Literal["recall", "cost", "precision"] = option(default="recall", help="What the labels are to tell.")
    sample: float | None = option(**options.SHARE, help="Draw this share of new rows without alarm from now on.")
    output: str | None = option("-o", metavar="FILE", help="Write the rows to a file (.csv, .tsv, .parquet).")


@options.define("review", examples=["thresher watch review fraud.db --at-most 200 --towards recall -o queue.csv"])
@STORE
def review(store: str, how: ReviewOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Choose rows to label next, and say what that buys.

    First come drawn rows that are due, then the queue of the last closed stretch: label it from the top, and skip none.
    """
    from thresher.cli.console.screen import present
    from thresher.cli.console.watch import review_blocks
    from thresher.cli.outputs import require_outputs
    from thresher.errors import ArgumentError

    require_outputs(source=store, output=how.output)
    kind = "" if how.output is None else Path(how.output).suffix.lower()
    if how.output is not None and kind not in _QUEUES:
        raise ArgumentError(f"the format of {how.output} is not known", "name it .csv, .tsv or .parquet")
    watch = where.watch(store)
    if how.sample is not None:
        watch.draw(how.sample)
    rows = watch.review(how.at_most, towards=how.towards)
    if how.output is not None:
        _write_queue(how.output, kind, rows)
        if not (printed.quiet or printed.as_json):
            click.echo(f"wrote {click.format_filename(how.output)}: {len(rows):,} rows", err=True)
        if not printed.as_json:
            return
    present(printed, lambda: json.dumps(rows.to_dict()), lambda _: review_blocks(rows))


def _write_queue(output: str, kind: str, rows: Any) -> None:
    from thresher._internal.atomic import replace_file
    from thresher.cli.outputs import write_columns
    from thresher.errors import ArgumentError

    formula = next((name for name in rows.id if _FORMULA.match(name)), None)
    if formula is not None and kind != ".parquet":
        what = f"the id {formula[:40]!r} is a formula that a spreadsheet would run"
        raise ArgumentError(what, "write a .parquet file")
    with replace_file(output) as path:
        write_columns(path, kind, dict(rows._columns()))


@options.define("rechoose", examples=["thresher watch rechoose fraud.db"])
@STORE
def rechoose(store: str, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Choose the threshold again, from what is known today.

    By the limits of the class ratio that scores give, and by drawn labels. Nothing is changed.
    """
    from thresher.cli.console.screen import lines_text, present

    choices = where.watch(store).rechoose()
    present(printed, lambda: json.dumps(choices.to_dict()), lambda _: [lines_text(str(choices))])


def _shown(value: Any) -> str:
    """A cell of what is stored; numbers to six digits, nothing for what is missing."""
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


@options.define("show", examples=["thresher watch show fraud.db"])
@STORE
def show(store: str, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Show settings, decisions, batches and checks."""
    from thresher.cli.console.screen import heading, name_text, present, table

    history = where.watch(store).history()

    def blocks() -> Iterator[Any]:
        yield heading(history["watch"])
        for name, value in history["settings"].items():
            if value not in (None, []):
                yield name_text(f"{name}: {', '.join(value) if isinstance(value, list) else value}")
        for title, key in (("Decisions", "decisions"), ("Batches", "batches"), ("Checks", "checks")):
            lines = history[key]
            if lines:
                names = list(lines[0])
                yield heading(title)
                yield table(names, [[_shown(line.get(name)) for name in names] for line in lines], left=len(names))

    present(printed, lambda: json.dumps(history), lambda _: blocks())
