"""Rows of a table: some of them, whatever the table is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thresher.ranking import Indices


def rows_of(table: Any, index: Indices) -> Any:
    """The rows of an array, a sparse matrix, a frame or a list at these places, in this order.

    >>> rows_of(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    >>> rows_of(np.eye(3), np.array([1]))
    array([[0., 1., 0.]])
    """
    if hasattr(table, "iloc"):
        return table.iloc[index]
    if isinstance(table, list | tuple):
        return [table[place] for place in index.tolist()]
    if hasattr(table, "tocsr") and not hasattr(table, "indptr"):
        table = table.tocsr()  # sparse in coordinates: rows cannot be picked there
    return table[index]


def row_count(table: Any) -> int:
    """How many rows a table has.

    >>> row_count(np.eye(3)), row_count(["a", "b"])
    (3, 2)
    """
    return int(table.shape[0]) if hasattr(table, "shape") else len(table)


def parameters_of(parameters: Mapping[str, Any], index: Indices, rows: int) -> dict[str, Any]:
    """Parameters of a fit for some rows: what has one entry per row is cut down to them, the rest is kept.

    >>> parameters_of({"sample_weight": [1, 2, 3], "verbose": 0}, np.array([2]), 3)
    {'sample_weight': [3], 'verbose': 0}
    """
    return {name: rows_of(value, index) if _per_row(value, rows) else value for name, value in parameters.items()}


def _per_row(value: Any, rows: int) -> bool:
    if isinstance(value, str | bytes | Mapping) or not (hasattr(value, "__len__") or hasattr(value, "shape")):
        return False
    return bool(np.ndim(value) or hasattr(value, "shape")) and row_count(value) == rows
