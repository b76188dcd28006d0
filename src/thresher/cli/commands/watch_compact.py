"""`thresher watch compact`: old rows become counts."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from thresher.cli import options
from thresher.cli.commands.watch import STORE, StoreOptions, WatchPrintOptions
from thresher.cli.options import option


@dataclass(frozen=True, slots=True)
class CompactOptions:
    """Which rows."""

    before: str = option(metavar="TIME", required=True, help="Rows of periods that end by then.")


@options.define("compact", examples=["thresher watch compact fraud.db --before 2026-06-01"])
@STORE
def command(store: str, how: CompactOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Turn old rows into counts.

    Their labels are final then. Rows that may still get labels, or are being reviewed, stay.
    """
    from thresher.watching import Watch

    count = Watch(store, name=where.name, timeout=where.timeout).compact(before=how.before)
    if printed.as_json:
        click.echo(json.dumps({"rows": count}))
    elif not printed.quiet:
        click.echo(f"compacted {count:,} rows", err=True)
