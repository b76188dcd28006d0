"""`thresher watch label`: labels of rows."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

import click

from thresher.cli import options
from thresher.cli.commands.watch import STORE, StoreOptions, WatchPrintOptions
from thresher.cli.options import column_option, option


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """The columns of labels."""

    id: str = column_option(default="id", help="Column of ids.")
    label: str = column_option(default="label", help="Column of labels; an empty one withdraws.")
    time: str | None = column_option(help="Column of the times at which labels were given; now by default.")
    by: str = option(default="", metavar="NAME", help="Who labelled, where several do.")
    table: str | None = option(metavar="[SCHEMA.]TABLE", help="Table, where FILE is a database.")
    orphans: Literal["refuse", "keep"] = option(default="refuse", help="Where most labels match no row.")
    replace: bool = option(help="Replace labels of the same moment.")


@options.define(
    "label", examples=["thresher watch label fraud.db reviews.csv --id tx --label fraud --time reviewed_at"]
)
@STORE
@options.SOURCE
def command(store: str, source: str, labels: LabelOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Add labels, late, corrected or withdrawn.

    The label of a row is the last one by its time. Labels that come before their row wait for it.
    """
    from thresher.cli.console.screen import working
    from thresher.watching import Watch

    watch = Watch(store, name=where.name, timeout=where.timeout)
    with working("labelling"):
        done = watch.label(
            source,
            id=labels.id,
            label=labels.label,
            time=labels.time,
            source=labels.by,
            table=tuple(labels.table.split(".")) if labels.table else None,
            orphans=labels.orphans,
            replace=labels.replace,
        )
    if printed.as_json:
        click.echo(json.dumps(asdict(done)))
    elif not printed.quiet:
        parts = {name: count for name, count in asdict(done).items() if count or name == "new"}
        click.echo(", ".join(f"{count:,} {name}" for name, count in parts.items()), err=True)
