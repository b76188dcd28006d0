"""How much memory rows may take: a quarter of what is free."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

COPIES = 7  # of the columns of rows, that ranking them takes
_SHARE = 0.25
BYTES_TO_RANK = 8 * COPIES  # of one value of one row
_GROUPS, _MEMBER = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
_NAMES = ("memory.max", "memory.current", "inactive_file")
_OLD_NAMES = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def memory_budget() -> int:
    """How many bytes rows may take: a quarter of what is free or can be freed."""
    free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 if hasattr(os, "sysconf") else 1 << 32
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) << 10
    return int(min([free, *_free_in_groups(_GROUPS, _MEMBER)]) * _SHARE)


def rows_that_fit(columns: int, budget: int) -> int:
    """How many rows of so many columns can be ranked in this many bytes."""
    return budget // (columns * BYTES_TO_RANK)


def _free_in_groups(root: Path, member: Path) -> list[int]:
    """What is left of each memory limit of this process's control groups, if any.

    See "Control Group v2" and "Memory Resource Controller" in the documentation of the Linux kernel.
    """
    free = []
    with suppress(OSError, ValueError):
        for line in member.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "memory" not in controllers.split(","):
                continue
            top = root / "memory" if controllers else root
            inside = top / path.strip("/")
            for folder in (inside, *inside.parents):
                free += _free_in_group(folder, old=bool(controllers))
                if folder == top:
                    break
    return free


def _free_in_group(folder: Path, *, old: bool) -> list[int]:
    """A group's limit less what it uses; files that can be read again count as free."""
    limit, used, freed = _OLD_NAMES if old else _NAMES
    with suppress(OSError, ValueError):  # a group without a limit says "max"
        free = int((folder / limit).read_text()) - int((folder / used).read_text())
        statistics = dict(map(str.split, (folder / "memory.stat").read_text().splitlines()))
        return [max(0, free + int(statistics.get(freed, 0)))]
    return []
