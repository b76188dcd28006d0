"""Rows of text and Arrow files for the embedded engine, batch by batch: read as they are read into memory.

The engine would guess types of its own, make truth values of words and dates of texts, and take for missing what is
not. It gets Arrow batches instead, anew for every query, of the columns that the query names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from thresher.errors import ColumnError, EmptyError, ThresherError
from thresher.extras import extra
from thresher.sources import arrow_files, delimited, json_batches
from thresher.sources.column_names import require_columns, require_same_columns
from thresher.sources.data_file import DataFile
from thresher.sources.progress import Listener, RowCount, heard
from thresher.sources.text_kinds import TextKind

Batches: TypeAlias = Callable[[Sequence[str]], Iterator[Any]]
# What was learned of the files that were read last: a command looks at them before it scans them.
_last: dict[tuple[Any, ...], tuple[Any, Any, int | None]] = {}


@dataclass(frozen=True, slots=True)
class StreamedColumn:
    """The Arrow type of a column, how what a file gives becomes that, and the error that using it raises."""

    type: Any
    converted: Callable[[Any], Any]
    refusal: ThresherError | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """One file: the names of its columns, how their batches are read, and what its folders say."""

    file: DataFile
    names: Sequence[str]
    batches: Batches


class StreamedRows:
    """Rows that can be read again and again, through Arrow's PyCapsule interface."""

    def __init__(self, parts: Sequence[_Part], columns: Mapping[str, StreamedColumn], total: int | None) -> None:
        import pyarrow as pa

        self.total = total
        self.done = RowCount()
        self.schema = pa.schema([(name, column.type) for name, column in columns.items()])
        self._parts = parts
        self._columns = columns
        self._used = list(columns)

    def use(self, places: Collection[int]) -> None:
        """Say which columns the next query names; the others come without values, since nobody looks at them."""
        self._used = [name for at, name in enumerate(self._columns) if at in places]
        for name in self._used:
            refusal = self._columns[name].refusal
            if refusal is not None:
                raise refusal

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A new reader from the first row on."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, self._batches()).__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[Any]:
        used = [name for name in self._used if self._columns[name].refusal is None]
        self.done.rows = 0
        for part in self._parts:
            inside = [name for name in used if name in part.names and name not in part.file.partition]
            for batch in part.batches(inside or self._any(part)):
                yield self._whole(batch, part, inside)
                self.done.rows += batch.num_rows

    def _any(self, part: _Part) -> list[str]:
        """A column that tells how many rows there are, where none is asked for."""
        sound = [name for name in part.names if name in self._columns and self._columns[name].refusal is None]
        return [name for name in sound if name not in part.file.partition][:1]

    def _whole(self, batch: Any, part: _Part, inside: Sequence[str]) -> Any:
        """A batch of all columns, of which those that are not used are null."""
        import pyarrow as pa

        made = []
        for name, column in self._columns.items():
            if name in part.file.partition:
                said = pa.array([part.file.partition[name]], pa.string())
                made.append(pa.repeat(column.converted(said).cast(column.type)[0], batch.num_rows))
            elif name in inside:
                made.append(column.converted(batch.column(name)))
            else:
                made.append(pa.nulls(batch.num_rows, column.type))
        return pa.record_batch(made, schema=self.schema)


def streamed_rows(files: Sequence[DataFile], *, listener: Listener | None = None, where: str) -> StreamedRows:
    r"""The rows of CSV, TSV, JSON lines or Arrow files, whose types are those that all rows have.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mails.csv")
    ...     _ = path.write_text("y,p\nyes,0.9\nno,NA\n")
    ...     streamed_rows([DataFile(str(path), "csv")], where="here").schema
    y: string
    p: double
    """
    extra("pyarrow", name="files", where=where)
    key = (where, *((file.name, *_state(file)) for file in files))
    known = _last.get(key)
    if known is None:
        learned = {"jsonl": _of_json, "arrow": _of_arrow}.get(files[0].format, _of_texts)
        seen = RowCount()
        with heard(listener, "learning types", total=None, rows=lambda: seen.rows):
            parts, columns = learned(files, seen, where)
        said = {name: _of_folders(files, name) for name in files[0].partition}
        known = (parts, columns | said, seen.rows or None)
        _last.clear()
        _last[key] = known
    return StreamedRows(*known)


def _state(file: DataFile) -> tuple[int, int]:
    """What changes when a file does."""
    found = Path(file.name).stat()
    return found.st_size, found.st_mtime_ns


def folder_kinds(files: Sequence[DataFile]) -> dict[str, TextKind]:
    """What the values of each key of folders are."""
    kinds = {name: TextKind(name) for name in files[0].partition}
    for name, kind in kinds.items():
        _see(kind, [file.partition.get(name) for file in files])
    return kinds


def _of_texts(files: Sequence[DataFile], seen: RowCount, where: str) -> tuple[list[_Part], dict[str, StreamedColumn]]:
    """Columns of text, which become numbers only when all rows of all files agree."""
    present = [delimited.names_in(file, None, where=where) for file in files]
    _require_alike(files, present, where)
    refused = _twice(present[0], files[0].name, where)
    kinds = {name: TextKind(name) for name in present[0] if name not in refused}
    parts = [_Part(file, list(kinds), partial(delimited.batches_in, file, where=where)) for file in files]
    for part in parts:
        for batch in part.batches(list(kinds)):
            seen.rows += batch.num_rows
            for name, kind in kinds.items():
                kind.see(batch.column(name))
    if kinds and not seen.rows:
        place = files[0].name if len(files) == 1 else f"each of {len(files):,} files"
        raise EmptyError(f"{place} has columns and no rows", where, "give at least one row")
    columns = {
        name: _of_kind(kinds[name], where) if name in kinds else _refused(refused[name])
        for name in dict.fromkeys(present[0])
    }
    return parts, columns


def _of_json(files: Sequence[DataFile], seen: RowCount, where: str) -> tuple[list[_Part], dict[str, StreamedColumn]]:
    known = [json_batches.kinds_in(file, seen, where=where) for file in files]
    parts = [
        _Part(file, list(kinds.types), partial(json_batches.batches_in, file, kinds, where=where))
        for file, kinds in zip(files, known, strict=True)
    ]
    refused = {name: error for kinds in known for name, error in kinds.refused.items()}
    return parts, _of_types(files, [kinds.types for kinds in known], refused, where)


def _of_arrow(files: Sequence[DataFile], _: RowCount, where: str) -> tuple[list[_Part], dict[str, StreamedColumn]]:
    present = [arrow_files.names_in(file, None, where=where) for file in files]
    _require_alike(files, present, where)
    parts = [
        _Part(file, names, partial(arrow_files.batches_in, file, where=where))
        for file, names in zip(files, present, strict=True)
    ]
    known = [arrow_files.kinds_in(file, where=where) for file in files]
    return parts, _of_types(files, known, _twice(present[0], files[0].name, where), where)


def _of_types(
    files: Sequence[DataFile], known: Sequence[Mapping[str, Any]], refused: Mapping[str, ThresherError], where: str
) -> dict[str, StreamedColumn]:
    """Columns that have types, where those of all files go together."""
    columns: dict[str, StreamedColumn] = {}
    for name in dict.fromkeys(name for types in known for name in types):
        kinds = [(_plain(types[name]), file) for types, file in zip(known, files, strict=True) if name in types]
        joint = _joint([kind for kind, _ in kinds])
        if name in refused:
            columns[name] = _refused(refused[name])
        elif joint is None:
            columns[name] = _refused(_unlike(name, kinds, where))
        else:
            columns[name] = StreamedColumn(joint, partial(_cast, kind=joint))
    return columns


def _of_folders(files: Sequence[DataFile], name: str) -> StreamedColumn:
    return _of_kind(folder_kinds(files)[name], "")


def _of_kind(kind: TextKind, where: str) -> StreamedColumn:
    import pyarrow as pa

    refusal = kind.refusal(where)
    if pa.types.is_null(kind.type):
        return StreamedColumn(pa.float64(), partial(_cast, kind=pa.float64()))
    return StreamedColumn(kind.type, kind.converted, refusal)


def _refused(error: ThresherError) -> StreamedColumn:
    import pyarrow as pa

    return StreamedColumn(pa.float64(), partial(_cast, kind=pa.float64()), error)


def _see(kind: TextKind, values: list[str | None]) -> None:
    import pyarrow as pa

    kind.see(pa.array(values, pa.string()))


def _require_alike(files: Sequence[DataFile], present: Sequence[Sequence[str]], where: str) -> None:
    for file, has in zip(files, present, strict=True):
        require_same_columns(present[0], has, places=(files[0].name, file.name), where=where)


def _twice(names: Sequence[str], place: str, where: str) -> dict[str, ThresherError]:
    """The errors of names that several columns have."""
    found: dict[str, ThresherError] = {}
    for name in dict.fromkeys(names):
        try:
            require_columns([name], names, place=place, where=where)
        except ColumnError as error:
            found[name] = error
    return found


def _plain(kind: Any) -> Any:
    """The type of the values themselves, as the engine knows them."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return pa.bool_() if kind.extension_name == "arrow.bool8" else _plain(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _plain(kind.value_type)
    return pa.float32() if pa.types.is_float16(kind) else kind


def _joint(kinds: Sequence[Any]) -> Any:
    """The type of a column that has these in several files, None where they do not go together."""
    import pyarrow as pa

    known = {kind for kind in kinds if not pa.types.is_null(kind)}
    if len(known) == 1:
        return known.pop()
    if all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in known):
        return pa.float64()
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return pa.large_string() if all(any(test(kind) for test in texts) for kind in known) else None


def _unlike(name: str, kinds: Sequence[tuple[Any, DataFile]], where: str) -> ColumnError:
    first, file = kinds[0]
    kind, other = next(pair for pair in kinds if pair[0] != first)
    return ColumnError(
        f"the column {name!r} is {first} in {file.name} and {kind} in {other.name}",
        where=where,
        fix="give it one type in all files",
    )


def _cast(values: Any, kind: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values.type, pa.BaseExtensionType):
        values = values.storage
    if pa.types.is_run_end_encoded(values.type):
        values = pc.run_end_decode(values)
    return values.cast(kind)
