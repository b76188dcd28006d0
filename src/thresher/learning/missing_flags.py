"""Where values are missing, as features: that a value is absent often says something."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from thresher.learning.frames import frame
from thresher.learning.scatter_pass import Matrix


class MissingFlags(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """One column per column, 1 where it is missing; the same columns in every fold, whether or not any is missing.

    >>> MissingFlags().set_output(transform="pandas").fit_transform({"age": [31, None]})
       age: missing
    0           0.0
    1           1.0
    """

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Remember the names; there is nothing to learn."""
        table = frame(X)
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        return self

    def transform(self, X: Any) -> Matrix:
        """1 where a value is missing, 0 elsewhere."""
        check_is_fitted(self)
        return frame(X).isna().to_numpy(dtype=np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002 - scikit-learn's signature
        """`age: missing` and the like."""
        check_is_fitted(self)
        return np.array([f"{name}: missing" for name in self.feature_names_in_], dtype=object)
