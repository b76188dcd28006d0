"""Which columns a scan reads, how, and what it refuses at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from thresher._internal.arguments import short_repr
from thresher.errors import ArgumentError
from thresher.inputs.columns import Missing, is_absent
from thresher.inputs.frames import is_frame
from thresher.ranking import Ranking
from thresher.sources.buckets import BUCKETS, MOST_BUCKETS
from thresher.sources.progress import Listener

Filter: TypeAlias = Mapping[str, Any] | Callable[[Any], Any] | Any  # the last is an expression of pyarrow.compute
TableName: TypeAlias = str | tuple[str, ...]
_REFINE = "pass True, False or an OperatingCondition"
_TYPES = 'e.g. columns={"age": pyarrow.int64()}'


class Condition(Protocol):
    """What a split is chosen under, e.g. `OperatingCondition`."""

    def slope_coverage(self, ranking: Ranking) -> float:
        """The slope of lines of equal cost, in positives per negative of a ranking."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns a scan reads: label, scores, weights, and those that group rows."""

    label: str
    scores: tuple[str, ...]
    weights: str | None = None
    by: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All of them, each once."""
        weights = [] if self.weights is None else [self.weights]
        return list(dict.fromkeys([self.label, *self.scores, *weights, *self.by]))


@dataclass(frozen=True, slots=True)
class Options:
    """How a scan is made; see `scan`."""

    table: TableName | None = None
    positive: Any = None
    where: Filter | None = None
    columns: Mapping[str, Any] | None = None
    exact: bool | None = None
    refine: bool | Condition = True
    buckets: int = BUCKETS
    missing: Missing = "raise"
    progress: Listener | None = None


def require_options(options: Options) -> None:
    """Raise `ArgumentError` unless `scan` knows every option."""
    exact, refine, types = options.exact, options.refine, options.columns
    listening = options.progress is None or callable(options.progress)
    buckets: Any = options.buckets
    few = isinstance(buckets, int) and 16 <= buckets <= MOST_BUCKETS
    condition = hasattr(refine, "slope_coverage")
    rules = (
        ("exact", exact is None or isinstance(exact, bool), "must be None, True or False", "pick one of them"),
        ("progress", listening, "is called with how far a scan has come", "give a function"),
        ("buckets", few, f"must be 16 to {MOST_BUCKETS:,}", f"e.g. {BUCKETS}"),
        ("refine", condition or isinstance(refine, bool), "must be a bool or a condition", _REFINE),
        ("missing", options.missing in ("raise", "drop"), 'must be "raise" or "drop"', "pick one of them"),
        ("columns", types is None or isinstance(types, Mapping), "must map names to types of pyarrow", _TYPES),
    )
    for name, holds, rule, fix in rules:
        if not holds:
            raise ArgumentError(f"{name} {rule}, got {getattr(options, name)!r}", fix, parameter=name)


def require_source(source: Any, columns: Columns, *, engine: bool) -> None:
    """Raise unless there is something to scan, and each column has one role."""
    path = isinstance(source, str | os.PathLike)
    if (path and not os.fspath(source)) or not (path or engine or is_frame(source)):
        raise ArgumentError(
            f"there is nothing to scan in {'an empty path' if path else type(source).__name__}",
            'give a frame, a path, folder or glob of files such as "rows/*.csv", a URL with table=, or an Ibis table',
            parameter="source",
        )
    weights = [] if columns.weights is None else [columns.weights]
    name: Any
    for name in (columns.label, *columns.scores, *weights, *columns.by):
        if isinstance(name, str):
            continue
        plain = isinstance(name, Hashable) and not is_absent(name) and not isinstance(name, np.void)
        if not (is_frame(source) and plain):
            raise ArgumentError(f"a column is named by text, got {short_repr(name)}", 'e.g. label="y", score="p"')
    if columns.label in (*columns.scores, columns.weights):
        raise ArgumentError(
            f"the column {short_repr(columns.label)} is asked for as more than the label", "name another one"
        )


def score_names(scores: Any, *, least: int = 1, most: int | None = None) -> tuple[str, ...]:
    """Names of score columns; `ArgumentError` unless each is there once."""
    several = isinstance(scores, Iterable) and not isinstance(scores, str | bytes | Mapping)
    names = list(scores) if several else [scores] if isinstance(scores, str) else []
    fits = names and all(isinstance(name, Hashable) for name in names) and len(set(names)) == len(names)
    if not fits or not least <= len(names) <= (most or len(names)):
        wanted = "columns, each once" if most is None else f"{least} to {most} columns, each once"
        raise ArgumentError(f"score must name {wanted}, got {scores!r}", 'e.g. ["a", "b"]', parameter="score")
    return tuple(names)


def group_names(by: Any) -> tuple[str, ...]:
    """Names of the columns that group rows."""
    names = tuple(by) if isinstance(by, Sequence) and not isinstance(by, str) else (by,)
    if not names:
        raise ArgumentError("by names no column", 'e.g. by="week"', parameter="by")
    return names
