"""A promise's interval, the evidence against it, and its verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from thresher._internal.results import Result
from thresher._internal.text import count_text
from thresher.inference import Detector, Interval
from thresher.ranking import Counts, Floats
from thresher.watching.check.evidence import Evidence
from thresher.watching.check.margins import detect_broken, margin
from thresher.watching.check.quantities import quantity_interval
from thresher.watching.cohorts import Cohorts
from thresher.watching.periods import period_text
from thresher.watching.settings import Promise

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
    one = margin(promise, evidence.condition, cohorts.epoch)
    watched = cohorts if after is None else cohorts.take(cohorts.period > after)
    if promise.quantity == "precision" and not evidence.gate:  # delay does not depend on the label
        watched = watched.take(~watched.unknown)
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


def _labels(promise: Promise, evidence: Evidence) -> Labels:
    """Labels that are used, due and too young, of the rows that the promise needs."""
    if promise.of_every_row:
        return Labels(0, 0, 0)
    of_alarms = promise.quantity == "precision"

    def count(cohorts: Cohorts, *, unknown: bool) -> int:
        needed = cohorts.alarm if of_alarms else cohorts.due
        return cohorts.count(needed & (cohorts.unknown == unknown))

    mature, young = evidence.cohorts_of(promise), evidence.young
    return Labels(
        count(mature, unknown=False), count(mature, unknown=True), young.count(young.alarm if of_alarms else young.due)
    )


def labels_needed(promise: Promise, evidence: Evidence, interval: Interval) -> int | None:
    """About how many more labels would decide, if what is seen stays as it is."""
    cohorts = evidence.cohorts_of(promise)
    if math.isnan(interval.estimate) or not cohorts.count():
        return None
    labels = cohorts.count() if promise.of_every_row else _labels(promise, evidence).used
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
    if promise.of_every_row:
        words = ["every row counts"]
    elif promise.quantity == "precision":
        words = [f"{labels.used:,} reviewed"]
    else:
        mature = evidence.cohorts_of(promise)
        missed = mature.count(mature.drawn & mature.positive)
        drawn = mature.count(mature.drawn & ~mature.unknown)
        others = mature.count(~mature.alarm)
        noun = "miss" if missed == 1 else "misses"
        words = [f"{missed:,} {noun} in {drawn:,} labelled of {others:,} without alarm"]
        if not evidence.least:
            words = ["no row that raised no alarm is drawn to be labelled: draw some with sample="]
        elif (drawn_in := mature.periods.size) < (known := evidence.mature.periods.size):
            words.append(f"from {drawn_in:,} of {known:,} periods, in which rows were drawn")
    if math.isnan(interval.estimate) and interval.note and interval.method == "none":
        words.append(interval.note)
    if labels.due:
        words.append(f"{labels.due:,} still to be labelled")
    if labels.young:
        words.append(f"{labels.young:,} too young")
    if needed is not None:
        noun = "row" if promise.of_every_row else "label"
        words.append(f"about {count_text(needed, f'more {noun}')} would tell")
    if open_alarm:
        words.append("an alarm stands until it is acknowledged")
    return "; ".join(words)
