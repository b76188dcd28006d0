"""What scores and reviewed alarms tell under stated assumptions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thresher.errors import ThresherError
from thresher.inference import (
    AlarmBand,
    CalibrationEvidence,
    CostChange,
    Interval,
    LabelShiftTest,
    alarm_band,
    calibration_evidence,
    class_ratio_interval,
    class_ratio_range,
    cost_change,
    label_shift_test,
    regret_interval,
)
from thresher.inference.anytime.threshold import Remedy
from thresher.ranking import Counts, Floats, Ranking
from thresher.watching.check.evidence import Evidence
from thresher.watching.check.quantities import quantity_interval
from thresher.watching.cohorts import Cohorts
from thresher.watching.epoch import Epoch
from thresher.watching.settings import Promise

_COST = Promise("expected_cost", "expected_cost", "<=", 0.0)
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
    alarm has to yield, without any assumption. `decision_holds` is None where neither tells. `cost` are limits of the
    cost per row, which say whether its `change` is more than chance.
    """

    decision_holds: bool | None
    holds_from: float | None
    holds_to: float | None
    band: AlarmBand | None
    regret: Interval | None
    change: CostChange | None
    cost: Interval | None

    @property
    def remedy(self) -> Remedy | None:
        """What mends the largest part of a cost that is surely higher; None if unknown."""
        if self.change is None or self.cost is None:
            return None
        return self.change.remedy if self.cost.lower > self.change.promised else "none"


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
    change = _cost_change(epoch, evidence)
    cost = None if change is None else quantity_interval(_COST, evidence, evidence.drawn_cohorts)
    return ThresholdState(holds, *ends, band, regret, change, cost)


def _lowest_band(evidence: Evidence) -> AlarmBand | None:
    alarms = evidence.mature.take(evidence.mature.alarm)
    if not alarms.count():
        return None
    lowest = alarms.take(alarms.strata == alarms.strata.min())
    k, n, waiting = lowest.count(lowest.positive), lowest.count(), lowest.count(lowest.unknown)
    return alarm_band(k, n, evidence.condition, unlabelled=waiting, level=evidence.level) if n > waiting else None


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
    mature = evidence.drawn_cohorts
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
    """Evidence that cells of scores have other shares of positives than before.

    What they had is read off the reference, whose own chance is allowed for.
    """
    mature = evidence.mature
    known = mature.take(mature.due & ~mature.unknown)
    if not known.count():
        return None
    pos, neg = epoch.in_cells(epoch.reference)
    share = (pos + 0.5) / (pos + neg + 1)
    of_pos, of_neg = known.by_cell(known.positive), known.by_cell(known.negative)
    there = np.flatnonzero(of_pos + of_neg)
    scores, at = np.unique(share[there], return_inverse=True)

    def ranking(*counts: Floats | Counts) -> Ranking:
        of_each = [np.bincount(at, weights=each[there]).astype(np.int64)[::-1] for each in counts]
        return Ranking(scores[::-1], pos=of_each[0], neg=of_each[1])

    return calibration_evidence(ranking(of_pos, of_neg), reference=ranking(pos, neg), level=evidence.level)
