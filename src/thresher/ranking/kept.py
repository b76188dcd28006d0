"""Rankings to keep: as plain data and JSON, and as Parquet files, which only those who install them need."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Self, cast

from thresher._internal.json import json_value, not_written
from thresher._internal.results import Tabular
from thresher.errors import ThresherError
from thresher.ranking import plain

if TYPE_CHECKING:
    from thresher.ranking.ranking import Ranking


class Kept(Tabular):
    """How a ranking is written and read back."""

    __slots__ = ()

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote."""
        score, pos, neg, dropped, spans = plain.columns_of(value)
        of = cast("type[Ranking]", cls)
        try:
            made = of(score, pos, neg, dropped=dropped)
        except ThresherError as error:
            raise not_written(f'of "score", "pos" and "neg", {error.what}', of="Ranking", kind="a ranking") from None
        if spans is not None:
            made = of.of_segments(made.score, made.pos, made.neg, dropped=dropped, spans=spans)
        return cast("Self", made)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(json_value(text, name="Ranking"))

    def to_dict(self) -> dict[str, Any]:
        """Plain data; infinite scores become the texts "inf" and "-inf", which JSON can carry."""
        me = cast("Ranking", self)
        return plain.written(me.score, me.pos, me.neg, me.dropped, me.spans)

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly.

        >>> from thresher.ranking import Ranking
        >>> r = Ranking.parse("[2+][1-]")
        >>> Ranking.from_json(r.to_json()) == r
        True
        """
        return json.dumps(self.to_dict(), allow_nan=False)

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
        from thresher.sources.saved import write_parquet

        write_parquet(cast("Ranking", self), path)

    def _columns(self) -> dict[str, Any]:
        me = cast("Ranking", self)
        return {"score": me.score, "pos": me.pos, "neg": me.neg}

    @classmethod
    def from_parquet(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `to_parquet` wrote."""
        from thresher.sources.saved import read_parquet

        return cast("Self", read_parquet(path))
