"""The one sort: rows in, positives and negatives per distinct score out, by falling score.

Rows are dealt into ranges of scores, so that each range is counted within the processor's cache, every processor
takes some, and the results only have to be laid end to end. A score and its class are packed into one whole number:
NumPy's sort of bare numbers is vectorised and releases the interpreter lock, an indirect sort does neither.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.ranking.dealing import nearly_rising, numbered, partitioning_is_slow, ranges_of, rising
from thresher.ranking.hands import MOST_HANDS, ROWS_PER_HAND, Fill, Rows, deal_hand
from thresher.ranking.packing import Keys, classes_in, packed, scores_in
from thresher.ranking.pieces import MOST_THREADS, Floats, processors, shared_out

Flags: TypeAlias = npt.NDArray[np.bool_]
Counts: TypeAlias = npt.NDArray[Any]  # whole numbers, or float64 when rows carry weights
Segments: TypeAlias = tuple[npt.NDArray[Any], Counts, Counts]

ROWS_WORTH_A_THREAD = 1 << 17
ROWS_PER_RANGE = 1 << 17
FEW_RANGES = 32  # when there would be fewer, they are smaller, to hold less at once
MOST_RANGES = 512  # as many open ends as the cache holds
_SAMPLE = 256
_FEW = 0.9  # of a sample are distinct where it is worth trying
_PLACES = 1 << 12


def counted(positive: Flags, score: npt.NDArray[Any]) -> Segments:
    """Count rows per distinct score: (score, pos, neg) by falling score, the counts in as few bytes as they fit.

    `score` holds no NaN; it is compared in its own dtype, float32 or float64, and comes back as float64.

    >>> counted(np.array([True, False, True]), np.array([1.0, 2.0, 2.0]))
    (array([2., 1.]), array([1, 1], dtype=uint8), array([1, 0], dtype=uint8))
    """

    def filled(rows: slice) -> Fill:
        return lambda scores, keys: packed(scores, positive[rows], out=keys)

    return _range_by_range(score, filled, _counted_keys, dtypes=(f"u{score.itemsize}", np.uint8))


def counted_weights(positive: Flags, score: npt.NDArray[Any], weight: Floats) -> Segments:
    """Add up weights per distinct score; a weight w counts as w rows.

    >>> counted_weights(np.array([True, False]), np.array([1.0, 1.0]), np.array([0.5, 2.0]))
    (array([1.]), array([0.5]), array([2.]))
    """

    def filled(rows: slice) -> Fill:
        def fill(scores: Rows, pair: Rows) -> None:
            pair.real = scores
            np.negative(weight[rows], out=pair.imag)
            np.copyto(pair.imag, weight[rows], where=positive[rows])

        return fill

    return _range_by_range(score, filled, _summed_pairs, dtypes=(np.complex128, np.float64))


def summed(score: npt.NDArray[Any], pos: Counts, neg: Counts) -> Segments:
    """Sort (score, pos, neg) entries in any order by falling score and add up equal scores.

    >>> summed(np.array([1.0, 2.0, 1.0]), np.array([1, 2, 3]), np.array([0, 0, 4]))
    (array([2., 1.]), array([2, 4]), array([0, 4]))
    """
    order = np.argsort(score, kind="stable")
    score, pos, neg = _falling(*_collapsed(score[order], pos[order], neg[order]))
    return score + 0.0, pos.copy(), neg.copy()


def _range_by_range(
    score: npt.NDArray[Any],
    filled: Callable[[slice], Fill],
    segments: Callable[..., Segments],
    *,
    dtypes: tuple[Any, Any],
) -> Segments:
    """Count each range of scores on its own; ranges share no score, so they only need laying end to end."""
    count = max(score.size // ROWS_PER_RANGE, min(4 * score.size // ROWS_PER_RANGE, FEW_RANGES))
    ranges = ranges_of(score, min(count, MOST_RANGES))
    many = ranges.count > 2
    if many:
        partitioning_is_slow()  # judged now, before threads disturb each other
    threads = max(1, min(processors(), MOST_THREADS, score.size // ROWS_WORTH_A_THREAD))

    def deal(hand: tuple[slice, Rows]) -> tuple[Rows, npt.NDArray[np.int32]]:
        rows, out = hand
        return out, deal_hand(score[rows], filled(rows), ranges, out=out)

    def counted_in(number: int) -> Segments | None:
        return laid.put(number, segments(laid.rows(number), negative=number < ranges.negative, many=many))

    laid = _Laid(shared_out(deal, _hands(score.size, dtypes[0], threads), threads), dtypes[1])
    return laid.joined(shared_out(counted_in, range(ranges.count), threads))


def _hands(rows: int, dtype: Any, threads: int) -> list[tuple[slice, Rows]]:
    """Which rows are dealt at once, and room for them, in one array as it gets larger pages."""
    hands = threads * max(1, -(-min(rows // ROWS_PER_HAND, MOST_HANDS) // threads))  # as many for each
    room, ends = np.empty(rows, dtype=dtype), [rows * hand // hands for hand in range(hands + 1)]
    return [(slice(start, end), room[start:end]) for start, end in pairwise(ends)]


class _Laid:
    """Segments by falling score: where no score comes twice, each range has its place before it is counted."""

    def __init__(self, hands: list[tuple[Rows, npt.NDArray[np.int32]]], counts: Any) -> None:
        self.hands = [(rows, ends.tolist()) for rows, ends in hands]
        self.starts: list[int] = np.array([ends for _, ends in hands], dtype=np.int64).sum(axis=0).tolist()
        self.counts = counts
        self.columns: Segments | None = None  # made when the first range fills its place: where scores tie, none does
        self.lock = Lock()

    def rows(self, number: int) -> Rows:
        """All rows of one range."""
        return np.concatenate([rows[ends[number] : ends[number + 1]] for rows, ends in self.hands])

    def put(self, number: int, found: Segments) -> Segments | None:
        """Lay the segments of a range down if they fill its place; else hand them back."""
        place = self._place(number)
        rows = place.stop - place.start
        if found[0].size < rows or not rows:
            return found
        for column, values in zip(self._columns(), found, strict=True):
            column[place] = values
        return None

    def joined(self, found: list[Segments | None]) -> Segments:
        """All segments, once every range is counted."""
        self.hands.clear()
        pieces = [(piece, self._place(number)) for number, piece in enumerate(found)][::-1]
        pieces = [(piece, place) for piece, place in pieces if place.start < place.stop]
        columns = self._columns() if any(piece is None for piece, _ in pieces) else (np.empty(0),) * 3
        if all(piece is None for piece, _ in pieces):
            return columns
        score, pos, neg = (
            np.concatenate([columns[i][place] if piece is None else piece[i] for piece, place in pieces])
            for i in range(3)
        )
        return score.astype(np.float64, copy=False), pos, neg

    def _columns(self) -> Segments:
        with self.lock:
            if self.columns is None:
                rows = self.starts[-1]
                self.columns = np.empty(rows), np.empty(rows, self.counts), np.empty(rows, self.counts)
        return self.columns

    def _place(self, number: int) -> slice:
        rows = self.starts[-1]
        return slice(rows - self.starts[number + 1], rows - self.starts[number])


def _counted_keys(keys: Keys, *, negative: bool, many: bool) -> Segments:
    """Segments of packed rows by falling score, in as little memory as they fit."""
    few = _tallied(keys, negative=negative) if many and partitioning_is_slow() else None
    if few is not None:
        return few
    if many:
        keys = rising(keys, lambda some: scores_in(some, negative=negative))
    else:
        keys.sort()
    score, pos = scores_in(keys, negative=negative), classes_in(keys)
    first = _starts_run(score)
    if first.all():
        pos = pos[::-1].copy()
        return score[::-1], pos, 1 - pos
    starts = np.flatnonzero(first)
    count = np.diff(starts, append=keys.size)
    return _falling(score[starts], *_narrow(np.add.reduceat(pos, starts, dtype=np.int64), count))


def _tallied(keys: Keys, *, negative: bool) -> Segments | None:
    """Segments of packed rows whose scores are few enough for arithmetic to tell them apart; None where it does not."""
    if keys.size < 4 * _SAMPLE:
        return None
    sample = scores_in(keys[:: keys.size // _SAMPLE], negative=negative)
    if np.unique(sample).size > _FEW * sample.size:
        return None
    score = scores_in(keys, negative=negative)
    numbers = numbered(score, _PLACES)
    if numbers is None:
        return None
    known = np.empty(_PLACES, dtype=score.dtype)
    known[numbers] = score
    if not np.array_equal(known[numbers], score):
        return None
    tally = np.bincount(2 * numbers + classes_in(keys), minlength=2 * _PLACES).reshape(-1, 2)
    there = np.flatnonzero(tally.any(axis=1))
    return _falling(known[there], *_narrow(tally[there, 1], tally[there].sum(axis=1)))


def _narrow(pos: Counts, cases: Counts) -> tuple[Counts, Counts]:
    """Positives and negatives in as few bytes as they fit."""
    dtype = np.min_scalar_type(cases.max())
    return pos.astype(dtype), (cases - pos).astype(dtype)


def _summed_pairs(pair: npt.NDArray[np.complex128], *, negative: bool, many: bool) -> Segments:  # noqa: ARG001
    """Segments of rows whose weight is above 0 for positives and below 0 for negatives.

    A complex number is a pair that NumPy sorts whole, by its real and then by its imaginary part.
    That beats sorting indices, and equal scores are added up in the same order however rows came.
    """
    if many:
        pair = nearly_rising(pair, pair.real)
    pair.sort(kind="stable" if many else None)
    return _falling(*_collapsed(pair.real, np.maximum(pair.imag, 0.0), np.maximum(-pair.imag, 0.0)))


def _collapsed(score: npt.NDArray[Any], pos: Counts, neg: Counts) -> Segments:
    """Add up neighbours of equal score."""
    first = _starts_run(score)
    if not first.all():
        starts = np.flatnonzero(first)
        score, pos, neg = score[starts], np.add.reduceat(pos, starts), np.add.reduceat(neg, starts)
    return score, pos, neg


def _falling(score: npt.NDArray[Any], pos: Counts, neg: Counts) -> Segments:
    return score[::-1], pos[::-1], neg[::-1]


def _starts_run(ordered: npt.NDArray[Any]) -> Flags:
    first = np.ones(ordered.size, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first
