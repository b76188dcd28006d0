"""A long ranking in few segments that keeps what matters: pairs, the hull and so every cheapest split, exactly."""

from __future__ import annotations

import numpy as np

from thresher.ranking.order import Indices
from thresher.ranking.ranking import Ranking
from thresher.ranking.spans import UNKNOWN, Spans

_ROUNDS = 200


def condensed(ranking: Ranking, *, segments: int) -> Ranking:
    """Pool an exact ranking to about so many segments, with all corners of its hull among the splits.

    The pairs won inside each pool are kept, so the AUC stays exact, and since no corner of the hull is lost, so do the
    choice for any cost, cost curves and the hull itself. What else depends on the order inside pools is bounded.

    >>> few = condensed(Ranking.parse("[2+][1-][1+,1-][1+][3-][1+][2-]"), segments=2)
    >>> print(few)
    [2+][2+,2-][1+,3-][2-]
    >>> few.spans.won
    array([-1,  1,  0, -1])
    """
    if len(ranking) <= segments or ranking.spans is not None:
        return ranking
    _, fp = ranking.covered()
    cases = np.cumsum(ranking.pos + ranking.neg)
    even = np.searchsorted(cases, np.linspace(0, float(cases[-1]), segments + 1)[1:-1])
    split = np.union1d(_corners(ranking), np.clip(even, 1, len(ranking) - 1)) if segments > 2 else _corners(ranking)
    start, end = split[:-1], split[1:]
    pool = np.repeat(np.arange(start.size), end - start)
    inside = ranking.pos * (ranking.neg + 2 * (fp[end][pool] - fp[1:]))
    pos, neg = (np.add.reduceat(counts, start) for counts in (ranking.pos, ranking.neg))
    mixed = (pos > 0) & (neg > 0) & (end - start > 1)
    spans = Spans(
        *_ends(ranking, ranking.pos, start),
        *_ends(ranking, ranking.neg, start),
        won=np.where(mixed, np.add.reduceat(inside, start), UNKNOWN),
        corners=True,
    )
    return Ranking.of_segments(ranking.score[end - 1].copy(), pos, neg, dropped=ranking.dropped, spans=spans)


def _ends(ranking: Ranking, counts: np.ndarray, start: Indices) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest score of a class in each pool, NaN where it is absent."""
    score = np.where(counts > 0, ranking.score, np.nan)
    return np.fmin.reduceat(score, start), np.fmax.reduceat(score, start)


def _corners(ranking: Ranking) -> Indices:
    """Splits among which all corners of the hull are: those that no line between two others passes."""
    tp, fp = ranking.covered()
    split = np.arange(len(ranking) + 1)
    for _ in range(_ROUNDS):
        dx, dy = np.diff(fp[split]), np.diff(tp[split])
        turns = dx[1:] * dy[:-1] > dy[1:] * dx[:-1]
        if turns.all():
            break
        split = split[np.concatenate([[True], turns, [True]])]
    return split
