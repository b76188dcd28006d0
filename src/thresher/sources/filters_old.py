"""Which rows to take: by the values of columns, or by an expression of an engine; never by a text that is executed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from numbers import Number
from typing import Any, TypeAlias

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import ArgumentError
from thresher.inputs.columns import Column, flagged, is_absent, is_missing, numpy_moment
from thresher.ranking import Flags
from thresher.sources.engine_numbers import known
from thresher.sources.engine_values import is_one_of, require_plain, sound

Filter: TypeAlias = Mapping[str, Any] | Callable[[Any], Any]
_NUMBERS, _TEXTS, _TIMES, _DURATIONS = "numbers", "texts", "dates and times", "durations"
_HOURS, _BYTES = "times of day", "bytes"
_KINDS: dict[str, tuple[type, ...]] = {
    _DURATIONS: (timedelta, np.timedelta64),  # which NumPy has among its numbers
    _NUMBERS: (Number,),
    _TEXTS: (str,),
    _TIMES: (date, np.datetime64),
    _HOURS: (time,),
    _BYTES: (bytes,),
}


def filtered(table: Any, where_: Filter | None, *, where: str) -> Any:
    """The rows of an Ibis table that a filter takes."""
    if where_ is None:
        return table
    if callable(where_):
        return table.filter(*_condition(where_, table, where))
    ibis = extra("ibis", name="sql", where=where)
    for name, wanted in _required(where_, where).items():
        require_plain(table[name], name, where)
        column = sound(ibis, table[name])
        _require_kind(_kind_of_type(column.type()), wanted, name, where)
        test = is_one_of(ibis, column, [value for value in wanted if value is not None], where=where)
        if None in wanted:
            test |= ~known(column) if column.type().is_floating() else column.isnull()
        table = table.filter(test)
    return table


def taken(columns: Mapping[str, Column], where_: Mapping[str, Any], *, where: str) -> Flags:
    """Which rows of columns in memory a filter takes.

    >>> taken({"week": np.array([1, 2, 3])}, {"week": [1, 3]}, where="here")
    array([ True, False,  True])
    """
    rows = len(next(iter(columns.values())))
    keep = np.ones(rows, dtype=np.bool_)
    for name, wanted in _required(where_, where).items():
        column = columns[name]
        absent = is_missing(column)
        _require_kind(_kind_of_column(column, absent), wanted, name, where)
        found = _found(column, {value for value in wanted if value is not None}, where)
        if absent is not None:
            found = found | absent if None in wanted else found & ~absent
        keep &= found
    return keep


def _condition(where_: Callable[[Any], Any], table: Any, where: str) -> list[Any]:
    """What a user's function makes of a table: a condition, or several that must all hold."""
    fix = "it gets an Ibis table, and returns a condition such as t.age > 30"
    try:
        found = where_(table)
    except Exception as error:
        what = f"the function given as where= raised {type(error).__name__}: {error}"
        raise ArgumentError(what, where, fix) from error
    given = list(found) if isinstance(found, list | tuple) and found else [found]
    bound = [] if any(one is None or isinstance(one, str) for one in given) else list(table.bind(*given))
    if not bound or not all(hasattr(one, "type") and one.type().is_boolean() for one in bound):
        columns = [f"a column of {one.type()}" for one in bound if hasattr(one, "type")]
        told = " and ".join(columns) or repr(found)
        raise ArgumentError(f"the function given as where= returned {told}", where, fix)
    return bound


def _found(column: Column, values: Collection[Any], where: str) -> Flags:
    """Which entries of a column are one of some values."""
    if column.dtype.kind in "mM":
        found = np.zeros(column.size, dtype=np.bool_)
        for value in values:
            found |= column == numpy_moment(value, where=where)
        return found
    keys = {_key(value, where) for value in values}
    return flagged(column, lambda entry: _key(entry, where) in keys)


def _key(value: Any, where: str) -> Any:
    """What a value is equal by: a day by its midnight, a moment by its place in UTC, to the nanosecond."""
    if type(value) is datetime and value.tzinfo is None:
        return value
    if type(value) is date:
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - which is UTC here
    if not isinstance(value, date | np.datetime64) or is_absent(value):
        return value
    moment = numpy_moment(value, where=where)
    coarse = moment.astype("M8[us]")
    return coarse.item() if coarse.astype(moment.dtype) == moment else str(moment)


def _required(where_: Any, where: str) -> dict[str, list[Any]]:
    """The values that each column may have, missing ones as None; raise `ArgumentError` where they are none."""
    if not isinstance(where_, Mapping):
        raise ArgumentError(
            f"where= is {type(where_).__name__}, and conditions are never read from a text",
            where=where,
            fix='give {"country": "NL"}, or a function of the Ibis table such as lambda t: t.age > 30',
        )
    return {name: [_plain(value, name, where) for value in _values(wanted)] for name, wanted in where_.items()}


def _values(wanted: Any) -> list[Any]:
    one = not isinstance(wanted, Iterable) or isinstance(wanted, str | bytes | Mapping)
    return [wanted] if one or (isinstance(wanted, np.ndarray) and not wanted.ndim) else list(wanted)


def _plain(value: Any, name: str, where: str) -> Any:
    """A value as Python has it; NaN and its kin are None."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(1)[0]
    if isinstance(value, np.generic):
        value = _of_python(value)
    if isinstance(value, complex) and not value.imag:
        value = value.real
    if not isinstance(value, Hashable) or isinstance(value, tuple):
        raise ArgumentError(
            f"where= asks for {value!r} in {name!r}, which no row holds",
            where=where,
            fix='give one value or a list of them, as in {"week": [1, 2]}',
        )
    return None if is_absent(value) else value


def _of_python(value: np.generic) -> Any:
    """A value of NumPy as Python has it; moments and durations that it does not have stay."""
    if not isinstance(value, np.datetime64 | np.timedelta64):
        return value.item()
    coarse = value.astype(f"{value.dtype.kind}8[us]")
    plain = coarse.item()
    return value if isinstance(plain, int) or coarse != value else plain


def _require_kind(kind: str | None, wanted: Sequence[Any], name: str, where: str) -> None:
    """Raise `ArgumentError` for values that a column of one kind cannot hold: text never equals a number."""
    if kind is None:
        return
    for value in wanted:
        if value is not None and _kind_of(value) != kind:
            raise ArgumentError(
                f"where= asks for {value!r} in {name!r}, a column of {kind}",
                where=where,
                fix=f"give {kind}" + (", such as datetime.date(2026, 5, 1)" if kind == _TIMES else ""),
            )


def _kind_of(value: Any) -> str | None:
    return next((kind for kind, types in _KINDS.items() if isinstance(value, types)), None)


def _kind_of_column(column: Column, absent: Flags | None) -> str | None:
    families = (
        dict.fromkeys("biuf", _NUMBERS) | dict.fromkeys("UT", _TEXTS) | {"M": _TIMES, "m": _DURATIONS, "S": _BYTES}
    )
    if column.dtype.kind != "O":
        return families.get(column.dtype.kind)
    kinds = {_kind_of(value) for value in (column if absent is None else column[~absent]).tolist()}
    return kinds.pop() if len(kinds) == 1 else None


def _kind_of_type(kind: Any) -> str | None:
    if kind.is_numeric() or kind.is_boolean():
        return _NUMBERS
    tests = {_TEXTS: kind.is_string, _TIMES: lambda: kind.is_date() or kind.is_timestamp(), _HOURS: kind.is_time}
    return next((name for name, holds in (tests | {_BYTES: kind.is_binary}).items() if holds()), None)
