"""What the columns of files are, learned before they are streamed: the types and refusals they have in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from thresher.errors import ColumnError, EmptyError, ThresherError
from thresher.inputs.columns import require_columns, require_same_columns
from thresher.sources import arrow_files, delimited, json_batches
from thresher.sources.data_file import DataFile
from thresher.sources.lazy_rows import PLACE, LazyRows
from thresher.sources.progress import RowCount
from thresher.sources.shared_types import converted, plain_type, shared_type, unlike_types
from thresher.sources.text_kinds import TextKind


@dataclass(frozen=True, slots=True)
class LearnedColumn:
    """The Arrow type of a column, how what a file gives becomes that, and the error that using it raises."""

    type: Any
    converted: Callable[[Any], Any]
    refusal: ThresherError | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One file: the names of its columns, and how batches of some of them are read: `batches(names, where=...)`."""

    file: DataFile
    names: Sequence[str]
    batches: Callable[..., Iterator[Any]]


def learned_columns(files: Sequence[DataFile], seen: RowCount) -> tuple[list[Part], dict[str, LearnedColumn]]:
    """The files and their columns, those of folders last; rows that were read or counted for it add to those seen."""
    learn = {"jsonl": _of_json, "arrow": _of_arrow, "parquet": _of_arrow}.get(files[0].format, _of_texts)
    parts, columns = learn(files, seen)
    columns |= {name: _of_kind(kind) for name, kind in folder_kinds(files).items()}
    return parts, _refusing(parts, columns)


def lazy_columns(rows: LazyRows) -> tuple[list[Part], dict[str, LearnedColumn]]:
    """The rows of a lazy frame, as those of one file, and its columns."""
    frame = DataFile(PLACE, "arrow")
    parts = [Part(frame, list(rows.schema.names), rows.batches)]
    types = {field.name: field.type for field in rows.schema}
    return parts, _refusing(parts, _of_types([frame], [types]))


def require_alike(files: Sequence[DataFile]) -> list[list[str]]:
    """The names of the columns of each file; `ColumnError` unless all have the same, in files or folders."""
    names_in = delimited.names_in if files[0].format in delimited.SEPARATORS else arrow_files.names_in
    names = [names_in(file, None) for file in files]
    present = [[*inside, *file.partition] for inside, file in zip(names, files, strict=True)]
    for file, has in zip(files, present, strict=True):
        require_same_columns(present[0], has, places=(files[0].name, file.name))
    return names


def folder_kinds(files: Sequence[DataFile]) -> dict[str, TextKind]:
    """What the values of each key of folders are."""
    import pyarrow as pa

    kinds = {name: TextKind(name) for file in files for name in file.partition}
    for name, kind in kinds.items():
        kind.see(pa.array([file.partition.get(name) for file in files], pa.string()))
    return kinds


def _refusing(parts: Sequence[Part], columns: dict[str, LearnedColumn]) -> dict[str, LearnedColumn]:
    """The columns, with errors for those that a part has twice or not at all."""
    for part in parts:  # a folder says again what a column says, or says nothing where others do
        present = [*part.names, *part.file.partition]
        sound = [name for name, column in columns.items() if column.refusal is None]
        errors = {name: _refusal(name, present, part.file) for name in sound}
        columns = columns | {name: _refused(error) for name, error in errors.items() if error is not None}
    return columns


def _of_texts(files: Sequence[DataFile], seen: RowCount) -> tuple[list[Part], dict[str, LearnedColumn]]:
    """Columns of text, which become numbers only when all rows of all files agree."""
    names = require_alike(files)
    kinds = {name: TextKind(name) for name in names[0] if all(has.count(name) == 1 for has in names)}
    parts = [Part(file, has, partial(delimited.batches_in, file)) for file, has in zip(files, names, strict=True)]
    for part in parts:
        for batch in part.batches(list(kinds)):
            seen.rows += batch.num_rows
            for name, kind in kinds.items():
                kind.see(batch.column(name))
    if kinds and not seen.rows:
        place = files[0].name if len(files) == 1 else f"each of {len(files):,} files"
        raise EmptyError(f"{place} has columns and no rows", "give at least one row")
    unknown = TextKind("")
    return parts, {name: _of_kind(kinds.get(name, unknown)) for name in dict.fromkeys(names[0])}


def _of_json(files: Sequence[DataFile], seen: RowCount) -> tuple[list[Part], dict[str, LearnedColumn]]:
    known = [json_batches.kinds_in(file, seen) for file in files]
    parts = [
        Part(file, list(kinds.types), partial(json_batches.batches_in, file, kinds))
        for file, kinds in zip(files, known, strict=True)
    ]
    refused = {name: error for kinds in known for name, error in kinds.refused.items()}
    return parts, _of_types(files, [kinds.types for kinds in known]) | {
        name: _refused(error) for name, error in refused.items()
    }


def _of_arrow(files: Sequence[DataFile], seen: RowCount) -> tuple[list[Part], dict[str, LearnedColumn]]:
    names = require_alike(files)
    parts = [Part(file, has, partial(arrow_files.batches_in, file)) for file, has in zip(files, names, strict=True)]
    seen.rows += sum(arrow_files.rows_in(file) for file in files)
    return parts, _of_types(files, [arrow_files.kinds_in(file) for file in files])


def _of_types(files: Sequence[DataFile], known: Sequence[Mapping[str, Any]]) -> dict[str, LearnedColumn]:
    """Columns that have types, where those of all files go together."""
    columns: dict[str, LearnedColumn] = {}
    for name in dict.fromkeys(name for types in known for name in types):
        having = [file for types, file in zip(known, files, strict=True) if name in types]
        kinds = [plain_type(types[name]) for types in known if name in types]
        shared = shared_type(kinds)
        if shared is None:
            columns[name] = _refused(unlike_types(name, kinds, having))
        elif str(shared).startswith("decimal256"):
            what = f"the column {name!r} holds {shared}, which the embedded engine cannot hold"
            columns[name] = _refused(ColumnError(what, "give it 38 digits or fewer, or make floats of it"))
        else:
            shared = _kept_by_engine(shared)
            columns[name] = LearnedColumn(shared, partial(converted, kind=shared, name=name))
    return columns


def _kept_by_engine(kind: Any) -> Any:
    """A type of which the engine keeps every digit: it knows moments with a zone to the microsecond, in UTC as here."""
    import pyarrow as pa

    fine = pa.types.is_timestamp(kind) and kind.tz is not None and kind.unit == "ns"
    return pa.timestamp("ns") if fine else kind


def _of_kind(kind: TextKind) -> LearnedColumn:
    import pyarrow as pa

    if pa.types.is_null(kind.type):
        return LearnedColumn(pa.float64(), lambda texts: texts.cast(pa.float64()))
    return LearnedColumn(kind.type, kind.converted, kind.refusal())


def _refused(error: ThresherError) -> LearnedColumn:
    import pyarrow as pa

    return LearnedColumn(pa.float64(), lambda values: pa.nulls(len(values), pa.float64()), error)


def _refusal(name: str, present: Sequence[str], file: DataFile) -> ColumnError | None:
    """The error for a column that a file has twice or not at all."""
    try:
        require_columns([name], present, place=file.name)
    except ColumnError as error:
        return error.with_traceback(None)
    return None
