"""Rankings that a command works on: counted from rows, or read from what `thresher merge` kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.cli.rows import rows_that_fit
from thresher.cli.scanned import scanning
from thresher.errors import ArgumentError
from thresher.extras import extra
from thresher.ranking import Ranking
from thresher.sources import scan_models
from thresher.sources.saved import read_ranking

_MARK = b"thresher"  # what a Parquet file of counts says of itself, and one of rows does not
_PARQUET = (".parquet", ".pq")


def rankings_of(given: Mapping[str, Any], *, condition: Any = None) -> dict[str, Ranking]:
    """The ranking of each model by its name; a ranking on file has the file's name.

    More rows than fit are counted where they are, under a condition until its best split is certain.
    """
    source = given["source"]
    if is_ranking(source):
        require_no_columns(given)
        return {Path(source).stem: kept_ranking(source)}
    rows = rows_that_fit(given)
    if rows is not None:
        return {name: rows.ranking(name, missing=given["missing"]) for name in rows.scores}
    with scanning(given) as asked:
        return scan_models(source, **asked, refine=True if condition is None else condition)


def require_no_columns(given: Mapping[str, Any]) -> None:
    """Raise `ArgumentError` when options name columns or a table, of which a kept ranking has none."""
    if given["label"] or given["scores"] or given.get("table"):
        raise ArgumentError("a ranking has no columns or tables", "leave --label, --score and --table out")


def is_ranking(source: str) -> bool:
    """Whether a file holds counts and not rows: JSON does by its name, Parquet says it in the file.

    >>> is_ranking("monday.json"), is_ranking("monday.jsonl")
    (True, False)
    """
    suffix = Path(source).suffix.lower()
    if suffix not in _PARQUET or not Path(source).is_file():
        return suffix == ".json"
    parquet = extra("pyarrow.parquet", name="files")
    try:
        return _MARK in (parquet.read_schema(source).metadata or {})
    except (OSError, ValueError):  # no Parquet at all, which reading its rows will say better
        return False


def kept_ranking(source: str) -> Ranking:
    """A ranking from a file, or a word on why it is none."""
    return read_ranking(source)
