"""`thresher watch acknowledge`: an alarm that was seen."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from thresher.cli import options
from thresher.cli.commands.watch import STORE, StoreOptions, WatchPrintOptions
from thresher.cli.options import option


@dataclass(frozen=True, slots=True)
class NoteOptions:
    """What to remember of the alarm."""

    note: str = option(default="", metavar="TEXT", help="Why it was raised, and what was done.")


@options.define("acknowledge", examples=['thresher watch acknowledge fraud.db precision --note "new fraud ring"'])
@STORE
@click.argument("promise", metavar="PROMISE", type=str)
def command(store: str, promise: str, how: NoteOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Acknowledge the alarm of a promise.

    Its detector restarts with the next period.
    """
    from thresher.watching import Watch

    count = Watch(store, name=where.name, timeout=where.timeout).acknowledge(promise, note=how.note)
    if printed.as_json:
        click.echo(json.dumps({"promise": promise, "acknowledged": count}))
    elif not printed.quiet:
        click.echo(f"acknowledged {promise}", err=True)
