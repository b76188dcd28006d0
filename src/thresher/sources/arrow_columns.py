"""Arrow columns as NumPy arrays: every value as it was, nothing copied where the layouts agree."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.optional import extra
from thresher.errors import ColumnError

Column: TypeAlias = npt.NDArray[Any]

_MOST_NAMES = 1 << 16  # distinct texts up to which a column of them is worth an array of one width
_WIDEST_NAME = 64
_FINE = re.compile(r"[.,]\d{6}\d*[1-9]")  # more digits of a second than Python has


def numpy_column(values: Any, *, name: str) -> Column:
    """A pyarrow Array or ChunkedArray as a NumPy array; missing entries become NaN, NaT or None.

    Floats without nulls in one chunk are not copied. Integers and booleans with nulls become objects, so that no
    integer is rounded. Decimals stay `Decimal`. Texts get one width when that loses nothing. Nested types are refused.

    >>> import pyarrow as pa
    >>> numpy_column(pa.array([1, None, 2**60]), name="p")
    array([1, None, 1152921504606846976], dtype=object)
    """
    arrow = extra("pyarrow", name="files")
    compute = extra("pyarrow.compute", name="files")
    types = arrow.types
    values = _storage(values, arrow)
    if isinstance(values, arrow.ChunkedArray) and values.num_chunks == 1:
        values = values.chunk(0)
    kind = values.type
    if types.is_run_end_encoded(kind):
        return numpy_column(compute.run_end_decode(values), name=name)
    if types.is_nested(kind):
        raise ColumnError(f"the column {name!r} holds {kind}, not one value per row", "take a column of plain values")
    if types.is_date64(kind):
        values = values.cast(arrow.date32())  # milliseconds of a midnight are a day all the same
    if types.is_dictionary(kind):
        return _from_dictionary(values, arrow, name=name)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        plain = values.cast(arrow.large_string())  # chunks of many gigabytes fit, and views have few kernels
        return _from_dictionary(plain.dictionary_encode(), arrow, name=name)
    if (types.is_integer(kind) or types.is_floating(kind)) and not values.null_count:
        return plain_numbers(values)
    if types.is_floating(kind) or types.is_temporal(kind) or (values.null_count == 0 and not types.is_null(kind)):
        array: Column = (
            values.to_numpy() if isinstance(values, arrow.ChunkedArray) else values.to_numpy(zero_copy_only=False)
        )
        return array
    return objects(values.to_pylist())


def plain_numbers(values: Any) -> Column:
    """Arrow's integers or floats, none of them missing, as a NumPy array; of one chunk nothing is copied.

    pyarrow's own way loads pandas where that is installed, which takes longer than to read most files.

    >>> import pyarrow as pa
    >>> plain_numbers(pa.chunked_array([[1, 2], [3]]))
    array([1, 2, 3])
    """
    if hasattr(values, "chunks"):
        chunks = [np.from_dlpack(chunk) for chunk in values.chunks]
        if len(chunks) == 1:
            return chunks[0]
        return np.concatenate(chunks) if chunks else np.zeros(0, dtype=values.type.to_pandas_dtype())
    return np.from_dlpack(values)


def table_of_rows(schema: Any, rows: Sequence[tuple[Any, ...]]) -> Any:
    """Rows as Python has them, as an Arrow table of a schema.

    Truth values may be 0 and 1, and days, moments and times of day texts as Python reads them; ValueError for others.

    >>> import pyarrow as pa
    >>> schema = pa.schema([("flag", pa.bool_()), ("x", pa.int64()), ("day", pa.date32())])
    >>> table_of_rows(schema, [(1, 2**60, "2026-05-01"), (None, None, None)]).to_pylist()
    [{'flag': True, 'x': 1152921504606846976, 'day': datetime.date(2026, 5, 1)}, {'flag': None, 'x': None, 'day': None}]
    """
    import pyarrow as pa

    types = pa.types
    readers: list[tuple[Callable[[Any], bool], Callable[[Any], Any]]] = [
        (types.is_boolean, bool),
        (types.is_date, _day),
        (types.is_timestamp, _utc),
        (types.is_time, _hour),
        (types.is_decimal, lambda number: Decimal(str(number))),
    ]
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    made = []
    for values, kind in zip(columns, schema.types, strict=True):
        read = next((read for test, read in readers if test(kind)), None)
        made.append(pa.array(list(values) if read is None else [_read(value, read) for value in values], kind))
    return pa.table(made, schema=schema)


def _day(text: str) -> date:
    moment = datetime.fromisoformat(text)
    if moment.time() != time():
        raise ValueError("it is no midnight, and so no day")
    return moment.date()


def _hour(text: str) -> time:
    hour = time.fromisoformat(text)
    if hour.tzinfo is not None:
        raise ValueError("it has a zone, which depends on the day")
    return hour


def _utc(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _read(value: Any, read: Callable[[Any], Any]) -> Any:
    if value is None:
        return None
    try:
        if isinstance(value, str) and _FINE.search(value):
            raise ValueError("it is finer than a microsecond")
        return read(value)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ValueError(
            f"a column of days, times or decimals holds {value!r}, which cannot be read ({error})"
        ) from None


def is_arrow(values: Any) -> bool:
    """Whether values are a column of pyarrow, without loading it for those that are not."""
    return type(values).__module__.partition(".")[0] == "pyarrow" and hasattr(values, "type")


def of_capsule(values: Any) -> Any:
    """A column that speaks only Arrow's PyCapsule interface as one of pyarrow; anything else as it is."""
    if hasattr(values, "__array__") or is_arrow(values):
        return values
    if hasattr(values, "__arrow_c_stream__"):
        return extra("pyarrow", name="files").chunked_array(values)
    if hasattr(values, "__arrow_c_array__"):
        return extra("pyarrow", name="files").array(values)
    return values


def objects(values: list[Any]) -> Column:
    """Python values as an array of objects, one per row whatever they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _storage(values: Any, arrow: Any) -> Any:
    """What an extension type is made of; Arrow's own booleans of a byte are booleans."""
    kind = values.type
    if not isinstance(kind, arrow.BaseExtensionType):
        return values
    chunks = values.chunks if isinstance(values, arrow.ChunkedArray) else [values]
    plain = arrow.chunked_array([chunk.storage for chunk in chunks], type=kind.storage_type)
    return plain.cast(arrow.bool_()) if kind.extension_name == "arrow.bool8" else _storage(plain, arrow)


def _from_dictionary(values: Any, arrow: Any, *, name: str) -> Column:
    if isinstance(values, arrow.ChunkedArray):
        if any(chunk.dictionary.null_count for chunk in values.chunks):  # which pyarrow does not unify
            return numpy_column(values.cast(values.type.value_type), name=name)
        values = values.unify_dictionaries().combine_chunks() if values.num_chunks else _no_words(values.type, arrow)
    if arrow.types.is_string(values.dictionary.type) or arrow.types.is_large_string(values.dictionary.type):
        words = _texts(values.dictionary.to_pylist(), fixed=values.null_count == 0)
    else:
        words = numpy_column(values.dictionary, name=name)
    if not len(words):
        return objects([None] * len(values)) if len(values) else words
    codes = values.indices.fill_null(0).to_numpy(zero_copy_only=False)
    taken: Column = words[codes]
    if values.null_count:
        if words.dtype.kind != "f":
            taken = taken.astype(object)
        taken[values.indices.is_null().to_numpy(zero_copy_only=False)] = np.nan if words.dtype.kind == "f" else None
    return taken


def _no_words(kind: Any, arrow: Any) -> Any:
    return arrow.DictionaryArray.from_arrays(*(arrow.array([], part) for part in (kind.index_type, kind.value_type)))


def _texts(words: list[Any], *, fixed: bool) -> Column:
    # An array of one width compares fast, but forgets NULs at the end of a text.
    plain = fixed and words and len(words) <= _MOST_NAMES and None not in words
    if plain and max(map(len, words)) <= _WIDEST_NAME and not any(word.endswith("\0") for word in words):
        return np.array(words, dtype=np.str_)
    return objects(words)
