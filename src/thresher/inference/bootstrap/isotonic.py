"""Isotonic pooling of counts in floating point, fast enough to repeat."""

from __future__ import annotations

import numpy as np

from thresher.ranking import Counts, Floats, Indices, midway


def pools(pos: Counts, neg: Counts) -> tuple[Indices, Indices]:
    """Pools of isotonic regression: non-empty segments, and where pools begin.

    The second array ends with the number of non-empty segments. As `hull_splits(..., pool="ties")` up to rounding:
    neighbours are pooled until the proportion of positives falls from pool to pool. Segments may be empty.

    >>> pools(np.array([2, 0, 0, 1, 1, 0]), np.array([0, 0, 1, 1, 0, 3]))
    (array([0, 2, 3, 4, 5]), array([0, 1, 4, 5]))
    """
    from scipy.optimize import isotonic_regression

    cases = np.add(pos, neg, dtype=np.float64)
    seen = np.flatnonzero(cases)
    weight = cases[seen]
    return seen, isotonic_regression(pos[seen] / weight, weights=weight, increasing=False).blocks


def pooled_impurity(pos: Counts, neg: Counts) -> float:
    """The sum of pos · neg / (pos + neg) over pools: refinement loss times cases."""
    seen, edge = pools(pos, neg)
    if not seen.size:
        return float("nan")
    in_pos, in_neg = (np.add.reduceat(counts[seen], edge[:-1]).astype(np.float64) for counts in (pos, neg))
    return float((in_pos * in_neg / (in_pos + in_neg)).sum())


def pooled_at(score: Floats, pos: Counts, neg: Counts, segment: Indices) -> Floats:
    """The isotonic estimate at the scores of some segments.

    Pools meet midway between their scores; an empty segment belongs to the pool on its side.
    """
    seen, edge = pools(pos, neg)
    in_pos, in_neg = (np.add.reduceat(counts[seen], edge[:-1]) for counts in (pos, neg))
    inner = edge[1:-1]
    step = midway(score[seen[inner - 1]], score[seen[inner]])  # where the map steps and thresholds lie
    pool = np.searchsorted(-step, -score[segment], side="left")
    return in_pos[pool] / (in_pos[pool] + in_neg[pool])
