"""Categories as texts: numbers, texts and booleans spelled one way, missing ones left missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from thresher.errors import ColumnError, argument
from thresher.learning.data.frame import frame


def category_texts(values: Any) -> Any:
    """A column's categories as texts; a whole number is spelled without a point, whatever its type.

    >>> import pandas as pd
    >>> category_texts(pd.Series([3.0, None, 2.5])).tolist()
    ['3', nan, '2.5']
    """
    import pandas as pd

    texts = [np.nan if missing else _spelled(value) for value, missing in zip(values, values.isna(), strict=True)]
    return pd.Series(texts, index=values.index, name=values.name, dtype=object)


def named_category(column: str, category: Any) -> str:
    """The name of a one-hot feature: `town=Oslo`."""
    return f"{column}={category}"


def require_known(texts: Any, order: Sequence[str]) -> None:
    """Refuse a category that a declared order does not have."""
    stray = texts[~texts.isin(order)]
    if len(stray):
        raise ColumnError(
            f"{len(stray):,} of {len(texts):,} values of column {texts.name!r} are not in its declared order (first "
            f"{stray.iloc[0]!r} at row {stray.index[0]})",
            f"add them to {argument('orders', {texts.name: list(order)})}, or make them missing",
        )


class Categories(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns of categories as texts, so that encoders meet one spelling of each.

    `orders` names all categories of a column where they are declared; another one is then refused.

    >>> Categories().fit_transform({"floor": [3, 2.0]})["floor"].tolist()
    ['3', '2']
    """

    def __init__(self, orders: Mapping[str, Sequence[str]] | None = None) -> None:
        self.orders = orders

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Remember the names; there is nothing to learn."""
        table = frame(X)
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """The same columns as texts."""
        import pandas as pd

        rows = getattr(X, "index", None)
        table = frame(X)
        made = pd.DataFrame({name: category_texts(table[name]) for name in table.columns}, dtype=object)
        for name, order in (self.orders or {}).items():
            require_known(made[name].dropna(), order)
        return made if rows is None else made.set_index(rows)


def _spelled(value: Any) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)
