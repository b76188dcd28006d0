"""Row filters: values of columns; a text is never executed.

Engines test them by expressions of Ibis, see `engines.query`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import ArgumentError
from thresher.inputs.columns import Column, flagged, is_absent, is_missing, numpy_moment
from thresher.ranking import Flags

NUMBERS, TEXTS, TIMES, DURATIONS = "numbers", "texts", "dates and times", "durations"
HOURS, BYTES = "times of day", "bytes"
_KINDS: dict[str, tuple[type, ...]] = {
    DURATIONS: (timedelta, np.timedelta64),  # which NumPy has among its numbers
    NUMBERS: (Number,),
    TEXTS: (str,),
    TIMES: (date, np.datetime64),
    HOURS: (time,),
    BYTES: (bytes,),
}
_NUMPY_KINDS = dict.fromkeys("biuf", NUMBERS) | dict.fromkeys("UT", TEXTS) | {"M": TIMES, "m": DURATIONS, "S": BYTES}


def filter_values(where: Any) -> dict[str, list[Any]]:
    """The values that each column may have, missing ones as None.

    `ArgumentError` where `where` is no mapping.
    """
    if not isinstance(where, Mapping):
        raise ArgumentError(
            f"where= is {type(where).__name__}, and conditions are never read from a text",
            'give {"country": "NL"}; an expression such as pyarrow.compute.field("age") > 30 for files and frames;'
            " or a function of the Ibis table such as lambda t: t.age > 30 for engines",
            parameter="where",
        )
    values: dict[str, list[Any]] = {}
    for name, wanted in where.items():
        one = not isinstance(wanted, Iterable) or isinstance(wanted, str | bytes | Mapping)
        one = one or (isinstance(wanted, np.ndarray) and not wanted.ndim)
        values[name] = [_plain(value, name) for value in ([wanted] if one else wanted)]
    return values


def is_expression(where: Any) -> bool:
    """Whether a filter is an expression of pyarrow.compute, without loading it."""
    return type(where).__module__.partition(".")[0] == "pyarrow" and type(where).__name__ == "Expression"


def matching_rows(columns: Mapping[str, Column], where: Mapping[str, Any]) -> Flags:
    """Which rows of NumPy columns a filter takes."""
    rows = len(next(iter(columns.values())))
    take = np.ones(rows, dtype=np.bool_)
    for name, wanted in filter_values(where).items():
        column = columns[name]
        absent = is_missing(column)
        require_kind(_kind_of_column(column, absent), wanted, name)
        match = _matches(column, {value for value in wanted if value is not None})
        if absent is not None:
            match = match | absent if None in wanted else match & ~absent
        take &= match
    return take


def arrow_filter(values: Mapping[str, list[Any]], types: Mapping[str, Any]) -> Any:
    """Rows whose columns have these values, as an expression of pyarrow.compute."""
    arrow, compute = extra("pyarrow", name="files"), extra("pyarrow.compute", name="files")
    result = None
    for name, wanted in values.items():
        kind, column = types[name], compute.field(name)
        if arrow.types.is_dictionary(kind):
            kind, column = kind.value_type, column.cast(kind.value_type)
        require_kind(kind_of_type(kind), wanted, name)
        scalars = [scalar for value in wanted if (scalar := _scalar(value, kind)) is not None]
        test = compute.scalar(False)
        if arrow.types.is_floating(kind):
            for scalar in scalars:
                test |= column == scalar  # a set would tell -0.0 from 0.0
        elif scalars:
            test = column.isin(arrow.array(scalars, kind))
        if None in wanted:
            test |= column.is_null(nan_is_null=True)
            if arrow.types.is_string(kind):
                test |= column == ""  # a text without a value is missing, as in CSV
        result = test if result is None else result & test
    return result


def text_type(wanted: Sequence[Any], name: str) -> Any:
    """The Arrow type that a filter's values give to a column without one, as of CSV."""
    arrow = extra("pyarrow", name="files")
    there = [value for value in wanted if value is not None]
    kinds = set(map(_kind_of, there)) or {TEXTS}
    if len(kinds) > 1 or None in kinds:
        what = f"where= asks for values of different kinds in {name!r}: {wanted!r}"
        raise ArgumentError(what, "give values of one kind", parameter="where")
    if kinds == {TEXTS}:
        return arrow.string()
    if kinds == {NUMBERS}:
        if all(isinstance(value, bool) for value in there):
            return arrow.bool_()
        return arrow.int64() if all(isinstance(value, int) for value in there) else arrow.float64()
    if kinds == {TIMES}:
        moments = any(isinstance(value, datetime | np.datetime64) for value in there)
        zoned = any(getattr(value, "tzinfo", None) is not None for value in there)
        return arrow.timestamp("us", "UTC" if zoned else None) if moments else arrow.date32()
    what = f"where= asks for {there[0]!r} in {name!r}, a column of text"
    raise ArgumentError(what, "give texts, numbers or dates", parameter="where")


def kind_of_type(kind: Any) -> str | None:
    """What the values of an Arrow type are, in words; None where that is not settled."""
    types = extra("pyarrow", name="files").types
    tests = (
        (NUMBERS, (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)),
        (TEXTS, (types.is_string, types.is_large_string, types.is_string_view)),
        (TIMES, (types.is_date, types.is_timestamp)),
        (HOURS, (types.is_time,)),
        (DURATIONS, (types.is_duration,)),
        (BYTES, (types.is_binary, types.is_large_binary)),
    )
    return next((name for name, holds in tests if any(test(kind) for test in holds)), None)


def require_kind(kind: str | None, wanted: Sequence[Any], name: str) -> None:
    """Refuse values that a column of one kind cannot hold: no text equals a number."""
    if kind is None:
        return
    for value in wanted:
        duration = kind != DURATIONS and isinstance(value, _KINDS[DURATIONS])
        if value is not None and (duration or not isinstance(value, _KINDS[kind])):
            raise ArgumentError(
                f"where= asks for {value!r} in {name!r}, a column of {kind}",
                f"give {kind}" + (", such as datetime.date(2026, 5, 1)" if kind == TIMES else ""),
                parameter="where",
            )


def _scalar(value: Any, kind: Any) -> Any | None:  # noqa: PLR0911 - one for each kind
    """A value as a column of this type holds it; None where no row can be equal to it."""
    arrow = extra("pyarrow", name="files")
    if value is None:
        return None
    if arrow.types.is_timestamp(kind):
        moment = numpy_moment(value)
        coarse = moment.astype(f"M8[{kind.unit}]")
        return arrow.scalar(int(coarse.astype(np.int64)), arrow.int64()).cast(kind) if coarse == moment else None
    if arrow.types.is_date(kind):
        moment = numpy_moment(value)
        day = moment.astype("M8[D]")
        return arrow.scalar(day.item(), kind) if day == moment else None
    floating = arrow.types.is_floating(kind)
    value = int(value) if isinstance(value, bool) else value
    if isinstance(value, Decimal | float) and not floating and not arrow.types.is_decimal(kind):
        if not np.isfinite(float(value)) or int(value) != value:
            return None
        value = int(value)
    if arrow.types.is_boolean(kind):
        return arrow.scalar(bool(value)) if value in (0, 1) else None
    try:
        scalar = arrow.scalar(float(value) if floating else value, kind)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError, OverflowError):
        return None
    return None if floating and scalar.as_py() != value else scalar


def _matches(column: Column, values: Collection[Any]) -> Flags:
    """Which entries of a column are one of some values."""
    if column.dtype.kind in "mM":
        matches = [column == numpy_moment(value) for value in values]
        return np.logical_or.reduce(matches) if matches else np.zeros(column.size, dtype=np.bool_)
    keys = {_key(value) for value in values}
    return flagged(column, lambda entry: _key(entry) in keys)


def _key(value: Any) -> Any:
    """What a value is equal by: days by their midnight, moments by that in UTC."""
    if type(value) is datetime and value.tzinfo is None:
        return value
    if type(value) is date:
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - which is UTC here
    if not isinstance(value, date | np.datetime64) or is_absent(value):
        return value
    moment = numpy_moment(value)
    coarse = moment.astype("M8[us]")
    return coarse.item() if coarse.astype(moment.dtype) == moment else str(moment)


def _plain(value: Any, name: str) -> Any:
    """A value in Python's types; NaN and its kin are None."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(1)[0]
    if isinstance(value, np.generic):
        value = _of_numpy(value)
    if isinstance(value, complex) and not value.imag:
        value = value.real
    if not isinstance(value, Hashable) or isinstance(value, tuple):
        raise ArgumentError(
            f"where= asks for {value!r} in {name!r}, which no row holds",
            'give one value or a list of them, as in {"week": [1, 2]}',
            parameter="where",
        )
    return None if is_absent(value) else value


def _of_numpy(value: np.generic) -> Any:
    """A value of NumPy in Python's types; moments that Python lacks stay."""
    if not isinstance(value, np.datetime64 | np.timedelta64):
        return value.item()
    coarse = value.astype(f"{value.dtype.kind}8[us]")
    plain = coarse.item()
    return value if isinstance(plain, int) or coarse != value else plain


def _kind_of(value: Any) -> str | None:
    return next((kind for kind, types in _KINDS.items() if isinstance(value, types)), None)


def _kind_of_column(column: Column, absent: Flags | None) -> str | None:
    if column.dtype.kind != "O":
        return _NUMPY_KINDS.get(column.dtype.kind)
    kinds = {_kind_of(value) for value in (column if absent is None else column[~absent]).tolist()}
    return kinds.pop() if len(kinds) == 1 else None
