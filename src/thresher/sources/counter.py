"""Batches become counts: exactly while rows fit in memory, by buckets or by an external sort beyond.

Every row is decided on here, once for files, frames and streams: labels and groups become codes, scores and weights
float64, and rows that lack something are counted with the first few of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import ColumnError, EmptyError, MissingValueError, ScoreError, WeightError, argument
from thresher.inputs.arrow import float_values, is_arrow, numpy_column, parse_text, plain_numbers
from thresher.inputs.columns import Column, Missing, column, is_absent, is_missing, plain_entries
from thresher.inputs.labels import is_positive
from thresher.inputs.rank import count_rows, float_weights
from thresher.ranking import Counts, Flags, Floats, Ranking, rankable, require_safe_total, resolved
from thresher.sources.buckets import bucket_count, bucket_of, first_bucket
from thresher.sources.external_sort import ExternalSort
from thresher.sources.options import Columns

Batch: TypeAlias = Mapping[Any, Any] | Any  # columns by name, of NumPy or of an Arrow record batch
Key: TypeAlias = tuple[str, Any]  # score column and group
MOST_LABELS = 1 << 7
_SPREAD = 1 << 8  # of whole numbers that are labels
_FIRST = 5
_SHOWN = 6
_TABLE_ROWS = 1 << 20


class Codes:
    """The distinct values of a column, numbered as they appear; what is missing is -1.

    >>> codes = Codes()
    >>> codes.encode(np.array(["ham", "spam", None], dtype=object)), codes.values
    (array([ 0,  1, -1]), ['ham', 'spam'])
    """

    def __init__(self, most: int | None = None) -> None:
        self.values: list[Any] = []
        self._place: dict[Any, int] = {}
        self._most = most

    def encode(self, values: Any) -> Counts:
        """The code of each value."""
        arrow = is_arrow(values)
        kind = str(values.type) if arrow else values.dtype.kind
        if arrow and kind == "bool" and not values.null_count:
            return self._small(np.asarray(values.to_numpy(zero_copy_only=False)).view(np.uint8), (False, True))
        if kind == "b":
            return self._small(np.ascontiguousarray(values).view(np.uint8), (False, True))
        whole = kind.startswith(("int", "uint")) and not values.null_count if arrow else kind in "iu"
        if whole and len(values):
            numbers = plain_numbers(values) if arrow else values
            low, high = int(numbers.min()), int(numbers.max())
            if high - low < _SPREAD:
                return self._small(numbers, range(low, high + 1))
        return self._of_arrow(values) if arrow else self._of_entries(plain_entries(values))

    def _small(self, numbers: Column, meanings: Sequence[Any]) -> Counts:
        """Codes of numbers that lie close to each other, by a table."""
        low = int(meanings[0])
        if low == 0 and self.values and [*range(len(self.values))] == self.values and len(meanings) <= len(self.values):
            return numbers  # as 0 and 1 are from the second batch on
        index = numbers.astype(np.int64) - low
        codes = np.full(len(meanings), -1, dtype=np.int64)
        for there in np.flatnonzero(np.bincount(index, minlength=len(meanings))).tolist():
            codes[there] = self._code(meanings[there])
        return codes[index]

    def _of_arrow(self, values: Any) -> Counts:
        encoded = values if hasattr(values, "dictionary") else _plain_arrow(values).dictionary_encode()
        if hasattr(encoded, "dictionary") and encoded.dictionary.null_count:
            encoded = encoded.cast(encoded.type.value_type).dictionary_encode()
        words = numpy_column(encoded.dictionary, name="labels")
        codes = [self._code(value) for value in plain_entries(words)]
        indices = encoded.indices.fill_null(len(codes)) if encoded.indices.null_count else encoded.indices
        return np.array([*codes, -1], dtype=np.int64)[plain_numbers(indices)]

    def _of_entries(self, entries: list[Any]) -> Counts:
        try:
            known = {entry: self._code(entry) for entry in dict.fromkeys(entries)}
        except TypeError:
            raise ColumnError(
                "labels and groups are plain values, and a column holds others",
                "give texts, numbers, dates or truth values",
            ) from None
        return np.fromiter(map(known.__getitem__, entries), dtype=np.int64, count=len(entries))

    def _code(self, value: Any) -> int:
        if is_absent(value):
            return -1
        code = self._place.setdefault(value, len(self.values))
        if code == len(self.values):
            self.values.append(value)
            if self._most is not None and len(self.values) > self._most:
                is_positive(column(self.values, name="labels"))  # which refuses so many
        return code


def _plain_arrow(values: Any) -> Any:
    """An Arrow array without an extension type or a run-end encoding; nested types are refused."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if isinstance(kind, pa.BaseExtensionType):
        plain = values.storage.cast(pa.bool_()) if kind.extension_name == "arrow.bool8" else values.storage
        return _plain_arrow(plain)
    if pa.types.is_run_end_encoded(kind):
        return pc.run_end_decode(values)
    if pa.types.is_nested(kind):
        raise ColumnError(f"a column holds {kind}, not one value per row", "take a column of plain values")
    if pa.types.is_string_view(kind):
        return values.cast(pa.large_string())
    return values


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
        return f"(first at rows {', '.join(map(str, self.rows))})"


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of a batch: codes of labels and groups, and for each score its values and which rows are complete."""

    label: Counts
    group: Counts | None
    scores: list[Floats]
    weights: Floats | None
    complete: list[Flags | None]

    def of(self, number: int) -> dict[str, Any]:
        """The columns of one score, of complete rows alone."""
        columns = {"score": self.scores[number], "label": self.label, "group": self.group, "weights": self.weights}
        take = self.complete[number]
        return {name: each if each is None or take is None else each[take] for name, each in columns.items()}


class Counter:
    """Counts batches of rows; `rankings` are those of all rows so far.

    >>> counter = Counter(Columns("y", ("p",)), most_rows=100)
    >>> counter.add({"y": np.array([1, 0]), "p": np.array([0.9, 0.2])})
    >>> counter.add({"y": np.array([1]), "p": np.array([0.2])})
    >>> counter.rankings()
    {('p', ()): Ranking([1+][1+,1-] at scores 0.9, 0.2)}
    """

    def __init__(
        self,
        columns: Columns,
        *,
        most_rows: int | None,
        exact: bool = False,
        buckets: int = 1 << 17,
        missing: Missing = "raise",
        positive: Any = None,
        text: Iterable[str] = (),
        place: str = "",
        together: bool = False,
    ) -> None:
        self.rows = 0
        self._columns = columns
        self._most, self._exact, self._buckets = most_rows, exact, buckets
        self._missing, self._positive, self._text = missing, positive, frozenset(text)
        self._place, self._together = place, together
        self._labels = Codes(MOST_LABELS)
        self._by = [Codes() for _ in columns.by]
        self._groups: dict[tuple[int, ...], int] = {}
        self._faults: dict[str, Fault] = {}
        self._bad_weights = Fault()
        self._dropped = [np.zeros(0, dtype=np.int64) for _ in columns.scores]
        self._held: list[Rows] = []
        self._stores: list[_BucketStore] | list[ExternalSort] | None = None

    def add(self, batch: Batch) -> None:
        """Count one more batch."""
        rows = self._decide(batch)
        size = rows.label.size
        if self._missing == "raise" and self._faults:
            self._held.clear()  # all that is left to do is to count what is missing
        elif self._stores is not None:
            self._store(rows)
        elif self._most is not None and self.rows + size > self._most:
            self._stores = [self._new_store() for _ in self._columns.scores]
            for held in self._held:
                self._store(held)
            self._held.clear()
            self._store(rows)
        else:
            self._held.append(rows)
        self.rows += size

    def rankings(self) -> dict[Key, Ranking]:
        """One ranking for each score column and group; refuses what `rank` refuses."""
        if not self.rows:
            raise EmptyError("there are no rows", "give at least one, and check where=")
        values, absent = self._read_text(self._labels.values, self._columns.label)
        self._refuse(values, absent)
        seen = self._label_cases()
        there = np.flatnonzero((seen > 0) & ~absent)
        positive = np.zeros(absent.size, dtype=np.bool_)
        if there.size:
            known = column([values[i] for i in there.tolist()], name="labels")
            positive[there] = is_positive(known, positive=self._positive, cases=seen[there])
        number, names = self._group_names()
        rankings: dict[Key, Ranking] = {}
        empty: list[Key] = []
        for i, score in enumerate(self._columns.scores):
            dropped = self._dropped_in(i, absent, number, len(names))
            for group, ranking in enumerate(self._rank(i, positive, absent, number, len(names), dropped)):
                if ranking is None:
                    empty.append((score, names[group]))
                else:
                    rankings[score, names[group]] = ranking
        if not rankings and not any(each.any() for each in self._dropped):
            raise EmptyError("all weights are 0, so there are no rows", "give at least one weight above 0")
        require_rows_left(empty)
        return rankings

    def close(self) -> None:
        """Give back what an external sort holds on disk."""
        for store in self._stores or ():
            store.close()

    # What a batch holds.

    def _decide(self, batch: Batch) -> Rows:
        label = self._labels.encode(batch[self._columns.label])
        gone = label < 0 if label.dtype.kind == "i" and label.size and label.min() < 0 else None
        self._note("labels", gone)
        weights = None
        if self._columns.weights is not None:
            weights = self._weights(_numbers(batch[self._columns.weights], WeightError))
            lacks = np.isnan(weights)
            self._note("weights", lacks)
            gone = _either(gone, lacks)
        scores, complete = [], []
        for name in self._columns.scores:
            score = rankable(_numbers(batch[name], ScoreError))
            lacks = np.isnan(score) if score.size and np.isnan(score.min()) else None
            self._note("scores", lacks)
            bad = _either(gone, lacks)
            scores.append(score)
            complete.append(None if bad is None else ~bad)
        if self._together and any(take is not None for take in complete):
            complete = [np.logical_and.reduce([take for take in complete if take is not None])] * len(complete)
        group = self._group_codes(batch, label.size) if self._by else None
        for i, take in enumerate(complete):
            if take is not None:
                codes = np.zeros(take.size, dtype=np.int64) if group is None else group
                self._dropped[i] = _plus(self._dropped[i], np.bincount(codes[~take]))
        if label.dtype.kind != "u" or label.dtype.itemsize > 1:
            label = label.astype(np.int8)
        return Rows(label, group, scores, weights, complete)

    def _weights(self, values: Column) -> Floats:
        weights = float_weights(values)
        bad = ~np.isnan(weights) & (~np.isfinite(weights) | (weights < 0))
        if bad.any():
            self._bad_weights.add(bad, self.rows)
        return weights

    def _note(self, name: str, flags: Flags | None) -> None:
        if flags is not None and flags.any():
            self._faults.setdefault(name, Fault()).add(flags, self.rows)

    def _group_codes(self, batch: Batch, rows: int) -> Counts:
        """The number of each row's group, to which new groups are added."""
        keys = np.zeros(rows, dtype=np.int64)
        for codes, name in zip(self._by, self._columns.by, strict=True):
            each = codes.encode(batch[name])
            keys = keys * (len(codes.values) + 1) + (each + 1)
        distinct, inverse = _distinct(keys)
        numbers = np.empty(distinct.size, dtype=np.int64)
        for i, key in enumerate(distinct.tolist()):
            parts = []
            for codes in reversed(self._by):
                key, part = divmod(key, len(codes.values) + 1)
                parts.append(part - 1)
            numbers[i] = self._groups.setdefault(tuple(reversed(parts)), len(self._groups))
        return numbers[inverse]

    # Where rows go.

    def _new_store(self) -> Any:
        return ExternalSort(self._columns.weights is not None) if self._exact else _BucketStore(self._buckets)

    def _store(self, rows: Rows) -> None:
        for i, store in enumerate(self._stores or ()):
            columns = rows.of(i)
            code = columns["label"].astype(np.int64)
            if columns["group"] is not None:
                code += columns["group"] * MOST_LABELS
            weights = columns["weights"]
            there = slice(None) if weights is None or weights.all() else weights > 0
            store.add(code[there], columns["score"][there], None if weights is None else weights[there])

    # What was counted.

    def _label_cases(self) -> Counts:
        """How many complete rows carry each label, in the score column that has most of them."""
        cases = np.zeros(len(self._labels.values), dtype=np.int64)
        for i in range(len(self._columns.scores)):
            if self._stores is not None:
                code, counts = self._stores[i].cases()
                mine = np.bincount(code % MOST_LABELS, counts, minlength=cases.size).astype(np.int64)
            else:
                mine = np.zeros_like(cases)
                for rows in self._held:
                    label = rows.label if rows.complete[i] is None else rows.label[rows.complete[i]]
                    if label.size:
                        mine = _plus(mine, np.bincount(label, minlength=cases.size))
            cases = np.maximum(cases, mine)
        return cases

    def _read_text(self, values: list[Any], name: str) -> tuple[list[Any], Flags]:
        """Distinct values, those of text columns read as numbers or truth values where all are; which are missing."""
        if name not in self._text or not values:
            return values, np.zeros(len(values), dtype=np.bool_)
        import pyarrow as pa

        read = parse_text(pa.array([None if value == "" else value for value in values], pa.string()))
        entries = plain_entries(read)
        return entries, np.array([entry is None for entry in entries])

    def _refuse(self, values: Sequence[Any], absent: Flags) -> None:
        del values
        texts = [self._labels.values[i] for i in np.flatnonzero(absent).tolist()]
        faults = dict(self._faults)
        if texts and self._missing == "raise" and "labels" not in faults:
            faults["labels"] = self._missing_texts(absent)
        if faults and self._missing == "raise":
            total = {"scores": self.rows * len(self._columns.scores)}
            parts = [
                f"{fault.count:,} of {total.get(name, self.rows):,} {name} are missing or NaN {fault}"
                for name in ("labels", "scores", "weights")
                if (fault := faults.get(name)) is not None and fault.count
            ]
            if parts:
                fix = f"fill them, or pass {argument('missing', 'drop')} to leave those rows out"
                what = "; ".join(parts) + ", and they are never guessed"
                raise MissingValueError(what, fix, where=self._place and self._where(list(faults)), parameter="missing")
        if self._bad_weights.count:
            raise WeightError(
                f"{self._bad_weights.count:,} of {self.rows:,} weights are negative or infinite {self._bad_weights}",
                "a weight says how many rows a row stands for: give 0 or more",
                parameter="weights",
            )

    def _where(self, faults: Sequence[str]) -> str:
        """The columns in which something is missing, and their place."""
        columns = {"labels": [self._columns.label], "scores": self._columns.scores, "weights": [self._columns.weights]}
        names = [repr(name) for fault in faults for name in columns[fault]]
        return f"column{'s' * (len(names) > 1)} {', '.join(names)} of {self._place}"

    def _missing_texts(self, absent: Flags) -> Fault:
        """Rows whose label is a text that says that nothing is there."""
        fault = Fault()
        if self._stores is None:
            before = 0
            for rows in self._held:
                fault.add(absent[rows.label], before)
                before += rows.label.size
        else:
            code, cases = self._stores[0].cases()
            fault.count = int(cases[absent[code % MOST_LABELS]].sum())
        return fault

    def _group_names(self) -> tuple[Counts, list[Any]]:
        """For each group as it was coded the number of its ranking, and the groups' names."""
        if not self._by:
            return np.zeros(1, dtype=np.int64), [()]
        words = [self._read_text(codes.values, name)[0] for codes, name in zip(self._by, self._columns.by, strict=True)]
        place: dict[Any, int] = {}
        number = np.empty(len(self._groups), dtype=np.int64)
        for parts, code in self._groups.items():
            key = tuple(None if part < 0 else each[part] for part, each in zip(parts, words, strict=True))
            number[code] = place.setdefault(key[0] if len(key) == 1 else key, len(place))
        return number, list(place)

    def _dropped_in(self, i: int, absent: Flags, number: Counts, groups: int) -> Counts:
        """How many rows of each group are left out for one score."""
        raw = self._dropped[i]
        dropped = np.bincount(number[: raw.size], raw, minlength=groups)
        if absent.any():
            for code, cases in self._coded_cases(i):
                gone = absent[code % MOST_LABELS]
                dropped += np.bincount(number[code[gone] // MOST_LABELS], cases[gone], minlength=groups)
        return dropped.astype(np.int64)

    def _coded_cases(self, i: int) -> Iterable[tuple[Counts, Counts]]:
        if self._stores is not None:
            yield self._stores[i].cases()
            return
        for rows in self._held:
            columns = rows.of(i)
            code = columns["label"].astype(np.int64)
            code += 0 if columns["group"] is None else columns["group"] * MOST_LABELS
            yield code, np.ones(code.size, dtype=np.int64)

    def _rank(
        self, i: int, positive: Flags, absent: Flags, number: Counts, groups: int, dropped: Counts
    ) -> Iterable[Ranking | None]:
        if self._stores is None:
            return self._rank_held(i, positive, absent, number, groups, dropped)
        store = self._stores[i]

        def classify(code: Counts) -> tuple[Flags, Flags, Counts]:
            label = code % MOST_LABELS
            return positive[label], ~absent[label], number[code // MOST_LABELS]

        return store.rankings(classify, groups, dropped)

    def _rank_held(
        self, i: int, positive: Flags, absent: Flags, number: Counts, groups: int, dropped: Counts
    ) -> Iterable[Ranking | None]:
        parts = [rows.of(i) for rows in self._held]
        score, label, group, weights = (
            _joined([part[name] for part in parts]) for name in ("score", "label", "group", "weights")
        )
        plain = label.dtype.itemsize == 1 and positive.tolist() == [False, True]
        flags = label.view(np.bool_) if plain else positive[label]
        take = None
        if absent.any():
            take = ~absent[label]
        if weights is not None:
            require_safe_total(float(weights.sum()))
            if not weights.all():
                take = _both(take, weights > 0)
        if take is not None:
            flags, score = flags[take], score[take]
            group, weights = (None if each is None else each[take] for each in (group, weights))
        if group is None:
            return [count_rows(flags, score, weights, dropped=int(dropped[0])) if flags.size else None]
        return [
            count_rows(flags[mine], score[mine], None if weights is None else weights[mine], dropped=int(dropped[at]))
            if mine.size
            else None
            for at, mine in enumerate(_indices(number[group], groups))
        ]


def require_rows_left(empty: Sequence[Key]) -> None:
    """Raise `EmptyError` if there are scores and groups whose rows are all left out.

    >>> require_rows_left([("p", "NL"), ("p", "BE")])
    Traceback (most recent call last):
    thresher.errors.EmptyError: without missing values and weights of 0, nothing is left of 'p' in 'NL', 'p' in 'BE'
    ...
    """
    if empty:
        shown = [f"{score!r}" + ("" if group == () else f" in {group!r}") for score, group in empty[:_SHOWN]]
        raise EmptyError(
            "without missing values and weights of 0, nothing is left of "
            + ", ".join(shown)
            + ", …" * (len(empty) > _SHOWN),
            "check the columns, or take the other groups by where=",
        )


Classify: TypeAlias = Callable[[Counts], tuple[Flags, Flags, Counts]]


class _BucketStore:
    """Cases, weight, lowest and highest score of each label and bucket, in one table per code of label and group."""

    def __init__(self, buckets: int) -> None:
        self._buckets = buckets
        self._first, self._width = first_bucket(buckets), bucket_count(buckets)
        self._dense: dict[str, Column] = {}
        self._sparse: list[dict[str, Column]] = []
        self._sparse_rows = 0

    def add(self, code: Counts, score: Floats, weights: Floats | None) -> None:
        """Take rows, none of which lacks anything."""
        if not score.size:
            return
        score = score.astype(np.float64, copy=False)
        cell = bucket_of(score, buckets=self._buckets)
        cell -= self._first
        cell += code * self._width
        if int(code.max()) < MOST_LABELS:
            self._add_dense(cell, score, weights)
            return
        part = _aggregate(cell, np.ones(cell.size, dtype=np.int64), score, score, weights)
        self._sparse.append(part)
        self._sparse_rows += part["cell"].size
        if self._sparse_rows > 2 * max(_TABLE_ROWS, self._sparse[0]["cell"].size):
            self._merge()

    def cases(self) -> tuple[Counts, Counts]:
        """The code and the number of cases of each bucket that has some."""
        table = self._table()
        return table["cell"] // self._width, table["cases"]

    def rankings(self, classify: Classify, groups: int, dropped: Counts) -> list[Ranking | None]:
        """The ranking of each group; None for one without rows."""
        table = self._table()
        positive, take, group = classify(table["cell"] // self._width)
        rankings: list[Ranking | None] = []
        for number in range(groups):
            mine = np.flatnonzero(take & (group == number))
            rankings.append(self._ranking(table, mine, positive[mine], int(dropped[number])) if mine.size else None)
        return rankings

    def close(self) -> None:
        """Nothing is on disk."""

    def _ranking(self, table: Mapping[str, Column], mine: Counts, positive: Flags, dropped: int) -> Ranking:
        count = table["weight" if "weight" in table else "cases"][mine]
        # A sum of n weights in any order is off by at most n - 1 roundings; one alone is what it is.
        added = int(table["cases"][mine].max()) if "weight" in table else 0
        rounding = added * 2.0**-52 if added > 1 else 0.0
        require_safe_total(float(count.sum(dtype=np.float64)))
        *columns, spans = resolved(
            table["low"][mine] + 0.0, table["high"][mine] + 0.0, count, positive, rounding=rounding
        )
        return Ranking.of_segments(*columns, dropped=dropped, spans=spans)

    def _add_dense(self, cell: Counts, score: Floats, weights: Floats | None) -> None:
        size = (int(cell.max()) // self._width + 1) * self._width
        old = self._dense["cases"].size if self._dense else 0
        if size > old:
            empty = {"cases": (0, np.int64), "low": (np.inf, np.float64), "high": (-np.inf, np.float64)}
            empty |= {} if weights is None else {"weight": (0.0, np.float64)}
            for name, (value, kind) in empty.items():
                more = np.full(size - old, value, dtype=kind)
                self._dense[name] = np.concatenate([self._dense[name], more]) if old else more
        np.add.at(self._dense["cases"], cell, np.ones(cell.size, dtype=np.int64))
        np.minimum.at(self._dense["low"], cell, score)
        np.maximum.at(self._dense["high"], cell, score)
        if weights is not None:
            np.add.at(self._dense["weight"], cell, weights)

    def _table(self) -> dict[str, Column]:
        if self._dense:
            cell = np.flatnonzero(self._dense["cases"])
            self._sparse.append({"cell": cell} | {name: each[cell] for name, each in self._dense.items()})
            self._dense = {}
        self._merge()
        return self._sparse[0] if self._sparse else {name: np.zeros(0, dtype=np.int64) for name in ("cell", "cases")}

    def _merge(self) -> None:
        if len(self._sparse) > 1:
            names = self._sparse[0].keys()
            table = {name: np.concatenate([part[name] for part in self._sparse]) for name in names}
            self._sparse = [_aggregate(table["cell"], table["cases"], table["low"], table["high"], table.get("weight"))]
        self._sparse_rows = sum(part["cell"].size for part in self._sparse)


def _aggregate(cell: Counts, cases: Counts, low: Floats, high: Floats, weight: Floats | None) -> dict[str, Column]:
    """Rows of a table that share a cell, added up."""
    order = np.argsort(cell, kind="stable")
    cell = cell[order]
    starts = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
    table = {
        "cell": cell[starts],
        "cases": np.add.reduceat(cases[order], starts),
        "low": np.minimum.reduceat(low[order], starts),
        "high": np.maximum.reduceat(high[order], starts),
    }
    return table if weight is None else table | {"weight": np.add.reduceat(weight[order], starts)}


def _numbers(values: Any, error: type[ScoreError | WeightError]) -> Column:
    """A column of scores or weights in NumPy; Arrow's nulls are NaN."""
    if not is_arrow(values):
        array = np.asarray(values)
        absent = is_missing(array) if array.dtype.kind == "O" else None
        return array if absent is None else np.where(absent, np.nan, array)
    array = float_values(values)
    if array.dtype.kind not in "biufO" and error is WeightError:
        raise WeightError(f"weights must be numbers, got {values.type}", "give one number per row")
    return array


def _distinct(keys: Counts) -> tuple[Counts, Counts]:
    """Distinct whole numbers of at least 0, and where each key is among them."""
    top = int(keys.max(initial=0))
    if top > max(_TABLE_ROWS, 4 * keys.size):
        return np.unique(keys, return_inverse=True)
    distinct = np.flatnonzero(np.bincount(keys, minlength=top + 1))
    place = np.zeros(top + 1, dtype=np.int64)
    place[distinct] = np.arange(distinct.size)
    return distinct, place[keys]


def _indices(code: Counts, groups: int) -> list[Any]:
    """The rows of each group."""
    if groups <= 1 << 16:
        code = code.astype(np.uint16)  # which NumPy sorts by counting
    ends = np.cumsum(np.bincount(code, minlength=groups))[:-1]
    return np.split(np.argsort(code, kind="stable"), ends)


def _joined(parts: Sequence[Column | None]) -> Any:
    return parts[0] if len(parts) == 1 or parts[0] is None else np.concatenate(parts)


def _either(one: Flags | None, other: Flags | None) -> Flags | None:
    return other if one is None else one if other is None else one | other


def _both(one: Flags | None, other: Flags) -> Flags:
    return other if one is None else one & other


def _plus(one: Counts, other: Counts) -> Counts:
    longer, shorter = (one, other) if one.size >= other.size else (other, one)
    total = longer.astype(np.int64)
    total[: shorter.size] += shorter.astype(np.int64)
    return total
