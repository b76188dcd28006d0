"""The reference of a watch: labelled rows of the decision's model, read once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thresher._internal.arguments import short_repr
from thresher.errors import ArgumentError, LabelError, argument
from thresher.evaluation import Decision
from thresher.inputs.columns import is_absent
from thresher.ranking import Ranking
from thresher.sources.buckets import BUCKETS
from thresher.sources.options import Options, TableName
from thresher.sources.scan import read_batches, scan
from thresher.watching.epoch import ColumnCells, column_cells, require_decision
from thresher.watching.storage.rows import label_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Where the reference is: a ranking, or rows with a label and a score."""

    source: Any
    label: str | None
    score: str | None
    positive: Any
    table: TableName | None

    def read(
        self, decision: Decision, columns: tuple[str, ...]
    ) -> tuple[Ranking, tuple[str, str], tuple[ColumnCells, ...]]:
        """The ranking, the labels as text, and the cells of input columns."""
        require_decision(decision)
        if isinstance(self.source, Ranking):
            if columns:
                what = (
                    f"columns are watched against those of the reference, and a ranking has none ({', '.join(columns)})"
                )
                raise ArgumentError(what, "give the reference as rows", parameter="reference")
            return self.source, ("0", "1"), ()
        if self.label is None:
            fix = f"pass {argument('label', ...)}"
            raise ArgumentError("the column of labels of the reference is not named", fix, parameter="label")
        rows = {"label": self.label, "score": self.score or decision.model, "positive": self.positive}
        ranking = scan(self.source, table=self.table, **rows)
        options = Options(self.table, self.positive, None, None, None, False, BUCKETS, "raise", None)
        held = read_batches(self.source, [self.label, *columns], options)
        labels = self._labels({label_text(value) for value in held[self.label].tolist() if not is_absent(value)})
        return ranking, labels, tuple(column_cells(name, held[name]) for name in columns)

    def _labels(self, texts: set[str]) -> tuple[str, str]:
        if self.positive is None:
            return "0", "1"
        positive = label_text(self.positive)
        others = sorted(texts - {positive})
        if len(others) > 1:
            what = f"the reference has the labels {', '.join(map(short_repr, sorted(texts)))}, and a watch is of two"
            raise LabelError(what, "leave other rows out")
        return others[0], positive
