"""Counts of an epoch at a moment: all that a check is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.ranking import Counts, Flags, Floats, Indices
from thresher.watching.epoch import Epoch
from thresher.watching.periods import period_numbers
from thresher.watching.storage import schema
from thresher.watching.storage.counts import stretch_before
from thresher.watching.storage.rows import id_text
from thresher.watching.storage.state import NEVER, State, read_state
from thresher.watching.storage.store import Store, damaged

_FEWEST_FOREIGN = 10  # rows of a period from which it is noticed that all are foreign


@dataclass(frozen=True, slots=True, eq=False)
class Cohorts:
    """Rows of an epoch that share period, cell, call, propensity and label.

    `propensity` is 0 for rows that were not drawn, `label` -1 for those without one. `clusters` are labelled alarms
    that belong together, as lines of cluster, period, rows and positives.
    """

    epoch: Epoch
    period: Counts
    cell: Counts
    alarm: Flags
    propensity: Floats
    label: Counts
    rows: Counts
    clusters: Floats

    def take(self, where: Flags | Indices) -> Cohorts:
        """Some of the lines."""
        names = ("period", "cell", "alarm", "propensity", "label", "rows")
        return replace(self, **{name: getattr(self, name)[where] for name in names})

    def of_periods(self, first: int, last: int) -> Cohorts:
        """The lines of a range of periods."""
        return self.take((self.period >= first) & (self.period <= last))

    @property
    def periods(self) -> Counts:
        """The periods with rows, rising."""
        return np.unique(self.period)

    def count(self, where: Flags | None = None) -> int:
        """How many rows there are, where a condition holds."""
        return int(self.rows.sum() if where is None else self.rows[where].sum())

    def by_period(self, periods: Counts, value: Floats | Flags | Counts) -> Floats:
        """Sums of a value over the rows of each period."""
        place = np.searchsorted(periods, self.period)
        sums = np.bincount(place, weights=self.rows * value, minlength=periods.size)
        return sums.astype(np.float64)

    def by_cell(self, where: Flags | None = None) -> Counts:
        """How many rows each cell of the epoch holds, where a condition holds."""
        rows = self.rows if where is None else np.where(where, self.rows, 0)
        return np.bincount(self.cell, weights=rows, minlength=self.epoch.cells).astype(np.int64)

    @property
    def strata(self) -> Counts:
        """The stratum of each line."""
        return self.epoch.stratum_of(self.cell)

    @property
    def unknown(self) -> Flags:
        """Lines of rows without a label."""
        return self.label == schema.UNLABELLED

    @property
    def positive(self) -> Flags:
        """Lines of rows that are labelled positive."""
        return self.label == 1

    @property
    def negative(self) -> Flags:
        """Lines of rows that are labelled negative."""
        return self.label == 0

    @property
    def drawn(self) -> Flags:
        """Lines of unflagged rows that were drawn to be labelled."""
        return ~self.alarm & (self.propensity > 0)

    @property
    def due(self) -> Flags:
        """Lines of rows that are to be labelled: alarms, and drawn rows."""
        return self.alarm | self.drawn


@dataclass(frozen=True, slots=True, eq=False)
class Ages:
    """Rows that are due a label: hours until it came, or without one until now."""

    period: Counts
    hours: Counts
    label: Counts
    rows: Counts


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """A closed stretch: rows, labelled prefix and positives of each stratum.

    `waiting` are labelled rows that come after the first one without a label, and are not usable yet; `reach` is the
    random number of the last of them.
    """

    first: int
    last: int
    rows: Counts
    labelled: Counts
    positive: Counts
    waiting: Counts
    reach: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """All counts of a watch at a moment, read in one transaction."""

    state: State
    as_of: int
    period: int  # that of the moment
    cohorts: tuple[Cohorts, ...]
    ages: Ages
    queue: Queue
    columns: dict[str, tuple[Counts, Counts]]  # periods, and counts by period and cell
    alarms: tuple[tuple[Any, ...], ...]
    orphans: int
    corrections: int
    last_row: int | None
    last_label: int | None
    rewritten: int  # the moment at which rows, labels or counts were last compacted or replaced
    foreign: tuple[int, ...]  # periods of which all scores lie outside the reference's
    early: tuple[int, str] | None  # labels that came before their row and are older than it, with the first id
    drawn_late: int  # rows that another system drew, recorded after their label had come

    @property
    def current(self) -> Cohorts:
        """The counts of the decision that is deployed."""
        return self.cohorts[-1]

    def past_alarms(self, name: str) -> tuple[bool, int | None]:
        """Whether an alarm stands, and the period after which its detector starts."""
        lines = [line for line in self.alarms if line[0] == self.state.epoch.number and line[1] == name]
        restarts = [int(line[7]) for line in lines if line[7] is not None]
        return any(line[6] is None for line in lines), max(restarts, default=None)


def read_snapshot(store: Store, name: str | None, *, as_of: int, past: bool) -> Snapshot:
    """Read everything that a check needs, inside a transaction that reads.

    A moment that is `past` has only the batches that had arrived by then.
    """
    state = read_state(store, name, as_of=as_of if past else None)
    moment = {"watch": state.number, "last": state.last, "as_of": as_of}
    silent = NEVER if state.settings.silent_after is None else as_of - state.settings.silent_after
    store.execute("DELETE FROM known_label")
    store.execute(schema.FIND_LABELS, **moment)
    lines = store.query(schema.ROW_COUNTS, **moment, silent=silent)
    tally = store.query(schema.TALLY_COUNTS, watch=state.number, last=state.last)
    counted = state.settings.keep == "counted"
    lines += _beyond_stored(tally, lines) if counted else tally
    clusters = store.query(schema.CLUSTERS, **moment)
    settings, epoch = state.settings, state.epoch
    (period,) = period_numbers(np.array([as_of]), settings.period, settings.zone_info).tolist()
    first, until = stretch_before(period, settings.stretch)
    ((last_row, last_label),) = store.query(schema.LATEST, **moment)
    ((rewritten,),) = store.query(
        "SELECT coalesce(max(seen), 0) FROM batch WHERE watch = :watch AND (kind = 'compact' OR replaced > 0)",
        watch=state.number,
    )
    return Snapshot(
        state=state,
        as_of=as_of,
        period=period,
        cohorts=tuple(
            _cohorts(one, [line[1:] for line in lines if line[0] == one.number], clusters, place=store.place)
            for one in state.epochs
        ),
        ages=_ages(store.query(schema.AGES, **moment, decision=epoch.number)),
        queue=_queue(
            store,
            epoch,
            {**moment, "decision": epoch.number, "first": first, "until": until, "alarm": 0},
            totals=counted,
        ),
        columns=_columns(store, epoch, watch=state.number, last=state.last),
        alarms=tuple(store.query(schema.ALARMS, watch=state.number, as_of=as_of)),
        orphans=int(store.query(schema.ORPHANS, **moment)[0][0]),
        corrections=int(store.query(schema.CORRECTIONS, **moment)[0][0]),
        last_row=None if last_row is None else int(last_row),
        last_label=None if last_label is None else int(last_label),
        rewritten=int(rewritten),
        foreign=_foreign(store, epoch, moment),
        early=_early(store, moment),
        drawn_late=_drawn_late(store, epoch, moment),
    )


def _foreign(store: Store, epoch: Epoch, moment: dict[str, int]) -> tuple[int, ...]:
    score = epoch.reference.score
    ends = {"decision": epoch.number, "lowest": float(score[-1]), "highest": float(score[0]), "least": _FEWEST_FOREIGN}
    return tuple(int(period) for (period,) in store.query(schema.FOREIGN_PERIODS, **moment, **ends))


def _early(store: Store, moment: dict[str, int]) -> tuple[int, str] | None:
    lines = store.query(schema.EARLY_LABELS, **moment)
    return (len(lines), id_text(bytes(lines[0][0]))) if lines else None


def _drawn_late(store: Store, epoch: Epoch, moment: dict[str, int]) -> int:
    own = {share for _, share in epoch.sample}  # permanent random numbers do not know the label, whenever it comes
    lines = store.query(schema.LABELLED_BEFORE_DRAWN, **moment, decision=epoch.number)
    return sum(int(rows) for share, rows in lines if float(share) not in own)


def _beyond_stored(totals: Sequence[tuple[Any, ...]], lines: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Totals of an engine, less the rows that are stored by themselves."""
    stored: Counter[tuple[int, ...]] = Counter()
    for line in lines:
        stored[tuple(map(int, line[:3]))] += int(line[6])
    rest = [(*line[:6], int(line[6]) - stored[tuple(map(int, line[:3]))]) for line in totals]
    return [line for line in rest if line[6] > 0]


def _cohorts(
    epoch: Epoch, lines: Sequence[Sequence[Any]], clusters: Sequence[tuple[Any, ...]], *, place: str
) -> Cohorts:
    period, cell, alarm, label, rows = (_integers(lines, i) for i in (0, 1, 2, 4, 5))
    if cell.size and not 0 <= cell.min() <= cell.max() < epoch.cells:
        raise damaged(place, f"a row lies in a cell that is none of {epoch.cells}")
    propensity = np.array([float(line[3]) for line in lines], dtype=np.float64)
    order = np.lexsort([label, propensity, alarm, cell, period])  # the same from every store
    every = Cohorts(epoch, period, cell, alarm == 1, propensity, label, rows, _of_clusters(clusters, epoch.number))
    return every.take(order)


def _integers(lines: Sequence[Sequence[Any]], column: int) -> Counts:
    try:
        return np.array([int(line[column]) for line in lines], dtype=np.int64)
    except TypeError:  # no column may be NULL
        raise damaged("the store", "a number is missing") from None


def _of_clusters(lines: Sequence[tuple[Any, ...]], epoch: int) -> Floats:
    """Labelled alarms of clusters: cluster, period, rows, positives."""
    number: dict[bytes, int] = {}
    table = sorted(
        (bytes(line[2]), int(line[3]), int(line[4]), int(line[5]))
        for line in lines
        if line[0] == epoch and line[1] == 1
    )
    rows = [(number.setdefault(key, len(number)), period, count, count * label) for key, period, label, count in table]
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def _ages(lines: Sequence[tuple[Any, ...]]) -> Ages:
    period, hours, label, rows = (_integers(lines, i) for i in range(4))
    return Ages(period, np.maximum(hours, 0), label, rows)


def _queue(store: Store, epoch: Epoch, stretch: dict[str, int], *, totals: bool) -> Queue:
    """Bookkeeping of a stretch: in each stratum only the labelled prefix counts."""
    size = int((~epoch.alarm_strata()).sum())
    rows, labelled, positive, waiting = (np.zeros(size, dtype=np.int64) for _ in range(4))
    ends, reach = (
        np.full(size, np.inf),
        np.zeros(size),
    )  # the first random number without a label, and the last with one
    stored: Counter[int] = Counter()
    for cell, count, end in store.query(schema.QUEUE_CELLS, **stretch):
        stratum = int(epoch.stratum_of(np.array([cell]))[0])
        rows[stratum] += int(count)
        stored[int(cell)] = int(count)
        ends[stratum] = min(ends[stratum], np.inf if end is None else float(end))
    counted = {name: value for name, value in stretch.items() if name != "as_of"}
    for cell, count in store.query(schema.QUEUE_TALLY, **counted):
        stratum = int(epoch.stratum_of(np.array([cell]))[0])
        rows[stratum] += max(int(count) - (stored[int(cell)] if totals else 0), 0)
        ends[stratum] = min(ends[stratum], min((share for _, share in epoch.sample), default=0.0))
    named = {name: value for name, value in counted.items() if name != "last"}
    for cell, u, label in store.query(schema.QUEUE_LABELS, **named):
        stratum = int(epoch.stratum_of(np.array([cell]))[0])
        if u < ends[stratum]:
            labelled[stratum] += 1
            positive[stratum] += int(label)
        else:
            waiting[stratum] += 1
            reach[stratum] = max(reach[stratum], u)
    return Queue(stretch["first"], stretch["until"], rows, labelled, positive, waiting, reach)


def _columns(store: Store, epoch: Epoch, *, watch: int, last: int) -> dict[str, tuple[Counts, Counts]]:
    lines = store.query(schema.CELL_COUNTS, watch=watch, last=last, decision=epoch.number)
    columns = {}
    for one in epoch.columns:
        here = [line for line in lines if line[1] == one.name]
        period, cell, rows = (_integers(here, i) for i in (0, 2, 3))
        if cell.size and not 0 <= cell.min() <= cell.max() < one.size:
            raise damaged(store.place, f"a value of {one.name!r} lies in a cell that is none of {one.size}")
        periods, at = np.unique(period, return_inverse=True)
        counts = np.zeros((periods.size, one.size), dtype=np.int64)
        counts[at, cell] = rows
        columns[one.name] = (periods, counts)
    return columns
