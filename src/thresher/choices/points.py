"""Classifiers as points: which table is best, dominated, or best for some costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from thresher._internal.results import ReadOnlyFields, Tabular
from thresher._internal.text import in_words
from thresher.cautions import Caution
from thresher.choices.choose import operating_condition
from thresher.curves.hull import hull_splits
from thresher.errors import ArgumentError, ConditionError, OneClassError, argument, located
from thresher.ranking import Ranking, require_ranking
from thresher.tables import Contingency, OperatingCondition, require_table
from thresher.tables.condition import simplest
from thresher.tables.contingency import table_of

Candidates: TypeAlias = Mapping[str, Contingency | Ranking]


class Spot(NamedTuple):
    """A point of ROC space, exactly, and whose it is."""

    fpr: Fraction
    tpr: Fraction
    name: str
    table: Contingency


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableChoice(ReadOnlyFields, Tabular):
    """The cheapest of several tables under a condition, and under others.

    `best` names all that tie for the least of `costs`, per case. `dominated` says of every table which others are at
    least as good on both classes and better on one; those of `front` are dominated by none. `ranges` are the cost
    ratios from which to which a table is the cheapest, alone or not; those of `hull` have any. A table on the front may
    lie below the hull: nobody dominates it, and it is best for no costs. `tables` are those compared: of a ranking,
    the table at its best threshold. `corners` are all that each may be: a table itself, a ranking's hull.
    """

    best: tuple[str, ...]
    costs: Mapping[str, float]
    tables: Mapping[str, Contingency]
    dominated: Mapping[str, tuple[str, ...]]
    front: tuple[str, ...]
    hull: tuple[str, ...]
    ranges: Mapping[str, tuple[float, float]]
    condition: OperatingCondition
    cautions: tuple[Caution, ...]
    corners: Mapping[str, tuple[Contingency, ...]]

    def to_html(self, path: str | PathLike[str], *, title: str | None = None) -> None:
        """Write the points as one self-contained HTML file; needs the extra `report`.

        >>> from tempfile import TemporaryDirectory
        >>> M1, M2 = Contingency(tp=50, fn=0, fp=30, tn=20), Contingency(tp=20, fn=30, fp=0, tn=50)
        >>> with TemporaryDirectory() as folder:
        ...     choose_table({"M1": M1, "M2": M2}).to_html(f"{folder}/points.html", title="Two classifiers")
        """
        from thresher.report import write_page

        write_page(self, path, title=title)

    def _brief(self) -> str:
        return f"{in_words(self.best)}, expected cost {self.costs[self.best[0]]:.4g}"

    def _columns(self) -> Mapping[str, Any]:
        ends = [self.ranges.get(name, (math.nan, math.nan)) for name in self.costs]
        return {
            "name": list(self.costs),
            "fpr": [table.fpr for table in self.tables.values()],
            "tpr": [table.tpr for table in self.tables.values()],
            "expected_cost": list(self.costs.values()),
            "dominated_by": [", ".join(self.dominated.get(name, ())) for name in self.costs],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
        }


def choose_table(candidates: Candidates, condition: OperatingCondition | None = None) -> TableChoice:
    """Choose among classifiers that are tables, as `choose` does with a mapping.

    A ranking among them stands for its best threshold, and for its convex hull where costs vary.

    >>> M1, M2 = Contingency(tp=50, fn=0, fp=30, tn=20), Contingency(tp=20, fn=30, fp=0, tn=50)
    >>> two_to_one = choose_table({"M1": M1, "M2": M2}, OperatingCondition(cost_fp=2, cost_fn=1))
    >>> two_to_one
    TableChoice(M2, expected cost 0.3)
    >>> dict(two_to_one.ranges)
    {'M1': (1.0, inf), 'M2': (0.0, 1.0)}
    """
    asked = operating_condition(condition)
    for name, each in candidates.items():
        with located(f"model {name!r}"):
            _require_point(each)
    ratio = _class_ratio(candidates, asked)
    spots = [spot for name, each in candidates.items() for spot in _spots(name, each)]
    misses = ratio * asked.exact_cost_ratio
    cheapest = {name: min(_of(spots, name), key=lambda spot: _loss(spot, misses)) for name in candidates}
    losses = {name: _loss(spot, misses) for name, spot in cheapest.items()}
    least = min(losses.values())
    front = _front(spots)
    ranges = _ranges(spots, ratio)
    tables = {name: spot.table for name, spot in cheapest.items()}
    stated = (
        asked
        if asked.class_ratio is not None
        else OperatingCondition(**asked.to_dict() | {"class_ratio": float(ratio)})
    )
    costs = {name: float(stated.expected_cost(table)) for name, table in tables.items()}
    constants = {"calling nothing positive": misses, "calling everything positive": Fraction(1)}
    return TableChoice(
        best=tuple(name for name, loss in losses.items() if loss == least),
        costs=costs,
        tables=tables,
        dominated={name: by for name in candidates if (by := _dominated_by(name, spots, front))},
        front=tuple(name for name in candidates if any(spot.name == name for spot in front)),
        hull=tuple(name for name in candidates if name in ranges),
        ranges={name: ranges[name] for name in candidates if name in ranges},
        condition=stated,
        cautions=tuple(
            Caution("beaten-by-constant", f"{words} costs less than the best of these tables")
            for words, loss in constants.items()
            if loss < least
        ),
        corners={name: tuple(spot.table for spot in _of(spots, name)) for name in candidates},
    )


def _require_point(value: Any) -> None:
    if isinstance(value, Ranking):
        require_ranking(value, both_classes=True)
        return
    require_table(value)
    if any(np.ndim(cell) for cell in (value.tp, value.fn, value.fp, value.tn)):
        raise ArgumentError("this table has several splits", "give the table of one, or the ranking itself")
    if not (value.Pos and value.Neg):
        what = "a table without actual positives or negatives has no place in ROC space"
        raise OneClassError(what, "compare tables of both classes")


def _class_ratio(candidates: Candidates, condition: OperatingCondition) -> Fraction:
    if condition.class_ratio is not None:
        return simplest(condition.class_ratio)
    ratios = {name: Fraction(each.Pos) / Fraction(each.Neg) for name, each in candidates.items()}
    if len({float(ratio) for ratio in ratios.values()}) > 1:
        listed = ", ".join(f"{name} {float(ratio):.4g}" for name, ratio in ratios.items())
        what = f"the class ratio is to be that of the data, and the tables differ: {listed}"
        raise ConditionError(what, f"declare the {argument('class_ratio')} of the operating condition")
    return next(iter(ratios.values()))


def _spots(name: str, candidate: Contingency | Ranking) -> list[Spot]:
    """The point of a table, or the corners of a ranking's hull."""
    tables = [candidate] if isinstance(candidate, Contingency) else []
    if isinstance(candidate, Ranking):
        exact = candidate.in_units()
        tables = [table_of(exact, split) for split in hull_splits(exact, pool="ties").tolist()]
    return [
        Spot(Fraction(t.fp) / Fraction(t.Neg), Fraction(t.tp) / Fraction(t.Pos), name, t)
        for t in (Contingency(*(np.asarray(cell).item() for cell in (t.tp, t.fn, t.fp, t.tn))) for t in tables)
    ]


def _of(spots: list[Spot], name: str) -> list[Spot]:
    return [spot for spot in spots if spot.name == name]


def _loss(spot: Spot, misses: Fraction) -> Fraction:
    """The expected cost in proportion: false positive rate plus what misses cost."""
    return spot.fpr + misses * (1 - spot.tpr)


def _front(spots: list[Spot]) -> list[Spot]:
    """Points that no other point dominates, by rising fpr."""
    front: list[Spot] = []
    for spot in sorted(spots, key=lambda spot: (spot.fpr, -spot.tpr)):
        if not front or spot.tpr > front[-1].tpr or (spot.fpr, spot.tpr) == (front[-1].fpr, front[-1].tpr):
            front.append(spot)
    return front


def _dominated_by(name: str, spots: list[Spot], front: list[Spot]) -> tuple[str, ...]:
    """Who dominates a candidate, all of whose points are dominated."""
    if any(spot.name == name for spot in front):
        return ()
    own = _of(spots, name)
    return tuple(
        dict.fromkeys(
            spot.name
            for spot in spots
            if any(
                spot.fpr <= each.fpr and spot.tpr >= each.tpr and (spot.fpr, spot.tpr) != (each.fpr, each.tpr)
                for each in own
            )
        )
    )


def _ranges(spots: list[Spot], class_ratio: Fraction) -> dict[str, tuple[float, float]]:
    """Cost ratios for which each candidate is among the cheapest, by name."""
    corners: list[tuple[Fraction, Fraction]] = []
    for place in dict.fromkeys((spot.fpr, spot.tpr) for spot in _front(spots)):
        while len(corners) > 1 and _below(corners[-2], corners[-1], place):
            corners.pop()
        corners.append(place)
    ends = [0.0, *(float((x1 - x) / ((y1 - y) * class_ratio)) for (x, y), (x1, y1) in pairwise(corners)), math.inf]
    at = {corner: (low, high) for corner, (low, high) in zip(corners, pairwise(ends), strict=True)}
    ranges: dict[str, tuple[float, float]] = {}
    for spot in spots:
        if (here := at.get((spot.fpr, spot.tpr))) is not None:
            known = ranges.get(spot.name, here)
            ranges[spot.name] = min(known[0], here[0]), max(known[1], here[1])
    return ranges


def _below(before: tuple[Fraction, Fraction], at: tuple[Fraction, Fraction], after: tuple[Fraction, Fraction]) -> bool:
    """Whether a point lies strictly below the line between its neighbours."""
    return (at[1] - before[1]) * (after[0] - before[0]) < (after[1] - before[1]) * (at[0] - before[0])
