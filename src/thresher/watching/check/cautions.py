"""What a careful analyst would notice about a check, next to its verdicts."""

from __future__ import annotations

import calendar
import math
from typing import TYPE_CHECKING

import numpy as np

from thresher._internal.text import count_text, in_words
from thresher.cautions import Caution
from thresher.inference import Interval, auc_interval
from thresher.inference.anytime.maturity import FEWEST_LABELS
from thresher.inference.anytime.mixture import mean_limits
from thresher.watching.check.assumptions import Mix
from thresher.watching.check.evidence import Evidence
from thresher.watching.cohorts import Snapshot
from thresher.watching.epoch import reference_cautions
from thresher.watching.periods import HOUR, period_text
from thresher.watching.settings import OF_MISSES, read_promises

if TYPE_CHECKING:
    from thresher.watching.check.evidence import Delays

_ACTED_UPON = 0.05  # share of old alarms with a label, below which alarms seem to be acted upon
_REVIEWED = 0.99  # share of old alarms with a label, from which the rest are too few to matter
_REPLICATES = 500
_THURSDAY = 3  # of the first day that is counted, from Monday


def check_cautions(snapshot: Snapshot, evidence: Evidence, delays: Delays, mix: Mix | None) -> tuple[Caution, ...]:
    """Cautions about the reference, the rows and their labels."""
    return (
        *reference_cautions(snapshot.state.epoch),
        *_of_rows(snapshot, evidence, mix),
        *_of_arrival(snapshot, evidence, delays),
        *_of_review(snapshot, evidence),
        *_of_weekdays(snapshot, evidence),
    )


def _of_rows(snapshot: Snapshot, evidence: Evidence, mix: Mix | None) -> list[Caution]:
    cautions = []
    if snapshot.foreign:
        period = snapshot.state.settings.period
        first = period_text(snapshot.foreign[0], period)
        text = f"all scores of {count_text(len(snapshot.foreign), period)} lie outside those of the reference"
        cautions.append(
            Caution("scores-of-another-model", f"{text} (first {first}): are they of the decision's model?")
        )
    if mix is not None and mix.test.refuted:
        text = "no mix of the reference's classes has these scores, so their class ratio is unknown"
        cautions.append(Caution("label-shift-refuted", text))
    order = _first_order(snapshot, evidence)
    if order is not None and order[0].upper < order[1].lower:
        now, then = order
        text = f"labels of the first periods follow the score with AUC {now}, those of the reference with {then}"
        cautions.append(Caution("reference-was-trained-on", f"{text}: was the model learned from it?"))
    return cautions


def _first_order(snapshot: Snapshot, evidence: Evidence) -> tuple[Interval, Interval] | None:
    """AUC of the first stretch's labels, and of the reference in the same cells.

    Neither depends on the class mix. In each cell the reviewed alarms stand for the others, and a drawn row for 1/π.
    Without drawn rows both are those of alarms alone. Limits are of resampled labels.
    """
    epoch, mature = snapshot.state.epoch, evidence.drawn_cohorts
    if not mature.periods.size:
        return None
    early = mature.take(mature.period < mature.periods[0] + snapshot.state.settings.stretch)
    known = early.take(early.due & ~early.unknown)
    if min(known.count(known.positive), known.count(known.negative)) < FEWEST_LABELS:
        return None
    alarms, reviewed = early.by_cell(early.alarm), known.by_cell(known.alarm)
    weight = np.where(
        known.alarm, (alarms / np.maximum(reviewed, 1))[known.cell], 1 / np.where(known.alarm, 1.0, known.propensity)
    )
    drawn = np.random.default_rng(0).poisson(known.rows, (_REPLICATES, known.rows.size)) * weight
    counts = np.zeros((2, epoch.cells, _REPLICATES + 1))
    np.add.at(counts, (known.label, known.cell), np.vstack([known.rows * weight, drawn]).T)
    negative, positive = counts
    pairs = positive.sum(axis=0) * negative.sum(axis=0)
    won = (positive * (np.cumsum(negative, axis=0) - negative / 2)).sum(axis=0)
    auc = np.divide(won, pairs, out=np.full(pairs.size, 1.0), where=pairs > 0)
    level = evidence.level
    lower, upper = np.quantile(auc[1:], [(1 - level) / 2, (1 + level) / 2]).tolist()
    estimate = float(auc[0])
    now = Interval(estimate, min(lower, estimate), max(upper, estimate), math.nan, level, "bootstrap")
    pos, neg = epoch.in_cells(epoch.reference)
    if not (known.drawn.any()):
        pos[: epoch.first_alarm], neg[: epoch.first_alarm] = 0, 0
    if not (pos.sum() and neg.sum()):
        return None
    return now, auc_interval(epoch.of_cells(pos, neg), level=level)


def _of_arrival(snapshot: Snapshot, evidence: Evidence, delays: Delays) -> list[Caution]:
    """When labels came, and what stands for those that did not."""
    cautions = []
    young, settings, ages = evidence.young, snapshot.state.settings, snapshot.ages

    def note(code: str, text: str) -> None:
        cautions.append(Caution(code, text))

    if snapshot.early:
        number, example = snapshot.early
        text = f"{count_text(number, 'label')} of a time before the score (first of {example!r})"
        note("label-before-score", f"{text}: they came before their rows, and are left out")
    if snapshot.drawn_late:
        text = f"{count_text(snapshot.drawn_late, 'row')} of another system's draw came after the label"
        note("propensity-after-label", f"{text}: limits hold only if the draw did not depend on it")
    if settings.silent_after is not None:
        silent = int(ages.rows[(ages.label < 0) & (ages.hours >= settings.silent_after / HOUR)].sum())
        text = f"no label within {settings.silent_negative} means negative, by convention"
        note("silence-is-negative", f"{text}: {count_text(silent, 'row')} now")
    waiting = young.count(young.due & young.unknown)
    if waiting:
        text = f"{young.count(young.due):,} rows that are to be labelled are younger than labels take to come"
        note("young-cohorts", f"{text}, {waiting:,} of them without a label, and are not judged yet")
    if delays.test is not None and delays.test.differs:
        text = f"the share labelled by an age differs by up to {delays.test.gap:.2f} between the classes"
        note("delay-tells-class", f"{text}, so cohorts are judged when they are old enough only")
    if 0 < delays.labels < FEWEST_LABELS:
        note("few-labels", f"there are {delays.labels:,} labels, too few to say how long they take")
    return cautions


def _of_review(snapshot: Snapshot, evidence: Evidence) -> list[Caution]:
    """Which rows are labelled, and which promises that leaves open."""
    cautions, mature = [], evidence.mature

    def note(code: str, text: str) -> None:
        cautions.append(Caution(code, text))

    alarms, reviewed = mature.count(mature.alarm), mature.count(mature.alarm & ~mature.unknown)
    if alarms and not reviewed / alarms >= _ACTED_UPON and alarms >= FEWEST_LABELS:
        text = f"{reviewed:,} of {alarms:,} old alarms have a label"
        note("acted-upon", f"{text}: if alarms are acted upon, let a drawn share of them pass")
    elif reviewed < _REVIEWED * alarms:
        text = f"{alarms - reviewed:,} of {alarms:,} old alarms have no label"
        note("review-not-drawn", f"{text}: within a range of scores, review must not depend on what would be seen")
    promises = read_promises(snapshot.state.settings.promises)
    needs = [promise.name for promise in promises if promise.quantity in OF_MISSES]
    if needs and not evidence.least:
        text = f"{', '.join(needs)} cannot be known while no row without alarm is drawn to be labelled"
        note("partial-labels", text)
    by_row = [promise.name for promise in promises if promise.quantity != "precision"]
    if evidence.every.clusters.size and by_row:
        text = f"rows belong together, and {', '.join(by_row)} count each of them: limits hold for the rows that came,"
        note("clustered-rows", f"{text} and one cluster can raise an alarm; precision counts one mean per cluster")
    return cautions


def _of_weekdays(snapshot: Snapshot, evidence: Evidence) -> list[Caution]:
    """Weekdays of which a promised share differs from that of the others."""
    settings, cautions = snapshot.state.settings, []
    for promise in read_promises(settings.promises) if settings.period == "day" else ():
        if not (promise.of_every_row or promise.quantity == "precision"):
            continue
        cohorts = evidence.cohorts_of(promise)
        part, rows = cohorts.alarm, cohorts.rows > 0
        if promise.quantity == "precision":
            part, rows = cohorts.alarm & cohorts.positive, cohorts.alarm & ~cohorts.unknown
        weekday = (cohorts.period + _THURSDAY) % 7  # days are counted from 1970-01-01
        k, n = (np.bincount(weekday, weights=cohorts.rows * each, minlength=7) for each in (part, rows))
        if not n.all():
            continue
        level = 1 - (1 - evidence.level) / 14
        day, others = (mean_limits(a, a, b, level=level) for a, b in ((k, n), (k.sum() - k, n.sum() - n)))
        odd = np.flatnonzero((day[0] > others[1]) | (day[1] < others[0])).tolist()
        if odd:
            names = in_words([f"{calendar.day_name[each]}s" for each in odd])
            at, rest = k[odd].sum() / n[odd].sum(), (k.sum() - k[odd].sum()) / (n.sum() - n[odd].sum())
            text = f"{promise.name} is {at:.2g} on {names} and {rest:.2g} on other days, and each day is judged"
            cautions.append(Caution("weekly-season", f'{text}: a watch with period="week" judges whole weeks'))
    return cautions
