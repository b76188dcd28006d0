"""Rows on their way into a store: batches of named columns as checked arrays."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from thresher._internal.arguments import as_number, short_repr
from thresher._internal.optional import extra
from thresher.errors import ArgumentError, ColumnError, LabelError, MissingValueError, ScoreError, located
from thresher.inputs.arrow import is_arrow, numpy_column, plain_array
from thresher.inputs.columns import Column, column, is_absent, is_missing, require_columns
from thresher.inputs.frames import arrow_table, frame_columns, frame_stream, is_frame, native_frame
from thresher.ranking import Counts, Flags, Floats, rankable
from thresher.sources.engines.connect import is_engine_source, open_table, require_table_columns
from thresher.sources.engines.errors import translate_errors, without_secrets
from thresher.sources.files import FileTable
from thresher.sources.options import TableName
from thresher.watching.storage.schema import UNLABELLED

ROWS = 50_000  # of one transaction
LONGEST_ID = 64  # bytes up to which an id is its own key
_TRUTH = {"true": "1", "false": "0"}
Batch: TypeAlias = Mapping[str, Any]


def row_batches(
    source: Any, names: Sequence[str], *, scores: Sequence[str] = (), table: TableName | None = None, rows: int = ROWS
) -> Iterator[Batch]:
    """The named columns of a source, exactly so many rows at a time but for the last.

    A source is a frame, files, a table of an engine, or an iterator of such frames. `scores` are numbers where a file
    has no types.
    """
    names = list(dict.fromkeys(names))
    if not isinstance(source, str | os.PathLike) and not is_frame(source) and not is_engine_source(source):
        if not isinstance(source, Iterable):
            what = f"a {type(source).__name__} holds no rows"
            raise ArgumentError(what, "give a frame, a file, a table, or an iterator of batches")
        for part in source:
            yield from row_batches(part, names, scores=scores, rows=rows)
        return
    with located(place_of(source)):
        yield from _exact(_batches(source, names, scores, table), rows)


def place_of(source: Any) -> str:
    """A source in words, without secrets."""
    return without_secrets(os.fspath(source)) if isinstance(source, str | os.PathLike) else ""


def _batches(source: Any, names: list[str], scores: Sequence[str], table: TableName | None) -> Iterator[Any]:
    if is_engine_source(source):
        with open_table(source, table=table) as opened:
            require_table_columns(opened.table, names, place=opened.place)
            yield from opened.batches(names)
        return
    if table is not None:
        raise ArgumentError("only a database holds tables", "leave table= out", parameter="table")
    if isinstance(source, str | os.PathLike):
        arrow = extra("pyarrow", name="files")
        files = FileTable.of(source)
        files.require(names)
        types = {name: arrow.float64() if name in scores else arrow.string() for name in names if files.untyped(name)}
        if files.first.format == "jsonl":
            types |= {name: files.type_of(name) for name in names if name not in types}
        yield from files.batches(names, types, ahead=False)
        return
    if isinstance(source, Mapping | np.ndarray):
        yield frame_columns(source, names)
        return
    with translate_errors("the frame"):
        stream = frame_stream(source)
    if stream is None:
        frame = native_frame(source)
        require_columns(names, list(frame.columns), place="the frame")
        yield {name: _held_column(frame, name) for name in names}
        return
    require_columns(names, stream.schema.names, place="the frame")
    with stream.turn(), translate_errors("the frame"):
        yield from stream.read(names)


def _held_column(frame: Any, name: str) -> Any:
    """A column of a frame in Arrow, which knows its zone, unless it mixes types."""
    try:
        return arrow_table(frame[[name]])[name].combine_chunks()
    except Exception:  # noqa: BLE001 - every library has its own for entries that Arrow lacks
        return frame_columns(frame, [name])[name]


def _exact(batches: Iterable[Any], rows: int) -> Iterator[Batch]:
    """Batches of exactly so many rows, so that reading again gives the same ones."""
    rest: Any = None
    for batch in batches:
        if isinstance(batch, dict):
            size = len(next(iter(batch.values())))
            for first in range(0, size, rows):
                yield {name: values[first : first + rows] for name, values in batch.items()}
            continue
        arrow = extra("pyarrow", name="files")
        part = arrow.Table.from_batches([batch])
        rest = part if rest is None else arrow.concat_tables([rest, part], promote_options="permissive")
        while rest.num_rows >= rows:
            yield _cut(rest.slice(0, rows))
            rest = rest.slice(rows)
    if rest is not None and rest.num_rows:
        yield _cut(rest)


def _cut(table: Any) -> dict[str, Any]:
    return {name: table[name].combine_chunks() for name in table.column_names}


@dataclass(frozen=True, slots=True, eq=False)
class Identified:
    """Ids as bytes: the key of each row, and the id itself where the key is a digest."""

    keys: list[bytes]
    long: dict[int, bytes]

    def text(self, n: int) -> str:
        """The id of a row, for messages."""
        return id_text(self.long.get(n, self.keys[n]))


def id_text(value: bytes) -> str:
    """An id as text."""
    return value.decode("utf-8", errors="surrogatepass")


def ids_of(values: Any, *, name: str) -> Identified:
    """A column of ids, which are texts or integers."""
    ids = _arrow_ids(values, name) if is_arrow(values) else _python_ids(column(values, name=name), name)
    long: dict[int, bytes] = {}
    if max(map(len, ids), default=0) > LONGEST_ID:
        long = {n: value for n, value in enumerate(ids) if len(value) > LONGEST_ID}
        for n, value in long.items():  # no text in UTF-8 begins with FF
            ids[n] = b"\xff" + hashlib.blake2b(value, digest_size=24).digest()
    return Identified(ids, long)


def _arrow_ids(values: Any, name: str) -> list[bytes]:
    import pyarrow as pa

    values = plain_array(values, name=name)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if values.null_count:
        raise _missing(values.null_count, len(values), name, "ids")
    kind = values.type
    if not (pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise _no_id(values[0].as_py() if len(values) else kind, name)
    ids: list[bytes] = values.cast(pa.large_string()).cast(pa.large_binary()).to_pylist()
    return _nonempty(ids, name)


def _python_ids(values: Column, name: str) -> list[bytes]:
    if (absent := is_missing(values)) is not None:
        raise _missing(int(absent.sum()), values.size, name, "ids")
    plain = values.tolist()
    if values.dtype.kind in "iu":
        return [b"%d" % value for value in plain]
    for kind in set(map(type, plain)):
        if kind not in (str, int):
            raise _no_id(next(value for value in plain if type(value) is kind), name)
    return _nonempty([str(value).encode("utf-8", errors="surrogatepass") for value in plain], name)


def _nonempty(ids: list[bytes], name: str) -> list[bytes]:
    if b"" in ids:
        raise _missing(ids.count(b""), len(ids), name, "ids")
    return ids


def scores_of(values: Any, *, name: str) -> Floats:
    """A column of scores as float64, exactly; none may be missing."""
    numbers = numpy_column(values, name=name) if is_arrow(values) else column(values, name=name)
    if (absent := is_missing(numbers)) is not None:
        raise _missing(int(absent.sum()), numbers.size, name, "scores")
    if numbers.dtype.kind not in "fiuO":
        what = f"{short_repr(numbers.tolist()[0] if numbers.size else numbers.dtype)} in column {name!r} is no score"
        raise ScoreError(what, "give numbers")
    with located(f"column {name!r}"):
        return rankable(numbers).astype(np.float64)


def labels_of(values: Any, *, name: str, labels: tuple[str, str]) -> Counts:
    """A column of labels as 0, 1, and -1 for those that are withdrawn."""
    entries = numpy_column(values, name=name) if is_arrow(values) else column(values, name=name)
    known = {labels[0]: 0, labels[1]: 1, "": UNLABELLED}
    plain = entries.tolist()
    codes: dict[Any, int] = {}
    for value in set(plain):
        code = UNLABELLED if is_absent(value) else known.get(label_text(value))
        if code is None:
            what = f"{short_repr(value)} in column {name!r} is a third label next to {labels[0]!r} and {labels[1]!r}"
            raise LabelError(what, "give one of the two, or nothing to withdraw a label")
        codes[value] = code
    return np.array([codes[value] for value in plain], dtype=np.int64)


def label_text(value: Any) -> str:
    """A label as text, the same for 1, 1.0, "1" and True.

    >>> label_text(True), label_text(0.0), label_text("fraud")
    ('1', '0', 'fraud')
    """
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value).strip()
    return _TRUTH.get(text.lower(), text)


def propensities_of(values: Any, *, name: str, rows: int) -> Floats:
    """Probabilities with which rows were drawn; missing for rows that were not."""
    numbers = numpy_column(values, name=name) if is_arrow(values) else column(values, name=name)
    if numbers.dtype.kind not in "fiuO":
        raise ColumnError(f"the column {name!r} holds no probabilities", "give numbers above 0 and up to 1")
    plain = numbers.dtype.kind == "O"  # of entries of several types, those that are no numbers become NaN
    drawn = np.array([as_number(value) for value in numbers.tolist()]) if plain else numbers.astype(np.float64)
    absent = is_missing(numbers)
    there = np.ones(rows, dtype=np.bool_) if absent is None else ~absent
    drawn[~there] = 0.0
    wrong: Flags = there & ~((drawn > 0) & (drawn <= 1))
    if wrong.any():
        first = int(wrong.argmax())
        what = f"{int(wrong.sum()):,} propensities in column {name!r} lie outside (0, 1], the first is {drawn[first]:g}"
        raise ColumnError(what, "give the probability with which a row was drawn, and nothing for rows that were not")
    return drawn


def decisions_of(values: Any, *, name: str, latest: int) -> Counts:
    """A column that says which decision scored a row, by its number in the watch."""
    numbers = numpy_column(values, name=name) if is_arrow(values) else column(values, name=name)
    if (absent := is_missing(numbers)) is not None:
        raise _missing(int(absent.sum()), numbers.size, name, "decisions")
    known = range(1, latest + 1)
    wrong = next((value for value in set(numbers.tolist()) if value not in known), None)
    if wrong is not None:
        what = f"{short_repr(wrong)} in column {name!r} is no decision of this watch"
        raise ColumnError(what, f"give numbers up to {latest}, as thresher watch show lists them")
    return numbers.astype(np.int64)


def content_of(*columns: Sequence[bytes] | Counts | Floats | None) -> bytes:
    """A digest of a batch, by which it is known again."""
    digest = hashlib.sha256()
    for values in columns:
        if values is None or isinstance(values, np.ndarray):
            parts = [b"" if values is None else values.tobytes()]
        else:  # texts with their lengths, or "ab", "c" would be "a", "bc"
            parts = [np.array(list(map(len, values)), dtype=np.int64).tobytes(), b"".join(values)]
        for part in parts:
            digest.update(len(part).to_bytes(8, "little"))
            digest.update(part)
    return digest.digest()


def group_by_columns(columns: Sequence[Counts | Floats]) -> tuple[Counts, Counts]:
    """The first row of each combination of numbers, and the group of each row."""
    order = np.lexsort([np.asarray(values) for values in columns][::-1])
    fresh = np.zeros(order.size, dtype=np.bool_)
    fresh[:1] = True
    for values in columns:
        fresh[1:] |= values[order][1:] != values[order][:-1]
    group = np.empty(order.size, dtype=np.int64)
    group[order] = np.cumsum(fresh) - 1
    return order[fresh], group


def _missing(count: int, rows: int, name: str, what: str) -> MissingValueError:
    text = f"{count:,} of {rows:,} {what} in column {name!r} are missing or NaN, and they are never guessed"
    return MissingValueError(text, "fill them, or leave those rows out")


def _no_id(value: Any, name: str) -> ColumnError:
    return ColumnError(f"{short_repr(value)} in column {name!r} is no id", "give texts or integers, one per row")
