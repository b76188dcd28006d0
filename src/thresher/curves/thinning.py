"""Fewer points for the same picture: thin a curve and say how far it may be off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher._internal.arguments import require_integer
from thresher._internal.results import Tabular
from thresher.curves.hull import Splits, hull_splits
from thresher.ranking import Floats, Ranking, require_ranking

_CANDIDATES_PER_POINT = 16


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Thinned(Tabular):
    """Splits to keep, and how far any other ROC point is from the thinned curve.

    `keeps_hull` says that every corner of the hull is among them, so that the optimum under any
    costs and class ratio is still exact.
    """

    split: Splits
    deviation: float
    keeps_hull: bool


def thin(ranking: Ranking, *, points: int = 4000) -> Thinned:
    """Choose at most `points` splits whose ROC curve is close to that of all.

    The corners of the hull come first, then wherever the curve is farthest off. The
    deviation is measured over every split, not estimated; ROC space has sides of length 1.

    >>> few = thin(Ranking.parse("[3+][1+,1-][1-][1+][2-]"), points=4)
    >>> few.split.tolist(), round(few.deviation, 4), few.keeps_hull
    ([0, 1, 4, 5], 0.1562, True)
    """
    require_ranking(ranking, both_classes=True)
    points = require_integer(points, name="points", least=2, fix="give e.g. 500")
    every = len(ranking) + 1
    if every <= points:
        return Thinned(np.arange(every), 0.0, keeps_hull=True)
    tp, fp = ranking.covered()
    x, y = fp / ranking.Neg, tp / ranking.Pos
    corner = hull_splits(ranking, pool="ties")
    steps = np.linspace(0, 2, _CANDIDATES_PER_POINT * points)
    evenly = np.searchsorted(x + y, steps).clip(max=x.size - 1)  # x + y grows along the curve
    candidate = np.union1d(corner, evenly)
    keeps_hull = corner.size <= points
    start = np.flatnonzero(np.isin(candidate, corner)) if keeps_hull else np.array([0, candidate.size - 1])
    split = candidate[_refine(x[candidate], y[candidate], start, points)]
    return Thinned(split, float(_distance(x, y, split).max(initial=0.0)), keeps_hull)


def _refine(x: Floats, y: Floats, split: Splits, points: int) -> Splits:
    """Add the farthest point of every piece, round by round, up to `points` in all."""
    while split.size < points:
        distance = _distance(x, y, split)
        worst = np.maximum.reduceat(distance, split[:-1])
        is_worst = (distance == np.repeat(worst, np.diff(split))) & (distance > 0)
        _, first = np.unique(np.repeat(np.arange(worst.size), np.diff(split))[is_worst], return_index=True)
        candidate = np.flatnonzero(is_worst)[first]
        if not candidate.size:
            break
        # Half of what is left goes to this round's worst, so that later rounds still have a say.
        share = max(1, (points - split.size + 1) // 2)
        farthest = np.argsort(distance[candidate], kind="stable")[::-1][:share]
        split = np.union1d(split, candidate[farthest])
    return split


def _distance(x: Floats, y: Floats, split: Splits) -> Floats:
    """Distance of every point but the last from the chord of the piece it lies in."""
    size = np.diff(split)
    dx, dy = np.diff(x[split]), np.diff(y[split])
    length = np.hypot(dx, dy)
    across_x, across_y = (np.repeat(side / length, size) for side in (dx, dy))
    x0, y0 = (np.repeat(values[split[:-1]], size) for values in (x, y))
    return np.abs((y[:-1] - y0) * across_x - (x[:-1] - x0) * across_y)
