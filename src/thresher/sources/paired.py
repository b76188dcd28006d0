"""Sums over pairs of score columns, made where the rows are: what comparing models on the same rows needs.

Mid-ranks come from window functions: rank() upwards and downwards among all rows and among those of the same class. No
row leaves the engine; a few sums per class do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import MissingValueError, OneClassError
from thresher.extras import extra
from thresher.sources.columns import Missing, column
from thresher.sources.database import Opened
from thresher.sources.labels import is_positive
from thresher.sources.progress import Listener
from thresher.sources.tally import Wanted, number

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PlacementSums:
    """Per class (positives first): cases, the mean placement of each model, and sums of products about ½."""

    cases: tuple[int, int]
    sums: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
    products: tuple[Matrix, Matrix]
    dropped: int


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """How often each class and combination of calls occurs: bit 0 of `code` is the class, bit i + 1 model i's call."""

    code: npt.NDArray[np.int64]
    cases: npt.NDArray[np.int64]
    dropped: int


def placement_sums(
    engine: Opened, wanted: Wanted, *, positive: Any, missing: Missing, listener: Listener | None, where: str
) -> PlacementSums:
    """Sums of the placements of every row under every model.

    A positive's placement is the share of negatives it beats, a negative's the share of positives that beat it, ties
    counting half: differences of a row's mid-rank among all rows and among its own class.
    """
    ibis = extra("ibis", name="sql", where=where)
    rows, cases, dropped = _classed(engine, wanted, positive=positive, missing=missing, listener=listener, where=where)
    models = range(len(wanted.scores))
    placed = rows.select(rows.positive, **{f"v{i}": _placement(ibis, rows, f"x{i}", cases) for i in models})
    sums = {f"s{i}": placed[f"v{i}"].sum() for i in models}
    sums |= {f"p{i}_{j}": (placed[f"v{i}"] * placed[f"v{j}"]).sum() for i in models for j in models if j >= i}
    found = engine.answer(
        placed.group_by("positive").aggregate(**sums), stage="ranking rows", listener=listener, where=where
    ).to_pylist()
    by_class = {row["positive"]: row for row in found}
    size = len(wanted.scores)
    vectors, matrices = [], []
    for side in (1, 0):
        vectors.append(np.array([by_class[side][f"s{i}"] for i in range(size)]))
        pairs = [[by_class[side][f"p{min(i, j)}_{max(i, j)}"] for j in range(size)] for i in range(size)]
        matrices.append(np.array(pairs))
    return PlacementSums(cases, (vectors[0], vectors[1]), (matrices[0], matrices[1]), dropped)


def call_counts(
    engine: Opened,
    wanted: Wanted,
    thresholds: dict[str, float],
    *,
    positive: Any,
    missing: Missing,
    listener: Listener | None,
    where: str,
) -> Calls:
    """How often each combination of class and calls occurs, in one pass."""
    ibis = extra("ibis", name="sql", where=where)
    rows, _, dropped = _classed(engine, wanted, positive=positive, missing=missing, listener=listener, where=where)
    code = rows.positive
    for i, name in enumerate(wanted.scores):
        called = rows[f"x{i}"] >= number(ibis, thresholds[name])
        code = code + called.ifelse(ibis.literal(2 << i, "int64"), ibis.literal(0, "int64"))
    counted = rows.group_by(code=code).aggregate(cases=rows.count().cast("int64"))
    found = engine.answer(counted, stage="counting calls", listener=listener, where=where)
    return Calls(np.asarray(found["code"].to_numpy()), np.asarray(found["cases"].to_numpy()), dropped)


def _classed(
    engine: Opened, wanted: Wanted, *, positive: Any, missing: Missing, listener: Listener | None, where: str
) -> tuple[Any, tuple[int, int], int]:
    """Rows that miss nothing, with their class as 1 or 0, how many there are of each, and how many were left out."""
    ibis = extra("ibis", name="sql", where=where)
    table = engine.table
    label = table[wanted.label]
    scores = {f"x{i}": table[name].cast("float64") for i, name in enumerate(wanted.scores)}
    there = label.notnull() & ~label.isnan() if label.type().is_floating() else label.notnull()
    for score in scores.values():
        there &= score.notnull() & ~score.isnan()
    rows = table.select(label=label, there=ibis.cases((there, True), else_=False), **scores)
    counted = rows.group_by("label", "there").aggregate(cases=rows.count().cast("int64")).limit(1000)
    found = engine.answer(counted, stage="counting labels", listener=listener, where=where).to_pylist()
    dropped = sum(row["cases"] for row in found if not row["there"])
    total = sum(row["cases"] for row in found)
    if dropped and missing == "raise":
        raise MissingValueError(
            f"{dropped:,} of {total:,} rows miss a label or a score, and they are never guessed",
            where=where,
            fix='fill them, or pass missing="drop" to leave those rows out',
        )
    known = [row for row in found if row["there"]]
    labels = column([row["label"] for row in known], name="labels", where=where)
    flags = is_positive(labels, positive=positive, where=where) if known else np.zeros(0, dtype=np.bool_)
    cases = (
        sum(row["cases"] for row, flag in zip(known, flags, strict=True) if flag),
        sum(row["cases"] for row, flag in zip(known, flags, strict=True) if not flag),
    )
    if not all(cases):
        absent = "positives" if not cases[0] else "negatives"
        raise OneClassError(
            f"there are no {absent} among {sum(cases):,} cases, and this question needs both classes",
            where=where,
            fix="check which label is positive, or give data with both classes",
        )
    chosen = next(row["label"] for row, flag in zip(known, flags, strict=True) if flag)
    kept = rows.filter(rows.there)
    is_pos = (kept.label == ibis.literal(chosen, kept.label.type())).ifelse(1, 0).cast("int64")
    # -0.0 and 0.0 are one score, which not every engine's order knows.
    zero = number(ibis, 0.0)
    columns = {name: (kept[name] == zero).ifelse(zero, kept[name]) for name in scores}
    return kept.select(positive=is_pos, **columns), cases, dropped


def _placement(ibis: Any, rows: Any, name: str, cases: tuple[int, int]) -> Any:
    """A row's placement minus ½; twice a mid-rank is its rank from below plus n + 1 minus its rank from above."""
    total, (pos, neg) = sum(cases), cases

    def doubled(of: int, group: Any) -> Any:
        up = ibis.rank().over(ibis.window(group_by=group, order_by=rows[name]))
        down = ibis.rank().over(ibis.window(group_by=group, order_by=rows[name].desc()))
        return up - down + ibis.literal(of, "int64")  # Ibis counts ranks from 0, which cancels

    among_all = doubled(total, None)
    of_class = (rows.positive == 1).ifelse(ibis.literal(pos, "int64"), ibis.literal(neg, "int64"))
    among_own = doubled(0, rows.positive) + of_class
    beaten = (among_all - among_own).cast("float64")  # twice the rows of the other class below, ties counting half
    half = number(ibis, 0.5)
    return (rows.positive == 1).ifelse(beaten / number(ibis, 2.0 * neg) - half, half - beaten / number(ibis, 2.0 * pos))
