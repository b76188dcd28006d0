"""A promise as a margin per row, at least 0 on average while it holds.

Every promise about the counts TP, FP, K (missed positives) and N₀ (unflagged rows) is linear: recall >= r, for one, is
(1 - r) TP - r K >= 0. Unflagged rows enter by their draw, missed ones 1/π times, so that the mean of a row's margin is
that of the promise whatever the draw, and one detector watches all promises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.errors import MeasureError
from thresher.inference import Detector, detector
from thresher.ranking import Counts, Floats
from thresher.tables import OperatingCondition
from thresher.watching.cohorts import Cohorts
from thresher.watching.settings import ALARM_RATE, Promise

RARE = 5.0  # intrinsic time where what is counted is rare


@dataclass(frozen=True, slots=True)
class Margin:
    """What a row adds: either alarm, an unflagged row, and what a miss adds to that."""

    hit: float
    false_alarm: float
    unflagged: float
    missed: float
    of_alarms: bool = False

    def __neg__(self) -> Margin:
        return Margin(-self.hit, -self.false_alarm, -self.unflagged, -self.missed, self.of_alarms)


def margin(promise: Promise, condition: OperatingCondition) -> Margin:
    """The margin of a promise that a quantity is large, or is small."""
    v = promise.value
    if promise.quantity == "expected_cost":
        low = Margin(
            v - condition.cost_tp, v - condition.cost_fp, v - condition.cost_tn, condition.cost_tn - condition.cost_fn
        )
        return -low if promise.above else low
    large = {
        "precision": Margin(1 - v, -v, 0, 0, of_alarms=True),
        "tpr": Margin(1 - v, 0, 0, -v),
        "prevalence": Margin(1 - v, -v, -v, 1),
        "fpr": Margin(0, 1 - v, -v, v),
        "tnr": Margin(0, -v, 1 - v, v - 1),
        "npv": Margin(0, 0, 1 - v, -1),
        ALARM_RATE: Margin(1 - v, 1 - v, -v, 0),
    }
    if promise.quantity not in large:
        raise MeasureError(f"a watch cannot promise {promise.quantity}", "promise another measure")
    one = large[promise.quantity]
    return one if promise.above else -one


def detect_broken(
    one: Margin, cohorts: Cohorts, periods: Counts, *, least: float, run_length: float, share: float
) -> Detector:
    """Evidence of margins below 0, by cohort; missing labels count in favour.

    `least` is the least probability with which an unflagged row was drawn; 0 where none was.
    """
    value, known = _margins(one, cohorts)
    if one.of_alarms:
        cohorts, value, known = cohorts.take(cohorts.alarm), value[cohorts.alarm], known[cohorts.alarm]
    ends = [one.hit, one.false_alarm]
    if not one.of_alarms:
        ends += [one.unflagged, one.unflagged + (one.missed / least if least else 0.0)]
    low, high = min(ends), max(ends)
    if not low < 0 < high:
        return Detector(0.0, run_length / share, None, np.full(periods.size, -np.inf))
    place = (value - low) / (high - low)
    rows = cohorts.by_period(periods, np.ones(place.size))
    favourable = cohorts.by_period(periods, place)
    labels = cohorts.by_period(periods, known)
    silent = labels == 0  # no label counts yet, so nothing starts there
    total, counted, unlabelled = (
        np.where(silent, each, other) for each, other in ((0.0, favourable), (rows, rows), (rows, 0.0))
    )
    if one.of_alarms and cohorts.clusters.size:
        total, counted = _by_cluster(cohorts, periods, total, counted)
    return detector(
        np.minimum(total, counted - unlabelled),
        counted,
        unlabelled=unlabelled,
        at_least=-low / (high - low),
        run_length=run_length,
        share=share,
        intrinsic_time=50.0 if one.of_alarms else RARE,
    )


def _margins(one: Margin, cohorts: Cohorts) -> tuple[Floats, Floats]:
    """The margin of each line, favourable without a label, and which have one."""
    weight = np.divide(1.0, cohorts.propensity, out=np.zeros(cohorts.rows.size), where=cohorts.propensity > 0)
    alarm = np.where(
        cohorts.positive, one.hit, np.where(cohorts.negative, one.false_alarm, max(one.hit, one.false_alarm))
    )
    extra = np.where(cohorts.positive, one.missed, np.where(cohorts.negative, 0.0, max(one.missed, 0.0)))
    value = np.where(cohorts.alarm, alarm, one.unflagged + np.where(cohorts.drawn, weight * extra, 0.0))
    needs = (one.hit != one.false_alarm) | (one.missed != 0)
    labelled = cohorts.due & ~cohorts.unknown if needs else np.ones(cohorts.rows.size, dtype=np.bool_)
    return value.astype(np.float64), labelled.astype(np.float64)


def _by_cluster(cohorts: Cohorts, periods: Counts, total: Floats, counted: Floats) -> tuple[Floats, Floats]:
    """Labelled alarms that belong together count as one, in their first period."""
    cluster, period, rows, positive = cohorts.clusters.T
    here = np.isin(period, periods)
    if not here.any():
        return total, counted
    at = np.searchsorted(periods, period[here])
    total = total - np.bincount(at, weights=positive[here], minlength=periods.size)
    counted = counted - np.bincount(at, weights=rows[here], minlength=periods.size)
    groups, place = np.unique(cluster[here], return_inverse=True)
    of_cluster, of_positive = (np.bincount(place, weights=each[here]) for each in (rows, positive))
    first = np.full(groups.size, periods.size)
    np.minimum.at(first, place, at)
    total = total + np.bincount(first, weights=of_positive / of_cluster, minlength=periods.size)
    return np.maximum(total, 0.0), counted + np.bincount(first, minlength=periods.size)
