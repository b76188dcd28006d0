"""Whether a deployed threshold is still the cheapest, and what it costs if not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from thresher._internal.arguments import require_between, require_instance, require_level, require_number
from thresher._internal.results import Result
from thresher.curves.hull import hull_splits
from thresher.inference.anytime.mean import mean_interval
from thresher.inference.interval import Interval
from thresher.ranking import Floats, Ranking, require_ranking, splits_at
from thresher.tables import OperatingCondition
from thresher.tables.condition import require_condition

BandVerdict: TypeAlias = Literal["raise", "pays", "undecided"]
Remedy: TypeAlias = Literal["none", "move the threshold", "recalibrate", "refit"]


def class_ratio_range(
    reference: Ranking, threshold: float, condition: OperatingCondition
) -> tuple[float, float] | None:
    """Class ratios for which a threshold is the cheapest on a reference, or None.

    Those are the ratios whose lines of equal cost touch the hull at the threshold's split.

    >>> from thresher import rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> class_ratio_range(emails, 0.28, OperatingCondition(cost_ratio=2))
    (0.375, inf)
    >>> class_ratio_range(emails, 0.45, OperatingCondition(cost_ratio=2)) is None
    True
    """
    require_condition(condition)
    require_ranking(reference, both_classes=True)
    split = _split(reference, threshold)
    corners = hull_splits(reference)
    place = int(np.searchsorted(corners, split))
    if place == corners.size or corners[place] != split:
        return None
    tp, fp = reference.covered()
    before, after = corners[max(place - 1, 0)], corners[min(place + 1, corners.size - 1)]

    def ratio(start: int, end: int, missing: float) -> float:
        """The class ratio at which two neighbouring corners cost the same."""
        if start == end:
            return missing
        rise, run = (tp[end] - tp[start]) / reference.Pos, (fp[end] - fp[start]) / reference.Neg
        return float(run / (rise * condition.cost_ratio)) if rise else math.inf

    return ratio(int(before), split, 0.0), ratio(split, int(after), math.inf)


def regret_interval(
    reference: Ranking, threshold: float, condition: OperatingCondition, class_ratio: Interval
) -> Interval:
    """Limits of the cost per row of keeping a threshold.

    From limits of the class ratio: the regret cost(t; π) - min cost(·; π) is linear minus concave in the prevalence π,
    hence convex, so it is largest at an end of the limits, and least at an end or where the cheapest split changes.
    Rates at a threshold are those of the reference, so this assumes label shift.

    >>> from thresher import rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> ratio = Interval(0.3, 0.2, 0.5, 0.0, 0.95, "mlls")
    >>> print(regret_interval(emails, 0.28, OperatingCondition(cost_ratio=2), ratio))
    0.0769 [0.0000, 0.1944]
    """
    require_condition(condition)
    require_ranking(reference, both_classes=True)
    require_instance(class_ratio, Interval, name="class_ratio", fix="pass class_ratio_interval(...)")
    corners = hull_splits(reference, pool="ties")
    fixed = _rates(reference, np.array([_split(reference, threshold)]))
    fpr, tpr = _rates(reference, corners)
    run, rise = np.diff(fpr), np.diff(tpr)
    changes = run / (run + rise * condition.cost_ratio)  # prevalences at which neighbours cost the same
    ends = np.array([_prevalence(limit) for limit in (class_ratio.lower, class_ratio.upper)])
    inside = changes[(changes > ends[0]) & (changes < ends[1])]

    def regret(prevalence: Floats) -> Floats:
        now = _cost(condition, *fixed, prevalence)[0]
        best = _cost(condition, fpr, tpr, prevalence).min(axis=0)
        return np.maximum(now - best, 0.0)

    values = regret(np.concatenate([ends, inside]))
    estimate = float(regret(np.array([_prevalence(class_ratio.estimate)]))[0])
    note = "if the classes look as in the reference"
    return Interval(
        estimate, float(values.min()), float(values[:2].max()), math.nan, class_ratio.level, class_ratio.method, note
    )


@dataclass(frozen=True, slots=True, repr=False)
class AlarmBand(Result):
    """Precision in the lowest band of alarms against the one at which an alarm pays.

    "raise": the band costs more than it saves, so that a higher threshold is cheaper, without further assumption.
    "pays": the band is worth its alarms. Reviewed alarms never tell that the threshold should be lower.
    """

    precision: Interval
    break_even: float
    verdict: BandVerdict

    def _brief(self) -> str:
        return f"{self.verdict}: {self.precision} against {self.break_even:.4g}"


def alarm_band(
    k: float, n: float, condition: OperatingCondition, *, unlabelled: float = 0, level: float = 0.95
) -> AlarmBand:
    """Whether the lowest band of alarms pays, from k positives in n of its rows.

    An alarm pays where its precision exceeds 1 / (1 + cost_ratio). `unlabelled` of the n rows count as either.

    >>> alarm_band(6, 120, OperatingCondition(cost_ratio=5))
    AlarmBand(raise: 0.0500 [0.0081, 0.1395] against 0.1667)
    >>> alarm_band(20, 120, OperatingCondition(cost_ratio=5)).verdict
    'undecided'
    """
    require_condition(condition)
    require_level(level)
    break_even = 1 / (1 + condition.cost_ratio)
    precision = mean_interval(k, n, unlabelled=unlabelled, level=level)
    verdict: BandVerdict = "undecided"
    if precision.upper < break_even:
        verdict = "raise"
    elif precision.lower > break_even:
        verdict = "pays"
    return AlarmBand(precision, break_even, verdict)


@dataclass(frozen=True, slots=True, repr=False)
class CostChange(Result):
    """Why a decision costs more than promised: parts that add up to now - promised.

    `mix`: the best that the reference allows costs more at the new class mix. `threshold`: the threshold no longer fits
    that mix. `calibration`: the scores have moved, and another threshold would mend it. `ranking`: the scores separate
    the classes less, and no threshold mends that.
    """

    promised: float
    now: float
    mix: float
    threshold: float
    calibration: float
    ranking: float

    @property
    def remedy(self) -> Remedy:
        """What mends the largest part that can be mended."""
        parts: dict[Remedy, float] = {
            "move the threshold": self.threshold,
            "recalibrate": self.calibration,
            "refit": self.ranking,
        }
        largest = max(parts, key=lambda name: parts[name])
        return largest if parts[largest] > 0 else "none"

    def rows_to_pay(self, cost_of_refit: float) -> float:
        """Rows after which another fit has paid, if it restores the ranking."""
        return cost_of_refit / self.ranking if self.ranking > 0 else math.inf


def cost_change(
    reference: Ranking, labelled: Ranking, threshold: float, condition: OperatingCondition, *, class_ratio: float
) -> CostChange:
    """Split the change of cost since the reference into parts with different remedies.

    `labelled` ranks drawn rows of today, weighted where the draw was; `class_ratio` is today's. The promise is the cost
    at the class ratio of the condition, or of the reference.

    >>> reference = Ranking.parse("[40+,5-][8+,15-][2+,80-]", score=[0.9, 0.5, 0.1])
    >>> today = Ranking.parse("[30+,5-][10+,10-][10+,85-]", score=[0.9, 0.5, 0.1])
    >>> change = cost_change(reference, today, 0.5, OperatingCondition(cost_ratio=5), class_ratio=0.5)
    >>> change.remedy, round(change.now - change.promised, 4)
    ('refit', 0.2333)
    """
    require_condition(condition)
    for one in (reference, labelled):
        require_ranking(one, both_classes=True)
    before = _prevalence(condition.class_ratio or reference.class_ratio)
    after = _prevalence(require_between(class_ratio, 0, math.inf, name="class_ratio", fix="give Pos / Neg of today"))

    def at_threshold(ranking: Ranking, prevalence: float) -> float:
        rates = _rates(ranking, np.array([_split(ranking, threshold)]))
        return float(_cost(condition, *rates, np.array([prevalence]))[0, 0])

    def best(ranking: Ranking, prevalence: float) -> float:
        rates = _rates(ranking, hull_splits(ranking, pool="ties"))
        return float(_cost(condition, *rates, np.array([prevalence])).min())

    promised, now = at_threshold(reference, before), at_threshold(labelled, after)
    regret_before = promised - best(reference, before)
    regret_after = at_threshold(reference, after) - best(reference, after)
    return CostChange(
        promised=promised,
        now=now,
        mix=best(reference, after) - best(reference, before),
        threshold=regret_after - regret_before,
        calibration=now - best(labelled, after) - regret_after,
        ranking=best(labelled, after) - best(reference, after),
    )


def _split(ranking: Ranking, threshold: float) -> int:
    return int(splits_at(ranking.score, np.array([require_number(threshold, name="threshold")]))[0])


def _rates(ranking: Ranking, splits: np.ndarray[tuple[int], np.dtype[np.intp]]) -> tuple[Floats, Floats]:
    tp, fp = ranking.covered()
    return fp[splits] / ranking.Neg, tp[splits] / ranking.Pos


def _cost(condition: OperatingCondition, fpr: Floats, tpr: Floats, prevalence: Floats) -> Floats:
    """Cost per row of splits (rows) at prevalences (columns)."""
    positive = tpr * condition.cost_tp + (1 - tpr) * condition.cost_fn
    negative = fpr * condition.cost_fp + (1 - fpr) * condition.cost_tn
    cost: Floats = positive[:, None] * prevalence + negative[:, None] * (1 - prevalence)
    return cost


def _prevalence(class_ratio: float) -> float:
    return class_ratio / (1 + class_ratio) if math.isfinite(class_ratio) else 1.0
