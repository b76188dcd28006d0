"""Which files a source names: a path, a glob, a folder with its partitions, or standard input."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote

from thresher.errors import SourceError
from thresher.sources.data_file import DataFile, reading

Place: TypeAlias = str | os.PathLike[str]

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
STDIN = "-"
NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"  # how Hive, Spark and others write a missing value into a path

_KNOWN = "csv, tsv, jsonl, parquet, arrow and feather, where texts may end in .gz or .zst"
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


def listed_files(source: Place, *, where: str) -> list[DataFile]:
    """The files of a source, in sorted order, all of one format.

    >>> listed_files("absent.csv", where="here")
    Traceback (most recent call last):
    thresher.errors.SourceError: there is no file or folder absent.csv
      where: here
      fix:   check the path; a relative one starts from the working directory
    """
    place = os.fspath(source)
    if place == STDIN:
        return [_standard_input(where)]
    path = Path(place)
    if path.is_dir():
        found = list(_within(path))
        if not found:
            raise SourceError(f"the folder {place} holds no data", where, f"formats are known by suffix: {_KNOWN}")
    elif path.exists():
        found = [_data_file(path, where)]
    elif glob.has_magic(place):
        found = list(_matched(place, where))
        if not found:
            raise SourceError(f"no file matches {place}", where, "check the pattern; ** matches folders of any depth")
    else:
        fix = "check the path; a relative one starts from the working directory"
        raise SourceError(f"there is no file or folder {place}", where, fix)
    formats = {file.format: file.name for file in reversed(found)}
    if len(formats) > 1:
        told = " and ".join(f"{kind} ({name})" for kind, name in list(formats.items())[:2])
        raise SourceError(f"{place} holds files of different formats: {told}", where, "name those of one by a glob")
    return found


def _data_file(path: Path, where: str) -> DataFile:
    known = _format_of(path)
    if known is None:
        raise SourceError(
            f"the format of {path} cannot be told from its name",
            where=where,
            fix=f"formats are known by suffix: {_KNOWN}",
        )
    return DataFile(str(path), *known, partition=_partition(path))


def _format_of(path: Path) -> tuple[str, str | None] | None:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    kept = suffixes[:-1] if compression else suffixes
    known = FORMATS.get(kept[-1]) if kept else None
    return None if known is None else (known, compression)


def _within(folder: Path) -> Iterator[DataFile]:
    """Data files of a folder and those below; names that start with . or _ are other tools' notes."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        if not hidden and path.is_file() and (known := _format_of(path)) is not None:
            yield DataFile(str(path), *known, partition=_partition(path))


def _matched(pattern: str, where: str) -> Iterator[DataFile]:
    paths = [Path(name) for name in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207 - it may be absolute
    files = [path for path in paths if path.is_file()]
    if files:
        yield from (_data_file(path, where) for path in files)
    else:
        for path in paths:
            yield from _within(path)


def _partition(path: Path) -> dict[str, str | None]:
    """Values that folders named key=value give to all rows below them."""
    pairs = [re.fullmatch(r"([^=]+)=(.*)", part) for part in path.parts[:-1]]
    return {
        unquote(pair[1]): None if pair[2] == NO_PARTITION else unquote(pair[2]) for pair in pairs if pair is not None
    }


def _standard_input(where: str) -> DataFile:
    """Standard input, read whole; it has no suffix, so its first bytes tell the format."""
    content = sys.stdin.buffer.read()
    if not content:
        raise SourceError("standard input is empty", where, "pipe rows into it; it can be read once only")
    compression = next((kind for magic, kind in _PACKED.items() if content.startswith(magic)), None)
    if compression is not None:
        packed = DataFile("standard input", "", compression, content)
        with reading(packed, where):
            content = packed.at_once(where).read()
    known = next((kind for magic, kind in _MAGIC.items() if content.startswith(magic)), None)
    return DataFile("standard input", known or _format_of_text(content), None, content)


def _format_of_text(content: bytes) -> str:
    text = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in text.partition(b"\n")[0] else "csv"
