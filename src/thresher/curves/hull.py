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
    tp, fp = (covered[split] for covered in ranking.covered())
    return Ranking.of_segments(ranking.score[split[1:] - 1], np.diff(tp), np.diff(fp), dropped=ranking.dropped)


def hull_splits(ranking: Ranking, *, pool: Pool = "strict") -> Splits:
    """The splits 0..m of a ranking that lie on its hull.

    >>> hull_splits(Ranking.parse("[2+][1-][1+,1-][1+][3-]")).tolist()
    [0, 1, 4, 5]
    """
    if pool not in ("strict", "ties"):
        raise ArgumentError(f'pool must be "strict" or "ties", got {pool!r}', "hull(ranking, pool=...)", "pick one")
    x, y = exact_points(ranking)
    corner = upper_corners(x, y, _pools(ranking))
    if pool == "ties":
        return corner
    return np.flatnonzero(_height_below(x, y, corner) == 0)


def exact_points(ranking: Ranking) -> tuple[Counts, Counts]:
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


def upper_corners(x: Counts, y: Counts, guess: Splits) -> Splits:
    """Corners of the least concave majorant of points in order of x, starting from a good guess.

    A guess made in floating point may hold a corner too many or lack one; both are mended by
    comparing exactly, so the guess decides the time and not the result.
    """
    corner = _concave(x, y, guess)
    while True:
        below = _height_below(x, y, corner)
        above = np.flatnonzero(below < 0)
        if above.size == 0 or below.dtype.kind == "f":  # floats: what is left is rounding
            return corner
        corner = _concave(x, y, np.union1d(corner, above))


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
    edge = np.diff(corner)
    dx, dy = (np.repeat(np.diff(values[corner]), edge) for values in (x, y))
    x0, y0 = (np.repeat(values[corner[:-1]], edge) for values in (x, y))
    inner = (x[:-1] - x0) * dy - (y[:-1] - y0) * dx
    return np.append(inner, 0)
