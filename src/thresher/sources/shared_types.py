"""Types that a column has in several files: the one that holds all its values, where there is one.

Rows that are read into memory and rows that go through an engine are joined by the same rules: numbers as NumPy joins
them, texts with texts, moments with a zone as moments of UTC, and anything with what is missing everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.errors import ColumnError, ScoreError
from thresher.sources.data_file import DataFile
from thresher.sources.text_kinds import unfit_entries

_EXACT_IN_FLOAT64 = 2**53


def plain_type(kind: Any) -> Any:
    """The Arrow type of the values themselves, as the embedded engine knows them.

    >>> import pyarrow as pa
    >>> plain_type(pa.dictionary(pa.int8(), pa.string())), plain_type(pa.float16())
    (DataType(string), DataType(float))
    """
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return pa.bool_() if kind.extension_name == "arrow.bool8" else plain_type(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return plain_type(kind.value_type)
    return {pa.float16(): pa.float32(), pa.time64("ns"): pa.time64("us")}.get(kind, kind)


def shared_type(kinds: Sequence[Any]) -> Any:
    """The type that holds a column of these types, each of one file; None where they do not go together.

    >>> import pyarrow as pa
    >>> shared_type([pa.int64(), pa.null(), pa.float32()]), shared_type([pa.int64(), pa.string()])
    (DataType(double), None)
    """
    import pyarrow as pa

    plain = list(dict.fromkeys(plain_type(kind) for kind in kinds))
    known = [kind for kind in plain if not pa.types.is_null(kind)]
    if len(known) < 2:
        return (known or plain)[0]
    if all(_is_number(kind) for kind in known):
        return pa.from_numpy_dtype(np.result_type(*(kind.to_pandas_dtype() for kind in known)))
    if all(is_text(kind) for kind in known):
        return pa.large_string()
    zoned = all(pa.types.is_timestamp(kind) and kind.tz is not None for kind in known)
    if zoned and len({kind.unit for kind in known}) == 1:
        return pa.timestamp(known[0].unit, "UTC")
    return None


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is one of its three for texts."""
    import pyarrow as pa

    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def unlike_types(name: str, kinds: Sequence[Any], files: Sequence[DataFile]) -> ColumnError:
    """The error for a column whose types do not go together.

    >>> import pyarrow as pa
    >>> files = [DataFile("a.parquet", "parquet"), DataFile("b.parquet", "parquet")]
    >>> unlike_types("p", [pa.int64(), pa.string()], files).what
    "the column 'p' is int64 in a.parquet and string in b.parquet"
    """
    pairs = [(kind, file) for kind, file in zip(kinds, files, strict=True) if str(kind) != "null"]
    first, file = pairs[0]
    kind, other = next(pair for pair in pairs if shared_type([first, pair[0]]) is None)
    return ColumnError(
        f"the column {name!r} is {first} in {file.name} and {kind} in {other.name}", fix="give it one type in all files"
    )


def converted(values: Any, *, kind: Any, name: str) -> Any:
    """A column of Arrow as its shared type; `ScoreError` for a whole number that this would change.

    >>> import pyarrow as pa
    >>> converted(pa.array([1, 2**53 + 1]), kind=pa.float64(), name="p")
    Traceback (most recent call last):
    thresher.errors.ScoreError: 1 of 2 entries of 'p' do not fit a float64 exactly, first 9007199254740993
      where: converted(values)
      fix:   subtract an offset so that they do, or round them yourself
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values.type, pa.BaseExtensionType):
        values = _storage(values)
    if pa.types.is_run_end_encoded(values.type):
        values = pc.run_end_decode(values)
    if pa.types.is_floating(kind) and pa.types.is_integer(values.type):
        if (error := _unfit(values, name)) is not None:
            raise error
        return values.cast(kind, safe=False)  # Arrow refuses every number beyond 2**53, also those that fit
    return values.cast(kind)


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _storage(values: Any) -> Any:
    import pyarrow as pa

    if not isinstance(values, pa.ChunkedArray):
        return values.storage
    return pa.chunked_array([chunk.storage for chunk in values.chunks], type=values.type.storage_type)


def _unfit(values: Any, name: str) -> ScoreError | None:
    """The error for whole numbers of which a float64 would keep only the first digits."""
    there = values.drop_null().to_numpy()
    large = there[np.abs(there.astype(np.float64)) >= _EXACT_IN_FLOAT64]
    odd = large // (large & -large)  # without the zeros at the end, of which a float64 holds any number
    lost = large[np.abs(odd.astype(np.float64)) >= _EXACT_IN_FLOAT64]
    return unfit_entries(name, lost.size, len(values), str(lost[0])) if lost.size else None
