"""Batches become counts: exactly, by buckets, or by an external sort.

Every row is decided on here, once for files, frames and streams: labels and groups become codes, scores and weights
numbers, and rows that lack something are counted with the first few of their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import ColumnError, EmptyError, MissingValueError, WeightError, argument
from thresher.inputs.arrow import float_values, is_arrow, numpy_column, parse_text, plain_array, plain_numbers
from thresher.inputs.columns import Column, column, is_missing, plain_entries
from thresher.inputs.labels import is_positive, positive_values
from thresher.inputs.rank import float_weights
from thresher.ranking import Counts, Flags, Floats, Ranking, rankable
from thresher.sources.buckets import BucketStore, LabelCodes, add_counts
from thresher.sources.external_sort import ExternalSort
from thresher.sources.options import Columns, Options

Batch: TypeAlias = Mapping[Any, Any] | Any  # columns by name, of NumPy or of an Arrow record batch
Key: TypeAlias = tuple[str, Any]  # score column and group
MOST_LABELS = 1 << 7
_SPREAD = 1 << 8  # of whole numbers that are labels
_FIRST = 5
_SHOWN = 6
_TABLE_ROWS = 1 << 20


class Codes:
    """The distinct values of a column, numbered as they appear; missing is -1."""

    def __init__(self, most: int | None = None) -> None:
        self.values: list[Any] = []
        self._place: dict[Any, int] = {}
        self._most = most
        self._counting = True  # whether the values are 0, 1, 2, …

    def encode(self, values: Any) -> Counts:
        """The code of each value."""
        numbers, truth = _integers(values)
        if numbers is not None and numbers.size:
            low, high = int(numbers.min()), int(numbers.max())
            if low >= 0 and high < len(self.values) and self._counting:
                return numbers  # as 0 and 1 are from the second batch on
            if high - low < _SPREAD:
                index = numbers.astype(np.int64) - low
                codes = np.full(high - low + 1, -1, dtype=np.int64)
                for there in np.flatnonzero(np.bincount(index)).tolist():
                    codes[there] = self._code(bool(there + low) if truth else there + low)
                return codes[index]
        return self._of_arrow(values) if is_arrow(values) else self._of_entries(plain_entries(values))

    def _of_arrow(self, values: Any) -> Counts:
        encoded = values if hasattr(values, "dictionary") else plain_array(values, name="labels").dictionary_encode()
        if encoded.dictionary.null_count:
            encoded = encoded.cast(encoded.type.value_type).dictionary_encode()
        words = numpy_column(encoded.dictionary, name="labels")
        codes = [self._code(value) for value in plain_entries(words)]
        indices = encoded.indices.fill_null(len(codes)) if encoded.indices.null_count else encoded.indices
        return np.array([*codes, -1], dtype=np.int64)[plain_numbers(indices)]

    def _of_entries(self, entries: list[Any]) -> Counts:
        try:
            known = {entry: self._code(entry) for entry in dict.fromkeys(entries)}
        except TypeError:
            what = "labels and groups are plain values, and a column holds others"
            raise ColumnError(what, "give texts, numbers, dates or truth values") from None
        return np.fromiter(map(known.__getitem__, entries), dtype=np.int64, count=len(entries))

    def _code(self, value: Any) -> int:
        if value is None:
            return -1
        code = self._place.setdefault(value, len(self.values))
        if code == len(self.values):
            self.values.append(value)
            self._counting = self._counting and value == code
            if self._most is not None and len(self.values) > self._most:
                is_positive(column(self.values, name="labels"))  # which refuses so many
        return code


def _integers(values: Any) -> tuple[Column | None, bool]:
    """Integers or booleans without gaps as NumPy integers, and whether booleans."""
    if not is_arrow(values):
        truth = values.dtype.kind == "b"
        return (values.view(np.uint8) if truth else values) if values.dtype.kind in "biu" else None, truth
    kind = str(values.type)
    if values.null_count or not kind.startswith(("int", "uint", "bool")):
        return None, False
    if kind == "bool":
        return values.to_numpy(zero_copy_only=False).view(np.uint8), True
    return plain_numbers(values), False


@dataclass(slots=True)
class Fault:
    """Rows that lack something: how many, and the numbers of the first few."""

    count: int = 0
    rows: list[int] = field(default_factory=list)

    def add(self, flags: Flags, before: int) -> None:
        """Take the flags of a batch that comes after so many rows."""
        at = np.flatnonzero(flags)
        self.count += at.size
        self.rows += [before + int(row) for row in at[: max(0, _FIRST - len(self.rows))]]

    def __str__(self) -> str:
        return f"(first at rows {', '.join(map(str, self.rows))})" if self.rows else ""


class Counter:
    """Counts batches of rows; `rankings` are those of all rows so far.

    Up to `most_rows` rows stay in memory; texts of columns in `text` are read as numbers at the end; `place` is for
    messages; `together` leaves out rows that miss any of the scores.
    """

    def __init__(
        self,
        columns: Columns,
        options: Options,
        *,
        most_rows: int,
        text: Iterable[str] = (),
        place: str = "",
        together: bool = False,
    ) -> None:
        self.rows = 0
        self._columns, self._options, self._most = columns, options, most_rows
        self._text, self._place, self._together = frozenset(text), place, together
        self._labels = Codes(MOST_LABELS)
        self._by = [Codes() for _ in columns.by]
        self._groups: dict[tuple[int, ...], int] = {}
        self._faults = {"labels": Fault(), "scores": Fault(), "weights": Fault()}
        self._faulty, self._bad_weights, self._left = False, Fault(), 0
        self._dropped = [np.zeros(1, dtype=np.int64)] * len(columns.scores)
        self._stores: list[_Store] = [RowStore() for _ in columns.scores]

    def add(self, batch: Batch) -> None:
        """Count one more batch."""
        label = self._labels.encode(batch[self._columns.label])
        gone = self._note("labels", label < 0 if label.size and label.dtype.kind == "i" and label.min() < 0 else None)
        weights = None
        if self._columns.weights is not None:
            weights = float_weights(_numbers(batch[self._columns.weights]))
            gone = _either(gone, self._note("weights", _gaps(weights)))
        scores = [_numbers(batch[name]) for name in self._columns.scores]
        absent = [self._note("scores", _gaps(score)) for score in scores]
        for flags in absent if self._together else ():
            gone = _either(gone, flags)
        code, group = label.astype(np.int8, copy=False), None
        if self._by:
            group = self._group_codes(batch, label.size)
            code = (group * MOST_LABELS + label).astype(np.int32)
        if weights is not None:
            self._check_weights(weights, gone, absent)
        if self.rows + label.size > self._most:
            self._leave_memory()
        if self._options.missing == "drop" or not self._faulty:
            for i, score in enumerate(scores):
                self._store(i, (code, score, weights), _either(gone, absent[i]), group)
        self.rows += label.size

    def rankings(self) -> dict[Key, Ranking]:
        """One ranking for each score column and group; refuses what `rank` refuses."""
        if not self.rows:
            raise EmptyError("there are no rows", "give at least one, and check where=")
        text = self._columns.label in self._text
        values = _read_text(self._labels.values) if text else self._labels.values
        absent = np.array([value is None for value in values], dtype=np.bool_)
        cases = [store.cases() for store in self._stores]
        seen = np.zeros(MOST_LABELS, dtype=np.int64)
        for code, counts in cases:
            here = np.bincount(code % MOST_LABELS, counts, minlength=MOST_LABELS).astype(np.int64)
            seen = np.maximum(seen, here)  # of the score column that has most of them
        if self._faulty or absent.any() or self._bad_weights.count:
            self._refuse(absent, *cases[0])
        there = np.flatnonzero((seen[: absent.size] > 0) & ~absent)
        positive, take = np.zeros((2, MOST_LABELS), dtype=np.bool_)
        if there.size:
            known = list(map(values.__getitem__, there.tolist()))
            positive[there] = positive_values(known, positive=self._options.positive, cases=seen[there])
            take[there] = True
        number, names = self._group_names() if self._by else (np.zeros(1, dtype=np.int64), [()])
        codes = LabelCodes(
            np.tile(positive, number.size), np.tile(take, number.size), np.repeat(number, MOST_LABELS), len(names)
        )
        rankings: dict[Key, Ranking] = {}
        empty: list[Key] = []
        for i, score in enumerate(self._columns.scores):
            dropped = self._dropped_in(i, codes, cases[i])
            for group, ranking in enumerate(self._stores[i].rankings(codes, dropped)):
                if ranking is None:
                    empty.append((score, names[group]))
                else:
                    rankings[score, names[group]] = ranking
        if empty and not rankings and not any(dropped.any() for dropped in self._dropped):
            raise EmptyError("all weights are 0, so there are no rows", "give at least one weight above 0")
        if empty:
            require_rows_left(empty)
        return rankings

    def close(self) -> None:
        """Give back what an external sort holds on disk."""
        for store in self._stores:
            if isinstance(store, ExternalSort):
                store.close()

    def _note(self, name: str, flags: Flags | None) -> Flags | None:
        """Count the rows that lack something, if any."""
        if flags is not None:
            self._faults[name].add(flags, self.rows)
            self._faulty = True
        return flags

    def _check_weights(self, weights: Floats, gone: Flags | None, absent: Sequence[Flags | None]) -> None:
        """Note weights that are negative or infinite, in rows that some score counts."""
        lacks = np.zeros(weights.size, dtype=np.bool_) if gone is None else gone
        if all(flags is not None for flags in absent):
            lacks = lacks | np.logical_and.reduce(np.array(absent))
        with np.errstate(invalid="ignore"):
            bad = (np.isinf(weights) | (weights < 0)) & ~lacks
        self._bad_weights.add(bad, self.rows)
        self._left += weights.size - int(lacks.sum())

    def _group_codes(self, batch: Batch, rows: int) -> Counts:
        """The number of each row's group, to which new groups are added."""
        keys = np.zeros(rows, dtype=np.int64)
        for codes, name in zip(self._by, self._columns.by, strict=True):
            each = codes.encode(batch[name])
            keys = keys * (len(codes.values) + 1) + (each.astype(np.int64) + 1)
        distinct, inverse = _distinct(keys)  # in the order in which they appear
        sizes = [len(codes.values) + 1 for codes in self._by]
        parts = zip(*(part.tolist() for part in np.unravel_index(distinct, sizes)), strict=True)
        return np.array([self._groups.setdefault(part, len(self._groups)) for part in parts], dtype=np.int64)[inverse]

    def _leave_memory(self) -> None:
        """Move rows from memory to buckets or to an external sort."""
        for i, store in enumerate(self._stores):
            if isinstance(store, RowStore):
                weighted, exact = self._columns.weights is not None, self._options.exact
                self._stores[i] = ExternalSort(weighted=weighted) if exact else BucketStore(self._options.buckets)
                for chunk in store.chunks:
                    self._stores[i].add(*chunk)

    def _store(
        self, i: int, columns: tuple[Counts, Column, Floats | None], lack: Flags | None, group: Counts | None
    ) -> None:
        code, score, weights = columns
        take = None
        if lack is not None:
            take = ~lack
            here = np.bincount(group[lack]) if group is not None else np.array([np.count_nonzero(lack)])
            self._dropped[i] = add_counts(self._dropped[i], here)
        if weights is not None and not weights.all():
            take = weights > 0 if take is None else take & (weights > 0)
        if take is not None:
            code, score = code[take], score[take]
            weights = None if weights is None else weights[take]
        if score.size:
            self._stores[i].add(code, rankable(score), weights)

    def _refuse(self, absent: Flags, code: Counts, cases: Counts) -> None:
        """Raise for what is missing, unless it is dropped, and for bad weights."""
        if self._options.missing == "raise":
            self._faults["labels"].count += int(cases[absent[code % MOST_LABELS]].sum())
            total = {"scores": self.rows * len(self._columns.scores)}
            faults = {name: fault for name, fault in self._faults.items() if fault.count}
            parts = [
                f"{fault.count:,} of {total.get(name, self.rows):,} {name} are missing or NaN {fault}".rstrip()
                for name, fault in faults.items()
            ]
            if parts:
                what = "; ".join(parts) + ", and they are never guessed"
                fix = f"fill them, or pass {argument('missing', 'drop')} to leave those rows out"
                raise MissingValueError(what, fix, where=self._where(list(faults)), parameter="missing")
        if self._bad_weights.count:
            raise WeightError(
                f"{self._bad_weights.count:,} of {self._left:,} weights are negative or infinite {self._bad_weights}",
                "a weight says how many rows a row stands for: give 0 or more",
                where=self._where(["weights"]),
                parameter="weights",
            )

    def _where(self, faults: Sequence[str]) -> str:
        """The columns in which something is wrong, and their place if it has a name."""
        columns = {"labels": [self._columns.label], "scores": self._columns.scores, "weights": [self._columns.weights]}
        names = [repr(name) for fault in faults for name in columns[fault]]
        return self._place and f"column{'s' * (len(names) > 1)} {', '.join(names)} of {self._place}"

    def _group_names(self) -> tuple[Counts, list[Any]]:
        """For each group as it was coded the number of its ranking, and the groups' names."""
        by = zip(self._by, self._columns.by, strict=True)
        words = [_read_text(codes.values) if name in self._text else codes.values for codes, name in by]
        place: dict[Any, int] = {}
        number = np.empty(len(self._groups), dtype=np.int64)
        for parts, code in self._groups.items():
            key = tuple(None if part == 0 else each[part - 1] for part, each in zip(parts, words, strict=True))
            number[code] = place.setdefault(key[0] if len(key) == 1 else key, len(place))
        return number, list(place)

    def _dropped_in(self, i: int, codes: LabelCodes, cases: tuple[Counts, Counts]) -> Counts:
        """How many rows of each group one score leaves out, also for labels NA."""
        number = codes.group[::MOST_LABELS]
        dropped = np.bincount(number[: self._dropped[i].size], self._dropped[i], minlength=codes.groups)
        code, counts = cases
        gone = ~codes.take[code]
        return (dropped + np.bincount(codes.group[code[gone]], counts[gone], codes.groups)).astype(np.int64)


@dataclass(slots=True)
class RowStore:
    """Rows in memory, ranked exactly."""

    chunks: list[tuple[Counts, Floats, Floats | None]] = field(default_factory=list)

    def add(self, code: Counts, score: Floats, weights: Floats | None) -> None:
        """Take rows: codes of label and group, scores, and weights where rows have them."""
        self.chunks.append((code, score, weights))

    def cases(self) -> tuple[Counts, Counts]:
        """Codes and how many rows have each."""
        cases = np.bincount(np.concatenate([np.zeros(0, dtype=np.int8), *(code for code, _, _ in self.chunks)]))
        code = np.flatnonzero(cases)
        return code, cases[code]

    def rankings(self, codes: LabelCodes, dropped: Counts) -> list[Ranking | None]:
        """The ranking of each group; None for one without rows."""
        if not self.chunks:
            return [None] * codes.groups
        columns: Iterable[Any] = zip(*self.chunks, strict=True)
        code, score, weights = (
            each[0] if len(each) == 1 or each[0] is None else np.concatenate(each) for each in columns
        )
        self.chunks.clear()
        return codes.rankings(code, score, weights, dropped)


_Store: TypeAlias = RowStore | BucketStore | ExternalSort


def require_rows_left(empty: Sequence[Key]) -> None:
    """Raise `EmptyError` if there are scores and groups whose rows are all left out."""
    if empty:
        shown = [f"{score!r}" + ("" if group == () else f" in {group!r}") for score, group in empty[:_SHOWN]]
        names = ", ".join(shown) + ", …" * (len(empty) > _SHOWN)
        what = f"without missing values and weights of 0, nothing is left of {names}"
        raise EmptyError(what, "check the columns, or take the other groups by where=")


def _numbers(values: Any) -> Column:
    """A column of scores or weights in NumPy; what is missing is NaN."""
    if is_arrow(values):
        plain = not values.null_count and str(values.type).startswith(("double", "float", "int", "uint"))
        return plain_numbers(values) if plain else float_values(values)
    array = np.asarray(values)
    absent = is_missing(array) if array.dtype.kind == "O" else None
    return array if absent is None else np.where(absent, np.nan, array)


def _read_text(values: list[Any]) -> list[Any]:
    """Distinct texts as numbers or booleans where all are; None for what is missing."""
    import pyarrow as pa

    return plain_entries(parse_text(pa.array([value or None for value in values], pa.string())))


def _either(one: Flags | None, other: Flags | None) -> Flags | None:
    """Where either flag is set; None is nowhere."""
    if one is None or other is None:
        return other if one is None else one
    return one | other


def _gaps(values: Column) -> Flags | None:
    """Which numbers are NaN; None where none is."""
    if values.dtype.kind == "f":
        return np.isnan(values) if values.size and np.isnan(values.min()) else None
    return None if values.dtype.kind in "iub" else is_missing(values)


def _distinct(keys: Counts) -> tuple[Counts, Counts]:
    """Distinct integers of at least 0 as they appear, and where each key is there."""
    top = int(keys.max(initial=0))
    if top > max(_TABLE_ROWS, 4 * keys.size):
        distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return distinct[order], np.argsort(order)[inverse]
    first = np.full(top + 1, keys.size)
    first[keys[::-1]] = np.arange(keys.size)[::-1]
    distinct = np.argsort(first, kind="stable")[: np.count_nonzero(first < keys.size)]
    place = np.zeros(top + 1, dtype=np.int64)
    place[distinct] = np.arange(distinct.size)
    return distinct, place[keys]
