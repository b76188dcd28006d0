"""Limits of a quantity that is promised, at every look, from labels of some rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from thresher.inference import Interval, mean_interval, stratified_precision
from thresher.inference.anytime.drawn_count import RARE
from thresher.inference.anytime.mixture import mean_limits
from thresher.inference.interval import undefined
from thresher.ranking import Counts, Floats
from thresher.tables import OperatingCondition
from thresher.watching.check.evidence import Evidence
from thresher.watching.check.losses import loss_bounds
from thresher.watching.cohorts import Cohorts
from thresher.watching.settings import ALARM_RATE, OF_PROBABILITIES, Promise


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
    level, quantity = evidence.level, promise.quantity
    if not cohorts.count():
        return undefined(level, "no cohort is old enough" if evidence.young.count() else "there are no rows")
    if promise.of_every_row:
        rows, flagged = cohorts.count() * scale, cohorts.count(cohorts.alarm) * scale
        if quantity != ALARM_RATE:
            return mean_interval(flagged, rows, level=level)
        return mean_interval(flagged, rows, level=level, intrinsic_time=_alarm_time(evidence))
    if quantity == "precision":
        return precision_interval(cohorts, level=level, scale=scale)
    if quantity in OF_PROBABILITIES:
        return _loss_interval(quantity, evidence, cohorts, scale)
    return of_positives(quantity, positives(cohorts, evidence, scale=scale), evidence.condition)


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
    if not labels:
        return undefined(level, "no alarm is labelled")
    if not unknown or cohorts.clusters.size:
        limits = mean_interval(total * scale, labels * scale, level=level)
        return replace(limits, note="of clusters, one mean each") if cohorts.clusters.size else limits
    half = (1 + level) / 2
    k, n, waiting = _by_stratum(alarms, alarms.positive.astype(np.float64), scale)
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


def _by_stratum(alarms: Cohorts, value: Floats, scale: int) -> tuple[Floats, Floats, Floats]:
    """Sums of a value of labelled alarms, labels, and alarms without one, by stratum."""
    strata, place = np.unique(alarms.strata, return_inverse=True)
    known = ~alarms.unknown
    k, n, waiting = (
        np.bincount(place, weights=weight * alarms.rows, minlength=strata.size).astype(np.float64) * scale
        for weight in (np.where(known, value, 0.0), known, alarms.unknown)
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
    level = _part_level(alarms, evidence)
    tp = _alarm_sum(alarms, np.array([0.0, 1.0])[:, None], level, scale)
    missed = _missed_sum(others, evidence, np.ones(1), level, scale)
    return Positives(tp, missed, alarms.count() * scale, others.count() * scale, evidence.level)


def _part_level(alarms: Cohorts, evidence: Evidence) -> float:
    """The level of each part: half the error, unless alarms are counted."""
    return evidence.level if not alarms.count(alarms.unknown) else (1 + evidence.level) / 2


def _loss_interval(quantity: str, evidence: Evidence, cohorts: Cohorts, scale: int) -> Interval:
    """Limits of the mean loss of all rows, at the kinder and harsher ends of cells."""
    alarms, others = cohorts.take(cohorts.alarm), cohorts.take(~cohorts.alarm)
    level = _part_level(alarms, evidence)
    ends = []
    for loss in loss_bounds(quantity, cohorts.epoch.cuts):
        of_alarms = _alarm_sum(alarms, loss, level, scale)
        missed = _missed_sum(others, evidence, loss[1] - loss[0], level, scale)
        negative = _total(loss[0][others.cell], others.rows) * scale  # if every other row is
        parts = ("estimate", "lower", "upper")
        ends.append([(getattr(of_alarms, part) + negative + getattr(missed, part)) for part in parts])
    kind, harsh = np.array(ends) / (cohorts.count() * scale)
    estimate = float(kind[0] + harsh[0]) / 2
    lower, upper = float(kind[1]), float(harsh[2])
    if math.isnan(estimate):
        return Interval(estimate, lower, upper, math.nan, evidence.level, "worst case", "bounds without an estimate")
    return Interval(estimate, lower, upper, math.nan, evidence.level, "anytime", "scores are counted in cells")


def _alarm_sum(alarms: Cohorts, value: Floats, level: float, scale: int) -> Interval:
    """Limits of the sum over alarms of a value per label and cell.

    In a stratum of scores reviewed alarms stand for the others; not where rows belong together, of which one tells much
    of the next.
    """
    value = np.broadcast_to(value, (2, alarms.epoch.cells))[:, alarms.cell]
    least, most = (float(end(value, initial=limit)) for end, limit in ((np.min, math.inf), (np.max, -math.inf)))
    known = np.where(alarms.unknown, 0.0, np.where(alarms.positive, value[1], value[0]))
    total = _total(known, alarms.rows) * scale
    open_rows = np.where(alarms.unknown, alarms.rows, 0) * scale
    if not open_rows.any():
        return Interval(total, total, total, 0.0, level, "counted")
    low, high = (total + _total(end(value, axis=0), open_rows) for end in (np.min, np.max))
    span = (most - least) or 1.0
    k, n, waiting = _by_stratum(alarms, (known - least) / span, scale)
    if alarms.clusters.size or not n.all():
        return Interval(math.nan, low, high, math.nan, level, "worst case")
    share, number = stratified_precision(k, n, waiting, level=level), alarms.count() * scale
    ends = (number * (least + span * each) for each in (share.estimate, share.lower, share.upper))
    estimate, lower, upper = (min(max(each, low), high) for each in ends)
    return Interval(estimate, lower, upper, math.nan, level, share.method)


def _missed_sum(others: Cohorts, evidence: Evidence, value: Floats, level: float, scale: int) -> Interval:
    """Limits of the sum of a value per cell over positives that raised no alarm.

    Only the draw is left to chance: a drawn positive adds its value times the least probability of a draw over its own,
    and every other row nothing, whose mean is that probability times the sum.
    """
    value = np.broadcast_to(value, others.epoch.cells)[others.cell]
    rows = others.rows * scale
    ends = np.minimum(value, 0.0), np.maximum(value, 0.0)  # of a row without a label
    known = _total(np.where(others.positive, value, 0.0), rows)
    low, high = (known + _total(np.where(others.unknown, end, 0.0), rows) for end in ends)
    if not others.count(others.unknown):
        return Interval(known, known, known, 0.0, level, "counted")
    sampled = np.isin(others.period, evidence.sampled)
    if not evidence.least or not sampled.any():
        return Interval(math.nan, low, high, math.nan, level, "worst case")
    drawn = sampled & others.drawn
    weight = np.where(drawn, evidence.least / np.where(drawn, others.propensity, 1.0), 0.0) * rows
    bottom, top = float(ends[0][sampled].min()), float(ends[1][sampled].max())
    drawn_sum = _total(np.where(others.positive, value, 0.0), weight)
    number = float(rows[sampled].sum())
    sums = (drawn_sum + _total(np.where(others.unknown, end, 0.0), weight) - number * bottom for end in ends)
    span = (top - bottom) or 1.0
    least, most = (each / span for each in sums)
    limits = mean_limits(least, most, number, level=level, intrinsic_time=RARE)
    before = np.where(sampled, 0, rows)
    known_before = _total(np.where(others.positive, value, 0.0), before)
    lower, upper = (
        (bottom + span * float(limit)) * number / evidence.least
        + known_before
        + _total(np.where(others.unknown, end, 0.0), before)
        for limit, end in zip(limits, ends, strict=True)
    )
    lower, upper = max(lower, low), min(upper, high)
    labelled = float(weight[~others.unknown].sum())
    if (others.unknown & (before > 0)).any() or not labelled:
        return Interval(math.nan, lower, upper, math.nan, level, "anytime")
    estimate = drawn_sum / evidence.least * float(weight.sum()) / labelled + known_before
    return Interval(min(max(estimate, lower), upper), lower, upper, math.nan, level, "anytime")


def _total(value: Floats, rows: Floats | Counts) -> float:
    """A sum over lines.

    Not a product of matrices, whose last digits depend on the number of threads.
    """
    return float((value * rows).sum())


def of_positives(quantity: str, known: Positives, condition: OperatingCondition) -> Interval:
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
