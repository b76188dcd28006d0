"""Counts, sums and pairs that functions of counts are given, checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thresher._internal.arguments import numbers_of, require_between, require_number
from thresher.errors import ArgumentError, argument
from thresher.ranking import Floats


def require_count(value: Any, *, name: str) -> float:
    """The value as a float; refuse what is not a finite number of at least 0."""
    number = require_number(value, name=name, fix="give a count")
    if not 0 <= number < math.inf:
        what = f"{argument(name)} must be at least 0 and finite, got {number:g}"
        raise ArgumentError(what, "give a count", parameter=name)
    return number


def columns_of(**values: Any) -> list[Floats]:
    """Rows of numbers of one length; a lone number is a row of one.

    >>> columns_of(k=3, n=[5])
    [array([3.]), array([5.])]
    """
    columns = []
    for name, value in values.items():
        numbers = numbers_of(value, name=name, fix="give a number for each part", dimensions=None)
        columns.append(numbers_of(np.atleast_1d(numbers), name=name, fix="give a number for each part"))
    first = next(iter(values))
    if len({column.size for column in columns}) > 1 or not columns[0].size:
        sizes = ", ".join(f"{column.size} of {name}" for name, column in zip(values, columns, strict=True))
        raise ArgumentError(f"there are {sizes}", "give one of each per part", parameter=first)
    return columns


def require_pair(value: Any, *, name: str, fix: str) -> tuple[float, float]:
    """Two numbers."""
    pair = numbers_of(value, name=name, fix=fix)
    if pair.size != 2:
        raise ArgumentError(f"{argument(name)} must be two numbers, got {pair.size}", fix, parameter=name)
    return float(pair[0]), float(pair[1])


def require_intrinsic_time(value: Any) -> float:
    """A sum of variances above 0."""
    return require_between(value, 0, math.inf, name="intrinsic_time", fix="e.g. 50 for 200 labels at one half")
