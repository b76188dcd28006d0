"""Encoders of numbers, categories, dates, missing flags, texts, derived features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from thresher._internal.arguments import require_names, require_one_of
from thresher.errors import ColumnError, argument
from thresher.learning.data.column_types import category_texts, parse_dates, parse_numbers, require_known
from thresher.learning.data.derived import DerivedFeature, bin_edges, bin_names, derived_feature
from thresher.learning.data.frame import frame
from thresher.learning.features.scatter import Matrix
from thresher.ranking import Floats

Text: TypeAlias = Literal["tf-idf", "counts", "presence"]

# The name of a part and what pandas calls it.
_PARTS = {"year": "year", "month": "month", "day": "day", "weekday": "day_of_week", "hour": "hour"}


class _ColumnEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer that remembers the names of its columns."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Remember the names of the columns, and learn what the encoding needs."""
        table = frame(X)
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        self._learn(table)
        return self

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Features named by their column: `sold: month` and the like."""
        check_is_fitted(self)
        if input_features is not None and not np.array_equal(self.feature_names_in_, input_features):
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array(self._names(), dtype=object)

    def _learn(self, table: Any) -> None:
        """Nothing to learn."""

    def _names(self) -> list[str]:
        return list(self.feature_names_in_)


def _read_columns(X: Any, read: Callable[[Any], Any], *, names: Sequence[str] | None = None) -> Any:
    """The same columns, or some of them, each read by itself, with the same index."""
    import pandas as pd

    rows, table = getattr(X, "index", None), frame(X)
    columns = pd.DataFrame({name: read(table[name]) for name in (table.columns if names is None else names)})
    return columns if rows is None else columns.set_index(rows)


class Numbers(_ColumnEncoder):
    """Numbers, numbers as text and booleans as float64; missing stays missing.

    >>> Numbers().fit_transform({"fare": ["7.25", None], "alone": [True, False]}).to_numpy().tolist()
    [[7.25, 1.0], [nan, 0.0]]
    """

    def transform(self, X: Any) -> Any:
        """The columns as float64."""
        return _read_columns(X, _as_floats)


def _as_floats(values: Any) -> Any:
    return values if values.dtype == np.float64 else parse_numbers(values.dropna()).reindex(values.index)


@dataclass(eq=False, repr=False)
class Categories(_ColumnEncoder):
    """Columns of categories as texts, so that encoders meet one spelling of each.

    `orders` names all categories of a column where they are declared; another one is then refused.

    >>> Categories().fit_transform({"floor": [3, 2.0]})["floor"].tolist()
    ['3', '2']
    """

    orders: Mapping[str, Sequence[str]] | None = None

    def transform(self, X: Any) -> Any:
        """The columns as texts."""
        return _read_columns(X, self._texts)

    def _texts(self, values: Any) -> Any:
        texts, order = category_texts(values), (self.orders or {}).get(values.name)
        if order is not None:
            require_known(texts.dropna(), order)
        return texts


class DateParts(_ColumnEncoder):
    """Year, month, day, weekday (Monday 0), hour, and days since the first date.

    Hours are there if the training rows have hours. Dates written as text must be ISO dates; times with a zone are read
    in UTC. Missing dates give missing parts.

    >>> parts = DateParts().set_output(transform="pandas").fit_transform({"sold": ["2024-12-31", "2025-01-02"]})
    >>> parts["sold: weekday"].tolist(), parts["sold: days"].tolist()
    ([1.0, 3.0], [0.0, 2.0])
    """

    def _learn(self, table: Any) -> None:
        dates = {name: parse_dates(table[name]) for name in table.columns}
        self.first_ = {name: column.min().isoformat() for name, column in dates.items()}
        self.hours_ = {
            name: bool((column != column.dt.normalize())[column.notna()].any()) for name, column in dates.items()
        }

    def transform(self, X: Any) -> Any:
        """One column of numbers per part."""
        import pandas as pd

        check_is_fitted(self)
        table = frame(X)
        made = []
        for name in self.feature_names_in_:
            dates = parse_dates(table[name])
            made += [getattr(dates.dt, _PARTS[part]).astype(np.float64).to_numpy() for part in self._parts(name)]
            days = (dates - pd.Timestamp(self.first_[name])) / pd.Timedelta(days=1)
            made.append(days.to_numpy(dtype=np.float64))
        return np.column_stack(made)

    def _names(self) -> list[str]:
        return [f"{name}: {part}" for name in self.feature_names_in_ for part in (*self._parts(name), "days")]

    def _parts(self, name: str) -> tuple[str, ...]:
        return tuple(part for part in _PARTS if part != "hour" or self.hours_[name])


@dataclass(eq=False, repr=False)
class DerivedFeatures(_ColumnEncoder):
    """Logarithms, ratios, products and bins of columns of numbers.

    `features` are written `log(x)`, `log1p(x)`, `x / y`, `x * y` and `bins(x, 5)`. Bins hold about equally many
    training rows each, and are a feature each, 1 for the rows within. A row that lacks a value lacks the feature, and
    is in no bin; one that has no such feature, e.g. a logarithm of 0, is refused.

    >>> derived = DerivedFeatures(["paid / owed", "bins(paid, 2)"]).set_output(transform="pandas")
    >>> derived.fit_transform({"paid": [1.0, 3.0, None, 9.0], "owed": [2.0, 2.0, 1.0, 1.0]})
       paid / owed  paid < 3  3 <= paid
    0          0.5       1.0        0.0
    1          1.5       0.0        1.0
    2          NaN       0.0        0.0
    3          9.0       0.0        1.0
    """

    features: Sequence[str]

    def _learn(self, table: Any) -> None:
        require_names(self.features, name="features", example="log(age)")
        self.edges_, self.names_ = {}, []
        for feature, values in self._derive(table):
            names = [feature.name]
            if feature.bins:
                self.edges_[feature.name] = bin_edges(values, feature.bins)
                names = bin_names(feature.columns[0], self.edges_[feature.name])
            self.names_ += names

    def transform(self, X: Any) -> Matrix:
        """A column per feature, or per bin.

        Rows that are refused are named by the index of a frame.
        """
        check_is_fitted(self)
        made = []
        for feature, values in self._derive(X):
            column = values[:, None]
            if feature.bins:
                edges = self.edges_[feature.name]
                places = np.arange(edges.size + 1 if edges.size else 0)
                column = (np.searchsorted(edges, column, side="right") == places) & ~np.isnan(column)
            made.append(column.astype(np.float64))
        return np.hstack(made)

    def _derive(self, X: Any) -> Iterator[tuple[DerivedFeature, Floats]]:
        """Each feature, and its values; of bins those of the column."""
        table = frame(X)
        for feature in [derived_feature(text, table) for text in self.features]:
            yield feature, feature.values(_read_columns(X, _as_floats, names=feature.columns))

    def _names(self) -> list[str]:
        return self.names_


class MissingFlags(_ColumnEncoder):
    """One column per column, 1 where it is missing, whether or not any is missing.

    >>> MissingFlags().set_output(transform="pandas").fit_transform({"age": [31, None]})
       age: missing
    0           0.0
    1           1.0
    """

    def transform(self, X: Any) -> Matrix:
        """1 where a value is missing, 0 elsewhere."""
        check_is_fitted(self)
        return frame(X).isna().to_numpy(dtype=np.float64)

    def _names(self) -> list[str]:
        return [f"{name}: missing" for name in self.feature_names_in_]


@dataclass(eq=False, repr=False)
class TextFeatures(_ColumnEncoder):
    """The `words` most frequent words of each column, as a feature each.

    `text` says what of a word is the feature: its TF-IDF weight, how often it occurs ("counts"), or whether it occurs
    at all, 1 or 0 ("presence"). Words are of two letters or more, in lower case.

    >>> texts = {"note": ["cheap pills, cheap flights", "cheap flights", None]}
    >>> TextFeatures(text="counts").set_output(transform="pandas").fit_transform(texts)
       note: cheap  note: flights  note: pills
    0          2.0            1.0          1.0
    1          1.0            1.0          0.0
    2          0.0            0.0          0.0
    """

    words: int = 500
    _: KW_ONLY
    text: Text = "tf-idf"
    fewest_rows: int = 1

    def _learn(self, table: Any) -> None:
        require_one_of(self.text, get_args(Text), name="text")
        options = {"max_features": self.words, "min_df": self.fewest_rows, "dtype": np.float64}
        self.vectorizers_ = {}
        for name in table.columns:
            if self.text == "tf-idf":
                vectorizer = TfidfVectorizer(**options)
            else:
                vectorizer = CountVectorizer(binary=self.text == "presence", **options)
            try:
                self.vectorizers_[name] = vectorizer.fit(_texts(table[name]))
            except ValueError:  # scikit-learn's word for it: empty vocabulary
                fix = f"declare it {argument('types', {name: 'categorical'})} or 'ignored', or lower fewest_rows="
                raise ColumnError(f"the texts of column {name!r} have no words in common use", fix) from None

    def transform(self, X: Any) -> Any:
        """A column per word; TF-IDF weights of one text have length 1."""
        check_is_fitted(self)
        table = frame(X)
        made = [self.vectorizers_[name].transform(_texts(table[name])).toarray() for name in self.feature_names_in_]
        return np.hstack(made)

    def _names(self) -> list[str]:
        return [f"{name}: {word}" for name, v in self.vectorizers_.items() for word in v.get_feature_names_out()]


def named_category(column: str, category: Any) -> str:
    """The name of a one-hot feature: `town=Oslo`."""
    return f"{column}={category}"


def _texts(values: Any) -> list[str]:
    return ["" if missing else str(text) for text, missing in zip(values, values.isna(), strict=True)]
