"""Rows of files or of an engine's table as columns in memory, where they are few enough to be held at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thresher.inputs.arrow import numpy_column
from thresher.inputs.columns import Column
from thresher.sources.database import Opened, is_engine_source, opened, require_no_table
from thresher.sources.files import column_names, read_columns
from thresher.sources.listing import Place
from thresher.sources.progress import Listener
from thresher.sources.size import fits, memory
from thresher.sources.table_names import TableName, require_table_columns

MOST_ROWS = 1 << 21  # that leave an engine
_FIRST = 1000


def fetched_columns(
    source: Place, names: Sequence[str], *, table: TableName | None = None, listener: Listener | None = None
) -> dict[str, Column] | None:
    """The wanted columns, or None where there are too many rows: then `scan` counts them where they are.

    Files are read when they fit in a quarter of the free memory, a table when it has no more than two million rows.

    >>> fetched_columns("absent.csv", ["p"])
    Traceback (most recent call last):
    thresher.errors.SourceError: there is no file or folder absent.csv
      where: fetched_columns(source, names)
      fix:   check the path; a relative one starts from the working directory
    """
    if not is_engine_source(source):
        require_no_table(source, table)
        enough = fits(source, columns=len(names), memory=memory())
        return read_columns(source, names) if enough else None
    with opened(source, table=table) as engine:
        require_table_columns(engine.table, names, place=engine.place)
        few = engine.table.limit(MOST_ROWS + 1).aggregate(rows=lambda rows: rows.count())
        found = engine.answer(few, stage="counting rows", listener=listener)
        if found["rows"][0].as_py() > MOST_ROWS:
            return None
        return _columns(engine, engine.table, names, stage="reading rows", listener=listener)


def first_columns(
    source: Place, names: Sequence[str], *, table: TableName | None = None, listener: Listener | None = None
) -> dict[str, Column]:
    """The wanted columns of the first thousand rows or so, which tell what kind of values they hold."""
    with opened(source, table=table, listener=listener) as engine:
        require_table_columns(engine.table, names, place=engine.place)
        return _columns(engine, engine.table.limit(_FIRST), names, stage="looking", listener=None)


def source_names(source: Place, *, table: TableName | None = None) -> tuple[str, ...]:
    """The names of a source's columns."""
    if not is_engine_source(source):
        return column_names(source)
    with opened(source, table=table) as engine:
        return tuple(engine.table.columns)


def _columns(
    engine: Opened, rows: Any, names: Sequence[str], *, stage: str, listener: Listener | None
) -> dict[str, Column]:
    found = engine.answer(rows.select(*dict.fromkeys(names)), stage=stage, listener=listener)
    return {name: numpy_column(found[name], name=name) for name in found.column_names}
