"""How large a source is, without reading it: rows where its files say so, and whether it fits in memory."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from thresher.errors import ThresherError
from thresher.extras import extra
from thresher.sources.listing import STDIN, Place, listed_files

_BYTES_PER_VALUE = 8
_COPIES = 7  # what ranking rows holds at once, in copies of the columns
_UNPACKED = {"gzip": 8, "zstd": 8}


def rows_in(source: Place) -> int | None:
    """The rows of Parquet files, by their footers; None for other formats.

    >>> rows_in("absent.csv") is None
    True
    """
    if os.fspath(source) == STDIN:
        return None
    try:
        files = listed_files(source, where="rows_in(source)")
        if files[0].format != "parquet":
            return None
        parquet = extra("pyarrow.parquet", name="files", where="rows_in(source)")
        return sum(parquet.read_metadata(file.name).num_rows for file in files)
    except (ThresherError, OSError, ValueError):
        return None  # whoever reads it says what is wrong


def fits(source: Place, *, columns: int, memory: int, where: str) -> bool:
    """Whether ranking this many columns of a source needs no more than this memory, as far as one can tell.

    >>> fits("-", columns=2, memory=1 << 30, where="here")
    True
    """
    if os.fspath(source) == STDIN:
        return True  # which can be read once only
    rows = rows_in(source)
    if rows is not None:
        return rows * columns * _BYTES_PER_VALUE * _COPIES <= memory
    files = listed_files(source, where=where)
    size = sum(Path(file.name).stat().st_size * _UNPACKED.get(file.compression or "", 1) for file in files)
    return size * _COPIES <= memory


def memory() -> int:
    """Bytes of memory that are free or can be freed."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 if hasattr(os, "sysconf") else 1 << 32
