"""Arrow columns as NumPy arrays: every value as it was, nothing copied where the layouts agree."""

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
# Missing where all else is numbers or truth values; in a column of words they are words.
ABSENT = ("", "NA", "N/A", "#N/A", "null", "NULL", "Null", "None", "nan", "NaN", "NAN")
_TRUTH = ("true", "false")


def numpy_column(values: Any, *, name: str) -> Column:
    """A pyarrow Array or ChunkedArray as a NumPy array; missing entries become NaN, NaT or None.

    Floats without nulls in one chunk are not copied. Integers and booleans with nulls become objects, so that no
    integer is rounded. Decimals stay `Decimal`. Texts get one width when that loses nothing. Nested types are refused.

    >>> import pyarrow as pa
    >>> numpy_column(pa.array([1, None, 2**60]), name="p")
    array([1, None, 1152921504606846976], dtype=object)
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


def plain_array(values: Any, *, name: str) -> Any:
    """An Arrow array without an extension type, a run-end encoding or a view; nested types are refused."""
    arrow, compute = extra("pyarrow", name="files"), extra("pyarrow.compute", name="files")
    values = _storage(values, arrow)
    if arrow.types.is_run_end_encoded(values.type):
        values = compute.run_end_decode(values)
    if arrow.types.is_nested(values.type):
        what = f"the column {name!r} holds {values.type}, not one value per row"
        raise ColumnError(what, "take a column of plain values")
    return values.cast(arrow.large_string()) if arrow.types.is_string_view(values.type) else values


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


def float_values(values: Any) -> Column:
    """An Arrow column of scores or weights as NumPy numbers; missing entries become NaN.

    Integers with nulls become float64 where that rounds none of them.

    >>> import pyarrow as pa
    >>> float_values(pa.array([1, None, 2]))
    array([ 1., nan,  2.])
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (values.null_count and pa.types.is_integer(values.type)):
        return numpy_column(values, name="scores")
    present = plain_numbers(values.fill_null(0))
    floats = present.astype(np.float64)
    if (np.abs(floats) >= EXACT_INTEGERS).any():
        return numpy_column(values, name="scores")  # objects, of which the exact ones are accepted
    floats[np.asarray(pc.is_null(values))] = np.nan
    return floats


def parse_text(values: Any) -> Column:
    """A pyarrow column of texts as integers, floats, booleans or words, whichever holds every entry exactly.

    Numbers are read to the nearest float64 in one notation everywhere (a decimal point, no groups); integers stay
    integers. Whole numbers written as `01` or `0x1` make a column of words, since numbers would forget how they were
    written.

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
    present = _without_absent(values)
    if present.null_count == len(present):
        return numpy_column(values, name="")
    if pc.all(pc.is_in(pc.utf8_lower(present.drop_null()), value_set=pa.array(_TRUTH, present.type))).as_py():
        return numpy_column(pc.equal(pc.utf8_lower(present), "true"), name="")
    array = _numbers(present)
    return numpy_column(values, name="") if array is None else array


def _without_absent(texts: Any) -> Any:
    """Texts without blanks around them, and null where they say that nothing is there.

    >>> import pyarrow as pa
    >>> _without_absent(pa.array([" 1", "NA "])).to_pylist()
    ['1', None]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(texts)
    absent = pc.is_in(trimmed, value_set=pa.array(ABSENT, trimmed.type))
    return pc.if_else(absent, pa.scalar(None, trimmed.type), trimmed)


def _are_codes(texts: Any) -> bool:
    """Whether a whole number is written as a code is, such as 01 or 0x1.

    >>> import pyarrow as pa
    >>> _are_codes(pa.array(["10", "01"])), _are_codes(pa.array(["10", "0"]))
    (True, False)
    """
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(texts, "^[+-]?0[0-9xX]")).as_py())


def _numbers(texts: Any) -> Column | None:
    """Texts that are all numbers as integers or floats; None if one is not, or is a code such as 01."""
    import pyarrow as pa

    if texts.null_count == len(texts):
        return None
    for kind in (pa.int64(), pa.uint64(), pa.float64()):
        try:
            numbers = texts.cast(kind)
        except pa.ArrowInvalid:
            continue
        array = numpy_column(numbers, name="")
        if kind == pa.float64():
            return _exact_floats(array, texts)
        return None if _are_codes(texts) else array
    return None


def rounded_texts(floats: Column, texts: Any) -> list[tuple[int, int | Decimal]]:
    """Positions of numbers that a float64 does not hold as they are written, with their exact values.

    Integers beyond 2^53 may be rounded, and a large finite number may become infinite.

    >>> import pyarrow as pa
    >>> rounded_texts(np.array([2.0**53, 0.5]), pa.array(["9007199254740993", "0.5"]))
    [(0, 9007199254740993)]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    large = np.flatnonzero(np.abs(floats) >= EXACT_INTEGERS)
    if not large.size:
        return []
    written = texts.take(pa.array(large))
    integer = np.asarray(pc.match_substring_regex(written, r"^\s*[+-]?[0-9]+\s*$"))
    burst = np.isinf(floats[large]) & ~np.asarray(pc.match_substring_regex(written, "(?i)inf"))
    exact = [
        (int(large[i]), int(text) if integer[i] else Decimal(text))
        for i, text in zip(
            np.flatnonzero(integer | burst).tolist(), written.filter(pa.array(integer | burst)).to_pylist(), strict=True
        )
    ]
    return [(row, value) for row, value in exact if value != floats[row].item()]


def _exact_floats(floats: Column, texts: Any) -> Column:
    """Floats, with exact numbers in place of those that were rounded."""
    if not (rounded := rounded_texts(floats, texts)):
        return floats
    array = objects(floats.tolist())
    for row, value in rounded:
        array[row] = value
    return array
