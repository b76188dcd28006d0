"""Files written whole or not at all: what stood there before stays until the new one is finished."""

from __future__ import annotations

import contextlib
import os
import secrets
from os import PathLike
from pathlib import Path

from thresher.errors import OutputError


def write_whole(path: str | PathLike[str], text: str, *, where: str) -> None:
    """Write a text as UTF-8 beside its place and move it there in one step.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a.txt"), "thresher", where="here")
    ...     Path(folder, "a.txt").read_text()
    'thresher'
    """
    shown, target = Path(path), Path(os.path.realpath(path))
    if target.is_dir():
        raise OutputError(f"{shown} is a directory, not a file", where, "name a file in it, e.g. report.html")
    if not target.parent.is_dir():
        raise OutputError(
            f"there is no directory {shown.parent} to write {shown.name} in", where, "make it first, or write elsewhere"
        )
    data = text.encode("utf-8")
    try:
        if target.exists() and not target.is_file():  # a pipe or a device: nothing stands there to be kept
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise OutputError(
            f"{shown} cannot be written: {(error.strerror or str(error)).lower()}",
            where,
            "free some room, or choose a place where you may write; what stood there before is unchanged",
        ) from error


def _replace(target: Path, data: bytes) -> None:
    aside = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with aside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            aside.chmod(target.stat().st_mode & 0o777)
        aside.replace(target)
    finally:
        with contextlib.suppress(OSError):
            aside.unlink()
