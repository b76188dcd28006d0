"""A promise's interval, the evidence against it, and its verdict."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher._internal.results import Result
from thresher._internal.text import count_text
from thresher.inference import Detector, Interval, mean_interval, stratified_precision, stream_count_interval
from thresher.inference.interval import undefined
from thresher.ranking import Counts, Floats
from thresher.tables import OperatingCondition
from thresher.watching.cohorts import Cohorts
from thresher.watching.margins import detect_broken, margin
from thresher.watching.periods import period_text
from thresher.watching.settings import ALARM_RATE, Promise

Verdict: TypeAlias = Literal["holds", "broken", "undecided"]
MOST_LABELS = 10_000_000


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels that a promise rests on: used, due (old rows without one), too young."""

    used: int
    due: int
    young: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PromiseCheck(Result):
    """A promise with all that is known of it.

    `interval` is of the running mean since the decision was deployed, at every look. `recent` is the same since period
    `since`, where the evidence against the promise is strongest, and was chosen for that. `evidence` is that of the
    detector, which raises an alarm at `most`. `needed` says about how many more labels would decide.
    """

    promise: Promise
    verdict: Verdict
    interval: Interval
    recent: Interval | None
    since: int | None
    evidence: float
    most: float
    labels: Labels
    because: str
    needed: int | None
    open_alarm: bool
    periods: Counts
    log_path: Floats

    def _brief(self) -> str:
        return f"{self.promise}: {self.verdict}, {self.interval}"

    def to_dict(self, period: str) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.promise.name,
            "promise": str(self.promise),
            "quantity": self.promise.quantity,
            "relation": self.promise.relation,
            "value": self.promise.value,
            "verdict": self.verdict,
            "interval": self.interval.to_dict(),
            "recent": None if self.recent is None else self.recent.to_dict(),
            "since": None if self.since is None else period_text(self.since, period),
            "evidence": self.evidence,
            "evidence_of_alarm": self.most,
            "labels": {"used": self.labels.used, "due": self.labels.due, "young": self.labels.young},
            "because": self.because,
            "labels_needed": self.needed,
            "path": {
                "period": [period_text(number, period) for number in self.periods.tolist()],
                "log10_evidence": [
                    round(value / math.log(10), 6) if math.isfinite(value) else None for value in self.log_path.tolist()
                ],
            },
        }


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Counts that promises are judged by: mature cohorts, young ones, the draw.

    `least` is the least probability with which an unflagged row was drawn, from period `drawn_from` on; 0 where none
    was.
    """

    mature: Cohorts
    young: Cohorts
    every: Cohorts
    least: float
    drawn_from: int
    level: float
    condition: OperatingCondition

    def cohorts_of(self, promise: Promise) -> Cohorts:
        """The cohorts that a promise speaks of: calls are known at once."""
        return self.every if promise.quantity == ALARM_RATE else self.mature


@dataclass(frozen=True, slots=True)
class Positives:
    """Limits of what is not counted: positives among alarms, and missed ones."""

    tp: Interval
    missed: Interval
    alarms: int
    others: int
    level: float


def check_promise(
    promise: Promise,
    evidence: Evidence,
    *,
    run_length: float,
    share: float,
    after: int | None,
    open_alarm: bool,
    period: str,
) -> tuple[PromiseCheck, Detector]:
    """Judge one promise; its detector starts with the cohorts `after` a period."""
    cohorts = evidence.cohorts_of(promise)
    one = margin(promise, evidence.condition)
    watched = cohorts if after is None else cohorts.take(cohorts.period > after)
    periods = watched.periods
    outcome = detect_broken(one, watched, periods, least=evidence.least, run_length=run_length, share=share)
    interval = quantity_interval(promise, evidence, cohorts)
    since = None if outcome.change is None or not outcome.evidence > 1 else int(periods[outcome.change])
    recent = None
    if since is not None:
        recent = quantity_interval(promise, evidence, cohorts.take(cohorts.period >= since))
    labels = _labels(promise, evidence)
    verdict: Verdict = "undecided"
    if outside(promise, interval) or outcome.alarm or open_alarm:
        verdict = "broken"
    elif inside(promise, interval):
        verdict = "holds"
    needed = labels_needed(promise, evidence, interval) if verdict == "undecided" else None
    because = _because(promise, evidence, interval, labels, needed, open_alarm=open_alarm and not outcome.alarm)
    if outcome.alarm and since is not None:
        because = f"change about {period_text(since, period)}; {because}"
    checked = PromiseCheck(
        promise=promise,
        verdict=verdict,
        interval=interval,
        recent=recent,
        since=since,
        evidence=outcome.evidence,
        most=outcome.most,
        labels=labels,
        because=because,
        needed=needed,
        open_alarm=open_alarm,
        periods=periods,
        log_path=outcome.log_path,
    )
    return checked, outcome


def inside(promise: Promise, interval: Interval) -> bool:
    """Whether the promise holds at every value of an interval."""
    end = interval.lower if promise.above else interval.upper
    return end >= promise.value if promise.above else end <= promise.value


def outside(promise: Promise, interval: Interval) -> bool:
    """Whether the promise holds at no value of an interval."""
    end = interval.upper if promise.above else interval.lower
    return end < promise.value if promise.above else end > promise.value


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


def _labels(promise: Promise, evidence: Evidence) -> Labels:
    """Labels that are used, due and too young, of the rows that the promise needs."""
    if promise.quantity == ALARM_RATE:
        return Labels(0, 0, 0)
    of_alarms = promise.quantity == "precision"

    def count(cohorts: Cohorts, *, unknown: bool) -> int:
        needed = cohorts.alarm if of_alarms else cohorts.due
        return cohorts.count(needed & (cohorts.unknown == unknown))

    mature, young = evidence.mature, evidence.young
    return Labels(
        count(mature, unknown=False), count(mature, unknown=True), young.count(young.alarm if of_alarms else young.due)
    )


def labels_needed(promise: Promise, evidence: Evidence, interval: Interval) -> int | None:
    """About how many more labels would decide, if what is seen stays as it is."""
    cohorts = evidence.cohorts_of(promise)
    if math.isnan(interval.estimate) or not cohorts.count():
        return None
    labels = cohorts.count() if promise.quantity == ALARM_RATE else _labels(promise, evidence).used
    low, high = 1, 2
    while not _decides(promise, evidence, cohorts, high):
        low, high = high, high * 2
        if labels * high > MOST_LABELS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _decides(promise, evidence, cohorts, middle) else (middle, high)
    return labels * (high - 1)


def _decides(promise: Promise, evidence: Evidence, cohorts: Cohorts, scale: int) -> bool:
    interval = quantity_interval(promise, evidence, cohorts, scale=scale)
    return inside(promise, interval) or outside(promise, interval)


def _because(
    promise: Promise, evidence: Evidence, interval: Interval, labels: Labels, needed: int | None, *, open_alarm: bool
) -> str:
    """What the verdict rests on, and what is missing."""
    if promise.quantity == ALARM_RATE:
        words = ["every row counts"]
    elif promise.quantity == "precision":
        words = [f"{labels.used:,} reviewed"]
    else:
        mature = evidence.mature
        missed = mature.count(mature.drawn & mature.positive)
        drawn = mature.count(mature.drawn & ~mature.unknown)
        others = mature.count(~mature.alarm)
        words = [f"{count_text(missed, 'miss').replace('misss', 'misses')} in {drawn:,} of {others:,} drawn"]
        if not evidence.least:
            words = ["no row that raised no alarm is drawn to be labelled: draw some with sample="]
    if math.isnan(interval.estimate) and interval.note and interval.method == "none":
        words.append(interval.note)
    if labels.due:
        words.append(f"{labels.due:,} without a label")
    if labels.young:
        words.append(f"{labels.young:,} too young")
    if needed is not None:
        noun = "row" if promise.quantity == ALARM_RATE else "label"
        words.append(f"about {count_text(needed, f'more {noun}')} would tell")
    if open_alarm:
        words.append("an alarm stands until it is acknowledged")
    return "; ".join(words)
