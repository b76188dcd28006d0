"""How the scores of each class are distributed, for the panel of scores by class."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.ranking import Floats, Ranking
from thresher.report.numbers import rounded

BARS = 40
_FAR = 1e300  # beyond it differences and their multiples leave what numbers can hold
_NEAR = 1e-300  # and below it they vanish


def distribution(ranking: Ranking, *, bars: int = BARS) -> dict[str, Any]:
    """Positives and negatives in bars of equal width; a score on an edge belongs to the bar above it.

    Probabilities are shown over [0, 1], other scores over the range of the finite ones; infinite scores (and those
    beyond 1e300) count in the outermost bars. Scores closer than 1e-300 to each other share a place.

    >>> found = distribution(Ranking([0.9, 0.25, 0.1], pos=[2, 1, 0], neg=[0, 1, 3]), bars=4)
    >>> found["edges"], found["pos"], found["neg"]
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0, 1, 0, 2], [3, 1, 0, 0])
    """
    edges = np.linspace(*_ends(ranking.score), bars + 1)
    # How many segments lie at or above each inner edge; scores fall, so every bar is a run of segments.
    above = len(ranking) - np.searchsorted(ranking.score[::-1], edges[1:-1], side="left")
    split = np.concatenate([[len(ranking)], above, [0]])
    sides = (covered[split[:-1]] - covered[split[1:]] for covered in ranking.covered())
    pos, neg = (side.tolist() if side.dtype.kind == "i" else rounded(side) for side in sides)
    return {"edges": rounded(edges), "pos": pos, "neg": neg}


def _ends(score: Floats) -> tuple[float, float]:
    finite = score[np.isfinite(score)]
    if not finite.size:
        return -1.0, 1.0
    low, high = np.clip([finite.min(), finite.max()], -_FAR, _FAR).tolist()
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    half = max(abs(low), 1.0) / 2
    return (low - half, high + half) if high - low < _NEAR else (low, high)
