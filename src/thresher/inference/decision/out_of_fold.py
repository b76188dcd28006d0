"""What fitted weights of k classes cost on cases that they were not fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher._internal.arguments import require_instance, require_integer, require_level, require_one_of, require_seed
from thresher._internal.results import ReadOnlyFields, Result
from thresher.choices import ClassChoice, choose
from thresher.errors import ArgumentError, argument, located
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.interval import Interval, aligned_lines
from thresher.inference.intervals.class_cost import CaseCosts
from thresher.inference.rows import one_model
from thresher.ranking import Floats, Indices, Segments, require_segments
from thresher.tables import OperatingCondition

_FIT_OPTIONS = ("maximise", "minimise", "subject_to", "starts", "exact")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OutOfFoldCost(ReadOnlyFields, Result):
    """The cost per case of fitted weights and of the Bayes decision, out of fold.

    `difference` is what fitted weights cost more, on the same cases: where it holds 0, nothing is decided. `weights`
    has a row per fold, of weights fitted on all other folds, and `costs` is what every case costs by those of its
    fold: of rows in their order.
    """

    fitted: Interval
    bayes: Interval
    difference: Interval
    weights: Floats
    costs: CaseCosts

    def to_dict(self) -> dict[str, Any]:
        """Plain data; a row of weights per fold."""
        intervals = {name: getattr(self, name).to_dict() for name in ("fitted", "bayes", "difference")}
        return {**intervals, "weights": self.weights.tolist()}

    def __str__(self) -> str:
        names = ("fitted weights, out of fold", "Bayes decision", "difference")
        return aligned_lines(list(zip(names, (self.fitted, self.bayes, self.difference), strict=True)))

    def _brief(self) -> str:
        return f"{self.fitted} against {self.bayes}, {len(self.weights)} folds"


def out_of_fold_cost(
    source: Segments | ClassifiedRows | Sequence[Segments],
    condition: OperatingCondition,
    *,
    folds: int = 10,
    seed: int = 0,
    model: str | None = None,
    level: float = 0.95,
    **fit: Any,
) -> OutOfFoldCost:
    """What weights fitted by `choose(segments, fit="weights")` cost on new cases.

    The weights of each fold are fitted on all others, and price its cases. Cost on the rows of a fit is too low, and
    limits of it would not know that. Limits take the cases as drawn and the weights as fixed, so they do not
    show what other training rows would change.

    Parameters
    ----------
    source
        Segments, whose cases are divided into folds class by class; rows of several models, whose clusters stay
        together; or segments by fold, e.g. those of a cross-validation.
    condition
        Costs and class mix.
    folds, seed
        How many folds, and the seed of the division.
    model
        Which model of the rows, if there are several.
    fit
        `maximise`, `subject_to`, `starts`, as `choose` takes them.

    Examples
    --------
    >>> from thresher.tables import CostMatrix
    >>> leaves = Segments.parse("[80,10,10][10,60,30][0,20,80]",
    ...     probability=[[.8, .1, .1], [.2, .3, .5], [.1, .2, .7]], classes="abc")
    >>> print(out_of_fold_cost(leaves, OperatingCondition(costs=CostMatrix.equal("abc"))))
    fitted weights, out of fold   0.2667 [...]
    Bayes decision                0.3667 [...]
    difference                    -0.1000 [...]
    """
    require_level(level)
    require_seed(seed)
    require_instance(
        condition, OperatingCondition, name="condition", fix="pass OperatingCondition(costs=CostMatrix(...))"
    )
    for option in fit:
        require_one_of(option, _FIT_OPTIONS, name="option", fix="these are options of choose")
    parts = list(_parts(source, folds, seed, model))
    chosen = []
    for place, (train, _) in enumerate(parts):
        with located(f"fold {place}"):
            chosen.append((choose(train, condition, fit="weights", **fit), choose(train, condition)))
    of_fold = np.array([fitted.weights for fitted, _ in chosen])
    fitted, bayes = (_costs_of(parts, condition, [pair[i] for pair in chosen]) for i in (0, 1))
    return OutOfFoldCost(
        fitted.interval(level=level), bayes.interval(level=level), fitted.minus(bayes, level=level), of_fold, fitted
    )


@dataclass(frozen=True, slots=True, eq=False)
class _HeldOut:
    """Cases that weights are tried on: vectors, classes, and what makes them cases."""

    probability: Floats
    actual: Indices
    cases: Floats | None = None
    weight: Floats | None = None
    cluster: Indices | None = None
    row: Indices | None = None


def _costs_of(
    parts: Sequence[tuple[Segments, _HeldOut]], condition: OperatingCondition, chosen: Sequence[ClassChoice]
) -> CaseCosts:
    """The costs of all held-out cases, each by the choice made without it."""
    held = [each for _, each in parts]
    actions = [one.costs.decide(each.probability, weights=one.weights) for one, each in zip(chosen, held, strict=True)]
    costs = chosen[0].costs
    rows = [each.row for each in held if each.row is not None]
    order = np.argsort(np.concatenate(rows)) if rows else slice(None)

    def together(name: str) -> Any:
        columns = [getattr(each, name) for each in held]
        return None if columns[0] is None else np.concatenate(columns)[order]

    actual = together("actual")
    mix = None if condition.mix is None else np.array([condition.mix[name] for name in costs.classes])
    return CaseCosts(
        costs,
        actual,
        np.concatenate(actions)[order],
        np.full(actual.size, np.nan),
        mix,
        together("cases"),
        together("weight"),
        together("cluster"),
    )


def _parts(source: Any, folds: int, seed: int, model: str | None) -> Iterator[tuple[Segments, _HeldOut]]:
    """What each fold is fitted on, and its own cases."""
    if isinstance(source, ClassifiedRows):
        yield from _parts_of_rows(source, one_model(source.matrices, model), folds, seed)
        return
    if isinstance(source, Segments):
        source = _divided(source, folds, seed)
    if not isinstance(source, Sequence) or len(source) < 2:
        raise ArgumentError("weights are fitted on other folds", "give segments, or a list of them, one per fold")
    for each in source:
        require_segments(each)
    for place, fold in enumerate(source):
        rest = [each for other, each in enumerate(source) if other != place]
        segment, actual = np.nonzero(fold.counts)
        cases = fold.counts[segment, actual].astype(np.float64)
        yield sum(rest[1:], rest[0]), _HeldOut(fold.probability[segment], actual, cases)


def _divided(segments: Segments, folds: int, seed: int) -> list[Segments]:
    """Segments by fold, their cases divided class by class."""
    if segments.weighted:
        fix = "pass the rows, or a list of segments, one per fold"
        raise ArgumentError("segments with weights do not say which cases there are", fix)
    m, k = segments.counts.shape
    place = np.repeat(np.arange(m * k), segments.counts.ravel())
    fold = _divide_units(place % k, segments.classes, folds, seed)
    counts = np.bincount(fold * (m * k) + place, minlength=folds * m * k).reshape(folds, m, k)
    return [Segments(segments.probability, each, classes=segments.classes) for each in counts]


def _parts_of_rows(rows: ClassifiedRows, model: str, folds: int, seed: int) -> Iterator[tuple[Segments, _HeldOut]]:
    matrix, weight, cluster = rows.matrices[model], rows.weight, rows.cluster
    if cluster is None:
        fold = _divide_units(rows.index, rows.classes, folds, seed)
    else:
        fold = _divide_units(np.zeros(rows.clusters, dtype=np.int64), ["clusters"], folds, seed)[cluster]
    for each in range(folds):
        out, rest = fold == each, fold != each
        train = Segments.count(rows.index[rest], matrix[rest], rows.classes, None if weight is None else weight[rest])
        weights, clusters = (None if column is None else column[out] for column in (weight, cluster))
        yield train, _HeldOut(matrix[out], rows.index[out], None, weights, clusters, np.flatnonzero(out))


def _divide_units(group: Indices, names: Sequence[Any], folds: int, seed: int) -> Indices:
    """A fold for each unit, every group spread evenly."""
    fix = "give as many as the smallest class has cases, or fewer"
    require_integer(folds, name="folds", least=2, fix=fix)
    size = np.bincount(group, minlength=len(names))
    few = np.flatnonzero((size > 0) & (size < folds))
    if few.size:
        what = f"{names[few[0]]!r} has {size[few[0]]:,} cases, and {argument('folds')} is {folds}"
        raise ArgumentError(what, fix, parameter="folds")
    order = np.lexsort((np.random.default_rng(seed).random(group.size), group))
    fold = np.empty(group.size, dtype=np.int64)
    fold[order] = np.arange(group.size) % folds
    return fold
