"""Rows of Parquet files within ranges of scores: as many ranges in one pass as memory holds, each ranked exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from thresher.extras import extra
from thresher.ranking import Counts, Flags, Floats, Ranking, counted
from thresher.sources.data_file import DataFile
from thresher.sources.exact import Range
from thresher.sources.file_tally import Labels, NeedsEngine, batches_of, scores_of
from thresher.sources.progress import Listener, heard

ROWS_IN_RANGE = 1 << 21
ROWS_HELD = 1 << 25


def file_rankings(
    files: Sequence[DataFile],
    columns: tuple[str, str],
    ranges: Sequence[Range],
    *,
    positive: Any,
    listener: Listener | None,
    where: str,
) -> Iterator[Ranking]:
    """The exact ranking of the rows within each range, in their order; `columns` name label and score.

    Ranges fall and do not overlap, and rows of one lie between its lowest and highest score. A range of more rows than
    are held at once is left to an engine, which counts rows that share a score.
    """
    if any(one.rows > ROWS_HELD for one in ranges):
        raise NeedsEngine
    at = 0
    while at < len(ranges):
        held = np.cumsum([one.rows for one in ranges[at:]])
        several = max(1, int(np.searchsorted(held, ROWS_HELD, side="right")))
        stage = f"ranges up to {at + several} of {len(ranges)}"
        how: dict[str, Any] = {"positive": positive, "stage": stage, "listener": listener, "where": where}
        yield from _rankings(files, columns, ranges[at : at + several], **how)
        at += several


def _rankings(
    files: Sequence[DataFile],
    columns: tuple[str, str],
    ranges: Sequence[Range],
    *,
    positive: Any,
    stage: str,
    listener: Listener | None,
    where: str,
) -> Iterator[Ranking]:
    parquet = extra("pyarrow.parquet", name="files", where=where)
    low = np.array([one.low for one in ranges])[::-1]
    high = np.array([one.high for one in ranges])[::-1]
    kept: list[list[tuple[Flags, Floats]]] = [[] for _ in ranges]
    labels = Labels()
    done, total = [0], sum(parquet.read_metadata(file.name).num_rows for file in files)
    with heard(listener, stage, total=total, share=lambda: done[0] / max(total, 1)):
        for batch in batches_of(parquet, files, list(columns), where):
            code, (score, state) = labels.coded(batch[columns[0]]), scores_of(batch[columns[1]])
            done[0] += len(code)
            inside = (score >= low[0]) & (score <= high[-1]) & (code >= 0)
            if state is not None:
                inside &= state == 0
            flags = code == (labels.known.index(positive) if positive in labels.known else -1)
            for number, rows in _dealt(score, np.flatnonzero(inside), low, high):
                kept[number].append((flags[rows], score[rows]))
    while kept:
        flags_, scores = (np.concatenate(each) for each in zip(*kept.pop(), strict=True))
        yield Ranking.of_segments(*counted(flags_, scores))


def _dealt(score: Floats, rows: Counts, low: Floats, high: Floats) -> Iterator[tuple[int, Counts]]:
    """The rows of each range, by its number."""
    mine = score[rows]
    for each in range(low.size):
        there = np.flatnonzero((mine >= low[each]) & (mine <= high[each]))
        if there.size:
            yield each, rows[there]
