"""Buckets: a monotone map of scores to integers, equal on every engine.

It is made of + - × ÷, square root, floor and comparisons alone. IEEE 754 rounds each of them correctly, so the map is
monotone and gives the same bucket everywhere; logarithms and casts of bits would not. It does not depend on the data:
the same score falls into the same bucket on every day and machine, so that rankings add up without coarsening.
No bound relies on it, though: counts keep the lowest and highest score of every bucket.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_integer
from thresher.ranking import Counts, Flags, Floats, Ranking, merge_ranges, merge_ranges_at, require_safe_total

BUCKETS = 2**17
MOST_BUCKETS = 2**22
_TABLE_ROWS = 1 << 20
_NOTHING = np.zeros(0, dtype=np.int64)
SUBS = 2**24  # more parts than any bucket is divided into


def first_bucket(buckets: int) -> int:
    """The lowest bucket of any score."""
    return -2 - buckets // 4


def bucket_count(buckets: int) -> int:
    """How many buckets there are with those of scores outside [0, 1]."""
    return buckets + 2 * (buckets // 4) + 5


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The operations of the map, in NumPy or as expressions of an engine."""

    root: Callable[[Any], Any]
    size: Callable[[Any], Any]
    floor: Callable[[Any], Any]
    pick: Callable[[Any, Any, Any], Any]
    number: Callable[[float], Any]


NUMPY = Arithmetic(np.sqrt, np.abs, np.floor, np.where, float)


def place(x: Any, *, buckets: int, by: Arithmetic) -> Any:
    """Where a score lies on the scale of buckets, whose floor is the bucket.

    Probabilities get all of `buckets`, denser towards 0 and 1: x^¼ - (1 - x)^¼ in even steps. Scores below 0 and
    above 1 get a quarter as many on either side, by their fourth root, up to infinity.

    >>> place(np.array([-1.0, 0.0, 0.5, 1.0, 16.0]), buckets=16, by=NUMPY).round(2)
    array([-3.  ,  0.  ,  8.  , 16.  , 18.33])
    """
    one = by.number(1.0)
    side = by.number(buckets / 4)
    away = one - by.number(2.0) / (one + _fourth(by.size(x), by))
    nearby = one - one / (one + _fourth(by.size(x), by))
    inside = _inside(x, buckets, by)
    above = by.number(buckets + 1.0) + away * side
    below = by.number(-1.0) - nearby * side
    return by.pick(x < by.number(0.0), below, by.pick(x > one, above, inside))


def bucket_of(x: Floats, *, buckets: int = BUCKETS) -> npt.NDArray[np.int64]:
    """The bucket of each score, in NumPy."""
    if x.size and x.min() >= 0 and x.max() <= 1:
        # The same as `_inside`, in place: new arrays would cost more than the arithmetic.
        at, other = np.sqrt(x), np.subtract(1.0, x)
        for column in (at, other, other):
            np.sqrt(column, out=column)
        at -= other
        at += 1.0
        at *= buckets / 2
        return at.astype(np.int64)  # nothing is below 0, so cutting off is rounding down
    with np.errstate(invalid="ignore"):  # other branches are for those
        return np.floor(place(x, buckets=buckets, by=NUMPY)).astype(np.int64)


def _inside(x: Any, buckets: int, by: Arithmetic) -> Any:
    one = by.number(1.0)
    return (_fourth(by.size(x), by) - _fourth(by.size(one - x), by) + one) * by.number(buckets / 2)


def _fourth(x: Any, by: Arithmetic) -> Any:
    return by.root(by.root(x))


@dataclass(frozen=True, slots=True, eq=False)
class LabelCodes:
    """For each code of label and group: its class, whether it counts, and its group."""

    positive: Flags
    take: Flags
    group: Counts
    groups: int

    def rankings(
        self, code: Counts, score: Floats, weights: Floats | None, dropped: Counts | None = None
    ) -> list[Ranking | None]:
        """The exact ranking of each group; None for one without rows."""
        flags = code.dtype == np.int8 and self.positive[:2].tolist() == [False, True] and self.take[:2].all()
        if flags and code.max(initial=0) <= 1:
            positive, take, group = code.view(np.bool_), np.ones(1, dtype=np.bool_), None
        else:
            positive, take = self.positive[code], self.take[code]
            group = self.group[code] if self.groups > 1 else None
        if not take.all():
            positive, score = positive[take], score[take]
            weights = None if weights is None else weights[take]
            group = None if group is None else group[take]
        if weights is not None:
            require_safe_total(float(weights.sum()))
        away = np.zeros(self.groups, dtype=np.int64) if dropped is None else dropped
        parts: list[Any] = [slice(None)]
        if group is not None:
            small = group.astype(np.uint16) if self.groups <= 1 << 16 else group  # which NumPy sorts by counting
            ends = np.cumsum(np.bincount(small, minlength=self.groups))[:-1]
            parts = np.split(np.argsort(small, kind="stable"), ends)
        rankings: list[Ranking | None] = []
        for here, gone in zip(parts, away.tolist(), strict=True):
            rows, weight = score[here], None if weights is None else weights[here]
            rankings.append(Ranking.count(positive[here], rows, weight, dropped=gone) if rows.size else None)
        return rankings


def bucket_ranking(
    low: Floats, high: Floats, cases: Counts, weight: Floats | None, positive: Flags, *, dropped: int
) -> Ranking:
    """The ranking of buckets that each count one class between two scores."""
    count: Any = cases if weight is None else weight
    require_safe_total(float(count.sum(dtype=np.float64)))
    # A sum of n weights in any order is off by at most n - 1 roundings; one alone is what it is.
    added = 0 if weight is None else int(cases.max(initial=0))
    rounding = added * 2.0**-52 if added > 1 else 0.0
    *columns, spans = merge_ranges(low, high, count, positive, rounding=rounding)
    return Ranking.of_segments(*columns, dropped=dropped, ranges=spans)


def condense(ranking: Ranking, most: int = BUCKETS) -> Ranking:
    """A ranking of at most so many segments (16 or more), merged by bucket.

    One that has no more stays as it is. Buckets do not depend on the data, and coarser ones hold finer ones, so that
    condensed rankings of parts add up. Ranges that were drawn to fit one part would overlap those of another, and
    chains of overlaps swallow everything. The AUC of an exact ranking stays exact; what else depends on the order
    inside a bucket is bounded.

    >>> from thresher import auc
    >>> ranking = Ranking(np.linspace(1, 0, 100), pos=[1, 0] * 50, neg=[0, 1] * 50)
    >>> short = condense(ranking, most=16)
    >>> len(short), auc(short) == auc(ranking)
    (14, True)
    """
    buckets = require_integer(most, name="most", least=16, fix=f"leave it out for {BUCKETS:,}")
    high = ranking.score if ranking.ranges is None else ranking.ranges.high
    split = np.arange(len(ranking) + 1)
    while split.size > most + 1:
        above, below = bucket_of(high, buckets=buckets), bucket_of(ranking.score, buckets=buckets)
        first = np.append(True, above[1:] < np.minimum.accumulate(below)[:-1])
        split = np.append(np.flatnonzero(first), len(ranking))
        buckets //= 2
    return merge_ranges_at(ranking, split)


def add_counts(one: Counts, other: Counts) -> Counts:
    """The sum of two arrays of counts, of which the shorter one ends in zeros."""
    total = np.zeros(max(one.size, other.size), dtype=np.int64)
    total[: one.size] += one
    total[: other.size] += other
    return total


class BucketStore:
    """Cases, weight, lowest and highest score of each bucket and code of rows."""

    def __init__(self, buckets: int) -> None:
        self._buckets = buckets
        self._first, self._width = first_bucket(buckets), bucket_count(buckets)
        self._dense: dict[str, npt.NDArray[Any]] = {}
        self._sparse: list[dict[str, npt.NDArray[Any]]] = []

    def add(self, code: Counts, score: Floats, weights: Floats | None) -> None:
        """Take rows, none of which lacks anything."""
        if not score.size:
            return
        score = score.astype(np.float64, copy=False)
        cell = bucket_of(score, buckets=self._buckets)
        cell -= self._first
        cell += code.astype(np.int64) * self._width
        if code.dtype == np.int8:  # of labels alone, so that a table of all buckets is small
            self._add_dense(cell, score, weights)
            return
        self._sparse.append(_aggregate(cell, np.ones(cell.size, dtype=np.int64), score, score, weights))
        sizes = [part["cell"].size for part in self._sparse]
        if sum(sizes) > 2 * max(_TABLE_ROWS, sizes[0]):
            self._merge()

    def cases(self) -> tuple[Counts, Counts]:
        """The code and the number of cases of each bucket that has some."""
        table = self._table()
        return table["cell"] // self._width, table["cases"]

    def rankings(self, codes: LabelCodes, dropped: Counts) -> list[Ranking | None]:
        """The ranking of each group; None for one without rows."""
        table = self._table()
        code = table["cell"] // self._width
        take, group = codes.take[code], codes.group[code]
        rankings: list[Ranking | None] = []
        for number, gone in enumerate(dropped.tolist()):
            here = np.flatnonzero(take & (group == number))
            low, high, cases = (table[name][here] for name in ("low", "high", "cases"))
            weight, positive = table["weight"][here] if "weight" in table else None, codes.positive[code[here]]
            rankings.append(bucket_ranking(low, high, cases, weight, positive, dropped=gone) if here.size else None)
        return rankings

    def _add_dense(self, cell: Counts, score: Floats, weights: Floats | None) -> None:
        size = (int(cell.max()) // self._width + 1) * self._width
        old = self._dense["cases"].size if self._dense else 0
        if size > old:
            empty = {"cases": (0, np.int64), "low": (np.inf, np.float64), "high": (-np.inf, np.float64)}
            empty |= {} if weights is None else {"weight": (0.0, np.float64)}
            for name, (value, kind) in empty.items():
                more = np.full(size - old, value, dtype=kind)
                self._dense[name] = np.concatenate([self._dense[name], more]) if old else more
        np.add.at(self._dense["cases"], cell, 1)
        np.minimum.at(self._dense["low"], cell, score)
        np.maximum.at(self._dense["high"], cell, score)
        if weights is not None:
            np.add.at(self._dense["weight"], cell, weights)

    def _table(self) -> dict[str, npt.NDArray[Any]]:
        if self._dense:
            cell = np.flatnonzero(self._dense["cases"])
            self._sparse.append({"cell": cell} | {name: each[cell] for name, each in self._dense.items()})
            self._dense = {}
        self._merge()
        return self._sparse[0] if self._sparse else dict.fromkeys(("cell", "cases", "low", "high"), _NOTHING)

    def _merge(self) -> None:
        if len(self._sparse) > 1:
            names = self._sparse[0].keys()
            table = {name: np.concatenate([part[name] for part in self._sparse]) for name in names}
            self._sparse = [_aggregate(table["cell"], table["cases"], table["low"], table["high"], table.get("weight"))]


def _aggregate(
    cell: Counts, cases: Counts, low: Floats, high: Floats, weight: Floats | None
) -> dict[str, npt.NDArray[Any]]:
    """Rows of a table that share a cell, added up."""
    order = np.argsort(cell, kind="stable")
    cell = cell[order]
    starts = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
    table = {
        "cell": cell[starts],
        "cases": np.add.reduceat(cases[order], starts),
        "low": np.minimum.reduceat(low[order], starts),
        "high": np.maximum.reduceat(high[order], starts),
    }
    return table if weight is None else table | {"weight": np.add.reduceat(weight[order], starts)}
