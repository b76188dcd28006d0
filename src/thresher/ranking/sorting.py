"""The one sort: rows counted per distinct score, or put in order.

A score and its class are packed into one integer: NumPy's sort of bare numbers is vectorised and releases the
interpreter lock, an indirect sort does neither. Many rows are partitioned by score range first: each range is sorted
within the processor's cache, and every processor takes some. Where a processor is slow at the instruction with which
NumPy partitions what it sorts, a range is bucketed once more, until NumPy's sorting networks suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.parallel import MOST_THREADS, parallel_map, processors, reuse_memory

Array: TypeAlias = npt.NDArray[Any]
Flags: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.intp]
Counts: TypeAlias = npt.NDArray[Any]  # integers, or float64 when rows carry weights
Keys: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]  # a score and its class each
Segments: TypeAlias = tuple[Floats, Counts, Counts]

PLAIN_ROWS = 1 << 17  # fewer are sorted at once; of more, ranges hold about as many
MOST_RANGES = 512  # as many open ends as the cache holds
BUCKETED_ROWS = 1 << 14
NETWORK = 256  # NumPy sorts as many numbers by a fixed network of comparisons
SEAM = 64  # numbers of a bucket at most: it may lie across the seam of two networks


def count_rows(positive: Flags, score: Array, weights: Floats | None = None) -> Segments:
    """Count rows, or their weights, per distinct score: (score, pos, neg), falling.

    `score` holds no NaN; it is compared in its dtype, float32 or float64, and comes back as float64. Counts take as few
    bytes as they fit; sums of weights are float64 and do not depend on the order of rows.

    >>> count_rows(np.array([True, False, True]), np.array([1.0, 2.0, 2.0]))
    (array([2., 1.]), array([1, 1], dtype=uint8), array([1, 0], dtype=uint8))
    >>> count_rows(np.array([True, False]), np.array([1.0, 1.0]), np.array([0.5, 2.0]))
    (array([1.]), array([0.5]), array([2.]))
    """
    count_items = _count_keys if weights is None else _sum_pairs

    def items_of(scores: Array, rows: slice) -> Array:
        return pack(scores, positive[rows]) if weights is None else _pair(scores, positive[rows], weights[rows])

    reuse_memory()
    if score.size >= PLAIN_ROWS:
        return _count_by_range(score, items_of, count_items)
    score = score + score.dtype.type(0)  # -0.0 + 0.0 is 0.0: zero is one score
    items = items_of(score, slice(None))
    if weights is not None or not score.size or score.min() >= 0:
        return _concatenate([count_items(items, negative=False)])
    signs = ((score >= 0, False), (score < 0, True))
    return _concatenate([count_items(items.compress(some), negative=negative) for some, negative in signs])


def sum_by_score(score: Array, pos: Counts, neg: Counts) -> Segments:
    """Sort entries (score, pos, neg) by falling score and add up those of equal score."""
    order = np.argsort(score, kind="stable")
    score, pos, neg = _add_ties(score[order], pos[order], neg[order])
    return score + 0.0, pos.copy(), neg.copy()


def falling_order(score: Array) -> tuple[Indices, Indices]:
    """Rows by falling score, and how many there are down to the end of each segment."""
    if not 2 * PLAIN_ROWS <= score.size < 1 << 31 or not sort_is_slow():
        order = np.argsort(score)
        ordered = score[order]
    else:  # pairs of scores and rows are partitioned and sorted
        pairs = _pair(score, np.ones(score.size, dtype=np.bool_), np.arange(score.size, dtype=np.float64))
        ranges = score_ranges(score, score.size // PLAIN_ROWS)
        pairs, ends = _partition(pairs, ranges.numbers(score), ranges.count)
        for start, end in pairwise(ends.tolist()):
            pairs[start:end] = _sort_pairs(pairs[start:end])
        order, ordered = pairs.imag.astype(np.intp), pairs.real
    return order[::-1], np.append(np.flatnonzero(ordered[-2::-1] != ordered[:0:-1]) + 1, score.size)


def pack(score: Array, positive: Flags) -> Keys:
    """Integers that order as (score, class) do within one sign, zero being 0.0."""
    keys: Keys = np.left_shift(score.view(f"u{score.itemsize}"), 1)  # but for its sign, bits order as a float does
    if score.size and score.min() < 0:
        # The larger a negative number without its sign, the lower it is: invert all bits but that of the class.
        sign = score.view(f"i{score.itemsize}") >> (8 * score.itemsize - 1)
        keys ^= (sign << 1).view(keys.dtype)
    keys |= positive
    return keys


def unpack_scores(keys: Keys, *, negative: bool) -> Array:
    """The scores that were packed, all of one sign."""
    sign = keys.dtype.type(1 << (8 * keys.itemsize - 1))
    return ((~keys >> 1) | sign if negative else keys >> 1).view(f"f{keys.itemsize}")


@dataclass(frozen=True, slots=True)
class ScoreRanges:
    """A rising map of scores to numbers of ranges, none of which holds both signs."""

    count: int
    logarithmic: bool
    low: Any
    high: Any

    def numbers(self, scores: Array) -> npt.NDArray[np.int32]:
        """The number of each score's range."""
        steps = even_steps(_log_size(scores) if self.logarithmic else scores, self.low, self.high, self.count - 1)
        numbers = np.zeros(scores.size, dtype=np.int32) if steps is None else steps
        numbers += 1 if scores.size and scores.min() >= 0 else scores >= 0
        return numbers

    @property
    def negative(self) -> int:
        """How many ranges hold negative scores; they come first."""
        return int(self.numbers(np.zeros(1, dtype=self.low.dtype))[0])


def score_ranges(scores: Array, count: int) -> ScoreRanges:
    """So many ranges, two at least, about equally full unless scores crowd."""
    sample = np.sort(scores[:: max(scores.size // 4096, 1)])
    spread, cut = _log_size(sample), sample.size // 100
    plain = ScoreRanges(count, False, sample[cut], sample[-1 - cut])
    logarithmic = ScoreRanges(count, True, spread[cut], spread[-1 - cut])
    fullest = [np.bincount(ranges.numbers(sample)).max() for ranges in (plain, logarithmic)]
    return logarithmic if fullest[0] > 4 * max(fullest[1], sample.size / count) else plain


def partition_rows(score: Array, items_of: Callable[[Array], Array], ranges: ScoreRanges) -> tuple[Array, Array]:
    """Partition `items_of(scores)` of some rows by score range."""
    if not score.size or not score.min() > 0 or not score.flags.c_contiguous:  # contiguous, it is read faster
        score = score + score.dtype.type(0)  # -0.0 + 0.0 is 0.0: zero is one score
    return _partition(items_of(score), ranges.numbers(score), ranges.count)


def sort_keys(keys: Keys, *, negative: bool) -> Keys:
    """Packed rows of one sign in rising order; may or may not reuse the array."""
    slow = keys.size >= BUCKETED_ROWS and sort_is_slow()
    ordered = _sort_by_networks(keys, unpack_scores(keys, negative=negative)) if slow else None
    if ordered is None:
        keys.sort()
    return keys if ordered is None else ordered


@cache
def sort_is_slow() -> bool:
    """Whether NumPy's sort takes many times as long as its networks; measured once."""
    numbers = np.random.default_rng(0).random(1 << 15)

    def seconds(rows: int) -> float:
        copy = numbers.reshape(rows, -1).copy()
        began = perf_counter()
        copy.sort(axis=1)
        return perf_counter() - began

    full, networks = (min(seconds(rows) for _ in range(3)) for rows in (1, numbers.size // NETWORK))
    return full > 8 * networks  # 18 times on some processors, twice on others


def _count_by_range(score: Array, items_of: Callable[..., Array], count_items: Callable[..., Segments]) -> Segments:
    """Count each range of scores by itself; ranges share no score, so segments follow."""
    rows = score.size
    threads = max(1, min(processors(), MOST_THREADS, rows // PLAIN_ROWS))
    few = min(4 * rows // PLAIN_ROWS, 32)  # smaller ones, to hold less at once
    ranges = score_ranges(score, min(max(rows // PLAIN_ROWS, few), MOST_RANGES))
    negative = ranges.negative
    sort_is_slow()  # measured now, before threads disturb each other
    number = threads * -(-rows // (2 * PLAIN_ROWS * threads))
    parts = [slice(rows * i // number, rows * (i + 1) // number) for i in range(number)]
    items = np.empty(rows, dtype=items_of(score[:1], slice(1)).dtype)  # one array, as it gets larger pages

    def partition(part: slice) -> list[int]:
        items[part], ends = partition_rows(score[part], lambda scores: items_of(scores, part), ranges)
        return [part.start + end for end in ends.tolist()]

    ends = parallel_map(partition, parts, threads)
    before = (np.sum(ends, axis=0) - sum(part.start for part in parts)).tolist()  # rows in lower ranges
    kind = np.float64 if items.dtype.kind == "c" else np.uint8
    columns = np.empty(rows), np.empty(rows, dtype=kind), np.empty(rows, dtype=kind)

    def count(number: int) -> Segments:
        of_range = np.concatenate([items[end[number] : end[number + 1]] for end in ends])
        segments = count_items(of_range, negative=number < negative)
        if segments[0].size < of_range.size:
            return segments
        place = slice(rows - before[number + 1], rows - before[number])  # no score comes twice
        for column, values in zip(columns, segments, strict=True):
            column[place] = values
        return columns[0][place], columns[1][place], columns[2][place]

    filled = [number for number in range(ranges.count)[::-1] if before[number] < before[number + 1]]
    segments = parallel_map(count, filled, threads)
    items.resize(0, refcheck=False)  # free it before segments are concatenated
    return columns if sum(part[0].size for part in segments) == rows else _concatenate(segments)


def _count_keys(keys: Keys, *, negative: bool) -> Segments:
    keys = sort_keys(keys, negative=negative)
    score, pos = unpack_scores(keys, negative=negative), keys.astype(np.uint8) & np.uint8(1)
    first = _first_of_ties(score)
    if first is None:
        pos = pos[::-1].copy()
        return score[::-1], pos, 1 - pos
    last = np.roll(first, -1)
    running = np.cumsum(pos, dtype=np.int32 if score.size < 1 << 31 else np.int64)  # quicker than np.add.reduceat
    cases, pos = np.diff(np.flatnonzero(last)[::-1], append=-1), np.diff(running.compress(last)[::-1], append=0)
    fits = np.min_scalar_type(-cases.min())
    return score.compress(last)[::-1], (-pos).astype(fits), (pos - cases).astype(fits)


def _pair(score: Array, positive: Flags, weights: Floats) -> npt.NDArray[np.complex128]:
    """Pairs as NumPy sorts them: scores with weights, which negatives have below 0."""
    pairs = np.empty(score.size, dtype=np.complex128)
    pairs.real = score
    np.negative(weights, out=pairs.imag)
    np.copyto(pairs.imag, weights, where=positive)
    return pairs


def _sum_pairs(pairs: npt.NDArray[np.complex128], *, negative: bool) -> Segments:  # noqa: ARG001 - as _count_keys
    # In order of weight within a score, sums do not depend on the order of rows.
    pairs = _sort_pairs(pairs)
    return _add_ties(pairs.real, np.maximum(pairs.imag, 0.0), np.maximum(-pairs.imag, 0.0))


def _sort_pairs(pairs: npt.NDArray[np.complex128]) -> npt.NDArray[np.complex128]:
    """Complex numbers in rising order; a stable sort mends buckets in about a pass."""
    score, buckets = pairs.real, 1 << pairs.size.bit_length()
    numbers = even_steps(score, score.min(), score.max(), buckets) if score.size >= BUCKETED_ROWS else None
    if numbers is not None:
        pairs, _ = _partition(pairs, numbers, buckets)
    pairs.sort(kind=None if numbers is None else "stable")
    return pairs


def _add_ties(score: Array, pos: Counts, neg: Counts) -> Segments:
    """Segments by falling score of entries by rising score."""
    first = _first_of_ties(score)
    if first is not None:
        starts = np.flatnonzero(first)
        score, pos, neg = score[starts], np.add.reduceat(pos, starts), np.add.reduceat(neg, starts)
    return score[::-1], pos[::-1], neg[::-1]


def _first_of_ties(ordered: Array) -> Flags | None:
    """Flag the first of each distinct value; None where no two are equal."""
    first = np.ones(ordered.size, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return None if first.all() else first


def _concatenate(parts: Sequence[Segments]) -> Segments:
    score, pos, neg = map(np.concatenate, zip(*parts, strict=True))
    return score.astype(np.float64, copy=False), pos, neg


def _partition(items: Array, numbers: npt.NDArray[np.int32], ranges: int) -> tuple[Array, Array]:
    """The items range by range, and where each range begins and the last ends."""
    from scipy.sparse import csr_array  # its conversion is a counting sort in compiled code, without interpreter lock

    one_row = np.array([0, items.size], dtype=np.int32)
    columns = csr_array((items, numbers, one_row), shape=(1, ranges)).tocsc()
    return columns.data, columns.indptr


def _sort_by_networks(keys: Keys, places: Array) -> Keys | None:
    """Keys in rising order, bucketed by their places; None where many tie or crowd."""
    sample = places[:: places.size // NETWORK]
    if np.unique(sample).size < 0.9 * sample.size:
        return None
    # About 24 in each, so that few hold more than a seam even where scores crowd; float32 can number 2^24.
    buckets = 1 << min((keys.size // 24).bit_length(), 22)
    numbers = even_steps(places, places.min(), places.max(), buckets)
    if numbers is None:
        return None
    values, ends = _partition(keys, numbers, buckets)
    sizes = np.diff(ends)
    crowded = np.flatnonzero(sizes > SEAM)
    if sizes[crowded].sum() > 0.3 * keys.size:
        return None
    for start, end in zip(ends[crowded].tolist(), ends[crowded + 1].tolist(), strict=True):
        values[start:end].sort()
    # A bucket lies within one block, or across the seam of two: sorting blocks, then around seams, orders all of them.
    last = values.size // NETWORK * NETWORK
    values[:last].reshape(-1, NETWORK).sort(axis=1)
    values[last:].sort()
    values[NETWORK - SEAM : last - SEAM].reshape(-1, NETWORK)[:, : 2 * SEAM].sort(axis=1)
    values[last - SEAM : last + SEAM].sort()
    return values


def even_steps(values: Array, low: Any, high: Any, count: int) -> npt.NDArray[np.int32] | None:
    """Number even steps from low to high, 0 to count - 1; None where they collapse.

    >>> even_steps(np.array([0.25, 0.95, 7.0]), np.float64(0), np.float64(1), 10)
    array([2, 9, 9], dtype=int32)
    """
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = type(low)(count) / (high - low)
        if not 0 < scale < np.inf:
            return None
        steps = values - low  # subtracting, multiplying and clipping never change the order of two numbers
        steps *= scale
    return steps.clip(0, count - 1, out=steps).astype(np.int32)


def _log_size(scores: Array) -> Array:
    """Numbers that grow with the logarithm of a score's size, for what crowds near 0."""
    bits = scores.view(f"i{scores.itemsize}")
    size = bits & np.iinfo(bits.dtype).max
    return np.where(bits < 0, -size, size).astype(scores.dtype)
