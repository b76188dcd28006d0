"""Features one at a time: forward adds the one that helps most, backward removes the one that is missed least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.errors import ArgumentError
from thresher.learning.criteria import DEPENDENT, first_best, gain, ratio
from thresher.learning.scatter_pass import Matrix
from thresher.ranking import Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class SequentialSelection:
    """Positions in the order of adding, or of what is left in rising order, and the criterion after each step."""

    features: Indices
    steps: tuple[float, ...]


def forward_by_ratio(between: Floats, within: Floats, size: int) -> SequentialSelection:
    """Add the feature that makes Σ between / Σ within largest; a step looks once at each feature.

    >>> forward_by_ratio(np.array([8.0, 9.0, 1.0]), np.array([2.0, 9.0, 0.5]), 2)
    SequentialSelection(features=array([0, 2]), steps=(4.0, 3.6))
    """
    outside = np.ones(between.size, dtype=np.bool_)
    chosen, steps, b, w = [], [], 0.0, 0.0
    for _ in range(size):
        value = np.where(outside, ratio(b + between, w + within), -np.inf)
        best = first_best(value, then=between)
        outside[best] = False
        b, w = b + between[best], w + within[best]
        chosen.append(best)
        steps.append(float(value[best]))
    return SequentialSelection(np.array(chosen), tuple(steps))


def backward_by_ratio(between: Floats, within: Floats, size: int) -> SequentialSelection:
    """Remove the feature without which Σ between / Σ within is largest, until `size` are left.

    >>> backward_by_ratio(np.array([8.0, 9.0, 1.0]), np.array([2.0, 9.0, 0.5]), 2)
    SequentialSelection(features=array([0, 2]), steps=(3.6,))
    """
    left, steps = np.arange(between.size), []
    b, w = between, within
    while left.size > size:
        b_without, w_without = _sums_without_each(b), _sums_without_each(w)
        value = ratio(b_without, w_without)
        # Of equally dispensable features the last goes, as of equally good ones the first is taken.
        least = left.size - 1 - first_best(value[::-1], then=b_without[::-1])
        steps.append(float(value[least]))
        left, b, w = np.delete(left, least), np.delete(b, least), np.delete(w, least)
    return SequentialSelection(left, tuple(steps))


def forward_by_trace(within: Matrix, spread: Matrix, size: int) -> SequentialSelection:
    """Add the feature that makes trace(S_W⁻¹ S_B) largest.

    What the features chosen so far explain is taken out of the others once (a pivoted Cholesky factorisation), so a
    step costs p·d and not p solutions of d equations.

    >>> forward_by_trace(np.diag([1.0, 2.0, 1.0]), np.array([[1.0, 2.0, 0.5]]), 2)
    SequentialSelection(features=array([1, 0]), steps=(2.0, 3.0))
    """
    alone, between = np.diagonal(within), np.einsum("kj,kj->j", spread, spread)
    left, apart = alone.copy(), spread.T.copy()
    factor = np.zeros((size, alone.size))
    outside = np.ones(alone.size, dtype=np.bool_)
    chosen, steps, total = [], [], 0.0
    for t in range(size):
        gained, free = gain(apart, left, alone, between)
        best = first_best(np.where(outside, gained, -np.inf), then=between * outside)
        outside[best] = False
        total += gained[best]
        chosen.append(best)
        steps.append(float(total))
        if free[best]:
            pivot = np.sqrt(left[best])
            factor[t] = (within[best] - factor[:t, best] @ factor[:t]) / pivot
            apart -= np.outer(factor[t], apart[best] / pivot)
            left -= factor[t] ** 2
    return SequentialSelection(np.array(chosen), tuple(steps))


def backward_by_trace(within: Matrix, spread: Matrix, size: int) -> SequentialSelection:
    """Remove the feature without which trace(S_W⁻¹ S_B) is largest, until `size` are left.

    With P = S_W⁻¹ and V = P Mᵀ, leaving feature j out lowers the trace by |v_j|²/P_jj and P by p_j p_jᵀ/P_jj, so a step
    costs p² and not p solutions of p equations. That needs an S_W which has an inverse.

    >>> backward_by_trace(np.diag([1.0, 2.0, 1.0]), np.array([[1.0, 2.0, 0.5]]), 2)
    SequentialSelection(features=array([0, 1]), steps=(3.0,))
    """
    alone = np.sqrt(np.diagonal(within))
    if not (alone > 0).all() or np.linalg.eigvalsh(within / np.outer(alone, alone))[0] <= DEPENDENT:
        raise ArgumentError(
            f"the scatter within classes of all {alone.size:,} features has no inverse: some are constant within "
            "classes or combinations of others, or there are fewer rows than features",
            'use search="forward", or leave those features out first',
        )
    inverse = np.linalg.inv(within / np.outer(alone, alone))
    solved = inverse @ (spread / alone).T
    left, total, steps = np.arange(alone.size), float(np.sum(solved * (spread / alone).T)), []
    while left.size > size:
        pivots = np.diagonal(inverse)
        loss = np.einsum("ij,ij->i", solved, solved) / pivots
        least = left.size - 1 - int(np.argmin(loss[::-1]))
        total -= float(loss[least])
        steps.append(total)
        stay = np.arange(left.size) != least
        column = inverse[stay, least] / pivots[least]
        solved = solved[stay] - np.outer(column, solved[least])
        inverse = inverse[np.ix_(stay, stay)] - np.outer(column, inverse[least, stay])
        left = left[stay]
    return SequentialSelection(left, tuple(steps))


def _sums_without_each(value: Floats) -> Floats:
    """For each entry the sum of all others: from both ends, since subtracting it would lose small ones."""
    before, after = np.zeros(value.size), np.zeros(value.size)
    np.cumsum(value[:-1], out=before[1:])
    np.cumsum(value[:0:-1], out=after[-2::-1])
    return before + after
