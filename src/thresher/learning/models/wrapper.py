"""The base class of wrappers, which learn from out-of-fold scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from thresher._internal.arguments import require_integer
from thresher.errors import ArgumentError, argument
from thresher.inputs.labels import sorted_labels
from thresher.inputs.matrix import segment
from thresher.inputs.rank import rank
from thresher.learning.data.target import ClassTarget, binary_target, class_labels, class_target
from thresher.learning.validation.fit_and_score import (
    Problem,
    Response,
    fit_and_score,
    in_parallel,
    require_weighted_fit,
    response_of,
    scores_of,
)
from thresher.learning.validation.folds import (
    Folds,
    FoldSplit,
    fold_splits,
    groups_and_times,
    inner_splits,
    require_teachable,
    route,
)
from thresher.ranking import Floats

_CV = 'give a number of folds, a splitter, splits or "prefit"'


@dataclass(eq=False, repr=False)
class ClassifierWrapper(ClassifierMixin, MetaEstimatorMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier around another one.

    After `fit`, `estimator_` is the model fitted on all rows. Of two classes `ranking_` ranks the rows by out-of-fold
    scores (by its own scores where the model came fitted), and `positive_` is the positive label; of more, `segments_`
    counts them by vector of probabilities, and `positive_` is None. Subclasses say in `_learn` what they add, and in
    `predict_proba` how scores become probabilities.
    """

    estimator: Any
    _: KW_ONLY
    positive: Any = None
    response: Response = "auto"
    cv: Any = 5
    n_jobs: int | None = None

    makes_folds = True  # so that `route` passes groups and times

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, times: Any = None, **parameters: Any
    ) -> Self:
        """Fit the model on all rows, and learn from the ranking by out-of-fold scores.

        Folds given as a number hold `groups` together and run forward in `times`, which also reach wrappers within; a
        splitter gets the groups.
        """
        X, y = indexable(X, y)
        sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        target = self._target(y)
        self._check(target)
        row_data = groups_and_times(groups, times, rows=target.labels.size)
        self._method = response_of(self.estimator, self.response)
        fit_parameters, split_parameters = self._parameters(sample_weight, row_data, parameters)
        problem = Problem(X, target, sample_weight)
        if self._prefit():
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
        else:
            # The fit on all rows comes first, so that the model itself refuses rows it cannot use.
            self.estimator_ = clone(self.estimator).fit(X, target.labels, **fit_parameters)
        if self._scored():
            self._rank(problem, row_data, fit_parameters, split_parameters)
        self._place, self.positive_ = target.place, target.positive
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        self._learn(problem)
        return self

    def folds_within(
        self, X: Any, y: Any, *, groups: Any = None, times: Any = None
    ) -> tuple[Sequence[FoldSplit], ClassTarget]:
        """The folds that `fit` scores rows by, and the target as it reads it."""
        target = self._target(y)
        row_data = groups_and_times(groups, times, rows=target.labels.size)
        _, split_parameters = self._parameters(None, row_data, {})
        splits = self._splits(X, target, row_data, split_parameters)
        require_teachable(splits, target.labels)
        return splits, target

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The more probable label of each row, whatever errors cost."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    @abstractmethod
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, one column per label in the order of `classes_`."""

    def scores(self, X: Any) -> Floats:
        """The inner model's scores, which the wrapper works on.

        Of two classes those of the positive one; of more, vectors of probabilities, those of margins softmaxed.
        """
        check_is_fitted(self)
        return scores_of(self.estimator_, X, method=self._method, classes=self.classes_.tolist(), place=self._place)

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, in order."""
        return np.asarray(self.estimator_.classes_)

    @property
    def n_features_in_(self) -> int:
        """How many features the inner model saw."""
        check_is_fitted(self)
        return int(self.estimator_.n_features_in_)

    def get_metadata_routing(self) -> Any:
        """Metadata of `fit` goes to the inner model and to the splitter."""
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        if hasattr(self.cv, "split"):
            router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        return router

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_place")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        of_inner = get_tags(self.estimator).classifier_tags
        several = of_inner is None or of_inner.multi_class
        tags.classifier_tags.multi_class = several and not self._two_only()
        return tags

    @abstractmethod
    def _check(self, target: ClassTarget) -> None:
        """Refuse wrong parameters."""

    @abstractmethod
    def _learn(self, problem: Problem) -> None:
        """Learn from `ranking_` or `segments_` what the wrapper adds to the model."""

    def _matters(self) -> bool:
        """Whether it matters which of two classes is positive."""
        return False

    def _two_only(self) -> bool:
        """Whether more than two classes are refused."""
        return False

    def _by_class(self) -> bool:
        """Whether two classes are treated like more, none of them positive."""
        return False

    def _scored(self) -> bool:
        """Whether the wrapper learns from scores of training rows."""
        return True

    def _columns(self, probability: Floats) -> Floats:
        """A column per label, from the probability of the positive one."""
        columns = (1 - probability, probability)
        return np.stack(columns if self._place == 1 else columns[::-1], axis=1)

    def _target(self, y: Any) -> ClassTarget:
        if self._two_only():
            return binary_target(y, positive=self.positive, matters=self._matters())
        labels = class_labels(y)
        if self._by_class() and self.positive is not None:
            what = f"{argument('positive', self.positive)} is of scores of two classes, and here each class has its own"
            raise ArgumentError(what, "leave it out", parameter="positive")
        classes = sorted_labels(labels) if self._by_class() and len(set(labels.tolist())) > 1 else None
        return class_target(labels, positive=self.positive, matters=self._matters(), classes=classes)

    def _prefit(self) -> bool:
        return isinstance(self.estimator, FrozenEstimator) or (isinstance(self.cv, str) and self.cv == "prefit")

    def _parameters(
        self, sample_weight: Any, row_data: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Parameters of the inner fit and of the splitter."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **row_data, **parameters)
            fit = {name: value for name, value in routed.estimator.fit.items() if value is not None}
            return fit, dict(routed.splitter.split if "splitter" in routed else {})
        fit = {**route(row_data, self.estimator), **parameters}
        if sample_weight is not None and not self._prefit():
            require_weighted_fit(self.estimator)
            fit["sample_weight"] = sample_weight
        return fit, {"groups": row_data["groups"]} if "groups" in row_data else {}

    def _splits(
        self, X: Any, target: ClassTarget, row_data: Mapping[str, Any], parameters: Mapping[str, Any]
    ) -> Sequence[FoldSplit]:
        if isinstance(self.cv, str | bytes | bool | Mapping):
            raise ArgumentError(f"cv is {self.cv!r}", _CV)
        folds = 5 if self.cv is None else int(self.cv) if isinstance(self.cv, int | np.integer) else None
        if folds is not None:
            require_integer(folds, name="cv", least=2, fix="give two folds or more")
            if row_data:
                return inner_splits(folds, target.labels, row_data)
            Folds(folds).require_enough(target.labels)
        pairs: Iterable[Any] = self.cv
        if folds is not None or hasattr(self.cv, "split"):
            splitter = check_cv(self.cv, target.labels, classifier=True)
            try:
                pairs = list(splitter.split(X, target.labels, **parameters))
            except ValueError as error:
                raise ArgumentError(f"the folds cannot be made: {error}", "give more rows, or fewer folds") from None
        elif not isinstance(self.cv, Iterable):
            raise ArgumentError(f"cv is {self.cv!r}", _CV)
        return fold_splits(pairs, target.labels.size)

    def _rank(
        self,
        problem: Problem,
        row_data: Mapping[str, Any],
        fit_parameters: Mapping[str, Any],
        split_parameters: Mapping[str, Any],
    ) -> None:
        """Rank or count rows by scores of copies that did not learn from them."""
        target, weights = problem.target, problem.weight
        if self._prefit():
            row = np.arange(target.labels.size)
            classes, place = target.classes, target.place
            scores = scores_of(self.estimator_, problem.X, method=self._method, classes=classes, place=place)
        else:
            splits = self._splits(problem.X, target, row_data, split_parameters)
            require_teachable(splits, target.labels)
            work = partial(fit_and_score, parameters=fit_parameters, method=self._method, predict=False)
            tasks = [(self.estimator, problem, split.train, [split.test]) for split in splits]
            scores = np.concatenate([fold.score for (fold,) in in_parallel(work, tasks, n_jobs=self.n_jobs)])
            row = np.concatenate([split.test for split in splits])
        weights = None if weights is None else weights[row]
        if target.place is None:
            self.segments_ = segment(target.labels[row], scores, classes=target.classes, weights=weights)
        else:
            self.ranking_ = rank(target.flags[row], scores, weights=weights)
