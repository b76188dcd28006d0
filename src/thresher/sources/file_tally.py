"""Parquet files counted batch by batch: the table that the one query would give, without an engine.

Counting by bucket is what NumPy does best: a bucket of every row, and counts, lowest and highest scores added to arrays
that are as long as there are buckets. Memory is that of these arrays and of one batch, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

import numpy as np

from thresher._internal.optional import extra
from thresher.inputs.arrow import plain_numbers
from thresher.ranking import Counts, Flags, Floats
from thresher.sources import tally as query
from thresher.sources.buckets import SUBS
from thresher.sources.data_file import DataFile
from thresher.sources.faults import told_plainly
from thresher.sources.lenses import Lens, place_of_through
from thresher.sources.progress import Listener, RowCount, heard
from thresher.sources.refinement import Piece
from thresher.sources.tally import FAULT, Wanted

_ROWS = 1 << 19
_MOST_LABELS = 8
_FEW = 256
_EXACT_IN_FLOAT64 = 2**53
_WIDE = ("int64", "uint64")
_STATES = query.NO_LABEL | query.NO_SCORE | query.UNFIT_SCORE


def countable(files: Sequence[DataFile], wanted: Wanted) -> bool:
    """Whether these are Parquet files with plain columns of numbers as scores, and nothing but counts is asked."""
    if files[0].format != "parquet" or wanted.weight is not None or wanted.by:
        return False
    arrow = extra("pyarrow", name="files")
    parquet = extra("pyarrow.parquet", name="files")
    labels, columns = set(), set()
    for file in files:
        with told_plainly(file.name):
            schema = parquet.read_schema(file.name)
        if any(schema.get_field_index(name) < 0 or name in file.partition for name in wanted.columns):
            return False
        kinds = [schema.field(name).type for name in wanted.scores]
        numbers = [arrow.types.is_floating(kind) or arrow.types.is_integer(kind) for kind in kinds]
        label = schema.field(wanted.label).type
        labels.add(label)
        columns.add(frozenset([*schema.names, *file.partition]))
        if not all(numbers) or arrow.types.is_nested(label) or arrow.types.is_floating(label):
            return False
    return len(labels) == len(columns) == 1


class NeedsEngine(Exception):  # noqa: N818 - a way out, not an error
    """More labels than two, or more rows of a few scores than fit: an engine counts or tells it better."""


def file_tally(files: Sequence[DataFile], wanted: Wanted, grid: Grid, *, stage: str, listener: Listener | None) -> Any:
    """The table that `tally` asks an engine for, as an Arrow table."""
    arrow = extra("pyarrow", name="files")
    parquet = extra("pyarrow.parquet", name="files")
    counters = [_Counter(grid) for _ in wanted.scores]
    labels = Labels()
    done, total = RowCount(), sum(parquet.read_metadata(file.name).num_rows for file in files)
    with heard(listener, stage, total=total, rows=lambda: done.rows):
        for batch in batches_of(parquet, files, wanted.columns):
            code = labels.coded(batch[wanted.label])
            for counter, name in zip(counters, wanted.scores, strict=True):
                counter.add(code, batch[name], labels=len(labels.known))
            done.rows += len(code)
    columns = [counter.rows() for counter in counters]
    found = {name: np.concatenate([each[name] for each in columns]) for name in columns[0]}
    if len(columns) > 1:
        found["model"] = np.repeat(np.arange(len(columns)), [each["key"].size for each in columns])
    plain = {name: _arrow(arrow, values) for name, values in found.items()}
    return arrow.table(plain | {"label": labels.named(arrow, plain["label"])})


class Labels:
    """The labels seen so far, each with a number."""

    def __init__(self) -> None:
        self.known: list[Any] = []
        self.arrays: list[Any] = []
        self.lock = Lock()

    def coded(self, values: Any) -> Counts:
        """The number of each label, to which new ones are added; -1 where it is missing."""
        if (small := _small_numbers(values)) is not None:
            low, high = int(small.min()), int(small.max())
            if self.known == [*range(len(self.known))] and low >= 0 and high < len(self.known):
                return small  # as 0 and 1 are from the second batch on
            if high - low < _FEW and abs(low) < _EXACT_IN_FLOAT64:
                index = small.astype(np.int64) - low
                there = np.flatnonzero(np.bincount(index))
                number = np.full(high - low + 1, -1)
                number[there] = [self._number(label + low, values, index, label) for label in there.tolist()]
                found: Counts = number[index]
                return found
        encoded = values if hasattr(values, "dictionary") else values.dictionary_encode()
        seen = encoded.dictionary.to_pylist()
        codes = [
            -1 if x is None else self._number(x, encoded.dictionary, np.arange(len(seen)), i)
            for i, x in enumerate(seen)
        ]
        indices = encoded.indices.fill_null(len(seen)) if encoded.indices.null_count else encoded.indices
        return np.array([*codes, -1])[plain_numbers(indices)]

    def _number(self, label: Any, values: Any, index: Counts, at: int) -> int:
        """The number of a label; of a new one, an entry of `values` where `index` says `at` is kept."""
        with self.lock:
            if label not in self.known:
                if len(self.known) == _MOST_LABELS:
                    raise NeedsEngine
                self.known.append(label)
                self.arrays.append(values.slice(int(np.argmax(index == at)), 1))
            return self.known.index(label)

    def named(self, arrow: Any, number: Any) -> Any:
        """Labels by their numbers; that one past the last is of what is missing."""
        if not self.arrays:
            return arrow.nulls(len(number))
        return arrow.concat_arrays([*self.arrays, arrow.nulls(1, self.arrays[0].type)]).take(number)


class Grid:
    """The cells that scores fall into: buckets, or parts of them, numbered without gaps.

    `occupied` names the buckets that hold rows, where a pass before this one told: others are not divided.
    """

    def __init__(
        self,
        buckets: int,
        pieces: Sequence[Piece] = (),
        lenses: Sequence[Lens] = (),
        occupied: Counts | None = None,
    ) -> None:
        self.buckets, self.lenses = buckets, lenses
        own = [np.arange(lens.first, lens.end(buckets)) for lens in lenses]
        self.bucket = np.concatenate([np.arange(-2 - buckets // 4, buckets + buckets // 4 + 3), *own])
        parts = np.ones(self.bucket.size, dtype=np.int64)
        if pieces:
            first = np.array([piece.first for piece in pieces[1:]])
            each = np.array([piece.parts for piece in pieces])
            parts = each[np.searchsorted(first, self.bucket, side="right")]
            if occupied is not None:
                # Parts are meant for buckets with rows: there may be thousands without between two of them.
                parts[np.isin(self.bucket, occupied, invert=True)] = 1
        self.start = np.concatenate([[0], np.cumsum(parts)])
        self.parts = parts.astype(np.float64)
        self.divided = bool(pieces)

    @property
    def cells(self) -> int:
        """How many there are."""
        return int(self.start[-1])

    def cell(self, score: Floats) -> Counts:
        """The number of each score's cell."""
        at = place_of_through(score, self.lenses, buckets=self.buckets)
        bucket = np.floor(at)
        index = self._index(bucket.astype(np.int64))
        if not self.divided:
            return index
        at -= bucket
        at *= self.parts[index]
        return self.start[index] + at.astype(np.int64)

    def key(self, cell: Counts) -> Counts:
        """What the query calls a cell."""
        index = np.searchsorted(self.start, cell, side="right") - 1
        bucket = self.bucket[index]
        return bucket * SUBS + (cell - self.start[index]) if self.divided else bucket

    def _index(self, bucket: Counts) -> Counts:
        """Where buckets stand among all, of which those of a lens follow those of the map and of lenses before."""
        index = bucket - self.bucket[0]
        for lens in self.lenses:
            mine = np.flatnonzero((bucket >= lens.first) & (bucket < lens.end(self.buckets)))
            index[mine] = bucket[mine] - lens.first + np.searchsorted(self.bucket, lens.first)
        return index


class Faults:
    """Rows that lack something, counted by label and by what they lack."""

    def __init__(self) -> None:
        self._cases = np.zeros((_MOST_LABELS + 1, _STATES + 1), dtype=np.int64)
        self._lock = Lock()

    def left(self, code: Counts, score: Floats, state: Counts | None) -> tuple[Counts, Floats]:
        """Labels and scores of the rows that lack nothing; the others are counted."""
        if state is None and code.min() >= 0:
            return code, score
        state = np.where(code < 0, query.NO_LABEL, 0) | (0 if state is None else state)
        fine: Flags = state == 0
        with self._lock:
            np.add.at(self._cases, (code[~fine], state[~fine]), 1)
        return code[fine], score[fine]

    def found(self, labels: int) -> tuple[Counts, Counts, Counts]:
        """Label, fault and count of those that occur; a missing label has the number of all known ones."""
        label, state = np.nonzero(self._cases)
        number = np.where(label == _MOST_LABELS, labels, label)  # -1 counted from the end
        return number, FAULT + state, self._cases[label, state]


class _Counter:
    """Counts, lowest and highest scores of one model, by label and cell."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.labels = 0
        self.cases = np.zeros(0, dtype=np.int64)
        self.low, self.high = np.zeros(0), np.zeros(0)
        self.faults = Faults()

    def add(self, code: Counts, values: Any, *, labels: int) -> None:
        """Take a batch: the number of each row's label (-1 for none) and its score."""
        self._make_room(labels)
        code, score = self.faults.left(code, *scores_of(values))
        if score.size:
            cell = self.grid.cell(score)
            cell += code * np.int64(self.grid.cells)
            np.add.at(self.cases, cell, np.ones(cell.size, dtype=np.int64))
            np.minimum.at(self.low, cell, score)
            np.maximum.at(self.high, cell, score)

    def rows(self) -> dict[str, Any]:
        """What was counted, a row for each label and cell that has cases, and for each label and fault."""
        cell = np.flatnonzero(self.cases)
        label, key = cell // self.grid.cells, self.grid.key(cell % self.grid.cells)
        number, fault, cases = self.faults.found(self.labels)
        nothing = np.full(number.size, np.nan)
        return {
            "label": np.concatenate([label, number]),
            "key": np.concatenate([key, fault]),
            "cases": np.concatenate([self.cases[cell], cases]),
            "low": np.concatenate([self.low[cell], nothing]),
            "high": np.concatenate([self.high[cell], nothing]),
        }

    def _make_room(self, labels: int) -> None:
        more = (labels - self.labels) * self.grid.cells
        if more:
            self.cases = np.concatenate([self.cases, np.zeros(more, dtype=np.int64)])
            self.low = np.concatenate([self.low, np.full(more, np.inf)])
            self.high = np.concatenate([self.high, np.full(more, -np.inf)])
            self.labels = labels


def batches_of(parquet: Any, files: Sequence[DataFile], names: list[str]) -> Iterator[Any]:
    """Pieces of the files, the next one being read while one is counted."""
    with ThreadPoolExecutor(1) as reader:
        for file in files:
            with told_plainly(file.name), parquet.ParquetFile(file.name) as opened:
                pieces = opened.iter_batches(batch_size=_ROWS, columns=names, use_threads=False)
                ahead = reader.submit(next, pieces, None)
                while (batch := ahead.result()) is not None:
                    ahead = reader.submit(next, pieces, None)
                    if batch.num_rows:
                        yield batch


def _small_numbers(values: Any) -> Counts | None:
    """Labels that are whole numbers, none of them missing."""
    if not len(values) or values.null_count or not str(values.type).startswith(("int", "uint")):
        return None
    found: Counts = plain_numbers(values)
    return found


def scores_of(values: Any) -> tuple[Floats, Counts | None]:
    """Scores as float64, and what is wrong with each: missing or too large a whole number; None where nothing is."""
    raw = values.to_numpy(zero_copy_only=False) if values.null_count else plain_numbers(values)
    score = raw.astype(np.float64, copy=False)
    wrong = [(np.isnan(score), query.NO_SCORE)] if raw.dtype.kind == "f" else []
    if str(values.type) in _WIDE:
        wrong.append((np.abs(score) >= _EXACT_IN_FLOAT64, query.UNFIT_SCORE))
    states = [np.where(rows, bit, 0) for rows, bit in wrong if rows.any()]
    return score, np.bitwise_or.reduce(states) if states else None


def _arrow(arrow: Any, values: Any) -> Any:
    """Numbers of NumPy as Arrow has them; nothing is copied."""
    kind = arrow.float64() if values.dtype.kind == "f" else arrow.int64()
    return arrow.Array.from_buffers(kind, values.size, [None, arrow.py_buffer(np.ascontiguousarray(values))])
