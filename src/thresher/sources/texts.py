"""Columns of text from files without types: what is a number, a truth value or a word, decided by all rows."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from thresher.inputs.arrow import numpy_column, objects
from thresher.inputs.columns import Column

# Missing where all else is numbers or truth values; in a column of words they are words.
ABSENT = ("", "NA", "N/A", "#N/A", "null", "NULL", "Null", "None", "nan", "NaN", "NAN")
TRUTH = ("true", "false")
_EXACT_IN_FLOAT64 = 2**53


def typed(values: Any, *, name: str) -> Column:
    """A pyarrow column of texts as integers, floats, booleans or words, whichever holds every entry exactly.

    Numbers are read to the nearest float64 in one notation everywhere (a decimal point, no groups); integers stay
    integers. Whole numbers written as `01` or `0x1` make a column of words, since numbers would forget how they were
    written.

    >>> import pyarrow as pa
    >>> typed(pa.chunked_array([["0.1", "2", None]]), name="p")
    array([0.1, 2. , nan])
    >>> typed(pa.chunked_array([["yes", "NA"]]), name="y")
    array(['yes', 'NA'], dtype='<U3')
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    array = _numbers(values, name=name)
    if array is not None:
        return array
    kept = without_absent(values)
    if kept.null_count == len(kept):
        return numpy_column(values, name=name)
    if pc.all(pc.is_in(pc.utf8_lower(kept.drop_null()), value_set=pa.array(TRUTH, kept.type))).as_py():
        return numpy_column(pc.equal(pc.utf8_lower(kept), "true"), name=name)
    array = _numbers(kept, name=name)
    return numpy_column(values, name=name) if array is None else array


def without_absent(texts: Any) -> Any:
    """Texts without blanks around them, and null where they say that nothing is there.

    >>> import pyarrow as pa
    >>> without_absent(pa.array([" 1", "NA "])).to_pylist()
    ['1', None]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(texts)
    absent = pc.is_in(trimmed, value_set=pa.array(ABSENT, trimmed.type))
    return pc.if_else(absent, pa.scalar(None, trimmed.type), trimmed)


def coded(texts: Any) -> bool:
    """Whether a whole number is written as a code is, such as 01 or 0x1.

    >>> import pyarrow as pa
    >>> coded(pa.array(["10", "01"])), coded(pa.array(["10", "0"]))
    (True, False)
    """
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(texts, "^[+-]?0[0-9xX]")).as_py())


def _numbers(texts: Any, *, name: str) -> Column | None:
    """Texts that are all numbers as integers or floats; None if one is not, or is a code such as 01."""
    import pyarrow as pa

    if texts.null_count == len(texts):
        return None
    for kind in (pa.int64(), pa.uint64(), pa.float64()):
        try:
            numbers = texts.cast(kind)
        except pa.ArrowInvalid:
            continue
        array = numpy_column(numbers, name=name)
        if kind == pa.float64():
            return exact_floats(array, texts)
        return None if coded(texts) else array
    return None


def exact_floats(floats: Column, texts: Any) -> Column:
    """Floats as they are, unless a large integer was rounded or a finite number became infinite."""
    import pyarrow as pa
    import pyarrow.compute as pc

    large = np.flatnonzero(np.abs(floats) >= _EXACT_IN_FLOAT64)
    if not large.size:
        return floats
    written = texts.take(pa.array(large))
    whole = np.asarray(pc.match_substring_regex(written, r"^[+-]?[0-9]+$"))
    burst = np.isinf(floats[large]) & ~np.asarray(pc.match_substring_regex(written, "(?i)inf"))
    if not (whole | burst).any():
        return floats
    array = objects(floats.tolist())
    for i in np.flatnonzero(whole | burst):
        text = written[int(i)].as_py()
        array[large[i]] = int(text) if whole[i] else Decimal(text)
    return array
