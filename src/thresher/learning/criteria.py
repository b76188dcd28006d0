"""How good a set of features is: J, the ratio of two traces, or trace(S_W⁻¹ S_B), the trace of a ratio."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from thresher.errors import ArgumentError
from thresher.learning.scatter_pass import Matrix
from thresher.ranking import Flags, Floats, Indices

Criterion: TypeAlias = Literal["trace_ratio", "hotelling_lawley"]

# A feature is called a combination of others when they leave this share of its variance within classes unexplained.
DEPENDENT = 1e-10


def require_criterion(criterion: str) -> None:
    """Refuse a criterion that there is not."""
    if criterion not in get_args(Criterion):
        raise ArgumentError(
            f"there is no criterion {criterion!r}",
            'use "trace_ratio", trace(S_B)/trace(S_W), or "hotelling_lawley", trace(S_W⁻¹ S_B)',
        )


def ratio(between: Floats, within: Floats) -> Floats:
    """Between over within, for comparing: infinite without scatter within, and 0 for 0/0, which separates nothing.

    >>> ratio(np.array([6.0, 2.0, 0.0]), np.array([3.0, 0.0, 0.0]))
    array([ 2., inf,  0.])
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(between == 0, 0.0, between / within)


def first_best(value: Floats, *, then: Floats) -> int:
    """The position of the largest value; infinite ones are told apart by `then`, equal ones by who comes first.

    >>> first_best(np.array([1.0, 2.0, 2.0]), then=np.array([9.0, 1.0, 5.0]))
    1
    >>> first_best(np.array([np.inf, 2.0, np.inf]), then=np.array([1.0, 9.0, 5.0]))
    2
    """
    infinite = np.isposinf(value)
    return int(np.argmax(np.where(infinite, then, -np.inf) if infinite.any() else value))


def hotelling_lawley(within: Matrix, spread: Matrix, subsets: Indices) -> Floats:
    """trace(S_W⁻¹ S_B) of each row of `subsets`, known as the Hotelling-Lawley trace.

    S_W of each subset is factored as L Lᵀ and the trace is the sum of squares of L⁻¹ Mᵀ, M being the `spread` whose
    squares are S_B. Where a feature is a combination of earlier ones within classes, it adds nothing if it is so
    between classes too, and otherwise separates the classes perfectly: the trace is infinite.

    >>> within, spread = np.diag([1.0, 2.0]), np.array([[1.0, 2.0]])
    >>> hotelling_lawley(within, spread, np.array([[0, 1]]))
    array([3.])
    """
    rows, size = subsets.shape
    factor = np.zeros((rows, size, size))
    solved = np.zeros((rows, size, spread.shape[0]))
    total = np.zeros(rows)
    for j in range(size):
        column = subsets[:, j]
        for i in range(j):
            rest = within[column, subsets[:, i]] - np.einsum("nt,nt->n", factor[:, j, :i], factor[:, i, :i])
            pivot = factor[:, i, i]
            factor[:, j, i] = np.divide(rest, pivot, out=np.zeros(rows), where=pivot > 0)
        alone = within[column, column]
        left = alone - np.einsum("nt,nt->n", factor[:, j, :j], factor[:, j, :j])
        apart = spread[:, column].T - np.einsum("nt,ntk->nk", factor[:, j, :j], solved[:, :j])
        gained, free = gain(apart, left, alone, np.einsum("kn,kn->n", spread[:, column], spread[:, column]))
        pivot = np.sqrt(np.where(free, left, 1.0))
        factor[:, j, j] = np.where(free, pivot, 0.0)
        solved[:, j] = np.where(free[:, None], apart / pivot[:, None], 0.0)
        total += gained
    return total


def gain(apart: Matrix, left: Floats, within: Floats, between: Floats) -> tuple[Floats, Flags]:
    """What features add to the trace, and which of them are no combination of those already in.

    `apart` (one row per feature) and `left` are what remains of the feature's class means and of its variance within
    classes when the features already in have explained what they can.
    """
    free = left > DEPENDENT * within
    squares = np.einsum("ij,ij->i", apart, apart)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(free, squares / left, np.where(squares > DEPENDENT * between, np.inf, 0.0)), free
