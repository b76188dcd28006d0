"""A ranking's curve as the page keeps it: exact for small data, else thinned with every corner of the hull."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.curves import thinned
from thresher.curves.hull import Splits, hull_splits
from thresher.ranking import Floats, Ranking
from thresher.report.numbers import reals, shortest_between

POINTS = 2200
EXACT = 600
_POINTS_FOR_HULL = 8000


def curve(ranking: Ranking, *, keep: int | None = None, points: int = POINTS) -> dict[str, Any]:
    """Counts and thresholds of the splits that are kept, and which of them are corners of the hull.

    Up to 600 splits are all kept, with their thresholds midway between scores. Of more, at most `points` are kept
    that look the same, each with the shortest threshold that makes its calls. `keep` is a split that
    must be among them: the one that was chosen.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> found = curve(spam_tree)
    >>> found["tp"], found["fp"], found["threshold"], found["lowest"], found["hull"]
    ([0, 20, 30, 50], [0, 5, 10, 50], ['inf', 1.5, 0.0, '-inf'], ['inf', 2.0, 1.0, -1.0], [0, 1, 2, 3])
    """
    corners = hull_splits(ranking, pool="ties")
    every = len(ranking) + 1
    if every <= min(EXACT, points):
        split: Splits = np.arange(every)
        deviation = 0.0
        threshold, lowest = ranking.thresholds(), np.concatenate([[np.inf], ranking.score])
    else:
        # The optimum under any condition is a corner, so corners come before the budget of points.
        room = max(points, min(2 * corners.size, _POINTS_FOR_HULL))
        thin = thinned(ranking, points=min(room, every))
        split, deviation = _with(thin.split, keep), thin.deviation
        threshold, lowest = _short(ranking, split)
    tp, fp = (covered[split] for covered in ranking.covered())
    return {
        "exact": split.size == every,
        "splits": every,
        "deviation": float(f"{deviation:.3g}"),
        "threshold": reals(threshold),
        "lowest": reals(lowest),
        "tp": tp.tolist(),
        "fp": fp.tolist(),
        "hull": np.flatnonzero(np.isin(split, corners)).tolist(),
    }


def _with(split: Splits, keep: int | None) -> Splits:
    if keep is None:
        return split
    place = int(np.searchsorted(split, keep))
    return split if split[place] == keep else np.insert(split, place, keep)


def _short(ranking: Ranking, split: Splits) -> tuple[Floats, Floats]:
    """Short thresholds of splits, and short numbers in place of each split's lowest score that make the same calls."""
    upper = np.concatenate([[np.inf], ranking.score])[split]
    lower = np.concatenate([ranking.score, [-np.inf]])[split]
    short = shortest_between(lower, ranking.thresholds()[split], upper)
    lowest = short.copy()
    lowest[-1] = ranking.score[-1]
    return short, lowest
