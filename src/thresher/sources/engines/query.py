"""The one query: rows counted by label, bucket and fault.

`SELECT by…, label, bucket, count(*), sum(weight), min(score), max(score) GROUP BY by…, label, bucket`. Rows with
missing labels, scores or weights are separate groups, so that they are counted in the same pass and NULL is never a
class.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC
from decimal import Context, Decimal
from functools import reduce
from operator import add, and_, or_
from typing import Any, TypeAlias

from thresher._internal.optional import extra
from thresher.errors import ArgumentError, ColumnError, ScoreError, WeightError
from thresher.inputs.columns import numpy_moment
from thresher.inputs.labels import LABELS_SHOWN
from thresher.sources.buckets import SUBS, Arithmetic, place
from thresher.sources.engines.connect import offers
from thresher.sources.filters import BYTES, HOURS, NUMBERS, TEXTS, TIMES, filter_values, require_kind
from thresher.sources.options import Columns, Filter

NO_LABEL, NO_SCORE, NO_WEIGHT, BAD_WEIGHT, ZERO_WEIGHT, UNFIT_SCORE, NO_CLUSTER = (1 << bit for bit in range(7))
MISSING = NO_LABEL | NO_SCORE | NO_WEIGHT | NO_CLUSTER
FAULT = 2**60
MOST_GROUPS = 3 * 10**7
MOST_BY_SCORE = 2**23  # groups of an answer that counts score by score; one that is longer is not read
_EXACT_DIGITS = 15
_STATES = 1 << 6  # ways in which rows can lack something
_EVERY_DIGIT = Context(prec=2000)
Run: TypeAlias = tuple[int, int]  # the first and the last of neighbouring keys


@dataclass(frozen=True, slots=True)
class Piece:
    """Buckets from `first` up to the next piece, each divided into `parts`."""

    first: int
    parts: int


def count_query(
    table: Any, columns: Columns, *, buckets: int, pieces: Sequence[Piece] = (), by_score: Sequence[Run] = ()
) -> Any:
    """The expression that counts a table's rows.

    Its columns are by0…, model, label, key, cases, weight, low and high; `key` is the bucket (times `SUBS`, plus the
    part, when buckets are divided), or `FAULT` plus what is wrong. Rows whose key lies in one of the runs `by_score`
    are counted score by score. Several scores are unfolded row by row, so that the table is read once.
    """
    ibis = extra("ibis", name="sql")
    rows = _prepare(ibis, table, columns)
    weighted = columns.weights is not None
    at = place(rows.x, buckets=buckets, by=_arithmetic(ibis))
    fine = _is_complete(ibis, rows, weighted=weighted)
    if pieces:
        # The bucket is named once: engines would otherwise work it out for every piece it is compared with.
        rows = rows.mutate(at=ibis.cases((fine, at)))
        rows = rows.mutate(bucket=rows.at.floor().cast("int64"))
        share = (rows.at - rows.bucket.cast("float64")) * _parts(ibis, rows.bucket, pieces)
        code = rows.bucket * ibis.literal(SUBS, "int64") + share.floor().cast("int64")
    else:
        code = ibis.cases((fine, at)).floor().cast("int64")  # not every engine takes NaN, which is no bucket
    if by_score:
        rows = rows.mutate(code=code)
        inside = reduce(or_, ((rows.code >= first) & (rows.code <= last) for first, last in by_score))
        rows = rows.mutate(one_score=ibis.cases((inside, rows.x)))
        code = rows.code
    fault = ibis.literal(FAULT, "int64") + faults(ibis, rows)
    keys = {name: rows[name] for name in [*_by(columns), "model", "label", "one_score"] if name in rows.columns}
    sums = {"weight": rows.w.sum()} if weighted else {}
    grouped = rows.group_by(**keys, key=ibis.coalesce(code, fault)).aggregate(
        cases=rows.count().cast("int64"), **sums, low=rows.x.min(), high=rows.x.max()
    )
    # More groups than labels can make that a refusal counts are refused without a count.
    first = LABELS_SHOWN * len(columns.scores) * (2 * buckets + _STATES)
    return grouped.limit((MOST_BY_SCORE if by_score else MOST_GROUPS if pieces or columns.by else first) + 1)


def filter_table(table: Any, where: Filter | None) -> Any:
    """The rows of an Ibis table that a filter takes."""
    if where is None:
        return table
    if callable(where):
        return table.filter(*_condition(where, table))
    ibis = extra("ibis", name="sql")
    for name, wanted in filter_values(where).items():
        require_plain(table[name], name)
        column = readable(table[name])
        require_kind(_kind_of_type(column.type()), wanted, name)
        test = is_one_of(ibis, column, [value for value in wanted if value is not None])
        if None in wanted:
            test |= ~known(column)
        table = table.filter(test)
    return table


def number(ibis: Any, x: float) -> Any:
    """A float64 in a query, to the last bit: as text, since decimals would be rounded."""
    text = repr(float(x)) if math.isfinite(x) else "Infinity" if x > 0 else "-Infinity"
    return ibis.literal(text).cast("float64")


def float_column(ibis: Any, column: Any) -> Any:
    """A column of numbers or truth values as float64."""
    if column.type().is_boolean():
        return ibis.cases((column, number(ibis, 1.0)), (~column, number(ibis, 0.0)))
    return column.cast("float64")


def is_finite(ibis: Any, x: Any) -> Any:
    """Whether a column that is not NaN is no infinity."""
    return x.abs() <= number(ibis, sys.float_info.max)


def known(x: Any) -> Any:
    """Neither NULL nor NaN; engines that cannot ask for NaN have none.

    `x <= inf` would say the same of the value, but statistics of Parquet files leave NaN out, and an engine that trusts
    them takes such a comparison for always true.
    """
    return x.notnull() & ~x.isnan() if x.type().is_floating() and offers(x, "IsNan") else x.notnull()


def require_plain(column: Any, name: str) -> None:
    """Raise `ColumnError` unless a column holds one value per row."""
    kind = column.type()
    if kind.is_nested():
        raise ColumnError(f"the column {name!r} holds {kind}, not one value per row", "take a column of plain values")
    if kind.is_interval():
        what = f"the column {name!r} holds durations, which differ between engines"
        raise ColumnError(what, "make a column of whole numbers of it")


def require_numbers(kind: Any, what: str, error: type[ScoreError | WeightError]) -> None:
    """Raise the error unless a type is one of numbers that a float64 holds."""
    if kind.is_decimal() and (kind.precision is None or kind.precision > _EXACT_DIGITS):
        raise error(f"{what}, whose digits a float64 does not hold", "cast the column to double precision in a view")
    if not (kind.is_numeric() or kind.is_boolean()):
        raise error(what, "name a column of numbers, and check that labels and scores are not swapped")


def readable(column: Any) -> Any:
    """A column in a type that Arrow knows: addresses and identifiers are texts."""
    kind = column.type()
    return column.cast("string") if kind.is_uuid() or kind.is_inet() or kind.is_macaddr() else column


def group_column(ibis: Any, column: Any) -> Any:
    """A column to group rows by, in which -0.0 is 0.0, and NaN is missing."""
    column = readable(column)
    if not column.type().is_floating():
        return column
    wide, zero = column.cast("float64"), number(ibis, 0.0)
    return ibis.cases((known(wide) & (wide == zero), zero), (known(wide), wide))


def is_one_of(ibis: Any, column: Any, values: Iterable[Any]) -> Any:
    """Whether a column holds one of some values; numbers are compared unrounded."""
    kind = column.type()
    if kind.is_null():
        return ibis.literal(False)
    if kind.is_floating():
        nearest = [near for value in values if (near := _nearest(value)) is not None and near == value]
        column = column.cast("float64")
        return known(column) & _any_equal(ibis, column, [number(ibis, near) for near in nearest])
    literals = [literal for value in values if (literal := _literal(ibis, kind, value)) is not None]
    return _any_equal(ibis, column, literals)


def rounded_in_float64(ibis: Any, score: Any) -> Any | None:
    """Whether a float64 rounds an integer; None where the type is too narrow for that."""
    kind = score.type()
    if not (kind.is_integer() and kind.nbytes == 8):
        return None
    floats, (low, high) = score.cast("float64"), kind.bounds
    # Casting back what lies at the end of the type would overflow; only its lowest number is exact there.
    inside = (floats < number(ibis, float(high))) & (floats > number(ibis, float(low)))
    back = ibis.cases((inside, floats)).cast(kind)
    return ibis.cases((inside, back != score), else_=score != ibis.literal(low, kind)).fill_null(False)


def scan_columns(ibis: Any, table: Any, columns: Columns) -> dict[str, Any]:
    """The columns of a scan: label, by0…, x0… and unfit0… of the scores, and w."""
    for name in (columns.label, *columns.by):
        require_plain(table[name], name)
    chosen: dict[str, Any] = {"label": readable(table[columns.label])}
    chosen |= {name: group_column(ibis, table[column]) for name, column in zip(_by(columns), columns.by, strict=True)}
    for i, name in enumerate(columns.scores):
        score = table[name]
        require_numbers(score.type(), f"scores must be numbers, got {score.type()} in {name!r}", ScoreError)
        chosen[f"x{i}"] = float_column(ibis, score)
        if (unfit := rounded_in_float64(ibis, score)) is not None:
            chosen[f"unfit{i}"] = unfit
    if columns.weights is not None:
        weight = table[columns.weights]
        require_numbers(weight.type(), f"weights must be numbers, got {weight.type()}", WeightError)
        chosen["w"] = float_column(ibis, weight)
    return chosen


def faults(ibis: Any, rows: Any, models: Sequence[str] = ("",)) -> Any:
    """What is wrong with a row, a bit for each fault; `models` are suffixes of x."""
    tests = [(NO_LABEL, known(rows.label)), (NO_SCORE, reduce(and_, (known(rows[f"x{model}"]) for model in models)))]
    if "w" in rows.columns:
        zero = number(ibis, 0.0)
        tests += [
            (NO_WEIGHT, known(rows.w)),
            (BAD_WEIGHT, (rows.w >= zero) & is_finite(ibis, rows.w)),
            (ZERO_WEIGHT, rows.w != zero),
        ]
    if unfit := [rows[f"unfit{model}"] for model in models if f"unfit{model}" in rows.columns]:
        tests.append((UNFIT_SCORE, ~reduce(or_, unfit)))
    if "cluster" in rows.columns:
        tests.append((NO_CLUSTER, rows.cluster.notnull()))
    bits = [ibis.cases((test, ibis.literal(0, "int64")), else_=ibis.literal(bit, "int64")) for bit, test in tests]
    return reduce(add, bits)


def _prepare(ibis: Any, table: Any, columns: Columns) -> Any:
    """The rows as the query sees them: label, x, unfit, w, groups, and whose x it is."""
    chosen, models = scan_columns(ibis, table, columns), len(columns.scores)
    if models == 1:
        rows = table.select(**chosen)
        return rows.rename({name: f"{name}0" for name in ("x", "unfit") if f"{name}0" in rows.columns})
    # Every row once for each model: by an array where the engine has them, else by reading the table again.
    numbers = [ibis.literal(i, "int64") for i in range(models)]
    if offers(table, "Array") and offers(table, "Unnest"):
        rows = table.select(**chosen, model=ibis.array(numbers).unnest())
    else:
        rows = ibis.union(*(table.select(**chosen, model=one) for one in numbers), distinct=False)
    picked = {"x": ibis.cases(*((rows.model == i, rows[f"x{i}"]) for i in range(models)))}
    tests = [(rows.model == i, rows[f"unfit{i}"]) for i in range(models) if f"unfit{i}" in rows.columns]
    if tests:
        picked["unfit"] = ibis.cases(*tests, else_=False)
    others = [name for name in [*_by(columns), "model", "label", "w"] if name in rows.columns]
    return rows.select(*others, **picked)


def _is_complete(ibis: Any, rows: Any, *, weighted: bool) -> Any:
    """Rows that count: nothing missing, a weight above 0. May be NULL for others."""
    fine = known(rows.label) & known(rows.x)
    if weighted:
        fine &= known(rows.w) & (rows.w > number(ibis, 0.0)) & is_finite(ibis, rows.w)
    return fine & ~rows.unfit if "unfit" in rows.columns else fine


def _by(columns: Columns) -> list[str]:
    return [f"by{i}" for i in range(len(columns.by))]


def _parts(ibis: Any, bucket: Any, pieces: Sequence[Piece]) -> Any:
    """The parts of each row's bucket, by halving."""
    if len(pieces) == 1:
        return number(ibis, float(pieces[0].parts))
    middle = len(pieces) // 2
    lower, upper = _parts(ibis, bucket, pieces[:middle]), _parts(ibis, bucket, pieces[middle:])
    return (bucket < pieces[middle].first).ifelse(lower, upper)


def _arithmetic(ibis: Any) -> Arithmetic:
    """The operations of the map of buckets as expressions."""
    return Arithmetic(
        root=lambda x: x.sqrt(),
        size=lambda x: x.abs(),
        floor=lambda x: x.floor(),
        pick=lambda test, one, other: test.ifelse(one, other),
        number=lambda x: number(ibis, x),
    )


def _condition(where: Callable[[Any], Any], table: Any) -> list[Any]:
    """What a user's function makes of a table: conditions that must all hold."""
    fix = "it gets an Ibis table, and returns a condition such as t.age > 30"
    try:
        result = where(table)
    except Exception as error:
        what = f"the function given as where= raised {type(error).__name__}: {error}"
        raise ArgumentError(what, fix, parameter="where") from error
    conditions = list(result) if isinstance(result, list | tuple) and result else [result]
    bound = [] if any(one is None or isinstance(one, str) for one in conditions) else list(table.bind(*conditions))
    if not bound or not all(hasattr(one, "type") and one.type().is_boolean() for one in bound):
        columns = [f"a column of {one.type()}" for one in bound if hasattr(one, "type")]
        shown = " and ".join(columns) or repr(result)
        raise ArgumentError(f"the function given as where= returned {shown}", fix, parameter="where")
    return bound


def _kind_of_type(kind: Any) -> str | None:
    if kind.is_numeric() or kind.is_boolean():
        return NUMBERS
    tests = {TEXTS: kind.is_string, TIMES: lambda: kind.is_date() or kind.is_timestamp(), HOURS: kind.is_time}
    return next((name for name, holds in (tests | {BYTES: kind.is_binary}).items() if holds()), None)


def _any_equal(ibis: Any, column: Any, values: Sequence[Any]) -> Any:
    """Whether a column equals one of some expressions, value by value.

    An engine may pass a list of values on to a reader of files, and not every reader knows that -0.0 is 0.0, or takes
    moments with zones and numbers above 2^63; whole numbers and texts are safe there.
    """
    if not values:
        return ibis.literal(False)
    kind = column.type()
    if kind.is_string() or (kind.is_integer() and kind.bounds.upper < 2**63):
        return column.isin(values)
    return ibis.cases(*((column == value, True) for value in values), else_=False)


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
        integral = _nearest(value) not in (None, math.inf, -math.inf) and int(value) == value
        low, high = kind.bounds
        return ibis.literal(int(value), kind) if integral and low <= value <= high else None
    if kind.is_decimal():
        return _decimal(ibis, kind, value)
    if kind.is_timestamp() or kind.is_date():
        return _moment(ibis, kind, value)
    if kind.is_string() and ("\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value)):
        fix = "leave NUL and single surrogates out, or read the rows"
        raise ArgumentError(f"{value!r} cannot be asked of an engine", fix, parameter="where")
    return ibis.literal(value, kind)


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
    """A day or a moment in the zone of a column, or in UTC; to the microsecond."""
    exact = numpy_moment(value)
    coarse = exact.astype("M8[D]" if kind.is_date() else "M8[us]")
    if coarse.astype(exact.dtype) == exact:
        moment = coarse.item()
        return ibis.literal(moment.replace(tzinfo=UTC) if kind.is_timestamp() and kind.timezone else moment)
    if kind.is_date():
        return None
    what = f"{value!r} is finer than a microsecond, and engines are asked for none such"
    raise ArgumentError(what, "give it in microseconds, or make a column of whole numbers of it", parameter="where")
