"""Missing values: how many there are and where, and the rows that have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher._internal.arguments import require_names
from thresher._internal.results import Result, Tabular
from thresher.errors import ArgumentError, EmptyError
from thresher.evaluation.summary import text_table
from thresher.learning.data.frame import column_of, frame
from thresher.ranking import Indices


@dataclass(frozen=True, slots=True, repr=False)
class MissingValues(Tabular):
    """How many values each column lacks, and how many rows lack any."""

    rows: int
    counts: Mapping[str, int]
    incomplete_rows: int

    def _brief(self) -> str:
        return f"{self.incomplete_rows:,} of {self.rows:,} rows lack a value"

    def _columns(self) -> Mapping[str, Any]:
        share = [count / self.rows for count in self.counts.values()]
        return {"column": list(self.counts), "missing": list(self.counts.values()), "share": share}

    def __str__(self) -> str:
        if not self.incomplete_rows:
            return f"none of {self.rows:,} rows lacks a value"
        lines = [[name, f"{count:,}", f"{count / self.rows:.1%}"] for name, count in self.counts.items() if count]
        return (
            text_table([["column", "missing", "share"], *lines])
            + f"\n{self.incomplete_rows:,} of {self.rows:,} rows lack a value"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CompleteRows(Result):
    """The rows that lack nothing, where they stood, and how many were dropped."""

    data: Any
    kept: Indices
    dropped: int


def missing_values(data: Any) -> MissingValues:
    """Count the values that each column lacks.

    >>> print(missing_values({"age": [31, None, 25], "town": ["Oslo", None, None]}))
    column  missing  share
    age           1  33.3%
    town          2  66.7%
    2 of 3 rows lack a value
    """
    absent = frame(data).isna()
    counts = {str(name): int(count) for name, count in absent.sum().items()}
    return MissingValues(len(absent), counts, int(absent.any(axis=1).sum()))


def complete_rows(data: Any, *, columns: Sequence[str] | None = None) -> CompleteRows:
    """Drop the rows that lack a value in any of the columns (all, unless named), and say how many.

    For training rows only: a row to be scored is never dropped. Rows are often missing for a reason, and then a model
    of complete rows is a model of other cases; filling with an indicator (`preparation`) keeps them.

    >>> complete_rows({"age": [31, None, 25]}).dropped
    1
    """
    table = frame(data)
    if columns is not None and not require_names(columns, name="columns"):
        raise ArgumentError("there are no columns to look at", "name some, or leave columns= out for all")
    for name in columns or ():
        column_of(table, name)
    kept = np.flatnonzero(table[list(columns or table.columns)].notna().all(axis=1))
    if not kept.size:
        raise EmptyError(f"every one of {len(table):,} rows lacks a value", "drop columns first, or fill them")
    return CompleteRows(table.iloc[kept].reset_index(drop=True), kept, len(table) - kept.size)
