"""A promise as a margin per row, at least 0 on average while it holds.

Every promise about the counts TP, FP, K (missed positives) and N₀ (unflagged rows) is linear: recall >= r, for one, is
(1 - r) TP - r K >= 0; so is one about a mean loss. Unflagged rows enter by their draw, missed ones 1/π times, so that
the mean of a row's margin is that of the promise whatever the draw, and one detector watches all promises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.inference import Detector, detector
from thresher.inference.anytime.drawn_count import RARE
from thresher.ranking import Counts, Floats
from thresher.tables import OperatingCondition
from thresher.watching.check.losses import loss_bounds
from thresher.watching.cohorts import Cohorts
from thresher.watching.epoch import Epoch
from thresher.watching.settings import OF_PROBABILITIES, Promise


@dataclass(frozen=True, slots=True, eq=False)
class Margin:
    """What a row of a cell adds: either alarm, an unflagged row, a miss beyond that."""

    hit: Floats
    false_alarm: Floats
    unflagged: Floats
    missed: Floats
    of_alarms: bool = False

    def ends(self, first_alarm: int, least: float) -> tuple[float, float]:
        """The least and the greatest margin that a row can have, drawn ones weighted."""
        values = [self.hit[first_alarm:], self.false_alarm[first_alarm:]]
        if not self.of_alarms:
            missed = self.missed / least if least else np.maximum(self.missed, 0.0)
            values += [(self.unflagged + each)[:first_alarm] for each in (np.zeros(missed.size), missed)]
        every = np.concatenate(values)
        return float(every.min(initial=0.0)), float(every.max(initial=0.0))


def margin(promise: Promise, condition: OperatingCondition, epoch: Epoch) -> Margin:
    """The margin of a promise that a quantity is large, or is small."""
    v, sign = promise.value, 1.0 if promise.above else -1.0
    if promise.quantity in OF_PROBABILITIES:
        negative, positive = loss_bounds(promise.quantity, epoch.cuts)[int(promise.above)]  # whichever favours it
        return _margin(sign, positive - v, negative - v, negative - v, positive - negative, epoch=epoch)
    c = condition
    parts: dict[str, tuple[float, float, float, float]] = {
        "precision": (1 - v, -v, 0, 0),
        "tpr": (1 - v, 0, 0, -v),
        "prevalence": (1 - v, -v, -v, 1),
        "fpr": (0, 1 - v, -v, v),
        "tnr": (0, -v, 1 - v, v - 1),
        "npv": (0, 0, 1 - v, -1),
        "expected_cost": (c.cost_tp - v, c.cost_fp - v, c.cost_tn - v, c.cost_fn - c.cost_tn),
    }
    share = (1 - v, 1 - v, -v, 0)  # of rows that raise an alarm, or whose column is missing
    of_alarms = promise.quantity == "precision"
    return _margin(sign, *parts.get(promise.quantity, share), epoch=epoch, of_alarms=of_alarms)


def _margin(sign: float, *parts: float | Floats, epoch: Epoch, of_alarms: bool = False) -> Margin:
    hit, false_alarm, unflagged, missed = (np.full(epoch.cells, sign * part, dtype=np.float64) for part in parts)
    return Margin(hit, false_alarm, unflagged, missed, of_alarms)


def detect_broken(
    one: Margin, cohorts: Cohorts, periods: Counts, *, least: float, run_length: float, share: float
) -> Detector:
    """Evidence of margins below 0, by cohort; missing labels count in favour.

    `least` is the least probability with which an unflagged row was drawn; 0 where none was.
    """
    value, known = _margins(one, cohorts, least)
    if one.of_alarms:
        cohorts, value, known = cohorts.take(cohorts.alarm), value[cohorts.alarm], known[cohorts.alarm]
    low, high = one.ends(cohorts.epoch.first_alarm, least)
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


def _margins(one: Margin, cohorts: Cohorts, least: float) -> tuple[Floats, Floats]:
    """The margin of each line, favourable without a label, and which have one.

    Where none is drawn, unflagged rows are rows without a label.
    """
    weight = np.divide(1.0, cohorts.propensity, out=np.zeros(cohorts.rows.size), where=cohorts.propensity > 0)
    hit, false_alarm, unflagged, missed = (
        each[cohorts.cell] for each in (one.hit, one.false_alarm, one.unflagged, one.missed)
    )
    alarm = np.where(cohorts.positive, hit, np.where(cohorts.negative, false_alarm, np.maximum(hit, false_alarm)))
    extra = np.where(cohorts.positive, missed, np.where(cohorts.negative, 0.0, np.maximum(missed, 0.0)))
    weight = np.where(cohorts.drawn, weight, 0.0) if least else np.ones(weight.size)
    value = np.where(cohorts.alarm, alarm, unflagged + weight * extra)
    needs = (one.hit != one.false_alarm).any() or one.missed.any()
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
