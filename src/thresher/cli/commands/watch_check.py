"""`thresher watch check`: whether promises hold."""

from __future__ import annotations

from dataclasses import dataclass

import click

from thresher.cli import options
from thresher.cli.commands.watch import STORE, StoreOptions, WatchPrintOptions
from thresher.cli.options import option


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
def command(store: str, how: CheckOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Say of every promise whether it holds: exit 0, 1 or 3.

    Exit 0: nothing is broken. 1: a promise is broken, or an alarm stands until it is acknowledged. 3: nothing is
    watched, because no rows or labels come, or no promise can be decided. 75: the store is in use, try again.
    """
    from thresher.cli.outputs import require_outputs

    require_outputs(source=None, output=how.output, prometheus=how.prometheus)

    from thresher._internal.atomic import write_file
    from thresher.cli.console.screen import present, working
    from thresher.cli.console.watch import check_blocks, prometheus_text
    from thresher.watching import Watch

    watch = Watch(store, name=where.name, timeout=where.timeout)
    with working("checking"):
        check = watch.check(as_of=how.as_of, gate=not how.no_gate)
    if how.prometheus is not None:
        write_file(how.prometheus, prometheus_text(check))
    if how.output is not None:
        check.to_html(how.output)
    present(printed, check.to_json, lambda _: check_blocks(check))
    code = check.exit_code
    if how.strict and any(one.verdict != "holds" for one in check.promises.values()):
        code = 1
    if code:
        raise click.exceptions.Exit(code)
