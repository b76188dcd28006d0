"""Candidate splits: the few hundred of a ranking at which resamples decide, where there are more."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.curves import hull_splits
from thresher.ranking import Floats, Indices, Ranking

MOST_CANDIDATES = 256


class Candidates(NamedTuple):
    """Splits by falling threshold, the first and the last among them, and which of them resamples choose from.

    The hull's corners are where the data are at their best. A resample that could choose among these and few others
    would be steered to what suits the very rows it left out, and its threshold would look better on them than it is.
    So where some splits are left out, resamples choose among those at even steps along the curve.
    """

    split: Indices
    free: Indices


def candidate_splits(ranking: Ranking) -> Candidates:
    """All splits, or as many as are allowed: corners of the hull, at most half of them, and even steps along the curve.

    >>> candidate_splits(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    Candidates(split=array([0, 1, 2, 3]), free=array([0, 1, 2, 3]))
    """
    every = np.arange(len(ranking) + 1)
    if every.size <= MOST_CANDIDATES:
        return Candidates(every, every)
    tp, fp = ranking.covered()
    along = tp / ranking.Pos + fp / ranking.Neg
    corner = hull_splits(ranking, pool="ties")
    if corner.size > MOST_CANDIDATES // 2:
        corner = corner[_even_steps(along[corner], MOST_CANDIDATES // 2)]
    even = _even_steps(along, MOST_CANDIDATES - corner.size)
    split = np.union1d(corner, even)
    return Candidates(split, np.searchsorted(split, even))


def _even_steps(along: Floats, steps: int) -> Indices:
    """Places at even steps from 0 to 2, the first and the last among them however the sums of weights round."""
    found = np.searchsorted(along, np.linspace(0, 2, steps)).clip(max=along.size - 1)
    found[-1] = along.size - 1
    return found[np.diff(found, prepend=-1) > 0]
