"""Connections to engines: opened, queried and left as they were.

URLs, database files, Ibis tables and Spark frames are asked where they are. Names of tables and columns are quoted by
Ibis, and connections that thresher opens read only, where the engine can promise that.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from thresher._internal.arguments import require_path
from thresher._internal.optional import extra
from thresher.errors import ArgumentError, ColumnError, MissingExtraError, SourceError, argument
from thresher.inputs.columns import require_columns
from thresher.sources.engines.errors import translate_errors, without_secrets
from thresher.sources.memory import memory_budget
from thresher.sources.options import TableName
from thresher.sources.progress import Listener, report_progress

PUSHED_DOWN = ("duckdb", "postgres", "pyspark")  # engines whose aggregate queries are tested
_FILES_OF_ENGINE = (".duckdb", ".ddb", ".db", ".sqlite", ".sqlite3")
_SQLITE_MAGIC = b"SQLite format 3\0"
_ATTACHED = "memory_file"
_ATTACHED_NAME = "SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL"
_TABLE_NAMES = """
SELECT DISTINCT table_name FROM information_schema.tables
WHERE table_catalog IN (coalesce(?, current_database()), 'temp') AND table_schema = coalesce(?, current_schema())
ORDER BY table_name
"""
_DUCKDB, _SQLITE = "duckdb", "sqlite"
_ONLY_READS = dict.fromkeys(("postgres", "postgresql"), "SET default_transaction_read_only = on")
_ONLY_READS[_SQLITE] = "PRAGMA query_only = on"
# A driver that a scheme needs next to Ibis, and the extra that brings it.
_DRIVERS = {"postgres": ("psycopg", "postgres"), "postgresql": ("psycopg", "postgres"), "pyspark": ("pyspark", "spark")}
_BATCH = 1 << 18
_LEAST_MEGABYTES = 256
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class EngineTable:
    """A table in an engine, and its name for messages."""

    table: Any
    place: str

    @property
    def pushes_down(self) -> bool:
        """Whether its engine counts rows by a query; the rows of others are streamed."""
        return self.table.get_backend().name in PUSHED_DOWN

    def answer(self, expression: Any, *, stage: str, listener: Listener | None) -> Any:
        """The Arrow table that an expression gives."""
        with translate_errors(self.place), report_progress(listener, stage, total=None, rows=lambda: None):
            engine = expression.get_backend()
            if engine.name == "pyspark":
                # Ibis goes through pandas there, which makes NaN of NULL.
                return engine.raw_sql(engine.compile(expression)).toArrow()
            with _without_deprecations():
                return expression.to_pyarrow()

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Arrow batches of the named columns."""
        rows = self.table.select(*dict.fromkeys(names))
        engine = rows.get_backend()
        with translate_errors(self.place), _without_deprecations():
            if engine.name == "pyspark":
                yield from engine.raw_sql(engine.compile(rows)).toArrow().to_batches(max_chunksize=_BATCH)
            elif engine.name == _DUCKDB:
                # Ibis 12 streams by a call that DuckDB 2.0 has not.
                rows.limit(0).to_pyarrow()  # so that Ibis registers tables in memory
                with engine.con.sql(engine.compile(rows)).to_arrow_reader(_BATCH) as reader:
                    yield from reader
            else:
                yield from rows.to_pyarrow_batches(chunk_size=_BATCH)


def is_engine_source(source: Any) -> bool:
    """Whether a source is an Ibis table, a Spark frame, a URL or a database file."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        if "://" in name:
            return True
        require_path(source)
        return name.lower().endswith(_FILES_OF_ENGINE) and not Path(name).is_dir()
    return _module(source) in ("ibis", "pyspark") and hasattr(type(source), "columns")


@contextmanager
def open_table(source: Any, *, table: TableName | None) -> Iterator[EngineTable]:
    """Open a table for one scan; what was opened or made for it is gone afterwards."""
    ibis = extra("ibis", name="sql")
    place = _place(source, None if table is None else require_table_name(table))
    with ExitStack() as stack, translate_errors(place):
        if not isinstance(source, str | os.PathLike):
            require_no_table(source, table)
        if _module(source) == "ibis":
            opened = source
        elif _module(source) == "pyspark":
            opened = _of_spark(ibis, source, stack)
        else:
            engine = _connect(ibis, os.fspath(source), stack)
            opened = _named_table(engine, table, place=_place(source, None))
        yield EngineTable(opened, place)


def require_no_table(source: Any, table: TableName | None) -> None:
    """Raise `ArgumentError` when a table is named in files or frames, which hold none."""
    if table is not None:
        what = f"{argument('table', table)} is given, and {_place(source, None)} holds no tables"
        raise ArgumentError(what, f"leave {argument('table')} out", parameter="table")


def offers(expression: Any, operation: str) -> bool:
    """Whether the engine of an expression knows an operation, by Ibis's name for it."""
    engine = None
    with suppress(Exception):  # a table that lives in memory finds its engine when it is asked
        engine = expression.get_backend()
    return engine is None or engine.has_operation(getattr(import_module("ibis.expr.operations"), operation))


def require_table_name(table: Any) -> tuple[str, ...]:
    """The parts of a table's name; `ArgumentError` unless they are texts."""
    parts = (table,) if isinstance(table, str) else table
    if not isinstance(parts, tuple | list) or not parts or not all(isinstance(part, str) and part for part in parts):
        raise ArgumentError(
            f"a table is named by a text, or by a tuple of texts, got {table!r}",
            f"e.g. {argument('table', 'mails')} or {argument('table', ('schema', 'mails'))}",
            parameter="table",
        )
    return tuple(parts)


def require_table_columns(table: Any, wanted: Sequence[str], *, place: str) -> None:
    """Raise `ColumnError` unless a table has these columns."""
    present = list(table.columns)
    try:
        require_columns(wanted, present, place=without_secrets(place))
    except ColumnError as error:
        folded = {name.casefold() for name in present}
        if not any(name not in present and name.casefold() in folded for name in wanted):
            raise
        fix = "write it as it is written there; of two names that differ only in case an engine knows one"
        raise ColumnError(error.what, fix) from None


def _named_table(engine: Any, table: TableName | None, *, place: str) -> Any:
    """A table, view or materialised view of an Ibis engine, `place` in messages.

    Engines list no table that one may not read, and not every kind of view, so the table is asked for first.
    """
    if table is None:
        fix = f"pass {argument('table', ...)}{_list_tables(engine, None)}"
        raise ArgumentError(f"{place} holds tables, and none is named", fix, parameter="table")
    parts = require_table_name(table)
    name, database = parts[-1], parts[:-1] if len(parts) > 2 else "".join(parts[:-1]) or None
    try:
        with _without_deprecations():
            return engine.table(name, database=database)
    except Exception:
        if name in _table_names(engine, database):  # and something else is wrong
            raise
    fix = f"name one that is there{_list_tables(engine, database)}"
    if "." in name:
        fix = f"name a table of a schema by its parts: {argument('table', tuple(name.split('.')))}"
    within = f" in {'.'.join(parts[:-1])}" if len(parts) > 1 else ""
    raise SourceError(f"{place} has no table {name!r}{within}", fix)


def _table_names(engine: Any, database: str | tuple[str, ...] | None) -> list[str]:
    if engine.name == _DUCKDB:  # whose tables Ibis 12 lists by a call that DuckDB 2.0 has not
        parts = database.split(".") if isinstance(database, str) else database or ()
        return [name for (name,) in engine.con.execute(_TABLE_NAMES, [None, None, *parts][-2:]).fetchall()]
    with _without_deprecations():
        return list(engine.list_tables(database=database))


def _list_tables(engine: Any, database: str | tuple[str, ...] | None) -> str:
    names = _table_names(engine, database)
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    return f": {shown}{', …' if len(names) > _SHOWN else ''}" if names else ""


def _connect(ibis: Any, name: str, stack: ExitStack) -> Any:
    """The engine behind a URL or a database file, read-only where that can be had."""
    scheme, separator, place = name.partition("://")
    if not separator:  # a database file, known by its first bytes
        _require_database_file(name)
        with Path(name).open("rb") as file:
            scheme, place = _SQLITE if file.read(16) == _SQLITE_MAGIC else _DUCKDB, name
    scheme = scheme.lower().partition("+")[0]
    if scheme == _DUCKDB:
        return _of_database_file(ibis, place, stack)
    if scheme not in {*_DRIVERS, *entry_points(group="ibis.backends").names}:
        fix = "give postgres://…, an Ibis table of another engine, or files by their path"
        raise SourceError(f"no engine is known by {scheme}://", fix)
    require_readable(f"{scheme}://{place}")
    if scheme in _DRIVERS:
        package, brings = _DRIVERS[scheme]
        extra(package, name=brings)
    try:
        if scheme == _SQLITE:
            _require_database_file(place)
            engine = ibis.sqlite.connect(place)  # by its path, of which a URL would read some signs otherwise
        else:
            engine = ibis.connect(f"{scheme}://{place}")
    except ImportError:
        what = f"this needs a driver for {scheme}://, which is not installed"
        raise MissingExtraError(what, f'pip install "ibis-framework[{scheme}]"') from None
    stack.callback(_close, engine)
    if scheme in _ONLY_READS:
        # The engine refuses whatever else a name or an expression might be made to say.
        engine.con.execute(_ONLY_READS[scheme])
    return engine


def _of_database_file(ibis: Any, name: str, stack: ExitStack) -> Any:
    """A DuckDB file attached to a fresh connection.

    Connections to one file must agree in all their settings.
    """
    _require_database_file(name)
    extra("duckdb", name="sql")
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="thresher-", ignore_cleanup_errors=True))
    engine = ibis.duckdb.connect(
        temp_directory=folder,
        memory_limit=f"{max(_LEAST_MEGABYTES, memory_budget() >> 20)}MB",
        enable_external_file_cache=False,  # the operating system has files in memory that is free
    )
    stack.callback(_close, engine)
    engine.con.execute("SET enable_progress_bar = false")  # which would print where the answer goes
    quoted = import_module("sqlglot.expressions")
    # It gets the name that the engine gives it by itself, so that views which use that name work.
    clash = Path(name).stem.partition(".")[0].lower() == "memory"
    alias = f" AS {quoted.to_identifier(_ATTACHED, quoted=True).sql(_DUCKDB)}" if clash else ""
    place = quoted.Literal.string(str(Path(name).resolve())).sql(_DUCKDB)
    engine.con.execute(f"ATTACH {place}{alias} (READ_ONLY)")
    ((attached,),) = engine.con.execute(_ATTACHED_NAME).fetchall()
    engine.con.execute(f"USE {quoted.to_identifier(attached, quoted=True).sql(_DUCKDB)}")
    return engine


def require_readable(url: str) -> None:
    """Refuse a URL whose password could be taken for a host, and asked for."""
    fix = "write / # ? and @ in a password as %2F %23 %3F and %40"
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:  # whose words would show a part of the password
        raise SourceError(f"the URL {without_secrets(url)} cannot be read", fix) from None
    if parts.netloc.count("@") > 1 or (parts.netloc and "@" in parts.path):
        what = f"the URL {without_secrets(url)} cannot be read: user and password hold an @ or / as it is"
        raise SourceError(what, fix)


def _require_database_file(name: str) -> None:
    if not Path(name).is_file():  # which some engines would make
        raise SourceError(f"there is no database file {name}", "check the path")


def _of_spark(ibis: Any, frame: Any, stack: ExitStack) -> Any:
    """A Spark frame under a passing name, which its session forgets afterwards."""
    extra("pyspark", name="spark")
    session = frame.sparkSession
    engine = ibis.pyspark.connect(session)
    name = f"thresher_{uuid4().hex}"
    frame.createOrReplaceTempView(name)
    stack.callback(_forget, session, name)
    return engine.table(name)


def _place(source: Any, table: tuple[str, ...] | None) -> str:
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
    else:
        name = f"the {_module(source)} table" if is_engine_source(source) else "the frame"
    inside = "" if table is None else f", table {'.'.join(table)}"
    return without_secrets(name) + inside


@contextmanager
def _without_deprecations() -> Iterator[None]:
    """Third-party code may call what other third-party code deprecates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _close(engine: Any) -> None:
    with suppress(Exception):  # an engine that is still at work is asked to stop, where it can be
        engine.con.interrupt()
    with suppress(Exception):  # a server that is gone need not be closed
        engine.disconnect()


def _forget(session: Any, name: str) -> None:
    with suppress(Exception):  # a session that died has forgotten it already
        session.catalog.dropTempView(name)


def _module(source: Any) -> str:
    return type(source).__module__.partition(".")[0]
