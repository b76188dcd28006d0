"""Derived features: logarithms, ratios, products and bins of columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from thresher._internal.arguments import require_integer, short_repr
from thresher.errors import ArgumentError, ColumnError
from thresher.learning.data.frame import LARGEST, column_of
from thresher.ranking import Floats

_LOGARITHMS = {"log": np.log, "log1p": np.log1p}
SIGNS = frozenset("(/*")  # some of them are in every derived feature
MOST_BINS = 100
LONGEST = 1_000  # signs of a feature's text, each of which may divide it
_GRAMMAR = "write log(x), log1p(x), x / y, x * y or bins(x, 5), where x and y are columns of numbers"


@dataclass(frozen=True, slots=True)
class DerivedFeature:
    """A feature made of columns of numbers by one operation.

    The operation is "log", "log1p", "/", "*" or "bins"; `bins` is how many, and 0 elsewhere.
    """

    operation: str
    columns: tuple[str, ...]
    bins: int = 0

    @property
    def name(self) -> str:
        """The feature as it is written."""
        if len(self.columns) > 1:
            return f" {self.operation} ".join(self.columns)
        return f"{self.operation}({', '.join([*self.columns, *([str(self.bins)] if self.bins else [])])})"

    @property
    def words(self) -> str:
        """What it is, in words."""
        first, last = repr(self.columns[0]), repr(self.columns[-1])
        return {
            "log": f"the natural logarithm of {first}",
            "log1p": f"the natural logarithm of 1 + {first}",
            "/": f"{first} divided by {last}",
            "*": f"{first} times {last}",
            "bins": f"{first} in {self.bins} bins of about equally many rows",
        }[self.operation]

    def values(self, table: Any) -> Floats:
        """The feature of rows of floats; for bins, the values of the column.

        It is missing where a column is. Where it is undefined, or larger than models can hold, it is refused.
        """
        numbers = [table[name].to_numpy(dtype=np.float64) for name in self.columns]
        with np.errstate(all="ignore"):
            if self.operation in _LOGARITHMS:
                values = _LOGARITHMS[self.operation](numbers[0])
            elif self.operation == "bins":
                values = numbers[0]
            else:
                values = numbers[0] / numbers[1] if self.operation == "/" else numbers[0] * numbers[1]
        present = ~np.logical_or.reduce([np.isnan(each) for each in numbers])
        if (bad := present & ~(np.abs(values) <= LARGEST)).any():
            raise self._undefined(table, bad)
        return np.asarray(values, dtype=np.float64)

    def _undefined(self, table: Any, bad: Any) -> ColumnError:
        first = int(bad.argmax())
        values = {name: float(table[name].iloc[first]) for name in self.columns}
        reason = f"it is larger than {LARGEST:.2g} there"
        if self.operation in _LOGARITHMS:
            reason = f"a logarithm needs numbers above {0 if self.operation == 'log' else -1}"
        elif self.operation == "/" and values[self.columns[1]] == 0:
            reason = "nothing is divided by 0"
        where = " and ".join(f"{name!r} is {number:g}" for name, number in values.items())
        fix = "make those values missing, or leave the feature out"
        if self.operation == "log" and not (table[self.columns[0]] < 0).any():
            fix = f"take log1p({self.columns[0]}), which is defined at 0, {fix}"
        return ColumnError(
            f"{self.name} is undefined in {int(bad.sum()):,} of {len(table):,} rows: {reason} "
            f"(first at row {table.index[first]}, where {where})",
            fix,
        )


def derived_feature(text: str, table: Any) -> DerivedFeature:
    """Read a text such as `log(amount)`, `amount / income` or `bins(age, 5)`.

    Names of columns may hold signs and brackets, so every way to read the text is tried on the columns there are.

    >>> from thresher.learning import frame
    >>> derived_feature("paid/owed (USD)", frame({"paid": [1], "owed (USD)": [2]})).name
    'paid / owed (USD)'
    """
    text = text.strip()
    readings = list(_readings(text)) if len(text) <= LONGEST else []
    if not readings:
        raise ArgumentError(f"{short_repr(text)} is no derived feature", _GRAMMAR)
    known = [each for each in readings if set(each.columns) <= set(table.columns)]
    if len(known) > 1:
        names = " and as ".join(repr(each.columns) for each in known)
        raise ArgumentError(f"{text!r} can be read as being of the columns {names}", "rename one of them")
    for name in (known or readings)[0].columns:
        column_of(table, name)
    (feature,) = known
    if feature.operation == "bins":
        require_integer(feature.bins, name="the number of bins", least=2, most=MOST_BINS, fix=_GRAMMAR)
    return feature


def _readings(text: str) -> Iterator[DerivedFeature]:
    for operation in (*_LOGARITHMS, "bins"):
        if text.startswith(f"{operation}(") and text.endswith(")"):
            inside = text[len(operation) + 1 : -1]
            name, comma, bins = inside.rpartition(",")
            if operation != "bins":
                yield DerivedFeature(operation, (inside.strip(),))
            elif comma and bins.strip().isdecimal():
                yield DerivedFeature(operation, (name.strip(),), int(bins))
    for place, sign in enumerate(text):
        if sign in "*/":
            yield DerivedFeature(sign, (text[:place].strip(), text[place + 1 :].strip()))


def bin_edges(values: Floats, bins: int) -> Floats:
    """The lower edges of all bins but the first, values of the column themselves.

    Bins hold about equally many of the values; there are fewer bins where values repeat.

    >>> bin_edges(np.array([1.0, 2, 3, 4, 5, 6]), 3).tolist(), bin_edges(np.array([0.0, 0, 0, 7]), 4).tolist()
    ([3.0, 5.0], [7.0])
    """
    present = values[~np.isnan(values)]
    if not present.size:
        return present
    edges = np.unique(np.quantile(present, np.arange(1, bins) / bins, method="higher"))
    return edges[edges > present.min()]


def bin_names(column: str, edges: Floats) -> list[str]:
    """A name for each bin; none where there are no edges, as one bin tells nothing.

    >>> bin_names("age", np.array([31.0, 45.0]))
    ['age < 31', '31 <= age < 45', '45 <= age']
    """
    if not edges.size:
        return []
    texts = [f"{edge:.6g}" for edge in edges]
    if len(set(texts)) < len(texts):
        texts = list(map(repr, edges.tolist()))
    inner = [f"{low} <= {column} < {high}" for low, high in pairwise(texts)]
    return [f"{column} < {texts[0]}", *inner, f"{texts[-1]} <= {column}"]
