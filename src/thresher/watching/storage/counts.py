"""Counts in place of rows: those of an engine, and of compacted rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thresher.errors import ArgumentError, SourceError
from thresher.ranking import Ranking
from thresher.watching.periods import duration, period_numbers, period_start, period_text, single_time
from thresher.watching.storage import schema
from thresher.watching.storage.state import NEVER, State, begin_batch, end_batch
from thresher.watching.storage.store import Store


def count_rows(store: Store, state: State, counts: Mapping[Any, Ranking], *, now: int) -> int:
    """Replace the counts of periods by those of rankings, inside a transaction."""
    settings = state.settings
    if settings.keep != "counted":
        what = f"this watch stores {settings.keep} rows, and counts would count them twice"
        raise ArgumentError(what, 'make it with keep="counted"', parameter="counts")
    number, seen = begin_batch(store, state, now)
    since = np.array([epoch.since for epoch in state.epochs], dtype=np.int64)
    lines: list[dict[str, Any]] = []
    replaced = 0
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
        former = {"watch": state.number, "decision": epoch.number, "period": period}
        where = "FROM tally WHERE watch = :watch AND decision = :decision AND period = :period AND propensity = 0"
        replaced += int(store.query(f"SELECT coalesce(sum(rows), 0) {where}", **former)[0][0])
        store.execute(f"DELETE {where}", **former)
        pos, neg = epoch.in_cells(ranking)
        rows = (pos + neg).astype(np.int64)
        for cell in np.flatnonzero(rows).tolist():
            place = {"decision": epoch.number, "period": period, "cell": cell, "alarm": int(cell >= epoch.first_alarm)}
            line = {"propensity": 0.0, "label": schema.UNLABELLED, "rows": int(rows[cell])}
            lines.append({"watch": state.number, "batch": number, **place, **line})
    store.execute_many(schema.ADD_TALLY, lines)
    total = sum(line["rows"] for line in lines)
    end_batch(store, state.number, number, seen=seen, kind="count", rows=total, fresh=total, replaced=replaced)
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
    end_batch(store, state.number, number, seen=seen, kind="compact", rows=rows)
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
