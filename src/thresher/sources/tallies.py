"""What an engine counted, in NumPy: faults told or refused as everywhere else, the rest made into rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import ArgumentError, EmptyError, MissingValueError, ScoreError, WeightError
from thresher.inputs.arrow import plain_numbers
from thresher.inputs.columns import Column, Missing, column, plain_entries
from thresher.inputs.labels import is_positive
from thresher.ranking import Counts, Flags, Floats, Ranking, require_safe_total, resolved
from thresher.sources import tally as query
from thresher.sources.tally import FAULT, MOST_GROUPS, Wanted

_SHOWN = 6


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """Groups of rows that share model, group, class and bucket, healthy ones only.

    `ranking` numbers the ranking that each belongs to; `names` gives (model, group) of each number.
    """

    wanted: Wanted
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
    labels: tuple[Any, Any]

    def rankings(self) -> dict[tuple[str, Any], Ranking]:
        """One ranking per model and group."""
        return {name: self.ranking_of(i) for i, name in enumerate(self.names)}

    def ranking_of(self, number: int) -> Ranking:
        """The ranking of one model and group."""
        mine = slice(None) if len(self.names) == 1 else np.flatnonzero(self.ranking == number)
        count = self.cases[mine] if self.weight is None else self.weight[mine]
        # A sum of n weights in any order is off by at most n - 1 roundings; one alone is what it is.
        added = 0 if self.weight is None else int(self.cases[mine].max(initial=0))
        rounding = added * 2.0**-52 if added > 1 else 0.0
        *columns, spans = resolved(self.low[mine], self.high[mine], count, self.positive[mine], rounding=rounding)
        return Ranking.of_segments(*columns, dropped=self.dropped[number], spans=spans)


def tallies_of(found: Any, wanted: Wanted, *, positive: Any, missing: Missing) -> Tallies:
    """Read the table that the query returned, and refuse what is refused everywhere."""
    if found.num_rows > MOST_GROUPS:
        raise ArgumentError(
            f"there are more than {MOST_GROUPS:,} groups of label, bucket and by={list(wanted.by)}",
            fix="group by a column of fewer values, and check that label and score are not swapped",
        )
    key, cases = (_numbers(found[name]) for name in ("key", "cases"))
    rows = int(cases.sum())
    if not rows:
        raise EmptyError("there are no rows", "give at least one, and check where=")
    state = np.where(key >= FAULT, key - FAULT, 0)
    gone = state & (query.NO_LABEL | query.NO_SCORE | query.NO_WEIGHT) > 0
    if missing == "raise" and gone.any():
        raise _missing(state, cases, len(wanted.scores))
    kept = int(cases[~gone].sum())
    unfit, bad = (int(cases[~gone & (state & bit > 0)].sum()) for bit in (query.UNFIT_SCORE, query.BAD_WEIGHT))
    require_fit_scores(unfit, kept)
    models = len(wanted.scores)
    require_sound_weights(math.ceil(bad / models), math.ceil(kept / models))
    fine = np.flatnonzero(state == 0)
    if not fine.size:
        left = cases[~gone].sum()
        what = "all weights are 0, so there are no rows" if left else "no row is left after dropping missing values"
        raise EmptyError(what, "check the columns")
    code, labels = _coded(found["label"])
    named = _distinct(code[~gone])
    known = column([labels[i] for i in named.tolist()], name="labels")
    is_pos = np.zeros(len(labels) + 1, dtype=np.bool_)
    number, names = _numbered(found, wanted)
    is_pos[named] = is_positive(
        known, positive=positive, cases=_carried(number % len(wanted.scores), code, cases * ~gone)[named]
    )
    weight = _numbers(found["weight"])[fine] if wanted.weight is not None else None
    require_safe_total(float((cases[fine] if weight is None else weight).sum(dtype=np.float64)))
    left = np.bincount(number[fine], minlength=len(names)) > 0
    require_rows_left([name for name, any_ in zip(names, left.tolist(), strict=True) if not any_])
    away = np.bincount(number[gone], weights=cases[gone], minlength=len(names)).astype(np.int64)
    return Tallies(
        wanted=wanted,
        names=tuple(names),
        ranking=number[fine],
        positive=is_pos[code[fine]],
        key=key[fine],
        cases=cases[fine],
        weight=weight,
        low=_numbers(found["low"])[fine] + 0.0,
        high=_numbers(found["high"])[fine] + 0.0,
        dropped=tuple(away.tolist()),
        rows=rows // len(wanted.scores),
        labels=_by_class(labels, is_pos),
    )


def require_rows_left(empty: Sequence[tuple[str, Any]]) -> None:
    """Raise `EmptyError` if there are models and groups whose rows are all left out.

    >>> require_rows_left([("p", "NL"), ("p", "BE")])
    Traceback (most recent call last):
    thresher.errors.EmptyError: without missing values and weights of 0, nothing is left of 'p' in 'NL', 'p' in 'BE'
      where: require_rows_left(empty)
      fix:   check the columns, or take the other groups by where=
    """
    if empty:
        shown = [f"{model!r}" + ("" if group == () else f" in {group!r}") for model, group in empty[:_SHOWN]]
        raise EmptyError(
            "without missing values and weights of 0, nothing is left of "
            + ", ".join(shown)
            + ", …" * (len(empty) > _SHOWN),
            fix="check the columns, or take the other groups by where=",
        )


def _carried(model: Counts, code: Counts, cases: Counts) -> Counts:
    """How many rows carry each label, in the model that has most of them."""
    width = int(code.max(initial=0)) + 1
    found = np.bincount(model * width + code, weights=cases, minlength=(int(model.max(initial=0)) + 1) * width)
    return found.reshape(-1, width).max(axis=0).astype(np.int64)


def _by_class(labels: Sequence[Any], is_pos: Flags) -> tuple[Any, Any]:
    """The positive label and the other one, None for one that does not occur."""
    sides: tuple[list[Any], list[Any]] = ([], [])
    for i, label in enumerate(labels):
        if label is not None:
            sides[0 if is_pos[i] else 1].append(label)
    return (sides[0] or [None])[0], (sides[1] or [None])[0]


def require_fit_scores(unfit: int, total: int) -> None:
    """Raise `ScoreError` if some scores are whole numbers of which a float64 may lose the last digits."""
    if unfit:
        raise ScoreError(
            f"{unfit:,} of {total:,} scores may not fit a float64 exactly: they are whole numbers beyond 2**53",
            fix="subtract an offset so that they do, or round them yourself",
        )


def require_sound_weights(bad: int, total: int) -> None:
    """Raise `WeightError` if some weights are negative or infinite."""
    if bad:
        raise WeightError(
            f"{bad:,} of {total:,} weights are negative or infinite",
            fix="a weight says how many rows a row stands for: give 0 or more",
        )


def _missing(state: Counts, cases: Counts, models: int) -> MissingValueError:
    rows = int(cases.sum()) // models
    told = []
    for bit, name, each in (
        (query.NO_LABEL, "labels", models),
        (query.NO_SCORE, "scores", 1),
        (query.NO_WEIGHT, "weights", models),
    ):
        absent = int(cases[state & bit > 0].sum()) // each
        of = rows * models if each == 1 else rows
        if absent:
            told.append(f"{absent:,} of {of:,} {name} are missing or NaN")
    fix = 'fill them, or pass missing="drop" to leave those rows out'
    return MissingValueError("; ".join(told) + ", and they are never guessed", fix)


def _numbered(found: Any, wanted: Wanted) -> tuple[Counts, list[tuple[str, Any]]]:
    """For each group the number of its ranking, and the (model, group) of each ranking."""
    several = "model" in found.column_names
    number = _numbers(found["model"]) if several else np.zeros(found.num_rows, dtype=np.int64)
    keys: list[tuple[Any, ...]] = [()]
    groups = np.zeros(found.num_rows, dtype=np.int64)
    for i in range(len(wanted.by)):
        code, values = _coded(found[f"by{i}"])
        both = groups * (len(values) + 1) + code
        seen = _distinct(both)
        keys = [(*keys[pair // (len(values) + 1)], [*values, None][pair % (len(values) + 1)]) for pair in seen.tolist()]
        groups = np.searchsorted(seen, both)
    plain = [key[0] if len(wanted.by) == 1 else key for key in keys]
    names = [(model, key) for key in plain for model in wanted.scores]
    return groups * len(wanted.scores) + number, names


def _coded(values: Any) -> tuple[Counts, list[Any]]:
    """A column as indices into its distinct values; missing ones get the index one past the last."""
    encoded = values.combine_chunks().dictionary_encode()
    encoded = encoded.combine_chunks() if hasattr(encoded, "combine_chunks") else encoded
    words = encoded.dictionary
    times = str(words.type).startswith(("timestamp", "duration"))
    known = plain_entries(column(words, name="groups")) if times else words.to_pylist()
    indices = encoded.indices.fill_null(len(known)) if encoded.null_count else encoded.indices
    return plain_numbers(indices).astype(np.int64), known


def _numbers(values: Any) -> Column:
    return np.asarray(values.to_numpy()) if values.null_count else plain_numbers(values)


def _distinct(values: Counts) -> Counts:
    return np.unique(values)
