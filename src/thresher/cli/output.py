"""Files that a command writes: checked before the work begins, and written whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thresher.errors import ArgumentError


def require_outputs(where: str, *, source: str | None, **outputs: str | None) -> None:
    """Refuse, before any work is done, what could not be written after it.

    A file must lie in a folder that exists, must not be a folder, and must be neither the input nor another output.

    >>> require_outputs("thresher evaluate", source="a.csv", output="a.csv")
    Traceback (most recent call last):
    thresher.errors.ArgumentError: --output would overwrite the input a.csv
      where: thresher evaluate
      fix:   write to another file
    """
    named = {name.replace("_", "-"): Path(path) for name, path in outputs.items() if path is not None}
    seen: dict[Path, str] = {} if source in (None, "-") else {Path(str(source)).resolve(): "the input"}
    for name, path in named.items():
        other = seen.setdefault(path.resolve(), f"--{name}")
        if other == "the input":
            raise ArgumentError(f"--{name} would overwrite the input {path}", where, "write to another file")
        if other != f"--{name}":
            raise ArgumentError(f"{other} and --{name} name the same file {path}", where, "name two files")
        _require_writable(path)


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


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A file beside the target to write to, which takes the target's place at the end; nothing is left on failure.

    A link stays a link, and what is no file (a pipe, a device) is written to at the end.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/a.txt") as beside:
    ...         _ = beside.write_text("whole")
    ...     Path(folder, "a.txt").read_text(), len(os.listdir(folder))
    ('whole', 1)
    """
    target = Path(os.path.realpath(path))
    special = target.exists() and not target.is_file()
    folder = None if special else target.parent
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=f".{target.name[:40]}.", suffix=Path(path).suffix)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        if special:
            target.write_bytes(beside.read_bytes())
        else:
            beside.chmod(_mode(target))
            beside.replace(target)
    except OSError as error:
        if error.filename in (None, name):  # the person asked for the target, not for the file beside it
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole; a lone half of a character is written as its escape."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8", errors="backslashreplace")


def _mode(target: Path) -> int:
    """The permissions a file has, or would have had if it had been made in the usual way."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
