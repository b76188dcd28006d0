"""`scan`: rows anywhere become a ranking, with only a bounded table leaving the place where they are.

What fits in memory is ranked there, exactly. Anything else is counted by an engine in one pass, by ranges of scores,
and the ranking knows what that leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, Unpack

from thresher.errors import ArgumentError
from thresher.inputs.columns import Missing
from thresher.inputs.frames import is_frame
from thresher.ranking import Counts, Ranking
from thresher.sources.buckets import BUCKETS
from thresher.sources.database import (
    Opened,
    is_engine_source,
    opened,
    require_no_table,
)
from thresher.sources.exact import ROWS_AT_ONCE, Range, engine_rankings, exact_ranking
from thresher.sources.exact_files import exact_files
from thresher.sources.file_tally import Grid, NeedsEngine, countable, file_tally
from thresher.sources.filters import Filter, filtered
from thresher.sources.lazy_rows import lazy_rows
from thresher.sources.lenses import Lens
from thresher.sources.listing import STDIN, listed_files
from thresher.sources.memory import ranked_in_memory
from thresher.sources.progress import Listener
from thresher.sources.refinement import Piece
from thresher.sources.refining import Condition, refined
from thresher.sources.scan_options import How, Options, require_models, require_options, require_source
from thresher.sources.size import fits, memory, rows_in
from thresher.sources.table_names import TableName, require_table_columns
from thresher.sources.tallies import Tallies, tallies_of
from thresher.sources.tally import Wanted, tally

Found: TypeAlias = dict[tuple[str, Any], Ranking]
ROWS_TO_GROUP = 1 << 21


def scan(
    source: Any,
    *,
    label: str,
    score: str,
    table: TableName | None = None,
    positive: Any = None,
    weight: str | None = None,
    where: Filter | None = None,
    exact: bool | None = None,
    refine: bool | Condition = True,
    buckets: int = BUCKETS,
    missing: Missing = "raise",
    progress: Listener | None = None,
) -> Ranking:
    """Count positives and negatives per score in a frame, in files, or in a table of an engine.

    Parameters
    ----------
    source
        A frame; a path, glob or folder of files; with `table` a file of DuckDB or SQLite or a URL such as
        "postgres://…/db"; an Ibis table of any engine; a Spark frame.
    label, score, weight
        Names of columns; `positive` is the positive label as in `rank`.
    table
        A table's name, or (schema, name).
    where
        Rows to take: {"country": "NL", "week": [1, 2]}, or a function of the Ibis table such as `lambda t: t.age > 30`.
    exact
        None: exact where that is cheap, else bounded. True: exact numbers, range by range in bounded memory. False: one
        pass of ranges, even where rows would fit; rows that are in memory already, or come once only, stay exact.
    refine
        True: spend further passes until the AUC is known to 1e-6. An `OperatingCondition`: until the split that
        `choose` picks under it is certain, which looks again only near that split. False: one pass.
    buckets
        How many ranges probabilities are counted in.
    missing
        "raise" refuses missing values, "drop" leaves such rows out and counts them in `Ranking.dropped`.
    progress
        A function that is told every half second how far the scan has come, with a `Progress`.

    Examples
    --------
    >>> mails = {"spam": [1, 1, 0, 1, 0], "p": [0.9, 0.8, 0.8, 0.4, 0.1]}
    >>> scan(mails, label="spam", score="p")
    Ranking([1+][1+,1-][1+][1-] at scores 0.9, 0.8, 0.4, 0.1)
    """
    found = rankings_in(
        source,
        Wanted(label, (score,), weight),
        Options(table, positive, where, exact, refine, buckets, missing, progress),
    )
    return next(iter(found.values()))


def scan_models(
    source: Any,
    *,
    label: str,
    scores: Sequence[str],
    weight: str | None = None,
    **how: Unpack[How],
) -> dict[str, Ranking]:
    """The ranking of each of several score columns, in one pass; the rest is as in `scan`.

    >>> mails = {"spam": [1, 1, 0], "tree": [0.9, 0.8, 0.8], "logit": [0.7, 0.6, 0.1]}
    >>> scan_models(mails, label="spam", scores=["tree", "logit"])["logit"]
    Ranking([1+][1+][1-] at scores 0.7, 0.6, 0.1)
    """
    found = rankings_in(source, Wanted(label, require_models(scores), weight), Options(**how))
    return {model: ranking for (model, _), ranking in found.items()}


def scan_by(
    source: Any,
    *,
    label: str,
    score: str,
    by: str | Sequence[str],
    weight: str | None = None,
    **how: Unpack[How],
) -> dict[Any, Ranking]:
    """A ranking for each value of a column, or for each tuple of values of several, in one pass.

    Rows whose group is missing are the group None, and moments with time zones are told in UTC, without one. A group of
    which `missing="drop"` would leave nothing is refused by name. The rest is as in `scan`.

    >>> mails = {"spam": [1, 0, 1, 0], "p": [0.9, 0.8, 0.8, 0.4], "week": [1, 1, 2, 2]}
    >>> scan_by(mails, label="spam", score="p", by="week")
    {1: Ranking([1+][1-] at scores 0.9, 0.8), 2: Ranking([1+][1-] at scores 0.8, 0.4)}
    """
    found = rankings_in(source, Wanted(label, (score,), weight, _grouping(by)), Options(**how))
    return {group: ranking for (_, group), ranking in found.items()}


def scan_models_by(
    source: Any,
    *,
    label: str,
    scores: Sequence[str],
    by: str | Sequence[str],
    weight: str | None = None,
    **how: Unpack[How],
) -> dict[Any, dict[str, Ranking]]:
    """The rankings of several score columns in each group, all in one pass; groups are those of `scan_by`.

    >>> mails = {"spam": [1, 0, 1, 0], "tree": [0.9, 0.8, 0.8, 0.4], "logit": [0.7, 0.6, 0.5, 0.4]}
    >>> scan_models_by(mails | {"week": [1, 1, 2, 2]}, label="spam", scores=["tree", "logit"], by="week")[2]["logit"]
    Ranking([1+][1-] at scores 0.5, 0.4)
    """
    wanted = Wanted(label, require_models(scores), weight, _grouping(by))
    found: dict[Any, dict[str, Ranking]] = {}
    for (model, group), ranking in rankings_in(source, wanted, Options(**how)).items():
        found.setdefault(group, {})[model] = ranking
    return found


def _grouping(by: Any) -> tuple[str, ...]:
    columns = tuple(by) if isinstance(by, Sequence) and not isinstance(by, str) else (by,)
    if not columns:
        raise ArgumentError("by names no column", 'e.g. by="week"')
    return columns


def rankings_in(source: Any, wanted: Wanted, options: Options) -> Found:
    """The rankings of all models and groups of a source."""
    require_options(options)
    require_source(source, wanted)
    in_memory = not callable(options.where) and not is_engine_source(source)
    if in_memory:
        require_no_table(source, options.table)
    rows = _held(source, wanted, options) if in_memory else None
    if rows is not None:
        return ranked_in_memory(rows, wanted, options.where, options.positive, options.missing)
    if in_memory and not is_frame(source) and (found := _counted_files(source, wanted, options)) is not None:
        return found
    named = _named(wanted, options)
    lazy = lazy_rows(source) if in_memory and is_frame(source) else None
    if lazy is not None and {*named} <= {*lazy.schema.names}:
        source = lazy.only(named)  # nobody asks for the others
    with opened(source, table=options.table, listener=options.progress) as engine:
        require_table_columns(engine.table, named, place=engine.place)
        taken = replace(engine, table=filtered(engine.table, options.where))
        return rankings_of(taken, wanted, options)


def _counted_files(source: Any, wanted: Wanted, options: Options) -> Found | None:
    """Rankings from files that need no engine; None where one is needed."""
    if options.where is not None or (options.exact is not False and not _many(source, wanted)):
        return None
    files = listed_files(source)
    if not countable(files, wanted):
        return None

    occupied: list[Counts] = []

    def tallied(stage: str, pieces: Sequence[Piece] = (), lenses: Sequence[Lens] = ()) -> Tallies:
        how: dict[str, Any] = {"stage": stage, "listener": options.progress}
        before = occupied[-1] if pieces else None
        grid = Grid(options.buckets, pieces, lenses, before)
        table = file_tally(files, wanted, grid, **how)
        found = tallies_of(table, wanted, positive=options.positive, missing=options.missing)
        if not pieces:
            occupied.append(found.key)
        return found

    try:
        if options.exact:
            how: dict[str, Any] = {"positive": options.positive, "missing": options.missing}
            return exact_files(files, wanted, listener=options.progress, **how)
        return _ranges(tallied("counting"), tallied, options)
    except NeedsEngine:
        return None


def _many(source: Any, wanted: Wanted) -> bool:
    return (rows_in(source) or 0) * len(wanted.scores) > ROWS_TO_GROUP


def rankings_of(engine: Opened, wanted: Wanted, options: Options) -> Found:
    """The rankings of all models and groups of a table that is open."""

    def tallied(stage: str, **how: Any) -> Tallies:
        asked = tally(engine.table, wanted, buckets=options.buckets, **how)
        found = engine.answer(asked, stage=stage, listener=options.progress)
        return tallies_of(found, wanted, positive=options.positive, missing=options.missing)

    found = tallied("counting")
    engine = replace(engine, total=found.rows)  # which few engines tell beforehand
    if all(ranking.exact for ranking in found.rankings().values()):
        return found.rankings()
    if options.exact is not False and found.rows * len(wanted.scores) <= ROWS_TO_GROUP:
        return tallied("counting every score", exact=True).rankings()
    if not options.exact:
        return _ranges(found, tallied, options)

    def fetch(found: Tallies, index: int, ranges: Sequence[Range]) -> Iterator[Ranking]:
        how: dict[str, Any] = {"listener": options.progress, "most": ROWS_AT_ONCE}
        return engine_rankings(engine, found, index, ranges, **how)

    return _exact(found, tallied, fetch, rows_at_once=ROWS_AT_ONCE, buckets=options.buckets)


def _exact(
    found: Tallies,
    tallied: Callable[..., Tallies],
    fetch: Callable[[Tallies, int, Sequence[Range]], Iterator[Ranking]],
    *,
    rows_at_once: int,
    buckets: int,
) -> Found:
    """Exact rankings, range by range; ranges that alone hold too many rows are divided first."""
    if int(found.cases.max()) * 2 > rows_at_once:
        found = refined(found, tallied, None, buckets=buckets)
    return {
        each: exact_ranking(found, i, partial(fetch, found, i), rows_at_once=rows_at_once)
        for i, each in enumerate(found.names)
    }


def _ranges(found: Tallies, tallied: Callable[..., Tallies], options: Options) -> Found:
    condition = None if isinstance(options.refine, bool) else options.refine
    if options.refine:
        found = refined(found, tallied, condition, buckets=options.buckets)
    return found.rankings()


def _named(wanted: Wanted, options: Options) -> list[str]:
    """The columns that are asked for by their names."""
    return list(dict.fromkeys([*wanted.columns, *(options.where if isinstance(options.where, Mapping) else ())]))


def _held(source: Any, wanted: Wanted, options: Options) -> Any | None:
    """What is to be ranked in memory: a source that is there or fits; None where it is counted elsewhere."""
    named = _named(wanted, options)
    if is_frame(source):
        lazy = lazy_rows(source)
        if lazy is None:
            return source
        return None if options.exact is False else lazy.held(named)
    if isinstance(source, str) and source == STDIN:
        return source
    enough = options.exact is not False and fits(source, columns=len(named), memory=memory())
    return source if enough else None
