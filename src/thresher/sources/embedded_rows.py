"""Files and frames as a table of the embedded engine, with the types that they have in memory."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import PurePath
from typing import Any
from uuid import uuid4

from thresher.errors import ColumnError
from thresher.extras import extra
from thresher.sources import arrow_files
from thresher.sources.columns import is_missing
from thresher.sources.data_file import DataFile
from thresher.sources.files import read_columns
from thresher.sources.frames import frame_columns, frame_names, held_frame
from thresher.sources.learned_columns import folder_kinds, require_alike
from thresher.sources.listing import STDIN, listed_files
from thresher.sources.progress import Listener
from thresher.sources.shared_types import is_text, plain_type
from thresher.sources.streamed import StreamedRows, streamed_rows

_STREAMED = "streamed_"
# What the engine calls the types of keys of folders that are not texts.
_TYPES = {"int64": "int64", "uint64": "uint64", "double": "float64", "bool": "boolean"}


def table_of_rows(
    engine: Any, source: Any, *, listener: Listener | None = None, where: str
) -> tuple[Any, StreamedRows | None]:
    """Files or a frame as a table of the embedded engine, and what streams them to it."""
    if not isinstance(source, str | os.PathLike):
        return _registered(engine, _arrow_table(source, where)), None
    if os.fspath(source) == STDIN:  # which can be read once only
        return _registered(engine, _arrow_table(read_columns(source, where=where), where)), None
    files = listed_files(source, where=where)
    if files[0].format == "parquet":
        return _parquet(engine, files, listener, where)
    streamed = streamed_rows(files, listener=listener, where=where)
    return _registered(engine, streamed), streamed


def places_named_in(expression: Any) -> set[int]:
    """The places of the columns of streamed rows that an expression names, or may name."""
    operations = import_module("ibis.expr.operations")
    named = {*expression.columns, *(field.name for field in expression.op().find(operations.Field))}
    tables = expression.op().find(operations.DatabaseTable)
    columns = next(list(table.schema.names) for table in tables if table.name.startswith(_STREAMED))
    return {at for at, name in enumerate(columns) if name in named}


def _registered(engine: Any, rows: Any) -> Any:
    """Rows under a passing name, which the engine forgets when it is closed."""
    name = f"{_STREAMED}{uuid4().hex}"
    engine.con.register(name, rows)
    return engine.table(name)


def _arrow_table(frame: Any, where: str) -> Any:
    """The columns of a frame that hold one value per row; nobody can ask for others."""
    arrow = extra("pyarrow", name="sql", where=where)
    frame = held_frame(frame, where)
    try:
        columns = frame_columns(frame, where=where)
    except ColumnError:
        columns = {}
        for name in frame_names(frame, where=where):
            with suppress(ColumnError):
                columns |= frame_columns(frame, [name], where=where)
    # pandas has NaN for a missing text, which Arrow takes for a number.
    gaps = {name: is_missing(values) if values.dtype.kind == "O" else None for name, values in columns.items()}
    return arrow.table({name: arrow.array(values, mask=gaps[name]) for name, values in columns.items()})


def _parquet(
    engine: Any, files: Sequence[DataFile], listener: Listener | None, where: str
) -> tuple[Any, StreamedRows | None]:
    """Parquet files: read by the engine itself where it reads what memory does, and else streamed to it."""
    names = require_alike(files, where=where)
    if _is_plain(files, names, where):
        return _of_parquet(engine, files), None
    streamed = streamed_rows(files, listener=listener, where=where)
    return _registered(engine, streamed), streamed


def _is_plain(files: Sequence[DataFile], names: Sequence[Sequence[str]], where: str) -> bool:
    """Whether all files have one schema, whose names the engine tells apart, and folders that it reads as we do."""
    if any(_is_odd(file) for file in files):
        return False
    folded = [name.casefold() for name in (*names[0], *files[0].partition)]
    known = [_engine_types(file, where) for file in files]
    return len(set(folded)) == len(folded) and all(types == known[0] for types in known)


def _is_odd(file: DataFile) -> bool:
    """Whether the engine would find another file, or other keys of folders: to it a backslash parts folders."""
    path = PurePath(file.name)
    keys = [part.partition("=") for part in path.parts[:-1] if "=" in part]
    marked = any(mark in path.as_posix() for mark in "\\?\n")
    return marked or any("%" in key or "=" in value for key, _, value in keys)


def _engine_types(file: DataFile, where: str) -> dict[str, str]:
    kinds = {name: plain_type(kind) for name, kind in arrow_files.kinds_in(file, where=where).items()}
    return {name: "text" if is_text(kind) else str(kind) for name, kind in kinds.items()}


def _of_parquet(engine: Any, files: Sequence[DataFile]) -> Any:
    """Parquet files, which the engine reads itself; what folders say is typed as it is in memory."""
    names = [glob.escape(file.name) for file in files]  # the engine takes them for patterns
    hive = {"hive_partitioning": bool(files[0].partition), "hive_types_autocast": False}
    table = engine.read_parquet(names, union_by_name=True, **hive)
    kinds = {name: str(kind.type) for name, kind in folder_kinds(files).items()}
    typed = {name: table[name].try_cast(_TYPES[kind]) for name, kind in kinds.items() if kind in _TYPES}
    return table.mutate(**typed) if typed else table
