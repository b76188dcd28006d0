"""Wrappers of classifiers: fitted on all rows, ranked on out-of-fold scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from thresher._internal.arguments import require_integer, require_jobs, require_one_of
from thresher.errors import ArgumentError, OneClassError
from thresher.learning.data.target import BinaryTarget, binary_target
from thresher.learning.validation.folds import (
    beside_rows,
    handed_on,
    inner_splits,
    parameters_of,
    row_count,
    row_pairs,
    rows_of,
)
from thresher.ranking import Floats, Indices, Ranking
from thresher.sources import rank

Response: TypeAlias = Literal["auto", "predict_proba", "decision_function"]

_RESPONSES = ("auto", "predict_proba", "decision_function")


def response_of(estimator: Any, response: Response) -> str:
    """The method that scores; "auto" takes probabilities where there are any, else the decision function.

    >>> from sklearn.svm import LinearSVC
    >>> response_of(LinearSVC(), "auto")
    'decision_function'
    """
    require_one_of(response, _RESPONSES, name="response")
    tried = _RESPONSES[1:] if response == "auto" else (response,)
    found = [method for method in tried if hasattr(estimator, method)]
    if not found:
        raise ArgumentError(
            f"{type(estimator).__name__} has no {' or '.join(tried)}, so it gives no scores",
            fix="take a classifier that scores, e.g. LogisticRegression()",
        )
    return found[0]


def positive_scores(estimator: Any, X: Any, *, method: str, positive: int) -> Floats:
    """One score per row, higher for the class at place `positive` of `classes_`.

    Decision functions of two classes speak for the second; for the first their sign is turned.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> stump = DecisionTreeClassifier().fit([[0], [1], [2]], ["ham", "spam", "spam"])
    >>> positive_scores(stump, [[0], [2]], method="predict_proba", positive=1)
    array([0., 1.])
    """
    values = np.asarray(getattr(estimator, method)(X), dtype=np.float64)
    if values.ndim == 1:
        return values if positive == 1 else -values
    return values[:, positive].copy()


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFold:
    """Scores of test rows, and which row each belongs to; rows that no fold tests are not there."""

    row: Indices
    score: Floats

    def ranking(self, target: BinaryTarget, weights: Any = None) -> Ranking:
        """The rows ranked by these scores. Scores of different fits are taken to share one scale."""
        kept = None if weights is None else np.asarray(weights)[self.row]
        return rank(target.flags[self.row], self.score, weights=kept)


def out_of_fold(
    estimator: Any,
    X: Any,
    target: BinaryTarget,
    *,
    splits: Sequence[tuple[Indices, Indices]],
    method: str,
    parameters: Mapping[str, Any],
    n_jobs: int | None = None,
) -> OutOfFold:
    """Fit a copy on the training rows of each split and score its test rows.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning.data.target import binary_target
    >>> X = np.array([[0.0], [0.2], [0.9], [1.0]])
    >>> y = binary_target([0, 0, 1, 1], positive=None, matters=True)
    >>> halves = [(np.array([0, 2]), np.array([1, 3])), (np.array([1, 3]), np.array([0, 2]))]
    >>> found = out_of_fold(GaussianNB(), X, y, splits=halves, method="predict_proba", parameters={})
    >>> print(found.ranking(y))
    [2+][2-]
    """
    if not splits:
        raise ArgumentError("there are no splits into training and test rows", "give cv= two folds or more")
    for number, (train, test) in enumerate(splits):
        if not 0 < target.flags[train].sum() < train.size:
            raise OneClassError(
                f"the {train.size:,} training rows of fold {number} hold one class only",
                fix="take fewer folds, or stratified ones",
            )
        if not test.size:
            raise ArgumentError(f"fold {number} has no test rows", "take fewer folds")
    require_jobs(n_jobs)
    scores = Parallel(n_jobs=n_jobs)(
        delayed(_scored)(clone(estimator), X, target, split, method=method, parameters=parameters) for split in splits
    )
    return OutOfFold(np.concatenate([test for _, test in splits]), np.concatenate(scores))


def _scored(
    estimator: Any,
    X: Any,
    target: BinaryTarget,
    split: tuple[Indices, Indices],
    *,
    method: str,
    parameters: Mapping[str, Any],
) -> Floats:
    train, test = split
    given = parameters_of(parameters, train, row_count(X))
    estimator.fit(rows_of(X, train), target.labels[train], **given)
    return positive_scores(estimator, rows_of(X, test), method=method, positive=target.place)


_CV = 'give a number of folds, a splitter, splits or "prefit"'


class WrappedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes around another one.

    After `fit`, `estimator_` is the model fitted on all rows, `ranking_` ranks the rows by out-of-fold scores
    (by its own scores where the model came fitted), and `positive_` is the positive label. `fit` takes `groups`, which
    stay together, and `times`, which run forward, in folds that are given as a number, and hands them on to wrappers
    within; a splitter is given groups and deals as it will.
    """

    estimator: Any
    positive: Any
    response: Any
    cv: Any
    n_jobs: int | None
    deals_folds = True

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The two labels, in order."""
        return np.asarray(self.estimator_.classes_)

    @property
    def n_features_in_(self) -> int:
        """How many features the inner model saw."""
        check_is_fitted(self)
        return int(self.estimator_.n_features_in_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ranking_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_class = False
        return tags

    def get_metadata_routing(self) -> Any:
        """Whom `fit` hands metadata to: the inner model, and the splitter of the folds."""
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        if hasattr(self.cv, "split"):
            router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        return router

    def scores(self, X: Any) -> Floats:
        """The inner model's scores of the positive class, which the wrapper works on."""
        check_is_fitted(self)
        return positive_scores(self.estimator_, X, method=self._method, positive=self._place)

    def _fitted_and_ranked(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        parameters: Mapping[str, Any],
        *,
        groups: Any,
        times: Any,
        matters: bool,
    ) -> Self:
        X, y = indexable(X, y)
        sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        target = binary_target(y, positive=self.positive, matters=matters)
        beside = beside_rows(groups, times, rows=target.labels.size)
        self._method = response_of(self.estimator, self.response)
        fit_parameters, split_parameters = self._parameters(sample_weight, beside, parameters)
        if self._prefit():
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            scores = positive_scores(self.estimator_, X, method=self._method, positive=target.place)
            scored = OutOfFold(np.arange(scores.size), scores)
        else:
            # The fit on all rows comes first: what is wrong with the rows is told by the model itself.
            self.estimator_ = clone(self.estimator).fit(X, target.labels, **fit_parameters)
            splits = self._splits(X, target, beside, split_parameters)
            scored = out_of_fold(
                self.estimator,
                X,
                target,
                splits=splits,
                method=self._method,
                parameters=fit_parameters,
                n_jobs=self.n_jobs,
            )
        self._place, self.positive_ = target.place, target.positive
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        self.ranking_ = scored.ranking(target, sample_weight)
        return self

    def _prefit(self) -> bool:
        return isinstance(self.estimator, FrozenEstimator) or (isinstance(self.cv, str) and self.cv == "prefit")

    def _splits(
        self, X: Any, target: BinaryTarget, beside: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> Sequence[tuple[Indices, Indices]]:
        if isinstance(self.cv, str | bytes | bool):
            raise ArgumentError(f"cv is {self.cv!r}", _CV)
        folds = 5 if self.cv is None else int(self.cv) if isinstance(self.cv, int | np.integer) else None
        if folds is not None:
            require_integer(folds, name="cv", least=2, fix="give two folds or more")
        if folds is not None and beside:
            return inner_splits(folds, target.flags, beside)
        rarest = int(min(target.flags.sum(), (~target.flags).sum()))
        if folds is not None and folds > rarest:
            raise ArgumentError(
                f"{folds} folds need {folds} rows of each class, and the rarer class has {rarest:,}"
                f" of {row_count(X):,} rows",
                fix=f"pass cv={max(2, rarest)} or less, or give more rows" if rarest > 1 else "give more rows",
            )
        if folds is None and not hasattr(self.cv, "split"):
            if not isinstance(self.cv, Iterable) or isinstance(self.cv, Mapping):
                raise ArgumentError(f"cv is {self.cv!r}", _CV)
            return row_pairs(self.cv, target.labels.size)
        splitter = check_cv(self.cv, target.labels, classifier=True)
        try:
            pairs = list(splitter.split(X, target.labels, **parameters))
        except ValueError as error:
            raise ArgumentError(f"the folds cannot be dealt: {error}", "give more rows, or fewer folds") from None
        return row_pairs(pairs, target.labels.size)

    def _parameters(
        self, sample_weight: Any, beside: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the inner fit and the splitter get."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **beside, **parameters)
            given = {name: value for name, value in routed.estimator.fit.items() if value is not None}
            splitter = routed.splitter.split if "splitter" in routed else {}
            return given, dict(splitter)
        given = {**handed_on(self.estimator, beside), **parameters}
        if sample_weight is not None and not self._prefit():
            if not has_fit_parameter(self.estimator, "sample_weight"):
                raise ArgumentError(
                    f"{type(self.estimator).__name__}.fit takes no sample_weight, so weights would be half used",
                    fix="leave them out, or turn metadata routing on and request them for a step of the pipeline",
                )
            given["sample_weight"] = sample_weight
        return given, {"groups": beside["groups"]} if "groups" in beside else {}


class ProbableClassifier(WrappedClassifier):
    """What wrappers share that turn scores into probabilities: subclasses say how, in `_probability`."""

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, one column per label in the order of `classes_`."""
        check_is_fitted(self)
        probability = self._probability(X)
        columns = (1 - probability, probability)
        return np.stack(columns if self._place == 1 else columns[::-1], axis=1)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The more probable label of each row; for costs, put this model inside a `ThresholdClassifier`."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _probability(self, X: Any) -> Floats:
        """The probability of the positive class of each row."""
        raise NotImplementedError
