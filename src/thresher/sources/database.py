"""Engines: opened, asked and left as they were. Nowhere else does thresher know one by its name.

Files go to DuckDB, which is embedded and spills to a folder of its own that is removed afterwards. URLs, Ibis tables
and Spark frames are asked where they are. Names of tables and columns are quoted by Ibis, connections that thresher
opens read only.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from thresher._internal.optional import extra
from thresher.errors import ArgumentError, MissingExtraError, SourceError
from thresher.inputs.arrow import table_of_rows
from thresher.sources.embedded_rows import EmbeddedRows, embedded_rows
from thresher.sources.faults import told_plainly, without_secrets
from thresher.sources.progress import Listener, heard, share_done
from thresher.sources.size import memory, rows_in
from thresher.sources.table_names import TableName, named_table, require_table_name
from thresher.sources.unheeded import unheeded

_FILES_OF_ENGINE = (".duckdb", ".ddb", ".db", ".sqlite", ".sqlite3")
_MAGIC = {b"SQLite format 3\0": "sqlite"}  # how files begin that are not the embedded engine's
_ATTACHED = "memory_file"
_ATTACHED_NAME = "SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL"
_ATTACHED_ROWS = "SELECT estimated_size FROM duckdb_tables() WHERE (database_name, schema_name, table_name) = (?, ?, ?)"
# What values are called where columns may hold anything, whatever type they were declared with.
_LOOSE = {
    "sqlite": {"floating": ("integer", "real"), "binary": ("blob",)}
    | dict.fromkeys(("integer", "boolean"), ("integer",))
    | dict.fromkeys(("string", "temporal"), ("text",))
}
_EMBEDDED = "duckdb"
_IN_FILES = ("sqlite",)
_ONLY_READS = dict.fromkeys(("postgres", "postgresql"), "SET default_transaction_read_only = on") | {
    "sqlite": "PRAGMA query_only = on"
}
# A driver that a scheme needs beside Ibis, and the extra that brings it.
_DRIVERS = {"postgres": ("psycopg", "postgres"), "postgresql": ("psycopg", "postgres"), "pyspark": ("pyspark", "spark")}


@dataclass(frozen=True, slots=True)
class Opened:
    """A table in an engine, its name for messages, and how the engine says how far it has come."""

    table: Any
    place: str
    total: int | None
    share: Callable[[], float | None]
    embedded: EmbeddedRows | None = None

    def answer(self, expression: Any, *, stage: str, listener: Listener | None) -> Any:
        """The Arrow table that an expression gives."""
        with ExitStack() as stack:
            if self.embedded is not None:
                stack.enter_context(self.embedded.asked(expression))
            stack.enter_context(told_plainly(self.place))
            stack.enter_context(heard(listener, stage, total=self.total, rows=self._rows))
            return _arrow(expression)

    def _rows(self) -> int | None:
        """How many rows the engine has taken, where that can be known."""
        if self.embedded is not None and self.embedded.streamed is not None:
            return self.embedded.streamed.done.rows
        share = self.share()
        return None if self.total is None or share is None else int(self.total * share)


def is_engine_source(source: Any) -> bool:
    """Whether a source is a table in an engine: an Ibis table, a Spark frame, a URL or a database file.

    >>> is_engine_source("postgres://example/db"), is_engine_source("rows.csv"), is_engine_source("mails.duckdb")
    (True, False, True)
    """
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        return "://" in name or (name.lower().endswith(_FILES_OF_ENGINE) and not Path(name).is_dir())
    return _module(source) in ("ibis", "pyspark") and hasattr(type(source), "columns")


@contextmanager
def opened(source: Any, *, table: TableName | None, listener: Listener | None = None) -> Iterator[Opened]:
    """Open a source for one scan; whatever was opened or made for it is gone afterwards."""
    ibis = extra("ibis", name="sql")
    place = _place(source, None if table is None else require_table_name(table))
    embedded = None
    with ExitStack() as stack, told_plainly(place):
        if not isinstance(source, str | os.PathLike):
            require_no_table(source, table)
        if _module(source) == "ibis":
            found, engine = source, _engine_of(source)
        elif _module(source) == "pyspark":
            found, engine = _of_spark(ibis, source, stack)
        elif is_engine_source(source):
            engine = _connected(ibis, os.fspath(source), stack)
            found = named_table(engine, table, place=_place(source, None))
        else:
            require_no_table(source, table)
            engine = _embedded(ibis, stack)
            embedded = embedded_rows(engine, source, listener=listener)
            stack.enter_context(embedded.turn)
            found = embedded.table
        streamed = None if embedded is None else embedded.streamed
        total = _rows(source, found) if streamed is None else streamed.total
        yield Opened(found, place, total, share_done(engine), embedded)


def require_no_table(source: Any, table: TableName | None) -> None:
    """Raise `ArgumentError` when a table is named in files or frames, which hold none.

    >>> require_no_table("rows.csv", "mails")
    Traceback (most recent call last):
    thresher.errors.ArgumentError: table='mails' is given, and rows.csv holds no tables
      where: require_no_table(source, table)
      fix:   leave table= out
    """
    if table is not None:
        what = f"table={table!r} is given, and {_place(source, None)} holds no tables"
        raise ArgumentError(what, "leave table= out")


def offers(expression: Any, operation: str) -> bool:
    """Whether the engine of an expression knows an operation, by Ibis's name for it."""
    engine = _engine_of(expression)
    return engine is None or engine.has_operation(getattr(import_module("ibis.expr.operations"), operation))


def loose_types(column: Any) -> dict[str, tuple[str, ...]] | None:
    """What an engine calls the values of each family where columns may hold anything; None where types hold."""
    engine = _engine_of(column)
    return None if engine is None else _LOOSE.get(engine.name)


def _arrow(expression: Any) -> Any:
    """What an expression gives, as an Arrow table."""
    engine = expression.get_backend()
    if engine.name == "pyspark":
        # Ibis takes the way through pandas there, which makes NaN of NULL.
        return engine.raw_sql(engine.compile(expression)).toArrow()
    if engine.name in _LOOSE:
        # The way through pandas makes floats of whole numbers beside NULL, and moments of numbers.
        rows = engine.con.execute(engine.compile(expression)).fetchall()
        return table_of_rows(expression.schema().to_pyarrow(), rows)
    with unheeded():
        return expression.to_pyarrow()


def _connected(ibis: Any, name: str, stack: ExitStack) -> Any:
    """The engine behind a URL or a database file, which only reads where that can be had."""
    scheme, found, place = name.partition("://")
    if not found:
        scheme, place = _kind_of_file(name), name
    scheme = scheme.lower().partition("+")[0]
    if scheme == _EMBEDDED:
        return _of_database_file(ibis, place, stack)
    if scheme not in {*_DRIVERS, *entry_points(group="ibis.backends").names}:
        fix = "give postgres://…, an Ibis table of another engine, or files by their path"
        raise SourceError(f"no engine is known by {scheme}://", fix)
    _require_port(f"{scheme}://{place}")
    if scheme in _DRIVERS:
        package, brings = _DRIVERS[scheme]
        extra(package, name=brings)
    try:
        if scheme in _IN_FILES:
            _require_database_file(place)
            engine = getattr(ibis, scheme).connect(place)  # by its path, of which a URL would read some signs otherwise
        else:
            engine = ibis.connect(f"{scheme}://{place}")
    except ImportError:
        what = f"this needs a driver for {scheme}://, which is not installed"
        raise MissingExtraError(what, f'pip install "ibis-framework[{scheme}]"') from None
    stack.callback(_closed, engine)
    if scheme in _ONLY_READS:
        # Whatever else a name or an expression might be made to say is refused by the engine.
        engine.con.execute(_ONLY_READS[scheme])
    return engine


def _of_database_file(ibis: Any, name: str, stack: ExitStack) -> Any:
    """A database file, attached to an engine of our own: connections to one file must agree in all their settings."""
    _require_database_file(name)
    engine = _embedded(ibis, stack)
    quoted = import_module("sqlglot.expressions")
    # It gets the name that the engine gives it by itself, so that views which use that name are found.
    clash = Path(name).stem.partition(".")[0].lower() == "memory"
    alias = f" AS {quoted.to_identifier(_ATTACHED, quoted=True).sql(_EMBEDDED)}" if clash else ""
    place = quoted.Literal.string(str(Path(name).resolve())).sql(_EMBEDDED)
    engine.con.execute(f"ATTACH {place}{alias} (READ_ONLY)")
    (called,) = engine.con.execute(_ATTACHED_NAME).fetchone()
    engine.con.execute(f"USE {quoted.to_identifier(called, quoted=True).sql(_EMBEDDED)}")
    return engine


def _kind_of_file(name: str) -> str:
    """Whose database file it is, by its first bytes."""
    _require_database_file(name)
    with Path(name).open("rb") as file:
        return _MAGIC.get(file.read(16), _EMBEDDED)


def _require_port(url: str) -> None:
    try:
        _ = urlsplit(url).port
    except ValueError:  # whose words would show a part of the password
        fix = "write / # ? and @ in a password as %2F %23 %3F and %40"
        raise SourceError(f"the URL {without_secrets(url)} cannot be read", fix) from None


def _require_database_file(name: str) -> None:
    if not Path(name).is_file():  # which some engines would make
        raise SourceError(f"there is no database file {name}", "check the path")


def _embedded(ibis: Any, stack: ExitStack) -> Any:
    """The embedded engine, which prints nothing itself and is closed when the scan is over."""
    extra("duckdb", name="sql")
    engine = ibis.duckdb.connect(**_spilling(stack))
    stack.callback(_closed, engine)
    engine.con.execute("SET enable_progress_bar = true")  # which it counts by, and says nothing of unless asked
    engine.con.execute("SET enable_progress_bar_print = false")
    return engine


def _spilling(stack: ExitStack) -> dict[str, Any]:
    """Settings of the embedded engine: a quarter of the memory, and a folder of its own for the rest."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="thresher-", ignore_cleanup_errors=True))
    megabytes = max(256, memory() >> 20)
    return {
        "temp_directory": folder,
        "memory_limit": f"{megabytes}MB",
        "enable_external_file_cache": False,  # the operating system keeps files in memory that is free
    }


def _of_spark(ibis: Any, frame: Any, stack: ExitStack) -> tuple[Any, Any]:
    """A Spark frame under a passing name, which its session forgets afterwards."""
    extra("pyspark", name="spark")
    session = frame.sparkSession
    engine = ibis.pyspark.connect(session)
    name = f"thresher_{uuid4().hex}"
    frame.createOrReplaceTempView(name)
    stack.callback(_forgotten, session, name)
    return engine.table(name), engine


def _place(source: Any, table: tuple[str, ...] | None) -> str:
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
    else:
        name = f"the {_module(source)} table" if is_engine_source(source) else "the frame"
    inside = "" if table is None else f", table {'.'.join(table)}"
    return without_secrets(name) + inside


def _rows(source: Any, table: Any) -> int | None:
    """How many rows there are, where that costs nothing to know."""
    if not isinstance(source, str | os.PathLike):
        return None
    if not is_engine_source(source):
        return rows_in(source)
    engine, named = table.get_backend(), table.op()
    if engine.name != _EMBEDDED:
        return None
    database = engine.con.execute(_ATTACHED_NAME).fetchone()
    found = engine.con.execute(_ATTACHED_ROWS, [*database, named.namespace.database or "main", named.name]).fetchone()
    return None if found is None else int(found[0])  # a view has no size


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
