"""What promises are judged by: mature cohorts apart from young ones, and the draw."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from thresher.inference import DelayTest, delay_test
from thresher.inference.anytime.maturity import maturity
from thresher.ranking import Counts
from thresher.tables import OperatingCondition
from thresher.watching.cohorts import Cohorts, Snapshot
from thresher.watching.periods import HOUR, duration, period_numbers
from thresher.watching.settings import Promise, read_promises
from thresher.watching.storage.schema import UNLABELLED


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Counts that promises are judged by: mature cohorts, young ones, the draw.

    `least` is the least probability with which an unflagged row was drawn in the periods `sampled`; 0 where none was.
    Without the `gate` every cohort counts as mature, and rows without a label as either.
    """

    mature: Cohorts
    young: Cohorts
    every: Cohorts
    least: float
    sampled: Counts
    level: float
    condition: OperatingCondition
    gate: bool
    columns: Mapping[str, Cohorts]

    @property
    def drawn_cohorts(self) -> Cohorts:
        """Mature cohorts in which any unflagged row could be drawn; all where none was."""
        return self.mature.take(np.isin(self.mature.period, self.sampled)) if self.least else self.mature

    def cohorts_of(self, promise: Promise) -> Cohorts:
        """The cohorts that a promise speaks of: calls and columns are known at once.

        What needs labels of unflagged rows is judged where they were drawn: other cohorts could never be known. Of a
        column, the lines of rows that are missing or unseen stand where others have alarms.
        """
        if promise.column is not None:
            return self.columns[promise.name]
        if promise.of_every_row:
            return self.every
        return self.mature if promise.quantity == "precision" else self.drawn_cohorts


@dataclass(frozen=True, slots=True, eq=False)
class Delays:
    """The age at which labels have come, and whether it tells the class."""

    age: float  # hours; NaN where it is not known
    declared: bool
    plateau: float
    labels: int
    test: DelayTest | None


def label_delays(snapshot: Snapshot) -> Delays:
    """The age of maturity, declared or estimated, and the test of delays by class."""
    settings, ages = snapshot.state.settings, snapshot.ages
    declared = settings.matures is not None
    labelled = ages.label >= 0
    labels = int(ages.rows[labelled].sum())
    age, plateau = math.nan, math.nan
    if ages.rows.size:
        counts = [np.where(part, ages.rows, 0) for part in (labelled, ~labelled)]
        known = maturity(ages.hours, *counts)
        plateau, age = known.plateau, known.age_of_maturity
    if declared:
        age = duration(str(settings.matures), name="matures") / HOUR
    test = None
    if not math.isnan(age) and labelled.any():
        old = ages.period <= _last_mature(snapshot, age)
        parts = [np.where(old & (ages.label == label), ages.rows, 0) for label in (1, 0)]
        if parts[0].any() and parts[1].any():
            test = delay_test(ages.hours, *parts)
    return Delays(age, declared, plateau, labels, test)


def _last_mature(snapshot: Snapshot, age: float) -> int:
    """The last period that is as old as labels take to come."""
    settings = snapshot.state.settings
    latest = snapshot.as_of - round(age * HOUR)
    return (
        int(period_numbers(np.array([latest]), settings.period, settings.zone_info)[0]) - 1
    )  # the one before that of the moment has ended


def weigh(snapshot: Snapshot, delays: Delays, *, gate: bool) -> Evidence:
    """The counts that promises are judged by: mature cohorts apart from young ones."""
    epoch, current = snapshot.state.epoch, snapshot.current
    mature = np.ones(current.rows.size, dtype=np.bool_)
    if math.isnan(delays.age):
        mature[:] = False
    elif gate:
        mature = current.period <= _last_mature(snapshot, delays.age)
    least, sampled = _draw(snapshot, current)
    return Evidence(
        mature=current.take(mature),
        young=current.take(~mature),
        every=current,
        least=least,
        sampled=sampled,
        level=snapshot.state.settings.level,
        condition=epoch.decision.condition,
        gate=gate,
        columns={
            promise.name: _column_cohorts(snapshot, promise)
            for promise in read_promises(snapshot.state.settings.promises)
            if promise.column is not None
        },
    )


def _column_cohorts(snapshot: Snapshot, promise: Promise) -> Cohorts:
    """Rows by period, those whose value is missing (or unseen) apart from the others."""
    periods, counts = snapshot.columns[str(promise.column)]
    flagged = counts[:, -2 if promise.quantity == "missing" else -1]
    rows = np.concatenate([flagged, counts.sum(axis=1) - flagged])
    zeros = np.zeros(rows.size, dtype=np.int64)
    return Cohorts(
        epoch=snapshot.state.epoch,
        period=np.tile(periods, 2),
        cell=zeros,
        alarm=np.repeat([True, False], periods.size),
        propensity=zeros.astype(np.float64),
        label=zeros + UNLABELLED,
        rows=rows,
        clusters=np.zeros((0, 4)),
    ).take(rows > 0)


def _draw(snapshot: Snapshot, cohorts: Cohorts) -> tuple[float, Counts]:
    """The least probability of a draw, and the periods throughout which there was one."""
    settings, epoch, periods = snapshot.state.settings, snapshot.state.epoch, cohorts.periods
    recorded = cohorts.propensity[cohorts.drawn]
    shares = np.array([share for _, share in epoch.sample])
    if not shares.any() and not recorded.size:
        return 0.0, periods[:0]
    least = min([*shares[shares > 0].tolist(), *recorded.tolist()])
    if not shares.any():  # drawn by another system
        return least, periods[periods >= cohorts.period[cohorts.drawn].min()]
    changes = np.array([at for at, _ in epoch.sample[1:]], dtype=np.int64)
    changed = period_numbers(changes, settings.period, settings.zone_info)
    before, after = (np.searchsorted(changed, periods, side=side) for side in ("left", "right"))
    none_before = np.concatenate([[0], np.cumsum(shares == 0)])  # of the shares before each
    return least, periods[none_before[after + 1] == none_before[before]]
