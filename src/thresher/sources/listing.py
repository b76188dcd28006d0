"""Which files a source names: a path, a glob, a folder with its partitions, or standard input."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote

from thresher.errors import SourceError
from thresher.sources.data_file import DataFile, reading
from thresher.sources.faults import without_secrets

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


def listed_files(source: Place) -> list[DataFile]:
    """The files of a source, in sorted order, all of one format.

    >>> listed_files("absent.csv")
    Traceback (most recent call last):
    thresher.errors.SourceError: there is no file or folder absent.csv
      where: listed_files(source)
      fix:   check the path; a relative one starts from the working directory
    """
    place = os.fspath(source)
    if place == STDIN:
        return [_standard_input()]
    try:
        found = _found(place)
    except PermissionError as error:
        raise _unreadable(error.filename or place) from None
    formats = {file.format: file.name for file in reversed(found)}
    if len(formats) > 1:
        told = " and ".join(f"{kind} ({name})" for kind, name in list(formats.items())[:2])
        raise SourceError(f"{place} holds files of different formats: {told}", "name those of one by a glob")
    return found


def _found(place: str) -> list[DataFile]:
    path = Path(place)
    if "://" in place:
        fix = "write the rows to a file first, e.g. as Parquet"
        raise SourceError(f"{without_secrets(place)} is no file, and rows are read from files here", fix)
    if path.is_dir():
        found = list(_within(path))
        if not found:
            raise SourceError(f"the folder {place} holds no data", f"formats are known by suffix: {_KNOWN}")
    elif path.exists():
        found = [_data_file(path)]
    elif glob.has_magic(place):
        found = _matched(place)
        if not found:
            raise SourceError(f"no file matches {place}", "check the pattern; ** matches folders of any depth")
    else:
        fix = "check the path; a relative one starts from the working directory"
        raise SourceError(f"there is no file or folder {place}", fix)
    _require_each_once(found)
    return found


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
        raise SourceError(
            f"the format of {path} cannot be told from its name", fix=f"formats are known by suffix: {_KNOWN}"
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


def _matched(pattern: str) -> list[DataFile]:
    """Data files that a pattern matches, and those in folders that it matches."""
    _require_readable_around(pattern)
    paths = [Path(name) for name in glob.glob(pattern, recursive=True)]  # noqa: PTH207 - it may be absolute
    for path in paths:
        if not path.exists():
            raise _leading_nowhere(path)
    files = {path for path in paths if path.is_file()}
    found = {file.name: file for file in (_data_file(path) for path in files)}
    for folder in paths:
        if not folder.is_dir() or (files and folder.name.startswith((".", "_"))):
            continue
        inside = {file.name: file for file in _within(folder) if file.name not in found}
        if inside and files and _format_of(folder) is None:
            what = f"{pattern} matches files and the folder {folder}, which holds others"
            raise SourceError(what, "match files by their suffix, or folders alone")
        found |= inside
    return [found[name] for name in sorted(found, key=Path)]


def _require_readable_around(pattern: str) -> None:
    """Raise `SourceError` for a folder that a pattern looks into and that may not be read: it would be passed over."""
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
    """Standard input, read whole; it has no suffix, so its first bytes tell the format."""
    content = sys.stdin.buffer.read()
    if not content:
        raise SourceError("standard input is empty", "pipe rows into it; it can be read once only")
    compression = next((kind for magic, kind in _PACKED.items() if content.startswith(magic)), None)
    if compression is not None:
        packed = DataFile("standard input", "", compression, content)
        with reading(packed):
            content = packed.at_once().read()
    known = next((kind for magic, kind in _MAGIC.items() if content.startswith(magic)), None)
    return DataFile("standard input", known or _format_of_text(content), None, content)


def _format_of_text(content: bytes) -> str:
    text = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in text.partition(b"\n")[0] else "csv"
