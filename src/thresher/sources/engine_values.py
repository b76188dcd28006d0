"""Values in an engine's query: columns as their types say, and what one value is equal to, the same on every engine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC
from decimal import Context, Decimal
from typing import Any

from thresher.errors import ArgumentError, ColumnError
from thresher.inputs.columns import numpy_moment
from thresher.sources.database import loose_types
from thresher.sources.engine_numbers import at_least, at_most, known, number

_MICROSECONDS = 6
_EVERY_DIGIT = Context(prec=2000)


def require_plain(column: Any, name: str) -> None:
    """Raise `ColumnError` unless a column holds one value per row."""
    kind = column.type()
    if kind.is_nested():
        raise ColumnError(f"the column {name!r} holds {kind}, not one value per row", "take a column of plain values")
    if kind.is_interval():
        what = f"the column {name!r} holds durations, which engines keep in ways of their own"
        raise ColumnError(what, "make a column of whole numbers of it")


def require_label(column: Any, name: str) -> None:
    """Raise `ColumnError` unless a column's values can be told apart in a query."""
    require_plain(column, name)
    if column.type().is_temporal() and loose_types(column) is not None:
        what = f"the labels {name!r} are days or times, which this engine keeps as texts of any writing"
        raise ColumnError(what, "make texts or numbers of them in a view, and give that as the label")


def sound(ibis: Any, column: Any) -> Any:
    """A column that holds what its type says, and NULL for what does not.

    Most engines hold to the types of their columns. One that does not would take a text among numbers for 0, a 2 among
    truth values for true, and 1.5 among whole numbers for 1.
    """
    types, kind = loose_types(column), column.type()
    if kind.is_uuid() or kind.is_inet() or kind.is_macaddr():
        return column.cast("string")  # which is how others write them
    if types is None:
        return column
    families = {"floating": kind.is_floating, "integer": kind.is_integer, "boolean": kind.is_boolean}
    families |= {"string": kind.is_string, "temporal": kind.is_temporal, "binary": kind.is_binary}
    family = next((name for name, holds in families.items() if holds()), None)
    if family is None:
        return column
    fits = column.typeof().isin(types[family])
    if family == "boolean":
        fits &= column.cast("int64").isin([0, 1])
    return ibis.cases((fits, column))


def group_column(ibis: Any, column: Any) -> Any:
    """A column to group rows by, in which -0.0 is 0.0, and what is not a number is missing."""
    column = sound(ibis, column)
    if not column.type().is_floating():
        return column
    wide, zero = column.cast("float64"), number(ibis, 0.0)
    return ibis.cases((known(wide) & (wide == zero), zero), (known(wide), wide))


def is_one_of(ibis: Any, column: Any, values: Iterable[Any]) -> Any:
    """Whether a column holds one of some values: numbers by what they are worth, never rounded."""
    kind = column.type()
    if kind.is_null():
        return ibis.literal(False)
    if kind.is_floating():
        return _is_one_of_floats(ibis, column.cast("float64"), values)
    found = [literal for value in values if (literal := _literal(ibis, kind, value)) is not None]
    if _in_nanoseconds(kind) and kind.timezone is not None:
        coarse = column.cast(kind.copy(scale=_MICROSECONDS))
        return _any_equal(ibis, coarse, found) & (coarse.cast(kind) == column)
    return _any_equal(ibis, column, found)


def _any_equal(ibis: Any, column: Any, values: Sequence[Any]) -> Any:
    """Whether a column equals one of some expressions, value by value.

    A list of values would be handed on to whoever reads the rows, and not every reader knows that -0.0 is 0.0, or takes
    moments with zones and numbers above 2⁶³; whole numbers and texts are safe there.
    """
    if not values:
        return ibis.literal(False)
    kind = column.type()
    if kind.is_string() or (kind.is_integer() and kind.bounds.upper < 2**63):
        return column.isin(values)
    return ibis.cases(*((column == value, True) for value in values), else_=False)


def _is_one_of_floats(ibis: Any, column: Any, values: Iterable[Any]) -> Any:
    nearest = [near for value in values if (near := _nearest(value)) is not None and near == value]
    test = _any_equal(ibis, column, [number(ibis, near) for near in nearest if math.isfinite(near)])
    if math.inf in nearest:
        test |= known(column) & at_least(ibis, column, math.inf)
    return test | (known(column) & at_most(ibis, column, -math.inf)) if -math.inf in nearest else test


def _nearest(value: Any) -> float | None:
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        return None


def _literal(ibis: Any, kind: Any, value: Any) -> Any | None:
    """A value as a column of this type holds it; None where it cannot."""
    if kind.is_boolean():
        return ibis.literal(bool(value)) if value in (0, 1) else None
    if kind.is_integer():
        return _whole(ibis, kind, value)
    if kind.is_decimal():
        return _decimal(ibis, kind, value)
    if kind.is_timestamp():
        return _moment(ibis, kind, value)
    if kind.is_date():
        return _day(ibis, value)
    if kind.is_string():
        _require_readable(value)
    return ibis.literal(value, kind)


def _day(ibis: Any, value: Any) -> Any | None:
    """A day, or a moment that is its midnight."""
    moment = numpy_moment(value)
    day = moment.astype("M8[D]")
    return ibis.literal(day.item()) if day.astype(moment.dtype) == moment else None


def _whole(ibis: Any, kind: Any, value: Any) -> Any | None:
    if _nearest(value) in (None, math.inf, -math.inf) or int(value) != value:
        return None
    low, high = kind.bounds
    return ibis.literal(int(value), kind) if low <= value <= high else None


def _decimal(ibis: Any, kind: Any, value: Any) -> Any | None:
    exact = Decimal(value) if isinstance(value, int | float | Decimal) else Decimal("nan")
    if not exact.is_finite():
        return None
    _, digits, power = exact.normalize(_EVERY_DIGIT).as_tuple()
    scale = kind.scale if kind.scale is not None else max(0, -int(power))
    before_the_point = len(digits) + int(power) if exact else 0
    if -int(power) > scale or (kind.precision is not None and before_the_point > kind.precision - scale):
        return None
    return ibis.literal(exact, kind)


def _moment(ibis: Any, kind: Any, value: Any) -> Any | None:
    """A date or time in the zone of a column, which is UTC where it has none."""
    exact = numpy_moment(value)
    if kind.timezone is None and _in_nanoseconds(kind):
        fine = exact.astype("M8[ns]")  # which wraps around where nanoseconds end, in the years 1677 and 2262
        return ibis.literal(str(fine).replace("T", " ")).cast(kind) if fine.astype(exact.dtype) == exact else None
    plain = exact.astype("M8[us]")
    if plain.astype(exact.dtype) == exact:
        moment = plain.item()
        return ibis.literal(moment if kind.timezone is None else moment.replace(tzinfo=UTC))
    if kind.timezone is None:
        return None
    raise ArgumentError(
        f"{value!r} is finer than a microsecond, and engines are asked for none such in columns with a time zone",
        fix="give it in microseconds, or make a column of whole numbers of it",
    )


def _in_nanoseconds(kind: Any) -> bool:
    return bool(kind.is_timestamp() and kind.scale is not None and kind.scale > _MICROSECONDS)


def _require_readable(text: Any) -> None:
    """Raise `ArgumentError` for texts that queries cannot carry."""
    if not isinstance(text, str) or "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ArgumentError(
            f"{text!r} cannot be asked of an engine", "leave NUL and single surrogates out, or read the rows"
        )
