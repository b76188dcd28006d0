"""Files and folders written atomically: complete, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
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
    require_path(path)
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SourceError(f"there is no file {path}", "check the path") from None
    except UnicodeDecodeError:
        raise SourceError(f"{path} is not in UTF-8", "give a file that thresher wrote") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SourceError(f"{path} cannot be read: {reason}", "check the path and who may read it") from None


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
    try:
        folder = None if special else target.parent
        handle, name = tempfile.mkstemp(dir=folder, prefix=f".{target.name[:40]}.", suffix=shown.suffix)
    except OSError as error:
        raise _unwritten(shown, error) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        if special:
            target.write_bytes(temporary.read_bytes())
        else:
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())  # on the disk before it takes another file's place
            temporary.chmod(_mode(target, 0o666))
            temporary.replace(target)
    except OSError as error:
        if error.filename in (None, name, str(target)):  # others are about files that were being read
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
    """A temporary folder that replaces the target at the end, unless writing fails."""
    target = require_folder(path, names=names, overwrite=overwrite)
    temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name[:40]}."))
    old = temporary.with_name(f"{temporary.name}.old")
    try:
        yield temporary
        temporary.chmod(_mode(target, 0o777))
        # What has come to lie there since is asked about once more.
        require_folder(path, names=names, overwrite=overwrite)
        if target.exists():
            target.rename(old)
        temporary.rename(target)
    except BaseException:
        if old.exists():
            old.rename(target)
        raise
    finally:
        for rest in (temporary, old):
            shutil.rmtree(rest, ignore_errors=True)


def _mode(target: Path, usual: int) -> int:
    """The permissions of the target, or those that it would get if it were made now."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return usual & ~mask


def _unwritten(shown: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{shown} cannot be written: {(error.strerror or str(error)).lower()}",
        "free some space, or choose a place where you may write; what stood there before is unchanged",
    )
