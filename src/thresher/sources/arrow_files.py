"""Parquet and Arrow files: typed columns, of which only the wanted ones are read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from thresher.extras import extra
from thresher.sources.data_file import DataFile, reading

_STREAM = b"\xff\xff\xff\xff"  # how a stream of Arrow messages begins; files begin with ARROW1


def names_in(file: DataFile, wanted: Collection[str] | None, *, where: str) -> list[str]:
    """The names of the schema."""
    del wanted  # a schema is quickly read
    with reading(file, where):
        if file.format == "parquet":
            return list(_parquet(file, where).schema_arrow.names)
        return list(_messages(file, None, where).schema.names)


def columns_in(file: DataFile, names: Sequence[str], *, where: str) -> dict[str, Any]:
    """The wanted columns as pyarrow columns."""
    with reading(file, where):
        if file.format == "parquet":
            parquet = _parquet(file, where)
            table = parquet.read(columns=list(names), use_pandas_metadata=False)
        else:
            schema = _messages(file, None, where).schema
            table = _messages(file, [schema.get_field_index(name) for name in names], where).read_all()
        return {name: table[name] for name in names}


def _parquet(file: DataFile, where: str) -> Any:
    return extra("pyarrow.parquet", name="files", where=where).ParquetFile(file.at_once(where))


def _messages(file: DataFile, fields: list[int] | None, where: str) -> Any:
    ipc = extra("pyarrow.ipc", name="files", where=where)
    bytes_of = file.at_once(where)
    options = ipc.IpcReadOptions(included_fields=fields)
    stream = bytes_of.read(4) == _STREAM
    bytes_of.seek(0)
    return ipc.open_stream(bytes_of, options=options) if stream else ipc.open_file(bytes_of, options=options)
