"""ScatterSelector: selection by scatter as a scikit-learn transformer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher._internal.arguments import require_number
from thresher.learning.features.scatter import scatter
from thresher.learning.features.selection import Criterion, Search, selection
from thresher.ranking import Flags


class ScatterSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keep the features that hold the classes furthest apart for their scatter within classes.

    Parameters
    ----------
    n_features : how many to keep; half of them when None. A float in (0, 1) is a share.
    search : "top", "forward", "backward", "exhaustive" or "exact" (the best subset by J, by Dinkelbach's iteration).
    criterion : "trace_ratio", J = trace(S_B)/trace(S_W), or "hotelling_lawley", trace(S_W⁻¹ S_B), which also sees
        that features repeat each other.

    J adds up variances, so features on larger scales weigh more, unless they are standardised first.

    Attributes
    ----------
    scatter_ : the `Scatter` of the training rows.
    selection_ : the `Selection`: what was chosen, and what it is worth.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ScatterSelector(2, search="exact").set_output(transform="pandas").fit(X, y)
    >>> selector.transform(X).columns.tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> selector.selection_
    Selection(exact: petal length (cm), petal width (cm); J=15.5)
    """

    def __init__(
        self,
        n_features: float | None = None,
        *,
        search: Search = "top",
        criterion: Criterion = "trace_ratio",
    ) -> None:
        self.n_features = n_features
        self.search = search
        self.criterion = criterion

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the scatter of the training rows in one pass, and choose."""
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        found = scatter(X, y, matrix=self.criterion == "hotelling_lawley")
        self.scatter_ = replace(found, names=tuple(getattr(self, "feature_names_in_", found.names)))
        self.selection_ = selection(self.scatter_, self._size(), search=self.search, criterion=self.criterion)
        return self

    def _size(self) -> Any:
        if self.n_features is None:
            return max(1, self.n_features_in_ // 2)
        fix = "give a number of features, or a share of them such as 0.5"
        require_number(self.n_features, name="n_features", fix=fix)
        if 0 < self.n_features < 1:
            return max(1, round(self.n_features * self.n_features_in_))
        return self.n_features

    def _get_support_mask(self) -> Flags:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=np.bool_)
        mask[self.selection_.features] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
