"""Rows and labels into a store: one transaction a batch, repetitions ignored."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from thresher._internal.results import Result
from thresher._internal.text import count_text
from thresher.errors import SourceError, argument
from thresher.ranking import Counts
from thresher.watching.periods import moment_text
from thresher.watching.storage import schema
from thresher.watching.storage.planning import LabelPlan, RowPlan, Rows, examples, plan_labels, plan_rows
from thresher.watching.storage.rows import Identified, content_of, group_by_columns
from thresher.watching.storage.state import State, begin_batch, end_batch, is_known, read_again
from thresher.watching.storage.store import Store


class _Added(Result):
    """Counts of batches, which add up."""

    __slots__ = ()

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, repr=False)
class Inserted(_Added):
    """What became of inserted rows.

    `rows` are new, of which `alarms` are called positive and `drawn` are to be labelled; `again` were known, `replaced`
    were known with another score, time or decision, and `late` lie in periods that were compacted, and are left out.

    >>> Inserted(rows=3, alarms=1) + Inserted(again=3)
    Inserted(rows=3, again=3, replaced=0, late=0, alarms=1, drawn=0)
    """

    rows: int = 0
    again: int = 0
    replaced: int = 0
    late: int = 0
    alarms: int = 0
    drawn: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Labelled(_Added):
    """What became of labels.

    `new` rows have their first label; `corrected` ones had another and `withdrawn` ones have none now. `again` were
    known, `replaced` take the place of another label of the same moment, `orphans` wait for their row, and `late`
    belong to rows that were compacted, and are left out.
    """

    new: int = 0
    corrected: int = 0
    withdrawn: int = 0
    again: int = 0
    replaced: int = 0
    orphans: int = 0
    late: int = 0


def insert_rows(store: Store, state: State, rows: Rows, *, source: str, now: int, replace: bool) -> Inserted:
    """One batch of rows, in one transaction."""
    content = content_of(rows.ids.keys, rows.at, rows.score, rows.clusters, rows.propensity, rows.decision)
    plan = plan_rows(rows, state, now)
    with store.write():
        latest = read_again(store, state)
        if latest is not state:
            state, plan = latest, plan_rows(rows, latest, now)
        number, seen = begin_batch(store, state, now)
        if is_known(store, state, content) and not replace:
            done = Inserted(again=len(rows.ids.keys))
        else:
            done = _write_rows(store, state, plan, rows, number, replace=replace)
        end_batch(
            store,
            state.number,
            number,
            seen=seen,
            kind="insert",
            source=source,
            content=content,
            rows=len(rows.ids.keys),
            fresh=done.rows,
            again=done.again,
            late=done.late,
            replaced=done.replaced,
        )
    return done


def _write_rows(store: Store, state: State, plan: RowPlan, rows: Rows, number: int, *, replace: bool) -> Inserted:
    fresh, again, replaced = _store_rows(store, state, plan, number, replace=replace)
    counted = fresh
    if state.settings.keep == "reviewable":
        if again or replaced:
            what = (
                f"{again + replaced:,} of these rows are stored, so others may be counted already, and would be twice"
            )
            raise SourceError(what, 'give batches as they were given before, or use a watch with keep="all"')
        rest = np.setdiff1d(np.arange(plan.n.size), plan.stored, assume_unique=True)
        store.execute_many(
            schema.ADD_TALLY, [{"watch": state.number, "batch": number, **line} for line in plan.tally(rest)]
        )
        counted = np.concatenate([fresh, rest])
    _count_inputs(store, state, plan, rows, counted=counted, number=number)
    return Inserted(
        rows=counted.size,
        again=again + plan.again,
        replaced=replaced,
        late=plan.late,
        alarms=int(plan.alarm[fresh].sum()),
        drawn=int((plan.propensity[fresh] > 0).sum()),
    )


def _store_rows(store: Store, state: State, plan: RowPlan, number: int, *, replace: bool) -> tuple[Counts, int, int]:
    """Write rows; returns where new ones are, how many were known and replaced."""
    if not plan.stored.size:
        return plan.stored, 0, 0
    store.stage("staged_row", plan.staged(plan.stored))
    fresh = store.execute(schema.INSERT_ROWS, watch=state.number, batch=number)
    if fresh == plan.stored.size:
        return plan.stored, 0, 0
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
    return np.setdiff1d(plan.stored, known[:, 0]), len(known) - differ.size, differ.size


def _count_inputs(store: Store, state: State, plan: RowPlan, rows: Rows, *, counted: Counts, number: int) -> None:
    """Count input columns of rows in their cells."""
    if not rows.inputs:
        return
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
            done = Labelled(again=labels.size)
        else:
            times = np.full(labels.size, seen, dtype=np.int64) if at is None else at
            plan = plan_labels(ids, times, labels, source=source, now=now, replace=replace)
            done = _write_labels(
                store, state, plan, number, untimed=at is None, replace=replace, keep_orphans=keep_orphans
            )
        end_batch(
            store,
            state.number,
            number,
            seen=seen,
            kind="label",
            source=place,
            content=content,
            rows=labels.size,
            fresh=done.new + done.corrected + done.withdrawn + done.orphans,
            again=done.again,
            late=done.late,
            replaced=done.replaced,
        )
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
    known, replaced = np.zeros(late.size, dtype=np.bool_), 0
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
        replaced = differ.size
        if replaced:
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
        replaced=replaced,
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
