"""`Neighbours`: the class mix among the nearest training rows, however few rows there are."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher._internal.arguments import require_integer
from thresher.learning.data.target import class_labels
from thresher.ranking import Floats


class Neighbours(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's nearest neighbours, which asks no more rows than it was given.

    Folds within folds of a small table may hold fewer rows than neighbours are asked for.

    Parameters
    ----------
    most
        How many neighbours at the most.

    Examples
    --------
    >>> model = Neighbours(15).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.model_.n_neighbors, model.predict_proba([[0.0]]).tolist()
    (4, [[0.5, 0.5]])
    """

    def __init__(self, most: int = 15) -> None:
        self.most = most

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows."""
        most = require_integer(self.most, name="most", least=1, fix="e.g. Neighbours(15)")
        rows, labels = validate_data(self, X), class_labels(y)
        self.model_ = KNeighborsClassifier(min(most, len(rows))).fit(rows, labels)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most frequent class among the neighbours."""
        rows = self._rows(X)
        return np.asarray(self.model_.predict(rows))

    def predict_proba(self, X: Any) -> Floats:
        """The class mix among the neighbours."""
        rows = self._rows(X)
        return np.asarray(self.model_.predict_proba(rows))

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, reset=False)
