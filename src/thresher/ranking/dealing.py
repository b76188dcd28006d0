"""Sorting bare numbers on processors where NumPy's vectorised sort is slow at telling large from small.

NumPy sorts up to 256 numbers by a fixed network of comparisons, and more by first partitioning them with an
instruction that some processors take dozens of cycles for. There it is quicker to deal the numbers
into many small ranges by arithmetic (SciPy's conversion of a sparse row to columns is a counting sort) and leave
only the networks to do. The result is the same array; which way is taken is measured once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[Any]

FEWEST = 1 << 16  # below, NumPy's sort takes a millisecond or two
MOST = np.iinfo(np.int32).max
NETWORK = 256
PER_RANGE = 24  # so that few ranges hold more than half a network even where scores crowd
FEW = 256
SAMPLE, CELLS = 4096, 64
MOST_CROWDED = 0.3
SLOW = 8.0  # a whole sort of 2^15 numbers takes 18 times its networks where it is slow, elsewhere 2 times
_PIECE = 1 << 15


def rising(values: Numbers) -> Numbers:
    """The numbers in rising order; may or may not reuse the array it is given.

    >>> rising(np.array([3.0, -np.inf, 1.0]))
    array([-inf,   1.,   3.])
    """
    if FEWEST <= values.size <= MOST and values.dtype.kind == "f" and _partitioning_is_slow():
        number = _numbering(values)
        if number is not None:
            return _sorted_ranges(*_dealt(values, number))
    values.sort()
    return values


def _numbering(values: Numbers) -> Callable[[Numbers], Numbers] | None:
    """A rising map of values to the numbers of ranges; None where a sample says that most would crowd into few."""
    sample = values[:: values.size // SAMPLE].copy()
    sample.sort()
    low, high = sample[sample.size // 100], sample[-1 - sample.size // 100]
    ranges = _ranges(values.size)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = values.dtype.type(ranges) / (high - low)
    if not 0 < scale < np.inf:
        return None

    def number(of: Numbers) -> Numbers:
        # Subtracting, multiplying and clipping never change the order of two numbers.
        with np.errstate(over="ignore"):
            return np.clip((of - low) * scale, 0, ranges)

    cell = (number(sample) * (CELLS / ranges)).astype(np.int64)
    share = np.bincount(cell, minlength=CELLS) / sample.size
    crowded = share * CELLS * values.size / ranges > NETWORK / 2
    return None if share[crowded].sum() > MOST_CROWDED else number


def _ranges(size: int) -> int:
    return 1 << (size // PER_RANGE).bit_length()


def _dealt(values: Numbers, number: Callable[[Numbers], Numbers]) -> tuple[Numbers, npt.NDArray[np.int64]]:
    """The values range by range, and where each range begins and the last ends.

    They are dealt twice, first into few ranges: so many open ends fit the cache, and then neighbours lie close.
    """
    from scipy.sparse import csr_array

    ranges = _ranges(values.size)
    ends = np.array([0, values.size], dtype=np.int32)
    numbers = np.empty(values.size, dtype=np.int32)
    for together in (max(ranges // FEW, 1), 1):
        for start in range(0, values.size, _PIECE):
            numbers[start : start + _PIECE] = number(values[start : start + _PIECE])
        numbers >>= together.bit_length() - 1  # a power of two
        columns = csr_array((values, numbers, ends), shape=(1, ranges // together + 1)).tocsc()
        values = columns.data
    return values, columns.indptr


def _sorted_ranges(values: Numbers, ends: npt.NDArray[np.int64]) -> Numbers:
    """Sort numbers that stand in the right range already, in place.

    A range of up to half a network lies within one block of 256, or within one of those that begin half a
    block later. Larger ranges are sorted on their own.
    """
    half = NETWORK // 2
    crowded = np.flatnonzero(np.diff(ends) > half)
    for start, end in zip(ends[crowded].tolist(), ends[crowded + 1].tolist(), strict=True):
        part = values[start:end]
        if part.min() < part.max():
            part.sort()
    for first in (0, half):
        last = first + (values.size - first) // NETWORK * NETWORK
        values[first:last].reshape(-1, NETWORK).sort(axis=1)
        values[last:].sort()
    return values


@cache
def _partitioning_is_slow() -> bool:
    """Whether a sort takes many times as long as the networks within it."""
    numbers = np.random.default_rng(0).random(1 << 15)
    whole: list[float] = []
    networks: list[float] = []
    for _ in range(3):
        for shape, times in (((1, -1), whole), ((-1, NETWORK), networks)):
            copy = numbers.reshape(shape).copy()
            began = perf_counter()
            copy.sort(axis=1)
            times.append(perf_counter() - began)
    return min(whole) > SLOW * min(networks)
