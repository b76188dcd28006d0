"""Intervals for numbers of one model: precision-recall areas, KS, log loss, calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from thresher.curves import KolmogorovSmirnov
from thresher.inference.influence import (
    SegmentPulls,
    Variance,
    average_precision_pulls,
    brier_pulls,
    ks_pulls,
    pr_area_pulls,
    refinement_pulls,
    uncertainty_pulls,
    variance_by_cases,
    variance_by_rows,
)
from thresher.inference.interval import LOGIT, Interval, normal_quantile, student_quantile
from thresher.inference.intervals.cost import log_loss_interval, mean_loss_interval
from thresher.inference.intervals.rate import rate_interval
from thresher.inference.intervals.survey import sampled_measure_interval, sampled_table
from thresher.inference.rows import ScoredRows
from thresher.ranking import Flags, Floats, Ranking, merge_at, reaches, shorten, splits_to_keep

MOST_GROUPS = 512
DRAWS = 25


def miscalibration_without_noise(
    ranking: Ranking, *, worth: float = 1.0, class_weights: tuple[float, float] = (1.0, 1.0), seed: int = 0
) -> float:
    """Miscalibration less what calibrated scores would show; it may come out below 0.

    The hull fits the labels it is judged by. How much that gains is seen where it is known to be all noise: labels
    are drawn as if the scores were the true probabilities, and the hull is fitted anew. Neighbouring segments are
    joined into 512 groups at most, in the data as in the draws, so that both are fitted as closely. Each case is
    `worth` so many independent ones. `class_weights` are those that bring positives and negatives to a declared mix:
    a proportion p of weighted cases varies as p (1 - p) (p·w- + (1 - p)·w+) over their weight.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> round(miscalibration_without_noise(spam_tree), 4)
    -0.0004
    """
    few = shorten(ranking, MOST_GROUPS, keep="even")
    cases = np.add(few.pos, few.neg, dtype=np.float64)
    of_pos, of_neg = class_weights
    spread = few.score * (1 - few.score) * (few.score * of_neg + (1 - few.score) * of_pos)
    error = np.sqrt(spread / (cases * worth))
    rng = np.random.default_rng(seed)
    shaken = rng.standard_normal((DRAWS, cases.size)) * error
    drawn = np.mean([_gain(few.score + each, few.score, cases) for each in shaken])
    return float(_gain(few.pos / cases, few.score, cases) - drawn)


def _gain(share: Floats, score: Floats, cases: Floats) -> float:
    """How much closer the best falling numbers come to shares of positives than the scores do, per case."""
    from scipy.optimize import isotonic_regression

    fitted = isotonic_regression(share, weights=cases, increasing=False).x
    return float(cases @ ((share - score) ** 2 - (share - fitted) ** 2)) / float(cases.sum())


MOST_SEGMENTS = 1 << 14
_NOTHING = 1e-30  # a variance no larger is rounding
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class WholeModel:
    """What intervals of a whole model's numbers are made from: its rows, its ranking, and how numbers vary.

    Rows that carry weights or belong to clusters are looked at one by one; otherwise cases are
    counted. A long ranking is joined, which changes no spread to speak of.
    """

    rows: ScoredRows
    name: str
    ranking: Ranking
    variance: Variance
    level: float

    @classmethod
    def of(cls, rows: ScoredRows, name: str, ranking: Ranking, level: float) -> WholeModel:
        """Look at rows where they matter, and at as few segments as will do."""
        split = splits_to_keep(ranking, MOST_SEGMENTS, keep="even")
        near, lowest = merge_at(ranking, split, at_means=True), ranking.score[split[1:] - 1]
        counted = rows.counted
        variance = variance_by_cases(near, rows.class_weights) if counted else variance_by_rows(lowest, rows, name)
        return cls(rows, name, near, variance, level)

    @property
    def plain(self) -> bool:
        """Whether every row is one independent case."""
        return self.rows.weight is None and self.rows.cluster is None

    @property
    def units(self) -> float:
        """Independent cases of both classes: rows, Kish's (1965) effective rows of weights, or clusters."""
        if self.rows.weight is None or self.rows.cluster is not None:
            return float(self.rows.clusters)
        if self.rows.class_weights is not None:
            (of_pos, of_neg), (pos, neg) = self.rows.class_weights, self.rows.cases
            return (of_pos * pos + of_neg * neg) ** 2 / (of_pos**2 * pos + of_neg**2 * neg)
        return float(self.rows.weight.sum() ** 2 / (self.rows.weight**2).sum())

    @property
    def class_weights(self) -> tuple[float, float]:
        """What a case of each class weighs where the mix was declared, uneven weights counted as fewer cases."""
        if self.rows.class_weights is not None:
            return self.rows.class_weights
        if not self.rows.declared_mix or self.rows.weight is None:
            return 1.0, 1.0
        sides = (self.rows.weight[side] for side in (self.rows.positive, ~self.rows.positive))
        of_pos, of_neg = (float((weight**2).sum() / weight.sum()) for weight in sides)
        return of_pos, of_neg

    def rate(self, among: Flags, called: Flags) -> Interval:
        """The interval for the share of some rows that is called so."""
        if self.plain:
            return rate_interval(int((among & called).sum()), int(among.sum()), level=self.level)
        # Rows that do not matter are made negatives, of which the true positive rate knows nothing.
        table = sampled_table(among, called, weight=self.rows.weight, cluster=self.rows.cluster)
        return sampled_measure_interval(table, "tpr", level=self.level)


def whole_intervals(
    model: WholeModel, estimates: Mapping[str, float], best: KolmogorovSmirnov, *, ks_gain: float = 0.0
) -> dict[str, Interval]:
    """Intervals by name for a model's numbers that belong to no threshold, besides AUC and Brier score.

    `estimates` are the numbers of the ranking. "average_precision" and "pr_area" get the delta method on the logit
    scale; "ks" the limits of the two rates at its `best` split, estimate and lower limit lowered by `ks_gain`, what
    choosing that split gains in resamples. Where scores are probabilities there are "log_loss" and the parts of the
    Brier score: "miscalibration", "refinement" and "discrimination", freed of what the hull fits of noise, and
    "uncertainty". What the data themselves show is `apparent` where something was taken off.

    >>> from thresher import average_precision, ks, pr_area, rank
    >>> from thresher.inference.rows import scored_rows
    >>> labels, scores = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13]
    >>> ten, rows = rank(labels, scores), scored_rows(labels, {"tree": scores})
    >>> numbers = {"average_precision": average_precision(ten), "pr_area": pr_area(ten)}
    >>> found = whole_intervals(WholeModel.of(rows, "tree", ten, 0.95), numbers, ks(ten))
    >>> print(found["average_precision"], "|", found["ks"])
    0.8357 [0.1540, 0.9930] | 0.5000 [0.0000, 0.8500]
    """
    found = {
        "average_precision": _area(model, average_precision_pulls(model.ranking), estimates["average_precision"]),
        "pr_area": _area(model, pr_area_pulls(model.ranking), estimates["pr_area"]),
        "ks": _ks(model, best, ks_gain),
    }
    if "log_loss" in estimates:
        found["log_loss"] = _log_loss(model, estimates["log_loss"])
        found |= _parts(model, estimates)
    return found


def _area(model: WholeModel, pulls: SegmentPulls, area: float) -> Interval:
    variance, few = model.variance(pulls), min(model.rows.cases)
    if few <= 1 or not (variance > _NOTHING and 0 < area < 1):
        area = min(area, 1.0)
        rate = rate_interval(area * few, few, level=model.level, method="exact")
        note = f"no spread is seen; limits as for a rate of {few:g} cases"
        return Interval(area, rate.lower, rate.upper, variance, model.level, "exact", note)
    deviation = student_quantile(model.level, few - 1) * math.sqrt(variance)
    lower, upper = LOGIT.limits(area, deviation)
    excess = _unseen_alarms(model)
    if excess <= _ROUNDING or area - excess <= 0:
        return Interval(area, lower, upper, variance, model.level, "delta")
    note = f"half a negative more above each positive takes {excess:.4f} off, which the lower limit allows for"
    lower = min(lower, LOGIT.limits(area - excess, deviation * (area - excess) / area)[0])
    return Interval(area, lower, upper, variance, model.level, "delta", note)


def _unseen_alarms(model: WholeModel) -> float:
    """How far average precision falls when half a negative more lies above every positive.

    At a declared mix in which positives are rarer than among the rows, a negative stands for many. Positives above
    all of those seen then look far more precise than they are.
    """
    if not model.rows.declared_mix:
        return 0.0
    tp, fp = (covered[1:] for covered in model.ranking.covered())
    more = fp + model.class_weights[1] / 2
    return float((model.ranking.pos * (tp / (tp + fp) - tp / (tp + more))).sum() / model.ranking.Pos)


def _ks(model: WholeModel, best: KolmogorovSmirnov, gain: float) -> Interval:
    """Limits of tpr - fpr at the best split, combined so that squared distances add up (Newcombe 1998).

    Clusters that hold both classes move both rates together, and stretch or shrink the distances accordingly.
    """
    positive = model.rows.positive
    called = reaches(model.rows.scores[model.name].astype(np.float64), best.threshold)
    tpr, fpr = model.rate(positive, called), model.rate(~positive, called)
    if best.difference < 0:
        tpr, fpr = fpr, tpr
    below = math.hypot(tpr.estimate - tpr.lower, fpr.upper - fpr.estimate)
    above = math.hypot(tpr.upper - tpr.estimate, fpr.estimate - fpr.lower)
    variance, apart = model.variance(ks_pulls(model.ranking)), tpr.variance + fpr.variance
    if model.rows.cluster is not None and apart > 0 and variance > 0:
        few = student_quantile(model.level, max(1.0, min(model.rows.cases) - 1)) / normal_quantile(model.level)
        stretch = few * math.sqrt(variance / apart)
        below, above = stretch * below, stretch * above
    gain = gain if gain > _ROUNDING else 0.0
    lower, upper = best.statistic - below - gain, best.statistic + above
    limits = max(0.0, lower), min(1.0, upper)
    found = Interval(best.statistic, *limits, variance, model.level, "wilson, combined")
    if not gain:
        return found
    note = f"choosing the split gains {gain:.4f} in resamples, which is taken off"
    return replace(found, estimate=max(0.0, best.statistic - gain), note=note, apparent=best.statistic)


def _log_loss(model: WholeModel, loss: float) -> Interval:
    if model.plain:
        found = log_loss_interval(model.ranking, level=model.level)
        if math.isfinite(loss) and found.estimate > 0:  # joined segments have nearly the same loss
            by = loss / found.estimate
            return replace(found, estimate=loss, lower=found.lower * by, upper=found.upper * by)
        return found
    rows = model.rows
    score = rows.scores[model.name].astype(np.float64)
    with np.errstate(divide="ignore"):
        of_pos, of_neg = -np.log(score), -np.log1p(-score)
    seen = np.abs(np.where(rows.positive, of_pos, of_neg))
    certain = (score == 0) | (score == 1)  # which foretells no loss
    if certain.any():
        of_pos[certain] = of_neg[certain] = 0.0
    first, second = (score * of_pos**k + (1 - score) * of_neg**k for k in (1, 2))
    strata = rows.positive if rows.declared_mix else None
    return mean_loss_interval(
        seen, (first, second), weight=rows.weight, cluster=rows.cluster, strata=strata, level=model.level
    )


def _parts(model: WholeModel, estimates: Mapping[str, float]) -> dict[str, Interval]:
    """The parts of the Brier score by the delta method: given the hull's pools, each is a mean over cases.

    What the hull fits of noise is taken off, as far as there is calibration loss to take it off: the parts add up.
    """
    ranking = model.ranking
    brier, refinement, uncertainty = brier_pulls(ranking), refinement_pulls(ranking), uncertainty_pulls(ranking)
    of_pos, of_neg = model.class_weights
    worth = 1.0 if model.plain or model.rows.declared_mix else model.units / float(ranking.total)
    if model.rows.cluster is not None and (spread := model.variance(refinement)) > 0:
        as_cases = float((refinement.pos**2 * ranking.pos * of_pos + refinement.neg**2 * ranking.neg * of_neg).sum())
        worth = as_cases / spread
    without = miscalibration_without_noise(ranking, worth=worth, class_weights=(of_pos, of_neg))
    noise = estimates["miscalibration"] - max(0.0, without)
    freedom = max(1.0, model.units - 1)

    def part(name: str, pulls: SegmentPulls, excess: float) -> Interval:
        apparent, variance = estimates[name], model.variance(pulls)
        estimate = min(1.0, max(0.0, apparent - excess))
        half = student_quantile(model.level, freedom) * math.sqrt(variance) if variance >= 0 else 1.0
        limits = max(0.0, estimate - half), min(1.0, estimate + half)
        note = f"fitting noise moves it by {excess:+.4f}, which is taken off" if excess else ""
        return Interval(estimate, *limits, variance, model.level, "delta", note, apparent if excess else None)

    return {
        "miscalibration": part("miscalibration", brier - refinement, noise),
        "refinement": part("refinement", refinement, -noise),
        "discrimination": part("discrimination", uncertainty - refinement, noise),
        "uncertainty": _uncertainty(model, estimates["uncertainty"]),
    }


def _uncertainty(model: WholeModel, estimate: float) -> Interval:
    """π (1 - π) at the limits of the prevalence π, and between them; a declared prevalence has none."""
    if model.rows.declared_mix:
        return Interval(estimate, estimate, estimate, 0.0, model.level, "declared")
    everything = np.ones(model.rows.positive.size, dtype=np.bool_)
    share = model.rate(everything, model.rows.positive)
    ends = share.lower * (1 - share.lower), share.upper * (1 - share.upper)
    upper = 0.25 if 0.5 in share else max(ends)
    variance = (1 - 2 * share.estimate) ** 2 * share.variance
    return Interval(estimate, min(*ends, estimate), max(upper, estimate), variance, model.level, "wilson")
