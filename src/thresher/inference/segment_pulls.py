"""How the numbers of a whole ranking grow with each segment's positives and negatives: what delta methods need."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from thresher.curves import average_precision, hull_splits, ks, pr_area
from thresher.inference.class_pulls import spread
from thresher.inference.scored_rows import ScoredRows
from thresher.ranking import Flags, Floats, Ranking


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
