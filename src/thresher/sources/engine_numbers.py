"""Numbers in an engine's query: each float64 arrives as it is, and infinity is never asked for by its name."""

from __future__ import annotations

import math
import sys
from typing import Any

from thresher.sources.buckets import Arithmetic
from thresher.sources.database import offers

_STEP = 62  # powers of two that an int64 holds


def number(ibis: Any, x: float) -> Any:
    """A finite float64, made of whole numbers: engines read decimals in ways of their own, and not all to the last bit.

    >>> import ibis
    >>> [number(ibis, x).to_pyarrow().as_py() for x in (0.375, 5e-324, -1e300)]
    [0.375, 5e-324, -1e+300]
    """
    fraction, power = math.frexp(x)
    whole, power = int(fraction * 2**53), power - 53
    zeros = (whole & -whole).bit_length() - 1 if whole else 0
    whole, power = whole >> zeros, power + zeros if whole else 0
    if 0 < power < _STEP - abs(whole).bit_length():
        whole, power = whole << power, 0
    value = ibis.literal(whole, "int64").cast("float64")
    while power:
        step = min(abs(power), _STEP)
        factor = ibis.literal(1 << step, "int64").cast("float64")
        value, power = (value * factor, power - step) if power > 0 else (value / factor, power + step)
    return value


def float_column(ibis: Any, column: Any) -> Any:
    """A column of numbers or truth values as float64."""
    if column.type().is_boolean():
        return ibis.cases((column, number(ibis, 1.0)), (~column, number(ibis, 0.0)))
    return column.cast("float64")


def at_least(ibis: Any, x: Any, low: float) -> Any:
    """Whether a column that is not NaN reaches a value."""
    if low == -math.inf:
        return x.notnull()
    return x >= number(ibis, low) if low < math.inf else x > number(ibis, sys.float_info.max)


def at_most(ibis: Any, x: Any, high: float) -> Any:
    """Whether a column that is not NaN stays within a value."""
    if high == math.inf:
        return x.notnull()
    return x <= number(ibis, high) if high > -math.inf else x < number(ibis, -sys.float_info.max)


def finite(ibis: Any, x: Any) -> Any:
    """Whether a column that is not NaN is no infinity."""
    return x.abs() <= number(ibis, sys.float_info.max)


def known(x: Any) -> Any:
    """Neither NULL nor NaN; engines that cannot ask for NaN have none.

    `x <= inf` would say the same of the value, but statistics of Parquet files leave NaN out, and an engine that trusts
    them takes such a comparison for always true.
    """
    return x.notnull() & ~x.isnan() if offers(x, "IsNan") else x.notnull()


def arithmetic(ibis: Any) -> Arithmetic:
    """The map's operations as expressions."""
    return Arithmetic(
        root=lambda x: x.sqrt(),
        size=lambda x: x.abs(),
        floor=lambda x: x.floor(),
        pick=lambda test, one, other: test.ifelse(one, other),
        number=lambda x: number(ibis, x),
    )
