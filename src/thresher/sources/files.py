"""Rows in files: listed once, then read by Arrow as batches of the named columns.

A source is a path, a glob, a folder (whose key=value folders are columns too) or "-" for standard input. Several files
are one table, in sorted order. CSV has no types: the caller names them. JSON lines, Parquet, ORC and Arrow files keep
theirs. `pyarrow.dataset` projects and filters.
"""

from __future__ import annotations

import glob
import operator
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from typing import IO, Any, TypeAlias
from urllib.parse import unquote

import numpy as np

from thresher._internal.arguments import require_path
from thresher._internal.optional import extra
from thresher.errors import ArgumentError, ColumnError, EmptyError, ScoreError, SourceError
from thresher.inputs.arrow import numpy_column, objects, parse_text
from thresher.inputs.columns import Column, column, require_columns, require_same_columns
from thresher.ranking import EXACT_INTEGERS
from thresher.sources.engines.errors import without_secrets
from thresher.sources.filters import NUMBERS, TEXTS, kind_of_type
from thresher.sources.text_files import DataFile, header, json_objects, json_types, text_batches, translate_errors

Place: TypeAlias = str | os.PathLike[str]

_SUFFIXES = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet", ".pq"),
    "orc": (".orc",),
    "arrow": (".arrow", ".arrows", ".ipc", ".feather"),
}
FORMATS = {suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
STDIN = "-"
NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"  # a missing value in the path, as Hive, Spark and others write it

_KNOWN = "csv, tsv, jsonl, parquet, orc, arrow and feather, where texts may end in .gz or .zst"
_STREAM = b"\xff\xff\xff\xff"  # how a stream of Arrow messages begins; files begin with ARROW1
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", _STREAM: "arrow", b"ORC": "orc"}
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_PACKING = 8  # how much larger a compressed file may be in memory
_BATCH = 1 << 17
_AHEAD = 4  # batches that are read before they are asked for
_TYPED = ("parquet", "orc", "arrow")  # formats whose columns have types


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A file and its columns, those of folders last.

    `fragment` is what `pyarrow.dataset` makes of it, None for texts and Arrow files. Columns of CSV, and partition
    values of folders, have the type string.
    """

    file: DataFile
    fragment: Any
    names: list[str]
    types: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class FileTable:
    """Files that are one table, listed and opened once."""

    parts: tuple[_Part, ...]

    @classmethod
    def of(cls, source: Place) -> FileTable:
        """The files of a source, in sorted order, all of one format."""
        return cls(tuple(map(_open, list_files(source))))

    @property
    def first(self) -> DataFile:
        """The first file, whose format is that of all."""
        return self.parts[0].file

    def rows(self) -> int | None:
        """How many rows Parquet files say they have; None for other formats."""
        if self.first.format != "parquet":
            return None
        rows = 0
        for part in self.parts:
            with translate_errors(part.file):
                rows += part.fragment.metadata.num_rows
        return rows

    def size(self) -> int:
        """About how many bytes the rows take when they are read, by the sizes of files."""
        size = 0
        for part in self.parts:
            content = part.file.content
            stored = Path(part.file.name).stat().st_size if content is None else len(content)
            size += stored * (1 if part.file.compression is None else _PACKING)
        return size

    def names(self) -> tuple[str, ...]:
        """The names of all columns, those of folders last."""
        names = [_all_names(part) for part in self.parts]
        for part, each in zip(self.parts, names, strict=True):
            if part.file.format != "jsonl":  # where an absent key is a missing value, and other files are alike
                require_same_columns(names[0], each, places=(self.first.name, part.file.name))
        return tuple(dict.fromkeys(name for each in names for name in each))

    def require(self, names: Sequence[str]) -> None:
        """Raise `ColumnError` unless every file has each column once, of one kind.

        Arrow would fill a column that a file lacks with nulls.
        """
        for part in self.parts:
            late = part.file.format == "jsonl" and not set(names) <= set(part.names)
            require_columns(names, _all_names(part) if late else part.names, place=part.file.name)
            if part.types != self.parts[0].types:
                for name in names:
                    self._require_one_kind(name)

    def type_of(self, name: str) -> Any:
        """The first type of a column other than null; text where it has none."""
        for part in self.parts:
            if str(part.types.get(name, "null")) != "null":
                return part.types[name]
        return extra("pyarrow", name="files").string()

    def untyped(self, name: str) -> bool:
        """Whether a column has no type by itself: it is of CSV, or a partition value."""
        return self.first.is_text or name in self.first.partition

    def batches(
        self, names: Sequence[str], types: Mapping[str, Any], where: Any = None, *, ahead: bool = True
    ) -> Iterator[Any]:
        """Record batches of the named columns, in the order of the files.

        `types` are those of columns that have none by themselves: of CSV, JSON lines and folders. `where` is an
        expression of pyarrow.compute, or a function that makes one for columns of some types. Threads read `ahead` of
        the consumer, and hold several row groups where it is slower than they are.
        """
        parts = list(self.parts)
        while parts:
            first = parts.pop(0)
            alike = [first]
            while parts and first.fragment is not None and parts[0].types == first.types:
                alike.append(parts.pop(0))
            test = where(first.types | dict(types)) if callable(where) else where
            with translate_errors(first.file):
                if first.fragment is None:
                    scanner = _scanner(first, types, names, test)
                else:
                    # Buffers of the row groups ahead would take four times the memory.
                    parquet = extra("pyarrow.dataset", name="files").ParquetFragmentScanOptions(pre_buffer=False)
                    scanner = _dataset(alike, types).scanner(
                        columns=list(names),
                        filter=test,
                        batch_size=_BATCH,
                        batch_readahead=_AHEAD if ahead else 0,
                        fragment_readahead=1,
                        use_threads=ahead,
                        fragment_scan_options=parquet if first.file.format == "parquet" else None,
                    )
                for batch in scanner.to_batches():
                    if batch.num_rows:
                        batch.validate(full=True)  # text that is not UTF-8 would fail later, and not say where
                        yield batch

    def _require_one_kind(self, name: str) -> None:
        """Raise `ColumnError` for a column of texts in one file and of numbers in another."""
        there = [part for part in self.parts if str(part.types.get(name, "null")) != "null"]
        for part in there[1:]:
            if _family(part.types[name]) != _family(there[0].types[name]):
                one, other = (f"{each.types[name]} in {each.file.name}" for each in (there[0], part))
                raise ColumnError(f"the column {name!r} is {one} and {other}", "give it one type in all files")


def column_names(source: Place) -> tuple[str, ...]:
    """The names of a source's columns, those of its folders last."""
    return FileTable.of(source).names()


def read_columns(source: Place | FileTable, names: Sequence[str] | None = None) -> dict[str, Column]:
    """The wanted columns of a source in memory, all of them when `names` is None.

    Files retain their types. Texts of CSV become integers, floats or booleans where every entry of a column is one.
    Missing entries stay missing (NaN, NaT or None).
    """
    arrow = extra("pyarrow", name="files")
    table = source if isinstance(source, FileTable) else FileTable.of(source)
    wanted = list(dict.fromkeys(table.names() if names is None else names))
    table.require(wanted)
    batches: list[Any] = []
    for part in table.parts:
        fixed = part.file.format in _TYPED
        types = {n: part.types.get(n, arrow.string()) for n in wanted if n in part.file.partition or not fixed}
        try:
            batches += FileTable((part,)).batches(wanted, types)
        except (ColumnError, ScoreError):
            if part.file.format != "jsonl":
                raise
            # Values of several types, or that Arrow would round: Python's parser reads each as it is written.
            rows = [dict(each.file.partition) | pairs for each in table.parts for _, pairs in json_objects(each.file)]
            return {name: _json_column([pairs.get(name) for pairs in rows], name) for name in wanted}
    if wanted and not batches:
        place = table.first.name if len(table.parts) == 1 else f"each of {len(table.parts):,} files"
        raise EmptyError(f"{place} has columns and no rows", "give at least one row")
    return {name: join_parts([batch[name] for batch in batches], name, text=table.untyped(name)) for name in wanted}


def _json_column(values: list[Any], name: str) -> Column:
    """Values of one key as a column; NumPy would make numbers of lists of one number."""
    nested = any(isinstance(value, list) for value in values)
    return column(objects(values) if nested else values, name=f"the key {name!r}")


def join_parts(parts: Sequence[Any], name: str, *, text: bool) -> Column:
    """One column of its parts; texts are read as numbers or booleans where all are."""
    arrow, compute = extra("pyarrow", name="files"), extra("pyarrow.compute", name="files")
    kinds = list(dict.fromkeys(part.type for part in parts if not arrow.types.is_null(part.type)))
    if len(kinds) <= 1:
        joined = arrow.chunked_array([part.cast(kind) for part in parts for kind in kinds] or parts)
        if text:
            return parse_text(compute.if_else(compute.equal(joined, ""), arrow.scalar(None, joined.type), joined))
        return numpy_column(joined, name=name)
    arrays = [numpy_column(part, name=name) for part in parts]
    column_ = np.concatenate(arrays)
    integers = any(array.dtype.kind in "iu" for array in arrays)
    if column_.dtype.kind == "f" and integers and bool((np.abs(column_) >= EXACT_INTEGERS).any()):
        return objects([value for array in arrays for value in array.tolist()])  # no integer is rounded
    return column_


def _open(file: DataFile) -> _Part:
    """Read the names and types of a file's columns."""
    text, fragment = extra("pyarrow", name="files").string(), None
    if file.is_text:
        names = header(file)
        types = dict.fromkeys(names, text)
    elif file.format == "jsonl":
        types = json_types(file)
        names = list(types)
    else:
        with translate_errors(file):
            fragment = None if file.format == "arrow" else _fragment(file, {})
            schema = _open_arrow(file).schema if fragment is None else fragment.physical_schema
            names = schema.names
        types = dict(zip(names, schema.types, strict=True))
    return _Part(file, fragment, [*names, *file.partition], types | dict.fromkeys(file.partition, text))


def _all_names(part: _Part) -> list[str]:
    """The names of all columns; keys of JSON lines may appear on any line."""
    if part.file.format != "jsonl":
        return part.names
    return [*dict.fromkeys(name for _, pairs in json_objects(part.file) for name in pairs), *part.file.partition]


def _family(kind: Any) -> str | None:
    """The kind of a type's values: numbers compare with numbers, texts with texts."""
    arrow = extra("pyarrow", name="files")
    if isinstance(kind, arrow.BaseExtensionType):
        return NUMBERS if kind.extension_name == "arrow.bool8" else _family(kind.storage_type)
    if arrow.types.is_dictionary(kind) or arrow.types.is_run_end_encoded(kind):
        return _family(kind.value_type)
    name = kind_of_type(kind)
    return name if name in (NUMBERS, TEXTS) else str(kind).partition("[")[0]


def _dataset(parts: Sequence[_Part], types: Mapping[str, Any]) -> Any:
    """Files of Parquet or ORC with columns of the same types, as one data set."""
    arrow, dataset = extra("pyarrow", name="files"), extra("pyarrow.dataset", name="files")
    known = parts[0].types
    fragments = [_fragment(part.file, types) if part.file.partition else part.fragment for part in parts]
    return dataset.FileSystemDataset(fragments, arrow.schema(list((known | dict(types)).items())), fragments[0].format)


def _scanner(part: _Part, types: Mapping[str, Any], names: Sequence[str], where: Any) -> Any:
    """A scanner of a text or an Arrow file, with partition values of its folders."""
    arrow, dataset = extra("pyarrow", name="files"), extra("pyarrow.dataset", name="files")
    file, typed = part.file, part.file.format in _TYPED
    folders = {name: kind for name, kind in types.items() if name in file.partition}
    if typed:  # a filter's columns can be read in its text alone; some that it does not use do no harm
        types = {
            name: part.types[name] for name in part.types if name in names or (where is not None and name in str(where))
        }
    inside = {name: kind for name, kind in types.items() if name not in file.partition and part.names.count(name) <= 1}
    # A file that is asked for partition values alone still has to say how many rows it has.
    read = inside or dict([next(item for item in part.types.items() if item[0] not in file.partition)])
    schema = arrow.schema([*(inside | folders).items()])

    def batches() -> Iterator[Any]:
        for batch in _arrow_batches(file, list(read)) if typed else text_batches(file, read):
            constants = [arrow.repeat(_partition_value(file, *item), batch.num_rows) for item in folders.items()]
            yield arrow.record_batch([*(batch[name] for name in inside), *constants], schema=schema)

    return dataset.Scanner.from_batches(batches(), schema=schema, columns=list(names), filter=where)


def _partition_value(file: DataFile, name: str, kind: Any) -> Any:
    """The partition value of a file's folder, as the type that a filter asks for."""
    arrow = extra("pyarrow", name="files")
    try:
        return arrow.scalar(file.partition[name], arrow.string()).cast(kind)
    except arrow.ArrowInvalid:
        what = f"the folder {name}={file.partition[name]} of {file.name} is not of type {kind}"
        raise ArgumentError(what, "filter it by a text", parameter="where") from None


def _fragment(file: DataFile, types: Mapping[str, Any]) -> Any:
    dataset, fs = extra("pyarrow.dataset", name="files"), extra("pyarrow.fs", name="files")
    checked = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
    format_ = {
        "parquet": partial(dataset.ParquetFileFormat, default_fragment_scan_options=checked),
        "orc": dataset.OrcFileFormat,
    }
    tests = [
        dataset.field(name).is_null()
        if value is None
        else dataset.field(name) == _partition_value(file, name, types[name])
        for name, value in file.partition.items()
        if name in types
    ]
    expression = reduce(operator.and_, tests) if tests else None
    if file.content is None and file.compression is None:
        return format_[file.format]().make_fragment(file.name, fs.LocalFileSystem(), partition_expression=expression)
    with file.stream() as stream:  # a compressed file, or standard input, as bytes in memory
        content = extra("pyarrow", name="files").py_buffer(stream.read())
    return format_[file.format]().make_fragment(content, partition_expression=expression)


def _open_arrow(file: DataFile, columns: Sequence[int] | None = None) -> Any:
    """A reader of an Arrow stream, or of an Arrow file, which is read from its end."""
    arrow, ipc = extra("pyarrow", name="files"), extra("pyarrow.ipc", name="files")
    options = ipc.IpcReadOptions(included_fields=list(columns or ()))
    if file.begins(_STREAM):
        return ipc.open_stream(file.stream(), options=options)
    if file.content is None and file.compression is None:
        return ipc.open_file(arrow.OSFile(file.name), options=options)  # a map of a file that shrinks would be fatal
    with file.stream() as stream:
        return ipc.open_file(stream.read(), options=options)


def _arrow_batches(file: DataFile, names: Sequence[str]) -> Iterator[Any]:
    """Batches of some columns, each checked before anything reads it.

    Arrow trusts the offsets in a file: a damaged one would lead it out of its memory.
    """
    present = _open_arrow(file).schema.names
    reader = _open_arrow(file, [present.index(name) for name in names])
    count = getattr(reader, "num_record_batches", None)
    for batch in reader if count is None else map(reader.get_batch, range(count)):
        batch.validate(full=True)
        yield batch


def list_files(source: Place) -> list[DataFile]:
    """The files of a source, in sorted order, all of one format."""
    extra("pyarrow", name="files")
    require_path(source)
    place = os.fspath(source)
    if place == STDIN:
        return [_standard_input()]
    try:
        files = _find(place)
    except PermissionError as error:
        raise _unreadable(error.filename or place) from None
    except (OSError, RuntimeError) as error:  # a name that is too long, or links in a circle
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise SourceError(f"{place} cannot be read: {reason}", "check the path") from None
    names: dict[Path, str] = {}
    for file in files:
        other = names.setdefault(Path(file.name).resolve(), file.name)
        if other != file.name:  # links lead to it again, as a folder called latest does: rows would count twice
            raise SourceError(f"{other} and {file.name} are the same file", "name those to read by a glob")
        if file.format != files[0].format:
            named = f"{file.format} ({file.name}) and {files[0].format} ({files[0].name})"
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
        files = [_data_file(_regular(path))]
    elif glob.has_magic(place):
        files = _match(place)
        if not files:
            raise SourceError(f"no file matches {place}", "check the pattern; ** matches folders of any depth")
    else:
        fix = "check the path; a relative one starts from the working directory"
        raise SourceError(f"there is no file or folder {place}", fix)
    return files


def _data_file(path: Path) -> DataFile:
    known = _format_of(path)
    if known is None:
        what = f"the format of {path} is not known from its name"
        raise SourceError(what, f"formats are known by suffix: {_KNOWN}")
    return DataFile(str(path), *known, partition=_partition(path))


def _format_of(path: Path) -> tuple[str, str | None] | None:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    inner = suffixes[:-1] if compression else suffixes
    known = FORMATS.get(inner[-1]) if inner else None
    return None if known is None else (known, compression)


def _within(folder: Path) -> Iterator[DataFile]:
    """Data files of a folder and those below."""
    return (_data_file(path) for path in sorted(_paths_below(folder, ())) if _format_of(path) is not None)


def _paths_below(folder: Path, around: tuple[Path, ...]) -> Iterator[Path]:
    """Files below a folder, links followed; `around` are the folders that contain it."""
    real = folder.resolve()
    if real in around:
        raise SourceError(f"the folder {folder} is a link to a folder around it", "remove the link")
    for path in folder.iterdir():
        if path.name.startswith((".", "_")):  # other tools' notes
            continue
        if path.is_dir():
            yield from _paths_below(path, (*around, real))
        elif path.is_file():
            yield path
        elif _format_of(path) is not None:
            _regular(path)


def _match(pattern: str) -> list[DataFile]:
    """Data files that a pattern matches, and those in folders that it matches."""
    _require_readable_around(pattern)
    paths = list(map(Path, glob.glob(pattern, recursive=True)))  # noqa: PTH207 - it may be absolute
    for path in paths:
        if not (path.is_dir() or path.is_file()):
            _regular(path)
    plain = set(filter(Path.is_file, paths))
    files = {str(path): _data_file(path) for path in plain}
    for folder in paths:
        if not folder.is_dir() or (plain and folder.name.startswith((".", "_"))):
            continue
        inside = {file.name: file for file in _within(folder) if file.name not in files}
        if inside and plain and _format_of(folder) is None:
            what = f"{pattern} matches files and the folder {folder}, which holds others"
            raise SourceError(what, "match files by their suffix, or folders alone")
        files |= inside
    return list(map(files.__getitem__, sorted(files, key=Path)))


def _require_readable_around(pattern: str) -> None:
    """Refuse a folder of a pattern that may not be read, and would be passed over."""
    parts = Path(pattern).parts
    for end in range(1, len(parts)):
        needed = os.R_OK | os.X_OK if glob.has_magic(parts[end]) else os.X_OK
        for name in glob.iglob(str(Path(*parts[:end])), recursive=True):  # noqa: PTH207 - it may be absolute
            if Path(name).is_dir() and not os.access(name, needed):
                raise _unreadable(name)


def _unreadable(name: str) -> SourceError:
    return SourceError(f"{name} may not be read", "ask for the right to read it, or name the others by a glob")


def _regular(path: Path) -> Path:
    """Refuse a link to nothing, and what opening may wait for, or reading never end."""
    if not path.exists():
        raise SourceError(f"{path} is a link to nothing that is there", "mend or remove the link")
    if not path.is_file():
        what = f"{path} is a pipe or a device, and files are read more than once"
        raise SourceError(what, "write the rows to a file, or pipe them into standard input and name that: -")
    return path


def _partition(path: Path) -> dict[str, str | None]:
    """Values that folders named key=value give to all rows below them."""
    values: dict[str, str | None] = {}
    for part in path.parts[:-1]:
        key, equals, value = part.partition("=")
        if key and equals:
            values[unquote(key)] = None if value == NO_PARTITION else unquote(value)
    return values


def standard_input() -> IO[bytes]:
    """The bytes of standard input, which programs may be started without."""
    if sys.stdin is None:
        raise SourceError("standard input is closed", "pipe rows into it, or name a file")
    return sys.stdin.buffer


def _standard_input() -> DataFile:
    """Standard input, read at once; its first bytes decide the format."""
    content = standard_input().read()
    if not content:
        raise SourceError("standard input is empty", "pipe rows into it; it can be read once only")
    compression = next((kind for magic, kind in _PACKED.items() if content.startswith(magic)), None)
    if compression is not None:
        packed = DataFile("standard input", "", compression, content)
        with translate_errors(packed), packed.stream() as stream:
            content = stream.read()
    known = next((kind for magic, kind in _MAGIC.items() if content.startswith(magic)), None)
    if known is None:
        text = content.removeprefix(b"\xef\xbb\xbf").lstrip()
        known = "jsonl" if text.startswith(b"{") else "tsv" if b"\t" in text.partition(b"\n")[0] else "csv"
    return DataFile("standard input", known, None, content)
