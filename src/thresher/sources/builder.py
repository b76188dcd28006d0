"""`RankingBuilder`: a ranking that grows batch by batch, in bounded memory."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from thresher._internal.arguments import require_integer
from thresher.errors import ArgumentError, EmptyError, LabelError, PositiveLabelError, argument, located
from thresher.inputs.columns import Column, Missing, column, complete
from thresher.inputs.labels import distinct, is_positive, listed, same
from thresher.inputs.rank import checked_weights
from thresher.ranking import HALF_ULP, Flags, Ranking, Sketch, count_rows, merge_ranges, rankable, require_safe_total
from thresher.sources.buckets import BUCKETS, MOST_BUCKETS


class RankingBuilder:
    """Counts labels and scores batch by batch; `ranking()` is that of all rows so far.

    While there are at most `buckets` distinct scores, the ranking is exact: the same as `rank` of all rows at once.
    Beyond that, memory stays bounded and neighbouring scores are counted together; such a ranking says which
    of its segments are unresolved, and bounds of what follows from it hold for certain. Bounds are tight for rows
    that come in any order from one distribution. Start a new builder when scores change, as after training.

    Batches are arrays, series, lists, or tensors on any device, of shape (n,) or (n, 1). They are counted at once and
    not stored. A batch that is refused changes nothing. Builders add, e.g. those of several processes.

    Parameters
    ----------
    positive
        The positive label; needed unless labels are bool or 0/1. A batch may hold one class only.
    missing
        "raise" refuses a batch with missing values; "drop" leaves those rows out and counts them.
    buckets
        How many distinct scores are counted apart.

    Examples
    --------
    >>> builder = RankingBuilder()
    >>> for labels, scores in [([1, 0], [0.9, 0.4]), ([1, 1], [0.4, 0.2])]:
    ...     builder.update(labels, scores)
    >>> builder.ranking()
    Ranking([1+][1+,1-][1+] at scores 0.9, 0.4, 0.2)
    """

    __slots__ = ("_labels", "_rows", "_runs", "batches", "buckets", "dropped", "missing", "positive")

    def __init__(self, *, positive: Any = None, missing: Missing = "raise", buckets: int = BUCKETS) -> None:
        self.positive = positive
        self.missing: Missing = missing
        fix = f"leave it out for {BUCKETS:,}"
        self.buckets = require_integer(buckets, name="buckets", least=2, most=MOST_BUCKETS, fix=fix)
        self.batches = 0
        self.dropped = 0
        self._rows = 0
        self._labels: list[Any] = []
        self._runs: list[Sketch] = []

    def update(self, labels: Any, scores: Any, weights: Any = None) -> None:
        """Count one more batch."""
        batch = {"labels": labels, "scores": scores} | ({} if weights is None else {"weights": weights})
        with located(f"RankingBuilder.update(labels, scores), batch {self.batches + 1:,}"):
            self._update({name: column(values, name=name) for name, values in batch.items()})

    def _update(self, batch: dict[str, Column]) -> None:
        columns: list[Column] = []
        dropped = batch["labels"].size
        if any(values.size for values in batch.values()):
            with suppress(EmptyError):  # none of the rows is complete
                columns, dropped = complete(batch, missing=self.missing)
        if columns:
            flags, seen = self._flags(columns[0])
            score = rankable(columns[1])
            weight = None
            if "weights" in batch:
                weight = np.zeros(flags.size)
                with suppress(EmptyError):  # those of one batch may all be 0
                    weight = checked_weights(columns[2])
            self._rows += flags.size
            self._labels = seen
            if weight is not None:
                present = weight > 0
                flags, score, weight = flags[present], score[present], weight[present]
            if flags.size:
                self._add(Sketch.of_segments(*count_rows(flags, score, weight)))
        self.batches += 1
        self.dropped += dropped

    def ranking(self) -> Ranking:
        """The ranking of all rows so far."""
        if not self._runs:
            raise EmptyError("no rows were counted yet", "call update(labels, scores) first")
        return self._ranking().with_positive(self.positive)

    def _ranking(self) -> Ranking:
        self._compact()
        sketch = self._runs[0]
        require_safe_total(float(sketch.pos.sum() + sketch.neg.sum()))
        weighted = sketch.pos.dtype.kind == "f"
        if sketch.exact and (not weighted or self.batches == 1):
            score = np.fmin(sketch.pos_low, sketch.neg_low)[::-1].copy()
            return Ranking.of_segments(score, sketch.pos[::-1].copy(), sketch.neg[::-1].copy(), dropped=self.dropped)
        # Weights are added up in the order they come in; each addition may round by half a unit in the last place.
        rounding = self._rows * HALF_ULP if weighted else 0.0
        score, pos, neg, spans = merge_ranges(*sketch.groups(), rounding=rounding)
        return Ranking.of_segments(score, pos, neg, dropped=self.dropped, ranges=spans)

    @property
    def exact(self) -> bool:
        """Whether all distinct scores are still apart."""
        return all(run.exact for run in self._runs)

    def __add__(self, other: RankingBuilder) -> RankingBuilder:
        if not isinstance(other, RankingBuilder):
            return NotImplemented
        if not same(self.positive, other.positive):
            what = f"the positive label is {self.positive!r} here and {other.positive!r} there"
            raise ArgumentError(what, "give both the same")
        both = RankingBuilder(positive=self.positive, missing=self.missing, buckets=max(self.buckets, other.buckets))
        both.batches = self.batches + other.batches
        both.dropped = self.dropped + other.dropped
        both._rows = self._rows + other._rows
        both._labels = self._known([*self._labels, *other._labels])
        both._runs = [*self._runs, *other._runs]
        if both._runs:
            both._compact()
        return both

    def __radd__(self, other: object) -> RankingBuilder:
        # sum(builders) starts from 0.
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        entries = sum(len(run) for run in self._runs)
        return f"RankingBuilder({self.batches:,} batches, {entries:,} entries of {self.buckets:,}, exact={self.exact})"

    def _flags(self, labels: Column) -> tuple[Flags, list[Any]]:
        """Which rows are positive, and all labels seen; a batch need not hold both."""
        if self.positive is None:
            return is_positive(labels), self._labels
        distinct_labels = distinct(labels, at_most=3)
        seen = self._known([*self._labels, *distinct_labels])
        if not any(same(self.positive, label) for label in distinct_labels):
            return np.zeros(labels.size, dtype=np.bool_), seen
        return is_positive(labels, positive=self.positive), seen

    def _known(self, labels: list[Any]) -> list[Any]:
        """Distinct labels, of which one at most is not the positive one."""
        seen: list[Any] = []
        for label in labels:
            if isinstance(label, str) != isinstance(self.positive, str):
                raise PositiveLabelError(
                    f"the positive label {self.positive!r} is a {type(self.positive).__name__}, and {label!r} is a"
                    f" {type(label).__name__}",
                    fix="pass the positive label as it stands among the labels",
                )
            if not any(same(label, known) for known in seen):
                seen.append(label)
        others = [label for label in seen if not same(label, self.positive)]
        if len(others) > 1:
            raise LabelError(
                f"besides the positive label {self.positive!r} there is more than one: {listed(others)}",
                fix=f"check {argument('positive')}, or compare one with the rest: give a column of labels that is true"
                f" where the label is {self.positive!r}",
            )
        return seen

    def _add(self, sketch: Sketch) -> None:
        """Merge runs of like size, as a merge sort does: n rows cost n log n."""
        self._runs.append(sketch)
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            self._runs[-2:] = [Sketch.merge(self._runs[-2:])]
        if sum(len(run) for run in self._runs) > 2 * self.buckets:
            self._compact()

    def _compact(self) -> None:
        sketch = Sketch.merge(self._runs)
        self._runs = [sketch.compress(self.buckets // 2) if len(sketch) > self.buckets else sketch]
