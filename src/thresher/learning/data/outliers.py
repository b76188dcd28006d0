"""Outliers: fences around features, clipping, training without them."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, TransformerMixin, clone
from sklearn.ensemble import IsolationForest
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher._internal.arguments import require_classifier, require_number, require_one_of
from thresher.errors import ArgumentError, LabelError, argument
from thresher.learning.features.scatter import Matrix
from thresher.ranking import Flags, Floats

OutlierMethod: TypeAlias = Literal["iqr", "robust_z", "isolation_forest"]
OutlierAction: TypeAlias = Literal["flag", "clip"]

# Tukey's 1.5 interquartile ranges; 3.5 robust standard deviations after Iglewicz & Hoaglin (1993).
_FACTORS = {"iqr": 1.5, "robust_z": 3.5}
# The standard deviation of a normal distribution in median absolute deviations.
_MAD_SCALE = 1.482602218505602


def fences(X: Matrix, *, method: OutlierMethod, factor: float | None) -> tuple[Floats, Floats]:
    """The lowest and highest value of each feature that is no outlier.

    "iqr": `factor` (1.5) interquartile ranges beyond the quartiles. "robust_z": `factor` (3.5) times 1.4826 median
    absolute deviations from the median. Where half of the values are equal the width is 0, which says nothing about
    the others: such a feature has no fences.
    """
    width = _FACTORS[method] if factor is None else factor
    if not require_number(width, name="factor", fix="e.g. 1.5 for iqr") > 0:
        raise ArgumentError(f"factor must be above 0, got {factor}", "e.g. 1.5 for iqr")
    empty = np.isnan(X).all(axis=0)
    rows = np.where(empty, 0.0, X)
    if method == "iqr":
        low, high = np.nanpercentile(rows, [25, 75], axis=0)
        spread = high - low
    else:
        low = high = np.nanmedian(rows, axis=0)
        spread = _MAD_SCALE * np.nanmedian(np.abs(rows - low), axis=0)
    flat = (spread == 0) | empty
    return np.where(flat, -np.inf, low - width * spread), np.where(flat, np.inf, high + width * spread)


@dataclass(eq=False, repr=False)
class Outliers(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Outliers of numerical features: fences learnt in `fit`, and all rows treated.

    The method is "iqr" (Tukey's fences), "robust_z" (median and median absolute deviation) or "isolation_forest".
    "clip" moves values to the nearest fence; "flag" adds a column `outlier`, 1 where a row has one. No row is ever
    dropped here: that is for training alone (`OutlierFilter`). `factor` is how far fences reach, by default 1.5 for
    "iqr" and 3.5 for "robust_z"; for the forest it is the share of outliers. Missing values stay missing.

    >>> import numpy as np
    >>> rows = np.array([[1.0], [2.0], [3.0], [4.0], [90.0]])
    >>> Outliers("iqr").fit(rows).transform([[5.0], [-80.0]]).tolist()
    [[5.0], [-1.0]]
    >>> Outliers("iqr", action="flag").fit_transform(rows)[:, 1].tolist()
    [0.0, 0.0, 0.0, 0.0, 1.0]
    """

    method: OutlierMethod = "iqr"
    _: KW_ONLY
    action: OutlierAction = "clip"
    factor: float | None = None
    seed: int = 0

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learn where outliers begin."""
        require_one_of(self.method, get_args(OutlierMethod), name="method")
        require_one_of(self.action, get_args(OutlierAction), name="action")
        rows = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        if self.method != "isolation_forest":
            self.fences_ = fences(rows, method=self.method, factor=self.factor)
            return self
        if self.action == "clip":
            what = "a forest finds rows that are outliers, and has no fence to clip values to"
            raise ArgumentError(what, f"use {argument('action', 'flag')}, or {argument('method', 'iqr')} or 'robust_z'")
        share = "auto" if self.factor is None else self.factor
        self.forest_ = IsolationForest(contamination=share, random_state=self.seed).fit(rows)
        return self

    def flags(self, X: Any) -> Flags:
        """Which rows have an outlier."""
        rows = self._rows(X)
        if self.method == "isolation_forest":
            return np.asarray(self.forest_.predict(rows) < 0)
        low, high = self.fences_
        return np.any((low > rows) | (high < rows), axis=1)  # a missing entry is neither

    def transform(self, X: Any) -> Matrix:
        """The rows, clipped or with a flag more."""
        rows = self._rows(X)
        if self.action == "flag":
            return np.column_stack([rows, self.flags(X)])
        return np.clip(rows, *self.fences_)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names that came in, and `outlier` when flagged."""
        check_is_fitted(self)
        known = getattr(self, "feature_names_in_", input_features)
        names = [f"x{i}" for i in range(self.n_features_in_)] if known is None else list(known)
        return np.array([*names, "outlier"] if self.action == "flag" else names, dtype=object)

    def _rows(self, X: Any) -> Matrix:
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _offered(method: Any) -> Any:
    """Offer a method only where the inner model has one of the same name."""
    return available_if(lambda self: hasattr(self.estimator, method.__name__))(method)


@dataclass(eq=False, repr=False)
class OutlierFilter(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Leave outlying rows out of training, and only of training.

    `method`, `factor` and `seed` are those of `Outliers`. After `fit`, `estimator_` is the trained classifier,
    `dropped_` how many training rows were left out, and `inlier_mask_` flags the others.

    >>> from sklearn.linear_model import LogisticRegression
    >>> model = OutlierFilter(LogisticRegression()).fit([[1.0], [2.0], [3.0], [4.0], [90.0]], [0, 0, 1, 1, 0])
    >>> model.dropped_, model.predict([[90.0]]).tolist()
    (1, [1])
    """

    estimator: Any
    _: KW_ONLY
    method: OutlierMethod = "iqr"
    factor: float | None = None
    seed: int = 0

    def fit(self, X: Any, y: Any) -> Self:
        """Find outliers among the training rows, and train without them."""
        require_classifier(self.estimator)
        rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        check_classification_targets(labels)
        finder = Outliers(self.method, action="flag", factor=self.factor, seed=self.seed).fit(rows)
        self.inlier_mask_ = inlier = ~finder.flags(rows)
        self.dropped_ = int((~inlier).sum())
        if gone := set(labels.tolist()) - set(labels[inlier].tolist()):
            what = f"every row of class {next(iter(gone))!r} is an outlier by {self.method}, so none is left"
            raise LabelError(what, "widen the fences with factor=, or flag outliers instead of dropping them")
        # A frame stays one, so that the classifier knows its columns by name.
        inside = X[inlier] if hasattr(X, "columns") and hasattr(X, "iloc") else rows[inlier]
        self.estimator_ = clone(self.estimator).fit(inside, labels[inlier])
        self.classes_ = self.estimator_.classes_
        return self

    @_offered
    def predict(self, X: Any) -> Any:
        """Classes of all rows."""
        return self._inner(X).predict(X)

    @_offered
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of all rows."""
        return self._inner(X).predict_proba(X)

    @_offered
    def decision_function(self, X: Any) -> Any:
        """Scores of all rows."""
        return self._inner(X).decision_function(X)

    def _inner(self, X: Any) -> Any:
        check_is_fitted(self)
        validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        return self.estimator_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags
