"""Which rows to label next: drawn ones, skipped ones, then a queue by strata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher._internal.arguments import require_integer, require_one_of
from thresher._internal.results import Tabular
from thresher.errors import SourceError
from thresher.inference import Interval, allocation, recall_deviation
from thresher.ranking import Counts, Floats
from thresher.watching.check.ladder import audit_interval
from thresher.watching.cohorts import Snapshot
from thresher.watching.epoch import strata_names
from thresher.watching.periods import moment_text, period_start, period_text
from thresher.watching.storage import schema
from thresher.watching.storage.rows import id_text
from thresher.watching.storage.store import Store

TARGETS = ("recall", "cost", "precision")
_EVER = 2**62


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Review(Tabular):
    """Rows to label next, in the order in which to label them.

    `reason` is "drawn" for rows of the running sample, "skipped" for those that keep later labels of the queue from
    being used, and "queue" for those that extend it. In each stratum of the queue any labelled prefix counts, so label
    it from the top and skip none. `now` are the limits of
    recall in the stretch from its queue, and `expected` those with these labels, if shares stay as they are.
    """

    id: tuple[str, ...]
    time: tuple[str, ...]
    score: Floats
    stratum: tuple[str, ...]
    reason: tuple[str, ...]
    stretch: str
    now: Interval | None
    expected: Interval | None

    def __len__(self) -> int:
        return len(self.id)

    def frame(self) -> Any:
        """A row per row to label."""
        return self.to_frame()

    def _columns(self) -> Mapping[str, Any]:
        return {
            "id": list(self.id),
            "time": list(self.time),
            "score": self.score,
            "stratum": list(self.stratum),
            "reason": list(self.reason),
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        columns = {
            name: list(map(float, value)) if name == "score" else value for name, value in self._columns().items()
        }
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        limits = {
            name: None if one is None else one.to_dict()
            for name, one in (("now", self.now), ("expected", self.expected))
        }
        return {"rows": rows, "stretch": self.stretch, "recall": limits}

    def _brief(self) -> str:
        drawn = self.reason.count("drawn")
        return f"{len(self.id):,} rows, {drawn:,} of them drawn"


def choose_rows(store: Store, snapshot: Snapshot, number: Any, towards: Any) -> Review:
    """The next rows to label, inside the transaction of a snapshot."""
    number = require_integer(
        number, name="number", least=1, most=2**31, fix="give how many rows can be labelled, e.g. 200"
    )
    require_one_of(towards, TARGETS, name="towards", fix='give "recall", "cost" or "precision"')
    state, queue = snapshot.state, snapshot.queue
    moment_ = {"watch": state.number, "last": state.last, "as_of": snapshot.as_of, "decision": state.epoch.number}
    alarms = towards == "precision"
    ends = {"first": -_EVER, "until": _EVER} if alarms else {"first": queue.first, "until": queue.last}
    lines: dict[bytes, tuple[Any, ...]] = {}
    reasons: list[str] = []

    def queued(stratum: int, most: int, before: float) -> list[tuple[Any, ...]]:
        low, high = _cells(snapshot, stratum)
        bounds = {**ends, "low": low, "high": high, "alarm": int(alarms), "before": before}
        more = store.query(schema.QUEUED_ROWS, **moment_, **bounds, most=most + len(lines))
        return [line for line in more if bytes(line[0]) not in lines]

    def add(more: list[tuple[Any, ...]], reason: str) -> int:
        lines.update({bytes(line[0]): line for line in more})
        reasons.extend([reason] * len(more))
        return len(more)

    usable = np.zeros(queue.rows.size, dtype=np.int64)  # labels of the queue, once these rows have theirs
    rows, labelled, positive = _strata(snapshot, alarms=alarms)
    strata = _numbers(snapshot, alarms=alarms)
    if not alarms:
        add(store.query(schema.DRAWN_ROWS, **moment_, alarm=0, most=number), "drawn")
        for n in np.flatnonzero(queue.waiting).tolist():
            skipped = queued(strata[n], int(queue.waiting[n]) + 1, float(queue.reach[n]))
            if len(skipped) <= min(int(queue.waiting[n]), number - len(lines)):  # no more than they make usable
                usable[n] = add(skipped, "skipped") + queue.waiting[n]
                labelled = labelled + np.where(np.arange(rows.size) == n, len(skipped), 0)
    if wanted := number - len(lines):
        planned = _allocate(wanted, rows, labelled, positive, snapshot, alarms=alarms)
        for stratum, count in zip(strata, planned.tolist(), strict=True):
            if count:
                add(queued(stratum, count, 1.0)[:count], "queue")
        usable = usable if alarms else usable + planned
    if not lines:
        raise _nothing_left(snapshot, towards)
    now, expected = _narrowing(snapshot, usable) if not alarms else (None, None)
    return _review(snapshot, list(lines.values()), reasons, now, expected)


def _nothing_left(snapshot: Snapshot, towards: str) -> SourceError:
    """Why there is no row to label, and what brings some."""
    if towards == "precision":
        known = snapshot.current.count(snapshot.current.alarm)
        what = f"each of the {known:,} alarms has a label" if known else "there are no alarms yet"
        return SourceError(what, 'ask for rows without alarm: towards="recall"')
    settings, queue = snapshot.state.settings, snapshot.queue
    closes = period_start(queue.last + settings.stretch + 1, settings.period, settings.zone_info)
    wait = f"wait until {moment_text(closes)}, when the next stretch is closed"
    share = snapshot.state.epoch.sample[-1][1]
    more = "draw a larger share of new rows" if share else "draw a share of new rows"
    rows = int(queue.rows.sum())
    what = "there is no row left to label: "
    if rows:
        what += f"all {rows:,} without alarm in the last closed stretch have a label"
    else:
        what += f"no stretch of {settings.stretch} {settings.period}s with rows to label is closed"
    what += ", and so have all that were drawn" if share else ", and no row is drawn as it comes"
    return SourceError(what, f"{more}, thresher watch review --sample 1% or watch.draw(0.01), or {wait}")


def _numbers(snapshot: Snapshot, *, alarms: bool) -> list[int]:
    return np.flatnonzero(snapshot.state.epoch.alarm_strata() == alarms).tolist()


def _cells(snapshot: Snapshot, stratum: int) -> tuple[int, int]:
    strata = snapshot.state.epoch.strata
    return strata[stratum], strata[stratum + 1] - 1 if stratum + 1 < len(strata) else snapshot.state.epoch.cells


def _strata(snapshot: Snapshot, *, alarms: bool) -> tuple[Counts, Counts, Counts]:
    """Rows, labels and positives of the strata that may be asked for."""
    if not alarms:
        queue = snapshot.queue
        return queue.rows, queue.labelled + queue.waiting, queue.positive
    current, strata = snapshot.current, _numbers(snapshot, alarms=True)
    known = current.take(current.alarm)
    counts = [
        [known.count((known.strata == stratum) & part) for stratum in strata]
        for part in (known.rows > 0, ~known.unknown, known.positive)
    ]
    rows, labelled, positive = (np.array(each, dtype=np.int64) for each in counts)
    return rows, labelled, positive


def _allocate(
    wanted: int, rows: Counts, labelled: Counts, positive: Counts, snapshot: Snapshot, *, alarms: bool
) -> Counts:
    """Neyman's allocation, the shares of positives shrunk to what was found."""
    if not (rows - labelled).sum():
        return np.zeros(rows.size, dtype=np.int64)
    share = (positive + 0.5) / (labelled + 1)
    if alarms:
        deviation = np.sqrt(share * (1 - share))
    else:
        tp, missed = _found(snapshot)
        deviation = recall_deviation(share, np.zeros(rows.size, dtype=np.bool_), tp / (tp + missed))
    return allocation(wanted, rows, deviation, labelled=labelled)


def _found(snapshot: Snapshot) -> tuple[float, float]:
    """Positives among the stretch's alarms, and missed ones as its queue has them."""
    queue = snapshot.queue
    stretch = snapshot.current.of_periods(queue.first, queue.last)
    share = (queue.positive + 0.5) / (queue.labelled + 1)
    return float(stretch.count(stretch.alarm & stretch.positive)), max(float((queue.rows * share).sum()), 0.5)


def expected_audit(snapshot: Snapshot, number: int) -> Interval | None:
    """What `audit_interval` would be with so many more labels, best allocated."""
    rows, labelled, positive = _strata(snapshot, alarms=False)
    planned = _allocate(number, rows, labelled, positive, snapshot, alarms=False)
    level = snapshot.state.settings.level
    return audit_interval(snapshot.queue, snapshot.current, level, planned) if planned.sum() else None


def _narrowing(snapshot: Snapshot, planned: Counts) -> tuple[Interval | None, Interval | None]:
    level = snapshot.state.settings.level
    return audit_interval(snapshot.queue, snapshot.current, level), audit_interval(
        snapshot.queue, snapshot.current, level, planned
    )


def _review(
    snapshot: Snapshot,
    lines: Sequence[tuple[Any, ...]],
    reasons: list[str],
    now: Interval | None,
    expected: Interval | None,
) -> Review:
    epoch, period, queue = snapshot.state.epoch, snapshot.state.settings.period, snapshot.queue
    names = strata_names(epoch)
    strata = epoch.stratum_of(np.array([int(line[4]) for line in lines], dtype=np.int64)).tolist()
    return Review(
        id=tuple(id_text(bytes(line[1] if line[1] is not None else line[0])) for line in lines),
        time=tuple(moment_text(int(line[2])) for line in lines),
        score=np.array([float(line[3]) for line in lines]),
        stratum=tuple(names[n] for n in strata),
        reason=tuple(reasons),
        stretch=f"{period_text(queue.first, period)} to {period_text(queue.last, period)}",
        now=now,
        expected=expected,
    )
