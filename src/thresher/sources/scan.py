"""`scan`: rows anywhere become rankings.

Files, frames and streams are Arrow batches of the named columns, counted by one counter. Engines that count by a query
get one; the rows of other engines are streamed as batches.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias, TypedDict, Unpack, overload

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import ArgumentError, ColumnError, EmptyError
from thresher.inputs.arrow import numpy_column
from thresher.inputs.columns import Column, Missing, require_columns
from thresher.inputs.frames import Stream, arrow_table, frame_columns, frame_stream
from thresher.ranking import Counts, Indices, Ranking
from thresher.sources.buckets import BUCKETS
from thresher.sources.counter import Batch, Codes, Counter
from thresher.sources.engines.connect import (
    EngineTable,
    is_engine_source,
    open_table,
    require_no_table,
    require_table_columns,
)
from thresher.sources.engines.errors import translate_errors
from thresher.sources.engines.query import MOST_BY_SCORE, Piece, Run, count_query, filter_table
from thresher.sources.engines.refine import refine as refine_counts
from thresher.sources.engines.result import BucketCounts, read_counts
from thresher.sources.files import FileTable, Place, join_parts, read_columns
from thresher.sources.filters import arrow_filter, filter_values, is_expression, matching_rows, text_type
from thresher.sources.memory import BYTES_TO_RANK, COPIES, memory_budget, rows_that_fit
from thresher.sources.options import (
    Columns,
    Condition,
    Filter,
    Options,
    TableName,
    group_names,
    require_options,
    require_source,
    score_names,
)
from thresher.sources.progress import Listener, report_progress

Rankings: TypeAlias = dict[tuple[str, Any], Ranking]  # by score column and group
ROWS_TO_STREAM = 1 << 21  # of a table in an engine, below which rankings are exact without asking
_FIRST = 1000
_CASES = "thresher cases"  # a column that no table has
_MOST_VALUES = 1 << 20
_FRAME = "the frame"


class _Rest(TypedDict, total=False):
    """Options of `scan` that do not change what it returns."""

    table: TableName | None
    positive: Any
    weights: str | None
    where: Filter | None
    columns: Mapping[str, Any] | None
    exact: bool | None
    refine: bool | Condition
    buckets: int
    missing: Missing
    progress: Listener | None


@overload
def scan(source: Any, *, label: str, score: str, by: None = None, **rest: Unpack[_Rest]) -> Ranking: ...


@overload
def scan(
    source: Any,
    *,
    label: str,
    score: str | list[str] | tuple[str, ...],
    by: str | Sequence[str] | None = None,
    **rest: Unpack[_Rest],
) -> dict[Any, Any]: ...


def scan(
    source: Any,
    *,
    label: str,
    score: str | list[str] | tuple[str, ...],
    by: str | Sequence[str] | None = None,
    table: TableName | None = None,
    positive: Any = None,
    weights: str | None = None,
    where: Filter | None = None,
    columns: Mapping[str, Any] | None = None,
    exact: bool | None = None,
    refine: bool | Condition = True,
    buckets: int = BUCKETS,
    missing: Missing = "raise",
    progress: Listener | None = None,
) -> Ranking | dict[Any, Any]:
    """Count positives and negatives per score in a frame, files or an engine's table.

    Returns a ranking for one score; with several scores {score: ranking}, with `by` {group: ranking}, with both
    {group: {score: ranking}}.

    Parameters
    ----------
    source
        A frame or a stream of Arrow batches; a path, glob or folder of files; with `table` a file of DuckDB or SQLite
        or a URL such as "postgres://…/db"; an Ibis table of any engine; a Spark frame.
    label, score, weights
        Names of columns; `positive` is the positive label as in `rank`. A list of scores is counted in one pass.
    by
        A column, or several, whose values make groups; a missing value is the group None. Groups of several columns
        are tuples, and moments with a time zone are given in UTC, without it.
    table
        A table's name, or (schema, name).
    where
        Rows to take: {"country": "NL", "week": [1, 2]}; for files and frames also an expression such as
        `pyarrow.compute.field("age") > 30`, for engines a function of the Ibis table such as `lambda t: t.age > 30`.
    columns
        Arrow types of columns of CSV files that an expression in `where` uses: {"age": pyarrow.int64()}.
    exact
        None: exact where rows fit in memory, else bounded. True: exact always, by an external sort of rows that do
        not fit. False: one pass of buckets, even where rows would fit.
    refine
        Engines only. True: a second query brings the AUC to about 1e-6. An `OperatingCondition`: one or two more
        queries make the split that `choose` picks under it certain, with all that tie. False: one query.
    buckets
        How many buckets probabilities are counted in.
    missing
        "raise" refuses missing values, "drop" leaves such rows out and counts them in `Ranking.dropped`.
    progress
        A function that is called every half second with a `Progress`.

    Examples
    --------
    >>> mails = {"spam": [1, 1, 0, 1, 0], "p": [0.9, 0.8, 0.8, 0.4, 0.1], "week": [1, 1, 1, 2, 2]}
    >>> scan(mails, label="spam", score="p")
    Ranking([1+][1+,1-][1+][1-] at scores 0.9, 0.8, 0.4, 0.1)
    >>> scan(mails, label="spam", score="p", by="week")[2]
    Ranking([1+][1-] at scores 0.4, 0.1)
    """
    several = not isinstance(score, str) and isinstance(score, list | tuple)
    scores: Any = score_names(score) if several else (score,)
    named = Columns(label, scores, weights, () if by is None else group_names(by))
    options = Options(table, positive, where, columns, exact, refine, buckets, missing, progress)
    rankings = scan_rankings(source, named, options)
    if by is None:
        return {name: ranking for (name, _), ranking in rankings.items()} if several else next(iter(rankings.values()))
    groups: dict[Any, Any] = {}
    for (name, group), ranking in rankings.items():
        if several:
            groups.setdefault(group, {})[name] = ranking
        else:
            groups[group] = ranking
    return groups


def scan_rankings(source: Any, columns: Columns, options: Options, *, together: bool = False) -> Rankings:
    """The rankings of all scores and groups of a source.

    `together` leaves out rows that miss any of the scores.
    """
    engine = is_engine_source(source)
    require_options(options)
    require_source(source, columns, engine=engine)
    if engine:
        with open_table(source, table=options.table) as opened:
            counted = engine_rankings(select_rows(opened, columns.names, options.where), columns, options)
    else:
        if options.table is not None:
            require_no_table(source, options.table)
        batches, text, rows = _batches(source, columns, options)
        place = str(source) if isinstance(source, str | os.PathLike) else ""
        counted = count_batches(batches, columns, options, text=text, rows=rows, place=place, together=together)
    return {key: ranking.with_positive(options.positive) for key, ranking in counted.items()}


def select_rows(opened: EngineTable, names: Sequence[str], where: Filter | None) -> EngineTable:
    """A table with the rows that a filter takes; refuses columns it does not have."""
    if is_expression(where):
        fix = "give a function of the Ibis table such as lambda t: t.age > 30"
        raise ArgumentError("an engine is not asked expressions of pyarrow", fix, parameter="where")
    filtered = list(where) if isinstance(where, Mapping) else []
    require_table_columns(opened.table, [*names, *filtered], place=opened.place)
    return replace(opened, table=filter_table(opened.table, where))


def engine_rankings(opened: EngineTable, columns: Columns, options: Options) -> Rankings:
    """The rankings of a table in an engine: by its query, or by streaming its rows."""

    def stream() -> Rankings:
        batches = opened.batches(columns.names)
        return count_batches(batches, columns, options, place=opened.place)

    def ask(stage: str, pieces: Sequence[Piece] = (), by_score: Sequence[Run] = ()) -> Any:
        query = count_query(opened.table, columns, buckets=options.buckets, pieces=pieces, by_score=by_score)
        return opened.answer(query, stage=stage, listener=options.progress)

    def read(answer: Any) -> BucketCounts:
        return read_counts(answer, columns, positive=options.positive, missing=options.missing)

    def count_again(pieces: Sequence[Piece], by_score: Sequence[Run]) -> BucketCounts | None:
        answer = ask("refining", pieces, by_score)
        return None if by_score and answer.num_rows > MOST_BY_SCORE else read(answer)

    if options.exact or not opened.pushes_down:
        return stream()
    counts = read(ask("counting"))
    rankings = counts.rankings()
    if all(ranking.exact for ranking in rankings.values()):
        return rankings
    if options.exact is None and counts.rows * len(columns.scores) <= ROWS_TO_STREAM:
        return stream()
    if not options.refine:
        return rankings
    condition = None if isinstance(options.refine, bool) else options.refine
    return refine_counts(counts, count_again, condition).rankings()


def count_batches(
    batches: Iterable[Batch],
    columns: Columns,
    options: Options,
    *,
    text: Iterable[str] = (),
    rows: int | None = None,
    place: str = "",
    together: bool = False,
) -> Rankings:
    """The rankings of batches: exact while their rows fit in memory."""
    most = rows_that_fit(len(columns.names), memory_budget())
    if options.exact is False or (rows is not None and rows > most and options.where is None):
        most = 0
    counter = Counter(columns, options, most_rows=most, text=text, place=place, together=together)
    try:
        with _closed(batches), report_progress(options.progress, "counting", total=rows, rows=lambda: counter.rows):
            for batch in batches:
                counter.add(batch)
        return counter.rankings()
    finally:
        counter.close()


def read_batches(source: Any, names: Sequence[str], options: Options) -> dict[str, Column]:
    """The named columns of the rows that a filter takes; refuses rows that do not fit."""
    if is_engine_source(source):
        with open_table(source, table=options.table) as opened:
            return _join(select_rows(opened, names, options.where).batches(names), names)
    require_no_table(source, options.table)
    batches, text, rows = _batches(source, Columns(names[0], (), None, tuple(names[1:])), options)
    return _join(batches, names, text=text, total=None if options.where is not None else rows)


def _closed(batches: Iterable[Batch]) -> AbstractContextManager[Any]:
    """Close batches afterwards: a connection with some left may answer nothing else."""
    return closing(batches) if isinstance(batches, Generator) else nullcontext()


def _join(
    batches: Iterable[Batch], names: Sequence[str], *, text: Iterable[str] = (), total: int | None = None
) -> dict[str, Column]:
    """Batches as columns of NumPy; `total` is how many rows they have, where known."""
    parts, rows, most = [], 0, rows_that_fit(len(names), memory_budget())
    batch: Any
    with _closed(batches):
        for batch in batches:
            if isinstance(batch, dict):
                return {name: batch[name] for name in names}  # a frame that holds its rows
            parts.append(batch)
            rows += batch.num_rows
            if (total or rows) > most:
                what = f"comparing models needs all rows at once, and more than {most:,} do not fit in memory"
                fix = (
                    "give a sample of the rows, or a table of DuckDB, PostgreSQL or Spark, which compares them in place"
                )
                raise ArgumentError(what, fix, parameter="source")
    if not rows:
        raise EmptyError("there are no rows", "give at least one, and check where=")
    return {name: join_parts([part[name] for part in parts], name, text=name in text) for name in names}


def columns_that_fit(
    source: Place, names: Sequence[str], *, table: TableName | None = None, few: bool = False
) -> dict[str, Column] | None:
    """The named columns of files or of a table in memory; None for too many rows.

    Files are read when they fit in a quarter of the free memory, a table when it has no more than two million rows;
    with `few`, files of more rows than that are not read either.
    """
    if not is_engine_source(source):
        require_no_table(source, table)
        files = FileTable.of(source)
        return read_columns(files, names) if files_fit(files, len(names), few=few) else None
    with open_table(source, table=table) as opened:
        require_table_columns(opened.table, names, place=opened.place)
        first = opened.table.limit(ROWS_TO_STREAM + 1).aggregate(rows=lambda rows: rows.count())
        rows = opened.answer(first, stage="counting rows", listener=None)["rows"][0].as_py()
        if rows > ROWS_TO_STREAM:
            return None
        return _table_columns(opened, opened.table, names, stage="reading rows", listener=None)


def count_values(
    source: Place, names: Sequence[str], *, table: TableName | None = None, listener: Listener | None = None
) -> tuple[dict[str, Column], Counts]:
    """How many rows share each combination of values of some columns.

    Returns an entry per combination in every column, and its rows; a combination may come several times. Files of more
    than two million rows are counted batch by batch, tables by their engine.
    """
    names = list(dict.fromkeys(names))
    if is_engine_source(source):
        with open_table(source, table=table) as opened:
            require_table_columns(opened.table, names, place=opened.place)
            counts = opened.table.group_by(names).aggregate(**{_CASES: lambda rows: rows.count()})
            answer = opened.answer(counts.limit(_MOST_VALUES + 1), stage="counting", listener=listener)
        columns = {name: numpy_column(answer[name], name=name) for name in names}
        _require_few_values(answer.num_rows)
        return columns, np.asarray(numpy_column(answer[_CASES], name=_CASES), dtype=np.int64)
    require_no_table(source, table)
    files = FileTable.of(source)
    if files_fit(files, len(names), few=True):
        columns = read_columns(files, names)
        first, cases = _distinct_rows(columns)
        return {name: values[first] for name, values in columns.items()}, cases
    files.require(names)
    parts: list[Any] = []
    numbers: list[Counts] = []
    rows, size = 0, 0
    batches = files.batches(names, _column_types(files, names))
    with _closed(batches), report_progress(listener, "counting", total=files.rows(), rows=lambda: rows):
        for batch in batches:
            first, cases = _distinct_rows({name: batch[name] for name in names})
            parts.append(batch.take(first))
            numbers.append(cases)
            rows, size = rows + batch.num_rows, size + first.size
            _require_few_values(size)
    if not parts:
        raise EmptyError("there are no rows", "give at least one", where=str(source))
    columns = {name: join_parts([part[name] for part in parts], name, text=files.untyped(name)) for name in names}
    return columns, np.concatenate(numbers)


def _distinct_rows(columns: Mapping[str, Any]) -> tuple[Indices, Counts]:
    """The first row of each combination of values, and how many rows share it."""
    keys, size = np.zeros(1, dtype=np.int64), 1
    for values in columns.values():
        codes = Codes()
        code = codes.encode(values).astype(np.int64) + 1  # a missing value is 0
        size *= len(codes.values) + 1
        if size > 1 << 62:
            _require_few_values(size)
        keys = keys * (len(codes.values) + 1) + code
    _, first, cases = np.unique(keys, return_index=True, return_counts=True)
    return first, cases


def _require_few_values(size: int) -> None:
    if size > _MOST_VALUES:
        what = f"more than {_MOST_VALUES:,} combinations of values are to be counted"
        raise ColumnError(what, "name columns of classes or groups, and not of scores or identifiers")


def files_fit(files: FileTable, columns: int, *, few: bool = False) -> bool:
    """Whether so many columns of files can be ranked in memory, by their sizes.

    With `few` the memory is what two million rows take, if there is that much.
    """
    if files.first.content is not None:
        return True  # standard input can be read once only
    budget = memory_budget()
    if few:
        budget = min(budget, ROWS_TO_STREAM * columns * BYTES_TO_RANK)
    if (rows := files.rows()) is not None:
        return rows <= rows_that_fit(columns, budget)
    return files.size() * COPIES <= budget


def first_columns(
    source: Place, names: Sequence[str], *, table: TableName | None = None, listener: Listener | None = None
) -> dict[str, Column]:
    """The named columns of the first rows, to show what kind of values they hold."""
    if is_engine_source(source):
        with open_table(source, table=table) as opened:
            require_table_columns(opened.table, names, place=opened.place)
            rows = opened.table.limit(_FIRST)
            return _table_columns(opened, rows, names, stage="reading the first rows", listener=listener)
    files = FileTable.of(source)
    files.require(names)
    types = _column_types(files, names)
    batch = next(files.batches(names, types), None)
    if batch is None:
        raise EmptyError("there are no rows", "give at least one", where=str(source))
    return {name: join_parts([batch[name]], name, text=files.untyped(name)) for name in names}


def source_names(source: Place, *, table: TableName | None = None) -> tuple[str, ...]:
    """The names of the columns of files or of a table."""
    if not is_engine_source(source):
        return FileTable.of(source).names()
    with open_table(source, table=table) as opened:
        return tuple(opened.table.columns)


def _table_columns(
    opened: EngineTable, rows: Any, names: Sequence[str], *, stage: str, listener: Listener | None
) -> dict[str, Column]:
    answer = opened.answer(rows.select(*dict.fromkeys(names)), stage=stage, listener=listener)
    return {name: numpy_column(answer[name], name=name) for name in answer.column_names}


def _batches(source: Any, columns: Columns, options: Options) -> tuple[Iterable[Batch], set[str], int | None]:
    """Batches of a frame or of files, columns of text to be read later, known rows."""
    where, filtered = options.where, {}
    if callable(where):
        fix = 'give {"country": "NL"}, or an expression such as pyarrow.compute.field("age") > 30'
        raise ArgumentError("functions of an Ibis table filter tables of engines alone", fix, parameter="where")
    if where is not None and not is_expression(where):
        filtered = filter_values(where)
    if not isinstance(source, str | os.PathLike):
        with translate_errors(_FRAME):
            stream = frame_stream(source)
        if stream is None and is_expression(where):
            stream = frame_stream(arrow_table(source))
        batches = [_frame_batch(source, columns, where)] if stream is None else _stream_batches(stream, columns, where)
        return batches, set(), None
    files = FileTable.of(source)
    named = list(dict.fromkeys([*columns.names, *filtered]))
    files.require(named)
    types, text = dict(options.columns or {}), set()
    if files.first.is_text or files.first.format == "jsonl" or files.first.partition:
        types = _column_types(files, named, floats={*columns.scores, columns.weights}, filters=filtered) | types
        for name in (columns.label, *columns.by):
            if str(types.get(name)) == "string" and files.untyped(name):
                text.add(name)
    test = partial(arrow_filter, filtered) if filtered else where
    return files.batches(columns.names, types, test), text, files.rows()


def _column_types(
    files: FileTable,
    names: Sequence[str],
    *,
    floats: Iterable[str | None] = (),
    filters: Mapping[str, Sequence[Any]] | None = None,
) -> dict[str, Any]:
    """Types of the columns that their files leave untyped: CSV, JSON lines, folders.

    Scores and weights are numbers, the values of a filter decide the type of its column, and all else is text.
    """
    arrow = extra("pyarrow", name="files")
    types: dict[str, Any] = {}
    for name in names:
        if files.untyped(name):
            of_filter = text_type((filters or {})[name], name) if name in (filters or {}) else arrow.string()
            types[name] = arrow.float64() if name in floats else of_filter
        elif files.first.format == "jsonl":
            types[name] = arrow.float64() if name in floats else files.type_of(name)
    return types


def _frame_batch(source: Any, columns: Columns, where: Mapping[str, Any] | None) -> dict[str, Column]:
    """The rows of a frame that holds them, as one batch."""
    names = list(dict.fromkeys([*columns.names, *(where or ())]))
    batch = frame_columns(source, names)
    if where is None:
        return batch
    take = matching_rows(batch, where)
    if not take.any():
        raise EmptyError("no row meets where=", "check its values", parameter="where")
    return {name: values[take] for name, values in batch.items()}


def _stream_batches(stream: Stream, columns: Columns, where: Any) -> Iterator[Any]:
    filtered = list(where) if isinstance(where, Mapping) else []
    names = list(dict.fromkeys([*columns.names, *filtered]))
    require_columns(names, stream.schema.names, place=_FRAME)
    if is_expression(where):
        # Which columns an expression uses can be read in its text alone; some that it does not use do no harm.
        names += [name for name in stream.schema.names if name not in names and name in str(where)]
    with stream.turn(), translate_errors(_FRAME):
        if where is None:
            yield from stream.read(names)
            return
        arrow = extra("pyarrow", name="files")
        schema = arrow.schema([stream.schema.field(name) for name in names])
        kinds = dict(zip(schema.names, schema.types, strict=True))
        test = where if is_expression(where) else arrow_filter(filter_values(where), kinds)
        with _closed(batches := stream.read(names)):
            for batch in batches:  # one by one: a scanner would read ahead, at work still when this is closed
                part = arrow.record_batch([batch[name] for name in names], names=names).filter(test)
                yield part.select(columns.names)
