"""Influence functions of quantities: how each case moves a number, which gives its variance and that of differences.

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
from thresher.curves import auc, partial_auc, placements
from thresher.inference.class_pulls import spread
from thresher.inference.scored_rows import ScoredRows
from thresher.inference.segment_pulls import (
    SegmentPulls,
    average_precision_pulls,
    brier_pulls,
    pr_area_pulls,
    refinement_pulls,
    uncertainty_pulls,
)
from thresher.ranking import Floats, Ranking, counted, counted_weights
from thresher.tables import ModelNumber, Quantity

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

    >>> from thresher.inference.scored_rows import scored_rows
    >>> from thresher.tables import quantity
    >>> rows = scored_rows([1, 0, 1, 0], {"tree": [0.9, 0.6, 0.4, 0.1]})
    >>> found = row_contributions(rows, "tree", quantity("brier"))
    >>> round(found.estimate, 4), round(found.variance(rows), 5)
    (0.185, 0.01531)
    """
    score = rows.scores[model]
    ranking = ranking_of(rows, model)
    segment = np.searchsorted(-ranking.score, -score.astype(np.float64))
    slopes = influence(ranking, asked)
    heavy = np.ones(score.size) if rows.weight is None else rows.weight
    found = heavy * np.where(rows.positive, slopes.pos[segment], slopes.neg[segment])
    for side in (rows.positive, ~rows.positive) if rows.declared_mix else ():
        found[side] -= heavy[side] * (found[side].sum() / heavy[side].sum())
    if rows.cluster is None:  # squares of clusters' sums are made unbiased by their number
        cases = int(np.count_nonzero(rows.positive))
        found *= np.where(rows.positive, _step(cases), _step(rows.positive.size - cases))
    return Contributions(slopes.estimate, found)


def ranking_of(rows: ScoredRows, model: str) -> Ranking:
    """The ranking of one model's rows."""
    score, weight = rows.scores[model], rows.weight
    counts = counted(rows.positive, score) if weight is None else counted_weights(rows.positive, score, weight)
    return Ranking.of_segments(*counts, dropped=rows.dropped)


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


def _step(cases: int) -> float:
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
