"""Tables of an engine and their columns by name, as users give them; nothing is taken for one that is not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from thresher.errors import ArgumentError, ColumnError, SourceError
from thresher.inputs.columns import require_columns
from thresher.sources.faults import without_secrets
from thresher.sources.unheeded import unheeded

TableName: TypeAlias = str | tuple[str, ...]
_SHOWN = 10


def named_table(engine: Any, table: TableName | None, *, place: str) -> Any:
    """A table, view or materialised view of an Ibis engine; `place` is the engine's name for messages.

    Engines list no table that one may not read, and not every kind of view, so the table is asked for first.
    """
    if table is None:
        raise ArgumentError(f"{place} holds tables, and none is named", f"pass table=...{_listed(engine, None)}")
    parts = require_table_name(table)
    name, database = parts[-1], parts[:-1] if len(parts) > 2 else "".join(parts[:-1]) or None
    try:
        return engine.table(name, database=database)
    except Exception:
        if name in _names(engine, database):  # and something else is wrong
            raise
    fix = f"name one that is there{_listed(engine, database)}"
    if "." in name:
        fix = f"name a table of a schema by its parts: table={tuple(name.split('.'))!r}"
    raise SourceError(f"{place} has no table {name!r}{_within(parts)}", fix)


def require_table_name(table: Any) -> tuple[str, ...]:
    """The parts of a table's name; raise `ArgumentError` unless they are texts.

    >>> require_table_name("mails"), require_table_name(("spring", "mails"))
    (('mails',), ('spring', 'mails'))
    """
    parts = (table,) if isinstance(table, str) else table
    if not isinstance(parts, tuple | list) or not parts or not all(isinstance(part, str) and part for part in parts):
        raise ArgumentError(
            f"a table is named by a text, or by a tuple of texts, got {table!r}",
            fix='e.g. table="mails" or table=("schema", "mails")',
        )
    return tuple(parts)


def require_table_columns(table: Any, wanted: Sequence[str], *, place: str) -> None:
    """Raise `ColumnError` unless a table has these columns; engines know them by texts alone."""
    for name in wanted:
        if not isinstance(name, str):
            what = f"the column {name!r} is named by no text, and an engine cannot hold such a column"
            raise ColumnError(what, "rename it in the frame")
    present = list(table.columns)
    try:
        require_columns(wanted, present, place=without_secrets(place))
    except ColumnError as error:
        folded = {name.casefold() for name in present}
        if not any(name not in present and name.casefold() in folded for name in wanted):
            raise
        fix = "write it as it stands there; of two names that differ only in case an engine knows one"
        raise ColumnError(error.what, fix) from None


def _within(parts: tuple[str, ...]) -> str:
    return f" in {'.'.join(parts[:-1])}" if len(parts) > 1 else ""


def _names(engine: Any, database: Any) -> list[str]:
    with unheeded():
        return list(engine.list_tables(database=database))


def _listed(engine: Any, database: Any) -> str:
    names = _names(engine, database)
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    return f": {shown}{', …' if len(names) > _SHOWN else ''}" if names else ""
