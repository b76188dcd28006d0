"""Engines: opened, asked and left as they were. Nowhere else does thresher know one by its name.

Files go to DuckDB, which is embedded and spills to a folder of its own that is removed afterwards. URLs, Ibis tables
and Spark frames are asked where they are. Names of tables and columns are quoted by Ibis, connections that thresher
opens read only.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

from thresher.errors import ArgumentError, SourceError
from thresher.extras import extra
from thresher.sources.column_names import require_columns
from thresher.sources.data_file import DataFile
from thresher.sources.faults import told_plainly, without_secrets
from thresher.sources.frames import frame_columns
from thresher.sources.listing import listed_files
from thresher.sources.progress import Listener, heard
from thresher.sources.streamed import StreamedRows, folder_kinds, streamed_rows

TableName: TypeAlias = str | tuple[str, ...]
_FILES_OF_ENGINE = (".duckdb", ".ddb")
_SHARE_OF_MEMORY = 0.25
_STREAMED = "streamed_"
# What the engine calls the types of keys of folders that are not texts.
_TYPES = {"int64": "int64", "uint64": "uint64", "double": "float64", "bool": "boolean"}
# A driver that a scheme needs beside Ibis, and the extra that brings it.
_DRIVERS = {"postgres": ("psycopg", "postgres"), "postgresql": ("psycopg", "postgres"), "pyspark": ("pyspark", "spark")}


@dataclass(frozen=True, slots=True)
class Opened:
    """A table in an engine, its name for messages, and how the engine says how far it has come."""

    table: Any
    place: str
    total: int | None
    share: Callable[[], float | None]
    streamed: StreamedRows | None = None

    def answer(self, expression: Any, *, stage: str, listener: Listener | None, where: str) -> Any:
        """The Arrow table that an expression gives."""
        if self.streamed is not None:
            self.streamed.use(_named_in(expression))
        with told_plainly(self.place, where), heard(listener, stage, total=self.total, share=self.share):
            return _arrow(expression)


def is_engine_source(source: Any) -> bool:
    """Whether a source is a table in an engine: an Ibis table, a Spark frame, a URL or a database file.

    >>> is_engine_source("postgres://example/db"), is_engine_source("rows.csv"), is_engine_source("mails.duckdb")
    (True, False, True)
    """
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        return "://" in name or name.lower().endswith(_FILES_OF_ENGINE)
    return _module(source) in ("ibis", "pyspark")


@contextmanager
def opened(source: Any, *, table: TableName | None, where: str) -> Iterator[Opened]:
    """Open a source for one scan; whatever was opened or made for it is gone afterwards."""
    ibis = extra("ibis", name="sql", where=where)
    place = _place(source, table)
    streamed = None
    with ExitStack() as stack, told_plainly(place, where):
        if _module(source) == "ibis":
            found, engine = source, _engine_of(source)
        elif _module(source) == "pyspark":
            found, engine = _of_spark(ibis, source, stack, where)
        elif is_engine_source(source):
            engine = _connected(ibis, os.fspath(source), stack, where)
            found = _table(engine, table, place, where)
        else:
            require_no_table(source, table, where)
            engine = _embedded(ibis, stack)
            found, streamed = _of_rows(ibis, engine, source, where)
        yield Opened(found, place, _rows(source), _share_done(engine), streamed)


def require_table_columns(table: Any, wanted: Sequence[str], *, place: str, where: str) -> None:
    """Raise `ColumnError` unless a table has these columns."""
    require_columns(wanted, list(table.columns), place=without_secrets(place), where=where)


def require_no_table(source: Any, table: TableName | None, where: str) -> None:
    """Raise `ArgumentError` when a table is named in files or frames, which hold none.

    >>> require_no_table("rows.csv", "mails", "here")
    Traceback (most recent call last):
    thresher.errors.ArgumentError: table='mails' is given, and rows.csv holds no tables
      where: here
      fix:   leave table= out
    """
    if table is not None:
        what = f"table={table!r} is given, and {_place(source, None)} holds no tables"
        raise ArgumentError(what, where, "leave table= out")


def _arrow(expression: Any) -> Any:
    """What an expression gives, as an Arrow table."""
    engine = expression.get_backend()
    if engine.name == "pyspark":
        # Ibis takes the way through pandas there, which makes NaN of NULL.
        return engine.raw_sql(engine.compile(expression)).toArrow()
    return expression.to_pyarrow()


def _connected(ibis: Any, name: str, stack: ExitStack, where: str) -> Any:
    if "://" in name:
        scheme = name.partition("://")[0].lower().partition("+")[0]
        if scheme in _DRIVERS:
            package, brings = _DRIVERS[scheme]
            extra(package, name=brings, where=where)
        elif not hasattr(ibis, scheme) and scheme not in ("http", "https"):
            raise SourceError(
                f"no engine is known by {scheme}://", where, "give postgres://…, or an Ibis table of another engine"
            )
        engine = ibis.connect(name)
        stack.callback(_closed, engine)
        if scheme in ("postgres", "postgresql"):
            # A scan reads; whatever else a name or an expression might be made to say is refused by the server.
            engine.con.execute("SET default_transaction_read_only = on")
        return engine
    if not Path(name).is_file():
        raise SourceError(f"there is no database file {name}", where, "check the path")
    return _quiet(ibis.duckdb.connect(name, read_only=True, **_spilling(stack)), stack)


def _embedded(ibis: Any, stack: ExitStack) -> Any:
    return _quiet(ibis.duckdb.connect(**_spilling(stack)), stack)


def _quiet(engine: Any, stack: ExitStack) -> Any:
    """An embedded engine that prints nothing itself, closed when the scan is over."""
    stack.callback(_closed, engine)
    engine.con.execute("SET enable_progress_bar_print = false")
    return engine


def _spilling(stack: ExitStack) -> dict[str, Any]:
    """Settings of the embedded engine: a quarter of the memory, and a folder of its own for the rest."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="thresher-", ignore_cleanup_errors=True))
    megabytes = max(256, int(memory() * _SHARE_OF_MEMORY) >> 20)
    return {
        "temp_directory": folder,
        "memory_limit": f"{megabytes}MB",
        "preserve_insertion_order": False,
        "enable_external_file_cache": False,  # the operating system keeps files in memory that is free
    }


def memory() -> int:
    """Bytes of memory that are free or can be freed."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 if hasattr(os, "sysconf") else 1 << 32


def _of_rows(ibis: Any, engine: Any, source: Any, where: str) -> tuple[Any, StreamedRows | None]:
    """Files or a frame as a table of the embedded engine, and what streams them to it."""
    if not isinstance(source, str | os.PathLike):
        arrow = extra("pyarrow", name="sql", where=where)
        return ibis.memtable(arrow.table(frame_columns(source, where=where))), None
    files = listed_files(source, where=where)
    if files[0].format == "parquet":
        return _of_parquet(engine, files), None
    streamed = streamed_rows(files, where=where)
    name = f"{_STREAMED}{uuid4().hex}"
    engine.con.register(name, streamed)
    return engine.table(name), streamed


def _of_parquet(engine: Any, files: Sequence[DataFile]) -> Any:
    """Parquet files, which the engine reads itself; what folders say is typed as it is in memory."""
    names = [file.name for file in files]
    if not files[0].partition:
        return engine.read_parquet(names, hive_partitioning=False, union_by_name=True)
    table = engine.read_parquet(names, hive_partitioning=True, hive_types_autocast=False, union_by_name=True)
    kinds = {name: str(kind.type) for name, kind in folder_kinds(files).items() if name in table.columns}
    typed = {name: table[name].try_cast(_TYPES[kind]) for name, kind in kinds.items() if kind in _TYPES}
    return table.mutate(**typed) if typed else table


def _named_in(expression: Any) -> set[int]:
    """The places of the columns of streamed rows that an expression names, or may name."""
    operations = import_module("ibis.expr.operations")
    named = {*expression.columns, *(field.name for field in expression.op().find(operations.Field))}
    tables = expression.op().find(operations.DatabaseTable)
    columns = next(list(table.schema.names) for table in tables if table.name.startswith(_STREAMED))
    return {at for at, name in enumerate(columns) if name in named}


def _of_spark(ibis: Any, frame: Any, stack: ExitStack, where: str) -> tuple[Any, Any]:
    """A Spark frame under a passing name, which its session forgets afterwards."""
    extra("pyspark", name="spark", where=where)
    session = frame.sparkSession
    engine = ibis.pyspark.connect(session)
    name = f"thresher_{uuid4().hex}"
    frame.createOrReplaceTempView(name)
    stack.callback(_forgotten, session, name)
    return engine.table(name), engine


def _table(engine: Any, table: TableName | None, place: str, where: str) -> Any:
    if table is None:
        known = _listed(engine)
        raise ArgumentError(
            f"{without_secrets(place)} holds tables, and none is named", where, f"pass table=...{known}"
        )
    *schema, name = (table,) if isinstance(table, str) else table
    database = tuple(schema) if len(schema) > 1 else (schema[0] if schema else None)
    if name not in _names(engine, database):
        known = _listed(engine, database)
        raise SourceError(f"{without_secrets(place)} has no table {name!r}", where, f"name one that is there{known}")
    return engine.table(name, database=database)


def _names(engine: Any, database: Any) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of one library about another, which we cannot heed
        return list(engine.list_tables(database=database))


def _listed(engine: Any, database: Any = None) -> str:
    names = _names(engine, database)
    shown = ", ".join(repr(name) for name in names[:10])
    return f": {shown}{', …' if len(names) > 10 else ''}" if names else ""


def _place(source: Any, table: TableName | None) -> str:
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else f"the {_module(source)} table"
    inside = "" if table is None else f", table {'.'.join((table,) if isinstance(table, str) else table)}"
    return without_secrets(name) + inside


def _rows(source: Any) -> int | None:
    """How many rows there are, where that costs nothing to know."""
    if not isinstance(source, str | os.PathLike) or is_engine_source(source):
        return None
    from thresher.sources.size import rows_in

    return rows_in(source)


def _share_done(engine: Any) -> Callable[[], float | None]:
    asked = getattr(getattr(engine, "con", None), "query_progress", None)

    def share() -> float | None:
        if asked is None:
            return None
        with suppress(Exception):  # a connection that is closing has nothing to say
            percent = float(asked())
            return percent / 100 if percent >= 0 else None
        return None

    return share


def _engine_of(table: Any) -> Any:
    with suppress(Exception):  # a table that lives in memory finds its engine when it is asked
        return table.get_backend()
    return None


def _closed(engine: Any) -> None:
    with suppress(Exception):  # an engine that is still at work is asked to stop, where it can be
        engine.con.interrupt()
    with suppress(Exception):  # a server that is gone need not be told goodbye
        engine.disconnect()


def _forgotten(session: Any, name: str) -> None:
    with suppress(Exception):  # a session that died has forgotten it already
        session.catalog.dropTempView(name)


def _module(source: Any) -> str:
    return type(source).__module__.partition(".")[0]
