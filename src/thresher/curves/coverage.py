"""Coverage curves: the contingency table at every split of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from thresher._internal.results import Tabular
from thresher.ranking import Counts, Floats, Ranking, require_ranking, require_split
from thresher.tables import Contingency
from thresher.tables.contingency import ratio


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coverage(Contingency):
    """A contingency table with an entry per split 0..m, and their thresholds.

    Split k calls the first k segments positive; split 0 calls nothing positive. `tp` against
    `fp` is the coverage curve, `tpr` against `fpr` the ROC curve.
    """

    threshold: Floats

    def __post_init__(self) -> None:
        # Cells that are read off a ranking need no checks.
        for column in (self.tp, self.fn, self.fp, self.tn, self.threshold):
            column.flags.writeable = False

    @property
    def Pos(self) -> Counts:
        """Actual positives, the same at every split: the last calls all positive."""
        return np.broadcast_to(self.tp[-1], self.tp.shape)

    @property
    def Neg(self) -> Counts:
        """Actual negatives, the same at every split."""
        return np.broadcast_to(self.fp[-1], self.fp.shape)

    @property
    def total(self) -> Counts:
        """All cases, the same at every split."""
        return np.broadcast_to(self.tp[-1] + self.fp[-1], self.tp.shape)

    def at(self, split: int) -> Contingency:
        """The table of one split."""
        require_split(split, len(self))
        return Contingency(tp=self.tp[split], fn=self.fn[split], fp=self.fp[split], tn=self.tn[split])

    def table(self) -> RunningTable:
        """Counts and rates as the threshold falls, a row per split.

        >>> from thresher import Ranking
        >>> coverage(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])).table().tpr
        array([0. , 0.4, 0.6, 1. ])
        """
        return RunningTable(self.threshold, self.tp, self.fp, self.tn, self.fn, self.tpr, self.fpr)

    def __len__(self) -> int:
        return int(self.threshold.size)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RunningTable(Tabular):
    """Threshold, cells and rates at every split; `to_frame` makes a frame of it."""

    threshold: Floats
    tp: Counts
    fp: Counts
    tn: Counts
    fn: Counts
    tpr: Floats
    fpr: Floats


def coverage(ranking: Ranking) -> Coverage:
    """The table at every split.

    >>> from thresher import Ranking
    >>> curve = coverage(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]))
    >>> list(zip(curve.fp.tolist(), curve.tp.tolist()))
    [(0, 0), (5, 20), (10, 30), (50, 50)]
    >>> curve.threshold
    array([ inf,  1.5,  0. , -inf])
    >>> curve.tpr
    array([0. , 0.4, 0.6, 1. ])
    """
    require_ranking(ranking)
    (tp, fp), (fn, tn) = ranking.covered(), ranking.uncovered()
    return Coverage(tp=tp, fn=fn, fp=fp, tn=tn, threshold=ranking.thresholds())


class ROCCurve(Tabular, NamedTuple("ROCCurve", [("fpr", Floats), ("tpr", Floats), ("threshold", Floats)])):
    """False and true positive rate and threshold, one entry per split 0..m."""

    __slots__ = ()


def roc(ranking: Ranking) -> ROCCurve:
    """False and true positive rate at every split: (fpr, tpr, threshold).

    Every split is there, also those on a straight line; `hull` and `thin` reduce them.

    >>> curve = roc(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]))
    >>> curve.fpr, curve.tpr
    (array([0. , 0.1, 0.2, 1. ]), array([0. , 0.4, 0.6, 1. ]))
    >>> fpr, tpr, threshold = curve
    """
    require_ranking(ranking, both_classes=True)
    _, fp = ranking.covered()
    return ROCCurve(fpr=rates([fp], [ranking.Neg]), tpr=recalls(ranking), threshold=ranking.thresholds())


def recalls(ranking: Ranking) -> Floats:
    """The share of positives called positive at every split, read-only."""
    return ranking.remember("recalls", lambda: rates([ranking.covered()[0]], [ranking.Pos]))


def rates(above: Sequence[Counts], below: Sequence[Any]) -> Floats:
    """Sums of columns over sums of columns or totals, read-only."""
    values: Floats = ratio(above, below)
    values.flags.writeable = False
    return values
