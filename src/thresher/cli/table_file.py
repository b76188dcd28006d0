"""A table with columns added, written beside the target and put in its place when whole.

Texts (CSV, TSV) become texts field by field; everything else is read and written by columns.
"""

from __future__ import annotations

import gzip
import io
import math
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from thresher.cli.text_copy import Added, Origin, copy_text, row_writer
from thresher.errors import ArgumentError
from thresher.extras import extra
from thresher.sources.files import column_names, read_columns
from thresher.whole_files import replacing

STANDARD = "-"
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
    with replacing(target) as beside:
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
