"""Cross-validation: out-of-fold scores of several models on the same folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from thresher._internal.arguments import require_function, require_jobs, require_level
from thresher._internal.parallel import Progress
from thresher._internal.results import Tabular
from thresher.cautions import Caution
from thresher.errors import ArgumentError, LengthError, MeasureError, OneClassError
from thresher.inference import Difference, Interval, corrected_t
from thresher.inputs.columns import Column, column
from thresher.inputs.rank import checked_weights
from thresher.learning.data.target import BinaryTarget, binary_target
from thresher.learning.models.wrapper import positive_scores, response_of
from thresher.learning.validation.folds import Folding, FoldSplit, beside_rows, handed_on, row_count, rows_of, splits_of
from thresher.learning.validation.scoring import ScoredFold, Yard, corrected_interval, yardstick
from thresher.ranking import Flags, Floats, Indices, Ranking

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A table of features, its target, weights of rows if any, and groups and times by name if any."""

    X: Any
    target: BinaryTarget
    weight: Floats | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)


def problem_of(X: Any, y: Any, *, positive: Any, weights: Any = None, groups: Any = None, times: Any = None) -> Problem:
    """Features and the target they belong to, row by row, with what stands beside them.

    >>> problem_of([[1.0], [2.0]], [0, 1], positive=None).target.positive
    1
    >>> problem_of([[1.0]], [0, 1], positive=None)
    Traceback (most recent call last):
    thresher.errors.LengthError: X has 1 rows and y 2
      where: problem_of(X, y)
      fix:   give one label per row
    """
    if not (hasattr(X, "shape") or hasattr(X, "__len__")) or isinstance(X, str | bytes):
        raise ArgumentError(f"X is {X!r}, which has no rows", "give a table, an array or a list of rows")
    target = binary_target(y, positive=positive, matters=True)
    if row_count(X) != target.labels.size:
        raise LengthError(f"X has {row_count(X):,} rows and y {target.labels.size:,}", "give one label per row")
    beside = beside_rows(groups, times, rows=target.labels.size)
    return Problem(X, target, None if weights is None else _weights(weights, target.labels.size), beside)


def scored(estimator: Any, problem: Problem, train: Indices, tests: Sequence[Indices]) -> list[ScoredFold]:
    """Fit a copy on the training rows, and score several sets of rows with it.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning.data.target import binary_target
    >>> target = binary_target([0, 0, 1, 1], positive=None, matters=True)
    >>> problem = Problem(np.array([[0.0], [0.2], [0.9], [1.0]]), target)
    >>> (fold,) = scored(GaussianNB(), problem, np.array([0, 2]), [np.array([1, 3])])
    >>> fold.called
    array([False,  True])
    """
    target = problem.target
    method = response_of(estimator, "auto")
    model = clone(estimator)
    given = handed_on(model, {name: values[train] for name, values in problem.beside.items()})
    if problem.weight is not None:
        if not has_fit_parameter(model, "sample_weight"):
            raise ArgumentError(
                f"{type(model).__name__}.fit takes no sample_weight", "leave weights out, or take another model"
            )
        given["sample_weight"] = problem.weight[train]
    model.fit(rows_of(problem.X, train), target.labels[train], **given)
    found = []
    for test in tests:
        X = rows_of(problem.X, test)
        found.append(
            ScoredFold(
                positive=target.flags[test],
                score=positive_scores(model, X, method=method, positive=target.place),
                called=np.asarray(np.asarray(model.predict(X)) == target.positive, dtype=np.bool_),
                weight=None if problem.weight is None else problem.weight[test],
                within=getattr(model, "calibrated_ranking_", None),
            )
        )
    return found


def in_parallel(
    work: Callable[..., T], tasks: Iterable[tuple[Any, ...]], *, n_jobs: int | None, progress: Progress | None = None
) -> list[T]:
    """What `work` returns for each task, in order; `progress(done, all)` is called as tasks finish.

    >>> in_parallel(pow, [(2, 3), (3, 2)], n_jobs=None)
    [8, 9]
    """
    require_jobs(n_jobs)
    require_function(progress, name="progress")
    todo = list(tasks)
    done: list[T] = []
    for result in Parallel(n_jobs=n_jobs, return_as="generator")(delayed(work)(*task) for task in todo):
        done.append(result)
        if progress is not None:
            progress(len(done), len(todo))
    return done


def _weights(weights: Any, rows: int) -> Floats:
    given = checked_weights(column(weights, name="weights"))
    if given.size != rows:
        raise LengthError(f"there are {given.size:,} weights for {rows:,} rows", "give one per row")
    return given


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossValidation(Tabular):
    """Out-of-fold scores: entry i of every column belongs to row `row[i]`, tested in fold `fold[i]`.

    `labels` flags positives; `scores` and `predictions` hold a column per model. With repeats a row has an entry per
    repeat. `labels`, `scores`, `predictions`, `weights` and `clusters` are what `evaluate` and `compare` take:
    `clusters` keeps entries of one row or group together, and is None where none belong together. `within` holds, for
    models that deal folds within their training rows (`CalibratedModel`), the ranking of those rows in each fold.
    """

    labels: Flags
    scores: Mapping[str, Floats]
    predictions: Mapping[str, Flags]
    row: Indices
    fold: Indices
    splits: tuple[FoldSplit, ...]
    positive: Any
    weights: Floats | None = None
    groups: Column | None = None
    within: Mapping[str, tuple[Ranking, ...]] = field(default_factory=dict)

    @property
    def clusters(self) -> Column | None:
        """Which entries belong together: the groups given, or the rows when they are tested more than once."""
        if self.groups is not None:
            return self.groups[self.row]
        return self.row if len({split.repeat for split in self.splits}) > 1 or self._tested_twice() else None

    @property
    def test_share(self) -> float:
        """The mean share of a fold's rows that it is tested on, as `corrected_t` needs it."""
        return float(np.mean([split.test.size / (split.test.size + split.train.size) for split in self.splits]))

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to mind when the columns are used as one."""
        text = f"scores of {len(self.splits)} fits stand in one column; where fits differ in scale, ranks mix"
        return (Caution("pooled-folds", text),)

    def rankings(self, model: str | None = None) -> tuple[Ranking, ...]:
        """One ranking per fold, which mixes no scales."""
        return tuple(fold.ranking() for fold in self._folds(model))

    def pooled(self, model: str | None = None) -> Ranking:
        """All entries in one ranking, as if the fits shared one scale; see `cautions`."""
        name = self._name(model)
        return ScoredFold(self.labels, self.scores[name], self.predictions[name], self.weights).ranking()

    def per_fold(self, measure: Yard = "auc", model: str | None = None) -> Floats:
        """Any measure in each fold, NaN where it is undefined.

        A fold with one class has no AUC, so leave-one-out has none at all: ask `auc(cv.pooled())` then.
        """
        stick = yardstick(measure)
        try:
            return np.array([stick.of(fold) for fold in self._folds(model)])
        except OneClassError:
            raise OneClassError(
                f"some fold is tested on one class only, where {stick.name} has no value",
                fix="take fewer or stratified folds, or ask for the measure of cv.pooled()",
            ) from None

    def estimate(self, measure: Yard = "auc", model: str | None = None, *, level: float = 0.95) -> Interval:
        """The mean over folds, with limits that allow for folds sharing training rows (Nadeau & Bengio 2003)."""
        require_level(level)
        stick = yardstick(measure)
        values = _defined(self.per_fold(measure, model), stick.name)
        return corrected_interval(values, test_share=self.test_share, level=level, spread=stick.range)

    def difference(
        self, a: str, b: str, measure: Yard = "auc", *, level: float = 0.95, margin: float = 0.0
    ) -> Difference:
        """Model a minus model b over folds, by the corrected resampled t test."""
        stick = yardstick(measure)
        if stick.better == "neither":
            raise MeasureError(f"{stick.name} is neither better nor worse", "pick another")
        of_a, of_b = (_defined(self.per_fold(measure, name), stick.name) for name in (a, b))
        found = corrected_t(of_a, of_b, test_share=self.test_share, level=level, margin=margin, better=stick.better)
        return replace(found, a=a, b=b)

    def _brief(self) -> str:
        rows, folds = len(set(self.row.tolist())), len(self.splits)
        return f"{', '.join(self.scores)}; {rows:,} rows, {folds} folds"

    def _columns(self) -> Mapping[str, Any]:
        models = len(self.scores)
        return {
            "row": np.tile(self.row, models),
            "fold": np.tile(self.fold, models),
            "positive": np.tile(self.labels, models),
            "model": np.repeat(np.array(list(self.scores), dtype=object), self.row.size),
            "score": np.concatenate(list(self.scores.values())),
            "predicted": np.concatenate([self.predictions[name] for name in self.scores]),
        }

    def _folds(self, model: str | None) -> list[ScoredFold]:
        name = self._name(model)
        found = []
        for number in range(len(self.splits)):
            here = self.fold == number
            weight = None if self.weights is None else self.weights[here]
            found.append(ScoredFold(self.labels[here], self.scores[name][here], self.predictions[name][here], weight))
        return found

    def _name(self, model: str | None) -> str:
        if model in self.scores or (model is None and len(self.scores) == 1):
            return next(iter(self.scores)) if model is None else model
        what = "there are several models" if model is None else f"there is no model {model!r}"
        raise ArgumentError(what, f"pass model= one of {', '.join(self.scores)}")

    def _tested_twice(self) -> bool:
        return len(set(self.row.tolist())) < self.row.size


def cross_validate(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    folds: Folding = 5,
    groups: Any = None,
    times: Any = None,
    weights: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> CrossValidation:
    """Score rows by models that have not learnt from them, several models on the same folds.

    Parameters
    ----------
    estimators
        One classifier, or a mapping of names to classifiers; they are copied and never changed.
    X, y
        Features and labels of two classes, one row each.
    positive
        The positive label; needed unless labels are bool or 0/1.
    folds
        A number of folds, `Folds(count, kind, repeats)`, a scikit-learn splitter, or pairs of training and test rows.
        A number is stratified, grouped where `groups` are given, and in time where `times` are.
    groups, times
        What rows belong together, and when each was observed; wrappers such as `CalibratedModel` keep to both in
        folds of their own.
    weights
        Weights of rows, in fitting and in measuring.
    seed
        Of dealing rows into folds; models take theirs as `random_state`.
    n_jobs, progress
        How many fits run at once, and a function called with how many are done and how many there are.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_leaf_nodes=8, random_state=0)}
    >>> cv = cross_validate(models, X, y == 0, folds=10)
    >>> cv
    CrossValidation(bayes, tree; 569 rows, 10 folds)
    >>> cv.difference("bayes", "tree", "auc").verdict
    'better'
    >>> from thresher import evaluate
    >>> evaluate(cv.labels, cv.scores, clusters=cv.clusters).decision.model
    'bayes'
    """
    models = _named(estimators)
    problem = problem_of(X, y, positive=positive, weights=weights, groups=groups, times=times)
    target, weight = problem.target, problem.weight
    splits = splits_of(folds, target.flags, groups=groups, times=times, seed=seed)
    tasks = [(model, problem, split.train, [split.test]) for model in models.values() for split in splits]
    runs = [run[0] for run in in_parallel(scored, tasks, n_jobs=n_jobs, progress=progress)]
    by_model = {name: runs[place * len(splits) :][: len(splits)] for place, name in enumerate(models)}
    row = np.concatenate([split.test for split in splits])
    return CrossValidation(
        labels=target.flags[row],
        scores={name: np.concatenate([run.score for run in found]) for name, found in by_model.items()},
        predictions={name: np.concatenate([run.called for run in found]) for name, found in by_model.items()},
        row=row,
        fold=np.repeat(np.arange(len(splits)), [split.test.size for split in splits]),
        splits=splits,
        positive=target.positive,
        weights=None if weight is None else weight[row],
        groups=problem.beside.get("groups"),
        within={
            name: rankings
            for name, found in by_model.items()
            if len(rankings := tuple(run.within for run in found if run.within is not None)) == len(splits)
        },
    )


def _named(estimators: Any) -> dict[str, Any]:
    named = dict(estimators) if isinstance(estimators, Mapping) else {"model": estimators}
    if not named or not all(isinstance(name, str) and hasattr(model, "fit") for name, model in named.items()):
        raise ArgumentError(
            "estimators must be a classifier or a mapping of names to classifiers",
            fix='give e.g. {"tree": DecisionTreeClassifier()}',
        )
    return named


def _defined(values: Floats, name: str) -> Floats:
    undefined = int(np.isnan(values).sum())
    if undefined:
        raise MeasureError(
            f"{name} is undefined in {undefined} of {values.size} folds",
            fix="take fewer folds, or a measure that is defined there; per_fold shows which",
        )
    return values
