"""The one sort: rows in, positives and negatives per distinct score out, by falling score.

Positives and negatives are sorted apart, because NumPy's sort of bare numbers is vectorised and
releases the interpreter lock while an indirect sort does neither; two sorted runs then merge in
linear time. Rows are first dealt into ranges of scores, one per processor, so that each range is
counted by its own thread and the results only have to be laid end to end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.ranking.dealing import rising
from thresher.ranking.pieces import MOST_THREADS, Floats, processors

Flags: TypeAlias = npt.NDArray[np.bool_]
Counts: TypeAlias = npt.NDArray[Any]  # int64, or float64 when rows carry weights
Segments: TypeAlias = tuple[Floats, Counts, Counts]

ROWS_WORTH_A_THREAD = 1 << 17
_NARROW = np.int32  # counts on their way to int64, while they fit: half the memory


def counted(positive: Flags, score: npt.NDArray[Any]) -> Segments:
    """Count rows per distinct score: (score, pos, neg) by falling score.

    `score` holds no NaN; it is compared in its own dtype and comes back as float64.

    >>> counted(np.array([True, False, True]), np.array([1.0, 2.0, 2.0]))
    (array([2., 1.]), array([1, 1]), array([1, 0]))
    """

    def one_range(within: Flags | None) -> Segments:
        if within is None:
            return _merged_runs(score[positive], score[~positive])
        return _merged_runs(np.compress(within & positive, score), np.compress(within > positive, score))

    return _range_by_range(score, one_range, np.dtype(np.int64))


def counted_weights(positive: Flags, score: npt.NDArray[Any], weight: Floats) -> Segments:
    """Add up weights per distinct score; a weight w counts as w rows.

    >>> counted_weights(np.array([True, False]), np.array([1.0, 1.0]), np.array([0.5, 2.0]))
    (array([1.]), array([0.5]), array([2.]))
    """

    def one_range(within: Flags | None) -> Segments:
        if within is None:
            return _summed_rows(score, np.where(positive, weight, -weight))
        signed = np.compress(within, weight)
        np.negative(signed, out=signed, where=~np.compress(within, positive))
        return _summed_rows(np.compress(within, score), signed)

    return _range_by_range(score, one_range, np.dtype(np.float64))


def summed(score: npt.NDArray[Any], pos: Counts, neg: Counts) -> Segments:
    """Sort (score, pos, neg) entries in any order by falling score and add up equal scores.

    >>> summed(np.array([1.0, 2.0, 1.0]), np.array([1, 2, 3]), np.array([0, 0, 4]))
    (array([2., 1.]), array([2, 4]), array([0, 4]))
    """
    order = np.argsort(score, kind="stable")
    score, pos, neg = _collapsed(score[order], pos[order], neg[order])
    return _falling([(score, pos, -neg if neg.dtype.kind == "f" else neg)], pos.dtype, map)


def _range_by_range(
    score: npt.NDArray[Any], one_range: Callable[[Flags | None], Segments], counts: np.dtype[Any]
) -> Segments:
    """Count each range of scores in its own thread; ranges share no score, so they only need joining."""
    threads = min(processors(), MOST_THREADS, score.size // ROWS_WORTH_A_THREAD)
    if threads < 2:
        return _falling([one_range(None)], counts, map)
    sample = np.sort(score[:: max(1, score.size // 4096)])
    pivots = sample[[sample.size * i // threads for i in range(1, threads)]]

    def within(i: int) -> Flags:
        if i == 0:
            return score < pivots[0]
        if i == threads - 1:
            return score >= pivots[-1]
        return (score >= pivots[i - 1]) & (score < pivots[i])

    with ThreadPoolExecutor(threads) as pool:
        rising = list(pool.map(lambda i: one_range(within(i)), range(threads)))
        return _falling(rising, counts, pool.map)


def _falling(rising: list[Segments], counts: np.dtype[Any], each: Callable[..., Iterable[None]]) -> Segments:
    """Lay pieces in order of rising score end to end by falling score, each piece turned round once."""
    ends = np.cumsum([piece[0].size for piece in rising[::-1]]).tolist()
    score = np.empty(ends[-1], dtype=np.float64)
    pos, neg = np.empty(ends[-1], dtype=counts), np.empty(ends[-1], dtype=counts)

    def lay(piece: Segments, end: int) -> None:
        place = slice(end - piece[0].size, end)
        np.add(piece[0][::-1], 0.0, out=score[place])  # -0.0 + 0.0 is 0.0: zero is one score
        pos[place] = piece[1][::-1]
        neg[place] = piece[2][::-1]
        if counts.kind == "f":  # weights: above 0 for positives and below for negatives
            np.maximum(pos[place], 0.0, out=pos[place])
            np.maximum(np.negative(neg[place], out=neg[place]), 0.0, out=neg[place])

    for _ in each(lay, rising[::-1], ends):
        pass
    return score, pos, neg


def _merged_runs(positives: npt.NDArray[Any], negatives: npt.NDArray[Any]) -> Segments:
    """Segments of two unsorted classes by rising score; may sort both in place."""
    positives = rising(positives)
    negatives = rising(negatives)
    pos_score, pos_count = _runs(positives)
    neg_score, neg_count = _runs(negatives)
    positives_first = pos_score.size
    both = np.concatenate([pos_score, neg_score])
    del positives, negatives, pos_score, neg_score
    # Two rising runs: the stable sort only merges them. A score of both classes has its positives first.
    order = np.argsort(both, kind="stable")
    score = both[order]
    del both
    is_pos = order < positives_first
    first = _starts_run(score)
    if pos_count is None and neg_count is None and first.all():
        return score, is_pos, ~is_pos
    counts = np.concatenate([_ones(pos_count, positives_first), _ones(neg_count, order.size - positives_first)])
    count = counts[order]
    del order, counts, pos_count, neg_count
    pos = count * is_pos
    neg = np.subtract(count, pos, out=count)
    if not first.all():
        second = np.flatnonzero(~first)  # the negatives of a score whose positives stand just before them
        neg[second - 1] = neg[second]
        score, pos, neg = score[first], pos[first], neg[first]
    return score, pos, neg


def _summed_rows(score: npt.NDArray[Any], signed: Floats) -> Segments:
    """Segments of rows whose weight is above 0 for positives and below 0 for negatives.

    A complex number is a pair that NumPy sorts whole, by its real and then by its imaginary part.
    That beats sorting indices, and equal scores are added up in the same order however rows came.
    """
    pair = np.empty(score.size, dtype=np.complex128)
    pair.real, pair.imag = score, signed
    del score, signed
    pair.sort()
    if _starts_run(pair.real).all():
        return pair.real, pair.imag, pair.imag
    return _collapsed(pair.real, np.maximum(pair.imag, 0.0), np.minimum(pair.imag, 0.0))


def _collapsed(score: npt.NDArray[Any], pos: Counts, neg: Counts) -> Segments:
    """Add up neighbours of equal score."""
    first = _starts_run(score)
    if not first.all():
        starts = np.flatnonzero(first)
        score, pos, neg = score[starts], np.add.reduceat(pos, starts), np.add.reduceat(neg, starts)
    return score, pos, neg


def _runs(ascending: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Counts | None]:
    """Distinct values and how often each occurs; None for 'once each', which needs no array."""
    first = _starts_run(ascending)
    if first.all():
        return ascending, None
    starts = np.flatnonzero(first)
    count = np.diff(starts, append=ascending.size)
    return ascending[starts], count.astype(_NARROW) if ascending.size < np.iinfo(_NARROW).max else count


def _starts_run(ordered: npt.NDArray[Any]) -> Flags:
    first = np.ones(ordered.size, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


def _ones(count: Counts | None, size: int) -> Counts:
    return np.ones(size, dtype=_NARROW) if count is None else count
