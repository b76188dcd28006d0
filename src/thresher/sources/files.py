"""Rows in files: the wanted columns of CSV, TSV, JSON lines, Parquet and Arrow files, as NumPy arrays.

A source is a path, a glob, a folder (whose key=value folders are columns too) or "-" for standard input. Several files
are one table, in sorted order.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import ColumnError, EmptyError, ScoreError
from thresher.sources import arrow_files, delimited, json_lines
from thresher.sources.arrow_columns import is_arrow, numpy_column, objects
from thresher.sources.column_names import require_columns, require_same_columns
from thresher.sources.columns import Column
from thresher.sources.data_file import DataFile
from thresher.sources.listing import Place, listed_files
from thresher.sources.shared_types import converted, shared_type, unlike_types
from thresher.sources.texts import typed

_READERS: dict[str, Any] = {
    "csv": delimited,
    "tsv": delimited,
    "jsonl": json_lines,
    "parquet": arrow_files,
    "arrow": arrow_files,
}
_EXACT_IN_FLOAT64 = 2**53
_NUMBERS = "biuf"


def read_columns(source: Place, names: Sequence[str] | None = None) -> dict[str, Column]:
    r"""The wanted columns of a source, all of them when `names` is None, with their dtypes kept.

    Missing entries stay missing (NaN, NaT or None), to be refused or counted by whoever takes the columns.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mails.csv")
    ...     _ = path.write_text("y,p\n1,0.9\n0,0.2\n")
    ...     read_columns(path, ["p"])
    {'p': array([0.9, 0.2])}
    """
    extra("pyarrow", name="files")
    files = listed_files(source)
    present = [_names(file, names) for file in files]
    wanted = list(dict.fromkeys(present[0] if names is None else names))
    for file, has in zip(files, present, strict=True):
        require_columns(wanted, has, place=file.name)
        if file.format != "jsonl":  # where an absent key is a missing value
            require_same_columns(present[0], has, places=(files[0].name, file.name))
    pieces = [_read(file, wanted) for file in files]
    columns = {name: _joined([piece[name] for piece in pieces], files, name) for name in wanted}
    if columns and not next(iter(columns.values())).size:
        place = files[0].name if len(files) == 1 else f"each of {len(files):,} files"
        raise EmptyError(f"{place} has columns and no rows", "give at least one row")
    return columns


def column_names(source: Place) -> tuple[str, ...]:
    r"""The names of a source's columns, those of its folders last.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "day=1", "mails.csv")
    ...     path.parent.mkdir()
    ...     _ = path.write_text("y,p\n1,0.9\n")
    ...     column_names(folder)
    ('y', 'p', 'day')
    """
    extra("pyarrow", name="files")
    files = listed_files(source)
    present = [_names(file, None) for file in files]
    for file, has in zip(files, present, strict=True):
        if file.format != "jsonl":
            require_same_columns(present[0], has, places=(files[0].name, file.name))
    return tuple(dict.fromkeys(name for has in present for name in has))


def _names(file: DataFile, wanted: Collection[str] | None) -> list[str]:
    inside = None if wanted is None else [name for name in wanted if name not in file.partition]
    return [*_READERS[file.format].names_in(file, inside), *file.partition]


def _read(file: DataFile, wanted: Sequence[str]) -> dict[str, Any]:
    """Columns of one file as its reader gives them; what its folders say is a text, repeated by every row."""
    arrow = extra("pyarrow", name="files")
    inside = [name for name in wanted if name not in file.partition]
    # A file that is asked for what its folders say alone still has to tell how many rows it has.
    read = inside or [name for name in _names(file, None) if name not in file.partition][:1]
    columns: dict[str, Any] = _READERS[file.format].columns_in(file, read)
    rows = len(next(iter(columns.values()))) if columns else 0
    said = {name: arrow.repeat(arrow.scalar(value, arrow.string()), rows) for name, value in file.partition.items()}
    return {name: said[name] if name in said else columns[name] for name in wanted}


def _joined(pieces: Sequence[Any], files: Sequence[DataFile], name: str) -> Column:
    """One column of the columns of all files; texts without types become numbers only when all files agree."""
    arrow = extra("pyarrow", name="files")
    there = [(piece, file) for piece, file in zip(pieces, files, strict=True) if len(piece)] or [(pieces[0], files[0])]
    pieces = _alike(there, name)
    if all(is_arrow(piece) and piece.type == pieces[0].type for piece in pieces):
        chunks = [chunk for piece in pieces for chunk in getattr(piece, "chunks", [piece])]
        whole = arrow.chunked_array(chunks, type=pieces[0].type)
        untyped = files[0].format in delimited.SEPARATORS or name in files[0].partition
        return typed(whole, name=name) if untyped else numpy_column(whole, name=name)
    arrays = [piece if isinstance(piece, np.ndarray) else numpy_column(piece, name=name) for piece in pieces]
    return _concatenated(arrays, [file for _, file in there], name)


def _alike(there: Sequence[tuple[Any, DataFile]], name: str) -> list[Any]:
    """Columns of Arrow as the type that holds them all; as they are where whole numbers would be changed by it."""
    pieces = [piece for piece, _ in there]
    kinds = [piece.type for piece in pieces if is_arrow(piece)]
    if len(kinds) < len(pieces) or all(kind == kinds[0] for kind in kinds):
        return pieces
    shared = shared_type(kinds)
    if shared is None:
        raise unlike_types(name, kinds, [file for _, file in there])
    try:
        return [converted(piece, kind=shared, name=name) for piece in pieces]
    except ScoreError:
        return pieces  # whoever ranks them says so, and others need not mind


def _concatenated(arrays: list[Column], files: Sequence[DataFile], name: str) -> Column:
    first = arrays[0].dtype
    if all(array.dtype == first for array in arrays):
        return np.concatenate(arrays)
    families = {"number" if array.dtype.kind in _NUMBERS else array.dtype.kind for array in arrays}
    if families == {"number"}:
        joined = np.concatenate(arrays)
        whole = any(array.dtype.kind in "iu" for array in arrays)
        if not (joined.dtype.kind == "f" and whole and bool((np.abs(joined) >= _EXACT_IN_FLOAT64).any())):
            return joined
    elif not families <= {"U", "O"} and not families <= {"number", "O"}:
        other = next(i for i, array in enumerate(arrays) if array.dtype != first)
        raise ColumnError(
            f"the column {name!r} is {first} in {files[0].name} and {arrays[other].dtype} in {files[other].name}",
            fix="give it one type in all files",
        )
    return objects([value for array in arrays for value in array.tolist()])
