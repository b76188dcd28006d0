"""Where watches are stored: one SQLite file, or PostgreSQL by its URL.

One set of statements (`schema`) runs on both. A transaction that writes begins by taking the one lock of the store, so
batches are numbered in the order in which they are committed; a transaction that reads sees one state.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from thresher._internal.arguments import require_number, require_path
from thresher._internal.optional import extra
from thresher.errors import ArgumentError, BusyError, OutputError, SourceError, argument
from thresher.sources.engines.connect import require_readable
from thresher.sources.engines.errors import without_secrets
from thresher.watching.storage.schema import FORMAT, FORMATS, STAGES, TABLES

_MAGIC, _DUCKDB = b"SQLite format 3\0", b"DUCK"
_CACHE = -32_768  # KiB of pages in memory
_LONGEST_WAIT = 1_000_000  # seconds; drivers hold milliseconds in 32 bits
_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "ceph", "glusterfs", "lustre")
_WORD = re.compile(r"(?<![:\w]):([a-z_]+)")
_SCHEMA = "thresher"
_LOCK = 0x7468_7265_7368  # of PostgreSQL's advisory locks: one writer at a time
_BINARY = {"BYTEA": "bytea", "BIGINT": "int8", "DOUBLE": "float8", "TEXT": "text"}
_KNOWN: dict[str, tuple[str, str]] = {
    r"readonly|read-only": ("it may only be read", "ask for the right to write it"),
    r"disk is full|no space left|disk quota|could not extend": (
        "there is no space left on the device",
        "free some space and start again: nothing of this batch was written",
    ),
    r"disk i/o error|unable to open": ("it cannot be opened or written", "check the path, and who may write there"),
    r"password|authentication|role .* does not exist|no \w+\.conf entry": (
        "the login was refused",
        "check user, password and rights",
    ),
    r"permission denied|must be owner": ("writing is not allowed", "ask for the right to create tables there"),
    r"connection refused|could not translate|name or service|timeout expired|no route|is the server runn": (
        "it cannot be reached",
        "check host and port, and that the server runs",
    ),
    r"server closed|terminating connection|connection (is |was )?(lost|closed)|consuming input failed": (
        "the connection was lost, and this batch was rolled back",
        "start again when it is back: what was written before is counted once",
    ),
    r"database .* does not exist": ("there is no such database", "check the name in the URL"),
}
_DAMAGED = re.compile(r"not a database|malformed|disk image|could not decode|no such (column|table)", re.IGNORECASE)
_BUSY = re.compile(r"database (table )?is locked|lock timeout|could not (obtain|serialize)|deadlock detected")


class Store:
    """One connection to a store; statements name their parameters with a colon."""

    def __init__(self, place: str | os.PathLike[str], *, timeout: float = 30.0, journal: str = "wal") -> None:
        if not isinstance(place, str) or "://" not in place:
            require_path(place)
        self.place = without_secrets(os.fspath(place))
        self.timeout, self.journal = _require_timeout(timeout), journal
        self.is_postgres = is_url(place)
        self._connection: Any = None
        with self._translated():
            self._connection = self._of_url(str(place)) if self.is_postgres else self._of_file(Path(place))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Exception):  # a server that is gone need not be closed
            self._connection.close()

    def query(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """All lines of an answer."""
        with self._translated():
            cursor = self._connection.execute(self._spelled(statement), values)
            return list(cursor.fetchall())

    def execute(self, statement: str, **values: Any) -> int:
        """Run a statement; returns how many rows it changed."""
        with self._translated():
            return int(self._connection.execute(self._spelled(statement), values).rowcount)

    def execute_many(self, statement: str, values: Sequence[dict[str, Any]]) -> None:
        """Run a statement once for each set of values."""
        with self._translated():
            self._connection.cursor().executemany(self._spelled(statement), values)

    def stage(self, table: str, columns: Mapping[str, Iterable[Any]]) -> None:
        """Load columns into an emptied temporary table; those that are left out are NULL."""
        names, lines = ", ".join(columns), zip(*columns.values(), strict=True)
        with self._translated():
            self._connection.execute(f"DELETE FROM {table}")
            if not self.is_postgres:
                marks = ", ".join("?" * len(columns))
                self._connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", lines)
                return
            kinds = dict(part.split()[:2] for part in STAGES[table].split(", "))
            with (
                self._connection.cursor() as cursor,
                cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)") as copy,
            ):
                copy.set_types([_BINARY[kinds[name]] for name in columns])
                for line in lines:
                    copy.write_row(line)
            self._connection.execute(f"ANALYZE {table}")

    @contextmanager
    def write(self) -> Iterator[None]:
        """One transaction that holds the lock of the store; rolled back by an error."""
        begin = ["BEGIN", f"SELECT pg_advisory_xact_lock({_LOCK})"] if self.is_postgres else ["BEGIN IMMEDIATE"]
        with self._transaction(begin, "COMMIT"):
            yield

    @contextmanager
    def read(self) -> Iterator[None]:
        """One transaction in which all answers are of one state."""
        begin = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"] if self.is_postgres else ["BEGIN"]
        with self._transaction(begin, "ROLLBACK"):
            yield

    @contextmanager
    def _transaction(self, begin: Sequence[str], end: str) -> Iterator[None]:
        try:
            for statement in begin:
                self.execute(statement)
            yield
            self.execute(end)
        except BaseException:
            with suppress(Exception):  # it is rolled back by a connection that is lost, too
                self._connection.execute("ROLLBACK")
            raise

    def has_tables(self) -> bool:
        """Whether it holds watches; refuses what belongs to somebody else."""
        if self.is_postgres:
            there = "SELECT 1 FROM information_schema.tables WHERE table_schema = :name AND table_name = 'store'"
            if not self.query(there, name=_SCHEMA):
                return False
        else:
            names = [name for (name,) in self.query("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if not names:
                return False
            if "store" not in names:
                raise _not_ours(self.place, "it is an SQLite file of another program")
        ((form,),) = self.query("SELECT format FROM store")
        if form != FORMAT:
            if str(form).startswith(FORMATS):
                what = f"{self.place} was written by a newer thresher, as {form}; this one reads {FORMAT}"
                raise SourceError(what, "install a newer thresher")
            raise _not_ours(self.place, f"its format is {str(form)[:60]!r}")
        return True

    def create_tables(self) -> None:
        """Make all tables, inside a transaction."""
        text = TABLES.replace("DOUBLE", "DOUBLE PRECISION").replace(" ROWLESS", "")
        if self.is_postgres:
            self.execute(f"CREATE SCHEMA IF NOT EXISTS {_SCHEMA}")
        else:
            text = TABLES.replace("BYTEA", "BLOB").replace("BIGINT", "INTEGER").replace("DOUBLE", "REAL")
            strict = {" ROWLESS": ") STRICT, WITHOUT ROWID", None: ") STRICT"}
            text = re.sub(r"\)( ROWLESS)?(;|\s*$)", lambda end: strict[end[1]] + end[2], text)
            text = re.sub(r"(ON batch \(watch, content\)) STRICT", r"\1", text)
        for statement in text.split(";"):
            self.execute(statement)
        self.execute("INSERT INTO store (format) VALUES (:form)", form=FORMAT)

    def use_journal(self) -> None:
        """Readers and one writer at a time: the write-ahead log, unless declined."""
        if not self.is_postgres:
            self.execute(f"PRAGMA journal_mode = {self.journal}")

    def _of_file(self, path: Path) -> sqlite3.Connection:
        require_path(path)
        if not path.is_file():
            fix = "check the path, or make one: thresher watch create"
            raise SourceError(f"there is no store {path}", fix)
        with path.open("rb") as file:
            first = file.read(16)
        if first and first != _MAGIC:
            kind = "it is a DuckDB file" if first[8:12] == _DUCKDB else "it is no SQLite file"
            raise _not_ours(self.place, kind)
        if self.journal == "wal" and (kind := network_disk(path)):
            what = f"{path} lies on a network disk ({kind}), where SQLite's write-ahead log is not safe"
            raise SourceError(what, 'move it to a local disk, use PostgreSQL, or pass journal="delete" for one host')
        connection = sqlite3.connect(path, timeout=self.timeout, isolation_level=None)
        for setting in ("synchronous = FULL", f"cache_size = {_CACHE}", "temp_store = MEMORY", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {setting}")
        for name, columns in STAGES.items():
            kinds = columns.replace("BYTEA", "BLOB").replace("BIGINT", "INTEGER").replace("DOUBLE", "REAL")
            connection.execute(f"CREATE TEMP TABLE {name} ({kinds})")
        return connection

    def _of_url(self, url: str) -> Any:
        psycopg = extra("psycopg", name="postgres")
        require_readable(url)
        connection = psycopg.connect(url, autocommit=True, connect_timeout=10)
        connection.execute(f"SET lock_timeout = {round(self.timeout * 1000)}")
        connection.execute(f"SET search_path = {_SCHEMA}, pg_temp")
        connection.execute("SET client_min_messages = warning")
        for name, columns in STAGES.items():
            kinds = columns.replace("DOUBLE", "DOUBLE PRECISION")
            connection.execute(f"CREATE TEMP TABLE {name} ({kinds})")
        return connection

    def _spelled(self, statement: str) -> str:
        return _WORD.sub(r"%(\1)s", statement.replace("%", "%%")) if self.is_postgres else statement

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn what a driver raises into one paragraph without secrets."""
        kinds: tuple[type[Exception], ...] = (sqlite3.Error, UnicodeDecodeError)  # texts that are none
        if self.is_postgres:
            kinds = (extra("psycopg", name="postgres").Error,)
        try:
            yield
        except kinds as error:
            message = without_secrets(" ".join(str(error).split()))[:300]
            if _BUSY.search(message):
                what = f"{self.place} is in use, and was waited for {self.timeout:g} seconds"
                raise BusyError(what, f"try again, or wait longer with {argument('timeout', ...)}") from None
            if isinstance(error, UnicodeDecodeError) or _DAMAGED.search(message):
                raise damaged(self.place, message) from None
            for pattern, (meaning, fix) in _KNOWN.items():
                if re.search(pattern, message, flags=re.IGNORECASE):
                    raise SourceError(f"{self.place}: {meaning} ({message})", fix) from None
            raise


def _require_timeout(timeout: Any) -> float:
    seconds = require_number(timeout, name="timeout")
    if not 0 <= seconds <= _LONGEST_WAIT:
        what = f"{argument('timeout')} must lie between 0 and {_LONGEST_WAIT:,} seconds, got {timeout!r}"
        raise ArgumentError(what, "give how many seconds to wait, e.g. 30", parameter="timeout")
    return seconds


def is_url(place: Any) -> bool:
    """Whether a store is PostgreSQL, by its URL; another scheme is refused."""
    text = os.fspath(place)
    scheme, separator, _ = text.partition("://")
    if not separator:
        return False
    if scheme not in ("postgres", "postgresql"):
        what = f"a watch cannot be stored in {without_secrets(text)}"
        raise ArgumentError(what, "give a path of a file, or postgres://…")
    return True


def create_file(path: str | os.PathLike[str]) -> None:
    """Make an empty file that its owner alone may read; never over another one."""
    require_path(path)
    place = Path(path)
    try:
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        if place.is_file() and not place.stat().st_size and not Path(f"{place}-wal").exists():
            place.chmod(0o600)  # made by a process that was killed before it wrote anything
            return
        what = f"{path} exists already, and is not overwritten"
        raise OutputError(what, "name a new file, or open this one: thresher watch show") from None
    except OSError as error:
        what = f"{path} cannot be made: {(error.strerror or str(error)).lower()}"
        raise OutputError(what, "choose a place where you may write") from None


def network_disk(path: Path, mounts: str | None = None) -> str:
    """The kind of network file system that a file lies on; empty for a local one.

    >>> network_disk(Path("/data/fraud.db"), "host:/x /data nfs4 rw 0 0")
    'nfs4'
    """
    if mounts is None:
        try:
            mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
        except OSError:  # another system than Linux
            return ""
    place = os.path.realpath(path)
    best, kind = "", ""
    for line in mounts.splitlines():
        parts = line.split()
        if len(parts) < 3:
            continue
        folder = parts[1].replace("\\040", " ")
        if (place + "/").startswith(folder.rstrip("/") + "/") and len(folder) >= len(best):
            best, kind = folder, parts[2]
    return kind if kind in _NETWORK else ""


def damaged(place: str, why: str) -> SourceError:
    """The error of a store whose bytes are not those that were written."""
    fix = "restore a copy of it, and insert and label again what came since: nothing is counted twice"
    return SourceError(f"{place}: it is damaged, or no store of watches ({why})", fix)


def _not_ours(place: str, why: str) -> SourceError:
    return SourceError(f"{place} is no store of watches: {why}", "give a file that thresher watch create made")
