"""The one loop of folds: fit on training rows, score other rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import numpy as np
from scipy.special import softmax
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from thresher._internal.arguments import require_function, require_jobs
from thresher._internal.parallel import Progress
from thresher.errors import ArgumentError, LengthError
from thresher.inputs.arrow import Column
from thresher.inputs.columns import column
from thresher.inputs.labels import classes_of, same
from thresher.inputs.matrix import segment
from thresher.inputs.rank import checked_weights, rank
from thresher.learning.data.target import ClassTarget, class_target
from thresher.learning.validation.folds import groups_and_times, parameters_of, route, row_count, rows_of
from thresher.ranking import Floats, Indices, Ranking, Segments
from thresher.tables import ConfusionMatrix, Contingency, confusion, contingency

Response: TypeAlias = Literal["auto", "predict_proba", "decision_function"]
T = TypeVar("T")
_ONE_THREAD = 20_000  # rows up to which boosting on two cores is faster on one of them


@dataclass(frozen=True, slots=True, eq=False)
class ScoredFold:
    """Rows of a fold: labels, scores, predictions and weights.

    Of two classes, one of them positive, labels and predictions are flags and a score is a number. With `classes`,
    labels and predictions are some of these, and a score is a vector of their probabilities. `within` ranks (or
    segments) the rows that the model learnt from by scores of folds within them, where the model makes such folds.
    """

    labels: Column
    score: Floats
    predicted: Column
    weight: Floats | None = None
    within: Ranking | Segments | None = None
    classes: tuple[Any, ...] | None = None

    def ranking(self) -> Ranking:
        """The rows ranked."""
        return rank(self.labels, self.score, weights=self.weight)

    def counted(self) -> Any:
        """The rows as a ranking or, of several classes, as segments."""
        return self.ranking() if self.classes is None else self.segments()

    def segments(self) -> Segments:
        """The rows counted by class and vector of probabilities."""
        return segment(self.labels, self.score, classes=self.classes, weights=self.weight)

    def table(self) -> Contingency:
        """The table of the model's predictions."""
        return contingency(self.labels, self.predicted, weights=self.weight)

    def confusion(self) -> ConfusionMatrix:
        """The matrix of the model's predictions of several classes."""
        return confusion(self.labels, self.predicted, classes=self.classes, weights=self.weight)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Features, their target, and weights, groups and times of rows if any."""

    X: Any
    target: ClassTarget
    weight: Floats | None = None
    row_data: Mapping[str, Any] = field(default_factory=dict)

    def parameters(self, estimator: Any) -> dict[str, Any]:
        """What an estimator's `fit` takes; weights it cannot take are refused."""
        parameters = route(self.row_data, estimator)
        if self.weight is not None:
            require_weighted_fit(estimator)
            parameters["sample_weight"] = self.weight
        return parameters


def problem_of(
    X: Any,
    y: Any,
    *,
    positive: Any,
    classes: Sequence[Any] | None = None,
    weights: Any = None,
    groups: Any = None,
    times: Any = None,
) -> Problem:
    """Features and their target, with weights, groups and times, one entry per row."""
    if not (hasattr(X, "shape") or hasattr(X, "__len__")) or isinstance(X, str | bytes):
        raise ArgumentError(f"X is {X!r}, which has no rows", "give a table, an array or a list of rows")
    target = class_target(y, positive=positive, classes=classes)
    rows = target.labels.size
    if row_count(X) != rows:
        raise LengthError(f"X has {row_count(X):,} rows and y {rows:,}", "give one label per row")
    row_data = groups_and_times(groups, times, rows=rows)
    weight = None if weights is None else checked_weights(column(weights, name="weights"))
    if weight is not None and weight.size != rows:
        raise LengthError(f"there are {weight.size:,} weights for {rows:,} rows", "give one per row")
    return Problem(X, target, weight, row_data)


def require_weighted_fit(estimator: Any) -> None:
    """Refuse an estimator whose `fit` takes no weights, which would be half used."""
    if not has_fit_parameter(estimator, "sample_weight"):
        fix = "leave weights out, take another model, or request them for a step of a pipeline by metadata routing"
        raise ArgumentError(f"{type(estimator).__name__}.fit takes no sample_weight", fix)


def response_of(estimator: Any, response: Response) -> str:
    """The method that scores; "auto" prefers probabilities to the decision function."""
    options = get_args(Response)
    if response not in options:
        raise ArgumentError(f"response must be one of {', '.join(options)}, got {response!r}", "pick one")
    methods = options[1:] if response == "auto" else (response,)
    available = [method for method in methods if hasattr(estimator, method)]
    if not available:
        what = f"{type(estimator).__name__} has no {' or '.join(methods)}, so it gives no scores"
        fix = "take a classifier that scores, e.g. LogisticRegression()"
        if hasattr(estimator, "decision_function"):
            fix = 'give it probabilities: CalibratedModel(model), method="dirichlet" for more than two classes'
        raise ArgumentError(what, fix)
    return available[0]


def positive_scores(estimator: Any, X: Any, *, method: str, positive: int) -> Floats:
    """One score per row, higher for the class at place `positive` of `classes_`.

    Decision functions of two classes speak for the second; for the first their sign is turned.
    """
    values = np.asarray(getattr(estimator, method)(X), dtype=np.float64)
    if values.ndim == 1:
        return values if positive == 1 else -values
    return values[:, positive].copy()


def class_probabilities(estimator: Any, X: Any, *, method: str, classes: Sequence[Any]) -> Floats:
    """Probabilities of the classes, in their order; those of margins are softmaxed.

    Softmaxed margins order the classes as the model does and say nothing yet of how probable they are.
    """
    values = np.asarray(getattr(estimator, method)(X), dtype=np.float64)
    if values.ndim == 1:  # margins of two classes speak for the second
        values = np.stack([np.zeros_like(values), values], axis=1)
    if method != "predict_proba":
        values = softmax(values, axis=1)
    _, place = classes_of(np.asarray(estimator.classes_), classes=classes)
    probabilities = np.zeros((len(values), len(classes)))
    probabilities[:, place] = values
    return probabilities


def scores_of(estimator: Any, X: Any, *, method: str, classes: Sequence[Any], place: int | None) -> Floats:
    """Scores of the class at a `place`; without one, probabilities of all."""
    if place is None:
        return class_probabilities(estimator, X, method=method, classes=classes)
    return positive_scores(estimator, X, method=method, positive=place)


def fit_and_score(
    estimator: Any,
    problem: Problem,
    train: Indices,
    tests: Sequence[Indices],
    *,
    parameters: Mapping[str, Any] | None = None,
    method: str | None = None,
    predict: bool = True,
) -> list[ScoredFold]:
    """Fit a copy on the training rows, and score several sets of rows with it.

    `parameters` of the fit are the problem's unless given; those with one entry per row are cut to the training rows.
    Without `predict`, predictions are left out.
    """
    target = problem.target
    if method is None:
        method = response_of(estimator, "auto" if target.place is not None else "predict_proba")
    parameters = problem.parameters(estimator) if parameters is None else parameters
    own = parameters_of(parameters, train, row_count(problem.X))
    truth, folds = target.truth, []
    with _few_threads(train.size):
        model = clone(estimator).fit(rows_of(problem.X, train), target.labels[train], **own)
        for test in tests:
            X = rows_of(problem.X, test)
            predicted = np.asarray(model.predict(X)) if predict else np.empty(0)
            folds.append(
                ScoredFold(
                    labels=truth[test],
                    score=scores_of(model, X, method=method, classes=target.classes, place=target.place),
                    predicted=predicted if target.place is None else predicted == target.positive,
                    weight=None if problem.weight is None else problem.weight[test],
                    within=_within(model, target) if predict else None,
                    classes=target.several,
                )
            )
    return folds


def _few_threads(rows: int) -> AbstractContextManager[Any]:
    """One thread for few rows, where threads wait longer than they work."""
    return nullcontext() if rows > _ONE_THREAD else threadpool_limits(1)


def _within(model: Any, target: ClassTarget) -> Ranking | Segments | None:
    """Training rows by scores of inner folds, ranked where a class is positive."""
    calibrated: Ranking | Segments | None = getattr(model, "calibrated_", None)
    if isinstance(calibrated, Segments) and target.place is not None:
        return calibrated.ranking(target.positive)
    if isinstance(calibrated, Ranking) and target.place is None:
        return _by_class(calibrated, target.classes, positive=model.positive_)
    return calibrated


def _by_class(ranking: Ranking, classes: tuple[Any, ...], *, positive: Any) -> Segments:
    """A ranking by probability as segments of its two classes."""
    second = same(classes[1], positive)
    columns = (1 - ranking.score, ranking.score), (ranking.neg, ranking.pos)
    probability, counts = (np.stack(pair if second else pair[::-1], axis=1) for pair in columns)
    return Segments(probability, counts, classes=classes, dropped=ranking.dropped)


def in_parallel(
    work: Callable[..., T], tasks: Iterable[tuple[Any, ...]], *, n_jobs: int | None, progress: Progress | None = None
) -> list[T]:
    """What `work` returns for each task, in order; `progress(done, all)` is called."""
    require_jobs(n_jobs)
    require_function(progress, name="progress")
    todo = list(tasks)
    done: list[T] = []
    for result in Parallel(n_jobs=n_jobs, return_as="generator")(delayed(work)(*task) for task in todo):
        done.append(result)
        if progress is not None:
            progress(len(done), len(todo))
    return done
