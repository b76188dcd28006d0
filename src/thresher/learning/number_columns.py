"""Columns of numbers as float64, whatever they were written in; text among them is refused, not made missing."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from thresher.learning.column_looks import words_among_numbers
from thresher.learning.frames import frame


class Numbers(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers, numbers written as text, and booleans as float64; missing stays missing.

    >>> Numbers().fit_transform({"fare": ["7.25", None], "alone": [True, False]}).to_numpy().tolist()
    [[7.25, 1.0], [nan, 0.0]]
    """

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Remember the names; there is nothing to learn."""
        table = frame(X)
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """The same columns as float64."""
        import pandas as pd

        rows = getattr(X, "index", None)
        table = frame(X)
        made = pd.DataFrame({name: _read(table[name], pd) for name in table.columns}, dtype=np.float64)
        return made if rows is None else made.set_index(rows)


def _read(values: Any, pandas: Any) -> Any:
    if values.dtype == np.float64:
        return values
    present = values.dropna()
    numbers = pandas.to_numeric(present.astype(object), errors="coerce")
    if numbers.isna().any():
        raise words_among_numbers(present, numbers)
    return numbers.astype(np.float64).reindex(values.index)
