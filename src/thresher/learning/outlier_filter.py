"""A model that is trained without outliers and scores every row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher.errors import LabelError
from thresher.learning.arguments import require_classifier
from thresher.learning.outlier_fences import OutlierMethod
from thresher.learning.outliers import Outliers

Method: TypeAlias = Callable[[Any, Any], Any]


def _has(name: str) -> Callable[[Method], Method]:
    checked: Callable[[Method], Method] = available_if(lambda self: hasattr(self.estimator, name))
    return checked


class OutlierFilter(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Leave outlying rows out of training, and only of training: rows to be scored are all scored.

    Parameters
    ----------
    estimator : the classifier to train on what is left.
    method, factor, seed : how outliers are found, as in `Outliers`.

    Attributes
    ----------
    estimator_ : the trained classifier.
    dropped_ : how many training rows were left out; `kept_` flags the others.

    >>> from sklearn.linear_model import LogisticRegression
    >>> model = OutlierFilter(LogisticRegression()).fit([[1.0], [2.0], [3.0], [4.0], [90.0]], [0, 0, 1, 1, 0])
    >>> model.dropped_, model.predict([[90.0]]).tolist()
    (1, [1])
    """

    def __init__(
        self, estimator: Any, *, method: OutlierMethod = "iqr", factor: float | None = None, seed: int = 0
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.factor = factor
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """Find outliers among the training rows, and train without them."""
        require_classifier(self.estimator)
        rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        check_classification_targets(labels)
        finder = Outliers(self.method, action="flag", factor=self.factor, seed=self.seed).fit(rows)
        self.kept_ = ~finder.found(rows)
        self.dropped_ = int((~self.kept_).sum())
        gone = set(labels.tolist()) - set(labels[self.kept_].tolist())
        if gone:
            raise LabelError(
                f"every row of class {next(iter(gone))!r} is an outlier by {self.method}, so none is left",
                "widen the fences with factor=, or flag outliers instead of dropping them",
            )
        # A frame stays one, so that the classifier knows its columns by name.
        inside = X[self.kept_] if hasattr(X, "columns") and hasattr(X, "iloc") else rows[self.kept_]
        self.estimator_ = clone(self.estimator).fit(inside, labels[self.kept_])
        self.classes_ = self.estimator_.classes_
        return self

    @_has("predict")
    def predict(self, X: Any) -> Any:
        """Classes of all rows."""
        return self._asked("predict", X)

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of all rows."""
        return self._asked("predict_proba", X)

    @_has("decision_function")
    def decision_function(self, X: Any) -> Any:
        """Scores of all rows."""
        return self._asked("decision_function", X)

    def _asked(self, method: str, X: Any) -> Any:
        check_is_fitted(self)
        validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        return getattr(self.estimator_, method)(X)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags
