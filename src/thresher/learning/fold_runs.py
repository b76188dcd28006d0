"""Fold runs: models fitted on the training rows of splits and scored on others, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from thresher.errors import ArgumentError, LengthError
from thresher.inference.resampling import Progress
from thresher.learning.arguments import require_function, require_jobs
from thresher.learning.beside_rows import beside_rows, handed_on
from thresher.learning.rows import row_count, rows_of
from thresher.learning.scores import positive_scores, response_of
from thresher.learning.targets import BinaryTarget, binary_target
from thresher.learning.yardstick import ScoredFold
from thresher.ranking import Floats, Indices
from thresher.sources.arrays import checked_weights
from thresher.sources.columns import column

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
    >>> from thresher.learning.targets import binary_target
    >>> target = binary_target([0, 0, 1, 1], positive=None, matters=True)
    >>> problem = Problem(np.array([[0.0], [0.2], [0.9], [1.0]]), target)
    >>> (fold,) = scored(GaussianNB(), problem, np.array([0, 2]), [np.array([1, 3])])
    >>> fold.called
    array([False,  True])
    """
    target, _where = problem.target, "fit on training rows"
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
