"""The convex hull of a coverage curve, which is also isotonic calibration: pool until the slopes fall."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_one_of
from thresher._internal.parallel import map_chunks
from thresher.ranking import Counts, Ranking, merge_at, require_ranking

Pool: TypeAlias = Literal["strict", "ties"]
Splits: TypeAlias = npt.NDArray[np.intp]

_FITS_INT64 = 2**62
_FEW = 256  # of which the exact search makes short work
_MOST_LEFT = 0.8  # of the splits: dropping fewer at a time is slower than the search itself


def hull(ranking: Ranking, *, pool: Pool = "strict") -> Ranking:
    """Pool adjacent segments until the proportion of positives falls throughout.

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
    require_ranking(ranking, both_classes=True)
    return merge_at(ranking, hull_splits(ranking, pool=pool))


def hull_splits(ranking: Ranking, *, pool: Pool = "strict") -> Splits:
    """The splits 0..m of a ranking that lie on its hull.

    >>> hull_splits(Ranking.parse("[2+][1-][1+,1-][1+][3-]")).tolist()
    [0, 1, 4, 5]
    """
    require_one_of(pool, ("strict", "ties"), name="pool")
    corner, touching = ranking.remember("hull", lambda: _hull(ranking))
    return corner if pool == "ties" else touching


def with_hull_of(ranking: Ranking, other: Ranking) -> Ranking:
    """The ranking with the hull of another one, of the same segments but for what their classes weigh.

    Splits that touch the hull do so at any class mix; whole counts find them exactly.

    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> print(hull(with_hull_of(tree.at_class_ratio(3), tree)))
    [30.0+,2.5-][15.0+,2.5-][30.0+,20.0-]
    """
    if len(ranking) == len(other):
        ranking.remember("hull", lambda: other.remember("hull", lambda: _hull(other)))
    return ranking


def upper_corners(x: Counts, y: Counts, guess: Splits) -> Splits:
    """Corners of the least concave majorant of points in order of x, starting from a good guess.

    A guess made in floating point may hold a corner too many or lack one; both are mended by
    comparing exactly, so the guess decides the time and not the result.
    """
    return _mended(x, y, guess)[0]


def _hull(ranking: Ranking) -> tuple[Splits, Splits]:
    """Corners of the hull, and all splits that touch it."""
    ranking = ranking.in_units()

    def high(piece: slice) -> Splits:
        return _high(ranking, _bends(ranking, piece))

    split = np.concatenate([[0], *map_chunks(high, len(ranking) - 1), [len(ranking)]])
    x, y = _reached(ranking, split)
    corner, below = _mended(x, y, _pools(x, y))
    touching = _with_straight_stretches(ranking, split[below == 0])
    corner = split[corner]
    for splits in (corner, touching):
        splits.flags.writeable = False
    return corner, touching


def _bends(ranking: Ranking, piece: slice) -> Splits:
    """Splits after which the slope is lower than before: only there can a corner be."""
    pos, neg = (counts[piece.start : piece.stop + 1] for counts in ranking.narrow)
    if not ranking.weighted:
        squares = np.min_scalar_type(int(max(pos.max(), neg.max())) ** 2)
        pos, neg = pos.astype(squares, copy=False), neg.astype(squares, copy=False)
    before, after = pos[:-1] * neg[1:], pos[1:] * neg[:-1]
    falls = before >= after if ranking.weighted else before > after  # products of very small weights are both 0
    return np.flatnonzero(falls) + (piece.start + 1)


def _high(ranking: Ranking, split: Splits) -> Splits:
    """Without most splits that lie below the line between two others, which therefore do not touch the hull."""
    x, y = _reached(ranking, split)
    while split.size > _FEW:
        dx, dy = np.diff(x), np.diff(y)
        high = np.ones(split.size, dtype=np.bool_)
        high[1:-1] = dx[1:] * dy[:-1] >= dy[1:] * dx[:-1]
        stays = np.flatnonzero(high)  # three times as quick as indexing by flags
        if stays.size > _MOST_LEFT * split.size:
            break
        split, x, y = split[stays], x[stays], y[stays]
    return split


def _with_straight_stretches(ranking: Ranking, touching: Splits) -> Splits:
    """Add the splits between touching ones that lie on the same line.

    A split inside an edge touches it only if its neighbours do, so that the first one speaks for all.
    """
    x, y = _reached(ranking, touching)
    next_x, next_y = _reached(ranking, touching[:-1] + 1)
    on_line = (next_x - x[:-1]) * np.diff(y) == (next_y - y[:-1]) * np.diff(x)
    start, end = touching[:-1], touching[1:]
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


def _reached(ranking: Ranking, split: Splits) -> tuple[Counts, Counts]:
    """(fp, tp) at some splits, in numbers whose products are exact where the counts are whole."""
    tp, fp = (covered[split] for covered in ranking.covered())
    if not ranking.weighted and 2 * int(ranking.Pos) * int(ranking.Neg) >= _FITS_INT64:
        return fp.astype(object), tp.astype(object)
    return fp, tp


def _pools(x: Counts, y: Counts) -> Splits:
    """Places between the pools of isotonic regression, in floating point."""
    from scipy.optimize import isotonic_regression

    pos, neg = (np.diff(values).astype(np.float64) for values in (y, x))
    if x.dtype.kind == "f":  # classes that weigh very differently would round each other away; the hull is the same
        pos, neg = (part / part.sum() if part.any() else part for part in (pos, neg))
    cases = pos + neg
    seen = cases > 0  # weights may vanish in sums
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
