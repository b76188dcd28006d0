"""Selection of d of p features: single, forward, backward, exhaustive."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from itertools import chain, combinations, islice
from typing import Any, Literal, NamedTuple, Self, TypeAlias, cast, get_args

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher._internal.arguments import is_one_of, require_instance, require_number, short_repr
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError, OneClassError, argument
from thresher.learning.features.scatter import Matrix, Scatter, scatter
from thresher.ranking import Flags, Floats, Indices

Criterion: TypeAlias = Literal["trace_ratio", "hotelling_lawley"]
Search: TypeAlias = Literal["top", "forward", "backward", "exhaustive", "exact"]

# A feature is a combination of others when they leave this share of its variance within classes unexplained.
_DEPENDENT = 1e-10
_MOST_SUBSETS = 2_000_000
_BLOCK = 20_000
_SMALLEST = 2**1074  # the smallest float above 0 is one over this


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selection(Tabular):
    """The features chosen, in the order of choosing, and what they are worth together.

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
        names = ", ".join(self.names[:8]) + (", …" if len(self.names) > 8 else "")
        sign = "J" if self.criterion == "trace_ratio" else "trace(S_W⁻¹ S_B)"
        return f"{self.search}: {names}; {sign}={self.value:.4g}"

    def _columns(self) -> Mapping[str, Any]:
        return {"feature": self.features, "name": self.names}


class Steps(NamedTuple):
    """Positions a search has chosen, and the criterion after each of its steps."""

    features: Indices
    steps: tuple[float, ...] = ()


def selection(
    table: Scatter, n_features: int, *, search: Search = "top", criterion: Criterion = "trace_ratio"
) -> Selection:
    """Choose `n_features` of a scatter's features.

    "top" takes the best single scores, which ignores what features do together; "forward" and "backward" are greedy;
    "exhaustive" tries every subset and refuses when they are too many; "exact" finds the best subset by trace_ratio
    without trying them (Dinkelbach's iteration). Equal features are taken in their order.

    >>> features = scatter([[1, 2, 0], [3, 4, 0], [8, 4, 1], [8, 6, 0]], [0, 0, 1, 1])
    >>> selection(features, 2, search="exact")
    Selection(exact: x0, x2; J=14.5)
    """
    require_instance(table, Scatter, name="table", fix="give what scatter(X, y) returns")
    if not is_one_of(criterion, get_args(Criterion)):
        fix = 'use "trace_ratio", trace(S_B)/trace(S_W), or "hotelling_lawley", trace(S_W⁻¹ S_B)'
        raise ArgumentError(f"there is no criterion {short_repr(criterion)}", fix)
    if len(table.classes) < 2:
        what = f"there is one class only, {table.classes[0]!r} ({table.N:,} rows), so nothing lies between classes"
        raise OneClassError(what, "give rows of at least two classes")
    if not is_one_of(search, get_args(Search)):
        raise ArgumentError(f"there is no search {short_repr(search)}", f"use one of {', '.join(get_args(Search))}")
    features, size = len(table.names), cast("Any", n_features)
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or not 1 <= size <= features:
        what = f"n_features must be a whole number from 1 to {features:,}, got {short_repr(n_features)}"
        raise ArgumentError(what, "give how many of the features to choose")
    if search == "exact" and criterion == "hotelling_lawley":
        exhaustive, ratio = argument("search", "exhaustive"), argument("criterion", "trace_ratio")
        what = "the exact search needs a criterion that is a ratio of sums over features, and trace(S_W⁻¹ S_B) is none"
        raise ArgumentError(what, f"use {exhaustive} for few features, 'forward' for many, or {ratio}")
    chosen = _search(table, n_features, search, criterion)
    inside = table.of(np.sort(chosen.features))
    value = inside.J
    if criterion == "hotelling_lawley":
        value = float(hotelling_lawley(inside.within_matrix, inside.spread, np.arange(n_features)[None])[0])
    names = tuple(table.names[i] for i in chosen.features)
    return Selection(chosen.features, names, value, search, criterion, chosen.steps)


@dataclass(eq=False, repr=False)
class ScatterSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select features with much scatter between classes and little within.

    `n_features` is how many to select, by default half of them; a float in (0, 1) is a share. `search` is as in
    `selection`. The criterion is "trace_ratio", J = trace(S_B)/trace(S_W), or "hotelling_lawley", trace(S_W⁻¹ S_B),
    which also sees that features repeat each other. J adds up variances, so features on larger scales weigh more,
    unless they are standardised first. `scatter_` and `selection_` are what `fit` learns.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ScatterSelector(2, search="exact").set_output(transform="pandas").fit(X, y)
    >>> selector.transform(X).columns.tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> selector.selection_
    Selection(exact: petal length (cm), petal width (cm); J=15.5)
    """

    n_features: float | None = None
    _: KW_ONLY
    search: Search = "top"
    criterion: Criterion = "trace_ratio"

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the scatter of the training rows in one pass, and choose."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        moments = scatter(X, y, matrix=self.criterion == "hotelling_lawley")
        self.scatter_ = replace(moments, names=tuple(getattr(self, "feature_names_in_", moments.names)))
        size: Any = self.n_features
        if size is None:
            size = max(1, self.n_features_in_ // 2)
        require_number(size, name="n_features", fix="give a number of features, or a share of them such as 0.5")
        if 0 < size < 1:
            size = max(1, round(size * self.n_features_in_))
        self.selection_ = selection(self.scatter_, size, search=self.search, criterion=self.criterion)
        return self

    def _get_support_mask(self) -> Flags:
        check_is_fitted(self)
        return np.isin(np.arange(self.n_features_in_), self.selection_.features)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _search(table: Scatter, size: int, search: Search, criterion: Criterion) -> Steps:
    between, within, spread = table.between, table.within, table.spread

    def value(subsets: Indices) -> Floats:
        if criterion == "trace_ratio":
            return _ratio(between[subsets].sum(axis=1), within[subsets].sum(axis=1))
        return hotelling_lawley(table.within_matrix, spread, subsets)

    if search == "top":
        return Steps(_largest(_ratio(between, within), size))
    if search == "exact":
        return exact_selection(between, within, size)
    if search == "exhaustive":
        return Steps(exhaustive_selection(value, between, size)[0])
    if criterion == "trace_ratio":
        return (forward_by_ratio if search == "forward" else backward_by_ratio)(between, within, size)
    return (forward_by_trace if search == "forward" else backward_by_trace)(table.within_matrix, spread, size)


def exact_selection(between: Floats, within: Floats, size: int) -> Steps:
    """The subset of `size` features with the largest Σ between / Σ within.

    For a guess λ of the best ratio, the subset with the largest Σ (b - λ w) is simply the `size` largest terms; its own
    ratio is the next λ, which rises until it is the optimum (Dinkelbach 1967, "On nonlinear fractional programming"),
    faster than linearly.

    Terms are compared as integers, so that neither very small nor very large ones round away.

    When `size` features without scatter within classes separate at least some classes, J is infinite, and those with
    the largest scatter between are taken. Of equal terms the earlier feature is taken.
    """
    flat = np.flatnonzero(within == 0)
    if flat.size >= size and (between[flat] > 0).any():
        return Steps(np.sort(flat[_largest(between[flat], size)]), (float("inf"),))
    terms = _integers(between), _integers(within)
    chosen = _largest(_ratio(between, within), size)
    reached = _sums_of(terms, chosen)
    steps = [_quotient(reached)]
    while True:
        above, below = reached
        following = _largest(terms[0] * below - terms[1] * above, size)
        value = _sums_of(terms, following)
        rise = value[0] * below - value[1] * above
        if rise >= 0:
            # At the optimum this is the subset that ties prefer, whatever the iteration started from.
            chosen = following
        if rise <= 0:
            break
        reached = value
        if _quotient(reached) > steps[-1]:  # a rise may be less than a float shows
            steps.append(_quotient(reached))
    return Steps(np.sort(chosen), tuple(steps))


def exhaustive_selection(
    value: Callable[[Indices], Floats], between: Floats, size: int, *, most: int = _MOST_SUBSETS, block: int = _BLOCK
) -> tuple[Indices, float]:
    """The subset of `size` features whose value is largest; of equal ones the first.

    `value` takes subsets as rows of positions, `block` of them at once. More than `most` subsets are refused.
    """
    count = math.comb(between.size, size)
    if count > most:
        number = f"{count:,}" if count < 10**12 else f"about 10^{len(str(count)) - 1}"
        what = f"{size:,} of {between.size:,} features make {number} subsets, and at most {most:,} are tried"
        exact, forward = argument("search", "exact"), argument("search", "forward")
        raise ArgumentError(what, f"use {exact}, which finds the best by trace_ratio without trying all, or {forward}")
    best, reached, sum_between = np.arange(size), -np.inf, -np.inf
    subsets = combinations(range(between.size), size)
    while flat := list(chain.from_iterable(islice(subsets, block))):
        rows = np.array(flat, dtype=np.int64).reshape(-1, size)
        values, sums = value(rows), between[rows].sum(axis=1)
        place = _first_best(values, then=sums)
        if values[place] > reached or (np.isposinf(values[place]) and sums[place] > sum_between):
            best, reached, sum_between = rows[place], float(values[place]), float(sums[place])
    return best, float(reached)


def forward_by_ratio(between: Floats, within: Floats, size: int) -> Steps:
    """Add the feature that makes Σ between / Σ within largest."""
    outside = np.ones(between.size, dtype=np.bool_)
    chosen, steps, b, w = [], [], 0.0, 0.0
    for _ in range(size):
        value = np.where(outside, _ratio(b + between, w + within), -np.inf)
        best = _first_best(value, then=between)
        outside[best] = False
        b, w = b + between[best], w + within[best]
        chosen.append(best)
        steps.append(float(value[best]))
    return Steps(np.array(chosen), tuple(steps))


def backward_by_ratio(between: Floats, within: Floats, size: int) -> Steps:
    """Remove the feature without which Σ between / Σ within is largest."""
    left, steps = np.arange(between.size), []
    b, w = between, within
    while left.size > size:
        b_without, w_without = _sums_without_each(b), _sums_without_each(w)
        value = _ratio(b_without, w_without)
        # Of equally dispensable features the last goes, as of equally good ones the first is taken.
        least = left.size - 1 - _first_best(value[::-1], then=b_without[::-1])
        steps.append(float(value[least]))
        left, b, w = np.delete(left, least), np.delete(b, least), np.delete(w, least)
    return Steps(left, tuple(steps))


def forward_by_trace(within: Matrix, spread: Matrix, size: int) -> Steps:
    """Add the feature that makes trace(S_W⁻¹ S_B) largest.

    What the features chosen so far explain is taken out of the others once (a pivoted Cholesky factorisation), so a
    step costs p·d and not p solutions of d equations.
    """
    alone, between = np.diagonal(within), np.einsum("kj,kj->j", spread, spread)
    left, apart = alone.copy(), spread.T.copy()
    factor = np.zeros((size, alone.size))
    outside = np.ones(alone.size, dtype=np.bool_)
    chosen, steps, total = [], [], 0.0
    for t in range(size):
        gained, free = _gain(apart, left, alone, between)
        best = _first_best(np.where(outside, gained, -np.inf), then=between * outside)
        outside[best] = False
        total += gained[best]
        chosen.append(best)
        steps.append(float(total))
        if free[best]:
            pivot = np.sqrt(left[best])
            factor[t] = (within[best] - factor[:t, best] @ factor[:t]) / pivot
            apart -= np.outer(factor[t], apart[best] / pivot)
            left -= factor[t] ** 2
    return Steps(np.array(chosen), tuple(steps))


def backward_by_trace(within: Matrix, spread: Matrix, size: int) -> Steps:
    """Remove the feature without which trace(S_W⁻¹ S_B) is largest.

    With P = S_W⁻¹ and V = P Mᵀ, leaving feature j out lowers the trace by |v_j|²/P_jj and P by p_j p_jᵀ/P_jj, so a step
    costs p² and not p solutions of p equations. That needs an S_W which has an inverse.
    """
    alone = np.sqrt(np.diagonal(within))
    if not (alone > 0).all() or np.linalg.eigvalsh(within / np.outer(alone, alone))[0] <= _DEPENDENT:
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
    return Steps(left, tuple(steps))


def hotelling_lawley(within: Matrix, spread: Matrix, subsets: Indices) -> Floats:
    """trace(S_W⁻¹ S_B) of each row of `subsets`, the Hotelling-Lawley trace.

    S_W of each subset is factored as L Lᵀ and the trace is the sum of squares of L⁻¹ Mᵀ, M being the `spread` whose
    squares are S_B. Where a feature is a combination of earlier ones within classes, it adds nothing if it is so
    between classes too, and otherwise separates the classes perfectly: the trace is infinite.
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
        gained, free = _gain(apart, left, alone, np.einsum("kn,kn->n", spread[:, column], spread[:, column]))
        pivot = np.sqrt(np.where(free, left, 1.0))
        factor[:, j, j] = np.where(free, pivot, 0.0)
        solved[:, j] = np.where(free[:, None], apart / pivot[:, None], 0.0)
        total += gained
    return total


def _gain(apart: Matrix, left: Floats, within: Floats, between: Floats) -> tuple[Floats, Flags]:
    """What features add to the trace, and which are no combination of others.

    `apart` and `left` are what the features already in leave of its class means and of its variance within classes.
    """
    free = left > _DEPENDENT * within
    squares = np.einsum("ij,ij->i", apart, apart)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(free, squares / left, np.where(squares > _DEPENDENT * between, np.inf, 0.0)), free


def _ratio(between: Floats, within: Floats) -> Floats:
    """Between over within: infinite without scatter within, and 0 for 0/0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(between == 0, 0.0, between / within)


def _first_best(value: Floats, *, then: Floats) -> int:
    """The first largest value; of infinite ones the largest by `then`."""
    infinite = np.isposinf(value)
    return int(np.argmax(np.where(infinite, then, -np.inf) if infinite.any() else value))


def _largest(value: Floats, size: int) -> Indices:
    """Positions of the largest values, falling; of equal ones the earlier."""
    return np.argsort(-value, kind="stable")[:size]


def _integers(terms: Floats) -> Any:
    """Floats as integers of the smallest float: no sum or product of them rounds."""
    ratios = (value.as_integer_ratio() for value in terms.tolist())
    return np.array([above * (_SMALLEST // below) for above, below in ratios], dtype=object)


def _sums_of(terms: tuple[Any, Any], chosen: Indices) -> tuple[int, int]:
    """Between and within of a subset; 0/0 counts as 0."""
    above, below = (int(sum(each[chosen].tolist())) for each in terms)
    return above, below if above or below else 1


def _quotient(sums: tuple[int, int]) -> float:
    """The nearest float; infinite beyond the largest."""
    above, below = sums
    try:
        return above / below
    except OverflowError:
        return math.inf


def _sums_without_each(value: Floats) -> Floats:
    """The sum of all other entries; subtracting one would lose small ones."""
    before, after = np.zeros(value.size), np.zeros(value.size)
    np.cumsum(value[:-1], out=before[1:])
    np.cumsum(value[:0:-1], out=after[-2::-1])
    return before + after
