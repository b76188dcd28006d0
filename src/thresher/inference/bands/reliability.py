"""Bands around the reliability diagram of isotonic regression."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_integer, require_level, require_one_of
from thresher._internal.parallel import map_blocks
from thresher.calibration.reliability import quantile_splits
from thresher.errors import WeightError
from thresher.inference.bands.curves import POINTS, Band
from thresher.inference.bands.region import Limits
from thresher.inference.bootstrap.draws import require_replicates
from thresher.inference.bootstrap.isotonic import pooled_at
from thresher.inference.interval import normal_quantile
from thresher.inference.intervals.calibration import null_labels
from thresher.ranking import Counts, Floats, Indices, Ranking, require_ranking, splits_to_keep

Kind: TypeAlias = Literal["confidence", "consistency"]
MOST_SEGMENTS = 1000
MOST_GROUPS = 200
_HALVINGS = 40


def reliability_band(
    ranking: Ranking,
    kind: Kind = "confidence",
    *,
    points: int = POINTS,
    simultaneous: bool = False,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
) -> Band:
    """Band of the reliability diagram from isotonic regression.

    No bins are needed: the estimate at a score is the proportion of positives in its pool of the hull. Bands assume
    that the probability of a positive does not fall with the score.

    A "confidence" band surrounds the estimate. Its pointwise limits are the probabilities that a likelihood ratio test
    does not reject at one score: right where scores are few, and too wide rather than too narrow where they are
    distinct (Banerjee & Wellner 2005). Simultaneous ones hold at all scores at once, in samples of any size: a run of
    neighbouring scores bounds the probability above it from below and that below it from above, by exact binomial
    limits over all runs (Dimitriadis, Dümbgen, Henzi, Puke & Ziegel 2023); they are wide.

    A "consistency" band draws the labels from the scores and surrounds the diagonal: an estimate that leaves it is hard
    to explain by chance were the scores true probabilities (Dimitriadis, Gneiting & Jordan 2021). The simultaneous one
    holds the entire diagram in so many draws. Only here `replicates`, `seed` and `threads` matter.

    `x` holds distinct scores, rising: all of them, or `points` that share the cases out evenly.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> band = reliability_band(spam_tree)
    >>> band.estimate.round(4), band.lower.round(2), band.upper.round(2)
    (array([0.3333, 0.6667, 0.8   ]), array([0.22, 0.42, 0.62]), array([0.46, 0.85, 0.92]))
    >>> reliability_band(spam_tree, simultaneous=True).lower.round(2)
    array([0.18, 0.3 , 0.53])
    """
    require_one_of(kind, ("confidence", "consistency"), name="kind")
    require_ranking(ranking)
    require_integer(points, name="points", least=1, fix="give e.g. points=101")
    require_level(level)
    require_replicates(replicates, seed, threads)
    if kind == "confidence":
        return confidence_band(ranking, points=points, level=level, simultaneous=simultaneous)
    ranking.require_both_classes()
    segment = _shown_segments(ranking, points)
    draw = null_labels(ranking)

    def block(rng: np.random.Generator, size: int) -> list[Floats]:
        return [pooled_at(ranking.score, *draw(rng), segment) for _ in range(size)]

    drawn = np.concatenate(map_blocks(block, replicates, items=len(ranking), seed=seed, threads=threads))
    estimate = pooled_at(ranking.score, ranking.pos, ranking.neg, segment)
    lower, upper = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    band = Band(ranking.score[segment], estimate, lower, upper, level, "consistency resampling")
    return band.widen(_envelope(drawn, level), band.method) if simultaneous else band


def confidence_band(
    ranking: Ranking,
    *,
    points: int = POINTS,
    level: float,
    class_ratio: float | None = None,
    simultaneous: bool = False,
) -> Band:
    """The confidence band of `reliability_band`, restated for a declared class ratio."""
    require_ranking(ranking, both_classes=True, probabilities=True)
    if ranking.weighted and (np.mod(ranking.pos, 1).any() or np.mod(ranking.neg, 1).any()):
        raise WeightError("weights that are not whole do not say how many cases there are", "rank without weights")
    segment = _shown_segments(ranking, points)
    estimate = pooled_at(ranking.score, ranking.pos, ranking.neg, segment)
    odds = 1.0 if class_ratio is None else class_ratio * float(ranking.Neg) / float(ranking.Pos)

    def restate(p: Floats) -> Floats:
        return p * odds / (1 - p + p * odds)

    lower, upper = _ratio_test_limits(ranking, segment, level)
    lower, upper = restate(np.minimum(lower, estimate)), restate(np.maximum(upper, estimate))
    band = Band(ranking.score[segment], restate(estimate), lower, upper, level, "likelihood ratio")
    if not simultaneous:
        return band
    lower, upper = map(restate, _run_limits(ranking, segment, level))
    return band.widen((lower, upper), "exact over all runs")


def _ratio_test_limits(ranking: Ranking, segment: Indices, level: float) -> Limits:
    """The probabilities at each score that a likelihood ratio test does not reject.

    Under a probability at one score, isotonic regression of the scores on either side is cut off at it.
    """
    from scipy.optimize import isotonic_regression
    from scipy.special import xlogy

    split = splits_to_keep(ranking, MOST_SEGMENTS, keep="even")
    pos, neg = (np.add.reduceat(counts, split[:-1]).astype(np.float64)[::-1] for counts in (ranking.pos, ranking.neg))
    cases = pos + neg
    group = pos.size - np.searchsorted(split, segment, side="right")  # by rising score, as the counts now are
    most = normal_quantile(level) ** 2

    def fit(side: slice) -> Floats:
        if not cases[side].size:
            return np.empty(0)
        fitted: Floats = isotonic_regression(pos[side] / cases[side], weights=cases[side]).x
        return fitted

    def likelihood(p: Floats) -> Floats:
        total: Floats = (xlogy(pos, p) + xlogy(neg, 1 - p)).sum(axis=-1)
        return total

    estimate = fit(slice(None))
    best = likelihood(estimate)
    lower, upper = np.zeros(pos.size), np.ones(pos.size)
    for place in np.unique(group).tolist():
        below, above = fit(slice(0, place)), fit(slice(place + 1, None))

        def rejects(p: Floats, below: Floats = below, above: Floats = above) -> npt.NDArray[np.bool_]:
            at = p[:, np.newaxis]
            fitted = np.concatenate([np.minimum(below, at), at, np.maximum(above, at)], axis=1)
            rejected: npt.NDArray[np.bool_] = 2 * (best - likelihood(fitted)) > most
            return rejected

        ends, inside = np.array([0.0, 1.0]), np.full(2, estimate[place])
        for _ in range(_HALVINGS):  # both limits at once
            middle = (ends + inside) / 2
            out = rejects(middle)
            ends, inside = np.where(out, middle, ends), np.where(out, inside, middle)
        lower[place], upper[place] = ends
    return lower[group], upper[group]


def _run_limits(ranking: Ranking, segment: Indices, level: float) -> Limits:
    """Limits at all scores at once from the cases of all runs of neighbouring scores.

    Scores are joined into 200 groups at most. A run bounds what is no lower than its highest score from below, and what
    is no higher than its lowest from above. Errors of all m (m + 1) bounds add up to 1 - level.
    """
    from scipy.special import betaincinv

    split = splits_to_keep(ranking, MOST_GROUPS, keep="even")
    m = split.size - 1
    pos, neg = (np.add.reduceat(counts, split[:-1])[::-1] for counts in (ranking.pos, ranking.neg))
    first, last = np.triu_indices(m)
    right, wrong = (_running(counts)[last + 1] - _running(counts)[first] for counts in (pos, neg))
    error = (1 - level) / (m * (m + 1))
    some, others = right > 0, wrong > 0
    from_below = np.where(some, betaincinv(np.where(some, right, 1), wrong + 1, error), 0.0)
    from_above = np.where(others, betaincinv(right + 1, np.where(others, wrong, 1), 1 - error), 1.0)
    lower, upper = np.zeros(m + 1), np.ones(m + 1)
    np.maximum.at(lower[1:], last, from_below)  # of runs up to a group; none come before the first
    np.minimum.at(upper[:-1], first, from_above)
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
    group = m - np.searchsorted(split, segment, side="right")
    highest, lowest = split[:-1][::-1][group] == segment, split[1:][::-1][group] - 1 == segment
    return np.where(highest, lower[group + 1], lower[group]), np.where(lowest, upper[group], upper[group + 1])


def _running(counts: Counts) -> Floats:
    return np.concatenate([[0.0], np.cumsum(counts, dtype=np.float64)])


def _envelope(drawn: Floats, level: float) -> Limits:
    """Limits that hold a `level` share of drawn curves entirely.

    How far out in its place a draw lies is its rank from either side (Myllymäki et al. 2017).
    """
    ordered = np.sort(drawn, axis=0)
    rank = np.min(
        [
            np.minimum(
                np.searchsorted(ordered[:, place], drawn[:, place], side="right"),
                drawn.shape[0] - np.searchsorted(ordered[:, place], drawn[:, place], side="left"),
            )
            for place in range(drawn.shape[1])
        ],
        axis=0,
    )
    inside = drawn[rank >= np.quantile(rank, 1 - level, method="lower")]
    return inside.min(axis=0), inside.max(axis=0)


def _shown_segments(ranking: Ranking, points: int) -> Indices:
    """The segments to show, by rising score: all, or some at even shares of cases."""
    every = np.arange(len(ranking))
    return (every if len(ranking) <= points else quantile_splits(ranking, points)[1:] - 1)[::-1]
