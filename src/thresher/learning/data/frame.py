"""Tables in: anything with named columns as a pandas frame, which scikit-learn keeps the names of."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import ColumnError, EmptyError, LengthError


def frame(data: Any) -> Any:
    """A pandas frame of `data`: of pandas, Polars, pyarrow or anything Narwhals reads, a mapping, or a matrix.

    Columns are named by text, each name once; a pandas index is replaced by row numbers.

    >>> frame({"age": [31, 25], "town": ["Oslo", "Rome"]}).shape
    (2, 2)
    """
    pandas = extra("pandas", name="learn")
    found = _as_pandas(data, pandas)
    names = list(found.columns)
    if unnamed := [name for name in names if not isinstance(name, str)]:
        raise ColumnError(
            f"columns are named by text, and {unnamed[0]!r} is of type {type(unnamed[0]).__name__}",
            "rename it, e.g. data.columns = data.columns.astype(str)",
        )
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise ColumnError(f"{names.count(twice[0])} columns are called {twice[0]!r}", "rename all but one of them")
    if not len(found):
        raise EmptyError("the table has no rows", "check what was read, and any filter before it")
    if not names:
        raise EmptyError("the table has no columns", "check what was read")
    return found.reset_index(drop=True)


def column_of(data: Any, name: Any) -> Any:
    """A column by name, or an error that lists the names there are."""
    if not isinstance(name, str) or name not in data.columns:
        near = get_close_matches(name, list(data.columns), n=1) if isinstance(name, str) else []
        known = ", ".join(map(repr, list(data.columns)[:8])) + (", …" if data.shape[1] > 8 else "")
        raise ColumnError(
            f"there is no column {name!r}", (f"did you mean {near[0]!r}? " if near else "") + f"the columns are {known}"
        )
    return data[name]


def _as_pandas(data: Any, pandas: Any) -> Any:
    if isinstance(data, pandas.DataFrame):
        return data
    if isinstance(data, Mapping):
        if bare := [name for name, column in data.items() if not hasattr(column, "__len__")]:
            raise ColumnError(f"column {bare[0]!r} is no list of values", "give one entry per row in each column")
        lengths = {len(column) for column in data.values()}
        if len(lengths) > 1:
            raise LengthError(
                f"columns differ in length: {', '.join(f'{n} {len(c):,}' for n, c in data.items())}",
                "give one entry per row in each of them",
            )
        return pandas.DataFrame(dict(data))
    if isinstance(data, np.ndarray) and data.ndim == 2:
        return pandas.DataFrame(data, columns=[f"x{i}" for i in range(data.shape[1])])
    narwhals = extra("narwhals", name="frames")
    try:
        native = narwhals.from_native(data)
    except TypeError:
        raise ColumnError(
            f"{type(data).__name__} is no table",
            "give a frame of pandas, Polars or pyarrow, a mapping of columns, or a matrix",
        ) from None
    return (native.collect() if hasattr(native, "collect") else native).to_pandas()
