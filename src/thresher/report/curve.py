"""A ranking's curve as the page keeps it: exact for small data, else thinned with every corner of the hull."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.curves import thinned
from thresher.curves.hull import Splits, hull_splits
from thresher.ranking import Floats, Ranking
from thresher.ranking.thresholds import shortest_between
from thresher.report.numbers import reals

POINTS = 2200
EXACT = 600
EVEN = 400
_POINTS_FOR_HULL = 8000
_PERCENT = np.arange(1, 100) / 100


def curve(ranking: Ranking, *, keep: int | None = None, points: int = POINTS) -> dict[str, Any]:
    """Counts and thresholds of the splits that are kept, and which of them are corners of the hull.

    Up to 600 splits have their thresholds midway between scores; of more, each has the shortest threshold that makes
    its calls. At most `points` splits are kept (or twice the corners): some that look like all, and some evenly spaced
    by rank, because a straight run of the curve looks the same without its splits and yet people set thresholds in it.
    Where scores are probabilities and room is not short, every whole percent is kept. `keep` is a split that must be
    among them: the one that was chosen.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> found = curve(spam_tree)
    >>> found["tp"], found["fp"], found["threshold"], found["lowest"], found["hull"]
    ([0, 20, 30, 50], [0, 5, 10, 50], ['inf', 1.5, 0.0, '-inf'], ['inf', 2.0, 1.0, -1.0], [0, 1, 2, 3])
    """
    corners = hull_splits(ranking, pool="ties")
    every = len(ranking) + 1
    split: Splits = np.arange(every)
    deviation = 0.0
    if every > points:
        reached = _reached(ranking, even=min(EVEN, points // 5))
        # The optimum under any condition is a corner, so corners come before the budget of points.
        room = max(points - reached.size, min(2 * corners.size, _POINTS_FOR_HULL))
        thin = thinned(ranking, points=room)
        split, deviation = np.union1d(thin.split, reached), thin.deviation
    if keep is not None:
        split = np.union1d(split, [keep])
    lowest = np.concatenate([[np.inf], ranking.score])[split]
    threshold = ranking.thresholds()[split] if every <= EXACT else _short(ranking, split)
    if split.size < every:
        # Any number between the scores on either side makes the same calls; the exact score would take much room.
        # Of the outermost ones it is kept: beyond them no case or every case is called positive.
        lowest = np.concatenate([lowest[:2], threshold[2:-1], lowest[-1:]])
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


def _reached(ranking: Ranking, *, even: int) -> Splits:
    """Splits that thresholds set by hand come near: evenly spaced by rank on either side of ties, and the percents."""
    tp, fp = ranking.covered()
    cases = tp + fp
    after = np.searchsorted(cases, np.linspace(0, cases[-1], even + 1)[1:])
    ends = [0, 1, len(ranking) - 1, len(ranking)]
    found: Splits = np.union1d(ends, np.concatenate([after - 1, np.minimum(after, len(ranking))]))
    percents = even == EVEN and _has_probabilities(ranking)
    return np.union1d(found, _percent_splits(ranking)) if percents else found


def _has_probabilities(ranking: Ranking) -> bool:
    return bool(ranking.score[0] <= 1 and ranking.score[-1] >= 0)


def _percent_splits(ranking: Ranking) -> Splits:
    return len(ranking) - np.searchsorted(ranking.score[::-1], _PERCENT, side="left")


def _short(ranking: Ranking, split: Splits) -> Floats:
    """The shortest threshold of each split; whole percents where scores are probabilities, as people write them."""
    upper = np.concatenate([[np.inf], ranking.score])[split]
    lower = np.concatenate([ranking.score, [-np.inf]])[split]
    found = shortest_between(lower, ranking.thresholds()[split], upper)
    if _has_probabilities(ranking):
        at = _percent_splits(ranking)
        place = np.minimum(np.searchsorted(split, at), split.size - 1)
        kept = split[place] == at
        found[place[kept]] = _PERCENT[kept]
    return found
