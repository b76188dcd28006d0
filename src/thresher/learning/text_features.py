"""Texts as numbers: TF-IDF of the words of each column, under names that say which column they come from."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from thresher.errors import ColumnError
from thresher.learning.frames import frame


class TextFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """TF-IDF of the `words` most frequent words of each column, by scikit-learn's vectoriser; a missing text has none.

    >>> texts = {"note": ["cheap pills", "cheap flights", None]}
    >>> TextFeatures().fit(texts).get_feature_names_out().tolist()
    ['note: cheap', 'note: flights', 'note: pills']
    """

    def __init__(self, words: int = 500, *, fewest_rows: int = 1) -> None:
        self.words = words
        self.fewest_rows = fewest_rows

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Learn the words of each column and how rare they are."""
        table = frame(X)
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        self.vectorizers_ = {name: self._fitted(table[name]) for name in table.columns}
        return self

    def transform(self, X: Any) -> Any:
        """Weights of the words, a row of each column having length 1."""
        check_is_fitted(self)
        table = frame(X)
        made = [self.vectorizers_[name].transform(_texts(table[name])).toarray() for name in self.feature_names_in_]
        return np.hstack(made)

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002 - scikit-learn's signature
        """`note: cheap` and the like."""
        check_is_fitted(self)
        names = [f"{name}: {word}" for name, v in self.vectorizers_.items() for word in v.get_feature_names_out()]
        return np.array(names, dtype=object)

    def _fitted(self, values: Any) -> Any:
        vectorizer = TfidfVectorizer(max_features=self.words, min_df=self.fewest_rows)
        try:
            return vectorizer.fit(_texts(values))
        except ValueError:  # scikit-learn's word for it: empty vocabulary
            raise ColumnError(
                f"the texts of column {values.name!r} have no words in common use",
                f"declare it types={{{values.name!r}: 'categorical'}} or 'ignored', or lower fewest_rows=",
            ) from None


def _texts(values: Any) -> list[str]:
    return ["" if missing else str(text) for text, missing in zip(values, values.isna(), strict=True)]
