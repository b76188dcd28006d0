"""Doors from a ranking to Parquet files, which only those who install them need."""

from __future__ import annotations

import os
from typing import Self

from thresher.extras import room


class Kept:
    """What a ranking can do with Parquet files."""

    __slots__ = ()

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write a Parquet file that `from_parquet` reads back exactly; an older file stays until this one is whole.

        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from thresher.ranking import Ranking
        >>> with TemporaryDirectory() as folder:
        ...     for day in ("monday", "tuesday"):
        ...         Ranking.parse("[20+,5-][10+,5-][20+,40-]").to_parquet(Path(folder, f"{day}.parquet"))
        ...     sum(Ranking.from_parquet(path) for path in Path(folder).iterdir())
        Ranking([40+,10-][20+,10-][40+,80-] at scores 3, 2, 1)
        """
        room("sources.saved").write_parquet(self, path)

    @classmethod
    def from_parquet(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `to_parquet` wrote."""
        found: Self = room("sources.saved").read_parquet(path)
        return found
