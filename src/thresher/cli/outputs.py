"""What commands write: files checked first, written atomically, tables with columns added.

Texts (CSV, TSV) become texts field by field; everything else is read and written by columns.
"""

from __future__ import annotations

import csv
import errno
import glob
import gzip
import io
import itertools
import math
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from thresher._internal.atomic import replace_file, write_file
from thresher._internal.optional import extra
from thresher.errors import ArgumentError, ColumnError, MissingValueError, ScoreError, SourceError, ThresherError
from thresher.ranking import Floats
from thresher.sources.column_names import require_columns
from thresher.sources.files import column_names, read_columns

STANDARD = "-"


def require_outputs(*, source: str | None, figures: str | None = None, **outputs: str | None) -> None:
    """Refuse, before any work is done, what could not be written after it.

    A file must lie in a folder that exists, must not be a folder, and must be neither the input nor another output.
    The folder of figures may be new, if there is a folder that it can be made in.

    >>> require_outputs(source="a.csv", output="a.csv")
    Traceback (most recent call last):
    thresher.errors.ArgumentError: --output would overwrite the input a.csv
      where: require_outputs()
      fix:   write to another file
    """
    for name, given in {**outputs, "figures": figures}.items():
        if given == STANDARD:
            kind = "folder" if name == "figures" else "file"
            fix = f"name a {kind}; --json prints plain data to standard output"
            raise ArgumentError(f"--{name} is a {kind}, and - is standard output", fix)
    named = {name.replace("_", "-"): Path(path) for name, path in outputs.items() if path is not None}
    seen = dict.fromkeys(_inputs(source), "the input")
    for name, path in named.items():
        other = seen.setdefault(path.resolve(), f"--{name}")
        if other == "the input":
            raise ArgumentError(f"--{name} would overwrite the input {path}", "write to another file")
        if other != f"--{name}":
            raise ArgumentError(f"{other} and --{name} name the same file {path}", "name two files")
        _require_writable(path)
    if figures is not None:
        _require_folder(Path(figures), seen)


def _inputs(source: str | None) -> list[Path]:
    """The files that are read: those of a folder or a glob, too."""
    if source is None or source == STANDARD:
        return []
    if not Path(source).is_dir() and (Path(source).exists() or not glob.has_magic(source)):
        return [Path(source).resolve()]
    from thresher.sources.listing import listed_files

    try:
        return [Path(file.name).resolve() for file in listed_files(source)]
    except ThresherError:  # reading it will say so with the command's own words
        return []


def _require_writable(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    folder = Path(os.path.realpath(path)).parent
    if not folder.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if not os.access(path if path.exists() and not path.is_file() else folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _require_folder(folder: Path, files: Mapping[Path, str]) -> None:
    whole = folder.resolve()
    taken = next((path for path in (whole, *whole.parents) if path in files and not path.is_dir()), None)
    if taken is not None:
        fix = "name a folder of its own"
        raise ArgumentError(f"--figures is to be a folder where {files[taken]} is a file: {folder}", fix)
    there = next(path for path in (whole, *whole.parents) if path.exists())
    if not there.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole; a lone half of a character is written as its escape."""
    write_file(path, text.encode("utf-8", errors="backslashreplace"))


PIECE = 65_536
_FIELDS = 1 << 19  # of a piece at most, so that wide tables need no more memory than narrow ones

Added: TypeAlias = Callable[[Floats], Mapping[str, Any]]
# What makes new columns of a piece of rows, which are lists of fields, and of how many rows came before it.
Made: TypeAlias = Callable[[list[list[str]], int], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a table comes from, which of its columns holds the scores, and who asks."""

    name: str
    score: str

    def place(self, head: Sequence[str]) -> int:
        """Which column holds the scores; a file that is separated otherwise has no such column, and is told so.

        >>> Origin("new.csv", "forest").place(["id", "forest"])
        1
        """
        require_columns([self.score], head, place=self.name)
        return list(head).index(self.score)

    def require_new(self, names: Sequence[str], present: Sequence[str]) -> None:
        """Refuse to add a column that is there already."""
        for name in names:
            if name in present:
                fix = "name the new column otherwise with --column"
                raise ColumnError(f"{self.name} has a column {name!r} already", fix)


def copy_text(lines: IO[str], out: IO[str], origin: Origin, added: Added, *, delimiters: tuple[str, str]) -> int:
    r"""Copy delimited text with the columns that `added` makes of its scores; returns how many rows there were.

    >>> import io
    >>> out = io.StringIO()
    >>> double = lambda score: {"twice": score * 2}
    >>> origin = Origin("a.csv", "p")
    >>> copy_text(io.StringIO("id,p\n007,0.50\n"), out, origin, double, delimiters=(",", ","))
    1
    >>> out.getvalue()
    'id,p,twice\n007,0.50,1.0\n'
    """

    def made_for(head: Sequence[str]) -> Made:
        place = origin.place(head)
        return lambda rows, before: added(_numbers([row[place] for row in rows], before, origin))

    return copy_rows(lines, out, origin, made_for, delimiters=delimiters)


def copy_rows(
    lines: IO[str],
    out: IO[str],
    origin: Origin,
    made_for: Callable[[Sequence[str]], Made],
    *,
    delimiters: tuple[str, str],
) -> int:
    """Copy delimited text with new columns of each piece of its rows; `made_for` is told the column names first."""
    reader = csv.reader(lines, delimiter=delimiters[0], strict=True)
    writer = row_writer(out, delimiters[1])
    rows = 0
    try:
        head = next(reader, None)
        if not head:
            raise SourceError(f"{origin.name} is empty", "give a file with a line of column names")
        made = made_for(head)
        for piece in _pieces(reader, len(head), origin):
            columns = made(piece, rows)
            if not rows:
                origin.require_new(list(columns), head)
                writer.writerow([*head, *columns])
            lists = [np.asarray(column).tolist() for column in columns.values()]
            writer.writerows([*row, *more] for row, more in zip(piece, zip(*lists, strict=True), strict=True))
            rows += len(piece)
    except csv.Error as error:
        raise SourceError(f"{origin.name} is no CSV: {error}", f"see line {reader.line_num:,}") from None
    except UnicodeDecodeError as error:
        what = f"{origin.name} is not in UTF-8: {error.reason} after line {reader.line_num:,}"
        raise SourceError(what, "save it as UTF-8") from None
    if not rows:
        raise SourceError(f"{origin.name} has no rows", "give at least one")
    return rows


def row_writer(out: IO[str], delimiter: str) -> Any:
    r"""A writer of rows that end in a line feed, and whose fields may hold any character.

    Only a writer that ends lines in CR LF quotes fields that hold a CR, so it does, and the CR is taken off.
    """

    class LineEnds:
        """What the writer of rows writes to, one finished row at a time."""

        @staticmethod
        def write(row: str) -> object:
            return out.write(f"{row[:-2]}\n")

    return csv.writer(LineEnds, delimiter=delimiter, lineterminator="\r\n")


def _pieces(reader: Any, width: int, origin: Origin) -> Iterator[list[list[str]]]:
    """Some rows at a time, all as wide as the first line; empty lines are no rows."""
    rows = (row for row in reader if row)
    size = max(1, min(PIECE, _FIELDS // width))
    while piece := list(itertools.islice(rows, size)):
        for row in piece:
            if len(row) != width:
                what = f"a row of {origin.name} has {len(row)} fields where there are {width} columns"
                raise SourceError(what, f"mend the row that begins {','.join(row)[:60]!r}")
        yield piece


def _numbers(texts: list[str], before: int, origin: Origin) -> Floats:
    try:
        found = np.array([float(text) for text in texts])
    except ValueError:
        at, text = next((i, text) for i, text in enumerate(texts) if not _is_number(text))
        if text.strip():
            what = f"{text!r} in column {origin.score!r}, row {before + at + 1:,}, is no number"
            raise ScoreError(what, "give numbers only") from None
        raise _missing(before + at, origin) from None
    if np.isnan(found).any():
        raise _missing(before + int(np.isnan(found).argmax()), origin)
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _missing(row: int, origin: Origin) -> MissingValueError:
    what = f"the score in column {origin.score!r} is missing in row {row + 1:,}"
    return MissingValueError(what, "fill it, or leave that row out")


_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
_PACKED = (".gz", ".zst")


def write_with_columns(source: str, target: str, *, score: str, added: Added) -> int:
    """Copy a table with the columns that `added` makes of its scores; returns how many rows there were.

    The target's suffix says its format; "-" is standard output, as CSV.
    """
    origin = Origin("standard input" if source == STANDARD else source, score)
    return write_table(target, lambda path, kind: _write(source, path, kind, origin, added))


def write_table(target: str, write: Callable[[Path, str], int]) -> int:
    """Have a table written by a function of a path and a suffix, whole or not at all; returns how many rows it had."""
    if target == STANDARD:
        return _to_standard_output(write)
    require_format(target)
    with replace_file(target) as beside:
        return write(beside, suffix_of(target))


def require_format(target: str) -> None:
    """Refuse a name that does not say what to write."""
    kind = suffix_of(target)
    if kind not in _DELIMITERS and kind not in _PARQUET + _ARROW:
        fix = "end it in .csv, .tsv, .parquet or .arrow"
        raise ArgumentError(f"the format of {target} cannot be told from its name", fix)
    if target.lower().endswith(".zst") or (kind not in _DELIMITERS and target.lower().endswith(".gz")):
        raise ArgumentError(f"{target} cannot be written so", "write .csv.gz, or .parquet, which is compressed")


def suffix_of(name: str) -> str:
    """The suffix that tells the format, under that of a compression.

    >>> suffix_of("scores.csv.gz"), suffix_of("-")
    ('.csv', '')
    """
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def text_pair(source: str, kind: str) -> tuple[str, str] | None:
    r"""What separates the fields of a source and of a target when both are one text; None otherwise.

    >>> text_pair("-", ".tsv"), text_pair("-", ".parquet")
    ((',', '\t'), None)
    """
    delimiter = "," if source == STANDARD else _DELIMITERS.get(suffix_of(source))
    one_text = source == STANDARD or Path(source).is_file()
    return (delimiter, _DELIMITERS[kind]) if delimiter is not None and one_text and kind in _DELIMITERS else None


def _to_standard_output(write: Callable[[Path, str], int]) -> int:
    """All of it or nothing: what fails in the middle must not have begun to speak."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole.csv")
        rows = write(whole, ".csv")
        with whole.open(encoding="utf-8", newline="") as text:
            shutil.copyfileobj(text, sys.stdout)
    return rows


def _write(source: str, path: Path, kind: str, origin: Origin, added: Added) -> int:
    if (delimiters := text_pair(source, kind)) is not None:
        with opened_text(source) as lines, text_file(path) as out:
            return copy_text(lines, out, origin, added, delimiters=delimiters)
    return _by_columns(source, path, kind, origin, added)


def _by_columns(source: str, path: Path, kind: str, origin: Origin, added: Added) -> int:
    names = column_names(source)
    origin.place(names)
    found = read_columns(source, None)
    columns = added(np.asarray(found[origin.score]))
    origin.require_new(list(columns), names)
    return write_columns(path, kind, {**found, **columns})


def write_columns(path: Path, kind: str, columns: Mapping[str, Any]) -> int:
    """Write whole columns in the format of a suffix; returns how many rows there were."""
    if kind in _DELIMITERS:
        return _write_text(path, kind, columns)

    def arrow(package: str) -> Any:
        return extra(package, name="files")

    whole = arrow("pyarrow").table(dict(columns))
    if kind in _PARQUET:
        arrow("pyarrow.parquet").write_table(whole, path)
    else:
        arrow("pyarrow.feather").write_feather(whole, path)
    return int(whole.num_rows)


def _write_text(path: Path, kind: str, columns: Mapping[str, Any]) -> int:
    """Columns as delimited text; what is missing is an empty field."""
    lists = [np.asarray(column).tolist() for column in columns.values()]
    with text_file(path) as out:
        writer = row_writer(out, _DELIMITERS[kind])
        writer.writerow(columns)
        writer.writerows(["" if _is_absent(value) else value for value in row] for row in zip(*lists, strict=True))
    return len(lists[0])


def _is_absent(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def opened_text(source: str) -> IO[str]:
    """A text without its byte order mark, unpacked."""
    if source == STANDARD:
        return io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", newline="")
    if source.lower().endswith(".gz"):
        return io.TextIOWrapper(gzip.open(source), encoding="utf-8-sig", newline="")
    if source.lower().endswith(".zst"):
        opened = extra("zstandard", name="files").open(source, "rb")
        return io.TextIOWrapper(opened, encoding="utf-8-sig", newline="")
    return Path(source).open(encoding="utf-8-sig", newline="")


def text_file(path: Path) -> IO[str]:
    """A text to write, packed if its name says so."""
    return io.TextIOWrapper(_bytes_file(path), encoding="utf-8", newline="")


def _bytes_file(path: Path) -> Any:
    # No time is kept in the file, so that the same rows give the same bytes.
    return gzip.GzipFile(path, "wb", mtime=0) if path.suffix.lower() == ".gz" else path.open("wb")
