"""The commands that change a watch: its making, rows, labels, and what follows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import click

from thresher.cli import options
from thresher.cli.options import (
    STORE,
    LabelOptions,
    StoreOptions,
    TableOptions,
    WatchPrintOptions,
    column_option,
    option,
)

DECISION = click.argument("decision", metavar="DECISION", type=str)


@dataclass(frozen=True)
class ReferenceOptions(LabelOptions):
    """The reference of a decision: labelled rows, or counts."""

    reference: str = option(
        metavar="FILE", required=True, help="Labelled rows, or counts, scored by the decision's model."
    )
    score: str | None = column_option(
        help="Column of scores in the reference; by default that of the decision's model."
    )
    positive: str | None = option(**options.POSITIVE)

    def arguments(self) -> dict[str, Any]:
        """What `Watch.create` and `deploy` take."""
        from thresher.cli.reading import is_ranking
        from thresher.sources.storage import read_ranking

        if is_ranking(self.reference):
            named = [f"--{name}" for name in ("label", "score", "positive", "table") if getattr(self, name) is not None]
            if named:
                raise click.UsageError(f"{self.reference} holds counts, which have no columns: leave {named[0]} out")
            return {"reference": read_ranking(self.reference)}
        rows = {"label": self.label, "score": self.score, "positive": self.positive, "table": self.table_name}
        return {"reference": self.reference, **rows}


@dataclass(frozen=True)
class CreateOptions(ReferenceOptions):
    """The reference, the promises, and how labels come."""

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
@DECISION
def create(store: str, decision: str, made: CreateOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Make a watch of a decision, in a file or in PostgreSQL.

    STORE is a new file, or postgres://…; DECISION is what evaluate --decision wrote. The reference says how scores and
    classes were when the decision was made: rows that the model was not learned from.
    """
    from thresher.evaluation import Decision
    from thresher.watching import Watch

    of_reference = {one.name for one in fields(ReferenceOptions)}
    settings = {one.name: getattr(made, one.name) for one in fields(made) if one.name not in of_reference}
    watch = Watch.create(
        store, Decision.load(decision), name=where.name, timeout=where.timeout, **made.arguments(), **settings
    )
    cautions = watch.cautions
    plain = {"watch": watch.name, "cautions": [{"code": each.code, "text": each.text} for each in cautions]}
    _report(printed, plain, "\n".join([f"made {watch!r}", *(f"! {each.text}  ({each.code})" for each in cautions)]))


@dataclass(frozen=True)
class InsertOptions(TableOptions):
    """The columns of rows."""

    id: str = column_option(default="id", help="Column of ids.")
    time: str = column_option(default="time", help="Column of the times at which rows were scored.")
    score: str | None = column_option(help="Column of scores; by default that of the decision's model.")
    cluster: str | None = column_option(help="Column that says which rows belong together.")
    propensity: str | None = column_option(help="Column of probabilities with which another system drew rows.")
    decision: str | None = column_option(
        help="Column with the number of the decision that scored a row; by default that of its time."
    )
    replace: bool = option(help="Replace rows that are known with another score.")


@options.define(
    "insert", examples=["thresher watch insert fraud.db scores/2026-11-18.parquet --id tx --time at --score p"]
)
@STORE
@options.SOURCE
def insert(store: str, source: str, rows: InsertOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Add scored rows; known ones change nothing.

    FILE is a file, a folder, a glob, - or a database. 50,000 rows are one transaction, so a batch that is interrupted
    can be inserted again.
    """
    from thresher._internal.text import count_text
    from thresher.cli.console.screen import working

    watch = where.watch(store)
    with working("inserting"):
        done = watch.insert(
            source,
            id=rows.id,
            time=rows.time,
            score=rows.score,
            cluster=rows.cluster,
            propensity=rows.propensity,
            decision=rows.decision,
            table=rows.table_name,
            replace=rows.replace,
        )
    others = {"replaced": done.replaced, "too late": done.late}
    rest = "".join(f", {count:,} {what}" for what, count in others.items() if count)
    words = (
        f"{done.rows:,} new, {done.again:,} known{rest};"
        f" {count_text(done.alarms, 'alarm')}, {done.drawn:,} drawn to be labelled"
    )
    _report(printed, asdict(done), words)


@dataclass(frozen=True)
class EventOptions(TableOptions):
    """The columns of labels."""

    id: str = column_option(default="id", help="Column of ids.")
    label: str = column_option(default="label", help="Column of labels; an empty one withdraws.")
    time: str | None = column_option(help="Column of the times at which labels were given; now by default.")
    by: str = option(default="", metavar="NAME", help="Who labelled, where several do.")
    orphans: Literal["refuse", "keep"] = option(default="refuse", help="Where most labels match no row.")
    replace: bool = option(help="Replace labels of the same moment.")


@options.define(
    "label", examples=["thresher watch label fraud.db reviews.csv --id tx --label fraud --time reviewed_at"]
)
@STORE
@options.SOURCE
def label(store: str, source: str, labels: EventOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Add labels, late, corrected or withdrawn.

    The label of a row is the last one by its time. Labels that come before their row wait for it.
    """
    from thresher.cli.console.screen import working

    watch = where.watch(store)
    with working("labelling"):
        done = watch.label(
            source,
            id=labels.id,
            label=labels.label,
            time=labels.time,
            source=labels.by,
            table=labels.table_name,
            orphans=labels.orphans,
            replace=labels.replace,
        )
    counts = asdict(done)
    parts = [f"{count:,} {_OF_LABELS.get(name, name)}" for name, count in counts.items() if count or name == "new"]
    _report(printed, counts, ", ".join(parts))


_OF_LABELS = {"again": "known", "orphans": "waiting for their row", "late": "too late"}


@dataclass(frozen=True)
class DeployOptions(ReferenceOptions):
    """The reference of the new decision, and since when it holds."""

    since: str | None = option(metavar="TIME", help="Rows from then on belong to this decision; now by default.")
    sample: float | None = option(
        **options.SHARE, help="Share of rows without alarm that is drawn; as before by default."
    )


@options.define(
    "deploy",
    examples=["thresher watch deploy fraud.db new.json --reference new.parquet --label fraud --since 2026-12-01"],
)
@STORE
@DECISION
def deploy(store: str, decision: str, how: DeployOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Start an epoch with another decision.

    Limits and alarms start again; rows of two decisions are never pooled, and former alarms stay readable.
    """
    from thresher.evaluation import Decision

    watch = where.watch(store)
    watch.deploy(Decision.load(decision), since=how.since, sample=how.sample, **how.arguments())
    deployed = watch.history()["decisions"][-1]
    words = f"deployed decision {deployed['number']}: {deployed['model']} since {deployed['since']}"
    _report(printed, deployed, words)


@dataclass(frozen=True, slots=True)
class NoteOptions:
    """What to remember of the alarm."""

    note: str = option(default="", metavar="TEXT", help="Why it was raised, and what was done.")


@options.define("acknowledge", examples=['thresher watch acknowledge fraud.db precision --note "new fraud ring"'])
@STORE
@click.argument("promise", metavar="PROMISE", type=str)
def acknowledge(store: str, promise: str, how: NoteOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Acknowledge the alarm of a promise.

    Its detector restarts with the next period.
    """
    count = where.watch(store).acknowledge(promise, note=how.note)
    _report(printed, {"promise": promise, "acknowledged": count}, f"acknowledged {promise}")


@dataclass(frozen=True, slots=True)
class CompactOptions:
    """Which rows."""

    before: str = option(metavar="TIME", required=True, help="Rows of periods that end by then.")


@options.define("compact", examples=["thresher watch compact fraud.db --before 2026-06-01"])
@STORE
def compact(store: str, how: CompactOptions, where: StoreOptions, printed: WatchPrintOptions) -> None:
    """Turn old rows into counts.

    Their labels are final then. Rows that may still get labels, or are being reviewed, stay.
    """
    count = where.watch(store).compact(before=how.before)
    _report(printed, {"rows": count}, f"compacted {count:,} rows")


def _report(printed: WatchPrintOptions, plain: Mapping[str, Any], words: str) -> None:
    """Print what was done, as data or to standard error."""
    from thresher._internal.text import log_json, log_line, plain_text

    if printed.as_json:
        click.echo(log_json(json.dumps(plain)))
    elif not printed.quiet:
        click.echo(log_line("\n".join(map(plain_text, words.splitlines()))), err=True)
