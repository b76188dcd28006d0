"""Columns of text from files without types: what is a number, a truth value or a word, decided by all rows."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from thresher.sources.arrow_columns import numpy_column, objects
from thresher.sources.columns import Column

# Missing where all else is numbers or truth values; in a column of words they are words.
ABSENT = ("", "NA", "N/A", "#N/A", "null", "NULL", "Null", "None", "nan", "NaN", "NAN")
_TRUTH = ("true", "false")
_EXACT_IN_FLOAT64 = 2**53


def typed(values: Any, *, name: str, where: str) -> Column:
    """A pyarrow column of texts as integers, floats, booleans or words, whichever holds every entry exactly.

    Numbers are read to the nearest float64 in one notation everywhere (a decimal point, no groups); integers stay
    integers. `01` and `0x1` are words, since numbers would forget how they were written.

    >>> import pyarrow as pa
    >>> typed(pa.chunked_array([["0.1", "2", None]]), name="p", where="here")
    array([0.1, 2. , nan])
    >>> typed(pa.chunked_array([["yes", "NA"]]), name="y", where="here")
    array(['yes', 'NA'], dtype='<U3')
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(values)
    kept = pc.if_else(
        pc.is_in(trimmed, value_set=pa.array(ABSENT, trimmed.type)), pa.scalar(None, trimmed.type), trimmed
    )
    if kept.null_count == len(kept):
        return numpy_column(values, name=name, where=where)
    if pc.all(pc.is_in(pc.utf8_lower(kept.drop_null()), value_set=pa.array(_TRUTH, kept.type))).as_py():
        return numpy_column(pc.equal(pc.utf8_lower(kept), "true"), name=name, where=where)
    if not pc.any(pc.match_substring_regex(kept, "^[+-]?0[0-9xX]")).as_py():
        for whole in (pa.int64(), pa.uint64()):
            try:
                return numpy_column(kept.cast(whole), name=name, where=where)
            except pa.ArrowInvalid:
                continue
        try:
            return _exact(numpy_column(kept.cast(pa.float64()), name=name, where=where), kept)
        except pa.ArrowInvalid:
            pass
    return numpy_column(values, name=name, where=where)


def _exact(floats: Column, texts: Any) -> Column:
    """Floats as they are, unless a large integer was rounded or a finite number became infinite."""
    import pyarrow as pa
    import pyarrow.compute as pc

    large = np.flatnonzero(np.abs(floats) >= _EXACT_IN_FLOAT64)
    if not large.size:
        return floats
    written = texts.take(pa.array(large))
    whole = pc.match_substring_regex(written, r"^[+-]?[0-9]+$").to_numpy()
    burst = np.isinf(floats[large]) & ~pc.match_substring_regex(written, "(?i)inf").to_numpy()
    if not (whole | burst).any():
        return floats
    array = objects(floats.tolist())
    for i in np.flatnonzero(whole | burst):
        text = written[int(i)].as_py()
        array[large[i]] = int(text) if whole[i] else Decimal(text)
    return array
