"""`thresher watch create`: a watch of a decision."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import click

from thresher.cli import options
from thresher.cli.commands.watch import STORE, StoreOptions, WatchPrintOptions
from thresher.cli.options import column_option, option


@dataclass(frozen=True, slots=True)
class CreateOptions:
    """The reference, the promises, and how labels come."""

    reference: str = option(
        metavar="FILE", required=True, help="Labelled rows, or counts, scored by the decision's model."
    )
    table: str | None = option(metavar="[SCHEMA.]TABLE", help="Table of the reference, where that is a database.")
    label: str | None = column_option(help="Column of labels in the reference.")
    score: str | None = column_option(
        help="Column of scores in the reference; by default that of the decision's model."
    )
    positive: str | None = option(**options.POSITIVE)
    promises: tuple[str, ...] = option(
        "--promise", metavar="TEXT", help='E.g. "precision >= 0.6". Repeat it for several.'
    )
    period: Literal["hour", "day", "week", "month"] = option(default="day", help="Of cohorts.")
    zone: str | None = option(metavar="ZONE", help="Time zone of periods, e.g. Europe/Amsterdam; UTC by default.")
    matures: str | None = option(metavar="AGE", help="Age at which labels have come, e.g. 45d; estimated by default.")
    false_alarms: str = option(default="1 in 365", metavar="TEXT", help="Budget: how many in how many periods.")
    sample: float = option(
        default=0.0, **options.SHARE, help="Share of rows without alarm that is drawn to be labelled."
    )
    keep: Literal["all", "reviewable", "counted"] = option(
        default="all", help="Rows that are stored; others are counted."
    )
    columns: tuple[str, ...] = column_option(help="Input column to watch. Repeatable.")
    level: float = option(**options.LEVEL)
    silent_negative: str | None = option(metavar="AGE", help="Age from which no label means negative.")


@options.define(
    "create",
    examples=[
        'thresher watch create fraud.db decision.json --reference a.parquet --label fraud --promise "precision >= 0.6"',
    ],
)
@STORE
@click.argument("decision", metavar="DECISION", type=str)
def command(store: str, decision: str, made: CreateOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Make a watch of a decision, in a file or in PostgreSQL.

    STORE is a new file, or postgres://…; DECISION is what evaluate --decision wrote. The reference says how scores and
    classes were when the decision was made: rows that the model was not learned from.
    """
    from thresher.cli.reading import is_ranking
    from thresher.evaluation import Decision
    from thresher.sources.storage import read_ranking
    from thresher.watching import Watch

    settings: dict[str, Any] = {
        name: getattr(made, name)
        for name in ("promises", "period", "zone", "matures", "false_alarms", "sample", "keep", "columns", "level")
    }
    is_counts = is_ranking(made.reference)
    reference = read_ranking(made.reference) if is_counts else made.reference
    rows: dict[str, Any] = {} if is_counts else {"label": made.label, "score": made.score, "positive": made.positive}
    watch = Watch.create(
        store,
        Decision.load(decision),
        reference=reference,
        table=tuple(made.table.split(".")) if made.table else None,
        name=where.name,
        timeout=where.timeout,
        silent_negative=made.silent_negative,
        **rows,
        **settings,
    )
    cautions = watch.cautions
    if printed.as_json:
        plain = {"watch": watch.name, "cautions": [{"code": each.code, "text": each.text} for each in cautions]}
        click.echo(json.dumps(plain))
    elif not printed.quiet:
        click.echo(f"made {watch!r}", err=True)
        for caution in cautions:
            click.echo(f"! {caution.text}  ({caution.code})", err=True)
