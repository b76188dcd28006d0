"""Recall without labels of rows that were not called: a ladder of assumptions.

Each step assumes more and says more: 0 nothing, 1 the share of positives rises with the score, 2 that share is as in a
reference at every score (covariate shift), 3 the classes score as in the reference (label shift). A step whose
assumption is refuted has no interval to offer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_instance, require_level, require_number
from thresher._internal.results import Result
from thresher.errors import ArgumentError
from thresher.inference.anytime.class_ratio import LabelShiftTest
from thresher.inference.anytime.counts import columns_of, require_count
from thresher.inference.anytime.mean import mean_interval
from thresher.inference.anytime.mixture import mean_limits
from thresher.inference.anytime.verified import recall_interval
from thresher.inference.interval import Interval, normal_quantile, stretch_limits, undefined
from thresher.inference.intervals.rate import exact_limits, rate_interval
from thresher.ranking import Floats, Ranking, require_ranking, splits_at


@dataclass(frozen=True, slots=True, repr=False)
class Step(Result):
    """One step of the ladder: recall and missed positives under an assumption.

    `refutation` says what would refute the assumption, `refuted` whether it did; None where nothing can. A `Check` has
    steps of other quantities, too.
    """

    step: int
    interval: Interval
    missed: Interval
    assumption: str
    refutation: str
    refuted: bool | None
    quantity: str = "recall"

    def _brief(self) -> str:
        limits = f"{self.quantity} {self.interval.lower:.4f} to {self.interval.upper:.4f}"
        state = "refuted" if self.refuted else limits
        return f"step {self.step}: {state}, if {self.assumption}"


def worst_case_recall(tp: float | Interval, others: float, *, reported: float = 0, level: float = 0.95) -> Step:
    """Step 0: of the rows that were not called, none to all are positive.

    `tp` is a count, or limits where alarms are not all labelled. `reported` misses, such as customers' complaints, are
    not drawn: they lower the upper end and nothing else.

    >>> worst_case_recall(180, 20_000, reported=3)
    Step(step 0: recall 0.0089 to 0.9836, if nothing is assumed)
    """
    require_level(level)
    _require_counts(tp, others, reported)
    if reported > others:
        what = f"{reported:g} reported misses among {others:g} rows that were not called"
        raise ArgumentError(what, "count each missed row once", parameter="reported")
    missed = Interval(math.nan, float(reported), float(others), math.nan, level, "worst case")
    recall = replace(_recall(tp, missed), note="no estimate, only bounds")
    return Step(0, recall, missed, "nothing is assumed", "nothing can", None)


def rising_recall(
    tp: float | Interval, others: float, k: npt.ArrayLike, n: npt.ArrayLike, *, reported: float = 0, level: float = 0.95
) -> Step:
    """Step 1: the share of positives rises with the score, so below it is lower.

    `k` of `n` reviewed alarms are positive in bands of rising score; the lowest bounds the share among the rows that
    were not called. A band that is surely worse than a lower one refutes it; half the error is spent on that.

    >>> rising_recall(180, 20_000, k=[6, 60, 114], n=[120, 120, 120])
    Step(step 1: recall 0.0574 to 1.0000, if the share of positives rises with the score)
    """
    require_level(level)
    _require_counts(tp, others, reported)
    positive, labels = _bands(k, n)
    half = (1 + level) / 2
    upper = mean_interval(positive[0], labels[0], level=half).upper if labels[0] else 1.0
    missed = Interval(math.nan, float(reported), max(float(reported), upper * others), math.nan, level, "anytime")
    refuted = _falls_somewhere(positive, labels, level=half)
    recall = _or_nothing(_recall(tp, missed), refuted)
    refutation = "reviewed alarms of a higher band that are surely worse than those of a lower one"
    return Step(1, recall, missed, "the share of positives rises with the score", refutation, refuted)


def covariate_shift_recall(
    tp: float | Interval,
    reference: Ranking,
    score: npt.ArrayLike,
    rows: npt.ArrayLike,
    *,
    threshold: float,
    k: npt.ArrayLike | None = None,
    n: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Step:
    """Step 2: at every score the share of positives is that of a reference.

    `rows` that were not called have these scores; the missed are expected where the reference had them. The cells are
    the reference's segments below the threshold. Limits allow for the reference (weighted Poisson counts: Dobson et
    al. 1991) and for chance among the rows themselves, for one look. Reviewed alarms refute it: `k` of `n` per segment
    of the reference from the threshold on, highest first, lie surely elsewhere than the reference's.

    >>> reference = Ranking.parse("[60+,5-][25+,15-][10+,130-][5+,450-]", score=[0.9, 0.6, 0.4, 0.1])
    >>> covariate_shift_recall(180, reference, [0.4, 0.1], [300, 900], threshold=0.5, k=[130, 50], n=[140, 80])
    Step(step 2: recall 0.7682 to 0.9285, if P(+ | score) is as in the reference)
    """
    require_level(level)
    require_ranking(reference, both_classes=True)
    at, count = columns_of(score=score, rows=rows)
    if not (np.isfinite(count) & (count >= 0) & ~np.isnan(at)).all():
        raise ArgumentError("rows must be counts, and scores numbers", "check them", parameter="rows")
    split = int(splits_at(reference.score, np.array([require_number(threshold, name="threshold")]))[0])
    if split == len(reference):
        raise ArgumentError("the reference has no rows below the threshold", "give one that has", parameter="reference")
    below = reference.score[split:]
    # Each row belongs to the segment whose score it reaches; lower ones to the last.
    cell = np.minimum(below.size - np.searchsorted(below[::-1], at, side="right"), below.size - 1)
    target = np.bincount(cell, weights=count, minlength=below.size).astype(np.float64)
    missed = _weighted_count(target, reference.pos[split:], reference.neg[split:], level)
    refuted = None
    if k is not None and n is not None:
        refuted = _disagree(reference, *_bands(k, n), level=level)
    recall = _or_nothing(recall_interval(tp, missed), bool(refuted))
    refutation = "reviewed alarms whose precision at a score is surely not the reference's"
    return Step(2, recall, missed, "P(+ | score) is as in the reference", refutation, refuted)


def label_shift_recall(
    reference: Ranking,
    class_ratio: Interval,
    rows: float,
    test: LabelShiftTest,
    *,
    threshold: float,
    k: float = 0,
    n: float = 0,
    level: float = 0.95,
) -> Step:
    """Step 3: the classes score as in the reference, so recall is the reference's.

    The missed are rows · prevalence · (1 - recall), with the class ratio from scores and each part at its worst end.
    Reviewed alarms, k of n positive, refute it too: precision is surely not odds · tpr / (odds · tpr + fpr).

    >>> reference = Ranking.parse("[60+,5-][25+,15-][10+,30-][5+,50-]", score=[0.9, 0.6, 0.4, 0.1])
    >>> from thresher.inference import class_ratio_interval, label_shift_test
    >>> scores, rows = [0.9, 0.6, 0.4, 0.1], [800, 850, 1300, 2050]
    >>> ratio, test = class_ratio_interval(reference, scores, rows), label_shift_test(reference, scores, rows)
    >>> label_shift_recall(reference, ratio, 5000, test, threshold=0.5)
    Step(step 3: recall 0.7672 to 0.9069, if the classes score as in the reference)
    """
    require_level(level)
    require_ranking(reference, both_classes=True)
    require_instance(class_ratio, Interval, name="class_ratio", fix="pass class_ratio_interval(...)")
    require_instance(test, LabelShiftTest, name="test", fix="pass label_shift_test(...)")
    for name, value in (("rows", rows), ("k", k), ("n", n)):
        require_count(value, name=name)
    split = int(splits_at(reference.score, np.array([require_number(threshold, name="threshold")]))[0])
    tp, fp = (float(counts[split]) for counts in reference.covered())
    recall = rate_interval(tp, float(reference.Pos), level=level)

    def positives(ratio: float) -> float:
        return rows * (ratio / (1 + ratio) if math.isfinite(ratio) else 1.0)

    if math.isnan(class_ratio.estimate):
        missed = undefined(level, class_ratio.note)
    else:
        missed = Interval(
            positives(class_ratio.estimate) * (1 - recall.estimate),
            positives(class_ratio.lower) * (1 - recall.upper),
            positives(class_ratio.upper) * (1 - recall.lower),
            math.nan,
            level,
            class_ratio.method,
        )
    refuted = test.refuted or bool(n and _precision_elsewhere(reference, class_ratio, (tp, fp), (k, n), level))
    refutation = "scores that no mix of the reference's classes explains, or reviewed alarms with another precision"
    return Step(
        3,
        _or_nothing(recall, refuted),
        missed,
        "the classes score as in the reference",
        refutation,
        refuted,
    )


def _require_counts(tp: float | Interval, others: float, reported: float) -> None:
    counts = {"tp": tp.lower if isinstance(tp, Interval) else tp, "others": others, "reported": reported}
    for name, value in counts.items():
        require_count(value, name=name)


def _recall(tp: float | Interval, missed: Interval) -> Interval:
    """Bounds of recall; any where there may be no positives."""
    low, high = (tp.lower, tp.upper) if isinstance(tp, Interval) else (tp, tp)
    level = missed.level if not isinstance(tp, Interval) else tp.level + missed.level - 1
    lower = low / (low + missed.upper) if low else 0.0
    upper = high / (high + missed.lower) if high + missed.lower else 1.0
    return Interval(math.nan, lower, upper, math.nan, level, missed.method)


def _precision_elsewhere(
    reference: Ranking,
    class_ratio: Interval,
    alarms: tuple[float, float],
    reviewed: tuple[float, float],
    level: float,
) -> bool:
    """Whether reviewed alarms and the class ratio speak of different precisions."""
    tail = (1 - level) / 6  # of tpr, of fpr, and of the reviewed alarms, on either side
    tpr, fpr = (
        exact_limits(count, float(size), tail)
        for count, size in zip(alarms, (reference.Pos, reference.Neg), strict=True)
    )
    lower, upper = (float(limit) for limit in mean_limits(reviewed[0], reviewed[0], reviewed[1], level=1 - 2 * tail))

    def precision(odds: float, hit: float, alarm: float) -> float:
        if math.isinf(odds):
            return 1.0
        return odds * hit / (odds * hit + alarm) if odds * hit + alarm else math.nan

    least = precision(class_ratio.lower, tpr[0], fpr[1])
    most = precision(class_ratio.upper, tpr[1], fpr[0])
    return lower > most or upper < least


def _falls_somewhere(positive: Floats, labels: Floats, *, level: float) -> bool:
    """Whether some band is surely worse than one below it, bands in rising order."""
    lower, upper = mean_limits(positive, positive, labels, level=1 - (1 - level) / positive.size)
    return bool((np.maximum.accumulate(lower)[:-1] > upper[1:]).any())


def _disagree(reference: Ranking, positive: Floats, labels: Floats, *, level: float) -> bool:
    """Whether precision in a segment has limits apart from the reference's."""
    cells = positive.size
    if cells > len(reference):
        what = f"{cells} segments were reviewed, and the reference has {len(reference)}"
        raise ArgumentError(what, "count alarms per segment of the reference", parameter="k")
    tail = (1 - level) / (2 * cells)
    lower, upper = mean_limits(positive, positive, labels, level=1 - tail)
    pos, neg = reference.pos[:cells], reference.neg[:cells]
    before = np.array([exact_limits(a, a + b, tail / 2) for a, b in zip(pos.tolist(), neg.tolist(), strict=True)])
    return bool(((lower > before[:, 1]) | (upper < before[:, 0])).any())


def _weighted_count(target: Floats, pos: Floats, neg: Floats, level: float) -> Interval:
    """Σ target · pos / (pos + neg), with limits of a weighted sum of Poisson counts."""
    from scipy.special import chdtri

    used = target > 0
    target, pos, cases = target[used], pos[used].astype(np.float64), (pos + neg)[used].astype(np.float64)
    weight, share = target / cases, pos / cases
    estimate, events = float(weight @ pos), float(pos.sum())
    tail = (1 - level) / 2
    low = float(chdtri(2 * events, 1 - tail)) / 2 if events else 0.0
    high = float(chdtri(2 * events + 2, tail)) / 2
    # Without events the heaviest cell is the worst that they could have come from.
    scale = math.sqrt(float(weight**2 @ pos) / events) if events else float(weight.max(initial=0.0))
    noise = normal_quantile(level) ** 2 * float(target @ (share * (1 - share)))
    lower = estimate - math.hypot(scale * (events - low), math.sqrt(noise))
    upper = estimate + math.hypot(scale * (high - events), math.sqrt(noise))
    limits = stretch_limits(estimate, max(0.0, lower), min(float(target.sum()), upper))
    return Interval(estimate, *limits, math.nan, level, "weighted Poisson", "for one look")


def _bands(k: npt.ArrayLike, n: npt.ArrayLike) -> tuple[Floats, Floats]:
    positive, labels = numbers_of(k, name="k"), numbers_of(n, name="n")
    if positive.shape != labels.shape or not positive.size or not ((positive >= 0) & (positive <= labels)).all():
        raise ArgumentError("every band has 0 <= k <= n labels", "give one of each per band", parameter="k")
    return positive, labels


def _or_nothing(interval: Interval, refuted: bool) -> Interval:  # noqa: FBT001
    return undefined(interval.level, "the assumption is refuted") if refuted else interval
