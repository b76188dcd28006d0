"""How a scan is made, and what it refuses before it begins."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from thresher.errors import ArgumentError
from thresher.inputs.columns import Missing
from thresher.inputs.frames import is_frame
from thresher.sources.buckets import BUCKETS
from thresher.sources.database import is_engine_source
from thresher.sources.filters import Filter
from thresher.sources.progress import Listener
from thresher.sources.refining import Condition
from thresher.sources.table_names import TableName
from thresher.sources.tally import Wanted


class How(TypedDict, total=False):
    """Options of `scan` that its kin share."""

    table: TableName | None
    positive: Any
    where: Filter | None
    exact: bool | None
    refine: bool | Condition
    buckets: int
    missing: Missing
    progress: Listener | None


@dataclass(frozen=True, slots=True)
class Options:
    """How a scan is made; see `scan`."""

    table: TableName | None = None
    positive: Any = None
    where: Filter | None = None
    exact: bool | None = None
    refine: bool | Condition = True
    buckets: int = BUCKETS
    missing: Missing = "raise"
    progress: Listener | None = None


def require_options(options: Options) -> None:
    """Raise `ArgumentError` unless every option is one of those that `scan` knows."""
    if not any(options.exact is known for known in (None, True, False)):
        raise ArgumentError(f"exact must be None, True or False, got {options.exact!r}", "pick one of them")
    if options.progress is not None and not callable(options.progress):
        raise ArgumentError(
            f"progress is called with how far a scan has come, got {options.progress!r}", "give a function"
        )
    buckets: Any = options.buckets
    if not isinstance(buckets, int) or not 16 <= buckets <= 2**22:
        raise ArgumentError(f"buckets must be 16 to {2**22:,}, got {options.buckets!r}", f"e.g. {BUCKETS}")
    if not (isinstance(options.refine, bool) or hasattr(options.refine, "slope_coverage")):
        fix = "pass True, False or an OperatingCondition"
        raise ArgumentError(f"refine must be a bool or a condition, got {options.refine!r}", fix)
    if options.missing not in ("raise", "drop"):
        raise ArgumentError(f'missing must be "raise" or "drop", got {options.missing!r}', "pick one of them")


def require_source(source: Any, wanted: Wanted) -> None:
    """Raise unless there is something to scan, and its columns are named, each for one thing."""
    path = isinstance(source, str | os.PathLike)
    if not (path or is_frame(source) or is_engine_source(source)) or (path and not os.fspath(source)):
        raise ArgumentError(
            f"there is nothing to scan in {'an empty path' if path else type(source).__name__}",
            'give a frame, a path, folder or glob of files such as "rows/*.csv", a URL with table=, or an Ibis table',
        )
    for column in (wanted.label, *wanted.scores, *([] if wanted.weight is None else [wanted.weight]), *wanted.by):
        if not isinstance(column, str) and not (
            is_frame(source) and isinstance(column, Hashable) and column is not None
        ):
            raise ArgumentError(f"a column is named by text, got {column!r}", 'e.g. label="y", score="p"')
    if wanted.label in (*wanted.scores, wanted.weight):
        raise ArgumentError(f"the column {wanted.label!r} is asked for as more than the label", "name another one")


def require_models(scores: Any, *, least: int = 1, most: int | None = None) -> tuple[str, ...]:
    """The names of score columns; raise `ArgumentError` unless each is named once, and they are as many as asked for.

    >>> require_models(["tree", "logit"])
    ('tree', 'logit')
    """
    several = isinstance(scores, Iterable) and not isinstance(scores, str | bytes | Mapping)
    names = list(scores) if several else []
    fits = names and all(isinstance(name, Hashable) for name in names) and len(set(names)) == len(names)
    if not fits or not least <= len(names) <= (most or len(names)):
        wanted = "columns, each once" if most is None else f"{least} to {most} columns, each once"
        raise ArgumentError(f"scores must name {wanted}, got {scores!r}", 'e.g. scores=["a", "b"]')
    return tuple(names)
