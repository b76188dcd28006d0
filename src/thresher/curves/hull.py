"""The convex hull of a coverage curve, which is also isotonic calibration: pool until the slopes fall."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError
from thresher.ranking import Counts, Ranking, in_pieces, wide

Pool: TypeAlias = Literal["strict", "ties"]
Splits: TypeAlias = npt.NDArray[np.intp]

_FITS_INT64 = 2**62


def hull(ranking: Ranking, *, pool: Pool = "strict") -> Ranking:
    """Pool adjacent segments until the proportion of positives falls from segment to segment.

    "strict" pools only what violates that order, so every split that touches the hull stays a
    split; "ties" also joins neighbours of equal slope, so only the corners stay. A pool carries its
    lowest score, so `score >= threshold` accepts it whole. Whole counts are compared exactly,
    by cross-multiplying integers; weights without a simple unit are compared as floats.

    The edges are the pools of isotonic regression (Fawcett & Niculescu-Mizil 2007).

    >>> from thresher import rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> print(hull(emails))
    [1+][1+][2+,1-][2+,1-][1-][1-]
    >>> print(hull(emails, pool="ties"))
    [2+][4+,2-][2-]
    """
    ranking.require_both_classes("hull(ranking)")
    split = hull_splits(ranking, pool=pool)
    spans = None if ranking.spans is None else ranking.spans.pooled(split[:-1])
    return Ranking.of_segments(ranking.score[split[1:] - 1], *ranking.runs(split), dropped=ranking.dropped, spans=spans)


def hull_splits(ranking: Ranking, *, pool: Pool = "strict") -> Splits:
    """The splits 0..m of a ranking that lie on its hull.

    >>> hull_splits(Ranking.parse("[2+][1-][1+,1-][1+][3-]")).tolist()
    [0, 1, 4, 5]
    """
    if pool not in ("strict", "ties"):
        raise ArgumentError(f'pool must be "strict" or "ties", got {pool!r}', "hull(ranking, pool=...)", "pick one")
    corner, touching = ranking.remembered("hull", lambda: _hull(ranking))
    return corner if pool == "ties" else touching


def upper_corners(x: Counts, y: Counts, guess: Splits) -> Splits:
    """Corners of the least concave majorant of points in order of x, starting from a good guess.

    A guess made in floating point may hold a corner too many or lack one; both are mended by
    comparing exactly, so the guess decides the time and not the result.
    """
    return _mended(x, y, guess)[0]


def _hull(ranking: Ranking) -> tuple[Splits, Splits]:
    """Corners of the hull, and all splits that touch it."""
    ranking = ranking.whole()
    tp, fp = _exact(ranking, *ranking.covered())
    # Only where the slope falls can a corner be; that leaves a small part of a long curve.
    split = np.concatenate([[0], _bends(ranking), [len(ranking)]])
    x, y = fp[split], tp[split]
    corner, below = _mended(x, y, _pools(x, y))
    touching = _with_straight_stretches(fp, tp, split[below == 0])
    corner = split[corner]
    for splits in (corner, touching):
        splits.flags.writeable = False
    return corner, touching


def _bends(ranking: Ranking) -> Splits:
    """Splits after which the slope is lower than before."""

    def bends(piece: slice) -> Splits:
        near = slice(piece.start, piece.stop + 1)
        pos, neg = _exact(ranking, *(wide(counts[near]) for counts in ranking.narrow))
        falls = np.asarray(pos[:-1] * neg[1:] > pos[1:] * neg[:-1], dtype=np.bool_)
        return np.flatnonzero(falls) + (piece.start + 1)

    return np.concatenate([np.empty(0, dtype=np.intp), *in_pieces(bends, len(ranking) - 1)])


def _with_straight_stretches(x: Counts, y: Counts, touching: Splits) -> Splits:
    """Add the splits between touching ones that lie on the same line.

    A split inside an edge touches it only if its neighbours do, so that the first one speaks for all.
    """
    start, end = touching[:-1], touching[1:]
    dx, dy = x[end] - x[start], y[end] - y[start]
    on_line = (x[start + 1] - x[start]) * dy == (y[start + 1] - y[start]) * dx
    stretch = np.asarray(on_line, dtype=np.bool_) & (end - start > 1)
    if not stretch.any():
        return touching
    inside = [np.arange(a + 1, b) for a, b in zip(start[stretch].tolist(), end[stretch].tolist(), strict=True)]
    return np.union1d(touching, np.concatenate(inside))


def _mended(x: Counts, y: Counts, guess: Splits) -> tuple[Splits, npt.NDArray[Any]]:
    corner = _concave(x, y, guess)
    while True:
        below = _height_below(x, y, corner)
        if below.dtype.kind == "f" or not (below < 0).any():  # floats: what is left is rounding
            return corner, below
        corner = _concave(x, y, np.union1d(corner, np.flatnonzero(below < 0)))


def _exact(ranking: Ranking, pos: Counts, neg: Counts) -> tuple[Counts, Counts]:
    """Counts of a ranking in numbers whose products are exact where the counts are whole."""
    if ranking.weighted:
        return pos, neg
    if 2 * int(ranking.Pos) * int(ranking.Neg) >= _FITS_INT64:
        return pos.astype(object), neg.astype(object)
    return pos, neg


def _pools(x: Counts, y: Counts) -> Splits:
    """Places between the pools of isotonic regression, in floating point."""
    from scipy.optimize import isotonic_regression

    pos, neg = (np.diff(values).astype(np.float64) for values in (y, x))
    cases = pos + neg
    seen = cases > 0  # weights may vanish beside others
    fitted = isotonic_regression(pos[seen] / cases[seen], weights=cases[seen], increasing=False)
    place = np.append(np.flatnonzero(seen), cases.size)
    return place[fitted.blocks]


def _concave(x: Counts, y: Counts, split: Splits) -> Splits:
    """Drop splits until every turn is strictly to the right."""
    while split.size > 2:
        dx, dy = np.diff(x[split]), np.diff(y[split])
        # A split on or below the line between two others is no corner, whatever becomes of those two.
        turns_right = np.asarray(dx[1:] * dy[:-1] - dy[1:] * dx[:-1] > 0, dtype=np.bool_)
        if turns_right.all():
            break
        split = split[np.concatenate([[True], turns_right, [True]])]
    return split


def _height_below(x: Counts, y: Counts, corner: Splits) -> npt.NDArray[Any]:
    """How far each split lies below the edge it belongs to, times the edge's width: 0 on the hull."""
    # (x - x0)·dy - (y - y0)·dx, written as x·dy - y·dx minus a constant per edge to save passes.
    dx, dy = np.diff(x[corner]), np.diff(y[corner])
    offset = x[corner[:-1]] * dy - y[corner[:-1]] * dx
    below = np.empty(x.size, dtype=offset.dtype)
    below[-1] = 0
    across, up, base = (np.repeat(values, np.diff(corner)) for values in (dx, dy, offset))
    below[:-1] = x[:-1] * up - y[:-1] * across - base
    return below
