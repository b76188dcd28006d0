"""Recall and cost under ever stronger assumptions, and from a labelled queue."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.inference import (
    Interval,
    Step,
    covariate_shift_recall,
    drawn_count_interval,
    label_shift_recall,
    recall_interval,
    rising_recall,
    worst_case_recall,
)
from thresher.inference.interval import undefined
from thresher.ranking import Counts, Floats
from thresher.tables import OperatingCondition
from thresher.watching.check.assumptions import Mix
from thresher.watching.check.evidence import Evidence
from thresher.watching.check.quantities import Positives, of_positives, positives
from thresher.watching.cohorts import Cohorts, Queue
from thresher.watching.epoch import Epoch
from thresher.watching.settings import promise_name

LADDERS = ("tpr", "expected_cost", "fpr", "tnr", "npv")


def ladders(epoch: Epoch, evidence: Evidence, mix: Mix | None) -> dict[str, tuple[Step, ...]]:
    """Recall, cost and rates under ever stronger assumptions, from mature cohorts."""
    mature = evidence.mature
    if not mature.count():
        return {promise_name(quantity): () for quantity in LADDERS}
    known = positives(mature, evidence)
    tp, waiting = (mature.count(mature.alarm & part) for part in (mature.positive, mature.unknown))
    level, either = evidence.level, Interval(math.nan, tp, tp + waiting, math.nan, 1.0, "worst case")
    least = replace(known, tp=either, level=level)  # which alarms are reviewed is an assumption, too
    right: float | Interval = known.tp if waiting else tp
    reported = mature.count(~mature.alarm & mature.positive)
    steps = [worst_case_recall(either, known.others, reported=reported, level=level)]
    alarms = mature.take(mature.alarm)
    strata = np.unique(alarms.strata)
    k, n = (_per_stratum(alarms, strata, each) for each in (alarms.positive, ~alarms.unknown))
    if strata.size:
        steps.append(rising_recall(right, known.others, k, n, reported=reported, level=known.tp.level))
    steps += _by_reference(epoch, evidence, mix, right, known.tp.level)
    return {
        promise_name(quantity): tuple(
            _step(step, quantity, known if step.step else least, evidence.condition) for step in steps
        )
        for quantity in LADDERS
    }


def _step(step: Step, quantity: str, known: Positives, condition: OperatingCondition) -> Step:
    """A step's limits of another quantity than recall."""
    if quantity == "tpr":
        return step
    interval = undefined(known.level, step.interval.note)
    if not step.refuted and not math.isnan(step.missed.lower):
        low, high = (min(max(end, 0.0), known.others) for end in (step.missed.lower, step.missed.upper))
        missed = replace(step.missed, lower=low, upper=high, estimate=min(max(step.missed.estimate, low), high))
        interval = of_positives(quantity, replace(known, missed=missed), condition)
    return replace(step, interval=interval, quantity=promise_name(quantity))


def _by_reference(epoch: Epoch, evidence: Evidence, mix: Mix | None, tp: float | Interval, level: float) -> list[Step]:
    mature, threshold = evidence.mature, epoch.decision.threshold
    reference = epoch.of_cells(*epoch.in_cells(epoch.reference))
    steps: list[Step] = []
    if not reference.score[-1] < threshold:
        return steps
    others = mature.by_cell(~mature.alarm)
    cells = epoch.cell_of(reference.score[reference.score >= threshold])
    alarms = mature.take(mature.alarm)
    k, n = alarms.by_cell(alarms.positive)[cells], alarms.by_cell(~alarms.unknown)[cells]
    reviewed: dict[str, Any] = {"k": k, "n": n} if n.sum() else {}
    there = np.flatnonzero(others)
    if there.size:
        steps.append(
            covariate_shift_recall(
                tp, reference, epoch.cell_scores[there], others[there], threshold=threshold, level=level, **reviewed
            )
        )
    if mix is not None:
        steps.append(
            label_shift_recall(reference, mix.interval, mature.count(), mix.test, threshold=threshold, level=level)
        )
    return steps


def _per_stratum(cohorts: Cohorts, strata: Any, where: Any) -> Floats:
    return np.array(
        [cohorts.count((cohorts.strata == stratum) & where) for stratum in strata.tolist()], dtype=np.float64
    )


def audit_interval(queue: Queue, current: Cohorts, level: float, more: Counts | None = None) -> Interval | None:
    """Recall in the closed stretch, from the labelled prefix of its queue.

    `more` supposes further labels at the shares that were found. Alarms without a label count as either; labels
    beyond the prefix are no sample, and only bound what was missed.
    """
    stretch = current.of_periods(queue.first, queue.last)
    there = queue.rows > 0
    if not there.any() or not queue.labelled.sum() + (0 if more is None else more.sum()):
        return None
    k, n, rows = queue.positive[there], queue.labelled[there], queue.rows[there]
    if more is not None:
        extra = np.minimum(more[there], rows - n)
        k = k + np.round(extra * k / np.maximum(n, 1)).astype(np.int64)
        n = n + extra
    missed = drawn_count_interval(k, n, rows, level=level)
    known, none = (stretch.count(~stretch.alarm & part) for part in (stretch.positive, stretch.negative))
    lower = max(missed.lower, float(known))
    upper = max(lower, min(missed.upper, float(rows.sum() - none)))
    missed = replace(missed, lower=lower, upper=upper, estimate=min(max(missed.estimate, lower), upper))
    tp, unknown = stretch.count(stretch.alarm & stretch.positive), stretch.count(stretch.alarm & stretch.unknown)
    if not unknown:
        return recall_interval(float(tp), missed)
    low = recall_interval(float(tp), missed)
    high = recall_interval(float(tp + unknown), missed)
    return Interval(
        math.nan, low.lower, high.upper, math.nan, level, missed.method, "alarms without a label count as either"
    )
