"""Folders written whole or not at all: files are made in a sibling that takes the folder's place at the end."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from thresher.errors import OutputError


def require_folder(path: str | Path, *, names: Collection[str], overwrite: bool) -> Path:
    """Where a folder really lies, or a refusal of what could not be written there later.

    A folder that holds anything is replaced on request only, and only if it holds nothing but files of these `names`.

    >>> with tempfile.TemporaryDirectory() as home:
    ...     require_folder(f"{home}/out", names=["a.txt"], overwrite=False).name
    'out'
    """
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
        raise OutputError(
            f"the folder {shown} holds other files ({others[0]!r}{more}), which are never removed",
            "name another folder",
        )
    if held and not overwrite:
        raise OutputError(
            f"the folder {shown} holds {held[0]!r} already", "name another folder, or pass overwrite=True"
        )
    return target


@contextmanager
def replacing_folder(path: str | Path, *, names: Collection[str], overwrite: bool) -> Iterator[Path]:
    """A folder beside the target to write to, which takes the target's place at the end; nothing is left on failure.

    >>> with tempfile.TemporaryDirectory() as home:
    ...     with replacing_folder(f"{home}/out", names=["a.txt"], overwrite=False) as beside:
    ...         _ = Path(beside, "a.txt").write_text("whole")
    ...     os.listdir(home), os.listdir(f"{home}/out")
    (['out'], ['a.txt'])
    """
    target = require_folder(path, names=names, overwrite=overwrite)
    beside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name[:40]}."))
    old = beside.with_name(f"{beside.name}.old")
    try:
        yield beside
        beside.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o777 & ~_mask())
        # What has come to lie there since is asked about once more.
        require_folder(path, names=names, overwrite=overwrite)
        if target.exists():
            target.rename(old)
        beside.rename(target)
    except BaseException:
        if old.exists():
            old.rename(target)
        raise
    finally:
        for rest in (beside, old):
            shutil.rmtree(rest, ignore_errors=True)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
