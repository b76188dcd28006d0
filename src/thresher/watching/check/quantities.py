"""Limits of a quantity that is promised, at every look, from labels of some rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from thresher.inference import Interval, mean_interval, stratified_precision, stream_count_interval
from thresher.inference.interval import undefined
from thresher.ranking import Floats
from thresher.tables import OperatingCondition
from thresher.watching.check.evidence import Evidence
from thresher.watching.cohorts import Cohorts
from thresher.watching.settings import ALARM_RATE, Promise


@dataclass(frozen=True, slots=True)
class Positives:
    """Limits of what is not counted: positives among alarms, and missed ones."""

    tp: Interval
    missed: Interval
    alarms: int
    others: int
    level: float


def quantity_interval(promise: Promise, evidence: Evidence, cohorts: Cohorts, *, scale: int = 1) -> Interval:
    """Limits of a promise's quantity; `scale` supposes so many times the counts."""
    level = evidence.level
    if not cohorts.count():
        return undefined(level, "no cohort is old enough" if evidence.young.count() else "there are no rows")
    if promise.quantity == ALARM_RATE:
        rows, alarms = cohorts.count() * scale, cohorts.count(cohorts.alarm) * scale
        return mean_interval(alarms, rows, level=level, intrinsic_time=_alarm_time(evidence))
    if promise.quantity == "precision":
        return precision_interval(cohorts, level=level, scale=scale)
    return _of_positives(promise.quantity, positives(cohorts, evidence, scale=scale), evidence.condition)


def _alarm_time(evidence: Evidence) -> float:
    """Where limits of the alarm rate are tightest: at a thousand alarms."""
    reference, threshold = evidence.every.epoch.reference, evidence.every.epoch.decision.threshold
    cases = reference.pos + reference.neg
    rate = float(cases[reference.score >= threshold].sum() / cases.sum())
    return max(5.0, 1000 * (1 - rate))


def precision_interval(cohorts: Cohorts, *, level: float, scale: int = 1) -> Interval:
    """Limits of the precision of all alarms, from those that are reviewed.

    Of alarms without a label two things are known, each at half the error: they are positive or not, whichever, and in
    a stratum of scores those that are reviewed stand for the others. A stratum without review may hold anything.
    """
    alarms = cohorts.take(cohorts.alarm)
    if not alarms.count():
        return undefined(level, "there are no alarms")
    total, labels = _clustered(alarms)
    unknown = alarms.count(alarms.unknown)
    if not unknown or cohorts.clusters.size:
        if not labels:
            return undefined(level, "no alarm is labelled")
        return mean_interval(total * scale, labels * scale, level=level)
    if not labels:
        return undefined(level, "no alarm is labelled")
    half = (1 + level) / 2
    k, n, waiting = _by_stratum(alarms, scale)
    either = mean_interval(k.sum(), (n + waiting).sum(), unlabelled=waiting.sum(), level=half)
    share = (n + waiting) / (n + waiting).sum()
    ends = np.array([_ends(*counts, level=1 - (1 - half) / k.size) for counts in zip(k, n, strict=True)])
    lower, upper = max(either.lower, float(share @ ends[:, 0])), min(either.upper, float(share @ ends[:, 1]))
    if lower > upper:  # reviewed alarms do not stand for the others
        lower, upper = either.lower, either.upper
    rates = np.divide(k, n, out=np.full(k.size, math.nan), where=n > 0)
    estimate = float(np.clip(share @ rates, lower, upper))
    return Interval(estimate, lower, upper, math.nan, level, either.method, "by score band")


def _ends(k: float, n: float, *, level: float) -> tuple[float, float]:
    """Limits of the share of positives in a stratum; without a label it may be any."""
    if not n:
        return 0.0, 1.0
    interval = mean_interval(k, n, level=level)
    return interval.lower, interval.upper


def _by_stratum(alarms: Cohorts, scale: int) -> tuple[Floats, Floats, Floats]:
    """Positives, labels, and alarms without one, of each stratum of alarms."""
    strata = alarms.strata
    k, n, waiting = (
        np.array(
            [alarms.count((strata == stratum) & part) * scale for stratum in np.unique(strata).tolist()], np.float64
        )
        for part in (alarms.positive, ~alarms.unknown, alarms.unknown)
    )
    return k, n, waiting


def _clustered(alarms: Cohorts) -> tuple[float, float]:
    """Positives and labels, rows that belong together as one."""
    total, labels = float(alarms.count(alarms.positive)), float(alarms.count(~alarms.unknown))
    if alarms.clusters.size:
        cluster, period, rows, positive = alarms.clusters.T
        here = np.isin(period, alarms.periods)
        groups, place = np.unique(cluster[here], return_inverse=True)
        of_cluster, of_positive = (np.bincount(place, weights=each[here]) for each in (rows, positive))
        total += float((of_positive / of_cluster).sum() - of_positive.sum()) if groups.size else 0.0
        labels += groups.size - float(of_cluster.sum()) if groups.size else 0.0
    return max(total, 0.0), labels


def positives(cohorts: Cohorts, evidence: Evidence, *, scale: int = 1) -> Positives:
    """Limits of positives among alarms and among other rows, together at the level."""
    alarms, others = cohorts.take(cohorts.alarm), cohorts.take(~cohorts.alarm)
    number, rest = alarms.count() * scale, others.count() * scale
    certain = not alarms.count(alarms.unknown)
    half = evidence.level if certain else (1 + evidence.level) / 2
    tp = alarms.count(alarms.positive) * scale
    if certain:
        counted = Interval(tp, tp, tp, 0.0, half, "counted")
    else:
        share = stratified_precision(*_by_stratum(alarms, scale), level=half)
        most = tp + alarms.count(alarms.unknown) * scale
        if math.isnan(share.estimate):
            counted = Interval(math.nan, tp, most, math.nan, half, "worst case")
        else:
            low, high = max(tp, number * share.lower), min(most, number * share.upper)
            counted = Interval(min(max(number * share.estimate, low), high), low, high, math.nan, half, share.method)
    return Positives(counted, _missed(others, evidence, half, scale), number, rest, evidence.level)


def _missed(others: Cohorts, evidence: Evidence, level: float, scale: int) -> Interval:
    """Limits of the positives among rows that raised no alarm."""
    rows = others.count() * scale
    reported = others.count(others.positive) * scale
    if not others.count(others.unknown):
        return Interval(reported, reported, reported, 0.0, level, "counted")
    sampled = others.take(others.period >= evidence.drawn_from)
    if not evidence.least or not sampled.count():
        return Interval(math.nan, reported, rows - others.count(others.negative) * scale, math.nan, level, "worst case")
    drawn = sampled.drawn
    weight = np.where(drawn, evidence.least / np.where(drawn, sampled.propensity, 1.0), 0.0)
    known, unknown = (
        float((weight * sampled.rows)[part].sum()) * scale for part in (sampled.positive, sampled.unknown)
    )
    part = stream_count_interval(
        known, sampled.count() * scale, propensity=evidence.least, unlabelled=unknown, level=level
    )
    before = rows - sampled.count() * scale
    low, high = max(part.lower, reported), max(part.upper + before, reported)
    estimate = math.nan if before else min(max(part.estimate, low), high)
    return Interval(estimate, low, high, math.nan, level, part.method, part.note)


def _of_positives(quantity: str, known: Positives, condition: OperatingCondition) -> Interval:
    """Limits of a quantity that is monotone in both counts: its values at their ends."""
    value = _FORMULAS[quantity]
    tp, missed = known.tp, known.missed
    ends = [value(a, b, known, condition) for a in (tp.lower, tp.upper) for b in (missed.lower, missed.upper)]
    there = [end for end in ends if not math.isnan(end)]
    if not there:
        return undefined(known.level, "there may be no positives")
    if len(there) < len(ends) and quantity == "tpr":  # nothing missed and nothing caught
        there += [0.0, 1.0]
    estimate = value(tp.estimate, missed.estimate, known, condition)
    lower, upper = min(there), max(there)
    note = missed.note
    if math.isnan(estimate):
        return Interval(math.nan, lower, upper, math.nan, known.level, "worst case", "bounds without an estimate")
    return Interval(min(max(estimate, lower), upper), lower, upper, math.nan, known.level, missed.method, note)


_Formula: TypeAlias = Callable[[float, float, Positives, OperatingCondition], float]


def _ratio(part: float, total: float) -> float:
    return part / total if total else math.nan


_FORMULAS: dict[str, _Formula] = {
    "tpr": lambda tp, missed, _n, _c: _ratio(tp, tp + missed),
    "prevalence": lambda tp, missed, n, _c: _ratio(tp + missed, n.alarms + n.others),
    "fpr": lambda tp, missed, n, _c: _ratio(n.alarms - tp, n.alarms - tp + n.others - missed),
    "tnr": lambda tp, missed, n, _c: _ratio(n.others - missed, n.alarms - tp + n.others - missed),
    "npv": lambda _tp, missed, n, _c: _ratio(n.others - missed, n.others),
    "expected_cost": lambda tp, missed, n, c: _ratio(
        c.cost_tp * tp + c.cost_fp * (n.alarms - tp) + c.cost_fn * missed + c.cost_tn * (n.others - missed),
        n.alarms + n.others,
    ),
}
