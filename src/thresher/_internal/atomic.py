"""Files and folders written atomically: complete, or not at all."""

from __future__ import annotations

import ctypes
import os
import re
import secrets
import shutil
import sys
import tempfile
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from thresher._internal.arguments import require_path
from thresher.errors import OutputError, SourceError, argument


def write_file(path: str | PathLike[str], content: str | bytes) -> None:
    """Write bytes, or a text as UTF-8, to a temporary file and move it into place."""
    with replace_file(path) as temporary:
        temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def read_text(path: str | PathLike[str]) -> str:
    """The text of a file in UTF-8, or an error that says why there is none.

    >>> read_text("absent.json")
    Traceback (most recent call last):
    thresher.errors.SourceError: there is no file absent.json
      where: read_text(path)
      fix:   check the path
    """
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise SourceError(f"{path} is not in UTF-8", "give a file that thresher wrote") from None


def read_bytes(path: str | PathLike[str]) -> bytes:
    """The bytes of a file, or why there are none; no pipe is waited for."""
    require_path(path)
    place = Path(path)
    try:
        endless = place.exists() and not (place.is_file() or place.is_dir())
        content = b"" if endless else place.read_bytes()
    except FileNotFoundError:
        raise SourceError(f"there is no file {path}", "check the path") from None
    except (MemoryError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error) or "there is not enough memory"
        raise SourceError(f"{path} cannot be read: {reason.lower()}", "check the path and who may read it") from None
    if endless:
        raise SourceError(f"{path} is a pipe or a device", "write what comes out of it to a file, and name that")
    return content


@contextmanager
def replace_file(path: str | PathLike[str]) -> Iterator[Path]:
    """A temporary file that replaces the target at the end, unless writing fails.

    A link stays a link, and what is no file (a pipe, a device) is written to at the end.
    """
    require_path(path)
    shown, target = Path(path), Path(os.path.realpath(path))
    if target.is_dir():
        raise OutputError(f"{shown} is a directory, not a file", "name a file in it")
    if not target.parent.is_dir():
        what = f"there is no directory {shown.parent} to write {shown.name} in"
        raise OutputError(what, "make it first, or write elsewhere")
    special = target.exists() and not target.is_file()
    name = _hidden_name(target) + shown.suffix
    temporary = Path(tempfile.gettempdir(), name) if special else target.with_name(name)
    mode = None if special else _mode(target)
    try:
        # The mode of a new file, less the process's mask, which cannot be read without changing it for other threads.
        # One that nobody may write gets its mode at the end.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else mode | 0o600))
    except OSError as error:
        raise _unwritten(shown, error) from error
    try:
        yield temporary
        if special:
            target.write_bytes(temporary.read_bytes())
        else:
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())  # on the disk before it takes another file's place
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(target)
    except OSError as error:
        if error.filename in (None, str(temporary), str(target)):  # others are about files that were being read
            raise _unwritten(shown, error) from error
        raise
    finally:
        temporary.unlink(missing_ok=True)


def require_folder(path: str | Path, *, names: Collection[str], overwrite: bool) -> Path:
    """Where a folder really lies; refuse a place that could not be written later.

    A folder that holds anything is replaced on request only, and only if it holds nothing but files of these `names`.
    """
    require_path(path)
    shown, target = Path(path), Path(os.path.realpath(path))
    if target.exists() and not target.is_dir():
        raise OutputError(f"{shown} is a file, not a folder", "name a folder that does not exist yet")
    if not target.parent.is_dir():
        raise OutputError(f"there is no folder {shown.parent} to make {shown.name} in", "make it first")
    if not os.access(target.parent, os.W_OK):
        raise OutputError(f"nothing can be written in {target.parent}", "choose a place where you may write")
    held = sorted(path.name for path in target.iterdir()) if target.exists() else []
    others = [name for name in held if name not in names]
    if others:
        more = f" and {len(others) - 1:,} more" if others[1:] else ""
        what = f"the folder {shown} holds other files ({others[0]!r}{more}), which are never removed"
        raise OutputError(what, "name another folder")
    if held and not overwrite:
        fix = f"name another folder, or pass {argument('overwrite', True)}"
        raise OutputError(f"the folder {shown} holds {held[0]!r} already", fix)
    return target


@contextmanager
def replace_folder(path: str | Path, *, names: Collection[str], overwrite: bool) -> Iterator[Path]:
    """A temporary folder that replaces the target at the end, unless writing fails.

    The two are exchanged in one step, so that a process killed at any moment leaves the old folder or the new one.
    Where the system cannot, two renames do it, and `recover_folder` puts the old one back if they were interrupted.
    """
    recover_folder(path)
    target = require_folder(path, names=names, overwrite=overwrite)
    temporary = target.with_name(_hidden_name(target))
    mode = _mode(target)
    try:
        temporary.mkdir(0o777 if mode is None else mode | 0o700)
    except OSError as error:
        raise _unwritten(Path(path), error) from error
    old = target.with_name(f".{target.name}.{secrets.token_hex(4)}.old")  # its whole name, to put it back by
    try:
        yield temporary
        if mode is not None:
            temporary.chmod(mode)
        for file in temporary.iterdir():
            with file.open("rb+") as content:
                os.fsync(content.fileno())
        # What has come to lie there since is asked about once more.
        require_folder(path, names=names, overwrite=overwrite)
        if not target.exists():
            temporary.rename(target)
        elif not exchange(temporary, target):
            target.rename(old)
            temporary.rename(target)
    except BaseException as error:
        if old.exists() and not target.exists():
            old.rename(target)
        if isinstance(error, OSError) and str(error.filename or temporary).startswith(str(temporary)):
            raise _unwritten(Path(path), error) from error
        raise
    finally:
        for rest in (temporary, old):
            shutil.rmtree(rest, ignore_errors=True)


def recover_folder(path: str | Path) -> None:
    """Put back a folder that a killed process had moved away, and warn."""
    target = Path(os.path.realpath(path))
    if target.exists() or not target.parent.is_dir():
        return
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.old")
    old = next((each for each in target.parent.iterdir() if pattern.fullmatch(each.name) and each.is_dir()), None)
    if old is not None:
        old.rename(target)
        warnings.warn(f"{path} is what stood there before a process was killed while replacing it", stacklevel=3)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system cannot.

    Linux has renameat2(2) with RENAME_EXCHANGE, macOS renamex_np(2) with RENAME_SWAP.
    """
    ends, both, here = (os.fsencode(one), os.fsencode(other)), 2, -100  # AT_FDCWD
    with suppress(AttributeError, OSError, TypeError):  # no such function, or no C library to ask
        library = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return bool(library.renamex_np(*ends, both) == 0)
        return bool(library.renameat2(here, ends[0], here, ends[1], both) == 0)
    return False


def _hidden_name(target: Path) -> str:
    return f".{target.name[:40]}.{secrets.token_hex(4)}"


def _mode(target: Path) -> int | None:
    """The permissions of what stands there."""
    return target.stat().st_mode & 0o777 if target.exists() else None


def _unwritten(shown: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{shown} cannot be written: {(error.strerror or str(error)).lower()}",
        "free some space, or choose a place where you may write; what stood there before is unchanged",
    )
