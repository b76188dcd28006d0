"""Files that a command writes: checked before the work begins, and written whole or not at all."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Mapping
from pathlib import Path

from thresher.errors import ArgumentError, ThresherError
from thresher.whole_files import write_whole

STANDARD = "-"


def require_outputs(*, source: str | None, figures: str | None = None, **outputs: str | None) -> None:
    """Refuse, before any work is done, what could not be written after it.

    A file must lie in a folder that exists, must not be a folder, and must be neither the input nor another output.
    The folder of figures may be new, if there is a folder that it can be made in.

    >>> require_outputs("thresher evaluate", source="a.csv", output="a.csv")
    Traceback (most recent call last):
    thresher.errors.ArgumentError: --output would overwrite the input a.csv
      where: thresher evaluate
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
    write_whole(path, text.encode("utf-8", errors="backslashreplace"))
