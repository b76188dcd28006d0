"""Tables to learn from, as pandas frames, and their missing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from thresher._internal.arguments import require_names, short_repr
from thresher._internal.optional import extra
from thresher._internal.results import Result, Tabular
from thresher.errors import ArgumentError, ColumnError, EmptyError, LengthError
from thresher.evaluation.summary import text_table
from thresher.ranking import Indices

LARGEST = float(np.finfo(np.float32).max)  # of a feature: scikit-learn's trees hold float32


@dataclass(frozen=True, slots=True, repr=False)
class MissingValues(Tabular):
    """How many values each column lacks, and how many rows lack any."""

    rows: int
    counts: Mapping[str, int]
    incomplete_rows: int

    def _brief(self) -> str:
        return f"{self.incomplete_rows:,} of {self.rows:,} rows lack a value"

    def _columns(self) -> Mapping[str, Any]:
        share = [count / self.rows for count in self.counts.values()]
        return {"column": list(self.counts), "missing": list(self.counts.values()), "share": share}

    def __str__(self) -> str:
        if not self.incomplete_rows:
            return f"none of {self.rows:,} rows lacks a value"
        lines = [[name, f"{count:,}", f"{count / self.rows:.1%}"] for name, count in self.counts.items() if count]
        return f"{text_table([['column', 'missing', 'share'], *lines])}\n{self._brief()}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RemainingRows(Result):
    """Rows of a table that remain, their numbers there, and how many were dropped."""

    data: Any
    rows: Indices
    dropped: int


def frame(data: Any) -> Any:
    """A pandas frame of another frame, a mapping of columns, or a matrix.

    Frames are those that Narwhals reads. Columns are named by text, each once; row numbers replace a pandas index.

    >>> frame({"age": [31, 25], "town": ["Oslo", "Rome"]}).shape
    (2, 2)
    """
    pandas = extra("pandas", name="learn")
    table = _as_pandas(data, pandas)
    names = list(table.columns)
    if unnamed := [name for name in names if not isinstance(name, str)]:
        what = f"columns are named by text, and {unnamed[0]!r} is of type {type(unnamed[0]).__name__}"
        raise ColumnError(what, "rename it, e.g. data.columns = data.columns.astype(str)")
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise ColumnError(f"{names.count(twice[0])} columns are called {twice[0]!r}", "rename all but one of them")
    if not len(table):
        raise EmptyError("the table has no rows", "check what was read, and any filter before it")
    if not names:
        raise EmptyError("the table has no columns", "check what was read")
    return table.reset_index(drop=True)


def column_of(data: Any, name: Any) -> Any:
    """A column by name, or an error that lists the names there are."""
    if not isinstance(name, str) or name not in data.columns:
        near = get_close_matches(name, list(data.columns), n=1) if isinstance(name, str) else []
        known = ", ".join(map(repr, list(data.columns)[:8])) + (", …" if data.shape[1] > 8 else "")
        what = f"there is no column {short_repr(name)}"
        raise ColumnError(what, (f"did you mean {near[0]!r}? " if near else "") + f"the columns are {known}")
    return data[name]


def missing_values(data: Any) -> MissingValues:
    """Count the values that each column lacks.

    >>> print(missing_values({"age": [31, None, 25], "town": ["Oslo", None, None]}))
    column  missing  share
    age           1  33.3%
    town          2  66.7%
    2 of 3 rows lack a value
    """
    absent = frame(data).isna()
    counts = {str(name): int(count) for name, count in absent.sum().items()}
    return MissingValues(len(absent), counts, int(absent.any(axis=1).sum()))


def complete_rows(data: Any, *, columns: Sequence[str] | None = None) -> RemainingRows:
    """Drop the rows that lack a value in any of the columns, and count them.

    For training rows only: a row to be scored is never dropped. Values are often missing for a reason, and then a model
    of complete rows is a model of other cases; fill with an indicator instead (`preparation`).

    >>> complete_rows({"age": [31, None, 25]}).dropped
    1
    """
    table = frame(data)
    complete = _columns_of(table, columns).notna().all(axis=1)
    if not complete.any():
        raise EmptyError(f"every one of {len(table):,} rows lacks a value", "drop columns first, or fill them")
    return _remaining(table, complete)


def distinct_rows(data: Any, *, columns: Sequence[str] | None = None) -> RemainingRows:
    """Drop rows that equal an earlier one, in all columns or in these.

    Copies of a row fall into training and test parts alike, where what is learnt of one is known of the other. Rows
    of few categories are often equal without being copies: those are cases like others, and should stay. Missing values
    are equal to each other.

    >>> distinct_rows({"age": [31, 25, 31], "town": ["Oslo", "Rome", "Oslo"]}).dropped
    1
    """
    table = frame(data)
    return _remaining(table, ~_columns_of(table, columns).duplicated())


def _columns_of(table: Any, columns: Sequence[str] | None) -> Any:
    """These columns of a frame, or all of them."""
    if columns is None:
        return table
    if not require_names(columns, name="columns"):
        raise ArgumentError("there are no columns to look at", "name some, or leave columns= out for all")
    for name in columns:
        column_of(table, name)
    return table[list(columns)]


def _remaining(table: Any, remains: Any) -> RemainingRows:
    rows = np.flatnonzero(remains)
    return RemainingRows(table.iloc[rows].reset_index(drop=True), rows, len(table) - rows.size)


def _as_pandas(data: Any, pandas: Any) -> Any:
    if isinstance(data, pandas.DataFrame):
        return data
    if isinstance(data, Mapping):
        if bare := [name for name, column in data.items() if isinstance(column, str) or not hasattr(column, "__len__")]:
            raise ColumnError(f"column {bare[0]!r} is no list of values", "give one entry per row in each column")
        lengths = {len(column) for column in data.values()}
        if len(lengths) > 1:
            what = f"columns differ in length: {', '.join(f'{n} {len(c):,}' for n, c in data.items())}"
            raise LengthError(what, "give one entry per row in each of them")
        return pandas.DataFrame(dict(data))
    if isinstance(data, np.ndarray) and data.ndim == 2:
        return pandas.DataFrame(data, columns=[f"x{i}" for i in range(data.shape[1])])
    narwhals = extra("narwhals", name="frames")
    try:
        native = narwhals.from_native(data)
    except TypeError:
        fix = "give a frame of pandas, Polars or pyarrow, a mapping of columns, or a matrix"
        raise ColumnError(f"{type(data).__name__} is no table", fix) from None
    return (native.collect() if hasattr(native, "collect") else native).to_pandas()
