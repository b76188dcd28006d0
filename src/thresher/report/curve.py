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

    Up to 600 splits have their thresholds midway between scores; of more, each has the shortest threshold that makes
    its calls. At most `points` splits are kept (or twice the corners), that look like all. `keep` is a
    split that must be among them: the one that was chosen.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> found = curve(spam_tree)
    >>> found["tp"], found["fp"], found["threshold"], found["lowest"], found["hull"]
    ([0, 20, 30, 50], [0, 5, 10, 50], ['inf', 1.5, 0.0, '-inf'], ['inf', 2.0, 1.0, -1.0], [0, 1, 2, 3])
    """
    corners = hull_splits(ranking, pool="ties")
    every = len(ranking) + 1
    # The optimum under any condition is a corner, so corners come before the budget of points.
    thin = thinned(ranking, points=max(points, min(2 * corners.size, _POINTS_FOR_HULL)))
    split = _with(thin.split, keep)
    lowest = np.concatenate([[np.inf], ranking.score])[split]
    threshold = ranking.thresholds()[split] if every <= EXACT else _short(ranking, split)
    if split.size < every:
        # Any number between the scores on either side makes the same calls; the exact score would take much room.
        lowest = np.append(threshold[:-1], lowest[-1])
    tp, fp = (covered[split] for covered in ranking.covered())
    return {
        "exact": split.size == every,
        "splits": every,
        "deviation": float(f"{thin.deviation:.3g}"),
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


def _short(ranking: Ranking, split: Splits) -> Floats:
    """The shortest threshold of each split."""
    upper = np.concatenate([[np.inf], ranking.score])[split]
    lower = np.concatenate([ranking.score, [-np.inf]])[split]
    return shortest_between(lower, ranking.thresholds()[split], upper)
