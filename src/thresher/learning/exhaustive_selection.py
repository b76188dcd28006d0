"""Every subset tried: the answer that needs no argument, for as many subsets as anyone would wait for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import chain, combinations, islice

import numpy as np

from thresher.errors import ArgumentError
from thresher.learning.criteria import first_best
from thresher.ranking import Floats, Indices

MOST_SUBSETS = 2_000_000
_AT_ONCE = 20_000


def exhaustive_selection(
    value: Callable[[Indices], Floats], between: Floats, size: int, *, most: int = MOST_SUBSETS
) -> tuple[Indices, float]:
    """The subset of `size` features whose value is largest; of equal ones the first in order of positions.

    `value` takes subsets as rows of positions. More than `most` subsets are refused.

    >>> weights = np.array([3.0, 1.0, 2.0])
    >>> exhaustive_selection(lambda subsets: weights[subsets].sum(axis=1), weights, 2)
    (array([0, 2]), 5.0)
    """
    subsets = math.comb(between.size, size)
    if subsets > most:
        raise ArgumentError(
            f"{size:,} of {between.size:,} features make {_said(subsets)} subsets, and at most {most:,} are tried",
            'use search="exact", which finds the best by trace_ratio without trying all, or search="forward"',
        )
    best, reached, sum_between = np.arange(size), -np.inf, -np.inf
    for block in _blocks(between.size, size):
        values, sums = value(block), between[block].sum(axis=1)
        place = first_best(values, then=sums)
        further = values[place] > reached or (np.isposinf(values[place]) and sums[place] > sum_between)
        if further:
            best, reached, sum_between = block[place], float(values[place]), float(sums[place])
    return best, float(reached)


def _blocks(features: int, size: int) -> Iterator[Indices]:
    subsets = combinations(range(features), size)
    while flat := list(chain.from_iterable(islice(subsets, _AT_ONCE))):
        yield np.array(flat, dtype=np.int64).reshape(-1, size)


def _said(count: int) -> str:
    return f"{count:,}" if count < 10**12 else f"about 10^{len(str(count)) - 1}"
