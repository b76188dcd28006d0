"""Intervals for numbers of one model: precision-recall areas, KS, log loss, calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from thresher.curves import KolmogorovSmirnov
from thresher.inference.influence import (
    SegmentInfluence,
    Variance,
    average_precision_influence,
    brier_influence,
    ks_influence,
    pr_area_influence,
    refinement_influence,
    row_influence,
    uncertainty_influence,
    variance_by_cases,
    variance_by_rows,
)
from thresher.inference.interval import LOGIT, Interval, normal_quantile, student_quantile
from thresher.inference.intervals.loss import log_loss_interval
from thresher.inference.intervals.rate import rate_interval
from thresher.inference.intervals.table import count_calls, table_interval
from thresher.inference.rows import ScoredRows
from thresher.ranking import Flags, Floats, Ranking, merge_at, reaches, shorten, splits_to_keep
from thresher.tables import OperatingCondition, Quantity

MOST_GROUPS = 512
DRAWS = 25


def unbiased_miscalibration(
    ranking: Ranking, *, worth: float = 1.0, class_weights: tuple[float, float] = (1.0, 1.0), seed: int = 0
) -> float:
    """Miscalibration less what calibrated scores would show; it may come out below 0.

    The hull fits the labels it is judged by. How much that gains is seen where it is known to be all noise: labels
    are drawn as if the scores were the true probabilities, and the hull is fitted again. Neighbouring segments are
    joined into 512 groups at most, in the data as in the draws, so that both are fitted as closely. Each case is
    `worth` so many independent ones. `class_weights` are those that bring positives and negatives to a declared mix:
    a proportion p of weighted cases varies as p (1 - p) (p·w- + (1 - p)·w+) over their weight.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> round(unbiased_miscalibration(spam_tree), 4)
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
class ModelSample:
    """What the intervals of a model's numbers are made from: its rows, its ranking, and how numbers vary.

    Rows that carry weights or belong to clusters are read one by one; otherwise cases are
    counted. A long ranking is joined, which changes no spread to speak of.
    """

    rows: ScoredRows
    name: str
    ranking: Ranking
    variance: Variance
    level: float

    @classmethod
    def of(cls, rows: ScoredRows, name: str, ranking: Ranking, level: float) -> ModelSample:
        """Look at rows where they matter, and at as few segments as will do."""
        split = splits_to_keep(ranking, MOST_SEGMENTS, keep="even")
        near, lowest = merge_at(ranking, split, at_means=True), ranking.score[split[1:] - 1]
        counted = rows.counted
        variance = variance_by_cases(near, rows.class_weights) if counted else variance_by_rows(lowest, rows, name)
        return cls(rows, name, near, variance, level)

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
        # Rows that do not matter are made negatives, of which the true positive rate knows nothing.
        table = count_calls(among, called, weight=self.rows.weight, cluster=self.rows.cluster)
        return table_interval(table, "tpr", level=self.level)


def model_intervals(
    model: ModelSample, estimates: Mapping[str, float], best: KolmogorovSmirnov, *, ks_gain: float = 0.0
) -> dict[str, Interval]:
    """Intervals by name for a model's numbers that belong to no threshold, besides AUC and Brier score.

    `estimates` are the numbers of the ranking. "average_precision" and "pr_area" get the delta method on the logit
    scale; "ks" the limits of the two rates at its `best` split, estimate and lower limit lowered by `ks_gain`, what
    choosing that split gains in resamples. Where scores are probabilities there are "log_loss" and the parts of the
    Brier score: "miscalibration", "refinement" and "discrimination", freed of what the hull fits of noise, and
    "uncertainty". What the data themselves show is `apparent` where something was taken off.

    >>> from thresher import average_precision, ks, pr_area, rank
    >>> from thresher.inference import ScoredRows
    >>> labels, scores = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13]
    >>> ten, rows = rank(labels, scores), ScoredRows.of(labels, {"tree": scores})
    >>> numbers = {"average_precision": average_precision(ten), "pr_area": pr_area(ten)}
    >>> found = model_intervals(ModelSample.of(rows, "tree", ten, 0.95), numbers, ks(ten))
    >>> print(found["average_precision"], "|", found["ks"])
    0.8357 [0.1540, 0.9930] | 0.5000 [0.0000, 0.8500]
    """
    intervals = {
        "average_precision": _area(model, average_precision_influence(model.ranking), estimates["average_precision"]),
        "pr_area": _area(model, pr_area_influence(model.ranking), estimates["pr_area"]),
        "ks": _ks(model, best, ks_gain),
    }
    if "log_loss" in estimates:
        intervals["log_loss"] = _log_loss(model, estimates["log_loss"])
        intervals |= _parts(model, estimates)
    return intervals


def partial_area_interval(rows: ScoredRows, model: str, asked: Quantity, *, level: float) -> Interval:
    """The interval of a partial area, on the logit scale of its share of what it could be at most.

    Student's quantile has as many degrees of freedom as there are cases of the scarcer class, less one; where no spread
    is seen, limits are as for a rate of so many cases.

    >>> from thresher.inference import ScoredRows
    >>> from thresher.tables import quantity
    >>> rows = ScoredRows.of([1, 0, 1, 0, 1, 0], {"tree": [6, 5, 4, 3, 2, 1]})
    >>> print(partial_area_interval(rows, "tree", quantity("partial_auc[fpr<=0.5]"), level=0.95))
    0.2222 [0.0006, 0.4990]
    """
    within = asked.within
    if within is None:
        raise AssertionError(asked)
    raw = Quantity("partial_auc", within)
    influence = row_influence(rows, model, raw)
    most, few = within.high - within.low, min(rows.cases)
    share, variance = min(1.0, max(0.0, influence.estimate / most)), influence.variance(rows.cluster) / most**2
    method, note = "influence", ""
    if few > 1 and variance > _NOTHING and 0 < share < 1:
        low, high = LOGIT.limits(share, student_quantile(level, few - 1) * math.sqrt(variance))
    else:
        rate = rate_interval(share * few, few, level=level, method="exact")
        low, high, method = rate.lower, rate.upper, "exact"
        note = f"no spread is seen; limits as for a rate of {few:g} cases"
    if asked.name == "partial_auc":
        return Interval(share * most, low * most, high * most, variance * most**2, level, method, note)
    # Standardised areas are a straight function of plain ones (McClish 1989).
    start, end = (within.low, within.high) if within.rate == "fpr" else (1 - within.high, 1 - within.low)
    chance = (end**2 - start**2) / 2
    stretch = 0.5 * most / (most - chance)
    estimate, lower, upper = (0.5 + stretch * (each - chance / most) for each in (share, low, high))
    return Interval(estimate, lower, upper, variance * stretch**2, level, method, note)


def net_benefit_interval(
    rows: ScoredRows, model: str, asked: Quantity, *, prevalence: float | None, trained_at: float | None, level: float
) -> Interval:
    """The interval of a net benefit: minus what calls cost where a hit brings 1 and a false alarm takes t / (1 - t).

    Calls are those of the probabilities at the class mix that it is stated at.

    >>> from thresher.inference import ScoredRows
    >>> from thresher.tables import quantity
    >>> rows = ScoredRows.of([1, 0, 1, 0], {"tree": [0.9, 0.6, 0.4, 0.1]})
    >>> asked = quantity("net_benefit@0.5")
    >>> print(net_benefit_interval(rows, "tree", asked, prevalence=None, trained_at=None, level=0.95))
    0.0000 [-0.7338, 0.3338]
    """
    at = asked.probability or math.nan
    stated = rows.at_prevalence(prevalence, trained_at=trained_at)
    called = stated.scores[model].astype(np.float64) >= at
    gains = OperatingCondition(prevalence=prevalence, cost_fp=at / (1 - at), cost_fn=0, cost_tp=-1, cost_tn=0)
    cost = table_interval(
        count_calls(rows.positive, called, weight=rows.weight, cluster=rows.cluster), gains, level=level
    )
    return Interval(
        0.0 - cost.estimate, 0.0 - cost.upper, 0.0 - cost.lower, cost.variance, level, cost.method, cost.note
    )


def _area(model: ModelSample, slopes: SegmentInfluence, area: float) -> Interval:
    variance, few = model.variance(slopes), min(model.rows.cases)
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


def _unseen_alarms(model: ModelSample) -> float:
    """How far average precision falls when half a negative more lies above every positive.

    At a declared mix in which positives are rarer than among the rows, a negative stands for many. Positives above
    all of those seen then look far more precise than they are.
    """
    if not model.rows.declared_mix:
        return 0.0
    tp, fp = (covered[1:] for covered in model.ranking.covered())
    more = fp + model.class_weights[1] / 2
    return float((model.ranking.pos * (tp / (tp + fp) - tp / (tp + more))).sum() / model.ranking.Pos)


def _ks(model: ModelSample, best: KolmogorovSmirnov, gain: float) -> Interval:
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
    variance, apart = model.variance(ks_influence(model.ranking)), tpr.variance + fpr.variance
    if model.rows.cluster is not None and apart > 0 and variance > 0:
        few = student_quantile(model.level, max(1.0, min(model.rows.cases) - 1)) / normal_quantile(model.level)
        stretch = few * math.sqrt(variance / apart)
        below, above = stretch * below, stretch * above
    gain = gain if gain > _ROUNDING else 0.0
    lower, upper = best.statistic - below - gain, best.statistic + above
    limits = max(0.0, lower), min(1.0, upper)
    interval = Interval(best.statistic, *limits, variance, model.level, "wilson, combined")
    if not gain:
        return interval
    note = f"choosing the split gains {gain:.4f} in resamples, which is taken off"
    return replace(interval, estimate=max(0.0, best.statistic - gain), note=note, apparent=best.statistic)


def _log_loss(model: ModelSample, loss: float) -> Interval:
    if model.rows.simple:
        interval = log_loss_interval(model.ranking, level=model.level)
        if math.isfinite(loss) and interval.estimate > 0:  # joined segments have nearly the same loss
            by = loss / interval.estimate
            return replace(interval, estimate=loss, lower=interval.lower * by, upper=interval.upper * by)
        return interval
    return log_loss_interval(model.rows, model=model.name, level=model.level)


def _parts(model: ModelSample, estimates: Mapping[str, float]) -> dict[str, Interval]:
    """The parts of the Brier score by the delta method: given the hull's pools, each is a mean over cases.

    What the hull fits of noise is taken off, as far as there is calibration loss to take it off: the parts add up.
    """
    ranking = model.ranking
    brier, refinement, uncertainty = (
        brier_influence(ranking),
        refinement_influence(ranking),
        uncertainty_influence(ranking),
    )
    of_pos, of_neg = model.class_weights
    worth = 1.0 if model.rows.simple or model.rows.declared_mix else model.rows.units / float(ranking.total)
    if model.rows.cluster is not None and (spread := model.variance(refinement)) > 0:
        as_cases = float((refinement.pos**2 * ranking.pos * of_pos + refinement.neg**2 * ranking.neg * of_neg).sum())
        worth = as_cases / spread
    without = unbiased_miscalibration(ranking, worth=worth, class_weights=(of_pos, of_neg))
    noise = estimates["miscalibration"] - max(0.0, without)
    freedom = max(1.0, model.rows.units - 1)

    def part(name: str, slopes: SegmentInfluence, excess: float) -> Interval:
        apparent, variance = estimates[name], model.variance(slopes)
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


def _uncertainty(model: ModelSample, estimate: float) -> Interval:
    """π (1 - π) at the limits of the prevalence π, and between them; a declared prevalence has none."""
    if model.rows.declared_mix:
        return Interval(estimate, estimate, estimate, 0.0, model.level, "declared")
    everything = np.ones(model.rows.positive.size, dtype=np.bool_)
    share = model.rate(everything, model.rows.positive)
    ends = share.lower * (1 - share.lower), share.upper * (1 - share.upper)
    upper = 0.25 if 0.5 in share else max(ends)
    variance = (1 - 2 * share.estimate) ** 2 * share.variance
    return Interval(estimate, min(*ends, estimate), max(upper, estimate), variance, model.level, "wilson")
