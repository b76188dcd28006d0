"""Rows dealt into ranges of scores as they come by: 8 bytes each, in memory up to a limit and in a file beyond.

The file has no name where the system allows that, so nothing is left of it however a scan ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from tempfile import TemporaryFile
from threading import Lock
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.ranking import Counts, Flags, Floats, Keys, ScoreRanges, pack, partition_rows, unpack_classes
from thresher.sources.faults import told_plainly

_SAMPLE = 64  # of each hand


@dataclass(frozen=True, slots=True, eq=False)
class _Hand:
    """Rows that were dealt at once, range by range: where each range begins, and the rows or their place on file."""

    ends: npt.NDArray[np.int32]
    keys: Keys | None
    offset: int


class DealtRows:
    """How many rows each range has (`rows`), how many of them are flagged (`flagged`), and the rows themselves.

    >>> from thresher.ranking import score_ranges
    >>> with DealtRows(score_ranges(np.array([0.1, 0.6]), 2), held=0) as dealt_rows:
    ...     dealt_rows.add(np.array([True, False]), np.array([0.1, 0.6]))
    ...     dealt_rows.rows, dealt_rows.flagged, dealt_rows.keys(0, 2).size
    (array([0, 2]), array([0, 1]), 2)
    """

    def __init__(self, ranges: ScoreRanges, *, held: int) -> None:
        self.ranges = ranges
        self.rows: Counts = np.zeros(ranges.count, dtype=np.int64)
        self.flagged: Counts = np.zeros(ranges.count, dtype=np.int64)
        self._hands: list[_Hand] = []
        self._left = held
        self._file: Any = None
        self._written = 0
        self._turned = np.uint64(0)
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hands.clear()
        if self._file is not None:
            self._file.close()

    def add(self, flags: Flags, score: Floats) -> None:
        """Take rows, none of which lacks a score; threads may do so at the same time."""
        if not score.size:
            return
        keys, ends = partition_rows(score, lambda scores: pack(scores, flags), self.ranges)
        flagged = np.diff(np.append(0, np.cumsum(unpack_classes(keys), dtype=np.int64))[ends])
        with self._lock:
            self.rows += np.diff(ends)
            self.flagged += flagged
            self._hands.append(self._kept(keys, ends))

    def turn_flags(self) -> None:
        """Flag the rows that are not, and no others."""
        self.flagged = self.rows - self.flagged
        self._turned = np.uint64(1) - self._turned

    def sample(self, number: int) -> Keys:
        """Some rows of a range, from all over it."""
        found = []
        for hand in self._hands:
            start, stop = int(hand.ends[number]), int(hand.ends[number + 1])
            found.append(np.empty(min(_SAMPLE, stop - start), dtype=np.uint64))
            self._read(hand, start, found[-1])
        return np.concatenate(found)

    def keys(self, first: int, end: int) -> Keys:
        """All rows of the ranges from `first` up to `end`, packed, in no order."""
        found = np.empty(int(self.rows[first:end].sum()), dtype=np.uint64)
        at = 0
        for hand in self._hands:
            start, stop = int(hand.ends[first]), int(hand.ends[end])
            self._read(hand, start, found[at : at + stop - start])
            at += stop - start
        return found

    def chunks(self, number: int, *, rows: int) -> Iterator[Keys]:
        """The rows of one range, about so many at a time."""
        waiting: list[Keys] = []
        for hand in self._hands:
            start, stop = int(hand.ends[number]), int(hand.ends[number + 1])
            for at in range(start, stop, rows):
                waiting.append(np.empty(min(rows, stop - at), dtype=np.uint64))
                self._read(hand, at, waiting[-1])
                if sum(keys.size for keys in waiting) >= rows:
                    yield np.concatenate(waiting)
                    waiting.clear()
        if waiting:
            yield np.concatenate(waiting)

    def _kept(self, keys: Keys, ends: npt.NDArray[np.int32]) -> _Hand:
        if keys.size <= self._left:
            self._left -= keys.size
            return _Hand(ends, keys, 0)
        with told_plainly("the temporary file of rows"):
            if self._file is None:
                self._file = TemporaryFile(prefix="thresher-", buffering=0)  # noqa: SIM115 - closed on leaving
            hand = _Hand(ends, None, self._written)
            self._file.seek(self._written)
            left = keys.view(np.uint8).data
            while left:
                left = left[self._file.write(left) :]
        self._written += keys.nbytes
        return hand

    def _read(self, hand: _Hand, start: int, into: Keys) -> None:
        if hand.keys is not None:
            into[:] = hand.keys[start : start + into.size]
        elif into.size:
            left = into.view(np.uint8).data
            with self._lock, told_plainly("the temporary file of rows"):
                self._file.seek(hand.offset + start * into.itemsize)
                while left:
                    took = self._file.readinto(left)
                    if not took:
                        raise OSError("it ends too early")
                    left = left[took:]
        if self._turned:
            into ^= self._turned
