"""Selection of d of p features: by single score, forward, backward, exhaustive or exact."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import require_instance, require_integer, require_one_of
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError, argument
from thresher.learning.features.scatter import Matrix, Scatter, require_two_classes
from thresher.ranking import Flags, Floats, Indices

Criterion: TypeAlias = Literal["trace_ratio", "hotelling_lawley"]

# A feature is called a combination of others when they leave this share of its variance within classes unexplained.
DEPENDENT = 1e-10


def require_criterion(criterion: str) -> None:
    """Refuse a criterion that there is not."""
    fix = 'use "trace_ratio", trace(S_B)/trace(S_W), or "hotelling_lawley", trace(S_W⁻¹ S_B)'
    require_one_of(criterion, get_args(Criterion), name="criterion", fix=fix)


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


MOST_SUBSETS = 2_000_000
_AT_ONCE = 20_000


def exhaustive_selection(
    value: Callable[[Indices], Floats], between: Floats, size: int, *, most: int = MOST_SUBSETS
) -> tuple[Indices, float]:
    """The subset of `size` features whose value is largest; of equal ones the first in order of positions.

    `value` takes subsets as rows of positions. More than `most` subsets are refused.

    >>> weights = np.array([3.0, 1.0, 2.0])
    >>> exhaustive_selection(lambda subsets: weights[subsets].sum(axis=1), weights, 2)
    (array([0, 2]), 5.0)
    """
    subsets = math.comb(between.size, size)
    if subsets > most:
        raise ArgumentError(
            f"{size:,} of {between.size:,} features make {_said(subsets)} subsets, and at most {most:,} are tried",
            f"use {argument('search', 'exact')}, which finds the best by trace_ratio without trying all, or "
            f"{argument('search', 'forward')}",
        )
    best, reached, sum_between = np.arange(size), -np.inf, -np.inf
    for block in _blocks(between.size, size):
        values, sums = value(block), between[block].sum(axis=1)
        place = first_best(values, then=sums)
        further = values[place] > reached or (np.isposinf(values[place]) and sums[place] > sum_between)
        if further:
            best, reached, sum_between = block[place], float(values[place]), float(sums[place])
    return best, float(reached)


def _blocks(features: int, size: int) -> Iterator[Indices]:
    subsets = combinations(range(features), size)
    while flat := list(chain.from_iterable(islice(subsets, _AT_ONCE))):
        yield np.array(flat, dtype=np.int64).reshape(-1, size)


def _said(count: int) -> str:
    return f"{count:,}" if count < 10**12 else f"about 10^{len(str(count)) - 1}"


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
            f"use {argument('search', 'forward')}, or leave those features out first",
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


Search: TypeAlias = Literal["top", "forward", "backward", "exhaustive", "exact"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selection(Tabular):
    """The features chosen, in the order of choosing where there is one, and what they are worth together.

    `steps` holds the criterion after each step of the search: features added, features removed, or guesses of the
    optimum; it is empty where nothing proceeds in steps.
    """

    features: Indices
    names: tuple[str, ...]
    value: float
    search: Search
    criterion: Criterion
    steps: tuple[float, ...]

    def _brief(self) -> str:
        told = ", ".join(self.names[:8]) + (", …" if len(self.names) > 8 else "")
        sign = "J" if self.criterion == "trace_ratio" else "trace(S_W⁻¹ S_B)"
        return f"{self.search}: {told}; {sign}={self.value:.4g}"

    def _columns(self) -> Mapping[str, Any]:
        return {"feature": self.features, "name": self.names}


def selection(
    found: Scatter, n_features: int, *, search: Search = "top", criterion: Criterion = "trace_ratio"
) -> Selection:
    """Choose `n_features` of a scatter's features.

    "top" takes the best single scores, which ignores what features do together; "forward" and "backward" are greedy;
    "exhaustive" tries every subset and refuses when they are too many; "exact" finds the best subset by trace_ratio
    without trying them (Dinkelbach's iteration). Equal features are taken in their order.

    >>> from thresher.learning import scatter
    >>> table = scatter([[1, 2, 0], [3, 4, 0], [8, 4, 1], [8, 6, 0]], [0, 0, 1, 1])
    >>> selection(table, 2, search="exact")
    Selection(exact: x0, x2; J=14.5)
    """
    _require(found, n_features, search=search, criterion=criterion)
    steps: tuple[float, ...] = ()
    if search == "top":
        chosen = largest(ratio(found.between, found.within), n_features)
    elif search == "exhaustive":
        chosen = _exhaustive(found, n_features, criterion)
    else:
        chosen, steps = _stepwise(found, n_features, search, criterion)
    names, value = tuple(found.names[i] for i in chosen), _value(found, chosen, criterion)
    return Selection(chosen, names, value, search, criterion, steps)


def _require(found: Scatter, n_features: Any, *, search: str, criterion: str) -> None:
    require_instance(found, Scatter, name="found", fix="give what scatter(X, y) returns")
    require_criterion(criterion)
    require_two_classes(found)
    require_one_of(search, get_args(Search), name="search")
    fix = "say how many of the features to choose"
    require_integer(n_features, name="n_features", least=1, most=len(found.names), fix=fix)
    if search == "exact" and criterion == "hotelling_lawley":
        raise ArgumentError(
            "the exact search needs a criterion that is a ratio of sums over features, which trace(S_W⁻¹ S_B) is not",
            f"use {argument('search', 'exhaustive')} for few features, 'forward' for many, or "
            f"{argument('criterion', 'trace_ratio')}",
        )


def _stepwise(found: Scatter, size: int, search: str, criterion: Criterion) -> tuple[Indices, tuple[float, ...]]:
    if search == "exact":
        best = exact_selection(found.between, found.within, size)
        return best.features, best.steps
    if criterion == "trace_ratio":
        by_ratio = forward_by_ratio if search == "forward" else backward_by_ratio
        walk = by_ratio(found.between, found.within, size)
    else:
        by_trace = forward_by_trace if search == "forward" else backward_by_trace
        walk = by_trace(found.within_matrix, found.spread, size)
    return walk.features, walk.steps


def _exhaustive(found: Scatter, size: int, criterion: Criterion) -> Indices:
    between, within = found.between, found.within

    def by_ratio(subsets: Indices) -> Floats:
        return ratio(between[subsets].sum(axis=1), within[subsets].sum(axis=1))

    if criterion == "trace_ratio":
        return exhaustive_selection(by_ratio, between, size)[0]
    matrix, spread = found.within_matrix, found.spread
    return exhaustive_selection(lambda subsets: hotelling_lawley(matrix, spread, subsets), between, size)[0]


def _value(found: Scatter, chosen: Indices, criterion: Criterion) -> float:
    inside = found.of(np.sort(chosen))
    if criterion == "trace_ratio":
        return inside.J
    return float(hotelling_lawley(inside.within_matrix, inside.spread, np.arange(chosen.size)[None, :])[0])
