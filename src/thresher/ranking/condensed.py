"""A long ranking in few segments that keeps what matters: pairs, the hull and so every cheapest split, exactly."""

from __future__ import annotations

import numpy as np

from thresher.ranking.corners import corners_among, on_edges, thinned
from thresher.ranking.counting import Counts
from thresher.ranking.order import Indices
from thresher.ranking.ranking import Ranking
from thresher.ranking.spans import UNKNOWN, Spans

MOST_TIES = 1 << 8
_FITS_INT64 = 2**62


def condensed(ranking: Ranking, *, segments: int) -> Ranking:
    """Pool an exact ranking to about so many segments, with all corners of its hull among the splits.

    The pairs won inside each pool are kept, so the AUC stays exact, and since no corner of the hull is lost, so do the
    choice for any cost, cost curves and the hull itself. Splits on edges of the hull, which tie with its corners, are
    kept unless they are very many. What else depends on the order inside pools is bounded.

    >>> few = condensed(Ranking.parse("[2+][1-][1+,1-][1+][3-][1+][2-]"), segments=2)
    >>> print(few)
    [2+][2+,2-][1+,3-][2-]
    >>> few.spans.won
    array([-1,  1,  0, -1])
    """
    if len(ranking) <= segments or ranking.spans is not None:
        return ranking
    if not ranking.weighted and 2 * ranking.Pos * ranking.Neg >= _FITS_INT64:
        return ranking  # pairs could not be counted
    _, fp = ranking.covered()
    split, ties = _splits(ranking, segments)
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
        ties=ties,
    )
    return Ranking.of_segments(ranking.score[end - 1].copy(), pos, neg, dropped=ranking.dropped, spans=spans)


def _splits(ranking: Ranking, segments: int) -> tuple[Indices, bool]:
    """The splits that stay, and whether all that tie with corners of the hull are among them."""
    x, y = _curve(ranking)
    corner = corners_among(x, y)
    tied = on_edges(x, y, corner)
    most = max(segments, MOST_TIES)
    kept = np.concatenate([[0], corner, thinned(tied, most=most)])
    if segments > 2:
        cases = np.cumsum(ranking.pos + ranking.neg)
        even = np.searchsorted(cases, np.linspace(0, float(cases[-1]), segments + 1)[1:-1])
        kept = np.concatenate([kept, np.clip(even, 1, len(ranking) - 1)])
    return np.unique(kept), tied.size <= most and not ranking.weighted


def _curve(ranking: Ranking) -> tuple[Counts, Counts]:
    """(fp, tp) at every split, of weights in whole numbers of their unit where products of these are exact."""
    whole = ranking.whole()
    fits = whole.weighted or 2 * whole.Pos * whole.Neg < _FITS_INT64
    tp, fp = (whole if fits else ranking).covered()
    return fp, tp


def _ends(ranking: Ranking, counts: np.ndarray, start: Indices) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest score of a class in each pool, NaN where it is absent."""
    score = np.where(counts > 0, ranking.score, np.nan)
    return np.fmin.reduceat(score, start), np.fmax.reduceat(score, start)
