"""Rows and labels into a store: one transaction a batch, repetitions ignored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from thresher._internal.results import Result
from thresher._internal.text import count_text
from thresher.errors import ArgumentError, SourceError, argument
from thresher.ranking import Counts, Ranking
from thresher.watching import schema
from thresher.watching.epoch import Epoch, read_epoch
from thresher.watching.periods import duration, moment_text, period_numbers, period_start, period_text, single_time
from thresher.watching.planning import LabelPlan, RowPlan, Rows, examples, plan_labels, plan_rows
from thresher.watching.rows import Identified, content_of, group_by_columns
from thresher.watching.settings import Settings
from thresher.watching.store import Store

NEVER = -(2**62)  # a moment before all others


class _Added(Result):
    """Counts of batches, which add up."""

    __slots__ = ()

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, repr=False)
class Inserted(_Added):
    """What became of inserted rows.

    `rows` are new, of which `alarms` are called positive and `drawn` are to be labelled; `again` were known, and `late`
    lie in periods that were compacted, and are left out.

    >>> Inserted(3, 0, 0, 1, 0) + Inserted(0, 3, 0, 0, 0)
    Inserted(rows=3, again=3, late=0, alarms=1, drawn=0)
    """

    rows: int = 0
    again: int = 0
    late: int = 0
    alarms: int = 0
    drawn: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Labelled(_Added):
    """What became of labels.

    `new` rows have their first label; `corrected` ones had another and `withdrawn` ones have none now. `again` were
    known, `orphans` wait for their row, and `late` belong to rows that were compacted, and are left out.
    """

    new: int = 0
    corrected: int = 0
    withdrawn: int = 0
    again: int = 0
    orphans: int = 0
    late: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A watch as its store has it: settings, epochs, and the number of its last batch."""

    number: int
    name: str
    salt: str
    settings: Settings
    horizon: int | None
    last: int
    seen: int
    epochs: tuple[Epoch, ...]

    @property
    def epoch(self) -> Epoch:
        """The decision that is deployed now."""
        return self.epochs[-1]


def read_state(store: Store, name: str | None, *, as_of: int | None = None) -> State:
    """The state of a watch, now or at a former moment."""
    watches = store.query("SELECT number, name, salt, settings, horizon, batch FROM watch ORDER BY number")
    names = [line[1] for line in watches]
    if name is None and len(names) != 1:
        what = f"{store.place} holds {len(names)} watches" + (f": {', '.join(names[:10])}" if names else "")
        raise ArgumentError(what, f"pass {argument('name', ...)}", parameter="name")
    if name is not None and name not in names:
        what = f"{store.place} holds no watch {name!r}"
        raise ArgumentError(what, f"it holds {', '.join(names[:10]) or 'none'}", parameter="name")
    number, title, salt, settings, horizon, last = watches[names.index(name) if name is not None else 0]
    seen = _last_seen(store, number)
    if as_of is not None:
        ((last, seen),) = store.query(
            "SELECT coalesce(max(number), 0), coalesce(max(seen), 0) FROM batch"
            " WHERE watch = :watch AND seen <= :as_of",
            watch=number,
            as_of=as_of,
        )
    decisions = store.query(
        "SELECT number, json, reference, cells, since, sample FROM decision"
        " WHERE watch = :watch AND batch <= :last ORDER BY number",
        watch=number,
        last=last,
    )
    epochs = tuple(
        read_epoch(n, text, bytes(blob), cells=cells, since=since, sample=share)
        for n, text, blob, cells, since, share in decisions
    )
    return State(number, title, salt, Settings.from_json(settings), horizon, int(last), int(seen), epochs)


def _last_seen(store: Store, watch: int) -> int:
    ((seen,),) = store.query("SELECT coalesce(max(seen), 0) FROM batch WHERE watch = :watch", watch=watch)
    return int(seen)


def begin_batch(store: Store, state: State, now: int) -> tuple[int, int]:
    """The number and the moment of the next batch; the moment never falls."""
    ((last,),) = store.query("SELECT batch FROM watch WHERE number = :watch", watch=state.number)
    return int(last) + 1, max(now, _last_seen(store, state.number))


def end_batch(
    store: Store, state: State, number: int, *, seen: int, kind: str, source: str, content: bytes, counts: Sequence[int]
) -> None:
    """Record a batch: rows, fresh, again and late ones."""
    store.execute(
        "INSERT INTO batch (watch, number, content, kind, source, seen, rows, fresh, again, late)"
        " VALUES (:watch, :number, :content, :kind, :source, :seen, :rows, :fresh, :again, :late)",
        watch=state.number,
        number=number,
        content=content,
        kind=kind,
        source=source,
        seen=seen,
        **dict(zip(("rows", "fresh", "again", "late"), counts, strict=True)),
    )
    store.execute("UPDATE watch SET batch = :number WHERE number = :watch", number=number, watch=state.number)


def is_known(store: Store, state: State, content: bytes) -> bool:
    """Whether a batch of the same content was written before."""
    known = "SELECT 1 FROM batch WHERE watch = :watch AND content = :content LIMIT 1"
    return bool(store.query(known, watch=state.number, content=content))


def insert_rows(store: Store, state: State, rows: Rows, *, source: str, now: int, replace: bool) -> Inserted:
    """One batch of rows, in one transaction."""
    content = content_of(rows.ids.keys, rows.at, rows.score, rows.clusters, rows.propensity)
    plan = _plan(state, rows, now)
    with store.write():
        state, plan = _current(store, state, plan, rows, now)
        number, seen = begin_batch(store, state, now)
        if is_known(store, state, content) and not replace:
            done = Inserted(again=len(rows.ids.keys))
            end_batch(
                store, state, number, seen=seen, kind="insert", source=source, content=content,
                counts=(len(rows.ids.keys), 0, done.again, 0),
            )  # fmt: skip
            return done
        fresh, again = _insert(store, state, plan, number, replace=replace)
        counted = _count_rest(store, state, plan, number) if state.settings.keep == "reviewable" else 0
        _count_inputs(store, state, plan, rows, fresh=fresh, number=number)
        done = Inserted(
            rows=int(fresh.size) + counted,
            again=again + plan.again,
            late=plan.late,
            alarms=int(plan.alarm[fresh].sum()),
            drawn=int((plan.propensity[fresh] > 0).sum()),
        )
        counts = (len(rows.ids.keys), done.rows, done.again, done.late)
        end_batch(store, state, number, seen=seen, kind="insert", source=source, content=content, counts=counts)
    return done


def _plan(state: State, rows: Rows, now: int) -> RowPlan:
    return plan_rows(
        rows, epochs=state.epochs, settings=state.settings, salt=state.salt, now=now, horizon=state.horizon
    )


def _current(store: Store, state: State, plan: RowPlan, rows: Rows, now: int) -> tuple[State, RowPlan]:
    """The plan, made again where a decision was deployed or rows were compacted."""
    ((horizon, decisions, shares),) = store.query(
        "SELECT w.horizon, (SELECT count(*) FROM decision AS d WHERE d.watch = w.number),"
        " (SELECT max(sample) FROM decision AS d WHERE d.watch = w.number"
        "  AND d.number = (SELECT max(e.number) FROM decision AS e WHERE e.watch = w.number))"
        " FROM watch AS w WHERE w.number = :watch",
        watch=state.number,
    )
    if (horizon, decisions, shares) == (state.horizon, len(state.epochs), json.dumps(state.epoch.sample)):
        return state, plan
    state = read_state(store, state.name)
    return state, _plan(state, rows, now)


def _insert(store: Store, state: State, plan: RowPlan, number: int, *, replace: bool) -> tuple[Counts, int]:
    """Write rows that are new; returns their positions, and how many were known."""
    if not plan.stored.size:
        return plan.stored, 0
    store.stage("staged_row", plan.staged(plan.stored))
    fresh = store.execute(schema.INSERT_ROWS, watch=state.number, batch=number)
    if fresh == plan.stored.size:
        return plan.stored, 0
    known = np.array(store.query(schema.KNOWN_ROWS, watch=state.number, batch=number), dtype=np.int64).reshape(-1, 2)
    differ = known[known[:, 1] == 0, 0]
    if differ.size and not replace:
        what = (
            f"{examples(plan.ids, plan.n[differ].tolist())} in the store already, with another score, time or decision"
        )
        raise SourceError(what, f"give rows as they were scored, or pass {argument('replace', True)} to overrule")
    if differ.size:
        store.stage("staged_row", plan.staged(differ))
        store.execute(schema.DELETE_ROWS, watch=state.number)
        store.execute(schema.INSERT_ROWS, watch=state.number, batch=number)
    fresh_rows = np.setdiff1d(plan.stored, known[:, 0])
    return fresh_rows, int(known.shape[0])


def _count_rest(store: Store, state: State, plan: RowPlan, number: int) -> int:
    """Count rows that are not stored by themselves."""
    rest = np.setdiff1d(np.arange(plan.n.size), plan.stored)
    lines = plan.tally(rest)
    if lines:
        store.execute_many(schema.ADD_TALLY, [{"watch": state.number, "batch": number, **line} for line in lines])
    return int(rest.size)


def _count_inputs(store: Store, state: State, plan: RowPlan, rows: Rows, *, fresh: Counts, number: int) -> None:
    """Count input columns of new rows in their cells."""
    if not rows.inputs:
        return
    counted = fresh
    if state.settings.keep == "reviewable":
        counted = np.union1d(fresh, np.setdiff1d(np.arange(plan.n.size), plan.stored))
    lines: list[dict[str, Any]] = []
    for epoch in state.epochs:
        here = counted[plan.decision[counted] == epoch.number]
        for cells in epoch.columns if here.size else ():
            cell = cells.cells(rows.inputs[cells.name])[plan.n[here]]
            first, group = group_by_columns([plan.period[here], cell])
            counts = np.bincount(group).tolist()
            for period, place, count in zip(
                plan.period[here][first].tolist(), cell[first].tolist(), counts, strict=True
            ):
                line = {"decision": epoch.number, "period": period, "name": cells.name, "cell": place, "rows": count}
                lines.append({"watch": state.number, "batch": number, **line})
    if lines:
        store.execute_many(schema.ADD_CELLS, lines)


def insert_labels(
    store: Store,
    state: State,
    ids: Identified,
    at: Counts | None,
    labels: Counts,
    *,
    source: str,
    place: str,
    now: int,
    replace: bool,
    keep_orphans: bool,
) -> Labelled:
    """One batch of labels, in one transaction; without times they count from now on."""
    content = content_of(ids.keys, at, labels, [source.encode()])
    with store.write():
        number, seen = begin_batch(store, state, now)
        if is_known(store, state, content) and not replace:
            done = Labelled(again=len(labels))
            counts = (len(labels), 0, done.again, 0)
            end_batch(store, state, number, seen=seen, kind="label", source=place, content=content, counts=counts)
            return done
        times = np.full(labels.size, seen, dtype=np.int64) if at is None else at
        plan = plan_labels(ids, times, labels, source=source, now=now, replace=replace)
        done = _write_labels(store, state, plan, number, untimed=at is None, replace=replace, keep_orphans=keep_orphans)
        counts = (len(labels), done.new + done.corrected + done.withdrawn + done.orphans, done.again, done.late)
        end_batch(store, state, number, seen=seen, kind="label", source=place, content=content, counts=counts)
    return done


def _write_labels(
    store: Store, state: State, plan: LabelPlan, number: int, *, untimed: bool, replace: bool, keep_orphans: bool
) -> Labelled:
    every = np.arange(plan.n.size)
    store.stage("staged_event", plan.staged(every))
    there, early, late = _refer(store, state)
    if early.any():
        what = f"{examples(plan.ids, plan.n[early].tolist())} labelled before the score"
        raise SourceError(what, f"check the times of labels and rows, and their zones; {_first_early(plan, early)}")
    orphans = ~there & ~late
    if orphans.sum() * 2 > orphans.size and not keep_orphans:
        unknown = examples(plan.ids, plan.n[orphans].tolist())
        fix = f"check the ids; to have them wait for their rows pass {argument('orphans', 'keep')}"
        raise SourceError(f"{unknown} of no row, of {count_text(orphans.size, 'label')}", fix)
    if late.all():
        what = f"{examples(plan.ids, plan.n.tolist())} of rows that were compacted"
        raise SourceError(what, "their labels are final; compact later, once labels have come")
    former = _former_labels(store, state, number, plan.n.size)
    labels = plan.labels[plan.n]
    wanted = ~late & ((former != labels) if untimed else np.ones(late.size, dtype=np.bool_))
    known = np.zeros(late.size, dtype=np.bool_)
    if not wanted.all():
        store.stage("staged_event", plan.staged(every[wanted]))
    fresh = store.execute(schema.INSERT_EVENTS, watch=state.number, batch=number) if wanted.any() else 0
    if fresh < wanted.sum():
        lines = store.query(schema.KNOWN_EVENTS, watch=state.number, batch=number)
        places = np.array([n for n, _ in lines], dtype=np.int64)
        differ = np.array([n for n, same in lines if not same], dtype=np.int64)
        known[np.setdiff1d(places, differ)] = True
        if differ.size and not replace:
            what = f"{examples(plan.ids, plan.n[differ].tolist())} labelled at that moment already, differently"
            raise SourceError(what, f"give a correction a later time, or pass {argument('replace', True)} to overrule")
        if differ.size:
            store.stage("staged_event", plan.staged(differ))
            store.execute(schema.DELETE_EVENTS, watch=state.number)
            store.execute(schema.INSERT_EVENTS, watch=state.number, batch=number)
    taken = wanted & ~known & there
    first, is_label = former == _NO_LABEL, labels >= 0
    repeated = (~wanted & ~late) | known | (taken & is_label & (labels == former))
    return Labelled(
        new=int((taken & first & is_label).sum()),
        corrected=int((taken & ~first & is_label & (labels != former)).sum()),
        withdrawn=int((taken & ~is_label).sum()),
        again=plan.again + int(repeated.sum()),
        orphans=int((wanted & ~known & orphans).sum()),
        late=int(late.sum()),
    )


_NO_LABEL = -2  # nor one that was withdrawn


def _refer(store: Store, state: State) -> tuple[Any, Any, Any]:
    """Whether the row of each staged label is there, is younger, or is compacted."""
    lines = np.array(store.query(schema.LABELLED_ROWS, watch=state.number), dtype=np.int64).reshape(-1, 4)
    there, early, late = (lines[:, i].astype(np.bool_) for i in (1, 2, 3))
    return there, early, late & ~there


def _former_labels(store: Store, state: State, number: int, rows: int) -> Counts:
    former = np.full(rows, _NO_LABEL, dtype=np.int64)
    for n, label in store.query(schema.FORMER_LABELS, watch=state.number, batch=number):
        former[n] = schema.UNLABELLED if label is None else label
    return former


def _first_early(plan: LabelPlan, early: Any) -> str:
    at = int(plan.at[plan.n[int(np.argmax(early))]])
    return f"the first of these labels has the time {moment_text(at)}"


def count_rows(store: Store, state: State, counts: Mapping[Any, Ranking], *, now: int) -> int:
    """Replace the counts of periods by those of rankings, inside a transaction."""
    settings = state.settings
    if settings.keep != "counted":
        what = f"this watch stores {settings.keep} rows, and counts would count them twice"
        raise ArgumentError(what, 'make it with keep="counted"', parameter="counts")
    number, seen = begin_batch(store, state, now)
    since = np.array([epoch.since for epoch in state.epochs], dtype=np.int64)
    lines: list[dict[str, Any]] = []
    for key, ranking in counts.items():
        at = np.array([single_time(key, name="counts")], dtype=np.int64)
        period = int(period_numbers(at, settings.period, settings.zone_info)[0])
        start, end = (period_start(each, settings.period, settings.zone_info) for each in (period, period + 1))
        first, last = (max(int(np.searchsorted(since, each, side="right")) - 1, 0) for each in (start, end - 1))
        if first != last:
            what = f"two decisions were deployed in the period {period_text(period, settings.period)}"
            raise SourceError(what, "insert the rows of that period one by one")
        epoch = state.epochs[first]
        _require_split(ranking, epoch.decision.threshold, period_text(period, settings.period))
        store.execute(
            "DELETE FROM tally WHERE watch = :watch AND decision = :decision AND period = :period AND propensity = 0",
            watch=state.number,
            decision=epoch.number,
            period=period,
        )
        pos, neg = epoch.in_cells(ranking)
        rows = (pos + neg).astype(np.int64)
        for cell in np.flatnonzero(rows).tolist():
            place = {"decision": epoch.number, "period": period, "cell": cell, "alarm": int(cell >= epoch.first_alarm)}
            line = {"propensity": 0.0, "label": schema.UNLABELLED, "rows": int(rows[cell])}
            lines.append({"watch": state.number, "batch": number, **place, **line})
    if lines:
        store.execute_many(schema.ADD_TALLY, lines)
    total = sum(line["rows"] for line in lines)
    end_batch(store, state, number, seen=seen, kind="count", source="", content=b"", counts=(total, total, 0, 0))
    return total


def _require_split(ranking: Ranking, threshold: float, period: str) -> None:
    """Refuse ranges of scores that reach across the threshold."""
    if ranking.ranges is not None and bool(((ranking.score < threshold) & (ranking.ranges.high >= threshold)).any()):
        what = f"a range of scores of {period} reaches across the threshold {threshold:g}"
        raise SourceError(what, "count every score: scan(..., exact=True)")


def compact_rows(store: Store, state: State, *, before: int, now: int) -> int:
    """Turn rows of periods before one into counts, inside a transaction."""
    settings = state.settings
    if settings.keep == "counted":
        what = "a watch of counted rows stores no others than those that are to be labelled"
        raise SourceError(what, "leave them as they are")
    latest = compaction_limit(state, now)
    if before > latest:
        what = f"rows from {period_text(latest, settings.period)} on may still get labels, or are being reviewed"
        raise SourceError(what, f"compact before {period_text(latest, settings.period)}, or earlier")
    ((rows, clusters),) = store.query(
        "SELECT count(*), count(cluster) FROM scored WHERE watch = :watch AND period < :before",
        watch=state.number,
        before=before,
    )
    if clusters:
        what = f"{clusters:,} of these rows belong to clusters, which counts cannot tell"
        raise SourceError(what, "leave rows of clusters as they are")
    number, seen = begin_batch(store, state, now)
    silent = now - settings.silent_after if settings.silent_after is not None else NEVER
    limits = {"watch": state.number, "before": before}
    moment = {"last": number, "as_of": now}
    store.execute(schema.FIND_LABELS, watch=state.number, **moment)
    store.execute(schema.COMPACT_ROWS, **limits, **moment, batch=number, silent=silent)
    store.execute("DELETE FROM known_label")
    for statement in schema.COMPACT_STEPS:
        store.execute(statement, **limits)
    store.execute(
        "UPDATE watch SET horizon = CASE WHEN horizon > :before THEN horizon ELSE :before END WHERE number = :watch",
        **limits,
    )
    end_batch(store, state, number, seen=seen, kind="compact", source="", content=b"", counts=(rows, 0, 0, 0))
    return int(rows)


def compaction_limit(state: State, now: int) -> int:
    """The first period that is young, or of the last closed stretch."""
    settings = state.settings
    age = 0 if settings.matures is None else duration(settings.matures, name="matures")
    (young, current) = period_numbers(np.array([now - age, now]), settings.period, settings.zone_info).tolist()
    first, _ = stretch_before(current, settings.stretch)
    return int(min(young, first))


def stretch_before(period: int, length: int) -> tuple[int, int]:
    """The first and the last period of the last closed stretch.

    >>> stretch_before(65, 30)
    (30, 59)
    """
    first = (period // length - 1) * length
    return first, first + length - 1
