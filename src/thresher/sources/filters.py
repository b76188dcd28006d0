"""Which rows to take: by the values of columns, or by an expression of an engine; never by a text that is executed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import ArgumentError
from thresher.extras import extra
from thresher.ranking import Flags
from thresher.sources.columns import Column

Filter: TypeAlias = Mapping[str, Any] | Callable[[Any], Any]


def filtered(table: Any, where_: Filter | None, *, where: str) -> Any:
    """The rows of an Ibis table that a filter takes."""
    if where_ is None:
        return table
    if callable(where_):
        return table.filter(where_(table))
    _require_mapping(where_, where)
    ibis = extra("ibis", name="sql", where=where)
    for name, wanted in where_.items():
        column = table[name]
        values = _values(wanted)
        known = [ibis.literal(value) for value in values if value is not None]
        test = column.isin(known) if known else ibis.literal(False)
        table = table.filter(test | column.isnull() if None in values else test)
    return table


def taken(columns: Mapping[str, Column], where_: Mapping[str, Any], *, where: str) -> Flags:
    """Which rows of columns in memory a filter takes.

    >>> taken({"week": np.array([1, 2, 3])}, {"week": [1, 3]}, where="here")
    array([ True, False,  True])
    """
    _require_mapping(where_, where)
    rows = len(next(iter(columns.values())))
    keep = np.ones(rows, dtype=np.bool_)
    for name, wanted in where_.items():
        values = set(_values(wanted))
        keep &= np.fromiter((value in values for value in columns[name].tolist()), dtype=np.bool_, count=rows)
    return keep


def _values(wanted: Any) -> list[Any]:
    return list(wanted) if isinstance(wanted, list | tuple | set | frozenset) else [wanted]


def _require_mapping(where_: Any, where: str) -> None:
    if not isinstance(where_, Mapping):
        raise ArgumentError(
            f"where= is {type(where_).__name__}, and conditions are never read from a text",
            where=where,
            fix='give {"country": "NL"}, or a function of the Ibis table such as lambda t: t.age > 30',
        )
