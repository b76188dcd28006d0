"""Influence functions: how each case moves a number, which gives its variance.

A number of a model is a function of how many positives and negatives each segment holds. Its slope along a count, times
the weight of a row, is that row's influence; the variance of the number is the sum of squared influences, by row or by
cluster (delta method, infinitesimal jackknife). Two models on the same rows are paired by the difference of their
influences, row by row. At a declared class mix the classes are sampled apart and their shares are fixed: influences are
those of the ranking re-weighted to the mix, less their mean within each class.

A measure of k classes that does not depend on the unit of weights has influences w · ∂M/∂w, which sum to 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher.calibration import scores
from thresher.calibration.cox import recalibration
from thresher.curves import auc, average_precision, hull_splits, ks, partial_auc, placements, pr_area
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.rows import ScoredRows, count_above
from thresher.ranking import Flags, Floats, Indices, Ranking, cuts_above, merge_at, splits_to_keep
from thresher.tables import ConfusionMatrix, ModelNumber, Quantity


@dataclass(frozen=True, slots=True, eq=False)
class SegmentInfluence:
    """A number of a ranking, and its slopes along each segment's counts.

    `by_prior` is that along the log-odds of a prevalence which was estimated to restate probabilities.
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
        """The variance of the number, where rows or entire clusters were drawn."""
        return influence_variance(self.values, cluster)


Variance: TypeAlias = Callable[[SegmentInfluence], float]
Influence: TypeAlias = Callable[[Ranking, Quantity], SegmentInfluence]


def influence_variance(values: Floats, cluster: Indices | None) -> float:
    """The variance of a sum of influences, by row or by cluster."""
    if cluster is None:
        return float(values @ values)
    sums = np.bincount(cluster, weights=values)
    return float(sums @ sums) * sums.size / (sums.size - 1)


def segment_influence(ranking: Ranking, asked: Quantity) -> SegmentInfluence:
    """A quantity of a ranking, and its slopes along each segment's counts."""
    known = asked.known
    if isinstance(known, ModelNumber) and known.needs == "probabilities":
        ranking.require_probabilities()
    return INFLUENCE[asked.name](ranking, asked)


def row_influence(rows: ScoredRows, model: str, asked: Quantity) -> RowInfluence:
    """The influence of each row on a quantity of one model, in the order of the rows.

    Rows `at_prevalence` carry weights that bring them to a declared mix, and then vary within classes only.
    """
    score, ranking = rows.scores[model], rows.ranking(model)
    segment = np.searchsorted(-ranking.score, -score.astype(np.float64))
    slopes = segment_influence(ranking, asked)
    weight = np.ones(score.size) if rows.weight is None else rows.weight
    values = weight * np.where(rows.positive, slopes.pos[segment], slopes.neg[segment])
    for side in (rows.positive, ~rows.positive):
        if rows.declared_mix:
            values[side] -= weight[side] * (values[side].sum() / weight[side].sum())
        values[side] *= _row_factor(int(np.count_nonzero(side)), rows.cluster)
    return RowInfluence(slopes.estimate, values)


def shorten_sample(rows: ScoredRows, model: str, ranking: Ranking, most: int) -> tuple[Ranking, Variance]:
    """A model's ranking in at most so many segments, and how the numbers of it vary."""
    split = splits_to_keep(ranking, most, keep="even")
    near = merge_at(ranking, split, at_means=True)
    if rows.alike_within_classes:
        return near, variance_by_cases(near, rows.class_weights)
    return near, variance_by_rows(rows, segments_of_rows(rows, model, ranking, split), len(near))


def segments_of_rows(rows: ScoredRows, model: str, ranking: Ranking, split: Indices) -> Indices:
    """The segment of each row.

    A row's score may differ from the ranking's by rounding.
    """
    return cuts_above(rows.scores[model].astype(np.float64), ranking.thresholds()[split[1:-1]])


def variance_by_cases(ranking: Ranking, class_weights: tuple[float, float] | None = None) -> Variance:
    """The delta method's variance of any number, for cases drawn together.

    With `class_weights`, which bring the classes to a declared mix, cases are drawn from each class by itself. It is
    NaN with fewer than two cases of a class.
    """
    counts, totals = (ranking.pos, ranking.neg), (ranking.Pos, ranking.Neg)
    squares = [
        weight * bessel_correction(total / weight) * each
        for weight, total, each in zip(class_weights or (1.0, 1.0), totals, counts, strict=True)
    ]
    return partial(_sum_of_squares, squares, None if class_weights is None else counts)


def variance_by_rows(rows: ScoredRows, segment: Indices, segments: int) -> Variance:
    """The same by weights and clusters, from the segment that each row is in.

    Where rows have a declared mix, cases are drawn from each class by itself.
    """
    weight = np.ones(segment.size) if rows.weight is None else rows.weight
    sides = rows.positive, ~rows.positive
    counts, squares = (
        [np.bincount(segment[side], weights=weight[side] ** power, minlength=segments) for side in sides]
        for power in (1, 2)
    )
    unbiased = [bessel_correction(float(side.sum())) * each for side, each in zip(sides, squares, strict=True)]
    if rows.cluster is None:
        return partial(_sum_of_squares, unbiased, counts if rows.declared_mix else None)

    def variance(slopes: SegmentInfluence) -> float:
        slopes = _within_classes(slopes, *counts) if rows.declared_mix else slopes
        values = weight * np.where(rows.positive, slopes.pos[segment], slopes.neg[segment])
        return influence_variance(values, rows.cluster)

    return variance


def _sum_of_squares(squares: Sequence[Any], counts: Sequence[Any] | None, slopes: SegmentInfluence) -> float:
    """The variance from segments; given counts, stratified by class."""
    slopes = slopes if counts is None else _within_classes(slopes, *counts)
    return float((squares[0] * slopes.pos**2).sum() + (squares[1] * slopes.neg**2).sum())


def _within_classes(slopes: SegmentInfluence, pos: Any, neg: Any) -> SegmentInfluence:
    """Slopes less their mean in each class, plus what an estimated prevalence adds."""
    Pos, Neg = float(pos.sum()), float(neg.sum())
    return replace(
        slopes,
        pos=slopes.pos - (float((slopes.pos * pos).sum()) - slopes.by_prior) / Pos,
        neg=slopes.neg - (float((slopes.neg * neg).sum()) + slopes.by_prior) / Neg,
    )


def average_precision_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the average precision.

    A positive brings the precision at its score, and changes that of all positives which score as low or lower.
    """
    tp, fp = (covered[1:].astype(np.float64) for covered in ranking.covered())
    predicted, value = tp + fp, average_precision(ranking)
    weight = ranking.pos / predicted**2
    pos, neg = tp / predicted + _from_here_on(weight * fp) - value, -_from_here_on(weight * tp)
    return SegmentInfluence(value, pos / ranking.Pos, neg / ranking.Pos)


def pr_area_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the area under the hyperbolic precision-recall curve.

    A segment of c cases with share r of positives, after b cases with share q, has the area c·r·(q + w·(r - q)) with
    w = 1 - ln(1 + c/b)·b/c, as in `segment_areas`. Its slopes hold ratios of counts only, so that weights of any size
    stay within the range of floats.
    """
    value = pr_area(ranking)
    right, wrong = (covered[:-1].astype(np.float64) for covered in ranking.covered())
    cases, before = ranking.pos.astype(np.float64) + ranking.neg, right + wrong
    rate, later = ranking.pos / cases, before > 0  # nothing comes before the first segment
    log, above = np.zeros_like(rate), rate.copy()
    log[later] = np.log(before[later] + cases[later]) - np.log(before[later])
    above[later] = right[later] / before[later]
    share, gain = cases / (before + cases), rate - above
    own = 1 - log * before / cases
    turn = 1 - own - (1 - share)  # c/b times the derivative of w by it
    by_pos = above + own * gain + rate * (turn * gain + (1 - rate) * own)
    by_neg = rate * (turn * gain - rate * own)
    by_right = np.where(later, rate * (log * (1 - above) - (log - share) * gain), 0.0)
    by_wrong = np.where(later, -rate * (log * above + (log - share) * gain), 0.0)
    pos, neg = by_pos + _from_here_on(by_right) - by_right - value, by_neg + _from_here_on(by_wrong) - by_wrong
    return SegmentInfluence(value, pos / ranking.Pos, neg / ranking.Pos)


def ks_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the Kolmogorov-Smirnov distance, at the split where it is reached."""
    best = ks(ranking)
    sign = -1.0 if best.difference < 0 else 1.0
    above = (np.arange(len(ranking)) < best.split).astype(np.float64)
    tp, fp = ranking.covered()
    tpr, fpr = tp[best.split] / ranking.Pos, fp[best.split] / ranking.Neg
    return SegmentInfluence(best.statistic, sign * (above - tpr) / ranking.Pos, sign * (fpr - above) / ranking.Neg)


def brier_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the Brier score of the scores themselves."""
    return _mean(ranking, *scores.squared_losses(ranking.score, ranking.score))


def refinement_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the refinement loss, with the pools of the hull held fixed."""
    split = hull_splits(ranking, pool="ties")
    pos, neg = ranking.runs(split)
    rate = np.repeat(pos / (pos + neg), np.diff(split))
    return _mean(ranking, *scores.squared_losses(rate, rate))


def uncertainty_influence(ranking: Ranking, _: Quantity | None = None) -> SegmentInfluence:
    """Slopes of the Brier score that the prevalence has."""
    prevalence = np.full(len(ranking), ranking.prevalence)
    return _mean(ranking, *scores.squared_losses(prevalence, prevalence))


def _auc(ranking: Ranking, _: Quantity) -> SegmentInfluence:
    """Placement values less the AUC (DeLong 1988)."""
    area, at = auc(ranking), placements(ranking)
    return SegmentInfluence(area, (at.positive - area) / ranking.Pos, (at.negative - area) / ranking.Neg)


def _partial_auc(ranking: Ranking, asked: Quantity) -> SegmentInfluence:
    """A positive adds the range right of it; a negative shifts it along the curve.

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


def _net_benefit(ranking: Ranking, asked: Quantity) -> SegmentInfluence:
    at = asked.probability or math.nan
    calls = (ranking.score >= at).astype(np.float64)
    return _mean(ranking, calls, -calls * at / (1 - at))


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


def _from_here_on(values: Floats) -> Floats:
    """For each segment, the sum over it and all that score lower."""
    sums: Floats = np.cumsum(values[::-1])[::-1]
    return sums


def bessel_correction(cases: float) -> float:
    """Bessel's correction n / (n - 1) of a sum of squares; NaN for a single case."""
    return cases / (cases - 1) if cases > 1 else math.nan


INFLUENCE: Mapping[str, Influence] = MappingProxyType(
    {
        "auc": _auc,
        "partial_auc": _partial_auc,
        "standardised_partial_auc": _partial_auc,
        "average_precision": average_precision_influence,
        "pr_area": pr_area_influence,
        "brier": brier_influence,
        "log_loss": lambda ranking, _: _mean(ranking, *scores.log_losses(ranking.score, ranking.score)),
        "miscalibration": lambda ranking, _: brier_influence(ranking) - refinement_influence(ranking),
        "refinement": refinement_influence,
        "discrimination": lambda ranking, _: uncertainty_influence(ranking) - refinement_influence(ranking),
        "uncertainty": uncertainty_influence,
        "net_benefit": _net_benefit,
        "calibration_intercept": _cox,
        "calibration_slope": _cox,
        "calibration_in_the_large": lambda ranking, _: _mean(ranking, 1 - ranking.score, -ranking.score),
        "observed_expected": _observed_expected,
    }
)


@dataclass(frozen=True, slots=True)
class MatrixMeasure:
    """A measure of all classes, and the least and the most it can be.

    `slopes` are its values for matrices of counts, the last two axes, and how each grows with each cell.
    """

    value: Callable[[ConfusionMatrix], float]
    slopes: Callable[[Floats], tuple[Floats, Floats]]
    ends: tuple[float, float]


def _average(how: Literal["macro", "weighted"], of: Literal["precision", "recall", "f1"]) -> MatrixMeasure:
    """A macro or weighted average over classes."""
    of_row, of_column = {"f1": (1.0, 1.0), "recall": (1.0, 0.0), "precision": (0.0, 1.0)}[of]

    def slopes(counts: Floats) -> tuple[Floats, Floats]:
        right, actual, calls, total = _margins(counts)
        size = (of_row * actual + of_column * calls) / (of_row + of_column)
        share = actual / total if how == "weighted" else np.full(right.shape, 1 / right.shape[-1])
        present = share > 0  # a class without cases weighs nothing, defined or not
        with np.errstate(divide="ignore", invalid="ignore"):
            per = np.where(present, share / size, 0.0)
            value = np.where(present, right / size, 0.0)
        lost, mean = per * value / (of_row + of_column), (share * value).sum(axis=-1)
        gradient = per[..., np.newaxis] * np.eye(right.shape[-1])
        gradient = gradient - (of_row * lost)[..., :, np.newaxis] - (of_column * lost)[..., np.newaxis, :]
        if how == "weighted":  # a case also makes its own class weigh more, and the others less
            gradient = gradient + ((value - mean[..., np.newaxis]) / total)[..., np.newaxis]
        return mean, gradient

    return MatrixMeasure(lambda matrix: matrix.average(how, of), slopes, (0.0, 1.0))


def _mcc(counts: Floats) -> tuple[Floats, Floats]:
    """The MCC of k classes (Gorodkin 2004)."""
    beyond, along, actual, calls, total = _beyond_chance(counts)
    apart = [total**2 - (each**2).sum(axis=-1, keepdims=True) for each in (actual, calls)]
    spread = np.sqrt(apart[0] * apart[1])
    value = beyond / spread
    growth = ((total - actual) / apart[0])[..., :, np.newaxis] + ((total - calls) / apart[1])[..., np.newaxis, :]
    return value[..., 0], along / spread[..., np.newaxis] - value[..., np.newaxis] * growth


def _kappa(counts: Floats) -> tuple[Floats, Floats]:
    """Cohen's (1960) kappa."""
    beyond, along, actual, calls, total = _beyond_chance(counts)
    most = total**2 - (actual * calls).sum(axis=-1, keepdims=True)
    growth = 2 * total[..., np.newaxis] - calls[..., :, np.newaxis] - actual[..., np.newaxis, :]
    return (beyond / most)[..., 0], along / most[..., np.newaxis] - (beyond / most**2)[..., np.newaxis] * growth


def _beyond_chance(counts: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Cases right beyond chance times all cases, its gradient, and the margins."""
    right, actual, calls, total = _margins(counts)
    hits = right.sum(axis=-1, keepdims=True)
    along = (total[..., np.newaxis] * np.eye(right.shape[-1])) + hits[..., np.newaxis]
    along = along - calls[..., :, np.newaxis] - actual[..., np.newaxis, :]
    return hits * total - (actual * calls).sum(axis=-1, keepdims=True), along, actual, calls, total


def _margins(counts: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Cases right, of each class and called each class, and all cases, in a last axis."""
    actual, calls = counts.sum(axis=-1), counts.sum(axis=-2)
    return np.diagonal(counts, axis1=-2, axis2=-1), actual, calls, actual.sum(axis=-1, keepdims=True)


MATRIX_MEASURES: Mapping[str, MatrixMeasure] = MappingProxyType(
    {
        "macro_precision": _average("macro", "precision"),
        "macro_recall": _average("macro", "recall"),
        "macro_f1": _average("macro", "f1"),
        "weighted_precision": _average("weighted", "precision"),
        "weighted_f1": _average("weighted", "f1"),
        "mcc": MatrixMeasure(lambda matrix: matrix.mcc, _mcc, (-1.0, 1.0)),
        "kappa": MatrixMeasure(lambda matrix: matrix.kappa, _kappa, (-1.0, 1.0)),
    }
)


def class_influence(rows: ClassifiedRows, model: str, costs: Floats | None = None) -> Mapping[str, RowInfluence]:
    """Every measure of one model that is compared or averaged over classes, by name.

    `costs` are what the calls cost, row by row; with them there is the expected cost, of rows weighted as they are.
    """
    matrix = rows.matrices[model]
    right = (rows.calls[model] == rows.index).astype(np.float64)
    means = {
        "overall_accuracy": right,
        "brier": scores.row_squared_errors(matrix, rows.index),
        "log_loss": scores.row_log_losses(matrix, rows.index),
    }
    means |= {} if costs is None else {"expected_cost": costs}
    measures = {name: _row_mean(values, rows) for name, values in means.items()} | _areas(rows, matrix)
    if rows.calls[model].max() < len(rows.classes):  # precision, and so F1, are of calls that are classes
        measures |= _matrix_averages(rows, model)
    return MappingProxyType(measures)


def _row_mean(values: Floats, rows: ClassifiedRows) -> RowInfluence:
    mean = float(rows.share @ values)
    if not math.isfinite(mean):
        return RowInfluence(mean, np.full(values.size, math.nan), "a case was given probability 0 for what it is")
    return RowInfluence(mean, rows.share * (values - mean) * _row_factor(rows.index.size, rows.cluster))


def _matrix_averages(rows: ClassifiedRows, model: str) -> dict[str, RowInfluence]:
    """Macro recall, whose cases are drawn by class, and macro F1 of the calls."""
    k, calls = len(rows.classes), rows.calls[model]
    if not rows.present.all():
        return dict.fromkeys(("macro_recall", "macro_f1"), _without_class(rows))
    cells = np.bincount(rows.index * k + calls, weights=rows.share, minlength=k * k)
    counts: Floats = cells.reshape(k, k).astype(np.float64)
    matrix = ConfusionMatrix(counts, list(rows.classes))
    by_class = np.array([_row_factor(cases, rows.cluster) for cases in rows.cases.tolist()])
    factors: dict[str, Any] = {
        "macro_recall": by_class[rows.index],
        "macro_f1": _row_factor(rows.index.size, rows.cluster),
    }
    return {
        name: RowInfluence(
            MATRIX_MEASURES[name].value(matrix),
            rows.share * MATRIX_MEASURES[name].slopes(counts)[1][rows.index, calls] * factor,
        )
        for name, factor in factors.items()
    }


def _without_class(rows: ClassifiedRows) -> RowInfluence:
    """An average over classes, of which one has no cases."""
    absent = rows.classes[int(rows.present.argmin())]
    return RowInfluence(math.nan, np.full(rows.index.size, math.nan), f"no case is of class {absent!r}")


def _areas(rows: ClassifiedRows, matrix: Floats) -> dict[str, RowInfluence]:
    """The four averages of the AUC."""
    k = len(rows.classes)
    names = ("one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted")
    if not rows.present.all():
        return dict.fromkeys(names, _without_class(rows))
    against_rest = ((i, rows.index >= 0, np.eye(k)[i]) for i in range(k))
    pairs = (
        (i, (rows.index == i) | (rows.index == j), (np.eye(k)[i] + np.eye(k)[j]) / (2 * (k - 1)))
        for i, j in permutations(range(k), 2)
    )
    averages = *_average_area(rows, matrix, against_rest), *_average_area(rows, matrix, pairs)
    return dict(zip(names, averages, strict=True))


def _average_area(
    rows: ClassifiedRows, matrix: Floats, contrasts: Iterable[tuple[int, Flags, Floats]]
) -> tuple[RowInfluence, RowInfluence]:
    """The macro and the weighted average of AUCs.

    Each AUC is given by a class, the rows it is ranked among (one at a time: all would take classes² · rows of memory)
    and the classes whose shares it weighs by. Rows are drawn from all classes together, so that the shares of classes
    are uncertain too.
    """
    share, areas = rows.share, []
    of_class = np.bincount(rows.index, weights=share, minlength=len(rows.classes))
    macro, weighted, by_class = np.zeros(share.size), np.zeros(share.size), np.zeros(of_class.size)
    for i, within, classes in contrasts:
        weight = None if rows.weight is None else rows.weight[within]
        area, values = _area(rows.index[within] == i, matrix[within, i], weight, rows.cluster)
        areas.append(area)
        macro[within] += values
        weighted[within] += values * (classes @ of_class)
        by_class += area * classes
    mean = float(of_class @ by_class)
    weighted += (by_class - mean)[rows.index] * share
    return RowInfluence(float(np.mean(areas)), macro / len(areas)), RowInfluence(mean, weighted)


def _area(positive: Flags, score: Any, weight: Floats | None, cluster: Indices | None) -> tuple[float, Floats]:
    """An AUC, and each row's influence on it (DeLong 1988)."""
    above = count_above(positive, score, weight)
    row_weight = np.ones(positive.size) if weight is None else weight
    Pos, Neg = (float(row_weight[side].sum()) for side in (positive, ~positive))
    placement = np.where(positive, 1 - above / Neg, above / Pos)
    area = float((row_weight[positive] * placement[positive]).sum()) / Pos  # exactly 1 where all are won
    rows = int(np.count_nonzero(positive))
    factors = _row_factor(rows, cluster) / Pos, _row_factor(positive.size - rows, cluster) / Neg
    return area, (placement - area) * row_weight * np.where(positive, *factors)


def _row_factor(rows: int, cluster: Indices | None) -> float:
    """What makes squared influences of rows unbiased; clusters need none."""
    return 1.0 if cluster is not None else math.sqrt(bessel_correction(rows))
