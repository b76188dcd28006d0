"""Parquet and Arrow files: typed columns, of which only the wanted ones are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from thresher._internal.optional import extra
from thresher.sources.data_file import DataFile, reading

_STREAM = b"\xff\xff\xff\xff"  # how a stream of Arrow messages begins; files begin with ARROW1


def names_in(file: DataFile, wanted: Collection[str] | None) -> list[str]:
    """The names of the schema."""
    del wanted  # a schema is quickly read
    with reading(file):
        if file.format == "parquet":
            return list(_parquet(file).schema_arrow.names)
        return list(_messages(file, None).schema.names)


def columns_in(file: DataFile, names: Sequence[str]) -> dict[str, Any]:
    """The wanted columns as pyarrow columns."""
    with reading(file):
        if file.format == "parquet":
            table = _parquet(file).read(columns=list(names), use_pandas_metadata=False)
        else:
            table = _chosen(file, names).read_all()
        return {name: table[name] for name in names}


def types_in(file: DataFile) -> dict[str, Any]:
    """The type of each column; of columns that share a name, that of the last."""
    with reading(file):
        schema = _parquet(file).schema_arrow if file.format == "parquet" else _messages(file, None).schema
        return {field.name: field.type for field in schema}


def kinds_in(file: DataFile) -> dict[str, Any]:
    """The type of the values of each column: that of nulls in a file without rows."""
    arrow = extra("pyarrow", name="files")
    types = types_in(file)
    with reading(file):
        if file.format == "parquet":
            empty = not _parquet(file).metadata.num_rows
        else:
            empty = not any(batch.num_rows for batch in _each_batch(_messages(file, None)))
    return dict.fromkeys(types, arrow.null()) if empty else types


def rows_in(file: DataFile) -> int:
    """The rows that a Parquet file says it has; 0 for an Arrow file, which does not say."""
    with reading(file):
        return int(_parquet(file).metadata.num_rows) if file.format == "parquet" else 0


def batches_in(file: DataFile, names: Sequence[str]) -> Iterator[Any]:
    """The wanted columns, batch by batch."""
    with reading(file):
        if file.format == "parquet":
            for batch in _parquet(file).iter_batches(columns=list(names), use_threads=False):
                yield batch.select(list(names))
            return
        for batch in _each_batch(_chosen(file, names)):
            yield batch.select(list(names))


def _chosen(file: DataFile, names: Sequence[str]) -> Any:
    """A reader of at least the wanted columns."""
    reader = _messages(file, None)
    if _lies_plain(file):
        return reader
    return _messages(file, [reader.schema.get_field_index(name) for name in names])


def _each_batch(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        return (reader.get_batch(i) for i in range(reader.num_record_batches))
    return iter(reader)


def _parquet(file: DataFile) -> Any:
    return extra("pyarrow.parquet", name="files").ParquetFile(file.at_once())


def _messages(file: DataFile, fields: list[int] | None) -> Any:
    ipc = extra("pyarrow.ipc", name="files")
    content = file.at_once()
    options = ipc.IpcReadOptions(included_fields=fields)
    stream = content.read(4) == _STREAM
    content.seek(0)
    return ipc.open_stream(content, options=options) if stream else ipc.open_file(content, options=options)


def _lies_plain(file: DataFile) -> bool:
    """Whether columns can be used where they lie in the file.

    Naming fields spares unpacking the others where columns are packed, and makes Arrow copy them where they are not.
    """
    whole = file.at_once().read_buffer()
    ipc = extra("pyarrow.ipc", name="files")
    source = extra("pyarrow", name="files").BufferReader(whole)
    if source.read(4) == _STREAM:
        return True
    source.seek(0)
    reader = ipc.open_file(source)
    if not reader.num_record_batches:
        return True
    buffers = (buffer for column in reader.get_batch(0).columns for buffer in column.buffers() if buffer is not None)
    return all(whole.address <= buffer.address < whole.address + max(whole.size, 1) for buffer in buffers)
