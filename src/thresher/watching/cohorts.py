"""Counts of an epoch at a moment: all that a check is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher.ranking import Counts, Flags, Floats, Indices
from thresher.watching import schema
from thresher.watching.epoch import Epoch
from thresher.watching.ingestion import NEVER, State
from thresher.watching.store import Store


@dataclass(frozen=True, slots=True, eq=False)
class Cohorts:
    """Rows of an epoch that share period, cell, call, propensity and label.

    `propensity` is 0 for rows that were not drawn, `label` -1 for those without one. `clusters` are labelled rows of
    clusters as (period, alarm, rows, positives), each cluster in its first period.
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
class Snapshot:
    """All counts of a watch at a moment, read in one transaction."""

    state: State
    as_of: int
    cohorts: tuple[Cohorts, ...]
    orphans: int
    corrections: int
    last_row: int | None
    last_label: int | None
    ages: Counts  # microseconds from score to label, or until now, of rows that are due a label
    age_labels: Counts  # their labels
    age_periods: Counts
    buckets: Counts  # bucket, rows
    bucket_scores: Floats  # the middle of the scores in each
    labelled: Floats  # score, label and rows of what is labelled by review or draw
    columns: dict[str, tuple[Counts, Counts]]  # periods, and counts per period and cell
    alarms: tuple[dict[str, Any], ...]
    queue: tuple[tuple[Any, ...], ...]


def read_cohorts(store: Store, state: State, as_of: int) -> tuple[Cohorts, ...]:
    """The counts of every epoch at a moment."""
    moment = at_moment(state, as_of)
    lines = store.query(schema.ROW_COUNTS, **moment, silent=silent_before(state, as_of))
    lines += store.query(schema.TALLY_COUNTS, watch=state.number, last=state.last)
    clusters = store.query(schema.CLUSTERS, **moment)
    return tuple(
        _cohorts(epoch, [line[1:] for line in lines if line[0] == epoch.number], _first_periods(clusters, epoch.number))
        for epoch in state.epochs
    )


def at_moment(state: State, as_of: int) -> dict[str, int]:
    """The parameters of statements that speak of a moment."""
    return {"watch": state.number, "last": state.last, "as_of": as_of}


def silent_before(state: State, as_of: int) -> int:
    """The time up to which a row without a label is negative."""
    silent = state.settings.silent_after
    return NEVER if silent is None else as_of - silent


def _cohorts(epoch: Epoch, lines: Sequence[Sequence[Any]], clusters: Floats) -> Cohorts:
    columns = list(zip(*lines, strict=True)) or [()] * 6
    period, cell, alarm, label, rows = (np.array(list(map(int, columns[i])), dtype=np.int64) for i in (0, 1, 2, 4, 5))
    propensity = np.array(list(map(float, columns[3])), dtype=np.float64)
    lines_in_order = np.lexsort([label, propensity, alarm, cell, period])  # the same from every store
    every = Cohorts(epoch, period, cell, alarm == 1, propensity, label, rows, clusters)
    return every.take(lines_in_order)


def _first_periods(lines: Sequence[tuple[Any, ...]], epoch: int) -> Floats:
    """Each cluster in its first period: period, alarm, labelled rows, positives."""
    clusters: dict[tuple[int, bytes], list[int]] = {}
    for decision, alarm, cluster, period, label, rows in lines:
        if decision != epoch:
            continue
        one = clusters.setdefault((int(alarm), bytes(cluster)), [int(period), 0, 0])
        one[0] = min(one[0], int(period))
        one[1] += int(rows)
        one[2] += int(rows) * int(label)
    table = [(period, alarm, rows, positives) for (alarm, _), (period, rows, positives) in sorted(clusters.items())]
    return np.array(table, dtype=np.float64).reshape(-1, 4)
