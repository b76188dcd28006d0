"""Arrow columns as NumPy arrays, not copied where layouts agree."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.optional import extra
from thresher.errors import ColumnError
from thresher.ranking import EXACT_INTEGERS

Column: TypeAlias = npt.NDArray[Any]

_MOST_NAMES = 1 << 16  # distinct texts up to which a column of them is worth an array of one width
_WIDEST_NAME = 64
MOST_DIGITS = 640  # of a whole number: the least to which Python's own limit can be set
# Missing where all else is numbers or truth values; in a column of words they are words.
ABSENT = ("", "NA", "N/A", "#N/A", "null", "NULL", "Null", "None", "nan", "NaN", "NAN")
_TRUTH = ("true", "false")
BLANKS = " \t"  # around numbers in text; other white space is no part of a number, as in Arrow's own reader


def numpy_column(values: Any, *, name: str) -> Column:
    """A pyarrow column as a NumPy array; missing entries become NaN, NaT or None.

    Floats without nulls in one chunk are not copied. Integers and booleans with nulls become objects, so that no
    integer is rounded. Decimals stay `Decimal`. Texts get one width when that loses nothing. Nested types are refused.
    """
    arrow = extra("pyarrow", name="files")
    types = arrow.types
    values = plain_array(values, name=name)
    if isinstance(values, arrow.ChunkedArray) and values.num_chunks == 1:
        values = values.chunk(0)
    kind = values.type
    if types.is_date64(kind):
        values = values.cast(arrow.date32())  # milliseconds of a midnight are a day all the same
    if types.is_dictionary(kind):
        return _from_dictionary(values, arrow, name=name)
    if types.is_string(kind) or types.is_large_string(kind):
        plain = values.cast(arrow.large_string())  # chunks of many gigabytes fit
        return _from_dictionary(plain.dictionary_encode(), arrow, name=name)
    if (types.is_integer(kind) or types.is_floating(kind)) and not values.null_count:
        return plain_numbers(values)
    if types.is_floating(kind) or types.is_temporal(kind) or (values.null_count == 0 and not types.is_null(kind)):
        array: Column = values.to_numpy(zero_copy_only=False)
        return array
    return objects(values.to_pylist())


def plain_array(values: Any, *, name: str) -> Any:
    """An Arrow array without extension types, run-end encoding or views.

    Nested types are refused.
    """
    arrow, compute = extra("pyarrow", name="files"), extra("pyarrow.compute", name="files")
    kind = values.type
    if isinstance(kind, arrow.BaseExtensionType):
        chunks = [chunk.storage for chunk in getattr(values, "chunks", [values])]
        stored = arrow.chunked_array(chunks, type=kind.storage_type) if hasattr(values, "chunks") else chunks[0]
        return plain_array(stored.cast(arrow.bool_()) if kind.extension_name == "arrow.bool8" else stored, name=name)
    if arrow.types.is_run_end_encoded(kind):
        return plain_array(compute.run_end_decode(values), name=name)
    if arrow.types.is_nested(kind):
        what = f"the column {name!r} holds {kind}, not one value per row"
        raise ColumnError(what, "take a column of plain values")
    return values.cast(arrow.large_string()) if arrow.types.is_string_view(kind) else values


def plain_numbers(values: Any) -> Column:
    """Arrow integers or floats without nulls as NumPy; one chunk is not copied.

    pyarrow's own way loads pandas where that is installed, which takes longer than to read most files.
    """
    if not hasattr(values, "chunks"):
        return np.from_dlpack(values)
    chunks = [np.from_dlpack(chunk) for chunk in values.chunks]
    if len(chunks) == 1:
        return chunks[0]
    return np.concatenate(chunks) if chunks else np.zeros(0, dtype=values.type.to_pandas_dtype())


def is_arrow(values: Any) -> bool:
    """Whether values are a column of pyarrow, without loading pyarrow."""
    return type(values).__module__.partition(".")[0] == "pyarrow" and hasattr(values, "type")


def of_capsule(values: Any) -> Any:
    """A column of Arrow's PyCapsule interface as one of pyarrow; others unchanged."""
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


def _from_dictionary(values: Any, arrow: Any, *, name: str) -> Column:
    if isinstance(values, arrow.ChunkedArray):
        if any(chunk.dictionary.null_count for chunk in values.chunks):  # which pyarrow does not unify
            return numpy_column(values.cast(values.type.value_type), name=name)
        values = values.unify_dictionaries().combine_chunks()
    if arrow.types.is_string(values.dictionary.type) or arrow.types.is_large_string(values.dictionary.type):
        words = _texts(values.dictionary.to_pylist(), fixed=values.null_count == 0)
    else:
        words = numpy_column(values.dictionary, name=name)
    if not len(words):
        return objects([None] * len(values)) if len(values) else words
    taken: Column = words[values.indices.fill_null(0).to_numpy(zero_copy_only=False)]
    if values.null_count:
        if words.dtype.kind != "f":
            taken = taken.astype(object)
        taken[values.indices.is_null().to_numpy(zero_copy_only=False)] = np.nan if words.dtype.kind == "f" else None
    return taken


def _texts(words: list[Any], *, fixed: bool) -> Column:
    # An array of one width compares fast, but forgets NULs at the end of a text.
    plain = fixed and words and len(words) <= _MOST_NAMES and None not in words
    if plain and max(map(len, words)) <= _WIDEST_NAME and not any(word.endswith("\0") for word in words):
        return np.array(words, dtype=np.str_)
    return objects(words)


def float_values(values: Any) -> Column:
    """An Arrow column of scores or weights as NumPy numbers; missing ones are NaN.

    Integers with nulls become float64 where that rounds none of them.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (values.null_count and pa.types.is_integer(values.type)):
        return numpy_column(values, name="scores")
    floats = plain_numbers(values.fill_null(0)).astype(np.float64)
    if (np.abs(floats) >= EXACT_INTEGERS).any():
        return numpy_column(values, name="scores")  # objects, of which the exact ones are accepted
    floats[np.asarray(pc.is_null(values))] = np.nan
    return floats


def parse_text(values: Any) -> Column:
    """An Arrow column of texts as integers, floats, booleans or words.

    It becomes the first of these that holds every entry exactly. Numbers are read to the nearest float64 in one
    notation everywhere (a decimal point, no groups). Integers written as `01` or `0x1` make a column of words, since
    numbers would forget how they were written.

    >>> import pyarrow as pa
    >>> parse_text(pa.chunked_array([["0.1", "2", None]]))
    array([0.1, 2. , nan])
    >>> parse_text(pa.chunked_array([["yes", "NA"]]))
    array(['yes', 'NA'], dtype='<U3')
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    array = _numbers(values)
    if array is not None:
        return array
    trimmed = pc.utf8_trim(values, BLANKS)
    absent = pc.is_in(trimmed, value_set=pa.array(ABSENT, trimmed.type))
    present = pc.if_else(absent, pa.scalar(None, trimmed.type), trimmed)
    if present.null_count == len(present):
        return numpy_column(values, name="")
    if pc.all(pc.is_in(pc.utf8_lower(present.drop_null()), value_set=pa.array(_TRUTH, present.type))).as_py():
        return numpy_column(pc.equal(pc.utf8_lower(present), "true"), name="")
    array = _numbers(present)
    return numpy_column(values, name="") if array is None else array


def _numbers(texts: Any) -> Column | None:
    """Texts as integers or floats; None if one is no number, or a code such as 01."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if texts.null_count == len(texts):
        return None
    for kind in (pa.int64(), pa.uint64(), pa.float64()):
        try:
            array = numpy_column(texts.cast(kind), name="")
        except pa.ArrowInvalid:
            continue
        if kind != pa.float64():
            return None if pc.any(pc.match_substring_regex(texts, "^[+-]?0[0-9xX]")).as_py() else array
        if rounded := rounded_texts(array, texts):
            array = objects(array.tolist())
            array[list(rounded)] = objects(list(rounded.values()))
        return array
    return None


def rounded_texts(floats: Column, texts: Any) -> dict[int, int | Decimal]:
    """Exact values, by position, of texts whose number a float64 rounds.

    Integers beyond 2^53 may be rounded, and a large finite number may become infinite. Integers of more digits than
    Python would print are `Decimal`.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    large = np.flatnonzero(np.abs(floats) >= EXACT_INTEGERS)
    if not large.size:
        return {}
    written = texts.take(pa.array(large))
    integer = np.asarray(pc.match_substring_regex(written, r"^\s*[+-]?[0-9]+\s*$"))
    overflow = np.isinf(floats[large]) & ~np.asarray(pc.match_substring_regex(written, "(?i)inf"))
    doubtful = np.flatnonzero(integer | overflow)
    exact = {
        int(large[i]): int(text) if integer[i] and len(text) <= MOST_DIGITS else Decimal(text)
        for i, text in zip(doubtful.tolist(), written.take(pa.array(doubtful)).to_pylist(), strict=True)
    }
    return {row: value for row, value in exact.items() if value != floats[row].item()}
