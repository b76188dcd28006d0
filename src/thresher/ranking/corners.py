"""Which points of a rising curve matter to costs: the corners of its hull, and the points on the edges between them."""

from __future__ import annotations

import numpy as np

from thresher.ranking.counting import Counts
from thresher.ranking.order import Indices

_ROUNDS = 200
_SLACK = 2.0**-49  # a product of two differences of sums rounds by less


def corners_among(x: Counts, y: Counts) -> Indices:
    """Points among which all corners of the hull are, and few others: those that no line between two others passes.

    Sums of weights round, so of those also points stay that are as near to such a line as that. Of points that are
    alike, as where a weight vanishes beside the sum before it, one stays, for none of them turns.

    >>> corners_among(np.array([0, 1, 1, 2, 4]), np.array([0, 0, 2, 3, 3]))
    array([0, 2, 3, 4])
    """
    kept = _distinct(x, y)
    slack = 1 - _SLACK if x.dtype.kind == "f" else 1
    for _ in range(_ROUNDS):
        dx, dy = np.diff(x[kept]), np.diff(y[kept])
        before, after = dx[1:] * dy[:-1], dy[1:] * dx[:-1]
        turns = (before > after * slack) & (before != after)
        if turns.all():
            break
        kept = kept[np.concatenate([[True], turns, [True]])]
    return kept


def _distinct(x: Counts, y: Counts) -> Indices:
    """The first and the last point, and between them those that differ from the one before."""
    moves = np.flatnonzero((np.diff(x) != 0) | (np.diff(y) != 0)) + 1
    return np.unique(np.concatenate([[0], moves[:-1], [x.size - 1]]))


def on_edges(x: Counts, y: Counts, corner: Indices) -> Indices:
    """Points on the line between two corners: at the costs for which these tie, so do the points.

    Along edges that run straight up or straight to the right no two points cost the same, so theirs are left out.

    >>> on_edges(np.array([0, 0, 1, 1, 2, 4]), np.array([1, 2, 2, 3, 4, 4]), np.array([0, 1, 4, 5]))
    array([3])
    """
    dx, dy = np.diff(x[corner]), np.diff(y[corner])
    inside = np.where((dx > 0) & (dy > 0), np.diff(corner) - 1, 0)
    edge = np.repeat(np.arange(inside.size), inside)
    start = corner[edge]
    at = start + 1 + np.arange(edge.size) - np.repeat(np.cumsum(inside) - inside, inside)
    on = (x[at] - x[start]) * dy[edge] == (y[at] - y[start]) * dx[edge]
    found: Indices = at[on]
    return found


def thinned(points: Indices, *, most: int) -> Indices:
    """The points, or as many as are allowed in even steps.

    >>> thinned(np.arange(10), most=4)
    array([0, 3, 6, 9])
    """
    if points.size <= most:
        return points
    found: Indices = points[np.linspace(0, points.size - 1, most).astype(np.int64)]
    return found
