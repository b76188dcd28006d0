"""What scores and reviewed alarms tell under stated assumptions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import ThresherError
from thresher.inference import (
    AlarmBand,
    CalibrationEvidence,
    CostChange,
    Interval,
    LabelShiftTest,
    Step,
    alarm_band,
    calibration_evidence,
    class_ratio_interval,
    class_ratio_range,
    cost_change,
    covariate_shift_recall,
    drawn_count_interval,
    label_shift_recall,
    label_shift_test,
    recall_interval,
    regret_interval,
    rising_recall,
    worst_case_recall,
)
from thresher.ranking import Counts, Floats, Ranking
from thresher.watching.cohorts import Cohorts, Queue
from thresher.watching.epoch import Epoch
from thresher.watching.promises import Evidence, positives

_FEWEST = 30  # labels of each class from which a change of cost is split


@dataclass(frozen=True, slots=True, eq=False)
class Mix:
    """The class ratio if classes look as in the reference, and the test of that."""

    ratios: dict[str, Interval]
    test: LabelShiftTest
    rows: int

    @property
    def interval(self) -> Interval:
        """The one that decides: the likeliest mix."""
        return self.ratios["mlls"]


def class_mix(epoch: Epoch, recent: Cohorts, *, level: float) -> Mix | None:
    """The class ratio of recent rows, from their scores alone."""
    counts = recent.by_cell()
    reference = epoch.of_cells(*epoch.in_cells(epoch.reference))
    if not counts.sum() or len(reference) < 2:
        return None
    there = np.flatnonzero(counts)
    scores, rows = epoch.cell_scores[there], counts[there]
    ratios: dict[str, Interval] = {}
    for method in ("mlls", "bbse", "feasible"):
        try:
            ratios[method] = class_ratio_interval(
                reference, scores, rows, method=method, threshold=epoch.decision.threshold, level=level
            )
        except ThresherError:  # a threshold that calls all rows of the reference alike has no rates to correct by
            continue
    if "mlls" not in ratios:
        return None
    return Mix(ratios, label_shift_test(reference, scores, rows, level=level), int(counts.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdState:
    """Whether the threshold is still the cheapest, and what it costs if not.

    `holds_from` and `holds_to` are the class ratios for which it is. `band` compares the lowest alarms with what an
    alarm has to yield, without any assumption. `decision_holds` is None where neither tells.
    """

    decision_holds: bool | None
    holds_from: float | None
    holds_to: float | None
    band: AlarmBand | None
    regret: Interval | None
    change: CostChange | None


def threshold_state(epoch: Epoch, evidence: Evidence, mix: Mix | None) -> ThresholdState:
    """Whether the threshold holds, by the mix and by the lowest reviewed alarms."""
    condition, threshold = evidence.condition, epoch.decision.threshold
    within = class_ratio_range(epoch.reference, threshold, condition)
    band = _lowest_band(evidence)
    holds: bool | None = None
    regret = None
    if mix is not None and not mix.test.refuted and not math.isnan(mix.interval.estimate):
        ratio = mix.interval
        regret = regret_interval(epoch.reference, threshold, condition, ratio)
        low, high = within or (math.inf, -math.inf)
        if low <= ratio.lower and ratio.upper <= high:
            holds = True
        elif ratio.upper < low or ratio.lower > high:
            holds = False
    if band is not None and band.verdict == "raise":
        holds = False
    ends: tuple[float | None, float | None] = within or (None, None)
    return ThresholdState(holds, *ends, band, regret, _cost_change(epoch, evidence))


def _lowest_band(evidence: Evidence) -> AlarmBand | None:
    alarms = evidence.mature.take(evidence.mature.alarm)
    if not alarms.count():
        return None
    lowest = alarms.take(alarms.strata == alarms.strata.min())
    k, n = lowest.count(lowest.positive), lowest.count(~lowest.unknown)
    return alarm_band(k, n, evidence.condition, level=evidence.level) if n else None


def _cost_change(epoch: Epoch, evidence: Evidence) -> CostChange | None:
    """Parts of the change of cost, from drawn labels; None where there are too few."""
    labelled = drawn_ranking(epoch, evidence)
    if labelled is None:
        return None
    reference = epoch.of_cells(*epoch.in_cells(epoch.reference))
    ratio = float(labelled.Pos / labelled.Neg)
    return cost_change(reference, labelled, epoch.decision.threshold, evidence.condition, class_ratio=ratio)


def drawn_ranking(epoch: Epoch, evidence: Evidence) -> Ranking | None:
    """Labelled rows, weighted for all: alarms by review, others by draw."""
    mature = evidence.mature
    if not evidence.least:
        return None
    drawn, known = mature.take(mature.drawn & ~mature.unknown), mature.take(mature.alarm & ~mature.unknown)
    if min(drawn.count(), known.count(known.positive)) < _FEWEST:
        return None
    alarms = mature.by_cell(mature.alarm)
    reviewed = known.by_cell()
    weight = np.divide(alarms, reviewed, out=np.zeros(alarms.size), where=reviewed > 0)
    pos, neg = known.by_cell(known.positive) * weight, known.by_cell(known.negative) * weight
    for label, counts in ((drawn.positive, pos), (drawn.negative, neg)):
        np.add.at(counts, drawn.cell, np.where(label, drawn.rows / drawn.propensity, 0.0))
    if not (pos.sum() and neg.sum()):
        return None
    return epoch.of_cells(pos, neg)


def calibration_of_labels(epoch: Epoch, evidence: Evidence) -> CalibrationEvidence | None:
    """Evidence that cells of scores have other shares of positives than before."""
    mature = evidence.mature
    known = mature.take(mature.due & ~mature.unknown)
    if not known.count():
        return None
    pos, neg = epoch.in_cells(epoch.reference)
    share = (pos + 0.5) / (pos + neg + 1)
    of_pos, of_neg = known.by_cell(known.positive), known.by_cell(known.negative)
    there = np.flatnonzero(of_pos + of_neg)
    scores, at = np.unique(share[there], return_inverse=True)
    counts = [np.bincount(at, weights=each[there]).astype(np.int64)[::-1] for each in (of_pos, of_neg)]
    return calibration_evidence(Ranking(scores[::-1], pos=counts[0], neg=counts[1]), level=evidence.level)


def recall_ladder(epoch: Epoch, evidence: Evidence, mix: Mix | None) -> tuple[Step, ...]:
    """Recall under ever stronger assumptions, from mature cohorts."""
    mature, level = evidence.mature, evidence.level
    if not mature.count():
        return ()
    known = positives(mature, evidence)
    tp = known.tp.estimate if not math.isnan(known.tp.estimate) else known.tp.lower
    reported = mature.count(~mature.alarm & mature.positive)
    steps = [worst_case_recall(tp, known.others, reported=reported, level=level)]
    alarms = mature.take(mature.alarm)
    strata = np.unique(alarms.strata)
    k, n = (_per_stratum(alarms, strata, each) for each in (alarms.positive, ~alarms.unknown))
    if strata.size:
        steps.append(rising_recall(tp, known.others, k, n, reported=reported, level=level))
    steps += _by_reference(epoch, evidence, mix, tp)
    return tuple(steps)


def _by_reference(epoch: Epoch, evidence: Evidence, mix: Mix | None, tp: float) -> list[Step]:
    mature, level, threshold = evidence.mature, evidence.level, epoch.decision.threshold
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

    `more` supposes further labels at the shares that were found. Alarms without a label count as either.
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
    tp, unknown = stretch.count(stretch.alarm & stretch.positive), stretch.count(stretch.alarm & stretch.unknown)
    if not unknown:
        return recall_interval(float(tp), missed)
    low = recall_interval(float(tp), missed)
    high = recall_interval(float(tp + unknown), missed)
    return Interval(
        math.nan, low.lower, high.upper, math.nan, level, missed.method, "alarms without a label count as either"
    )
