"""`thresher watch deploy`: another decision."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from thresher.cli import options
from thresher.cli.commands.watch import STORE, StoreOptions, WatchPrintOptions
from thresher.cli.options import column_option, option


@dataclass(frozen=True, slots=True)
class DeployOptions:
    """The reference of the new decision, and since when it holds."""

    reference: str = option(metavar="FILE", required=True, help="Labelled rows, or counts, scored by the new model.")
    table: str | None = option(metavar="[SCHEMA.]TABLE", help="Table of the reference, where that is a database.")
    label: str | None = column_option(help="Column of labels in the reference.")
    score: str | None = column_option(
        help="Column of scores in the reference; by default that of the decision's model."
    )
    positive: str | None = option(**options.POSITIVE)
    since: str | None = option(metavar="TIME", help="Rows from then on belong to this decision; now by default.")
    sample: float | None = option(
        **options.SHARE, help="Share of rows without alarm that is drawn; as before by default."
    )


@options.define(
    "deploy",
    examples=["thresher watch deploy fraud.db new.json --reference new.parquet --label fraud --since 2026-12-01"],
)
@STORE
@click.argument("decision", metavar="DECISION", type=str)
def command(store: str, decision: str, how: DeployOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Start an epoch with another decision.

    Limits and alarms start again; rows of two decisions are never pooled, and former alarms stay readable.
    """
    from thresher.cli.reading import is_ranking
    from thresher.evaluation import Decision
    from thresher.sources.storage import read_ranking
    from thresher.watching import Watch

    watch = Watch(store, name=where.name, timeout=where.timeout)
    counts = is_ranking(how.reference)
    watch.deploy(
        Decision.load(decision),
        reference=read_ranking(how.reference) if counts else how.reference,
        since=how.since,
        label=None if counts else how.label,
        score=None if counts else how.score,
        positive=None if counts else how.positive,
        table=tuple(how.table.split(".")) if how.table else None,
        sample=how.sample,
    )
    deployed = watch.history()["decisions"][-1]
    if printed.as_json:
        click.echo(json.dumps(deployed))
    elif not printed.quiet:
        click.echo(f"deployed decision {deployed['number']}: {deployed['model']} since {deployed['since']}", err=True)
