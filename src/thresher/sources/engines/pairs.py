"""Sums over pairs of score columns, computed inside an engine.

Mid-ranks come from window functions, upwards and downwards: no row leaves the engine, a few sums do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.optional import extra
from thresher.errors import ArgumentError, EmptyError, MissingValueError, argument, require_both_classes
from thresher.inputs.columns import Missing, column
from thresher.inputs.labels import is_positive
from thresher.ranking import Counts, Ranking
from thresher.sources.engines.connect import EngineTable, is_engine_source, open_table
from thresher.sources.engines.query import (
    BAD_WEIGHT,
    MISSING,
    UNFIT_SCORE,
    faults,
    group_column,
    is_one_of,
    number,
    require_plain,
    scan_columns,
)
from thresher.sources.engines.result import require_fit_scores, require_sound_weights
from thresher.sources.options import Columns, Options, require_options, require_source
from thresher.sources.progress import Listener
from thresher.sources.scan import engine_rankings, select_rows

Matrix = npt.NDArray[np.float64]
MOST_KINDS = 1 << 20
_MOST_LABELS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class PlacementSums:
    """Sums over units, which are rows or clusters of them.

    Each unit has u, the sums of w·(V - ½) under every model and of w over its positives, and then over its negatives,
    where V is a row's placement and w its weight. `total` is the sum of u over all units and `products` that of u·uᵀ;
    `units` counts those with positives, those with negatives, and all.
    """

    total: Matrix
    products: Matrix
    units: tuple[int, int, int]
    clustered: bool


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """How many rows share class, calls and weight.

    Bit 0 of `code` is the class, bit i + 1 model i's call.
    """

    code: Counts
    cases: Counts
    weight: Matrix


@contextmanager
def open_pairs(
    source: Any, columns: Columns, options: Options, *, cluster: str | None = None
) -> Iterator[EnginePairs | None]:
    """Open a table for comparing models; None for a source without push-down."""
    require_options(options)
    engine = is_engine_source(source)
    require_source(source, columns, engine=engine)
    if not engine:
        yield None
        return
    with open_table(source, table=options.table) as opened:
        names = [*columns.names, *([] if cluster is None else [cluster])]
        selected = select_rows(opened, names, options.where)
        yield _engine_pairs(selected, columns, cluster, options) if selected.pushes_down else None


@dataclass(frozen=True, slots=True, eq=False)
class EnginePairs:
    """Rows in an engine, to compare models on.

    Columns of `table` are `positive` (1 or 0), scores `x0`, `x1`, …, and `w` and `cluster` where asked for. `cases` and
    `weight` are how many rows each class has and what they weigh, positives first.
    """

    engine: EngineTable
    table: Any
    models: int
    cases: tuple[int, int]
    weight: tuple[float, float]
    dropped: int

    def rankings(self, names: Sequence[str], options: Options) -> dict[str, Ranking]:
        """The rankings of all models, by these names."""
        require_options(options)
        weights = "w" if "w" in self.table.columns else None
        columns = Columns("positive", tuple(f"x{i}" for i in range(len(names))), weights)
        engine = replace(self.engine, table=self.table)
        return dict(zip(names, engine_rankings(engine, columns, options).values(), strict=True))

    def placement_sums(self, *, listener: Listener | None) -> PlacementSums:
        """Sums of the placements of every row, or of every cluster, under every model.

        A positive's placement is the weighted share of negatives it beats, a negative's that of positives that beat
        it, ties counting half.
        """
        ibis, table = extra("ibis", name="sql"), self.table
        weighted, clustered = "w" in table.columns, "cluster" in table.columns
        placement = _weighted_placement if weighted else _placement
        one = table.w if weighted else number(ibis, 1.0)
        width = self.models + 1
        parts = {f"u{i}": placement(ibis, self, f"x{i}") * one for i in range(self.models)} | {f"u{self.models}": one}
        placed = table.select(table.positive, **parts, **({"cluster": table.cluster} if clustered else {}))
        if clustered:
            return _cluster_sums(ibis, self, placed, width, listener=listener)
        sums = placed.group_by("positive").aggregate(**_moments(placed, list(parts)))
        answer = self.engine.answer(sums, stage="ranking rows", listener=listener).to_pylist()
        blocks = [_read_moments(row, width) for row in sorted(answer, key=lambda row: -row["positive"])]
        none = np.zeros((width, width))
        return PlacementSums(
            np.concatenate([total for total, _ in blocks]),
            np.block([[blocks[0][1], none], [none, blocks[1][1]]]),
            (*self.cases, sum(self.cases)),
            clustered=False,
        )

    def call_weights(
        self, thresholds: Mapping[str, float], *, listener: Listener | None
    ) -> dict[str, tuple[Matrix, Matrix]]:
        """Per model the sums of weights, and of their squares, of tp, fn, fp and tn."""
        ibis, table = extra("ibis", name="sql"), self.table
        zero = number(ibis, 0.0)
        weight = table.w if "w" in table.columns else number(ibis, 1.0)
        sums: dict[str, Any] = {}
        for i, threshold in enumerate(thresholds.values()):
            above = table[f"x{i}"] >= number(ibis, threshold)
            for cell, (side, test) in enumerate([(1, above), (1, ~above), (0, above), (0, ~above)]):
                part = ((table.positive == side) & test).ifelse(weight, zero)
                sums |= {f"w{i}_{cell}": part.sum(), f"q{i}_{cell}": (part * part).sum()}
        answer = self.engine.answer(table.aggregate(**sums), stage="weighing calls", listener=listener)
        (row,) = answer.to_pylist()
        return {
            name: (np.array([row[f"w{i}_{c}"] for c in range(4)]), np.array([row[f"q{i}_{c}"] for c in range(4)]))
            for i, name in enumerate(thresholds)
        }

    def call_counts(self, thresholds: Mapping[str, float], *, listener: Listener | None) -> Calls:
        """How often each combination of class, calls and weight occurs."""
        ibis, table = extra("ibis", name="sql"), self.table
        code = table.positive
        for i, threshold in enumerate(thresholds.values()):
            above = table[f"x{i}"] >= number(ibis, threshold)
            code = code + above.ifelse(ibis.literal(2 << i, "int64"), ibis.literal(0, "int64"))
        keys = {"code": code} | ({"w": table.w} if "w" in table.columns else {})
        kinds = table.group_by(**keys).aggregate(cases=table.count().cast("int64")).limit(MOST_KINDS + 1)
        answer = self.engine.answer(kinds, stage="counting calls", listener=listener)
        require_few_kinds(answer.num_rows)
        codes, cases = (np.asarray(answer[name].to_numpy()) for name in ("code", "cases"))
        weight = np.asarray(answer["w"].to_numpy()) if "w" in keys else np.ones(codes.size)
        order = np.lexsort((weight, codes))
        return Calls(codes[order], cases[order], weight[order])


def require_few_kinds(kinds: int) -> None:
    """Raise `ArgumentError` for more kinds of calls and weights than can be resampled."""
    if kinds > MOST_KINDS:
        what = f"rows carry more than {MOST_KINDS:,} different weights, too many to be drawn again by kind"
        raise ArgumentError(what, "round the weights in the table or a view, or compare by AUC, which takes any")


def _engine_pairs(engine: EngineTable, columns: Columns, cluster: str | None, options: Options) -> EnginePairs:
    """Count the labels, refuse what is refused everywhere, and select the other rows."""
    ibis, models = extra("ibis", name="sql"), len(columns.scores)
    chosen = scan_columns(ibis, engine.table, columns)
    if cluster is not None:
        require_plain(engine.table[cluster], cluster)
        chosen["cluster"] = group_column(ibis, engine.table[cluster])
    rows = engine.table.select(**chosen)
    rows = rows.mutate(state=faults(ibis, rows, [str(i) for i in range(models)]))
    sums = {"cases": rows.count().cast("int64")} | ({} if columns.weights is None else {"weight": rows.w.sum()})
    grouped = rows.group_by("label", "state").aggregate(**sums).limit(_MOST_LABELS)
    answer = engine.answer(grouped, stage="counting labels", listener=options.progress).to_pylist()
    dropped = _refuse(answer, options.missing)
    counts = [row for row in answer if not row["state"]]
    labels = column([row["label"] for row in counts], name="labels")
    rows_of = np.array([row["cases"] for row in counts], dtype=np.int64)
    flags = is_positive(labels, positive=options.positive, cases=rows_of) if counts else np.zeros(0, np.bool_)
    sides = [[row for row, flag in zip(counts, flags, strict=True) if flag == side] for side in (True, False)]
    cases = tuple(sum(row["cases"] for row in side) for side in sides)
    if not counts:
        gone = all(row["state"] & MISSING for row in answer)
        what = "no row is left after dropping missing values" if gone else "all weights are 0, so there are no rows"
        raise EmptyError(what, "check the columns")
    require_both_classes(cases[0], cases[1])
    weight = tuple(float(sum(row.get("weight", row["cases"]) for row in side)) for side in sides)
    complete_rows = rows.filter(rows.state == 0)
    positive = is_one_of(ibis, complete_rows.label, [sides[0][0]["label"]]).ifelse(1, 0).cast("int64")
    # -0.0 and 0.0 are one score, which not every engine's order knows.
    zero = number(ibis, 0.0)
    scores = {f"x{i}": (complete_rows[f"x{i}"] == zero).ifelse(zero, complete_rows[f"x{i}"]) for i in range(models)}
    others = {name: complete_rows[name] for name in ("w", "cluster") if name in complete_rows.columns}
    table = complete_rows.select(positive=positive, **scores, **others)
    return EnginePairs(engine, table, models, (cases[0], cases[1]), (weight[0], weight[1]), dropped)


def _refuse(rows: Sequence[dict[str, Any]], missing: Missing) -> int:
    """How many rows are left out on request; raises where rows are refused."""
    if not rows:
        raise EmptyError("there are no rows", "give at least one, and check where=")
    total = sum(row["cases"] for row in rows)
    gone = sum(row["cases"] for row in rows if row["state"] & MISSING)
    # Of several faults of a row the first counts: a weight that is none, a weight of 0, a score that is rounded.
    bad = sum(row["cases"] for row in rows if row["state"] & (MISSING | BAD_WEIGHT) == BAD_WEIGHT)
    unfit = sum(row["cases"] for row in rows if row["state"] & ~UNFIT_SCORE == 0 and row["state"])
    if gone and missing == "raise":
        raise MissingValueError(
            f"{gone:,} of {total:,} rows miss a label, a score, a weight or a cluster, and none is ever guessed",
            f"fill them, or pass {argument('missing', 'drop')} to leave those rows out",
            parameter="missing",
        )
    require_fit_scores(unfit, total)
    require_sound_weights(bad, total)
    return int(gone)


def _cluster_sums(ibis: Any, rows: EnginePairs, placed: Any, width: int, *, listener: Listener | None) -> PlacementSums:
    """Sums of placements over clusters: rows are added up within each first."""
    zero = number(ibis, 0.0)
    sums = {
        f"u{side * width + i}": (placed.positive == 1 - side).ifelse(placed[f"u{i}"], zero).sum()
        for side in (0, 1)
        for i in range(width)
    }
    units = placed.group_by("cluster").aggregate(**sums)
    there = {f"n{side}": (units[f"u{side * width + width - 1}"] > zero).sum().cast("int64") for side in (0, 1)}
    aggregated = units.aggregate(**_moments(units, list(sums)), **there, n2=units.count().cast("int64"))
    (row,) = rows.engine.answer(aggregated, stage="ranking rows", listener=listener).to_pylist()
    return PlacementSums(*_read_moments(row, 2 * width), (row["n0"], row["n1"], row["n2"]), clustered=True)


def _moments(table: Any, names: list[str]) -> dict[str, Any]:
    """Sums of columns, and of all products of two of them."""
    sums = {f"s{i}": table[name].sum() for i, name in enumerate(names)}
    pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
    return sums | {f"p{i}_{j}": (table[names[i]] * table[names[j]]).sum() for i, j in pairs}


def _read_moments(row: dict[str, Any], width: int) -> tuple[Matrix, Matrix]:
    products = [[row[f"p{min(i, j)}_{max(i, j)}"] for j in range(width)] for i in range(width)]
    return np.array([row[f"s{i}"] for i in range(width)]), np.array(products)


def _placement(ibis: Any, rows: EnginePairs, name: str) -> Any:
    """A row's placement minus ½.

    Twice a mid-rank is the rank from below plus n + 1 minus the rank from above.
    """
    table, (pos, neg) = rows.table, rows.cases

    def doubled(of: int, group: Any) -> Any:
        up = ibis.rank().over(ibis.window(group_by=group, order_by=table[name]))
        down = ibis.rank().over(ibis.window(group_by=group, order_by=table[name].desc()))
        return up - down + ibis.literal(of, "int64")  # Ibis counts ranks from 0, which cancels

    among_all = doubled(pos + neg, None)
    of_class = (table.positive == 1).ifelse(ibis.literal(pos, "int64"), ibis.literal(neg, "int64"))
    among_own = doubled(0, table.positive) + of_class
    beaten = (among_all - among_own).cast("float64")  # twice the rows of the other class below, ties counting half
    return _about_half(ibis, table, beaten, (pos, neg))


def _weighted_placement(ibis: Any, rows: EnginePairs, name: str) -> Any:
    """The same by weights of the other class, from sums that run up and down."""
    table, (pos, neg), zero = rows.table, rows.weight, number(ibis, 0.0)

    def doubled(side: int, total: float) -> Any:
        weight = (table.positive == side).ifelse(table.w, zero)
        up, down = (
            weight.sum().over(ibis.range_window(preceding=None, following=0, order_by=order))
            for order in (table[name], table[name].desc())
        )
        return up - down + number(ibis, total)

    beaten = (table.positive == 1).ifelse(doubled(0, neg), doubled(1, pos))
    return _about_half(ibis, table, beaten, (pos, neg))


def _about_half(ibis: Any, table: Any, beaten: Any, totals: tuple[float, float]) -> Any:
    """A placement minus ½ of twice what a row beats; a negative's is what beats it."""
    pos, neg, half = number(ibis, 2.0 * totals[0]), number(ibis, 2.0 * totals[1]), number(ibis, 0.5)
    return (table.positive == 1).ifelse(beaten / neg - half, half - beaten / pos)
