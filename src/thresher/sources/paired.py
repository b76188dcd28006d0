"""Sums over pairs of score columns, made where the rows are: what comparing models on the same rows needs.

Mid-ranks come from window functions, upwards and downwards. No row leaves the engine; a few sums do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.optional import extra
from thresher.errors import ArgumentError
from thresher.sources.engine_numbers import at_least, number
from thresher.sources.paired_rows import PairedRows
from thresher.sources.progress import Listener

Matrix = npt.NDArray[np.float64]
MOST_KINDS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class PlacementSums:
    """What units, which are rows or clusters of them, add up to.

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
    """How many rows share class, calls and weight: bit 0 of `code` is the class, bit i + 1 model i's call."""

    code: npt.NDArray[np.int64]
    cases: npt.NDArray[np.int64]
    weight: Matrix


def placement_sums(rows: PairedRows, models: int, *, listener: Listener | None) -> PlacementSums:
    """Sums of the placements of every row, or of every cluster, under every model.

    A positive's placement is the weighted share of negatives it beats, a negative's that of positives that beat it,
    ties counting half.
    """
    ibis = extra("ibis", name="sql")
    table = rows.table
    weighted, clustered = "w" in table.columns, "cluster" in table.columns
    placement = _weighted_placement if weighted else _placement
    one = table.w if weighted else number(ibis, 1.0)
    parts = {f"u{i}": placement(ibis, rows, f"x{i}") * one for i in range(models)} | {f"u{models}": one}
    beside = {"cluster": table.cluster} if clustered else {}
    placed = table.select(table.positive, **parts, **beside)
    if clustered:
        return _of_clusters(ibis, rows, placed, models + 1, listener=listener)
    aggregated = placed.group_by("positive").aggregate(**_moments(placed, list(parts)))
    found = rows.answer(aggregated, stage="ranking rows", listener=listener).to_pylist()
    blocks = [_read(row, models + 1) for row in sorted(found, key=lambda row: -row["positive"])]
    none = np.zeros((models + 1, models + 1))
    return PlacementSums(
        np.concatenate([total for total, _ in blocks]),
        np.block([[blocks[0][1], none], [none, blocks[1][1]]]),
        (*rows.cases, sum(rows.cases)),
        clustered=False,
    )


def call_weights(
    rows: PairedRows, thresholds: dict[str, float], *, listener: Listener | None
) -> dict[str, tuple[Matrix, Matrix]]:
    """For every model the weights of tp, fn, fp and tn at its threshold, and the sums of their squares, in one pass."""
    ibis = extra("ibis", name="sql")
    table, zero = rows.table, number(ibis, 0.0)
    weight = table.w if "w" in table.columns else number(ibis, 1.0)
    sums: dict[str, Any] = {}
    for i, threshold in enumerate(thresholds.values()):
        called = at_least(ibis, table[f"x{i}"], threshold)
        for cell, test in enumerate([(1, called), (1, ~called), (0, called), (0, ~called)]):
            mine = ((table.positive == test[0]) & test[1]).ifelse(weight, zero)
            sums |= {f"w{i}_{cell}": mine.sum(), f"q{i}_{cell}": (mine * mine).sum()}
    (found,) = rows.answer(table.aggregate(**sums), stage="weighing calls", listener=listener).to_pylist()
    return {
        name: (np.array([found[f"w{i}_{c}"] for c in range(4)]), np.array([found[f"q{i}_{c}"] for c in range(4)]))
        for i, name in enumerate(thresholds)
    }


def call_counts(rows: PairedRows, thresholds: dict[str, float], *, listener: Listener | None) -> Calls:
    """How often each combination of class, calls and weight occurs, in one pass."""
    ibis = extra("ibis", name="sql")
    table = rows.table
    code = table.positive
    for i, threshold in enumerate(thresholds.values()):
        called = at_least(ibis, table[f"x{i}"], threshold)
        code = code + called.ifelse(ibis.literal(2 << i, "int64"), ibis.literal(0, "int64"))
    keys = {"code": code} | ({"w": table.w} if "w" in table.columns else {})
    counted = table.group_by(**keys).aggregate(cases=table.count().cast("int64")).limit(MOST_KINDS + 1)
    found = rows.answer(counted, stage="counting calls", listener=listener)
    if found.num_rows > MOST_KINDS:
        raise ArgumentError(
            f"rows carry more than {MOST_KINDS:,} different weights, too many to be drawn again by kind",
            fix="round the weights in the table or a view, or compare by AUC, which takes any",
        )
    code, cases = (np.asarray(found[name].to_numpy()) for name in ("code", "cases"))
    weight = np.asarray(found["w"].to_numpy()) if "w" in keys else np.ones(code.size)
    order = np.lexsort((weight, code))
    return Calls(code[order], cases[order], weight[order])


def _of_clusters(ibis: Any, rows: PairedRows, placed: Any, width: int, *, listener: Listener | None) -> PlacementSums:
    """The same sums over clusters: rows are added up within each first."""
    zero = number(ibis, 0.0)
    sums = {
        f"u{side * width + i}": (placed.positive == 1 - side).ifelse(placed[f"u{i}"], zero).sum()
        for side in (0, 1)
        for i in range(width)
    }
    units = placed.group_by("cluster").aggregate(**sums)
    there = {f"n{side}": (units[f"u{side * width + width - 1}"] > zero).sum().cast("int64") for side in (0, 1)}
    aggregated = units.aggregate(**_moments(units, list(sums)), **there, n2=units.count().cast("int64"))
    (found,) = rows.answer(aggregated, stage="ranking rows", listener=listener).to_pylist()
    return PlacementSums(*_read(found, 2 * width), (found["n0"], found["n1"], found["n2"]), clustered=True)


def _moments(table: Any, names: list[str]) -> dict[str, Any]:
    """Sums of columns, and of all products of two of them."""
    sums = {f"s{i}": table[name].sum() for i, name in enumerate(names)}
    pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
    return sums | {f"p{i}_{j}": (table[names[i]] * table[names[j]]).sum() for i, j in pairs}


def _read(row: dict[str, Any], width: int) -> tuple[Matrix, Matrix]:
    products = [[row[f"p{min(i, j)}_{max(i, j)}"] for j in range(width)] for i in range(width)]
    return np.array([row[f"s{i}"] for i in range(width)]), np.array(products)


def _placement(ibis: Any, rows: PairedRows, name: str) -> Any:
    """A row's placement minus ½; twice a mid-rank is its rank from below plus n + 1 minus its rank from above."""
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


def _weighted_placement(ibis: Any, rows: PairedRows, name: str) -> Any:
    """The same with the other class's weight below a row, from sums that run up and down and take ties along."""
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


def _about_half(ibis: Any, table: Any, beaten: Any, whole: tuple[float, float]) -> Any:
    """From twice what a row beats of the other class to its placement minus ½; a negative's is what beats it."""
    pos, neg, half = number(ibis, 2.0 * whole[0]), number(ibis, 2.0 * whole[1]), number(ibis, 0.5)
    return (table.positive == 1).ifelse(beaten / neg - half, half - beaten / pos)
