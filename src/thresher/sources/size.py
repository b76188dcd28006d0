"""How large a source is, without reading it: rows where its files say so, and whether it fits in memory."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from thresher._internal.optional import extra
from thresher.errors import ThresherError
from thresher.sources.listing import STDIN, Place, listed_files

COPIES = 7  # what ranking rows holds at once, in copies of the columns
_BYTES_PER_VALUE = 8
_UNPACKED = {"gzip": 8, "zstd": 8}
_SHARE = 0.25
_GROUPS, _MEMBER = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
_NAMES = ("memory.max", "memory.current", "inactive_file")
_OLD_NAMES = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def rows_in(source: Place) -> int | None:
    """The rows of Parquet files, by their footers; None for other formats.

    >>> rows_in("absent.csv") is None
    True
    """
    if os.fspath(source) == STDIN:
        return None
    try:
        files = listed_files(source)
        if files[0].format != "parquet":
            return None
        parquet = extra("pyarrow.parquet", name="files")
        return sum(parquet.read_metadata(file.name).num_rows for file in files)
    except (ThresherError, OSError, ValueError):
        return None  # whoever reads it says what is wrong


def fits(source: Place, *, columns: int, memory: int) -> bool:
    """Whether ranking this many columns of a source needs no more than this memory, as far as one can tell.

    >>> fits("-", columns=2, memory=1 << 30)
    True
    """
    if os.fspath(source) == STDIN:
        return True  # which can be read once only
    rows = rows_in(source)
    if rows is not None:
        return rows * columns * _BYTES_PER_VALUE * COPIES <= memory
    files = listed_files(source)
    size = sum(Path(file.name).stat().st_size * _UNPACKED.get(file.compression or "", 1) for file in files)
    return size * COPIES <= memory


def memory() -> int:
    """How much memory rows may take, in bytes: a quarter of what is free or can be freed.

    >>> memory() > 0
    True
    """
    return int(min([_free_in_machine(), *_free_in_groups(_GROUPS, _MEMBER)]) * _SHARE)


def _free_in_machine() -> int:
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 if hasattr(os, "sysconf") else 1 << 32


def _free_in_groups(root: Path, member: Path) -> list[int]:
    """What is left of each limit on the control groups of this process, as in a container; none where there are none.

    See "Control Group v2" and "Memory Resource Controller" in the documentation of the Linux kernel.
    """
    found = []
    with suppress(OSError, ValueError):
        for line in member.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "memory" not in controllers.split(","):
                continue
            top = root / "memory" if controllers else root
            inside = top / path.strip("/")
            for folder in (inside, *inside.parents):
                found += _free_in_group(folder, old=bool(controllers))
                if folder == top:
                    break
    return found


def _free_in_group(folder: Path, *, old: bool) -> list[int]:
    """A group's limit less what it uses, files that are read again when needed left out."""
    limit, used, freed = _OLD_NAMES if old else _NAMES
    with suppress(OSError, ValueError):  # a group without a limit says "max"
        free = int((folder / limit).read_text()) - int((folder / used).read_text())
        statistics = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return [max(0, free + int(statistics.get(freed, 0)))]
    return []
