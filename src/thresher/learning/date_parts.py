"""Dates as numbers: the parts that repeat, and the days since the first training date."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from thresher.errors import ColumnError
from thresher.learning.frames import frame

# The name of a part and what pandas calls it.
_PARTS = {"year": "year", "month": "month", "day": "day", "weekday": "day_of_week", "hour": "hour"}


class DateParts(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Year, month, day, weekday (Monday 0), hour where the training rows have hours, and days since the first date.

    Dates written as text must be ISO dates; times with a zone are read in UTC. Missing dates give missing parts.

    >>> parts = DateParts().set_output(transform="pandas").fit_transform({"sold": ["2024-12-31", "2025-01-02"]})
    >>> parts["sold: weekday"].tolist(), parts["sold: days"].tolist()
    ([1.0, 3.0], [0.0, 2.0])
    """

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Find the first date, and whether there are hours, of each column."""
        table = frame(X)
        dates = {name: _dates(table[name]) for name in table.columns}
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        self.first_ = {name: column.min().isoformat() for name, column in dates.items()}
        self.hours_ = {
            name: bool((column != column.dt.normalize())[column.notna()].any()) for name, column in dates.items()
        }
        return self

    def transform(self, X: Any) -> Any:
        """One column of numbers per part."""
        import pandas as pd

        check_is_fitted(self)
        table = frame(X)
        made = []
        for name in self.feature_names_in_:
            dates = _dates(table[name])
            made += [getattr(dates.dt, _PARTS[part]).astype(np.float64).to_numpy() for part in self._parts(name)]
            days = (dates - pd.Timestamp(self.first_[name])) / pd.Timedelta(days=1)
            made.append(days.to_numpy(dtype=np.float64))
        return np.column_stack(made)

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002 - scikit-learn's signature
        """`sold: month` and the like."""
        check_is_fitted(self)
        names = [f"{name}: {part}" for name in self.feature_names_in_ for part in (*self._parts(name), "days")]
        return np.array(names, dtype=object)

    def _parts(self, name: str) -> tuple[str, ...]:
        return tuple(part for part in _PARTS if part != "hour" or self.hours_[name])


def _dates(values: Any) -> Any:
    import pandas as pd

    of_text = values.dtype == object or pd.api.types.is_string_dtype(values.dtype)
    dates = pd.to_datetime(values, errors="coerce", utc=True, **({"format": "ISO8601"} if of_text else {}))
    bad = values[dates.isna() & values.notna()]
    if len(bad):
        raise ColumnError(
            f"{len(bad):,} of {len(values):,} values of column {values.name!r} are no ISO date (first {bad.iloc[0]!r} "
            f"at row {bad.index[0]})",
            "write dates as 2024-12-31, or convert the column with pandas.to_datetime first",
        )
    return dates
