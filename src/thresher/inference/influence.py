"""Influence functions: how each case moves a number, which gives its variance.

A number of a model is a function of how many positives and negatives each segment holds. Its slope along a count, times
the weight of a row, is that row's influence; the variance of the number is the sum of squared influences, by row or by
cluster (delta method, infinitesimal jackknife). Two models on the same rows differ by the difference of their
influences, row by row, which is what pairs them.

At a declared class mix the classes are sampled apart and their shares are fixed: influences are those of the ranking
re-weighted to the mix, less their mean within each class.

A measure of k classes that does not depend on the unit of weights has influences w · ∂M/∂w, which sum to 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from thresher.calibration.cox import recalibration
from thresher.calibration.scores import SUM_TOLERANCE
from thresher.curves import auc, average_precision, hull_splits, ks, partial_auc, placements, pr_area
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.interval import FISHER, LOGIT, Scale
from thresher.inference.rows import ScoredRows, count_above
from thresher.ranking import Flags, Floats, Indices, Ranking
from thresher.tables import ConfusionMatrix, ModelNumber, Quantity

NOT_SUMMING = "rows of probabilities do not sum to 1"


@dataclass(frozen=True, slots=True, eq=False)
class SegmentInfluence:
    """A number of a ranking, and its slopes along the positives and the negatives of each segment.

    `by_prior` is its slope along the log-odds of the data's prevalence, where that was estimated to restate
    probabilities for a declared mix.
    """

    estimate: float
    pos: Floats
    neg: Floats
    by_prior: float = 0.0

    def __sub__(self, other: SegmentInfluence) -> SegmentInfluence:
        return SegmentInfluence(self.estimate - other.estimate, self.pos - other.pos, self.neg - other.neg)


@dataclass(frozen=True, slots=True, eq=False)
class RowInfluence:
    """A number, and the influence of each row on it; `note` says why it is undefined."""

    estimate: float
    values: Floats
    note: str = ""

    def variance(self, cluster: Indices | None) -> float:
        """The variance of the number, rows or entire clusters taken as drawn."""
        return influence_variance(self.values, cluster)


Variance: TypeAlias = Callable[[SegmentInfluence], float]
Influence: TypeAlias = Callable[[Ranking, Quantity], SegmentInfluence]


def influence_variance(values: Floats, cluster: Indices | None) -> float:
    """The variance of a sum of influences.

    >>> round(influence_variance(np.array([0.3, -0.1, -0.2]), None), 10)
    0.14
    >>> round(influence_variance(np.array([0.3, -0.1, -0.2]), np.array([0, 0, 1])), 10)
    0.16
    """
    if cluster is None:
        return float(values @ values)
    sums = np.bincount(cluster, weights=values)
    return float(sums @ sums) * sums.size / (sums.size - 1)


def segment_influence(ranking: Ranking, asked: Quantity) -> SegmentInfluence:
    """A quantity of a ranking, and its slopes along the positives and negatives of each segment.

    >>> from thresher.tables import quantity
    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> found = segment_influence(tree, quantity("net_benefit@0.5"))
    >>> round(found.estimate, 4), found.pos.round(4), found.neg.round(4)
    (0.2, array([ 0.008,  0.008, -0.002]), array([-0.012, -0.012, -0.002]))
    """
    known = asked.known
    if isinstance(known, ModelNumber) and known.needs == "probabilities":
        ranking.require_probabilities()
    return INFLUENCE[asked.name](ranking, asked)


def row_influence(rows: ScoredRows, model: str, asked: Quantity) -> RowInfluence:
    """The influence of each row on a quantity of one model, in the order of the rows.

    Rows `at_prevalence` carry weights that bring them to a declared mix, and then vary within classes only.

    >>> from thresher.tables import quantity
    >>> rows = ScoredRows.of([1, 0, 1, 0], {"tree": [0.9, 0.6, 0.4, 0.1]})
    >>> found = row_influence(rows, "tree", quantity("brier"))
    >>> round(found.estimate, 4), round(found.variance(rows.cluster), 5)
    (0.185, 0.01531)
    """
    score, ranking = rows.scores[model], rows.ranking(model)
    segment = np.searchsorted(-ranking.score, -score.astype(np.float64))
    slopes = segment_influence(ranking, asked)
    weight = np.ones(score.size) if rows.weight is None else rows.weight
    values = weight * np.where(rows.positive, slopes.pos[segment], slopes.neg[segment])
    for side in (rows.positive, ~rows.positive) if rows.declared_mix else ():
        values[side] -= weight[side] * (values[side].sum() / weight[side].sum())
    if rows.cluster is None:  # squares of clusters' sums are made unbiased by their number
        cases = int(np.count_nonzero(rows.positive))
        values *= np.where(rows.positive, _root_factor(cases), _root_factor(rows.positive.size - cases))
    return RowInfluence(slopes.estimate, values)


def variance_by_cases(ranking: Ranking, class_weights: tuple[float, float] | None = None) -> Variance:
    """The delta method's variance of any number, cases taken as drawn from both classes together.

    Where cases weigh so much, by class, to bring them to a declared mix, they are taken as drawn from each class by
    itself. It is NaN with fewer than two cases of a class.

    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> round(variance_by_cases(tree)(average_precision_influence(tree)), 5)
    0.00404
    """

    def variance(slopes: SegmentInfluence) -> float:
        positives = float((slopes.pos * slopes.pos * ranking.pos).sum()) * _factor(ranking.Pos)
        return positives + float((slopes.neg * slopes.neg * ranking.neg).sum()) * _factor(ranking.Neg)

    def within_classes(slopes: SegmentInfluence) -> float:
        return sum(
            weight
            * float(((slope - _weighted_mean(slope, counts) + prior) ** 2 * counts).sum())
            * _factor(total / weight)
            for slope, counts, total, weight, prior in (
                (slopes.pos, ranking.pos, ranking.Pos, of_pos, slopes.by_prior / ranking.Pos),
                (slopes.neg, ranking.neg, ranking.Neg, of_neg, -slopes.by_prior / ranking.Neg),
            )
        )

    of_pos, of_neg = class_weights or (1.0, 1.0)
    return variance if class_weights is None else within_classes


def variance_by_rows(lowest: Floats, rows: ScoredRows, name: str) -> Variance:
    """The same by the weights and clusters of rows, given the lowest score of each segment of a model's ranking.

    Where rows have a declared mix, cases are taken as drawn from each class by itself.
    """
    segment = np.searchsorted(-lowest, -rows.scores[name].astype(np.float64))
    weight = np.ones(segment.size) if rows.weight is None else rows.weight
    sides = rows.positive, ~rows.positive

    def by_segment(side: Flags, values: Floats) -> Floats:
        return np.bincount(segment[side], weights=values[side], minlength=lowest.size).astype(np.float64, copy=False)

    # The squares of a segment's rows can be added up beforehand.
    squares = [by_segment(side, weight**2) * _factor(float(side.sum())) for side in sides]
    total = [float(weight[side].sum()) for side in sides]
    share = (
        [by_segment(side, weight) / of for side, of in zip(sides, total, strict=True)] if rows.declared_mix else None
    )

    def variance(slopes: SegmentInfluence) -> float:
        pos, neg = slopes.pos, slopes.neg
        if share is not None:
            # A row moves the log-odds of the prevalence by its weight, per total weight of its class.
            pos, neg = (
                pos - share[0] @ pos + slopes.by_prior / total[0],
                neg - share[1] @ neg - slopes.by_prior / total[1],
            )
        if rows.cluster is None:
            return float(squares[0] @ pos**2 + squares[1] @ neg**2)
        return influence_variance(weight * np.where(rows.positive, pos[segment], neg[segment]), rows.cluster)

    return variance


def average_precision_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the average precision.

    A positive brings the precision at its score, and changes that of all positives which score as low or lower.

    >>> found = average_precision_influence(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> found.estimate, found.pos.round(4), found.neg.round(4)
    (0.67, array([ 0.0091,  0.0048, -0.0014]), array([-0.0186, -0.0058, -0.002 ]))
    """
    tp, fp = (covered[1:].astype(np.float64) for covered in ranking.covered())
    predicted, value = tp + fp, average_precision(ranking)
    weight = ranking.pos / predicted**2
    pos, neg = tp / predicted + _from_here_on(weight * fp) - value, -_from_here_on(weight * tp)
    return SegmentInfluence(value, pos / ranking.Pos, neg / ranking.Pos)


def pr_area_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the area under the hyperbolic precision-recall curve, `pr_area`'s formula differentiated.

    >>> found = pr_area_influence(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
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
    pos, neg = by_pos + _from_here_on(by_right) - by_right - value, by_neg + _from_here_on(by_wrong) - by_wrong
    return SegmentInfluence(value, pos / ranking.Pos, neg / ranking.Pos)


def ks_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the Kolmogorov-Smirnov distance, at the split where it is reached.

    >>> found = ks_influence(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> round(found.estimate, 10), found.pos.round(4), found.neg.round(4)
    (0.4, array([ 0.008,  0.008, -0.012]), array([-0.016, -0.016,  0.004]))
    """
    best = ks(ranking)
    sign = -1.0 if best.difference < 0 else 1.0
    above = (np.arange(len(ranking)) < best.split).astype(np.float64)
    tp, fp = ranking.covered()
    tpr, fpr = tp[best.split] / ranking.Pos, fp[best.split] / ranking.Neg
    return SegmentInfluence(best.statistic, sign * (above - tpr) / ranking.Pos, sign * (fpr - above) / ranking.Neg)


def brier_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the Brier score of the scores themselves."""
    return _squared_error(ranking, ranking.score)


def refinement_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the refinement loss over the hull's pools: which pools there are does not move it, being the best.

    >>> found = refinement_influence(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> round(found.estimate, 4), found.pos.round(4)
    (0.2067, array([-0.0017, -0.001 ,  0.0024]))
    """
    split = hull_splits(ranking, pool="ties")
    pos, neg = ranking.runs(split)
    return _squared_error(ranking, np.repeat(pos / (pos + neg), np.diff(split)))


def uncertainty_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the Brier score that the prevalence has."""
    return _squared_error(ranking, np.full(len(ranking), ranking.prevalence))


def _auc(ranking: Ranking, _: Quantity) -> SegmentInfluence:
    """Placement values less the AUC (DeLong 1988)."""
    area, at = auc(ranking), placements(ranking)
    return SegmentInfluence(area, (at.positive - area) / ranking.Pos, (at.negative - area) / ranking.Neg)


def _partial_auc(ranking: Ranking, asked: Quantity) -> SegmentInfluence:
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
        return SegmentInfluence(value, of_pos, of_neg)
    standardised = partial_auc(ranking, **{within.rate: ends}, standardised=True)
    low, high = ends if within.rate == "fpr" else (1 - ends[1], 1 - ends[0])
    stretch = 0.5 / (high - low - (high**2 - low**2) / 2)
    return SegmentInfluence(standardised, stretch * of_pos, stretch * of_neg)


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


def _mean(ranking: Ranking, of_pos: Floats, of_neg: Floats) -> SegmentInfluence:
    """A mean over cases of what a positive and a negative of each segment count."""
    has_pos, has_neg = ranking.pos > 0, ranking.neg > 0  # what no case is counts nothing, even if infinite
    of_pos, of_neg = np.where(has_pos, of_pos, 0.0), np.where(has_neg, of_neg, 0.0)
    value = float((of_pos * ranking.pos + of_neg * ranking.neg).sum() / ranking.total)
    with np.errstate(invalid="ignore"):
        return SegmentInfluence(value, (of_pos - value) / ranking.total, (of_neg - value) / ranking.total)


def _log_loss(ranking: Ranking, _: Quantity) -> SegmentInfluence:
    with np.errstate(divide="ignore"):
        return _mean(ranking, -np.log(ranking.score), -np.log1p(-ranking.score))


def _net_benefit(ranking: Ranking, asked: Quantity) -> SegmentInfluence:
    at = asked.probability or math.nan
    calls = (ranking.score >= at).astype(np.float64)
    return _mean(ranking, calls, -calls * at / (1 - at))


def _in_the_large(ranking: Ranking, _: Quantity) -> SegmentInfluence:
    return _mean(ranking, 1 - ranking.score, -ranking.score)


def _observed_expected(ranking: Ranking, _: Quantity) -> SegmentInfluence:
    expected = float(((ranking.pos + ranking.neg) * ranking.score).sum())
    if expected == 0:
        nan = np.full(len(ranking), math.nan)
        return SegmentInfluence(math.inf, nan, nan)
    value = ranking.Pos / expected
    return SegmentInfluence(value, (1 - value * ranking.score) / expected, -value * ranking.score / expected)


def _cox(ranking: Ranking, asked: Quantity) -> SegmentInfluence:
    """Inverse information times the score of a case (Huber 1967, White 1982)."""
    two = asked.name == "calibration_slope"
    fit = recalibration(ranking, slope=two)
    estimate = fit.slope if two else fit.intercept
    of_pos, of_neg = np.zeros(len(ranking)), np.zeros(len(ranking))
    if math.isnan(estimate):
        return SegmentInfluence(estimate, of_pos + math.nan, of_neg + math.nan)
    weight = (ranking.pos + ranking.neg)[fit.inside] * fit.fitted * (1 - fit.fitted)
    if two:
        centre = float((weight * fit.log_odds).sum()) / float(weight.sum())
        lever = fit.log_odds - centre
        lever = lever / float((weight * lever**2).sum())
    else:
        lever = np.full(fit.log_odds.size, 1 / float(weight.sum()))
    of_pos[fit.inside], of_neg[fit.inside] = lever * (1 - fit.fitted), -lever * fit.fitted
    return SegmentInfluence(estimate, of_pos, of_neg)


def _squared_error(ranking: Ranking, probability: Floats) -> SegmentInfluence:
    return _mean(ranking, (1 - probability) ** 2, probability**2)


def _miscalibration(ranking: Ranking, _: Quantity) -> SegmentInfluence:
    return brier_influence(ranking) - refinement_influence(ranking)


def _discrimination(ranking: Ranking, _: Quantity) -> SegmentInfluence:
    return uncertainty_influence(ranking) - refinement_influence(ranking)


def _from_here_on(values: Floats) -> Floats:
    """For each segment, the sum over it and all that score lower."""
    sums: Floats = np.cumsum(values[::-1])[::-1]
    return sums


def _weighted_mean(values: Floats, counts: Floats) -> float:
    return float((values * counts).sum()) / float(counts.sum())


def _factor(cases: float) -> float:
    """What makes the sum of squared influences of cases unbiased."""
    return cases / (cases - 1) if cases > 1 else math.nan


def _root_factor(cases: float) -> float:
    return math.sqrt(_factor(cases))


INFLUENCE: Mapping[str, Influence] = MappingProxyType(
    {
        "auc": _auc,
        "partial_auc": _partial_auc,
        "standardised_partial_auc": _partial_auc,
        "average_precision": average_precision_influence,
        "pr_area": pr_area_influence,
        "brier": brier_influence,
        "log_loss": _log_loss,
        "miscalibration": _miscalibration,
        "refinement": refinement_influence,
        "discrimination": _discrimination,
        "uncertainty": uncertainty_influence,
        "net_benefit": _net_benefit,
        "calibration_intercept": _cox,
        "calibration_slope": _cox,
        "calibration_in_the_large": _in_the_large,
        "observed_expected": _observed_expected,
    }
)


@dataclass(frozen=True, slots=True)
class MatrixMeasure:
    """A measure of all classes: its value, its gradient, and the scale on which its limits are symmetric."""

    value: Callable[[ConfusionMatrix], float]
    gradient: Callable[[Floats], Floats]
    scale: Scale

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most it can be."""
        return (-1.0, 1.0) if self.scale is FISHER else (0.0, 1.0)


def average_gradient(counts: Floats, how: str, of: str) -> Floats:
    """How a macro or weighted average of precision, recall or f1 grows with each cell.

    >>> average_gradient(np.array([[8.0, 2.0], [1.0, 9.0]]), "macro", "recall").round(4)
    array([[ 0.01 , -0.04 ],
           [-0.045,  0.005]])
    """
    right, actual, called = np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0)
    total = counts.sum()
    share = actual / total if how == "weighted" else np.full(right.size, 1 / right.size)
    present = share > 0  # a class without cases weighs nothing, defined or not
    of_row, of_column, size = {
        "f1": (1.0, 1.0, (actual + called) / 2),
        "recall": (1.0, 0.0, actual),
        "precision": (0.0, 1.0, called),
    }[of]
    with np.errstate(divide="ignore", invalid="ignore"):
        per = np.where(present, share / size, 0.0)
        value = np.where(present, right / size, 0.0)
    lost = per * value / (of_row + of_column)
    gradient: Floats = np.diag(per) - (of_row * lost)[:, np.newaxis] - (of_column * lost)[np.newaxis, :]
    if how == "weighted":  # a case also makes its own class weigh more, and the others less
        gradient = gradient + ((value - share @ value) / total)[:, np.newaxis]
    return gradient


def mcc_gradient(counts: Floats) -> Floats:
    """How the correlation of actual and called class (Gorodkin 2004) grows with each cell.

    >>> mcc_gradient(np.array([[30.0, 20.0], [10.0, 40.0]])).round(4)
    array([[ 0.0071, -0.0116],
           [-0.0174,  0.0048]])
    """
    beyond, along, actual, called = _beyond_chance(counts)
    total = counts.sum()
    apart = total**2 - actual @ actual, total**2 - called @ called
    spread = math.sqrt(apart[0] * apart[1])
    grown = (total - actual)[:, np.newaxis] / apart[0] + (total - called)[np.newaxis, :] / apart[1]
    gradient: Floats = along / spread - beyond / spread * grown
    return gradient


def kappa_gradient(counts: Floats) -> Floats:
    """How Cohen's (1960) kappa grows with each cell.

    >>> kappa_gradient(np.array([[30.0, 20.0], [10.0, 40.0]])).round(4)
    array([[ 0.0072, -0.0128],
           [-0.0152,  0.0048]])
    """
    beyond, along, actual, called = _beyond_chance(counts)
    total = counts.sum()
    most = total**2 - actual @ called
    grown = 2 * total - called[:, np.newaxis] - actual[np.newaxis, :]
    gradient: Floats = along / most - beyond / most**2 * grown
    return gradient


def _beyond_chance(counts: Floats) -> tuple[float, Floats, Floats, Floats]:
    """Cases right beyond chance, times all cases; how that grows with each cell; the totals of rows and columns."""
    right, actual, called = float(np.trace(counts)), counts.sum(axis=1), counts.sum(axis=0)
    total = float(counts.sum())
    along = total * np.eye(actual.size) + right - called[:, np.newaxis] - actual[np.newaxis, :]
    return right * total - float(actual @ called), along, actual, called


def _average(how: str, of: str) -> MatrixMeasure:
    return MatrixMeasure(
        lambda matrix: matrix.average(how, of),  # type: ignore[arg-type]
        lambda counts: average_gradient(counts, how, of),
        LOGIT,
    )


MATRIX_MEASURES: Mapping[str, MatrixMeasure] = MappingProxyType(
    {
        "macro_precision": _average("macro", "precision"),
        "macro_recall": _average("macro", "recall"),
        "macro_f1": _average("macro", "f1"),
        "weighted_precision": _average("weighted", "precision"),
        "weighted_f1": _average("weighted", "f1"),
        "mcc": MatrixMeasure(lambda matrix: matrix.mcc, mcc_gradient, FISHER),
        "kappa": MatrixMeasure(lambda matrix: matrix.kappa, kappa_gradient, FISHER),
    }
)


def class_influence(rows: ClassifiedRows, model: str) -> Mapping[str, RowInfluence]:
    """Every measure of one model that is compared or averaged over classes, with its influences.

    >>> from thresher.inference.class_rows import classified_rows
    >>> rows = classified_rows([0, 1, 2, 0], [[.8, .1, .1], [.2, .7, .1], [.1, .6, .3], [.6, .3, .1]])
    >>> found = class_influence(rows, "model")
    >>> found["overall_accuracy"].estimate, found["overall_accuracy"].values.round(3)
    (0.75, array([ 0.072,  0.072, -0.217,  0.072]))
    """
    matrix, share = rows.matrices[model], rows.share
    right = (rows.calls[model] == rows.index).astype(np.float64)
    measures = {"overall_accuracy": _row_mean(right, rows)}
    measures |= _matrix_averages(rows, model)
    measures |= _areas(rows, matrix, share)
    if not sums_to_one(matrix):
        undefined = RowInfluence(math.nan, np.full(share.size, math.nan), NOT_SUMMING)
        return MappingProxyType(measures | {"brier": undefined, "log_loss": undefined})
    return MappingProxyType(
        measures
        | {"brier": _row_mean(squared_errors(rows, model), rows), "log_loss": _row_mean(log_losses(rows, model), rows)}
    )


def sums_to_one(matrix: Floats) -> bool:
    """Whether every row of probabilities sums to 1, as nearly as losses ask for."""
    return bool((np.abs(matrix.sum(axis=1) - 1) <= SUM_TOLERANCE).all())


def squared_errors(rows: ClassifiedRows, model: str) -> Floats:
    """Half the sum of squared errors of each row's probabilities."""
    away = rows.matrices[model].copy()
    away[np.arange(rows.index.size), rows.index] -= 1
    error: Floats = np.einsum("ij,ij->i", away, away) / 2
    return error


def log_losses(rows: ClassifiedRows, model: str) -> Floats:
    """Minus the logarithm of the probability given to each row's class; infinite for 0."""
    with np.errstate(divide="ignore"):
        loss: Floats = np.abs(np.log(rows.matrices[model][np.arange(rows.index.size), rows.index]))
    return loss


def _row_mean(values: Floats, rows: ClassifiedRows) -> RowInfluence:
    mean = float(rows.share @ values)
    if not math.isfinite(mean):
        return RowInfluence(mean, np.full(values.size, math.nan), "a case was given probability 0 for what it is")
    return RowInfluence(mean, rows.share * (values - mean) * _row_factor(rows.index.size, rows.cluster))


def _matrix_averages(rows: ClassifiedRows, model: str) -> dict[str, RowInfluence]:
    """Macro recall and macro F1 of the calls."""
    k, called, weight = len(rows.classes), rows.calls[model], rows.share
    right = called == rows.index
    actual, calls, hits = (
        np.bincount(of, weights=each, minlength=k)
        for of, each in ((rows.index, weight), (called, weight), (rows.index, weight * right))
    )
    recall, f1 = hits / actual, 2 * hits / (actual + calls)
    of_recall = (right - recall[rows.index]) / actual[rows.index] * _class_factors(rows)[rows.index]
    per = 1 / (actual + calls)
    lost = f1 * per
    of_f1 = (2 * right * per[rows.index] - lost[rows.index] - lost[called]) * _row_factor(rows.index.size, rows.cluster)
    return {
        "macro_recall": RowInfluence(float(recall.mean()), weight * of_recall / k),
        "macro_f1": RowInfluence(float(f1.mean()), weight * of_f1 / k),
    }


def _areas(rows: ClassifiedRows, matrix: Floats, share: Floats) -> dict[str, RowInfluence]:
    """The four averages of the AUC.

    Rows are taken as drawn from all classes together, so that the shares of classes are uncertain too.
    """
    k, columns = len(rows.classes), [np.ascontiguousarray(column) for column in matrix.T]
    of_class = np.bincount(rows.index, weights=share, minlength=k)
    macro, weighted = np.zeros(share.size), np.zeros(share.size)
    areas = np.empty(k)
    for i, score in enumerate(columns):
        areas[i], values = _area(rows.index == i, score, rows.weight, rows.cluster)
        macro += values / k
        weighted += values * of_class[i]
    mean = float(of_class @ areas)
    weighted += (areas - mean)[rows.index] * share
    one_macro, one_weighted = np.zeros(share.size), np.zeros(share.size)
    mean_with, total = np.zeros(k), 0.0
    for i, score in enumerate(columns):
        for j in range(k):
            if i == j:
                continue
            within = (rows.index == i) | (rows.index == j)
            weight = None if rows.weight is None else rows.weight[within]
            area, values = _area(rows.index[within] == i, score[within], weight, rows.cluster)
            total += area
            mean_with[[i, j]] += area / (2 * (k - 1))
            one_macro[within] += values / (k * (k - 1))
            one_weighted[within] += values * (of_class[i] + of_class[j]) / (2 * (k - 1))
    one_mean = float(of_class @ mean_with)
    one_weighted += (mean_with - one_mean)[rows.index] * share
    return {
        "one_vs_rest_macro": RowInfluence(float(areas.mean()), macro),
        "one_vs_rest_weighted": RowInfluence(mean, weighted),
        "one_vs_one_macro": RowInfluence(total / (k * (k - 1)), one_macro),
        "one_vs_one_weighted": RowInfluence(one_mean, one_weighted),
    }


def _area(positive: Flags, score: Any, weight: Floats | None, cluster: Indices | None) -> tuple[float, Floats]:
    """An AUC, and per row its placement less the AUC, over the weight of its side (DeLong 1988)."""
    above = count_above(positive, score, weight)
    row_weight = np.ones(positive.size) if weight is None else weight
    Pos, Neg = (float(row_weight[side].sum()) for side in (positive, ~positive))
    placement = np.where(positive, 1 - above / Neg, above / Pos)
    area = float(row_weight[positive] @ placement[positive]) / Pos
    rows = int(np.count_nonzero(positive))
    factors = _row_factor(rows, cluster) / Pos, _row_factor(positive.size - rows, cluster) / Neg
    return area, (placement - area) * row_weight * np.where(positive, *factors)


def _row_factor(rows: int, cluster: Indices | None) -> float:
    """What makes the squares of rows' influences unbiased; clusters are corrected for by their number."""
    return 1.0 if cluster is not None else _root_factor(rows)


def _class_factors(rows: ClassifiedRows) -> Floats:
    return np.array([_row_factor(count, rows.cluster) for count in rows.cases.tolist()])
