"""Dealing rows into ranges of scores by arithmetic, so that each range is sorted within the processor's cache.

SciPy's conversion of a sparse row to columns is a counting sort in compiled code that releases the interpreter lock.
Some processors are slow at the instruction with which NumPy partitions what it sorts; there a range is dealt once more,
into ranges so small that only NumPy's networks of comparisons are left to do. Keys come out in one order in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[Any]
Spread: TypeAlias = Callable[[Numbers], Numbers]

NETWORK = 256  # NumPy sorts as many numbers by a fixed network of comparisons
SEAM = 64  # numbers of a small range at most: it may lie across the seam of two networks
PER_RANGE = 24  # so that few ranges hold more even where scores crowd
MOST_CROWDED = 0.3
CROWDED = 4  # times as full as the other way before the dearer one is taken
SAMPLE = 4096
TOO_FULL = 1 << 18  # keys of a range that are dealt again, as they would leave the cache
MANY = 1 << 20
MOST = int(np.iinfo(np.int32).max)
SLOW = 8.0  # a whole sort of 2^15 numbers takes 18 times its networks where it is slow, elsewhere 2 times


@dataclass(frozen=True, slots=True)
class Ranges:
    """A rising map of scores to the numbers of ranges, none of which holds scores of both signs."""

    count: int
    spread: Spread
    low: Any
    scale: Any

    def __call__(self, scores: Numbers) -> npt.NDArray[np.int32]:
        """The number of each score's range."""
        number = self._unsigned(scores)
        number += 1 if scores.size and scores.min() >= 0 else scores >= 0
        return number

    @property
    def negative(self) -> int:
        """How many ranges hold negative scores; they come first."""
        return int(self._unsigned(np.zeros(1, dtype=self.low.dtype))[0]) + 1

    def _unsigned(self, scores: Numbers) -> npt.NDArray[np.int32]:
        # Subtracting, multiplying and clipping never change the order of two numbers.
        if not self.scale:
            return np.zeros(scores.size, dtype=np.int32)
        with np.errstate(over="ignore"):
            place = self.spread(scores) - self.low
            place *= self.scale
        return place.clip(0, self.count - 2, out=place).astype(np.int32)


def ranges_of(scores: Numbers, count: int) -> Ranges:
    """So many ranges, about equally full and one for each sign at least; some stay empty where scores crowd.

    >>> ranges = ranges_of(np.array([-1.0, 0.5, 0.0, 3.0]), 4)
    >>> ranges(np.array([-2.0, 0.0, 1.0, 4.0])).tolist(), ranges.negative
    ([0, 1, 2, 3], 1)
    """
    if count < 2:
        return Ranges(2, _itself, scores.dtype.type(0), 0)
    sample = scores[:: max(scores.size // SAMPLE, 1)].copy()
    sample.sort()
    plain, logarithmic = (_evened(sample, spread, count) for spread in (_itself, _bits))
    fullest = [np.bincount(ranges(sample)).max() for ranges in (plain, logarithmic)]
    return logarithmic if fullest[0] > CROWDED * max(fullest[1], sample.size / count) else plain


def _evened(sample: Numbers, spread: Spread, count: int) -> Ranges:
    along = spread(sample)
    low, high = along[sample.size // 100], along[-1 - sample.size // 100]
    return Ranges(count, spread, low, _scale(low, high, count - 1))


def _scale(low: Any, high: Any, steps: int) -> Any:
    """So many steps from low to high; 0 where arithmetic cannot tell them apart."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = type(low)(steps) / (high - low)
    return scale if 0 < scale < np.inf else type(low)(0)


def _itself(scores: Numbers) -> Numbers:
    return scores


def _bits(scores: Numbers) -> Numbers:
    """Numbers that grow with the logarithm of a score's size: they tell apart what crowds near 0."""
    bits = scores.view(f"i{scores.itemsize}")
    size = bits & np.iinfo(bits.dtype).max
    return np.where(bits < 0, -size, size).astype(scores.dtype)


def dealt(
    items: Numbers, numbers: npt.NDArray[np.int32], ranges: int, *, out: Numbers | None = None
) -> tuple[Numbers, npt.NDArray[np.int32]]:
    """The items range by range, in their order within each, and where each range begins and the last ends.

    >>> dealt(np.array([7, 8, 9]), np.array([1, 0, 1], dtype=np.int32), 2)
    (array([8, 7, 9]), array([0, 1, 3], dtype=int32))
    """
    if ranges == 2:  # which needs no SciPy
        first = numbers == 0
        found = np.concatenate([items[first], items[~first]])
        ends = np.array([0, np.count_nonzero(first), items.size], dtype=np.int32)
    else:
        from scipy.sparse import csr_array

        one_row = np.array([0, items.size], dtype=np.int32)
        columns = csr_array((items, numbers, one_row), shape=(1, ranges)).tocsc()
        found, ends = columns.data, columns.indptr
    if out is None:
        return found, ends
    out[:] = found
    return out, ends


def rising(keys: Numbers, along: Callable[[Numbers], Numbers]) -> Numbers:
    """Keys in rising order; may or may not reuse the array. `along` gives each key a number that rises with it.

    >>> rising(np.array([3, 1, 2]), lambda keys: keys.astype(float))
    array([1, 2, 3])
    """
    if 2 * NETWORK < keys.size <= MOST and partitioning_is_slow():
        place = along(keys)
        ordered = _again(keys, place, along) if keys.size > TOO_FULL else _by_networks(keys, place)
        if ordered is not None:
            return ordered
    keys.sort()
    return keys


def nearly_rising(items: Numbers, place: Numbers) -> Numbers:
    """Items dealt by their places: all but neighbours are in order, which a stable sort mends in about one pass.

    >>> nearly_rising(np.array([3, 0, 1]), np.array([3.0, 0.0, 1.0]))
    array([0, 1, 3])
    """
    ranges = 1 << items.size.bit_length()
    numbers = numbered(place, ranges)
    return items if numbers is None else dealt(items, numbers, ranges)[0]


def numbered(place: Numbers, ranges: int) -> npt.NDArray[np.int32] | None:
    """The number of each place's range, from 0 at the lowest; None where arithmetic tells none apart.

    >>> numbered(np.array([0.0, 2.0, 1.0]), 3)
    array([0, 2, 1], dtype=int32)
    """
    if not 2 <= place.size <= MOST:
        return None
    low = place.min()
    scale = _scale(low, place.max(), ranges - 1)
    if not scale:
        return None
    along = place - low
    along *= scale
    numbers = along.astype(np.int32)
    # At the highest place it is ranges - 1, and rounding adds so little that it is cut off, unless ranges are many.
    return numbers if ranges < MANY else np.minimum(numbers, ranges - 1, out=numbers)


def _again(keys: Numbers, place: Numbers, along: Callable[[Numbers], Numbers]) -> Numbers | None:
    """Keys in rising order, dealt into ranges of their own; None where that tells too few of them apart."""
    ranges = ranges_of(place, keys.size // (TOO_FULL // 4))
    parts, ends = dealt(keys, ranges(place), ranges.count)
    if np.diff(ends).max() > 0.9 * keys.size:
        return None
    return np.concatenate(
        [rising(parts[a:b], along) for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    )


def _by_networks(keys: Numbers, place: Numbers) -> Numbers | None:
    """Keys in rising order, dealt by their places; None where most crowd into few places.

    A small range lies within one block of 256, or across the seam of two: sorting the blocks and then what is around
    the seams orders all of them. Larger ranges are sorted on their own.
    """
    ranges = 1 << (keys.size // PER_RANGE).bit_length()
    numbers = numbered(place, ranges)
    if numbers is None:
        return None
    values, ends = dealt(keys, numbers, ranges)
    held = np.diff(ends)
    crowded = np.flatnonzero(held > SEAM)
    if crowded.size:
        if held[crowded].sum() > MOST_CROWDED * keys.size:
            return None
        for start, end in zip(ends[crowded].tolist(), ends[crowded + 1].tolist(), strict=True):
            values[start:end].sort()
    whole = values.size // NETWORK * NETWORK
    values[:whole].reshape(-1, NETWORK).sort(axis=1)
    values[whole:].sort()
    if whole:
        around = values[NETWORK - SEAM : whole - SEAM].reshape(-1, NETWORK)
        around[:, : 2 * SEAM].sort(axis=1)
        values[whole - SEAM : whole + SEAM].sort()
    return values


@cache
def partitioning_is_slow() -> bool:
    """Whether a sort takes many times as long as the networks within it.

    >>> partitioning_is_slow() in (True, False)
    True
    """
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
