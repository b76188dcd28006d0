"""The query's table: faults refused or dropped, the rest as rankings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import ArgumentError, EmptyError, MissingValueError, ScoreError, WeightError, argument
from thresher.inputs.arrow import plain_numbers
from thresher.inputs.columns import Column, Missing, column, plain_entries
from thresher.inputs.labels import is_positive
from thresher.ranking import Counts, Flags, Floats, Ranking
from thresher.sources.buckets import bucket_ranking
from thresher.sources.counter import require_rows_left
from thresher.sources.engines.query import (
    BAD_WEIGHT,
    FAULT,
    MISSING,
    MOST_GROUPS,
    NO_LABEL,
    NO_SCORE,
    NO_WEIGHT,
    UNFIT_SCORE,
)
from thresher.sources.options import Columns


@dataclass(frozen=True, slots=True, eq=False)
class BucketCounts:
    """Groups of complete rows that share model, group, class and bucket.

    `ranking` numbers the ranking that each belongs to; `names` gives (model, group) of each number.
    """

    columns: Columns
    names: tuple[tuple[str, Any], ...]
    ranking: Counts
    positive: Flags
    key: Counts
    cases: Counts
    weight: Floats | None
    low: Floats
    high: Floats
    dropped: tuple[int, ...]
    rows: int

    def rankings(self) -> dict[tuple[str, Any], Ranking]:
        """One ranking per model and group."""
        return {name: self.ranking_of(i) for i, name in enumerate(self.names)}

    def ranking_of(self, number: int) -> Ranking:
        """The ranking of one model and group."""
        here = slice(None) if len(self.names) == 1 else np.flatnonzero(self.ranking == number)
        weight = None if self.weight is None else self.weight[here]
        columns = self.low[here], self.high[here], self.cases[here], weight, self.positive[here]
        return bucket_ranking(*columns, dropped=self.dropped[number])


def read_counts(table: Any, columns: Columns, *, positive: Any, missing: Missing) -> BucketCounts:
    """Read the table that the query returned, and refuse what is refused everywhere."""
    if table.num_rows > MOST_GROUPS:
        what = f"there are more than {MOST_GROUPS:,} groups of label, bucket and by={list(columns.by)}"
        raise ArgumentError(what, "group by a column of fewer values, and check that label and score are not swapped")
    key, cases = (_numbers(table[name]) for name in ("key", "cases"))
    rows = int(cases.sum())
    if not rows:
        raise EmptyError("there are no rows", "give at least one, and check where=")
    state = np.where(key >= FAULT, key - FAULT, 0)
    gone = state & MISSING > 0
    if missing == "raise" and gone.any():
        raise _missing(state, cases, len(columns.scores))
    left = int(cases[~gone].sum())
    unfit, bad = (int(cases[~gone & (state & bit > 0)].sum()) for bit in (UNFIT_SCORE, BAD_WEIGHT))
    require_fit_scores(unfit, left)
    models = len(columns.scores)
    require_sound_weights(math.ceil(bad / models), math.ceil(left / models))
    fine = np.flatnonzero(state == 0)
    if not fine.size:
        what = "all weights are 0, so there are no rows" if left else "no row is left after dropping missing values"
        raise EmptyError(what, "check the columns")
    code, labels = _encode(table["label"])
    named = np.unique(code[~gone])
    known = column([labels[i] for i in named.tolist()], name="labels")
    is_pos = np.zeros(len(labels) + 1, dtype=np.bool_)
    number, names = _number_groups(table, columns)
    # How many rows carry each label, in the model that has most of them.
    model, width = number % models, len(labels) + 1
    label_cases = np.bincount(model * width + code, weights=cases * ~gone, minlength=models * width)
    most = label_cases.reshape(models, width).max(axis=0).astype(np.int64)
    is_pos[named] = is_positive(known, positive=positive, cases=most[named])
    weight = _numbers(table["weight"])[fine] if columns.weights is not None else None
    there = np.bincount(number[fine], minlength=len(names)) > 0
    require_rows_left([name for name, any_ in zip(names, there.tolist(), strict=True) if not any_])
    away = np.bincount(number[gone], weights=cases[gone], minlength=len(names)).astype(np.int64)
    return BucketCounts(
        columns=columns,
        names=tuple(names),
        ranking=number[fine],
        positive=is_pos[code[fine]],
        key=key[fine],
        cases=cases[fine],
        weight=weight,
        low=_numbers(table["low"])[fine] + 0.0,
        high=_numbers(table["high"])[fine] + 0.0,
        dropped=tuple(away.tolist()),
        rows=rows // len(columns.scores),
    )


def require_fit_scores(unfit: int, total: int) -> None:
    """Raise `ScoreError` if some scores are whole numbers that a float64 rounds."""
    if unfit:
        what = f"{unfit:,} of {total:,} scores do not fit a float64 exactly: they are large whole numbers"
        raise ScoreError(what, "subtract an offset so that they do, or round them yourself")


def require_sound_weights(bad: int, total: int) -> None:
    """Raise `WeightError` if some weights are negative or infinite."""
    if bad:
        what = f"{bad:,} of {total:,} weights are negative or infinite"
        raise WeightError(what, "a weight says how many rows a row stands for: give 0 or more")


def _missing(state: Counts, cases: Counts, models: int) -> MissingValueError:
    rows, parts = int(cases.sum()) // models, []
    # Every model has a row in the answer, which counts its labels and weights again.
    for bit, name, times in ((NO_LABEL, "labels", models), (NO_SCORE, "scores", 1), (NO_WEIGHT, "weights", models)):
        if absent := int(cases[state & bit > 0].sum()) // times:
            parts.append(f"{absent:,} of {rows * models // times:,} {name} are missing or NaN")
    fix = f"fill them, or pass {argument('missing', 'drop')} to leave those rows out"
    return MissingValueError("; ".join(parts) + ", and they are never guessed", fix)


def _number_groups(table: Any, columns: Columns) -> tuple[Counts, list[tuple[str, Any]]]:
    """The ranking's number of each group, and the (model, group) of each ranking."""
    several = "model" in table.column_names
    number = _numbers(table["model"]) if several else np.zeros(table.num_rows, dtype=np.int64)
    keys: list[tuple[Any, ...]] = [()]
    groups = np.zeros(table.num_rows, dtype=np.int64)
    for i in range(len(columns.by)):
        code, values = _encode(table[f"by{i}"])
        both = groups * (len(values) + 1) + code
        seen = np.unique(both)
        keys = [(*keys[pair // (len(values) + 1)], [*values, None][pair % (len(values) + 1)]) for pair in seen.tolist()]
        groups = np.searchsorted(seen, both)
    plain = [key[0] if len(columns.by) == 1 else key for key in keys]
    names = [(model, key) for key in plain for model in columns.scores]
    return groups * len(columns.scores) + number, names


def _encode(values: Any) -> tuple[Counts, list[Any]]:
    """A column as indices into its distinct values; missing is one past the last."""
    encoded = values.combine_chunks().dictionary_encode()
    encoded = encoded.combine_chunks() if hasattr(encoded, "combine_chunks") else encoded
    words = encoded.dictionary
    times = str(words.type).startswith(("timestamp", "duration"))
    known = plain_entries(column(words, name="groups")) if times else words.to_pylist()
    indices = encoded.indices.fill_null(len(known)) if encoded.null_count else encoded.indices
    return plain_numbers(indices).astype(np.int64), known


def _numbers(values: Any) -> Column:
    return np.asarray(values.to_numpy()) if values.null_count else plain_numbers(values)
