"""`thresher watch insert`: scored rows."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import click

from thresher.cli import options
from thresher.cli.commands.watch import STORE, StoreOptions, WatchPrintOptions
from thresher.cli.options import column_option, option


@dataclass(frozen=True, slots=True)
class InsertOptions:
    """The columns of rows."""

    id: str = column_option(default="id", help="Column of ids.")
    time: str = column_option(default="time", help="Column of the times at which rows were scored.")
    score: str | None = column_option(help="Column of scores; by default that of the decision's model.")
    cluster: str | None = column_option(help="Column that says which rows belong together.")
    propensity: str | None = column_option(help="Column of probabilities with which another system drew rows.")
    table: str | None = option(metavar="[SCHEMA.]TABLE", help="Table, where FILE is a database.")
    replace: bool = option(help="Replace rows that are known with another score.")


@options.define(
    "insert", examples=["thresher watch insert fraud.db scores/2026-11-18.parquet --id tx --time at --score p"]
)
@STORE
@options.SOURCE
def command(store: str, source: str, rows: InsertOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Add scored rows; known ones change nothing.

    FILE is a file, a folder, a glob, - or a database. 50,000 rows are one transaction, so a batch that is interrupted
    can be inserted again.
    """
    from thresher.cli.console.screen import working
    from thresher.watching import Watch

    watch = Watch(store, name=where.name, timeout=where.timeout)
    with working("inserting"):
        done = watch.insert(
            source,
            id=rows.id,
            time=rows.time,
            score=rows.score,
            cluster=rows.cluster,
            propensity=rows.propensity,
            table=tuple(rows.table.split(".")) if rows.table else None,
            replace=rows.replace,
        )
    if printed.as_json:
        click.echo(json.dumps(asdict(done)))
    elif not printed.quiet:
        late = f", {done.late:,} too late" if done.late else ""
        words = f"{done.rows:,} new, {done.again:,} known{late}; {done.alarms:,} alarms, {done.drawn:,} drawn to be"
        click.echo(f"{words} labelled", err=True)
