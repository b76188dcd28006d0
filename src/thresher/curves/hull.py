"""The convex hull of a coverage curve, which is isotonic calibration."""

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

    "strict" pools only what violates that order, so every split that touches the hull stays a split; "ties" also joins
    neighbours of equal slope, so only the corners stay. A pool carries its lowest score, so `score >= threshold` takes
    all of it. Whole counts are compared exactly, by cross-multiplying; weights without a simple unit as floats. The
    edges are the pools of isotonic regression (Fawcett & Niculescu-Mizil 2007).

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
    require_ranking(ranking)
    require_one_of(pool, ("strict", "ties"), name="pool")
    corner, touching = ranking.remember("hull", lambda: _hull(ranking))
    return corner if pool == "ties" else touching


def with_hull_of(ranking: Ranking, other: Ranking) -> Ranking:
    """The ranking with the hull of another one that differs only in the class mix.

    Splits that touch the hull do so at any class mix; whole counts decide exactly.

    >>> tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> print(hull(with_hull_of(tree.at_class_ratio(3), tree)))
    [30.0+,2.5-][15.0+,2.5-][30.0+,20.0-]
    """
    if len(ranking) == len(other):
        ranking.remember("hull", lambda: other.remember("hull", lambda: _hull(other)))
    return ranking


def upper_corners(x: Counts, y: Counts, guess: Splits) -> Splits:
    """Corners of the least concave majorant of points in order of x.

    The guess decides the time and not the result: corners too many or too few are mended by comparing exactly.
    """
    return _mend(x, y, guess)[0]


def _hull(ranking: Ranking) -> tuple[Splits, Splits]:
    """Corners of the hull, and all splits that touch it."""
    ranking = ranking.in_units()
    candidates = map_chunks(lambda piece: _candidates(ranking, piece), len(ranking) - 1)
    split = np.concatenate([[0], *candidates, [len(ranking)]])
    x, y = _points(ranking, split)
    corner, below = _mend(x, y, _pools(x, y))
    touching = _with_straight_stretches(ranking, split[below == 0])
    corner = split[corner]
    for splits in (corner, touching):
        splits.flags.writeable = False
    return corner, touching


def _candidates(ranking: Ranking, piece: slice) -> Splits:
    """Splits after which the slope falls, without most that lie below the others."""
    pos, neg = (counts[piece.start : piece.stop + 1] for counts in ranking.narrow)
    if not ranking.weighted:
        squares = np.min_scalar_type(int(max(pos.max(), neg.max())) ** 2)
        pos, neg = pos.astype(squares, copy=False), neg.astype(squares, copy=False)
    before, after = pos[:-1] * neg[1:], pos[1:] * neg[:-1]
    falls = before >= after if ranking.weighted else before > after  # products of very small weights are both 0
    split = np.flatnonzero(falls) + (piece.start + 1)
    x, y = _points(ranking, split)
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
    """Add the splits on the line between touching ones; the first speaks for all."""
    x, y = _points(ranking, touching)
    next_x, next_y = _points(ranking, touching[:-1] + 1)
    on_line = (next_x - x[:-1]) * np.diff(y) == (next_y - y[:-1]) * np.diff(x)
    stretch = np.asarray(on_line, dtype=np.bool_) & (np.diff(touching) > 1)
    ends = zip(touching[:-1][stretch].tolist(), touching[1:][stretch].tolist(), strict=True)
    return np.union1d(touching, np.concatenate([touching[:0], *(np.arange(a + 1, b) for a, b in ends)]))


def _points(ranking: Ranking, split: Splits) -> tuple[Counts, Counts]:
    """The points (fp, tp) of some splits; products of whole ones are exact."""
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
    corner: Splits = place[fitted.blocks]
    corner[0] = 0  # the first weights may vanish, too
    return corner


def _mend(x: Counts, y: Counts, guess: Splits) -> tuple[Splits, npt.NDArray[Any]]:
    """Corners, and how far each split lies below its edge, times the edge's width."""
    corner = _concave(x, y, guess)
    while True:
        # (x - x0)·dy - (y - y0)·dx, written as x·dy - y·dx minus a constant per edge to save passes.
        dx, dy = np.diff(x[corner]), np.diff(y[corner])
        offset = x[corner[:-1]] * dy - y[corner[:-1]] * dx
        across, up, base = (np.repeat(values, np.diff(corner)) for values in (dx, dy, offset))
        below = np.append(x[:-1] * up - y[:-1] * across - base, offset.dtype.type(0))
        if below.dtype.kind == "f" or not (below < 0).any():  # floats: what is left is rounding
            return corner, below
        corner = _concave(x, y, np.union1d(corner, np.flatnonzero(below < 0)))


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
