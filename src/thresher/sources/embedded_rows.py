"""Files and frames as a table of the embedded engine, with the types that they have in memory."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import PurePath
from typing import Any
from uuid import uuid4

from thresher.errors import ThresherError
from thresher.sources import arrow_files
from thresher.sources.data_file import DataFile
from thresher.sources.files import read_columns
from thresher.sources.frame_table import frame_table
from thresher.sources.lazy_rows import lazy_rows
from thresher.sources.learned_columns import folder_kinds, lazy_columns, require_alike
from thresher.sources.listing import STDIN, listed_files
from thresher.sources.progress import Listener
from thresher.sources.shared_types import is_text, plain_type
from thresher.sources.streamed import StreamedRows, raised_anew, streamed_rows

_STREAMED = "streamed_"
# Of Parquet files the engine makes whole numbers of durations, other numbers of very long decimals, and texts of times.
_MISREAD = ("duration", "decimal256", "time64[ns]")
# What the engine calls the types of keys of folders that are not texts.
_TYPES = {"int64": "int64", "uint64": "uint64", "double": "float64", "bool": "boolean"}


@dataclass(frozen=True, slots=True)
class EmbeddedRows:
    """A table of the embedded engine, what streams rows to it, and the errors of columns that it cannot hold.

    `turn` is held while rows are asked for that one scan at a time may read.
    """

    table: Any
    streamed: StreamedRows | None = None
    refused: Mapping[int, ThresherError] = field(default_factory=dict)
    turn: AbstractContextManager[Any] = field(default_factory=nullcontext)

    @contextmanager
    def asked(self, expression: Any) -> Iterator[None]:
        """Raise the errors of the columns that an expression names, before or while the engine works on it."""
        if self.streamed is None and not self.refused:
            yield
            return
        places = _places_named_in(expression)
        for place in places & self.refused.keys():
            raise raised_anew(self.refused[place])
        if self.streamed is None:
            yield
            return
        self.streamed.use(places)
        with self.streamed.own_errors():
            yield


def embedded_rows(engine: Any, source: Any, *, listener: Listener | None = None) -> EmbeddedRows:
    """Files or a frame as a table of the embedded engine."""
    if not isinstance(source, str | os.PathLike):
        lazy = lazy_rows(source)
        if lazy is None:
            return _of_frame(engine, source)
        once = [name for name in lazy.schema.names if lazy.schema.names.count(name) == 1]
        held = lazy.held(once)
        lazy = lazy if held is None else lazy.of(held)
        rows = StreamedRows(*lazy_columns(lazy), None)
        return EmbeddedRows(_registered(engine, rows), rows, turn=lazy.turn)
    if os.fspath(source) == STDIN:  # which can be read once only
        return _of_frame(engine, read_columns(source))
    files = listed_files(source)
    if files[0].format == "parquet" and _is_plain(files):
        return EmbeddedRows(_of_parquet(engine, files))
    streamed = streamed_rows(files, listener=listener)
    return EmbeddedRows(_registered(engine, streamed), streamed)


def _places_named_in(expression: Any) -> set[int]:
    """The places of the columns of registered rows that an expression names, or may name."""
    operations = import_module("ibis.expr.operations")
    whole = expression.op()
    tables = whole.find(operations.DatabaseTable)
    columns = next(list(table.schema.names) for table in tables if table.name.startswith(_STREAMED))
    # These look at all columns and name none.
    if whole.find((operations.Distinct, operations.DropNull, operations.Set, operations.SQLStringView)):
        return set(range(len(columns)))
    named = {one.name for one in whole.find(operations.Field) if _hands_on_columns(one.rel)}
    if _hands_on_columns(whole):
        named |= set(expression.columns)
    return {at for at, name in enumerate(columns) if name in named}


def _hands_on_columns(relation: Any) -> bool:
    """Whether columns of a relation may be those of the registered rows, and not of its own making."""
    operations = import_module("ibis.expr.operations")
    while hasattr(relation, "parent"):
        if isinstance(relation, operations.Project | operations.Aggregate):
            return False
        relation = relation.parent
    return not isinstance(relation, operations.JoinChain)


def _of_frame(engine: Any, frame: Any) -> EmbeddedRows:
    table, refused = frame_table(frame)
    return EmbeddedRows(_registered(engine, table), refused=refused)


def _registered(engine: Any, rows: Any) -> Any:
    """Rows under a passing name, which the engine forgets when it is closed."""
    name = f"{_STREAMED}{uuid4().hex}"
    engine.con.register(name, rows)
    table = engine.table(name)
    # Of names that differ in case alone the engine keeps the first, and makes up others that may be somebody's.
    made_up = [new for old, new in zip(rows.schema.names, table.columns, strict=True) if new != old]
    return table.drop(*made_up) if made_up else table


def _is_plain(files: Sequence[DataFile]) -> bool:
    """Whether the engine reads Parquet files as they are read into memory.

    All have one schema then, whose names differ in more than case, and folders whose keys it reads as we do.
    """
    names = require_alike(files)
    if any(_is_odd(file) for file in files):
        return False
    folded = [name.casefold() for name in (*names[0], *files[0].partition)]
    known = [_engine_types(file) for file in files]
    misread = any(str(kind).startswith(_MISREAD) for file in files for kind in arrow_files.types_in(file).values())
    return len(set(folded)) == len(folded) and all(types == known[0] for types in known) and not misread


def _is_odd(file: DataFile) -> bool:
    """Whether the engine would find another file, or other keys of folders: to it a backslash parts folders."""
    path = PurePath(file.name)
    keys = [part.partition("=") for part in path.parts[:-1] if "=" in part]
    marked = any(mark in path.as_posix() for mark in "\\?\n")
    return marked or any("%" in key or "=" in value for key, _, value in keys)


def _engine_types(file: DataFile) -> dict[str, str]:
    kinds = {name: plain_type(kind) for name, kind in arrow_files.types_in(file).items()}
    return {name: "text" if is_text(kind) else str(kind) for name, kind in kinds.items()}


def _of_parquet(engine: Any, files: Sequence[DataFile]) -> Any:
    """Parquet files, which the engine reads itself; what folders say is typed as it is in memory."""
    names = [glob.escape(file.name) for file in files]  # the engine takes them for patterns
    hive = {"hive_partitioning": bool(files[0].partition), "hive_types_autocast": False}
    table = engine.read_parquet(names, union_by_name=True, **hive)
    kinds = {name: str(kind.type) for name, kind in folder_kinds(files).items()}
    typed = {name: table[name].try_cast(_TYPES[kind]) for name, kind in kinds.items() if kind in _TYPES}
    return table.mutate(**typed) if typed else table
