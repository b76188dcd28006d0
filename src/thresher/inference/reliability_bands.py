"""Bands of reliability: where the hull's steps may lie, and where they would lie were the scores calibrated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from thresher.calibration.binning import quantile_splits
from thresher.errors import ArgumentError
from thresher.inference.bands import Band
from thresher.inference.interval import require_level
from thresher.inference.kinds import require_numbers, require_one_of, require_ranking
from thresher.inference.labels_drawn import labels_drawn
from thresher.inference.pooling import pooled_at, pools
from thresher.inference.proportion import rate_interval
from thresher.inference.resampled import Resampled
from thresher.inference.resampling import Resampling, in_blocks, require_replicates
from thresher.inference.sample import sample_of
from thresher.ranking import Counts, Floats, Indices, Ranking

Kind: TypeAlias = Literal["confidence", "consistency"]
MOST_POINTS = 101
_WHERE = "reliability_band(ranking, kind)"


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
    require_level(level, _WHERE)
    require_replicates(replicates, seed, threads, _WHERE)
    require_one_of(kind, ("confidence", "consistency"), "kind", _WHERE)
    require_ranking(ranking, _WHERE)
    require_numbers({"points": points}, _WHERE)
    if points < 1:
        raise ArgumentError(f"points must be 1, 2, 3, ..., got {points!r}", _WHERE, "give e.g. points=101")
    ranking.require_both_classes(_WHERE)
    ranking.require_probabilities(_WHERE)
    segment = _shown(ranking, points)
    draw = _cases_drawn(ranking) if kind == "confidence" else labels_drawn(ranking, _WHERE)

    def block(rng: np.random.Generator, size: int) -> list[Counts]:
        return [pooled_at(*draw(rng), segment) for _ in range(size)]

    drawn = np.concatenate(in_blocks(block, replicates, items=len(ranking), seed=seed, threads=threads))
    lower, upper = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    estimate = pooled_at(ranking.pos, ranking.neg, segment)
    if kind == "confidence":
        lower, upper = _with_doubt(ranking, segment, lower, upper, level)
    x, estimate, lower, upper = (column[::-1].copy() for column in (ranking.score[segment], estimate, lower, upper))
    return Band(x, estimate, lower, upper, level, f"{kind} resampling")


def _shown(ranking: Ranking, points: int) -> Indices:
    if len(ranking) <= points:
        return np.arange(len(ranking))
    return quantile_splits(ranking, points)[1:] - 1


def _with_doubt(
    ranking: Ranking, segment: Indices, lower: Floats, upper: Floats, level: float
) -> tuple[Floats, Floats]:
    """Where all draws agree, the limits of the pool's own proportion: so many positives of so many cases."""
    seen, edge = pools(ranking.pos, ranking.neg)
    pool = np.searchsorted(seen[edge[:-1]], segment, side="right") - 1
    pos, neg = (np.add.reduceat(counts[seen], edge[:-1])[pool] for counts in (ranking.pos, ranking.neg))
    for at in np.flatnonzero(upper - lower <= 1e-12).tolist():
        rate = rate_interval(float(pos[at]), float(pos[at] + neg[at]), level=level)
        lower[at], upper[at] = rate.lower, rate.upper
    return lower, upper


def _cases_drawn(ranking: Ranking) -> Callable[[np.random.Generator], tuple[Counts, Counts]]:
    sample = sample_of(ranking, where=_WHERE)
    plan = Resampling.of(sample, stratified=False)
    (standing,) = sample.standings.values()
    return lambda rng: Resampled.of(standing, plan.times(rng)).by_segment()
