"""Bands of reliability: where the hull's steps may lie, and where they would lie were the scores calibrated."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from thresher.calibration.binning import quantile_splits
from thresher.errors import ArgumentError
from thresher.inference.band import Band
from thresher.inference.drawn_curves import DrawnCurve, Draws, percentiles
from thresher.inference.interval import require_level
from thresher.inference.kinds import require_numbers, require_one_of
from thresher.inference.labels_drawn import labels_drawn
from thresher.inference.pooling import pooled_at, pools
from thresher.inference.proportion import rate_interval
from thresher.inference.resampling import in_blocks, require_replicates
from thresher.ranking import Floats, Indices, Ranking, require_ranking

Kind: TypeAlias = Literal["confidence", "consistency"]
MOST_POINTS = 101


def reliability_band(
    ranking: Ranking,
    kind: Kind = "confidence",
    *,
    points: int = MOST_POINTS,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
) -> Band:
    """The pointwise band of the reliability diagram, without bins: the proportion in the hull's pool at each score.

    A "confidence" band resamples cases and surrounds the estimate; where all draws agree, it is that of the pool's
    own cases. Its coverage is asymptotic, and lower where pools are small. A "consistency" band draws the labels
    from the scores and surrounds the diagonal: an estimate that leaves it is hard to explain by chance were the scores
    true probabilities (Dimitriadis, Gneiting & Jordan 2021). `x` holds distinct scores, rising: all of
    them, or `points` that share the cases out evenly.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> band = reliability_band(spam_tree, "consistency", replicates=500)
    >>> band.estimate.round(4), band.lower.round(2), band.upper.round(2)
    (array([0.3333, 0.6667, 0.8   ]), array([0.18, 0.37, 0.76]), array([0.41, 0.8 , 1.  ]))
    """
    require_one_of(kind, ("confidence", "consistency"), "kind")
    require_ranking(ranking)
    require_numbers({"points": points})
    if points < 1:
        raise ArgumentError(f"points must be 1, 2, 3, ..., got {points!r}", "give e.g. points=101")
    if kind == "confidence":
        draws = Draws.of(ranking, level=level, replicates=replicates, seed=seed, threads=threads)
        return draws.band(reliability_curve(draws, ranking, points), stratified=False)
    require_level(level)
    require_replicates(replicates, seed, threads)
    ranking.require_both_classes()
    segment = _shown(ranking, points)
    draw = labels_drawn(ranking)

    def block(rng: np.random.Generator, size: int) -> list[Floats]:
        return [pooled_at(ranking.score, *draw(rng), segment) for _ in range(size)]

    drawn = np.concatenate(in_blocks(block, replicates, items=len(ranking), seed=seed, threads=threads))
    return _rising(ranking, segment, percentiles(drawn, level), level, kind)


def reliability_curve(draws: Draws, ranking: Ranking, points: int = MOST_POINTS) -> DrawnCurve:
    """What the confidence band of a ranking's reliability asks of every draw of cases."""
    ranking.require_probabilities()
    segment = _shown(ranking, points)

    def band(drawn: Floats) -> Band:
        limits = _with_doubt(ranking, segment, *percentiles(drawn, draws.level), draws.level)
        return _rising(ranking, segment, limits, draws.level, "confidence")

    return DrawnCurve(lambda drawn: pooled_at(ranking.score, *drawn.by_segment(), segment), band, of_one_class=True)


def _rising(ranking: Ranking, segment: Indices, limits: tuple[Floats, Floats], level: float, kind: Kind) -> Band:
    """The band by rising score."""
    columns = ranking.score[segment], pooled_at(ranking.score, ranking.pos, ranking.neg, segment), *limits
    x, estimate, lower, upper = (column[::-1].copy() for column in columns)
    return Band(x, estimate, lower, upper, level, f"{kind} resampling")


def _shown(ranking: Ranking, points: int) -> Indices:
    if len(ranking) <= points:
        return np.arange(len(ranking))
    return quantile_splits(ranking, points)[1:] - 1


def _with_doubt(
    ranking: Ranking, segment: Indices, lower: Floats, upper: Floats, level: float
) -> tuple[Floats, Floats]:
    """Limits that hold the estimate; where all draws agree, those of the pool's own proportion of positives."""
    seen, edge = pools(ranking.pos, ranking.neg)
    pool = np.searchsorted(seen[edge[:-1]], segment, side="right") - 1
    pos, neg = (np.add.reduceat(counts[seen], edge[:-1])[pool] for counts in (ranking.pos, ranking.neg))
    for at in np.flatnonzero(upper - lower <= 1e-12).tolist():
        rate = rate_interval(float(pos[at]), float(pos[at] + neg[at]), level=level)
        lower[at], upper[at] = rate.lower, rate.upper
    estimate = pooled_at(ranking.score, ranking.pos, ranking.neg, segment)
    return np.minimum(lower, estimate), np.maximum(upper, estimate)
