"""Rows in files: listed once, then read by Arrow as batches of the named columns.

A source is a path, a glob, a folder (whose key=value folders are columns too) or "-" for standard input. Several files
are one table, in sorted order. CSV has no types: the caller names them. JSON lines, Parquet, ORC and Arrow files keep
theirs. `pyarrow.dataset` projects and filters.
"""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import ArgumentError, ColumnError, EmptyError, ScoreError, SourceError
from thresher.inputs.arrow import EXACT_IN_FLOAT64, numpy_column, objects, parse_text
from thresher.inputs.columns import Column, column, require_columns, require_same_columns
from thresher.sources.engines.errors import without_secrets
from thresher.sources.text_files import (
    DataFile,
    csv_batches,
    header,
    json_batches,
    json_keys,
    json_objects,
    json_types,
    may_be_rounded,
    require_unrounded,
    translate_errors,
)

Place: TypeAlias = str | os.PathLike[str]

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".orc": "orc",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
STDIN = "-"
NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"  # a missing value in the path, as Hive, Spark and others write it

_KNOWN = "csv, tsv, jsonl, parquet, orc, arrow and feather, where texts may end in .gz or .zst"
_STREAM = b"\xff\xff\xff\xff"  # how a stream of Arrow messages begins; files begin with ARROW1
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", _STREAM: "arrow", b"ORC": "orc"}
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_BATCH = 1 << 18
_DATASET = ("parquet", "orc", "arrow")  # formats that `pyarrow.dataset` reads with their types


@dataclass(frozen=True)
class FileTable:
    """Files that are one table, listed once.

    >>> FileTable.of("absent.csv")
    Traceback (most recent call last):
    thresher.errors.SourceError: there is no file or folder absent.csv
    ...
    """

    files: tuple[DataFile, ...]

    @classmethod
    def of(cls, source: Place) -> FileTable:
        """The files of a source, in sorted order, all of one format."""
        extra("pyarrow", name="files")
        return cls(tuple(_list_files(source)))

    @property
    def format(self) -> str:
        """The format of all files."""
        return self.files[0].format

    @property
    def is_text(self) -> bool:
        """Whether columns have no types, so that the caller names them."""
        return self.files[0].is_text

    @cached_property
    def fields(self) -> list[list[tuple[str, Any]]]:
        """For each file the names and types of its columns; texts, and what folders say, are strings."""
        return [_fields(file, part) for file, part in zip(self.files, self._fragments, strict=True)]

    @cached_property
    def types(self) -> list[dict[str, Any]]:
        """The same as mappings, in which a name that occurs twice is there once."""
        return [dict(fields) for fields in self.fields]

    @cached_property
    def rows(self) -> int | None:
        """How many rows Parquet files say they have; None for other formats."""
        if self.format != "parquet":
            return None
        rows = 0
        for file, part in zip(self.files, self._fragments, strict=True):
            with translate_errors(file):
                rows += part.metadata.num_rows
        return rows

    @cached_property
    def _fragments(self) -> list[Any]:
        """What `pyarrow.dataset` makes of each file; None where it does not read the format."""
        return [None if file.format not in _DATASET or _is_stream(file) else _fragment(file, {}) for file in self.files]

    @property
    def bytes(self) -> int:
        """About how many bytes the rows take when they are read, by the sizes of files."""
        packed = {"gzip": 8, "zstd": 8}
        return sum(
            (Path(file.name).stat().st_size if file.content is None else len(file.content))
            * packed.get(file.compression or "", 1)
            for file in self.files
        )

    def names(self) -> tuple[str, ...]:
        """The names of all columns, those of folders last; files other than JSON lines have the same ones."""
        names = [
            [*json_keys(file), *file.partition] if file.format == "jsonl" else [name for name, _ in fields]
            for file, fields in zip(self.files, self.fields, strict=True)
        ]
        for file, each in zip(self.files, names, strict=True):
            if file.format != "jsonl":  # where an absent key is a missing value
                require_same_columns(names[0], each, places=(self.files[0].name, file.name))
        return tuple(dict.fromkeys(name for each in names for name in each))

    def require(self, names: Sequence[str]) -> None:
        """Raise `ColumnError` unless every file holds every named column once: Arrow would fill it with nulls."""
        for file, fields in zip(self.files, self.fields, strict=True):
            present = [name for name, _ in fields]
            if file.format == "jsonl" and not set(names) <= set(present):
                present = [*json_keys(file), *file.partition]
            require_columns(names, present, place=file.name)
        for name in names:
            self._require_one_kind(name)

    def type_of(self, name: str) -> Any:
        """The type of a column in the first file where it has one other than null; text where it has none."""
        kinds = [types[name] for types in self.types if name in types]
        return next((kind for kind in kinds if str(kind) != "null"), extra("pyarrow", name="files").string())

    def untyped(self, name: str) -> bool:
        """Whether a column has no type by itself: it is one of CSV, or what folders say."""
        return self.is_text or name in self.files[0].partition

    def batches(
        self,
        names: Sequence[str],
        types: Mapping[str, Any],
        where: Callable[[Mapping[str, Any]], Any] | None = None,
    ) -> Iterator[Any]:
        """Record batches of the named columns, in the order of the files.

        `types` are those of columns that have none by themselves: of CSV, JSON lines and folders. `where` makes an
        expression of pyarrow.compute for columns of given types.
        """
        files = zip(self.files, self._fragments, self.types, strict=True)

        def alike(part: tuple[DataFile, Any, Mapping[str, Any]]) -> tuple[Any, ...]:
            file, fragment, known = part
            return (file.name,) if fragment is None else (None, *(str(known.get(name)) for name in names))

        for _, run in groupby(files, alike):
            part = list(run)
            file, fragment, known = part[0]
            test = None if where is None else where(known | dict(types))
            with translate_errors(file):
                if fragment is None:
                    scanner = _scanner(file, known, types, names, test)
                else:
                    scanner = _dataset([(each, one) for each, one, _ in part], known, types).scanner(
                        columns=list(names), filter=test, batch_size=_BATCH
                    )
                yield from (batch for batch in scanner.to_batches() if batch.num_rows)

    def _require_one_kind(self, name: str) -> None:
        """Raise `ColumnError` for a column of texts in one file and of numbers in another."""
        there = [(file, types[name]) for file, types in zip(self.files, self.types, strict=True) if name in types]
        families = [(_family(kind), kind, file) for file, kind in there if str(kind) != "null"]
        for family, kind, file in families[1:]:
            if family != families[0][0]:
                raise ColumnError(
                    f"the column {name!r} is {families[0][1]} in {families[0][2].name} and {kind} in {file.name}",
                    "give it one type in all files",
                )


def column_names(source: Place) -> tuple[str, ...]:
    r"""The names of a source's columns, those of its folders last.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "day=1", "mails.csv")
    ...     path.parent.mkdir()
    ...     _ = path.write_text("y,p\n1,0.9\n")
    ...     column_names(folder)
    ('y', 'p', 'day')
    """
    return FileTable.of(source).names()


def read_columns(source: Place | FileTable, names: Sequence[str] | None = None) -> dict[str, Column]:
    r"""The wanted columns of a source in memory, all of them when `names` is None.

    Types of files are kept. Texts of CSV become integers, floats or booleans where every entry of a column is one.
    Missing entries stay missing (NaN, NaT or None).

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mails.csv")
    ...     _ = path.write_text("y,p\n1,0.9\n0,0.2\n")
    ...     read_columns(path, ["p"])
    {'p': array([0.9, 0.2])}
    """
    arrow = extra("pyarrow", name="files")
    table = source if isinstance(source, FileTable) else FileTable.of(source)
    wanted = list(dict.fromkeys(table.names() if names is None else names))
    table.require(wanted)
    parts: dict[str, list[Any]] = {name: [] for name in wanted}
    fixed = table.format in _DATASET
    for number, file in enumerate(table.files):
        known = table.types[number]
        types = {name: known.get(name, arrow.string()) for name in wanted if name in file.partition or not fixed}
        try:
            batches = list(FileTable((file,)).batches(wanted, types))
        except (ColumnError, ScoreError):
            if file.format != "jsonl":
                raise
            return _json_columns(table, wanted)  # values of several types, or that Arrow would round
        for name in wanted:
            chunks = [batch[name] for batch in batches]
            if chunks:
                parts[name].append(arrow.chunked_array(chunks))
    untyped = {name for name in wanted if table.is_text or name in table.files[0].partition}
    columns = {name: _join(chunks, text=name in untyped, name=name) for name, chunks in parts.items()}
    if columns and not next(iter(columns.values())).size:
        place = table.files[0].name if len(table.files) == 1 else f"each of {len(table.files):,} files"
        raise EmptyError(f"{place} has columns and no rows", "give at least one row")
    return columns


def _json_columns(table: FileTable, names: Sequence[str]) -> dict[str, Column]:
    """Columns of JSON lines by Python's parser: slow, and every value as it is written."""
    rows = [dict(file.partition) | pairs for file in table.files for _, pairs in json_objects(file)]
    return {name: column([pairs.get(name) for pairs in rows], name=name) for name in names}


def _join(chunks: Sequence[Any], *, text: bool, name: str) -> Column:
    """One column of the columns of all files."""
    arrow, compute = extra("pyarrow", name="files"), extra("pyarrow.compute", name="files")
    if not chunks:
        return np.zeros(0)
    known = [chunk for chunk in chunks if not arrow.types.is_null(chunk.type)] or list(chunks)
    if all(chunk.type == known[0].type for chunk in known):
        joined = arrow.chunked_array([part for chunk in chunks for part in chunk.cast(known[0].type).chunks])
        if text:
            return parse_text(compute.if_else(compute.equal(joined, ""), arrow.scalar(None, joined.type), joined))
        return numpy_column(joined, name=name)
    arrays = [numpy_column(chunk, name=name) for chunk in known]
    joined = np.concatenate(arrays)
    integers = any(array.dtype.kind in "iu" for array in arrays)
    if joined.dtype.kind == "f" and integers and bool((np.abs(joined) >= EXACT_IN_FLOAT64).any()):
        return objects([value for array in arrays for value in array.tolist()])  # no integer is rounded
    return joined


def _fields(file: DataFile, fragment: Any) -> list[tuple[str, Any]]:
    arrow = extra("pyarrow", name="files")
    folders = [(name, arrow.string()) for name in file.partition]
    if file.is_text:
        return [*((name, arrow.string()) for name in header(file)), *folders]
    if file.format == "jsonl":
        return [*json_types(file).items(), *folders]
    with translate_errors(file):
        schema = _open_stream(file).schema if fragment is None else fragment.physical_schema
    return [*((column.name, column.type) for column in schema), *folders]


def _family(kind: Any) -> str:
    """What a type's values can be compared with: numbers with numbers, texts with texts."""
    arrow = extra("pyarrow", name="files")
    types = arrow.types
    if isinstance(kind, arrow.BaseExtensionType):
        return "numbers" if kind.extension_name == "arrow.bool8" else _family(kind.storage_type)
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        return _family(kind.value_type)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind):
        return "numbers"
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "texts"
    return str(kind) if types.is_nested(kind) else str(kind).partition("[")[0]


def _dataset(files: Sequence[tuple[DataFile, Any]], known: Mapping[str, Any], types: Mapping[str, Any]) -> Any:
    """Files of Parquet, ORC or Arrow whose named columns have the same types, as one data set."""
    arrow, dataset = extra("pyarrow", name="files"), extra("pyarrow.dataset", name="files")
    fragments = [_fragment(file, types) if set(file.partition) & set(types) else part for file, part in files]
    folders = {name: kind for name, kind in types.items() if name in files[0][0].partition}
    schema = arrow.schema([*(dict(known) | folders).items()])
    return dataset.FileSystemDataset(fragments, schema, fragments[0].format)


def _scanner(
    file: DataFile, known: Mapping[str, Any], types: Mapping[str, Any], names: Sequence[str], where: Any
) -> Any:
    """A scanner of a text, or of a stream of Arrow messages, with what folders say in every row."""
    arrow, dataset = extra("pyarrow", name="files"), extra("pyarrow.dataset", name="files")
    stream = file.format in _DATASET
    folders = {name: kind for name, kind in types.items() if name in file.partition}
    inside = {name: kind for name, kind in (known if stream else types).items() if name not in file.partition}
    if stream:
        once = _open_stream(file).schema
        inside = {name: kind for name, kind in inside.items() if len(once.get_all_field_indices(name)) == 1}
    schema = arrow.schema([*(inside | folders).items()])

    def batches() -> Iterator[Any]:
        for batch in _open_stream(file) if stream else _text_batches(file, known, inside):
            constants = [arrow.repeat(_partition_value(file, *item), batch.num_rows) for item in folders.items()]
            yield arrow.record_batch([*(batch[name] for name in inside), *constants], schema=schema)

    return dataset.Scanner.from_batches(batches(), schema=schema, columns=list(names), filter=where)


def _text_batches(file: DataFile, known: Mapping[str, Any], types: Mapping[str, Any]) -> Iterator[Any]:
    """Batches of a CSV or JSON-lines file; refuses numbers that Arrow would round."""
    arrow = extra("pyarrow", name="files")
    # A file that is asked for what its folders say alone still has to say how many rows it has.
    read = types or dict([next(item for item in known.items() if item[0] not in file.partition)])
    floats = [name for name, kind in read.items() if kind == arrow.float64()]
    for batch in csv_batches(file, read) if file.is_text else json_batches(file, read):
        for name in list(floats):
            if may_be_rounded(batch[name]):
                require_unrounded(file, name)
                floats.remove(name)
        yield batch


def _partition_value(file: DataFile, name: str, kind: Any) -> Any:
    """What a folder says, as the type that a filter asks for."""
    arrow = extra("pyarrow", name="files")
    try:
        return arrow.scalar(file.partition[name], arrow.string()).cast(kind)
    except arrow.ArrowInvalid:
        what = f"the folder {name}={file.partition[name]} of {file.name} is not of type {kind}"
        raise ArgumentError(what, "filter it by a text", parameter="where") from None


def _fragment(file: DataFile, types: Mapping[str, Any]) -> Any:
    dataset, fs = extra("pyarrow.dataset", name="files"), extra("pyarrow.fs", name="files")
    format_ = {"parquet": dataset.ParquetFileFormat, "orc": dataset.OrcFileFormat, "arrow": dataset.IpcFileFormat}
    given = None
    for name in file.partition:
        if name in types:
            test = dataset.field(name) == _partition_value(file, name, types[name])
            if file.partition[name] is None:
                test = dataset.field(name).is_null()
            given = test if given is None else given & test
    place = _path_or_buffer(file)
    where = (place, fs.LocalFileSystem()) if isinstance(place, str) else (place,)
    return format_[file.format]().make_fragment(*where, partition_expression=given)


def _path_or_buffer(file: DataFile) -> Any:
    """A plain file by its path; a compressed one, or standard input, as bytes in memory."""
    arrow = extra("pyarrow", name="files")
    if file.content is None and file.compression is None:
        return file.name
    with file.stream() as stream:
        return arrow.py_buffer(stream.read())


def _is_stream(file: DataFile) -> bool:
    if file.format != "arrow":
        return False
    with translate_errors(file), file.stream() as raw:
        return bool(raw.read(4) == _STREAM)


def _open_stream(file: DataFile) -> Any:
    ipc = extra("pyarrow.ipc", name="files")
    return ipc.open_stream(file.stream())


def _list_files(source: Place) -> list[DataFile]:
    place = os.fspath(source)
    if place == STDIN:
        return [_standard_input()]
    try:
        files = _find(place)
    except PermissionError as error:
        raise _unreadable(error.filename or place) from None
    formats = {file.format: file.name for file in reversed(files)}
    if len(formats) > 1:
        named = " and ".join(f"{kind} ({name})" for kind, name in list(formats.items())[:2])
        raise SourceError(f"{place} holds files of different formats: {named}", "name those of one by a glob")
    return files


def _find(place: str) -> list[DataFile]:
    path = Path(place)
    if "://" in place:
        what = f"{without_secrets(place)} is no file, and rows are read from files here"
        raise SourceError(what, "write the rows to a file first, e.g. as Parquet")
    if path.is_dir():
        files = list(_within(path))
        if not files:
            raise SourceError(f"the folder {place} holds no data", f"formats are known by suffix: {_KNOWN}")
    elif path.exists():
        files = [_data_file(path)]
    elif glob.has_magic(place):
        files = _match(place)
        if not files:
            raise SourceError(f"no file matches {place}", "check the pattern; ** matches folders of any depth")
    else:
        fix = "check the path; a relative one starts from the working directory"
        raise SourceError(f"there is no file or folder {place}", fix)
    _require_each_once(files)
    return files


def _require_each_once(files: Sequence[DataFile]) -> None:
    """Raise `SourceError` for a file that links lead to again, as a folder called latest: rows would count twice."""
    names: dict[Path, str] = {}
    for file in files:
        other = names.setdefault(Path(file.name).resolve(), file.name)
        if other != file.name:
            raise SourceError(f"{other} and {file.name} are the same file", "name those to read by a glob")


def _data_file(path: Path) -> DataFile:
    known = _format_of(path)
    if known is None:
        what = f"the format of {path} cannot be told from its name"
        raise SourceError(what, f"formats are known by suffix: {_KNOWN}")
    return DataFile(str(path), *known, partition=_partition(path))


def _format_of(path: Path) -> tuple[str, str | None] | None:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    inner = suffixes[:-1] if compression else suffixes
    known = FORMATS.get(inner[-1]) if inner else None
    return None if known is None else (known, compression)


def _within(folder: Path) -> Iterator[DataFile]:
    """Data files of a folder and those below; names that start with . or _ are other tools' notes."""
    for path in sorted(_paths_below(folder, ())):
        if (known := _format_of(path)) is not None:
            yield DataFile(str(path), *known, partition=_partition(path))


def _paths_below(folder: Path, around: tuple[Path, ...]) -> Iterator[Path]:
    """The files below a folder, through links as well; `around` are the folders it lies in, which links may lead to."""
    real = folder.resolve()
    if real in around:
        raise SourceError(f"the folder {folder} is a link to a folder around it", "remove the link")
    for path in folder.iterdir():
        if path.name.startswith((".", "_")):
            continue
        if path.is_dir():
            yield from _paths_below(path, (*around, real))
        elif path.is_file():
            yield path
        elif _format_of(path) is not None:
            raise _leading_nowhere(path)


def _match(pattern: str) -> list[DataFile]:
    """Data files that a pattern matches, and those in folders that it matches."""
    _require_readable_around(pattern)
    paths = [Path(name) for name in glob.glob(pattern, recursive=True)]  # noqa: PTH207 - it may be absolute
    for path in paths:
        if not path.exists():
            raise _leading_nowhere(path)
    plain = {path for path in paths if path.is_file()}
    files = {file.name: file for file in (_data_file(path) for path in plain)}
    for folder in paths:
        if not folder.is_dir() or (plain and folder.name.startswith((".", "_"))):
            continue
        inside = {file.name: file for file in _within(folder) if file.name not in files}
        if inside and plain and _format_of(folder) is None:
            what = f"{pattern} matches files and the folder {folder}, which holds others"
            raise SourceError(what, "match files by their suffix, or folders alone")
        files |= inside
    return [files[name] for name in sorted(files, key=Path)]


def _require_readable_around(pattern: str) -> None:
    """Raise `SourceError` for a folder of a pattern that may not be read: its files would be passed over."""
    parts = Path(pattern).parts
    for end in range(1, len(parts)):
        needed = os.R_OK | os.X_OK if glob.has_magic(parts[end]) else os.X_OK
        for name in glob.iglob(str(Path(*parts[:end])), recursive=True):  # noqa: PTH207 - it may be absolute
            if Path(name).is_dir() and not os.access(name, needed):
                raise _unreadable(name)


def _unreadable(name: str) -> SourceError:
    return SourceError(f"{name} may not be read", "ask for the right to read it, or name the others by a glob")


def _leading_nowhere(path: Path) -> SourceError:
    return SourceError(f"{path} is a link to nothing that is there", "mend or remove the link")


def _partition(path: Path) -> dict[str, str | None]:
    """Values that folders named key=value give to all rows below them."""
    pairs = [re.fullmatch(r"([^=]+)=(.*)", part) for part in path.parts[:-1]]
    return {
        unquote(pair[1]): None if pair[2] == NO_PARTITION else unquote(pair[2]) for pair in pairs if pair is not None
    }


def _standard_input() -> DataFile:
    """Standard input, read at once; it has no suffix, so its first bytes decide the format."""
    content = sys.stdin.buffer.read()
    if not content:
        raise SourceError("standard input is empty", "pipe rows into it; it can be read once only")
    compression = next((kind for magic, kind in _PACKED.items() if content.startswith(magic)), None)
    if compression is not None:
        packed = DataFile("standard input", "", compression, content)
        with translate_errors(packed), packed.stream() as stream:
            content = stream.read()
    known = next((kind for magic, kind in _MAGIC.items() if content.startswith(magic)), None)
    return DataFile("standard input", known or _format_of_text(content), None, content)


def _format_of_text(content: bytes) -> str:
    text = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in text.partition(b"\n")[0] else "csv"
