"""The best d features by J, exactly: Dinkelbach's iteration instead of trying every subset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.learning.criteria import ratio
from thresher.ranking import Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class ExactSelection:
    """The chosen positions, rising, and J after each step of the iteration."""

    features: Indices
    steps: tuple[float, ...]


def exact_selection(between: Floats, within: Floats, size: int) -> ExactSelection:
    """The subset of `size` features with the largest Σ between / Σ within.

    J of a subset is a ratio of sums over its features. For a guess λ of the best ratio, the subset with the largest
    Σ (b - λ w) is simply the `size` largest terms; its own ratio is the next λ, which rises until it is the optimum
    (Dinkelbach 1967, "On nonlinear fractional programming"). It rises strictly over finitely many subsets, so it ends,
    and it converges faster than linearly, so it ends after a handful of steps.

    When `size` features without scatter within classes separate at least some classes, J is infinite, and those with
    the largest scatter between are taken. Of equal terms the earlier feature is taken.

    >>> best = exact_selection(np.array([8.0, 9.0, 1.0]), np.array([2.0, 9.0, 0.5]), 2)
    >>> best.features, best.steps
    (array([0, 2]), (3.6,))
    """
    flat = np.flatnonzero(within == 0)
    if flat.size >= size and (between[flat] > 0).any():
        return ExactSelection(np.sort(flat[largest(between[flat], size)]), (float("inf"),))
    chosen = largest(ratio(between, within), size)
    reached = _ratio_of(between, within, chosen)
    steps = [reached]
    while np.isfinite(reached):
        with np.errstate(over="ignore"):  # a term that low is not among the largest
            following = largest(between - reached * within, size)
        value = _ratio_of(between, within, following)
        if value >= reached:
            # At the optimum this is the subset that ties prefer, whatever the iteration started from.
            chosen = following
        if not value > reached:
            break
        reached = value
        steps.append(reached)
    return ExactSelection(np.sort(chosen), tuple(steps))


def largest(value: Floats, size: int) -> Indices:
    """Positions of the largest values, falling; of equal ones the earlier.

    >>> largest(np.array([1.0, 3.0, 3.0, 2.0]), 3)
    array([1, 2, 3])
    """
    return np.argsort(-value, kind="stable")[:size]


def _ratio_of(between: Floats, within: Floats, chosen: Indices) -> float:
    # Summed in rising order, so that a subset has one ratio however it was found.
    inside = np.sort(chosen)
    return float(ratio(between[inside].sum(), within[inside].sum()))
