"""Frames whose rows are worked out when they are asked for: read batch by batch, as often as a scan needs them.

Lazy frames of Polars and others that hand out batches, relations that hand out an Arrow reader, and pyarrow's data sets
can be asked again and again, so a scan need not hold their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from threading import RLock, current_thread
from typing import Any

from thresher._internal.optional import extra
from thresher.errors import SourceError
from thresher.inputs.columns import require_columns
from thresher.inputs.frames import native_frame, selected_frame
from thresher.sources.faults import told_plainly
from thresher.sources.progress import WATCHER
from thresher.sources.size import COPIES, memory

PLACE = "the frame"


class _Turn:
    """What scans of relations wait for: those of one connection would stop each other inside the engine, for ever.

    A scan waits for the listener that hears of it, so that listener may not wait for the scan.
    """

    def __init__(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=current_thread().name != WATCHER):
            fix = "scan something else in progress=, or scan when it is done"
            raise SourceError("a relation cannot be scanned by the listener of another one's scan", fix)

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_TURN = _Turn()


@dataclass(frozen=True, slots=True)
class LazyRows:
    """The Arrow schema of rows, and how batches of some of their columns are read, in a library's own form.

    `turn` is held while they are read, where that is for one thread at a time.
    """

    schema: Any
    read: Callable[[Sequence[str]], Iterator[Any]]
    turn: AbstractContextManager[Any] = field(default_factory=nullcontext)

    def held(self, names: Sequence[str]) -> Any | None:
        """A frame of these columns, or None where it would not fit in memory."""
        require_columns(names, self.schema.names, place=PLACE)
        batches, size, most = [], 0, memory() // COPIES
        with self.turn, told_plainly(PLACE):
            for batch in self.read(names):
                size += batch.nbytes if hasattr(batch, "nbytes") else batch.estimated_size()
                if size > most:
                    return None
                batches.append(batch)
        if batches and hasattr(batches[0], "vstack"):
            return reduce(lambda above, below: above.vstack(below), batches)
        schema = batches[0].schema if batches else self.schema
        return extra("pyarrow", name="files").Table.from_batches(batches, schema)

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """The rows of these columns as Arrow batches."""
        with told_plainly(PLACE):
            for batch in self.read(names):
                if hasattr(batch, "to_arrow"):
                    yield from batch.to_arrow().to_batches()
                else:
                    yield batch

    def only(self, names: Collection[str]) -> LazyRows:
        """The same rows with these columns alone."""
        arrow = extra("pyarrow", name="files")
        return replace(self, schema=arrow.schema([entry for entry in self.schema if entry.name in names]))

    def of(self, held: Any) -> LazyRows:
        """The same rows, held: with the types that they have when they are read batch by batch."""
        table = held.to_arrow() if hasattr(held, "to_arrow") else held
        return LazyRows(self.schema, lambda names: iter(table.select(list(names)).to_batches()))


def lazy_rows(source: Any) -> LazyRows | None:
    """The rows of a lazy frame; None for what holds its rows, or can be read once only.

    >>> import polars as pl
    >>> found = lazy_rows(pl.LazyFrame({"y": [1, 0], "p": [0.9, 0.2]}))
    >>> [batch.num_rows for batch in found.batches(["p"])]
    [2]
    >>> lazy_rows(pl.DataFrame({"y": [1]})) is None
    True
    """
    if isinstance(source, LazyRows):
        return source
    native = native_frame(source)
    kind = type(native)  # a frame itself may have columns of these names
    if hasattr(kind, "scanner") and hasattr(kind, "schema"):
        return LazyRows(native.schema, lambda names: native.to_batches(columns=list(names)))
    if hasattr(kind, "collect_batches"):
        with told_plainly(PLACE):
            schema = _arrow_schema(native.limit(0).collect())
        return None if schema is None else LazyRows(schema, partial(_read, source, _collected))
    if not hasattr(kind, "to_arrow_reader"):
        return None
    with _TURN, told_plainly(PLACE):
        schema = native.limit(0).to_arrow_table().schema
    return LazyRows(schema, partial(_read, source, _from_reader), _TURN)


def _arrow_schema(frame: Any) -> Any | None:
    """A frame's types as Arrow has them; None where it has not all of them, and objects become addresses."""
    if "Object" in {str(kind) for kind in frame.dtypes}:
        return None
    try:
        return frame.to_arrow().schema
    except Exception:  # noqa: BLE001 - a library's own, for types of its own
        return None


def _read(source: Any, asked: Callable[[Any], Iterator[Any]], names: Sequence[str]) -> Iterator[Any]:
    plain = asked is not _from_reader or all(name.isidentifier() for name in names)
    if not plain:  # a relation would look for "a.b" in a table a
        return (batch.select(list(names)) for batch in asked(native_frame(source)))
    return asked(selected_frame(source, names))


def _collected(frame: Any) -> Iterator[Any]:
    return iter(frame.collect_batches(maintain_order=True))


def _from_reader(relation: Any) -> Iterator[Any]:
    return iter(relation.to_arrow_reader())
