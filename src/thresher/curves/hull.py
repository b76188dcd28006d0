"""The convex hull of a coverage curve, which is also isotonic calibration: pool until the slopes fall."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError
from thresher.ranking import Counts, Ranking

Pool: TypeAlias = Literal["strict", "ties"]
Splits: TypeAlias = npt.NDArray[np.intp]

_FITS_INT64 = 2**62
_FEW_EDGES = 1 / 200  # edges this much longer than a loop's step are walked one by one, which is twice as fast


def hull(ranking: Ranking, *, pool: Pool = "strict") -> Ranking:
    """Pool adjacent segments until the proportion of positives falls from segment to segment.

    "strict" pools only what violates that order, so every split that touches the hull stays a
    split; "ties" also joins neighbours of equal slope, so only the corners stay. A pool carries its
    lowest score, so `score >= threshold` accepts it whole. Whole counts are compared exactly,
    by cross-multiplying integers; weights that are not whole are compared as floats.

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
    pos, neg = (np.add.reduceat(counts, split[:-1]) for counts in (ranking.pos, ranking.neg))
    return Ranking.of_segments(ranking.score[split[1:] - 1], pos, neg, dropped=ranking.dropped)


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
    x, y = _exact_points(ranking)
    corner, below = _mended(x, y, _pools(ranking))
    touching = np.flatnonzero(below == 0)
    for splits in (corner, touching):
        splits.flags.writeable = False
    return corner, touching


def _mended(x: Counts, y: Counts, guess: Splits) -> tuple[Splits, npt.NDArray[Any]]:
    corner = _concave(x, y, guess)
    while True:
        below = _height_below(x, y, corner)
        if below.dtype.kind == "f" or not (below < 0).any():  # floats: what is left is rounding
            return corner, below
        corner = _concave(x, y, np.union1d(corner, np.flatnonzero(below < 0)))


def _exact_points(ranking: Ranking) -> tuple[Counts, Counts]:
    """(fp, tp) at every split in numbers whose products are exact where the counts are whole."""
    tp, fp = ranking.covered()
    if ranking.weighted:
        whole = ranking.total < _FITS_INT64 and not (np.mod(tp, 1).any() or np.mod(fp, 1).any())
        if not whole:
            return fp, tp
        tp, fp = tp.astype(np.int64), fp.astype(np.int64)
    if 2 * int(ranking.Pos) * int(ranking.Neg) >= _FITS_INT64:
        return fp.astype(object), tp.astype(object)
    return fp, tp


def _pools(ranking: Ranking) -> Splits:
    """Splits between the pools of isotonic regression, in floating point."""
    from scipy.optimize import isotonic_regression

    cases = ranking.pos + ranking.neg
    fitted = isotonic_regression(ranking.pos / cases, weights=cases, increasing=False)
    return np.asarray(fitted.blocks, dtype=np.intp)


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
    if corner.size < _FEW_EDGES * x.size:
        for start, end, across, up, base in zip(corner[:-1], corner[1:], dx, dy, offset, strict=True):
            inside = below[start:end]
            np.multiply(x[start:end], up, out=inside)
            inside -= y[start:end] * across
            inside -= base
        return below
    across, up, base = (np.repeat(values, np.diff(corner)) for values in (dx, dy, offset))
    below[:-1] = x[:-1] * up - y[:-1] * across - base
    return below
