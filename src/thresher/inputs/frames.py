"""Rows in frames: columns of what holds its rows, batches of what streams them.

pandas, Polars, mappings and structured arrays hold their rows: their columns become NumPy arrays. Lazy frames of
Polars, DuckDB relations, pyarrow's tables, readers and data sets, and anything else that speaks Arrow's stream
interface give batches: nothing needs to hold all of their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from threading import RLock, current_thread
from typing import Any

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import ArgumentError, LengthError, SourceError
from thresher.inputs.columns import Column, column, require_columns

PROGRESS_THREAD = "thresher-progress"  # in which progress functions are called


_RELATIONS = RLock()


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Lock: two scans of one DuckDB connection would deadlock.

    A scan waits for the function that follows its progress, so that function may not wait for the scan.
    """
    if not _RELATIONS.acquire(blocking=current_thread().name != PROGRESS_THREAD):
        fix = "scan something else there, or scan when the first scan is done"
        raise SourceError("a relation cannot be scanned by the progress function of another scan", fix)
    try:
        yield
    finally:
        _RELATIONS.release()


@dataclass(frozen=True, slots=True)
class Stream:
    """Rows in Arrow batches: the schema, and how batches of some columns are read.

    `turn` is entered while batches are read, where only one thread may read at a time.
    """

    schema: Any
    read: Callable[[Sequence[str]], Iterator[Any]]
    turn: Callable[[], AbstractContextManager[None]] = nullcontext


def frame_stream(frame: Any) -> Stream | None:  # noqa: PLR0911 - one for each kind of frame
    """The batches of a frame that streams its rows; None for a frame that holds them.

    >>> import polars as pl
    >>> stream = frame_stream(pl.LazyFrame({"y": [1, 0], "p": [0.9, 0.2]}))
    >>> [batch.num_rows for batch in stream.read(["p"])]
    [2]
    """
    native = native_frame(frame)
    kind = type(native)  # a frame itself may have columns of these names
    if isinstance(native, Mapping | np.ndarray) or _is_pandas(native):
        return None
    if hasattr(kind, "scanner") and hasattr(kind, "schema"):  # a data set, or one of its parts
        return Stream(native.schema, lambda names: native.to_batches(columns=list(names)))
    if _is_arrow_table(native) and hasattr(native, "column"):  # a table, or one batch
        arrow = extra("pyarrow", name="files")
        table = native if hasattr(native, "to_batches") else arrow.Table.from_batches([native])
        return Stream(table.schema, lambda names: iter(table.select(list(names)).to_batches()))
    if hasattr(kind, "collect_batches"):
        schema = _arrow_schema(native.limit(0).collect())
        return None if schema is None else Stream(schema, partial(_lazy_batches, frame))
    if hasattr(kind, "to_arrow_reader"):
        with _one_at_a_time():
            schema = native.limit(0).to_arrow_table().schema
        return Stream(schema, partial(_relation_batches, frame), _one_at_a_time)
    if hasattr(native, "__arrow_c_stream__") and not hasattr(native, "__array__") and not hasattr(kind, "columns"):
        reader = extra("pyarrow", name="files").RecordBatchReader.from_stream(native)
        return Stream(reader.schema, lambda names: (batch.select(list(names)) for batch in reader))
    return None


def _arrow_schema(frame: Any) -> Any | None:
    """A frame's types in Arrow; None where Arrow lacks one of them."""
    if "Object" in {str(kind) for kind in frame.dtypes}:
        return None
    try:
        return frame.to_arrow().schema
    except Exception:  # noqa: BLE001 - every library has its own for types that Arrow lacks
        return None


def _lazy_batches(frame: Any, names: Sequence[str]) -> Iterator[Any]:
    for part in _narwhals_frame(frame).select(list(names)).to_native().collect_batches(maintain_order=True):
        yield from part.to_arrow().to_batches()


def _relation_batches(frame: Any, names: Sequence[str]) -> Iterator[Any]:
    relation = native_frame(frame)
    if all(name.isidentifier() for name in names):  # a relation would look for the column "a.b" in a table a
        relation = _narwhals_frame(frame).select(list(names)).to_native()
    with relation.to_arrow_reader() as reader:
        for batch in reader:
            yield batch.select(list(names))


def frame_columns(frame: Any, names: Sequence[str] | None = None) -> dict[str, Column]:
    """The wanted columns of a frame as NumPy arrays, all when `names` is None.

    Takes eager and lazy frames; of a lazy one only the wanted columns are computed. A mapping of names to columns
    and a NumPy array with named fields are frames too. Missing entries stay missing.
    """
    frame = held_frame(frame)
    present = frame_names(frame)
    wanted = list(dict.fromkeys(present if names is None else names))
    require_columns(wanted, present, place="the frame")
    native = _select(frame, wanted)
    columns = {name: column(native[name], name=name) for name in wanted}
    if len({values.size for values in columns.values()}) > 1:
        sizes = ", ".join(f"{name} {values.size:,}" for name, values in columns.items())
        raise LengthError(f"columns differ in length: {sizes}", "give one entry per row in each of them")
    return columns


def arrow_table(frame: Any) -> Any:
    """A frame that holds its rows, as an Arrow table."""
    arrow = extra("pyarrow", name="files")
    native = native_frame(frame)
    if isinstance(native, Mapping):
        return arrow.table({str(name): arrow.array(values) for name, values in native.items()})
    if isinstance(native, np.ndarray):
        return arrow.table({name: native[name] for name in native.dtype.names or ()})
    if _is_pandas(native):
        return arrow.Table.from_pandas(native, preserve_index=False)
    return _narwhals_frame(frame).to_arrow()


def columns_by_name(models: Any) -> dict[str, Any] | None:
    """The columns of a mapping or a frame of models; None for anything else.

    Each stays what its library has, with row ids if it has any, so that rows which do not belong together can be
    refused.
    """
    if not is_frame(models):
        return None
    frame = held_frame(models)
    names = frame_names(frame)
    if not all(isinstance(name, str) for name in names):
        raise ArgumentError("models are named by text", "give {'name': scores, ...}, or name the columns so")
    require_columns(names, names, place="the frame")
    native = _select(frame, names)
    return {name: native[name] for name in names}


def frame_names(frame: Any) -> list[str]:
    """The names of a frame's columns."""
    if isinstance(frame, Mapping):
        return list(frame)
    if isinstance(frame, np.ndarray) and frame.dtype.names is not None:
        return list(frame.dtype.names)
    native = native_frame(held_frame(frame))
    if _is_arrow_table(native):
        return list(native.schema.names)
    if _is_pandas(native):  # Narwhals refuses names that occur twice before we can say which
        return list(native.columns)
    return list(_narwhals_frame(frame).collect_schema().names())


def is_frame(source: Any) -> bool:
    """Whether a source is a frame, without loading any library."""
    if isinstance(source, Mapping) or _is_arrow_table(source):
        return True
    if isinstance(source, np.ndarray):
        return source.dtype.names is not None
    if hasattr(source, "__arrow_c_stream__") and not hasattr(source, "__array__"):
        return True
    kind = type(source)  # asking a lazy frame itself for its columns would make it work them out
    return hasattr(kind, "columns") and (hasattr(kind, "select") or hasattr(kind, "loc"))


def held_frame(frame: Any) -> Any:
    """A frame whose columns can be asked for again and again.

    A table that Narwhals does not know, and that speaks Arrow's PyCapsule interface, becomes one of pyarrow; so do
    pyarrow's own readers and data sets, which hold no columns yet.
    """
    if _is_arrow_table(frame) and not hasattr(frame, "column"):
        return frame.read_all() if hasattr(frame, "read_all") else frame.to_table()
    known = hasattr(type(frame), "columns") or _is_arrow_table(frame) or not hasattr(frame, "__arrow_c_stream__")
    return frame if known else extra("pyarrow", name="files").table(frame)


def _select(frame: Any, wanted: Sequence[str]) -> Any:
    """Something that gives a column by its name; lazy work is done here, once."""
    native = native_frame(frame)
    if isinstance(frame, Mapping | np.ndarray) or _is_arrow_table(frame) or _is_pandas(native):
        return native
    known = _narwhals_frame(frame).select(list(wanted))
    return (known.collect() if hasattr(known, "collect") else known).to_native()


def native_frame(frame: Any) -> Any:
    """A frame as its own library has it, without what Narwhals wraps around it."""
    return frame.to_native() if type(frame).__module__.startswith("narwhals") else frame


def _narwhals_frame(frame: Any) -> Any:
    narwhals = extra("narwhals", name="frames")
    try:
        return narwhals.from_native(frame)
    except TypeError:
        what = f"a {type(frame).__module__}.{type(frame).__name__} is no frame that thresher knows"
        fix = "give a frame of pandas, Polars, pyarrow or another library that Narwhals supports"
        raise ArgumentError(what, fix) from None


def _is_arrow_table(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "pyarrow" and hasattr(frame, "schema")


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "pandas" and hasattr(frame, "columns")
