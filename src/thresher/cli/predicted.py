"""New rows with their score and prediction: texts field by field and Parquet piece by piece, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thresher.cli import text_copy
from thresher.cli.plain_text import plain_text
from thresher.cli.table_file import (
    STANDARD,
    opened_text,
    text_file,
    text_pair,
    write_columns,
    write_table,
)
from thresher.cli.text_copy import Made, Origin, copy_rows
from thresher.errors import ColumnError, EmptyError
from thresher.evaluation import apply
from thresher.extras import extra
from thresher.learning import Deployed
from thresher.learning.new_rows import Remarks, require_names
from thresher.sources.arrow_columns import numpy_column
from thresher.sources.data_file import DataFile, reading
from thresher.sources.files import read_columns
from thresher.sources.listing import listed_files


class Judge:
    """What scores a piece of rows after another, and remembers what is worth telling of all of them."""

    def __init__(self, deployed: Deployed, given: Mapping[str, Any]) -> None:
        self.deployed = deployed
        self.place = "standard input" if given["source"] == STANDARD else str(given["source"])
        self.names = (given["score"], given["prediction"], *(["probability"] if given["probability"] else []))
        self.refuses_unseen = given["unseen"] == "raise"
        self.positive = 0
        self.remarks = Remarks()

    def added(self, columns: Mapping[str, Any], before: int) -> dict[str, Any]:
        """The score and the prediction of rows given as columns."""
        scores, remarks = self.deployed.scored(columns, place=self.place, before=before)
        if self.refuses_unseen and remarks.unseen:
            raise ColumnError(next(remarks.lines()), "mend it, or pass --unseen tell to score them so")
        calls = apply(self.deployed.decision, scores)
        self.positive += int(calls.sum())
        self.remarks += remarks
        made = [scores, self._named(calls)]
        if len(self.names) > len(made):
            made.append(self.deployed.decision.probability(scores))
        return dict(zip(self.names, made, strict=True))

    def made_for(self, head: Sequence[str]) -> Made:
        """For texts: the fields of the columns that the model uses, an empty one being missing."""
        require_names(head, self.deployed.expected, place=self.place)
        used = {column.name: list(head).index(column.name) for column in self.deployed.expected}
        self.remarks += Remarks(unused=tuple(name for name in head if name not in self.deployed.known))
        return lambda rows, before: self.added(
            {name: [row[at] or None for row in rows] for name, at in used.items()}, before
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data on all rows so far."""
        return {
            "positive": self.positive,
            "unseen": {name: dict(found) for name, found in self.remarks.unseen.items()},
            "gaps": dict(self.remarks.gaps),
            "unused": list(self.remarks.unused),
        }

    def told(self, rows: int, target: str | None) -> Iterator[str]:
        """What is said on stderr when all is done."""
        if target is not None:
            label = plain_text(self.deployed.labels[1])
            yield f"wrote {plain_text(target)}: {rows:,} rows, {self.positive:,} of them called {label}"
        yield from (f"! {plain_text(line)}" for line in self.remarks.lines())

    def _named(self, calls: Any) -> Any:
        labels = self.deployed.labels
        plain = np.array(labels) if len({type(label) for label in labels}) == 1 else np.array(labels, dtype=object)
        return plain[calls.astype(np.int64)]


def write_predicted(source: str, target: str, judge: Judge) -> int:
    """Copy a table with the judge's columns; returns how many rows there were."""
    return write_table(target, lambda path, kind: _write(source, path, kind, judge))


def _write(source: str, path: Path, kind: str, judge: Judge) -> int:
    origin = Origin(judge.place, "")
    if (delimiters := text_pair(source, kind)) is not None:
        with opened_text(source) as lines, text_file(path) as out:
            return copy_rows(lines, out, origin, judge.made_for, delimiters=delimiters)
    files = [] if source == STANDARD else listed_files(source)
    if len(files) == 1 and files[0].format == "parquet" and kind in (".parquet", ".pq"):
        return _parquet(files[0], path, origin, judge)
    columns = read_columns(source, None)
    added = judge.added(columns, 0)
    origin.require_new(list(added), list(columns))
    return write_columns(path, kind, {**columns, **added})


def _parquet(file: DataFile, path: Path, origin: Origin, judge: Judge) -> int:
    """Parquet to Parquet, a batch of rows at a time; the other columns keep their types."""
    arrow = extra("pyarrow", name="files")
    parquet = extra("pyarrow.parquet", name="files")
    rows, writer = 0, None
    with reading(file):
        whole = parquet.ParquetFile(file.at_once())
        names = list(whole.schema_arrow.names)
        require_names(names, judge.deployed.expected, place=judge.place)
        origin.require_new(list(judge.names), names)
        try:
            for batch in whole.iter_batches(batch_size=text_copy.PIECE):
                table = arrow.Table.from_batches([batch])
                columns = {name: numpy_column(table[name], name=name) for name in names}
                for name, values in judge.added(columns, rows).items():
                    table = table.append_column(name, arrow.array(values))
                writer = writer or parquet.ParquetWriter(path, table.schema)
                writer.write_table(table)
                rows += table.num_rows
        finally:
            if writer is not None:
                writer.close()
    if not rows:
        raise EmptyError(f"{judge.place} has no rows", "give at least one")
    return rows
