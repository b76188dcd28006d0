"""Parquet files in stretches of whole row groups, which threads read on their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.ranking import Floats
from thresher.sources.data_file import DataFile
from thresher.sources.faults import told_plainly
from thresher.sources.file_tally import scores_of

ROWS_IN_STRETCH = 1 << 20
ROWS_AT_ONCE = 1 << 19
_PLACES = 64
_ROWS_PER_PLACE = 1 << 10


@dataclass(frozen=True, slots=True)
class Stretch:
    """Row groups of a file, and how many rows they have; `footer` saves reading it again."""

    file: DataFile
    footer: Any
    groups: tuple[int, ...]
    rows: int

    def batches(self, parquet: Any, names: Sequence[str], *, rows: int = ROWS_AT_ONCE) -> Iterator[Any]:
        """These columns, so many rows at a time."""
        with (
            told_plainly(self.file.name),
            parquet.ParquetFile(self.file.name, metadata=self.footer) as opened,
        ):
            asked = {"row_groups": list(self.groups), "columns": list(names), "use_threads": False}
            for batch in opened.iter_batches(batch_size=rows, **asked):
                if batch.num_rows:
                    yield batch


def stretches(parquet: Any, files: Sequence[DataFile]) -> list[Stretch]:
    """All rows of files, in stretches that are worth a thread's while."""
    found = []
    for file in files:
        with told_plainly(file.name):
            footer = parquet.read_metadata(file.name)
        groups: list[int] = []
        rows = 0
        for group in range(footer.num_row_groups):
            groups.append(group)
            rows += footer.row_group(group).num_rows
            if rows >= ROWS_IN_STRETCH or group == footer.num_row_groups - 1:
                found.append(Stretch(file, footer, tuple(groups), rows))
                groups, rows = [], 0
    return found


def sampled_scores(parquet: Any, all_rows: Sequence[Stretch], name: str) -> Floats:
    """Scores from places all over the files, without those that are missing; 0 where there is none."""
    heads = [Stretch(one.file, one.footer, (group,), 0) for one in all_rows for group in one.groups]
    found = []
    for at in np.linspace(0, len(heads) - 1, min(_PLACES, len(heads))).astype(int).tolist():
        for batch in heads[at].batches(parquet, [name], rows=_ROWS_PER_PLACE):
            score = scores_of(batch[name])[0]
            found.append(score[~np.isnan(score)])
            break
    sample = np.concatenate([*found, np.zeros(0)])
    return sample if sample.size else np.zeros(1)
