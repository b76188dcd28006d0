"""Limits of a function of counts: the score test of all cells, inverted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from thresher.inference.interval import normal_quantile
from thresher.ranking import Floats

# The values of tables, each a row of cells, and their derivatives by each cell.
OfTables: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
_STEPS = 500
_SMALLEST_STEP = 1e-3
_NO_GAIN = 1e-13
_NO_TURN = 1e-6  # a direction so near to the best one costs a millionth of a millionth
_CELLS_OF_TWO_CLASSES = 4
_HALF_A_CASE = 0.5  # where slopes are taken first: no cell is empty there, so none is infinite


def score_limits(
    function: OfTables, cases: Floats, *, level: float, unit: Floats | None = None
) -> tuple[Floats, Floats]:
    """The least and the most a function is on tables that the score test accepts.

    Cells count independent cases (x), and the test accepts expected counts (m) where the sum of (x - m)² / m is at
    most z², as for one number asked about (a profile). So a cell may move by t deviations to m = (√(x + t²/4) + t/2)²,
    the score limit of a Poisson count, and the squares of all t add up to z². An empty cell moves too, which no
    derivative shows. For one rate the limits are Wilson's (1927) with z² (1 + z² / 4n) in place of z²; for differences
    and ratios of rates they come close to those of Mee (1984), Koopman (1984) and MOVER (Newcombe 1998, Zou & Donner
    2008, Donner & Zou 2012).

    `cases` holds a table per row. The function must not change when all cells of a table grow alike, since a sample
    with a fixed total is then one of independent cells. `unit` is the weight of one case of each cell.

    >>> def difference(cells):
    ...     first, second = cells[:, :2].sum(axis=1), cells[:, 2:].sum(axis=1)
    ...     slopes = cells[:, 1] / first**2, -cells[:, 0] / first**2, -cells[:, 3] / second**2, cells[:, 2] / second**2
    ...     return cells[:, 0] / first - cells[:, 2] / second, np.stack(slopes, axis=1)
    >>> lower, upper = score_limits(difference, np.array([[56.0, 14.0, 48.0, 32.0]]), level=0.95)
    >>> lower.round(3), upper.round(3)  # Newcombe: 0.052 and 0.334, Mee: 0.053 and 0.338
    (array([0.052]), array([0.338]))
    """
    z, tables = normal_quantile(level), len(cases)
    weight = np.ones_like(cases) if unit is None else unit
    weight = np.tile(weight / (weight * cases).sum(axis=1, keepdims=True), (2, 1))
    x, sign = np.tile(cases, (2, 1)), np.repeat([-1.0, 1.0], tables)

    def at(t: Floats) -> Floats:
        expected: Floats = weight * (np.sqrt(x + t * t / 4) + t / 2) ** 2
        return expected

    def heights(direction: Floats) -> tuple[Floats, Floats]:
        """How high the edge is in a direction, and the direction of its gradient."""
        t = z * direction
        expected = at(t)
        value, gradient = function(expected)
        rising = _unit_vectors(sign[:, np.newaxis] * gradient * expected / np.sqrt(x + t * t / 4))
        return np.where(np.isnan(value), -np.inf, sign * value), rising

    def climb(best: Floats) -> Floats:
        """The height of the summit of the edge that is reached from a direction."""
        highest, rising = heights(best)
        step = np.ones(len(x))
        for _ in range(_STEPS):
            turn = np.where(rising.any(axis=1, keepdims=True), rising - best, 0.0)
            trial = _unit_vectors(best + step[:, np.newaxis] * turn)
            reached, onwards = heights(trial)
            gain = reached - highest
            higher = gain > 0
            best, rising = (np.where(higher[:, np.newaxis], *both) for both in ((trial, best), (onwards, rising)))
            highest = np.where(higher, reached, highest)
            step = np.where(gain > _NO_GAIN * (1 + np.abs(highest)), np.minimum(1.0, 2 * step), step / 4)
            if ((step < _SMALLEST_STEP) | (np.abs(turn).max(axis=1) < _NO_TURN)).all():
                break
        return highest

    with np.errstate(all="ignore"):
        slope = sign[:, np.newaxis] * function(weight * (x + _HALF_A_CASE))[1]
        reach = np.where(slope > 0, at(np.full_like(x, z)) - weight * x, weight * x - at(np.full_like(x, -z)))
        highest = climb(_unit_vectors(slope * reach))
        empty = x < _HALF_A_CASE
        if empty.any():  # there are several summits then: one class all wrong, or both partly
            highest = np.maximum(highest, climb(_unit_vectors(np.sign(slope))))
            if x.shape[1] > _CELLS_OF_TWO_CLASSES:  # or what was never seen; an even start keeps like classes alike
                uneven = np.linspace(0.1, 1.0, x.shape[1])
                highest = np.maximum(highest, climb(_unit_vectors(np.where(empty, np.sign(slope) * uneven, 0.0))))
        highest = np.maximum(highest, heights(np.zeros_like(x))[0])  # the table itself is accepted too
    return -highest[:tables], highest[tables:]


def _unit_vectors(rows: Floats) -> Floats:
    """Each row divided by its length; what is no finite number counts as 0."""
    known = np.where(np.isfinite(rows), rows, 0.0)
    length = np.sqrt((known**2).sum(axis=1, keepdims=True))
    unit: Floats = known / np.where(length > 0, length, 1.0)
    return unit
