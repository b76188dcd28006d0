"""`feature_search`: features chosen by what a model does with them on other rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import require_classifier, require_function, require_integer, require_level
from thresher._internal.parallel import Progress
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError, MeasureError, argument
from thresher.inference import Interval
from thresher.learning.data.frame import frame
from thresher.learning.models.cost_sensitive import CostSensitiveClassifier
from thresher.learning.validation.fit_and_score import Problem, fit_and_score, in_parallel, problem_of
from thresher.learning.validation.folds import Folding, FoldSplit, mean_test_share, splits_of
from thresher.learning.validation.scoring import (
    FoldMetric,
    MeasureLike,
    corrected_interval,
    fold_metric,
    require_quality,
)
from thresher.ranking import Indices
from thresher.tables import OperatingCondition

Direction: TypeAlias = Literal["forward", "backward", "exhaustive"]
Subset: TypeAlias = tuple[int, ...]

_MOST_SUBSETS = 5_000  # each of them a fit per fold
_FOLDS_WITHIN = 3


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FeatureSearch(Tabular):
    """The features chosen on all rows, and what choosing that way does on other rows.

    `value` is the nested measure: the search for each fold saw its training rows alone. `chosen` says in how many folds
    each feature was chosen; those that come and go are interchangeable, or noise. `fits` is how many fits it all took.
    """

    features: tuple[str, ...]
    value: Interval
    measure: str
    search: Direction
    chosen: Mapping[str, int]
    folds: int
    fits: int

    def _brief(self) -> str:
        return f"{self.search}: {', '.join(self.features)}; nested {self.measure} {self.value}"

    def _columns(self) -> Mapping[str, Any]:
        names = list(self.chosen)
        selected = [name in self.features for name in names]
        return {"feature": names, "selected": selected, "folds": [self.chosen[name] for name in names]}


def feature_search(
    estimator: Any,
    X: Any,
    y: Any,
    n_features: int,
    *,
    search: Direction = "forward",
    measure: MeasureLike = "error_rate",
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    folds: Folding = 5,
    groups: Any = None,
    times: Any = None,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FeatureSearch:
    """Search features by a model's own cost or measure, nested in folds.

    "forward" adds and "backward" removes one feature at a time, "exhaustive" tries every subset; they are
    compared on three folds within the rows. The best subset on some rows is partly the luckiest there, so the search is
    run again within the training rows of every fold, and `value` is the measure on rows that no choice has met. With an
    `OperatingCondition` as the measure, the model takes the action of least expected cost. Of equal features the
    earlier is chosen. `progress` is called with how many fits are done and how many there are; other arguments are
    those of `cross_validate`.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> y = np.arange(150) % 2 == 0
    >>> X = np.random.default_rng(0).normal(size=(150, 5))
    >>> X[:, [1, 4]] += 2 * y[:, None]
    >>> feature_search(GaussianNB(), X, y, 2, folds=3).features
    ('x1', 'x4')
    """
    require_level(level)
    require_classifier(estimator)
    require_function(progress, name="progress")
    table = frame(X)
    size = require_size(n_features, search=search, features=table.shape[1])
    problem = problem_of(table, y, positive=positive, classes=classes, groups=groups, times=times)
    metric = fold_metric(measure, problem.target.several)
    require_quality(metric)
    if isinstance(measure, OperatingCondition):
        estimator = CostSensitiveClassifier(estimator, measure, positive=problem.target.positive)
    splits = splits_of(folds, problem.target.labels, groups=groups, times=times, seed=seed)
    each = _subsets_tried(table.shape[1], size, search) * _FOLDS_WITHIN
    race = _Race(estimator, problem, metric, seed, n_jobs, _Count(progress, each * (len(splits) + 1) + len(splits)))
    chosen = [race.run(split.train, size, search) for split in splits]
    values = np.array([race.value(subset, split) for subset, split in zip(chosen, splits, strict=True)])
    if np.isnan(values).any():
        what = f"{metric.name} is undefined in {int(np.isnan(values).sum())} of {values.size} folds"
        raise MeasureError(what, "take fewer folds, or a measure that is defined there")
    of_all = race.run(np.arange(len(table)), size, search)
    names = [str(name) for name in table.columns]
    return FeatureSearch(
        features=tuple(names[place] for place in of_all),
        value=corrected_interval(values, test_share=mean_test_share(splits), level=level, spread=metric.range),
        measure=metric.name,
        search=search,
        chosen={name: sum(place in subset for subset in chosen) for place, name in enumerate(names)},
        folds=len(splits),
        fits=race.count.done,
    )


def require_size(n_features: Any, *, search: Any, features: int) -> int:
    """How many features to choose; a search of too many subsets is refused."""
    if search not in get_args(Direction):
        fix = f"use one of {', '.join(get_args(Direction))}; selection() has searches by scatter"
        raise ArgumentError(f"there is no search {search!r} by a model", fix)
    fix = f"give how many of the {features:,} features to choose"
    size = require_integer(n_features, name="n_features", least=1, most=features, fix=fix)
    tried = _subsets_tried(features, size, search)
    if search == "exhaustive" and tried > _MOST_SUBSETS:
        what = f"{size:,} of {features:,} features make {tried:,} subsets, and at most {_MOST_SUBSETS:,} are fitted"
        raise ArgumentError(what, f"use {argument('search', 'forward')}, or leave features out first")
    return size


def _subsets_tried(features: int, size: int, search: Direction) -> int:
    if search == "exhaustive":
        return math.comb(features, size)
    if search == "forward":
        return sum(features - step for step in range(size))
    return sum(features - step for step in range(features - size))


class _Count:
    """How many fits are done, reported."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def add(self, fits: int) -> None:
        self.done += fits
        if self.progress is not None:
            self.progress(min(self.done, self.total), self.total)


@dataclass(frozen=True, slots=True, eq=False)
class _Race:
    """A model, the rows, and the measure by which subsets of features are compared."""

    estimator: Any
    problem: Problem
    metric: FoldMetric
    seed: int
    n_jobs: int | None
    count: _Count

    def run(self, rows: Indices, size: int, search: Direction) -> Subset:
        """The best subset on folds within these rows."""
        data = {name: values[rows] for name, values in self.problem.row_data.items()}
        within = splits_of(_FOLDS_WITHIN, self.problem.target.labels[rows], seed=self.seed, **data)
        splits = [FoldSplit(split.repeat, rows[split.train], rows[split.test]) for split in within]
        everything = range(self.problem.X.shape[1])

        def best(subsets: Sequence[Subset]) -> Subset:
            tasks = [(subset, split) for subset in subsets for split in splits]
            values = np.array(in_parallel(self.loss, tasks, n_jobs=self.n_jobs)).reshape(len(subsets), -1)
            self.count.add(len(tasks))
            return subsets[int(values.mean(axis=1).argmin())]

        if search == "exhaustive":
            return best(list(combinations(everything, size)))
        chosen: Subset = () if search == "forward" else tuple(everything)
        while len(chosen) < size:
            chosen = best([(*chosen, place) for place in everything if place not in chosen])
        while len(chosen) > size:
            chosen = best([tuple(one for one in chosen if one != place) for place in reversed(chosen)])
        return chosen

    def loss(self, subset: Subset, split: FoldSplit) -> float:
        """What a model of these features loses on a fold; undefined is worst."""
        value = self._measure(subset, split)
        return math.inf if math.isnan(value) else value if self.metric.better == "lower" else -value

    def value(self, subset: Subset, split: FoldSplit) -> float:
        """The measure of a model of these features on a fold."""
        self.count.add(1)
        return self._measure(subset, split)

    def _measure(self, subset: Subset, split: FoldSplit) -> float:
        problem = Problem(self.problem.X.iloc[:, list(subset)], self.problem.target, None, self.problem.row_data)
        (scored,) = fit_and_score(self.estimator, problem, split.train, [split.test])
        return float(self.metric(scored))
