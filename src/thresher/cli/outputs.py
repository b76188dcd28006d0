"""What commands write: files checked first, and tables with columns added.

Texts (CSV, TSV) become texts field by field; everything else is read and written by columns.
"""

from __future__ import annotations

import csv
import errno
import glob
import gzip
import io
import itertools
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from thresher._internal.atomic import replace_file
from thresher._internal.optional import extra
from thresher._internal.text import count_text
from thresher.errors import (
    ArgumentError,
    ColumnError,
    EmptyError,
    MissingValueError,
    ScoreError,
    SourceError,
    ThresherError,
)
from thresher.inputs.arrow import numpy_column
from thresher.inputs.columns import float_texts, is_absent, is_number, require_columns
from thresher.ranking import Floats
from thresher.sources.files import list_files, read_columns, standard_input
from thresher.sources.text_files import DataFile, translate_errors

STANDARD = "-"


def require_outputs(*, source: str | None, figures: str | None = None, **outputs: str | None) -> None:
    """Refuse, before any work is done, what could not be written after it."""
    for name, path in {**outputs, "figures": figures}.items():
        if path == STANDARD:
            kind = "folder" if name == "figures" else "file"
            fix = f"name a {kind}; --json prints plain data to standard output"
            raise ArgumentError(f"--{name} is a {kind}, and - is standard output", fix)
    files = dict.fromkeys(_input_files(source), "the input")
    for name, path in outputs.items():
        if path is not None:
            other = files.setdefault(_real(path), f"--{name}")
            if other == "the input":
                raise ArgumentError(f"--{name} would overwrite the input {path}", "write to another file")
            if other != f"--{name}":
                raise ArgumentError(f"{other} and --{name} name the same file {path}", "name two files")
            _require_writable(Path(path))
    if figures is not None:
        _require_folder(Path(figures), files)


def _input_files(source: str | None) -> list[Path]:
    """The files that are read: those of a folder or a glob, too."""
    if source is None or source == STANDARD:
        return []
    if not Path(source).is_dir() and (Path(source).exists() or not glob.has_magic(source)):
        return [_real(source)]
    try:
        return [_real(file.name) for file in list_files(source)]
    except ThresherError:  # reading it raises the same error, with the command's place
        return []


def _real(path: str | Path) -> Path:
    """Where links lead; `Path.resolve` raises where they lead in a circle."""
    return Path(os.path.realpath(path))


def _require_writable(path: Path) -> None:
    """Raise the system's error unless a file can be written in an existing folder."""
    if path.is_dir():
        raise _system_error(errno.EISDIR, path)
    folder = _real(path).parent
    if not folder.is_dir():
        raise _system_error(errno.ENOTDIR if folder.exists() else errno.ENOENT, folder)
    if not os.access(path if path.exists() and not path.is_file() else folder, os.W_OK):
        raise _system_error(errno.EACCES, path)


def _require_folder(folder: Path, files: Mapping[Path, str]) -> None:
    """The same of a folder, which may be new."""
    parents = [_real(folder), *_real(folder).parents]
    taken = next((path for path in parents if path in files and not path.is_dir()), None)
    if taken is not None:
        what = f"--figures is to be a folder where {files[taken]} is a file: {folder}"
        raise ArgumentError(what, "name another folder")
    existing = next(path for path in parents if path.exists())
    if not existing.is_dir():
        raise _system_error(errno.ENOTDIR, folder)
    if not os.access(existing, os.W_OK | os.X_OK):
        raise _system_error(errno.EACCES, folder)


def _system_error(number: int, path: Path) -> OSError:
    """The error that the system would raise; Python makes the subclass of the number."""
    return OSError(number, os.strerror(number), str(path))


def write_csv(path: str, columns: Mapping[str, Any]) -> None:
    """Write columns as CSV, completely or not at all."""
    with replace_file(path) as temporary:
        write_columns(temporary, ".csv", columns)


PIECE = 65_536
_LONGEST_FIELD = 2**31 - 1  # signs; csv refuses texts of more than 128 Ki by itself
_FIELDS = 1 << 19  # of a piece at most, so that wide tables need no more memory than narrow ones
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
_COMPRESSED = (".gz", ".zst")


@dataclass(frozen=True, slots=True)
class NewColumns:
    """What adds columns to the table named `place`, a piece of its rows at a time.

    `wanted` takes all column names, refuses what is missing, and returns the columns that `make` needs. `make` takes
    these (arrays, or lists of texts where None is an empty field) and the number of rows before them.
    """

    place: str
    wanted: Callable[[Sequence[str]], Sequence[str]]
    make: Callable[[Mapping[str, Any], int], Mapping[str, Any]]


def place_of(source: str) -> str:
    """The name of a source in messages."""
    return "standard input" if source == STANDARD else source


def score_columns(place: str, score: str, make: Callable[[Floats], Mapping[str, Any]]) -> NewColumns:
    """New columns made of one column of scores."""

    def wanted(names: Sequence[str]) -> list[str]:
        require_columns([score], names, place=place)
        return [score]

    def from_columns(columns: Mapping[str, Any], before: int) -> Mapping[str, Any]:
        return make(score_numbers(columns[score], before, score))

    return NewColumns(place, wanted, from_columns)


def score_numbers(values: Any, before: int, score: str) -> Floats:
    """A column of scores as numbers; those of a text file are read here."""
    numbers: Floats = _numbers(values, before, score) if isinstance(values, list) else np.asarray(values)
    return numbers


def write_with_columns(source: str, target: str, new: NewColumns) -> int:
    """Copy a table with new columns, all or nothing; returns its number of rows."""
    if target != STANDARD:
        require_format(target)
        with replace_file(target) as path:
            return _write(source, path, _format_suffix(target), new)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        rows = _write(source, path, ".csv", new)
        with path.open(encoding="utf-8", newline="") as text:
            shutil.copyfileobj(text, sys.stdout)
    return rows


def require_format(target: str) -> None:
    """Refuse a name that does not tell the format to write."""
    kind = _format_suffix(target)
    if kind not in _DELIMITERS and kind not in _PARQUET + _ARROW:
        fix = "end it in .csv, .tsv, .parquet or .arrow"
        raise ArgumentError(f"the format of {target} cannot be told from its name", fix)
    if target.lower().endswith(".zst") or (kind not in _DELIMITERS and target.lower().endswith(".gz")):
        raise ArgumentError(f"{target} cannot be written so", "write .csv.gz, or .parquet, which is compressed")


def _format_suffix(name: str) -> str:
    """The suffix that tells the format, under that of a compression."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _write(source: str, path: Path, kind: str, new: NewColumns) -> int:
    one_file = source == STANDARD or Path(source).is_file()
    suffix = ".csv" if source == STANDARD else _format_suffix(source)
    if one_file and suffix in _DELIMITERS and kind in _DELIMITERS:
        with _open_text(source) as lines, _text_file(path) as out:
            return copy_rows(lines, out, new, delimiters=(_DELIMITERS[suffix], _DELIMITERS[kind]))
    # Folders named key=value add a column to the rows of their files.
    in_partition = any("=" in part for part in Path(source).parent.parts)
    if one_file and not in_partition and suffix in _PARQUET and kind in _PARQUET:
        return _copy_parquet(source, path, new)
    columns = read_columns(source, None)
    wanted = new.wanted(list(columns))
    added = new.make({name: columns[name] for name in wanted}, 0)
    _require_new(added, list(columns), new.place)
    return write_columns(path, kind, {**columns, **added})


def copy_rows(lines: IO[str], out: IO[str], new: NewColumns, *, delimiters: tuple[str, str], piece: int = PIECE) -> int:
    """Copy delimited text with new columns, other fields as written; returns the rows."""
    limit = csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(lines, delimiter=delimiters[0], strict=True)
    writer = _row_writer(out, delimiters[1])
    count = 0
    try:
        head = next(reader, None)
        if not head:
            raise SourceError(f"{new.place} is empty", "give a file with a line of column names")
        at = {name: head.index(name) for name in new.wanted(head)}
        for rows in _pieces(reader, head, new.place, piece):
            columns = new.make({name: [row[i] or None for row in rows] for name, i in at.items()}, count)
            if not count:
                _require_new(columns, head, new.place)
                writer.writerow([*head, *columns])
            lists = [np.asarray(column).tolist() for column in columns.values()]
            writer.writerows([*row, *more] for row, more in zip(rows, zip(*lists, strict=True), strict=True))
            count += len(rows)
    except csv.Error as error:
        raise SourceError(f"{new.place} is no CSV: {error}", f"see line {reader.line_num:,}") from None
    except UnicodeDecodeError as error:
        what = f"{new.place} is not in UTF-8: {error.reason} after line {reader.line_num:,}"
        raise SourceError(what, "save it as UTF-8") from None
    finally:
        csv.field_size_limit(limit)
    if not count:
        raise SourceError(f"{new.place} has no rows", "give at least one")
    return count


def _pieces(reader: Iterator[list[str]], head: Sequence[str], place: str, most: int) -> Iterator[list[list[str]]]:
    """Some rows at a time, all as wide as the first line; empty lines are no rows."""
    width = len(head)
    rows = (row for row in reader if row)
    while piece := list(itertools.islice(rows, max(1, min(most, _FIELDS // width)))):
        ragged = next((row for row in piece if len(row) != width), None)
        if ragged is not None:
            what = f"a row of {place} has {count_text(len(ragged), 'field')} where there are {width} columns"
            raise SourceError(what, f"mend the row that begins {','.join(ragged)[:60]!r}")
        yield piece


def _copy_parquet(source: str, path: Path, new: NewColumns) -> int:
    """Parquet to Parquet, a batch at a time; the other columns keep their types."""
    arrow, parquet = extra("pyarrow", name="files"), extra("pyarrow.parquet", name="files")
    rows, writer = 0, None
    with translate_errors(DataFile(source, "parquet")), ExitStack() as files:
        file = files.enter_context(parquet.ParquetFile(source))
        names = list(file.schema_arrow.names)
        wanted = new.wanted(names)
        for batch in file.iter_batches(batch_size=PIECE):
            table = arrow.Table.from_batches([batch])
            added = new.make({name: numpy_column(table[name], name=name) for name in wanted}, rows)
            if writer is None:
                _require_new(added, names, new.place)
            for name, values in added.items():
                table = table.append_column(name, arrow.array(values))
            writer = writer or files.enter_context(parquet.ParquetWriter(path, table.schema))
            writer.write_table(table)
            rows += table.num_rows
    if not rows:
        raise EmptyError(f"{new.place} has no rows", "give at least one")
    return rows


def write_columns(path: Path, kind: str, columns: Mapping[str, Any]) -> int:
    """Write columns in the format of a suffix; in texts, missing values are empty."""
    if kind in _DELIMITERS:
        lists = [np.asarray(column).tolist() for column in columns.values()]
        with _text_file(path) as out:
            writer = _row_writer(out, _DELIMITERS[kind])
            writer.writerow(columns)
            writer.writerows(["" if is_absent(value) else value for value in row] for row in zip(*lists, strict=True))
        return len(lists[0])
    table = extra("pyarrow", name="files").table(dict(columns))
    if kind in _PARQUET:
        extra("pyarrow.parquet", name="files").write_table(table, path)
    else:
        extra("pyarrow.feather", name="files").write_feather(table, path)
    return int(table.num_rows)


def _require_new(added: Iterable[str], names: Sequence[str], place: str) -> None:
    """Refuse to add a column that is there already."""
    for name in added:
        if name in names:
            raise ColumnError(f"{place} has a column {name!r} already", "name the new column otherwise with --column")


def _numbers(texts: Sequence[str | None], before: int, score: str) -> Floats:
    """Scores of texts; what is missing or no number is refused with its row."""
    try:
        values = np.array(float_texts([text or "" for text in texts]))
        missing = np.isnan(values)
        if not missing.any():
            return values
        at = int(missing.argmax())
    except ValueError:
        at = next(i for i, text in enumerate(texts) if not is_number(text or ""))
    text, row = (texts[at] or "").strip(), before + at + 1
    if text and not is_number(text):
        raise ScoreError(f"{texts[at]!r} in column {score!r}, row {row:,}, is no number", "give numbers only")
    what = f"the score in column {score!r} is missing in row {row:,}"
    raise MissingValueError(what, "fill it, or leave that row out")


def _row_writer(out: IO[str], delimiter: str) -> Any:
    """A writer of rows that end in a line feed and may hold any character.

    Only a writer that ends lines in CR LF quotes fields that hold a CR, so this one does, and takes the CR off.
    """

    class LineFeeds:
        """The file that a writer of rows writes to, one finished row at a time."""

        @staticmethod
        def write(row: str) -> object:
            return out.write(f"{row[:-2]}\n")

    return csv.writer(LineFeeds, delimiter=delimiter, lineterminator="\r\n")


@contextmanager
def _open_text(source: str) -> Iterator[IO[str]]:
    """Open a text, decompressed, without its byte order mark; refuse a damaged one."""
    try:
        with io.TextIOWrapper(_open_bytes(source), encoding="utf-8-sig", newline="") as text:
            yield text
    except (EOFError, OSError, zlib.error) as error:
        if getattr(error, "errno", None) is not None:  # the system's, and not of the compression
            raise
        what = f"{place_of(source)} cannot be decompressed: {str(error).partition(chr(10))[0]}"
        raise SourceError(what, "check that the file is complete and is what its name says") from None


def _open_bytes(source: str) -> Any:
    if source == STANDARD:
        return standard_input()
    if source.lower().endswith(".gz"):
        return gzip.open(source)
    if source.lower().endswith(".zst"):
        return io.BufferedReader(extra("pyarrow", name="files").input_stream(source, compression="zstd"))
    return Path(source).open("rb")


def _text_file(path: Path) -> IO[str]:
    """A text to write, compressed if its name tells so, without a time in it."""
    compressed = path.suffix.lower() == ".gz"
    file: Any = gzip.GzipFile(path, "wb", mtime=0) if compressed else path.open("wb")
    return io.TextIOWrapper(file, encoding="utf-8", newline="")
