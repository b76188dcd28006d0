"""Rankings that a command works on: counted from rows, or read from what `thresher merge` wrote."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.cli.rows import labelled_scores
from thresher.errors import ArgumentError, SourceError
from thresher.ranking import Ranking


def rankings_of(given: Mapping[str, Any], *, where: str) -> dict[str, Ranking]:
    """The ranking of each model by its name; a ranking on file has the file's name."""
    if is_ranking(given["source"]):
        if given["label"] or given["scores"]:
            raise ArgumentError("a ranking has no columns", where, "leave --label and --score out")
        return {Path(given["source"]).stem: read_ranking(given["source"], where=where)}
    rows = labelled_scores(given, where=where)
    return {name: rows.ranking(name, missing=given["missing"]) for name in rows.scores}


def is_ranking(source: str) -> bool:
    """Whether a file is a ranking and not rows, told from its name.

    >>> is_ranking("monday.json"), is_ranking("monday.jsonl")
    (True, False)
    """
    return source.lower().endswith(".json")


def read_ranking(source: str, *, where: str) -> Ranking:
    """A ranking as `Ranking.to_json` wrote it."""
    try:
        text = Path(source).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SourceError(f"there is no file {source}", where, "check the path") from None
    except UnicodeDecodeError:
        raise SourceError(
            f"{source} is no ranking: it is not in UTF-8", where, "give a file of thresher merge"
        ) from None
    try:
        return Ranking.from_json(text)
    except ValueError as error:
        what = getattr(error, "what", str(error))
        raise SourceError(f"{source} cannot be read: {what}", where, "give a file that thresher merge wrote") from None
