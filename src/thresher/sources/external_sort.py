"""External sort: rows partitioned by score range, then sorted in turn.

Partitions wait in memory up to a limit and in a temporary file beyond. The file has no name where the system allows
that, so nothing is left of it however a scan ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.parallel import MOST_THREADS, processors
from thresher.inputs.columns import Column
from thresher.ranking import Counts, Floats, Ranking, has_all_ties, merge_segments, shorten
from thresher.ranking.ranges import Bounded
from thresher.sources.buckets import BUCKETS, LabelCodes, add_counts, bucket_count, bucket_of, first_bucket
from thresher.sources.engines.errors import translate_errors

_RANGES = 255
_DEEPEST = 8
_SAMPLE = 1 << 16


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an external sort holds.

    `held` are bytes of rows that wait in memory, `in_range` rows that are sorted at once. A ranking of more than
    `in_full` rows is condensed to about `segments`.
    """

    held: int = 1 << 28
    in_range: int = 1 << 21
    in_full: int = 1 << 22
    segments: int = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class _Chunk:
    """Rows of one batch by rising range: where ranges begin, and the columns.

    Columns that are not in memory are in the file, from `offset` on.
    """

    ends: npt.NDArray[np.int64]
    columns: tuple[Column, ...] | None
    offset: int


class ExternalSort:
    """Rows of one score column, partitioned by score and counted range by range."""

    def __init__(self, *, weighted: bool, limits: Limits | None = None, edges: Floats | None = None) -> None:
        self._weighted = weighted
        self._limits = limits if limits is not None else Limits()
        self._left = self._limits.held
        self._edges = edges
        self._range_of: Counts | None = None
        self._rows = np.zeros(_RANGES, dtype=np.int64)
        self._cases = np.zeros(0, dtype=np.int64)
        self._kinds: tuple[Any, ...] = (np.float64, np.int32, *([np.float64] if weighted else []))
        self._chunks: list[_Chunk] = []
        self._file: Any = None
        self._written = 0
        self._lock = Lock()

    def add(self, code: Counts, score: Floats, weights: Floats | None) -> None:
        """Take rows: codes of label and group, scores, and weights if any."""
        if not score.size:
            return
        score = score.astype(np.float64, copy=False) + 0.0  # -0.0 and 0.0 are one score
        part = self._partition(score)
        order = np.argsort(part, kind="stable")
        rows = np.bincount(part, minlength=_RANGES)
        columns: tuple[Column, ...] = (score[order], code[order].astype(np.int32))
        columns += () if weights is None else (weights[order],)
        self._rows += rows
        self._cases = add_counts(self._cases, np.bincount(code))
        ends = np.concatenate([[0], np.cumsum(rows)])
        self._chunks.append(self._store(ends, columns))

    def cases(self) -> tuple[Counts, Counts]:
        """Codes and how many rows have each."""
        code = np.flatnonzero(self._cases)
        return code, self._cases[code]

    def rankings(self, codes: LabelCodes, dropped: Counts) -> list[Ranking | None]:
        """The ranking of each group; None for one without rows.

        A ranking of more than a few million scores is condensed: pairs won, hull and choices stay exact.
        """
        full = int(self._rows.sum()) <= self._limits.in_full
        ranges = max(1, int(np.count_nonzero(self._rows)))
        each = None if full else max(2, self._limits.segments // ranges)

        falling = np.flatnonzero(self._rows)[::-1].tolist()
        with ThreadPoolExecutor(min(processors(), MOST_THREADS)) as threads:
            parts: list[list[Ranking]] = [[] for _ in range(codes.groups)]
            for part in threads.map(lambda number: list(self._count(number, codes, each, deep=0)), falling):
                for group, ranking in part:
                    parts[group].append(ranking)
        return [_join(part, int(dropped[group])) for group, part in enumerate(parts)]

    def close(self) -> None:
        """Forget the rows, on disk as well."""
        self._chunks.clear()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _partition(self, score: Floats) -> npt.NDArray[np.uint8]:
        """The range of each score: by a table of buckets, or by edges within one of them."""
        if self._edges is not None:
            return np.searchsorted(self._edges, score, side="right").astype(np.uint8)
        bucket = bucket_of(score) - first_bucket(BUCKETS)
        if self._range_of is None:
            # Ranges of equal size by the first rows; where later rows crowd in one, it is divided again.
            cases = np.bincount(bucket[:: max(1, bucket.size // _SAMPLE)], minlength=bucket_count(BUCKETS))
            spread = cases / cases.sum() + 1e-3 / cases.size
            below = (np.cumsum(spread) - spread / 2) / spread.sum()
            self._range_of = (below * _RANGES).astype(np.uint8)
        return self._range_of[bucket]

    def _store(self, ends: Counts, columns: tuple[Column, ...]) -> _Chunk:
        size = sum(each.nbytes for each in columns)
        if size <= self._left:
            self._left -= size
            return _Chunk(ends, columns, 0)
        with translate_errors("the temporary folder"):
            if self._file is None:
                self._file = TemporaryFile(prefix="thresher-")  # noqa: SIM115 - it is closed with the rows
            offset = self._written
            self._file.seek(offset)
            for each in columns:
                self._file.write(each.data)
            self._written += size
        return _Chunk(ends, None, offset)

    def _read(self, chunk: _Chunk, start: int, stop: int) -> tuple[Column, ...]:
        if chunk.columns is not None:
            return tuple(each[start:stop] for each in chunk.columns)
        rows, offset, columns = int(chunk.ends[-1]), chunk.offset, []
        with translate_errors("the temporary folder"), self._lock:
            for kind in self._kinds:
                size = np.dtype(kind).itemsize
                self._file.seek(offset + start * size)
                columns.append(np.frombuffer(self._file.read((stop - start) * size), dtype=kind))
                offset += rows * size
        return tuple(columns)

    def _pieces(self, number: int, *, rows: int) -> Iterator[tuple[Column, ...]]:
        """The rows of one range, about so many at a time."""
        waiting: list[tuple[Column, ...]] = []
        for chunk in self._chunks:
            start, stop = int(chunk.ends[number]), int(chunk.ends[number + 1])
            if start < stop:
                waiting.append(self._read(chunk, start, stop))
            if sum(piece[0].size for piece in waiting) >= rows:
                yield tuple(map(np.concatenate, zip(*waiting, strict=True)))
                waiting.clear()
        if waiting:
            yield tuple(map(np.concatenate, zip(*waiting, strict=True)))

    def _count(self, number: int, codes: LabelCodes, each: int | None, *, deep: int) -> Iterator[tuple[int, Ranking]]:
        """Rankings of the rows in a range, with their groups, by falling score."""
        if int(self._rows[number]) > self._limits.in_range and deep < _DEEPEST:
            yield from self._divide(number, codes, each, deep=deep)
            return
        parts: dict[int, Ranking] = {}
        for score, code, *weights in self._pieces(number, rows=self._limits.in_range):
            for group, ranking in enumerate(codes.rankings(code, score, weights[0] if weights else None)):
                if ranking is not None:
                    parts[group] = parts[group] + ranking if group in parts else ranking
        for group, part in parts.items():
            yield group, part if each is None else shorten(part, each, keep="hull")

    def _divide(self, number: int, codes: LabelCodes, each: int | None, *, deep: int) -> Iterator[tuple[int, Ranking]]:
        """The same for a range of too many rows, partitioned again by its scores."""
        sample = np.concatenate([piece[0][:: max(1, piece[0].size >> 10)] for piece in self._pieces(number, rows=1)])
        edges = np.unique(np.quantile(sample, np.linspace(0, 1, _RANGES)[1:], method="lower"))
        again = ExternalSort(weighted=self._weighted, limits=self._limits, edges=edges)
        try:
            for score, code, *weights in self._pieces(number, rows=self._limits.in_range):
                again.add(code, score, weights[0] if weights else None)
            crowded = int(again._rows.max()) == int(self._rows[number])
            for part in np.flatnonzero(again._rows)[::-1].tolist():
                yield from again._count(part, codes, each, deep=_DEEPEST if crowded else deep + 1)
        finally:
            again.close()


def _join(parts: list[Ranking], dropped: int) -> Ranking | None:
    """One ranking of those of ranges that do not overlap."""
    if not parts:
        return None
    bounded: list[Bounded] = [(part.score, part.pos, part.neg, part.ranges) for part in parts]
    score, pos, neg, spans = merge_segments(*bounded)
    if spans is not None and any(part.ranges is not None and part.ranges.corners for part in parts):
        spans = replace(spans, corners=True, ties=has_all_ties(*bounded))
    return Ranking.of_segments(score, pos, neg, dropped=dropped, ranges=spans)
