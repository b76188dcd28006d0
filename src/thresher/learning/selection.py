"""Selection of d of p features: by single score, forward, backward, every subset, or the exact optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from thresher.errors import ArgumentError
from thresher.learning.arguments import require_kind
from thresher.learning.criteria import Criterion, hotelling_lawley, ratio, require_criterion
from thresher.learning.exact_selection import exact_selection, largest
from thresher.learning.exhaustive_selection import exhaustive_selection
from thresher.learning.scatter import Scatter, require_two_classes
from thresher.learning.sequential_selection import (
    backward_by_ratio,
    backward_by_trace,
    forward_by_ratio,
    forward_by_trace,
)
from thresher.ranking import Floats, Indices
from thresher.results import Tabular

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
    require_kind(found, Scatter, name="found", fix="give what scatter(X, y) returns")
    require_criterion(criterion)
    require_two_classes(found)
    if search not in get_args(Search):
        raise ArgumentError(f"there is no search {search!r}", f"use one of {', '.join(get_args(Search))}")
    features = len(found.names)
    whole = isinstance(n_features, int | np.integer) and not isinstance(n_features, bool)
    if not whole or not 1 <= n_features <= features:
        raise ArgumentError(
            f"n_features must be a whole number from 1 to {features:,}, got {n_features!r}",
            "say how many of the features to choose",
        )
    if search == "exact" and criterion == "hotelling_lawley":
        raise ArgumentError(
            "the exact search needs a criterion that is a ratio of sums over features, which trace(S_W⁻¹ S_B) is not",
            'use search="exhaustive" for few features, "forward" for many, or criterion="trace_ratio"',
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
