"""`DistanceClassifier`: scores by the signed distance from a boundary."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from thresher._internal.arguments import require_classifier
from thresher.errors import ArgumentError
from thresher.learning.data.target import binary_target
from thresher.ranking import Floats


class DistanceClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A linear classifier scored by the signed distance (w·x + b) / ‖w‖.

    Distances share the unit of the features, so scores of several fits may be pooled; decision functions grow with
    the weights. For two classes: with more, distances would not rank classes as the model does.

    The estimator has `coef_` and `decision_function`, as LogisticRegression, LinearSVC and LinearDiscriminantAnalysis
    do. Scale features outside of it, in a pipeline around this one.

    >>> from sklearn.svm import SVC
    >>> X, y = [[0, 0], [0, 1], [4, 0], [4, 1]], [0, 0, 1, 1]
    >>> distance = DistanceClassifier(SVC(kernel="linear", C=1000)).fit(X, y)
    >>> (distance.decision_function([[5, 0], [0, 0]]) + 0.0).round(1)
    array([ 3., -2.])
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, **parameters: Any) -> Self:
        """Fit the inner model and measure its weights."""
        require_classifier(self.estimator)
        X, y = indexable(X, y)
        labels = binary_target(y, positive=None, matters=False).labels
        if get_config()["enable_metadata_routing"]:
            parameters = process_routing(self, "fit", **parameters).estimator.fit
        self.estimator_ = clone(self.estimator)
        if not isinstance(self.estimator, FrozenEstimator):
            self.estimator_.fit(X, labels, **parameters)
        weights = getattr(self.estimator_, "coef_", None)
        if weights is None or not hasattr(self.estimator_, "decision_function"):
            what = f"{type(self.estimator).__name__} has no coef_ with a decision_function, so it has no flat boundary"
            raise ArgumentError(what, "take a linear classifier, e.g. LogisticRegression() or LinearSVC()")
        self.norm_ = float(np.linalg.norm(weights.toarray() if hasattr(weights, "toarray") else weights))
        if not self.norm_ > 0:
            raise ArgumentError("all weights are 0, so there is no boundary", "give features that differ")
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, in order."""
        return np.asarray(self.estimator_.classes_)

    def decision_function(self, X: Any) -> Floats:
        """Distance from the boundary, above 0 on the side of the second class."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X), dtype=np.float64) / self.norm_

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The inner model's label of each row."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(X))

    def get_metadata_routing(self) -> Any:
        """All metadata of `fit` goes to the inner model."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_class = False
        return tags
