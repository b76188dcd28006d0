"""Outliers flagged or clipped, by fences learnt on training rows: a scikit-learn transformer."""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher.errors import ArgumentError
from thresher.learning.outlier_fences import OutlierMethod, fences, forest, require_method
from thresher.learning.scatter_pass import Matrix
from thresher.ranking import Flags

OutlierAction: TypeAlias = Literal["flag", "clip"]


class Outliers(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Outliers of numerical features, found on the rows that `fit` sees and treated in all rows.

    Parameters
    ----------
    method : "iqr" (Tukey's fences), "robust_z" (median and median absolute deviation) or "isolation_forest".
    action : "clip" moves values to the nearest fence; "flag" adds a column `outlier`, 1 where a row has one. No row is
        ever dropped here: that is for training alone (`OutlierFilter`).
    factor : how far fences reach, 1.5 for "iqr" and 3.5 for "robust_z" when None; for the forest, their share.
    seed : of the forest.

    Missing values stay missing. In a pipeline, fences come from the training folds alone.

    >>> rows = np.array([[1.0], [2.0], [3.0], [4.0], [90.0]])
    >>> Outliers("iqr").fit(rows).transform([[5.0], [-80.0]]).tolist()
    [[5.0], [-1.0]]
    >>> Outliers("iqr", action="flag").fit_transform(rows)[:, 1].tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0]
    """

    def __init__(
        self,
        method: OutlierMethod = "iqr",
        *,
        action: OutlierAction = "clip",
        factor: float | None = None,
        seed: int = 0,
    ) -> None:
        self.method = method
        self.action = action
        self.factor = factor
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learn where outliers begin."""
        require_method(self.method)
        if self.action not in ("flag", "clip"):
            raise ArgumentError(f"there is no action {self.action!r}", "use flag or clip")
        rows = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        if self.method == "isolation_forest":
            if self.action == "clip":
                raise ArgumentError(
                    "a forest finds rows that are outliers, and has no fence to clip values to",
                    'use action="flag", or method="iqr" or "robust_z"',
                )
            self.forest_ = forest(rows, share=self.factor, seed=self.seed)
        else:
            self.fences_ = fences(rows, method=self.method, factor=self.factor)
        return self

    def found(self, X: Any) -> Flags:
        """Which rows have an outlier."""
        check_is_fitted(self)
        return self._found(self._rows(X))

    def transform(self, X: Any) -> Matrix:
        """The rows, clipped or with a flag more."""
        check_is_fitted(self)
        rows = self._rows(X)
        if self.action == "flag":
            return np.column_stack([rows, self._found(rows)])
        return np.clip(rows, self.fences_.low, self.fences_.high)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names that came in, and `outlier` when flagged."""
        check_is_fitted(self)
        given = getattr(self, "feature_names_in_", input_features)
        names = [f"x{i}" for i in range(self.n_features_in_)] if given is None else list(given)
        return np.array([*names, "outlier"] if self.action == "flag" else names, dtype=object)

    def _rows(self, X: Any) -> Matrix:
        return validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)

    def _found(self, rows: Matrix) -> Flags:
        if self.method == "isolation_forest":
            return np.asarray(self.forest_.predict(rows) < 0)
        return np.any(self.fences_.beyond(rows), axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
