"""What commands read: rows in memory, or counts of them, by group.

Counts are rankings: of files that thresher merge wrote, or of rows, which are counted where they are when they are
more than two million. A command says which it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

import numpy as np

from thresher._internal.optional import extra
from thresher._internal.text import plain_text
from thresher.cli.console.screen import working
from thresher.cli.inputs import current_rule
from thresher.cli.options import EVERY_ROW, ColumnOptions, GroupOptions, LabelOptions
from thresher.errors import ArgumentError, EmptyError, OneClassError, PositiveLabelError, SourceError, ThresherError
from thresher.evaluation.engine import joint_rankings
from thresher.inference.rows import ScoredRows
from thresher.inputs import rank
from thresher.inputs.columns import Column, column
from thresher.ranking import Indices, Ranking
from thresher.sources.counter import Codes
from thresher.sources.filters import matching_rows
from thresher.sources.options import Columns, Options
from thresher.sources.progress import Progress
from thresher.sources.scan import columns_that_fit, first_columns, scan_rankings, source_names
from thresher.sources.storage import read_ranking
from thresher.tables import OperatingCondition

Group: TypeAlias = tuple[Any, ...]  # the values of the columns that --by names; () without
Answer = TypeVar("Answer")
Part = TypeVar("Part")
_ALL: Group = ()
_SHOWN = 12
_MOST_DIGITS = 400
_RANKING = b"thresher/ranking/"
_MARK = b"thresher"  # metadata of a Parquet file of counts, which one of rows lacks
_PARQUET = (".parquet", ".pq")


class RowArguments(TypedDict):
    """Rows as `evaluate` and `compare` take them."""

    labels: Any
    scores: dict[str, Any]
    positive: Any
    weights: Any
    clusters: Any
    missing: Literal["raise", "drop"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledScores:
    """Rows, the models' own predictions, and the rule in use."""

    columns: RowArguments
    predictions: dict[str, Any]
    current: Any


def read_rows(
    source: str,
    columns: ColumnOptions,
    groups: GroupOptions = EVERY_ROW,
    *,
    cluster: str | None = None,
    predictions: Sequence[str] = (),
    current: str | None = None,
    few: bool = False,
) -> dict[Group, LabelledScores] | None:
    """The rows of each group; None where they do not fit in memory.

    With `few` rows are not read either where they are more than two million.
    """
    label, scores = _label_and_scores(source, columns)
    calls = _prediction_columns(predictions, scores, source, columns)
    rule = None if current is None else current_rule(current, models=scores, columns=_known_columns(source, columns))
    rule_column = rule if isinstance(rule, str) else None
    roles = [("--weight", columns.weight), ("--cluster", cluster), ("--current", rule_column)]
    require_other_columns(label, [*roles, *(("--prediction", name) for name in calls.values())])
    others = [name for _, name in roles if name is not None]
    texts = filter_texts(groups.where, source, columns)
    wanted = list(dict.fromkeys([label, *scores, *calls.values(), *others, *groups.by, *texts]))
    with working("reading rows"):
        values = columns_that_fit(source, wanted, table=columns.table_name, few=few)
    if values is None:
        return None
    values = take_rows(values, texts)
    positive = positive_label(columns.positive, column(values[label], name=f"the column {label!r}"))
    parts = {}
    for group, rows in rows_by_group(values, groups.by).items():
        part = {name: each[rows] for name, each in values.items()}
        arguments: RowArguments = {
            "labels": column(part[label], name=f"the column {label!r}"),
            "scores": {name: part[name] for name in scores},
            "positive": positive,
            "weights": None if columns.weight is None else part[columns.weight],
            "clusters": None if cluster is None else part[cluster],
            "missing": columns.missing,
        }
        predicted = {model: part[name] for model, name in calls.items()}
        parts[group] = LabelledScores(arguments, predicted, rule if rule_column is None else part[rule_column])
    return parts


def read_rankings(
    sources: Sequence[str],
    columns: ColumnOptions,
    groups: GroupOptions = EVERY_ROW,
    *,
    together: bool = False,
    exact: bool | None = None,
    condition: OperatingCondition | None = None,
) -> dict[Group, dict[str, Ranking]]:
    """The ranking of each model in each group; rankings on file have the files' names.

    With `together` rows that miss any of the scores are left out of all. Up to two million rows are ranked exactly;
    `exact` is `scan`'s for more, and under a condition an engine counts until its best split is certain.
    """
    if all(map(is_ranking, sources)):
        require_no_columns(columns, groups)
        return {_ALL: _rankings_on_file(sources)}
    source = single_source(sources)
    rows = read_rows(source, columns, groups, few=True)
    if rows is None:
        refine = True if condition is None else condition
        with scan_arguments(source, columns, groups) as (named, options):
            counted = _scan(source, named, replace(options, exact=exact, refine=refine), together=together)
        return dict(sorted(counted.items(), key=lambda one: _order(one[0])))
    return {group: _rank(part.columns, together=together) for group, part in rows.items()}


def _scan(source: str, named: Columns, options: Options, *, together: bool) -> dict[Group, dict[str, Ranking]]:
    groups: dict[Any, dict[str, Ranking]] = {}
    if together:
        groups = joint_rankings(source, named, options)
    else:
        for (name, group), ranking in scan_rankings(source, named, options).items():
            groups.setdefault(group, {})[name] = ranking
    return {(key,) if len(named.by) == 1 else key: models for key, models in groups.items()}


def _rank(rows: RowArguments, *, together: bool) -> dict[str, Ranking]:
    if together:
        scored = ScoredRows.of(**rows)
        return {name: scored.ranking(name) for name in scored.models}
    labels, positive, weights, missing = rows["labels"], rows["positive"], rows["weights"], rows["missing"]
    return {
        name: rank(labels, scores, positive=positive, weights=weights, missing=missing)
        for name, scores in rows["scores"].items()
    }


def _rankings_on_file(sources: Sequence[str]) -> dict[str, Ranking]:
    rankings: dict[str, Ranking] = {}
    for source in sources:
        name = Path(source).stem
        if name in rankings:
            raise ArgumentError(f"two rankings are called {name!r} by their files", "rename one of the files")
        rankings[name] = read_ranking(source)
    return rankings


def single_source(sources: Sequence[str]) -> str:
    """The one source of rows; `ArgumentError` where several are given."""
    if len(sources) > 1:
        rows = next((source for source in sources if not is_ranking(source)), None)
        if rows is None:
            what = f"{len(sources)} rankings are given, which are of two classes, and --probability is of more"
            raise ArgumentError(what, "leave --probability out, or give one file of rows")
        what = f"{len(sources)} files are given, and {rows} is no ranking that thresher merge wrote"
        raise ArgumentError(what, "give rankings alone, or one file, folder or glob of rows")
    return sources[0]


def is_ranking(source: str) -> bool:
    """Whether a file holds counts: JSON must, Parquet says so in its metadata."""
    suffix = Path(source).suffix.lower()
    if suffix not in (".json", *_PARQUET) or not Path(source).is_file():
        return suffix == ".json"
    if suffix == ".json":
        with suppress(OSError):  # reading the ranking says what is wrong
            if _RANKING not in Path(source).read_bytes():
                what = f"{source} holds no ranking that thresher merge wrote"
                raise SourceError(what, "call rows of JSON, one object a line, .jsonl or .ndjson")
        return True
    parquet = extra("pyarrow.parquet", name="files")
    try:
        return _MARK in (parquet.read_schema(source).metadata or {})
    except Exception:  # noqa: BLE001 - no Parquet, or a damaged one, which reading its rows explains better
        return False


def require_no_columns(columns: ColumnOptions, groups: GroupOptions = EVERY_ROW) -> None:
    """Raise `ArgumentError` when options name columns or a table: a ranking has none."""
    if columns.label or columns.scores or columns.table:
        raise ArgumentError("a ranking has no columns or tables", "leave --label, --score and --table out")
    if groups.by or groups.where:
        raise ArgumentError("a ranking has no columns to group or take rows by", "count each group by itself")


@contextmanager
def scan_arguments(
    source: str, columns: ColumnOptions, groups: GroupOptions = EVERY_ROW
) -> Iterator[tuple[Columns, Options]]:
    """Columns and options for scans of rows that do not fit, whose progress is shown."""
    label, scores = _label_and_scores(source, columns)
    table = columns.table_name
    with listening("counting where the rows are") as listener:
        positive: Any = columns.positive
        texts = filter_texts(groups.where, source, columns)
        first = {}
        if positive is not None or texts:
            first = first_columns(source, [label, *texts], table=table, listener=listener)
            positive = positive_label(positive, first[label])
        where = {name: _typed(words, first[name]) for name, words in texts.items()} or None
        named = Columns(label, scores, columns.weight, tuple(groups.by))
        yield named, Options(table, positive, where, missing=columns.missing, progress=listener)


@contextmanager
def listening(words: str) -> Iterator[Callable[[Progress], None]]:
    """A function for scans to call, which shows how far they have come."""
    with working(words) as track:

        def listener(progress: Progress) -> None:
            track(_progress_text(progress))

        yield listener


def scan_keywords(named: Columns, options: Options) -> dict[str, Any]:
    """The same as `evaluate_scan` and `compare_scan` take them."""
    of_rows = {"label": named.label, "score": named.scores, "weights": named.weights}
    return of_rows | {name: getattr(options, name) for name in ("table", "positive", "where", "missing", "progress")}


def _progress_text(progress: Progress) -> str:
    """How far a scan has come.

    >>> _progress_text(Progress("counting", rows=2_000_000, total=10_000_000, seconds=0.5))
    'counting: 2,000,000 of 10,000,000 rows, 4,000,000 per second'
    """
    if progress.rows is None or progress.rate is None:
        return f"{progress.stage}: {progress.seconds:.0f} s"
    of = "" if progress.total is None else f" of {progress.total:,}"
    return f"{progress.stage}: {progress.rows:,}{of} rows, {progress.rate:,.0f} per second"


def answer_groups(
    groups: Mapping[Group, Part], answer: Callable[[Part], Answer]
) -> dict[Group, Answer | ThresherError]:
    """The answer for each group, or why a group has none.

    Where no group has one, and without --by, that is refused.
    """
    if list(groups) == [_ALL]:
        return {_ALL: answer(groups[_ALL])}
    answers: dict[Group, Answer | ThresherError] = {}
    for group, part in groups.items():
        try:
            answers[group] = answer(part)
        except (EmptyError, OneClassError, PositiveLabelError) as error:
            answers[group] = error
    refused = [each for each in answers.values() if isinstance(each, ThresherError)]
    if len(refused) == len(answers):
        raise refused[0]
    return answers


def group_text(by: Sequence[str], group: Group) -> str:
    """A group in words.

    >>> group_text(["week", "country"], (2, None))
    'week=2, country missing'
    """
    parts = zip(by, group, strict=True)
    return plain_text(", ".join(f"{name} missing" if value is None else f"{name}={value}" for name, value in parts))


def rows_by_group(values: Mapping[str, Column], by: Sequence[str]) -> dict[Group, Any]:
    """Which rows each group holds, in the order of the groups' values."""
    if not by:
        return {_ALL: slice(None)}
    known: list[list[Any]] = []
    keys = np.zeros(len(values[by[0]]), dtype=np.int64)
    for name in by:
        codes = Codes()
        each = codes.encode(values[name]).astype(np.int64) + 1  # a missing value is 0
        known.append([None, *codes.values])
        keys = keys * len(known[-1]) + each
    distinct, inverse = np.unique(keys, return_inverse=True)
    ends = np.cumsum(np.bincount(inverse))[:-1]
    parts: list[Indices] = np.split(np.argsort(inverse, kind="stable"), ends)
    places = np.unravel_index(distinct, [len(each) for each in known])
    columns = [[each[code] for code in place.tolist()] for each, place in zip(known, places, strict=True)]
    names = list(zip(*columns, strict=True))
    groups = dict(zip(names, parts, strict=True))
    return {name: groups[name] for name in sorted(groups, key=_order)}


def take_rows(values: Mapping[str, Column], texts: Mapping[str, Sequence[str]]) -> dict[str, Column]:
    """The rows that have the values which --where asks for."""
    if not texts:
        return dict(values)
    take = matching_rows(values, {name: _typed(words, values[name]) for name, words in texts.items()})
    if not take.any():
        raise EmptyError("no row has the values that --where asks for", "check them against the column")
    return {name: each[take] for name, each in values.items()}


def filter_texts(texts: Sequence[str], source: str, columns: LabelOptions) -> dict[str, list[str]]:
    """The values that --where asks for, by column; a name may hold a "="."""
    if not texts:
        return {}
    known = _known_columns(source, columns)
    asked: dict[str, list[str]] = {}
    for text in texts:
        ends = [at for at, letter in enumerate(text) if letter == "="]
        names = [text[:at] for at in ends if known is None or text[:at] in known]
        if not ends:
            raise ArgumentError(f"cannot read --where {text!r}", "write COLUMN=VALUE")
        name = names[0] if names else text[: ends[0]]
        asked.setdefault(name, []).append(text[len(name) + 1 :])
    return asked


def _typed(texts: Sequence[str], values: Column) -> list[Any]:
    """Texts in the type of a column; an empty one stands for what is missing."""
    if values.dtype.kind != "M":
        return [positive_label(text, values) if text else None for text in texts]
    try:
        return [np.datetime64(text) if text else None for text in texts]
    except ValueError as error:
        raise ArgumentError(f"--where asks for no date: {error}", "write e.g. 2026-05-01") from None


def _order(group: Group) -> list[tuple[str, Any]]:
    """Sort groups by their values, of whatever kinds; missing ones come first."""
    return [("" if value is None else type(value).__name__, 0 if value is None else value) for value in group]


def positive_label(text: str | None, labels: Any) -> Any:
    """The positive label in the type of the labels; integers are read exactly."""
    if text is None:
        return None
    kind, objects = labels.dtype.kind, labels.dtype.kind == "O"
    if kind not in "biufO" or (objects and any(isinstance(label, str) for label in labels)):
        return text
    word = text.strip().lower()
    if word in ("true", "false") and kind in "bO":
        return word == "true"
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return text
    if exact.is_finite() and exact.adjusted() <= _MOST_DIGITS and exact == int(exact):
        return int(exact)
    return exact if objects and any(isinstance(label, Decimal) for label in labels) else float(exact)


def _label_and_scores(source: str, columns: ColumnOptions) -> tuple[str, tuple[str, ...]]:
    """The columns of labels and scores that the options name; none is guessed."""
    label = require_column(source, columns, columns.label, "--label", "true labels")
    scores = columns.scores
    if not scores:
        require_column(source, columns, None, "--score", "scores")
    if len(set(scores)) < len(scores):
        raise ArgumentError(f"a column is given twice as --score: {', '.join(scores)}", "give each model once")
    require_other_columns(label, [("--score", name) for name in scores])
    return label, scores


def require_column(source: str, columns: LabelOptions, name: str | None, option: str, kind: str) -> str:
    """The column that an option names; without one, all columns are listed."""
    if name is not None:
        return name
    names = source_names(source, table=columns.table_name)
    shown = ", ".join(map(repr, names[:_SHOWN])) + (f" and {len(names) - _SHOWN} more" if names[_SHOWN:] else "")
    what = f"cannot tell which column holds the {kind}"
    raise ArgumentError(what, f"pass {option} with one of its columns: {shown}")


def require_other_columns(label: str, roles: Iterable[tuple[str, str | None]]) -> None:
    """The column of labels has no other role: judged by itself, all is perfect."""
    for option, name in roles:
        if name == label:
            what = f"the column {label!r} is given as --label and as {option}"
            raise ArgumentError(what, "name two columns")


def _prediction_columns(
    texts: Sequence[str], scores: tuple[str, ...], source: str, columns: ColumnOptions
) -> dict[str, str]:
    """Columns of predictions by model: "model=column", or "column" of the only model."""
    by_model: dict[str, str] = {}
    for text in texts:
        model, equals, name = text.rpartition("=")
        if model not in scores:
            # The name of a column may hold a "=" where there is only one model that it can belong to.
            known = _known_columns(source, columns) if equals and len(scores) == 1 else None
            if len(scores) > 1 or (known is not None and text not in known):
                what = f"there is no model {model!r}" if equals else f"cannot tell which model predicted {text!r}"
                raise ArgumentError(what, f"write --prediction MODEL=COLUMN, e.g. {scores[0]}={name}")
            model, name = scores[0], text
        if model in by_model:
            raise ArgumentError(f"the model {model!r} has two columns of predictions", "give one")
        by_model[model] = name
    return by_model


def _known_columns(source: str, columns: LabelOptions) -> tuple[str, ...] | None:
    """The names of a source's columns; None of standard input, which is read once."""
    return None if source == "-" else source_names(source, table=columns.table_name)
