"""Influence functions: how each case moves a number, which gives its variance.

A number of a model is a function of how many positives and negatives each segment holds. Its slope along a count, times
the weight of a row, is what that row contributes; the variance of the number is the sum of squared contributions, by
row or by cluster (delta method, infinitesimal jackknife). Two models on the same rows differ by the difference of their
contributions, row by row, which is what pairs them.

At a declared class mix the classes are sampled apart and their shares are fixed: contributions are those of the ranking
re-weighted to the mix, less their mean within each class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from thresher.calibration.cox import recalibration
from thresher.curves import auc, average_precision, hull_splits, ks, partial_auc, placements, pr_area
from thresher.inference.class_influence import spread
from thresher.inference.rows import ScoredRows
from thresher.ranking import Flags, Floats, Ranking
from thresher.tables import ModelNumber, Quantity


@dataclass(frozen=True, slots=True, eq=False)
class SegmentPulls:
    """A number of a ranking, and its slopes along the positives and the negatives of each segment.

    `by_prior` is its slope along the log-odds of the data's prevalence, where that was estimated to restate
    probabilities for a declared mix.
    """

    estimate: float
    pos: Floats
    neg: Floats
    by_prior: float = 0.0

    def __sub__(self, other: SegmentPulls) -> SegmentPulls:
        return SegmentPulls(self.estimate - other.estimate, self.pos - other.pos, self.neg - other.neg)


Variance: TypeAlias = Callable[[SegmentPulls], float]


def variance_by_cases(ranking: Ranking) -> Variance:
    """The delta method's variance of any number, cases taken as drawn from both classes together.

    It is NaN with fewer than two cases of a class.

    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> round(variance_by_cases(tree)(average_precision_pulls(tree)), 5)
    0.00404
    """

    def variance(pulls: SegmentPulls) -> float:
        of_pos = float((pulls.pos * pulls.pos * ranking.pos).sum()) * _step(ranking.Pos)
        return of_pos + float((pulls.neg * pulls.neg * ranking.neg).sum()) * _step(ranking.Neg)

    return variance


def variance_by_rows(lowest: Floats, rows: ScoredRows, name: str) -> Variance:
    """The same by the weights and clusters of rows, given the lowest score of each segment of a model's ranking.

    Where rows have a declared mix, cases are taken as drawn from each class by itself.
    """
    segment = np.searchsorted(-lowest, -rows.scores[name].astype(np.float64))
    heavy = np.ones(segment.size) if rows.weight is None else rows.weight
    sides = rows.positive, ~rows.positive

    def by_segment(side: Flags, values: Floats) -> Floats:
        return np.bincount(segment[side], weights=values[side], minlength=lowest.size).astype(np.float64, copy=False)

    # The squares of a segment's rows can be added up beforehand.
    squares = [by_segment(side, heavy**2) * _step(float(side.sum())) for side in sides]
    total = [float(heavy[side].sum()) for side in sides]
    share = [by_segment(side, heavy) / of for side, of in zip(sides, total, strict=True)] if rows.declared_mix else None

    def variance(pulls: SegmentPulls) -> float:
        pos, neg = pulls.pos, pulls.neg
        if share is not None:
            # A row moves the log-odds of the prevalence by its weight, per total weight of its class.
            pos, neg = (
                pos - share[0] @ pos + pulls.by_prior / total[0],
                neg - share[1] @ neg - pulls.by_prior / total[1],
            )
        if rows.cluster is None:
            return float(squares[0] @ pos**2 + squares[1] @ neg**2)
        return spread(heavy * np.where(rows.positive, pos[segment], neg[segment]), rows.cluster)

    return variance


def average_precision_pulls(ranking: Ranking) -> SegmentPulls:
    """Slopes of the average precision.

    A positive brings the precision at its score, and changes that of all positives which score as low or lower.

    >>> found = average_precision_pulls(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> found.estimate, found.pos.round(4), found.neg.round(4)
    (0.67, array([ 0.0091,  0.0048, -0.0014]), array([-0.0186, -0.0058, -0.002 ]))
    """
    tp, fp = (covered[1:].astype(np.float64) for covered in ranking.covered())
    called, value = tp + fp, average_precision(ranking)
    weight = ranking.pos / called**2
    found = tp / called + _from_here_on(weight * fp) - value, -_from_here_on(weight * tp)
    return SegmentPulls(value, found[0] / ranking.Pos, found[1] / ranking.Pos)


def pr_area_pulls(ranking: Ranking) -> SegmentPulls:
    """Slopes of the area under the hyperbolic precision-recall curve, `pr_area`'s formula differentiated.

    >>> found = pr_area_pulls(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> round(found.estimate, 4), found.pos.round(4), found.neg.round(4)
    (0.7094, array([ 0.0088,  0.0043, -0.0013]), array([-0.0213, -0.0059, -0.0015]))
    """
    value = pr_area(ranking)
    right, wrong = (covered[:-1].astype(np.float64) for covered in ranking.covered())
    pos, neg = ranking.pos.astype(np.float64), ranking.neg.astype(np.float64)
    cases, before = pos + neg, right + wrong
    rate = pos / cases
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing comes before the first segment
        log = np.log1p(cases / before)
        bent = (right - rate * before) / cases
        moved = pos * bent * cases / (before * (before + cases))
        by_right = pos * (1 - rate) / cases * log - moved
        by_wrong = -pos * rate / cases * log - moved
        longer = pos * (bent / (before + cases) - bent / cases * log)
        by_pos = bent * log - pos * neg / cases**3 * before * log + longer
        by_neg = pos * pos / cases**3 * before * log + longer
    first = before == 0
    for slope in (by_right, by_wrong, by_pos, by_neg):
        slope[first] = 0.0
    by_pos += rate + pos * neg / cases**2
    by_neg -= rate * rate
    found = by_pos + _from_here_on(by_right) - by_right - value, by_neg + _from_here_on(by_wrong) - by_wrong
    return SegmentPulls(value, found[0] / ranking.Pos, found[1] / ranking.Pos)


def ks_pulls(ranking: Ranking) -> SegmentPulls:
    """Slopes of the Kolmogorov-Smirnov distance, at the split where it is reached.

    >>> found = ks_pulls(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> round(found.estimate, 10), found.pos.round(4), found.neg.round(4)
    (0.4, array([ 0.008,  0.008, -0.012]), array([-0.016, -0.016,  0.004]))
    """
    best = ks(ranking)
    sign = -1.0 if best.difference < 0 else 1.0
    called = (np.arange(len(ranking)) < best.split).astype(np.float64)
    tp, fp = ranking.covered()
    tpr, fpr = tp[best.split] / ranking.Pos, fp[best.split] / ranking.Neg
    return SegmentPulls(best.statistic, sign * (called - tpr) / ranking.Pos, sign * (fpr - called) / ranking.Neg)


def brier_pulls(ranking: Ranking) -> SegmentPulls:
    """Slopes of the Brier score of the scores themselves."""
    return _squared(ranking, ranking.score)


def refinement_pulls(ranking: Ranking) -> SegmentPulls:
    """Slopes of the refinement loss over the hull's pools: which pools there are does not move it, being the best.

    >>> found = refinement_pulls(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> round(found.estimate, 4), found.pos.round(4)
    (0.2067, array([-0.0017, -0.001 ,  0.0024]))
    """
    split = hull_splits(ranking, pool="ties")
    pos, neg = ranking.runs(split)
    return _squared(ranking, np.repeat(pos / (pos + neg), np.diff(split)))


def uncertainty_pulls(ranking: Ranking) -> SegmentPulls:
    """Slopes of the Brier score that the prevalence has."""
    return _squared(ranking, np.full(len(ranking), ranking.prevalence))


def _squared(ranking: Ranking, probability: Floats) -> SegmentPulls:
    of_pos, of_neg = (1 - probability) ** 2, probability**2
    value = float((of_pos * ranking.pos + of_neg * ranking.neg).sum() / ranking.total)
    return SegmentPulls(value, (of_pos - value) / ranking.total, (of_neg - value) / ranking.total)


def _from_here_on(values: Floats) -> Floats:
    """For each segment, the sum over it and all that score lower."""
    found: Floats = np.cumsum(values[::-1])[::-1]
    return found


def _step(cases: float) -> float:
    """What makes squares of cases' slopes unbiased."""
    return cases / (cases - 1) if cases > 1 else math.nan


Slopes: TypeAlias = SegmentPulls
Influence: TypeAlias = Callable[[Ranking, Quantity], Slopes]


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """An estimate and what every row contributes to it."""

    estimate: float
    of_rows: Floats

    def variance(self, rows: ScoredRows) -> float:
        """The variance of the estimate, rows or clusters taken as drawn."""
        return spread(self.of_rows, rows.cluster)


def row_contributions(rows: ScoredRows, model: str, asked: Quantity) -> Contributions:
    """What each row contributes to a quantity of one model, in the order of the rows.

    Rows `at_prevalence` carry weights that bring them to a declared mix, and then vary within classes only.

    >>> from thresher.inference import ScoredRows
    >>> from thresher.tables import quantity
    >>> rows = ScoredRows.of([1, 0, 1, 0], {"tree": [0.9, 0.6, 0.4, 0.1]})
    >>> found = row_contributions(rows, "tree", quantity("brier"))
    >>> round(found.estimate, 4), round(found.variance(rows), 5)
    (0.185, 0.01531)
    """
    score = rows.scores[model]
    ranking = rows.ranking(model)
    segment = np.searchsorted(-ranking.score, -score.astype(np.float64))
    slopes = influence(ranking, asked)
    heavy = np.ones(score.size) if rows.weight is None else rows.weight
    found = heavy * np.where(rows.positive, slopes.pos[segment], slopes.neg[segment])
    for side in (rows.positive, ~rows.positive) if rows.declared_mix else ():
        found[side] -= heavy[side] * (found[side].sum() / heavy[side].sum())
    if rows.cluster is None:  # squares of clusters' sums are made unbiased by their number
        cases = int(np.count_nonzero(rows.positive))
        found *= np.where(rows.positive, _step_of_influence(cases), _step_of_influence(rows.positive.size - cases))
    return Contributions(slopes.estimate, found)


def influence(ranking: Ranking, asked: Quantity) -> Slopes:
    """A quantity of a ranking, and its slopes along the positives and negatives of each segment.

    >>> from thresher.tables import quantity
    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> found = influence(tree, quantity("net_benefit@0.5"))
    >>> round(found.estimate, 4), found.pos.round(4), found.neg.round(4)
    (0.2, array([ 0.008,  0.008, -0.002]), array([-0.012, -0.012, -0.002]))
    """
    known = asked.known
    if isinstance(known, ModelNumber) and known.needs == "probabilities":
        ranking.require_probabilities()
    return BY_NAME[asked.name](ranking, asked)


def _auc(ranking: Ranking, _: Quantity) -> Slopes:
    """Placement values less the AUC (DeLong 1988)."""
    area, at = auc(ranking), placements(ranking)
    return SegmentPulls(area, (at.positive - area) / ranking.Pos, (at.negative - area) / ranking.Neg)


def _partial_auc(ranking: Ranking, asked: Quantity) -> Slopes:
    """A positive adds the part of the range that lies right of it; a negative shifts the range along the curve.

    With u the fpr of a positive and v that of a negative, tpr(x) the curve and [low, high] the range:
    high - clip(u, low, high) and tpr(clip(v, low, high)) - tpr(high), each less its mean over its class. (He & Escobar
    2008.) The range of tpr is that of fpr with the classes exchanged and scores turned around.
    """
    within = asked.within
    if within is None:
        raise AssertionError(asked)
    ends = within.low, within.high
    if within.rate == "fpr":
        value = partial_auc(ranking, fpr=ends)
        of_pos, of_neg = _within_fpr(ranking.pos, ranking.neg, *ends)
    else:
        value = partial_auc(ranking, tpr=ends)
        turned = _within_fpr(ranking.neg[::-1], ranking.pos[::-1], 1 - ends[1], 1 - ends[0])
        of_neg, of_pos = (each[::-1] for each in turned)
    if asked.name == "partial_auc":
        return SegmentPulls(value, of_pos, of_neg)
    whole = partial_auc(ranking, **{within.rate: ends}, standardised=True)
    low, high = ends if within.rate == "fpr" else (1 - ends[1], 1 - ends[0])
    stretch = 0.5 / (high - low - (high**2 - low**2) / 2)
    return SegmentPulls(whole, stretch * of_pos, stretch * of_neg)


def _within_fpr(pos: Any, neg: Any, low: float, high: float) -> tuple[Floats, Floats]:
    Pos, Neg = float(pos.sum()), float(neg.sum())
    fpr, tpr = (np.concatenate([[0.0], np.cumsum(counts, dtype=np.float64)]) for counts in (neg, pos))
    fpr, tpr = fpr / Neg, tpr / Pos
    start, end = fpr[:-1], fpr[1:]
    # Cases of one segment are tied, so they lie evenly along its straight piece of the curve.
    from_, to = np.clip(low, start, end), np.clip(high, start, end)
    wide = np.where(end > start, end - start, 1.0)
    before, inside, after = (from_ - start) / wide, (to - from_) / wide, (end - to) / wide
    clipped = np.where(end > start, before * low + inside * (from_ + to) / 2 + after * high, np.clip(end, low, high))
    at_low, at_high = _height(fpr, tpr, low), _height(fpr, tpr, high)
    middle = tpr[:-1] + (tpr[1:] - tpr[:-1]) / wide * ((from_ + to) / 2 - start)
    heights = np.where(end > start, before * at_low + inside * middle + after * at_high, 0.0)
    of_pos, of_neg = high - clipped, heights - at_high
    return (of_pos - float(of_pos @ pos) / Pos) / Pos, (of_neg - float(of_neg @ neg) / Neg) / Neg


def _height(x: Floats, y: Floats, at: float) -> float:
    """The curve at a rate; halfway up where it rises straight."""
    left, right = np.searchsorted(x, at, side="left"), np.searchsorted(x, at, side="right")
    if left < right:
        return float(y[left] + y[right - 1]) / 2
    return float(np.interp(at, x, y))


def _mean(ranking: Ranking, of_pos: Floats, of_neg: Floats) -> Slopes:
    """A mean over cases of what a positive and a negative of each segment count."""
    has_pos, has_neg = ranking.pos > 0, ranking.neg > 0  # what no case is counts nothing, even if infinite
    of_pos, of_neg = np.where(has_pos, of_pos, 0.0), np.where(has_neg, of_neg, 0.0)
    value = float((of_pos * ranking.pos + of_neg * ranking.neg).sum() / ranking.total)
    with np.errstate(invalid="ignore"):
        return SegmentPulls(value, (of_pos - value) / ranking.total, (of_neg - value) / ranking.total)


def _log_loss(ranking: Ranking, _: Quantity) -> Slopes:
    with np.errstate(divide="ignore"):
        return _mean(ranking, -np.log(ranking.score), -np.log1p(-ranking.score))


def _net_benefit(ranking: Ranking, asked: Quantity) -> Slopes:
    at = asked.probability or math.nan
    called = (ranking.score >= at).astype(np.float64)
    return _mean(ranking, called, -called * at / (1 - at))


def _in_the_large(ranking: Ranking, _: Quantity) -> Slopes:
    return _mean(ranking, 1 - ranking.score, -ranking.score)


def _observed_expected(ranking: Ranking, _: Quantity) -> Slopes:
    expected = float((ranking.pos + ranking.neg) @ ranking.score)
    if expected == 0:
        nan = np.full(len(ranking), math.nan)
        return SegmentPulls(math.inf, nan, nan)
    value = ranking.Pos / expected
    return SegmentPulls(value, (1 - value * ranking.score) / expected, -value * ranking.score / expected)


def _cox(ranking: Ranking, asked: Quantity) -> Slopes:
    """Inverse information times the score of a case (Huber 1967, White 1982)."""
    two = asked.name == "calibration_slope"
    fit = recalibration(ranking, slope=two)
    estimate = fit.slope if two else fit.intercept
    of_pos, of_neg = np.zeros(len(ranking)), np.zeros(len(ranking))
    if math.isnan(estimate):
        return SegmentPulls(estimate, of_pos + math.nan, of_neg + math.nan)
    weight = (ranking.pos + ranking.neg)[fit.inside] * fit.fitted * (1 - fit.fitted)
    if two:
        centre = float(weight @ fit.log_odds) / float(weight.sum())
        lever = fit.log_odds - centre
        lever = lever / float(weight @ lever**2)
    else:
        lever = np.full(fit.log_odds.size, 1 / float(weight.sum()))
    of_pos[fit.inside], of_neg[fit.inside] = lever * (1 - fit.fitted), -lever * fit.fitted
    return SegmentPulls(estimate, of_pos, of_neg)


def _step_of_influence(cases: int) -> float:
    return math.sqrt(cases / (cases - 1)) if cases > 1 else math.nan


BY_NAME: Mapping[str, Influence] = MappingProxyType(
    {
        "auc": _auc,
        "partial_auc": _partial_auc,
        "standardised_partial_auc": _partial_auc,
        "average_precision": lambda ranking, _: average_precision_pulls(ranking),
        "pr_area": lambda ranking, _: pr_area_pulls(ranking),
        "brier": lambda ranking, _: brier_pulls(ranking),
        "log_loss": _log_loss,
        "miscalibration": lambda ranking, _: brier_pulls(ranking) - refinement_pulls(ranking),
        "refinement": lambda ranking, _: refinement_pulls(ranking),
        "discrimination": lambda ranking, _: uncertainty_pulls(ranking) - refinement_pulls(ranking),
        "uncertainty": lambda ranking, _: uncertainty_pulls(ranking),
        "net_benefit": _net_benefit,
        "calibration_intercept": _cox,
        "calibration_slope": _cox,
        "calibration_in_the_large": _in_the_large,
        "observed_expected": _observed_expected,
    }
)
