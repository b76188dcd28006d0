"""Leakage: signs that a column or a split gives the target away."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thresher._internal.arguments import require_instance
from thresher.cautions import Caution
from thresher.curves import auc
from thresher.errors import LengthError
from thresher.inputs.rank import rank
from thresher.learning.data.column_types import ColumnType, ColumnTypes, category_texts, column_types
from thresher.learning.data.frame import frame
from thresher.learning.data.split import Split
from thresher.learning.data.target import Target, target_column
from thresher.learning.preprocessing.encoders import Numbers
from thresher.learning.validation.folds import groups_and_times
from thresher.ranking import Flags, Indices

# A column's values repeat when they have this many rows each on average; below, they may fit the target by chance.
_ROWS_PER_VALUE = 5
NEAR_PERFECT = 0.99
# Rows are taken for copies where a column has its own value in so many of the others, or where columns could hold so
# many times as many different rows as there are. Otherwise rows are often equal by chance.
_UNIQUE, _DIFFERENT = 0.9, 100


def leakage(
    data: Any, target: str, *, columns: ColumnTypes | None = None, split: Split | None = None, groups: Any = None
) -> tuple[Caution, ...]:
    """Signs of leakage, as cautions; nothing is removed.

    It checks for columns that are the target in another spelling, determine it, have gaps that determine it, or rank
    it nearly perfectly; for identifiers; for rows that are there twice; and, with a `split`, for equal rows and
    `groups` in more than one part.

    >>> table = {"sure": ["y", "n"] * 10, "age": [31, 40, 25, 38, 60] * 4, "spam": [1, 0] * 10}
    >>> print(*leakage(table, "spam"))
    feature-equals-target: column 'sure' is the target 'spam' in another spelling
    """
    fix = "give what column_types(data) and split(labels) return"
    for value, kind, name in ((columns, ColumnTypes, "columns"), (split, Split, "split")):
        if value is not None:
            require_instance(value, kind, name=name, fix=fix)
    table = frame(data)
    labels = target_column(table, target, fewest=1)
    kinds = column_types(table, target=target) if columns is None else columns
    cautions = [leak for column in kinds if column.used and (leak := _column_leak(table[column.name], column, labels))]
    cautions += [
        Caution("identifier-column", f"column {name!r} has a value of its own in every row, and is left out")
        for name in kinds.named("identifier")
    ]
    cautions += _copies(table[[*kinds.needed, target]])
    if split is not None:
        rows = sum(split.sizes.values())
        if rows != len(table):
            what = f"the split is of {rows:,} rows and the table has {len(table):,}"
            raise LengthError(what, "split the labels of this table")
        part = np.empty(rows, dtype=np.int64)
        for number, members in enumerate(split.parts.values()):
            part[members] = number
        cautions += _equal_rows(table[kinds.needed], part)
        cautions += [] if groups is None else _shared_groups(groups, part)
    return tuple(cautions)


def _column_leak(values: Any, column: ColumnType, target: Target) -> Caution | None:
    name, goal = column.name, target.name
    distinct = 0 if column.kind == "text" else _pure(values, target)
    if distinct >= 2 and distinct * _ROWS_PER_VALUE <= len(values):
        if distinct == len(target.classes):
            return Caution("feature-equals-target", f"column {name!r} is the target {goal!r} in another spelling")
        text = f"each of the {distinct:,} values of column {name!r} goes with one class of {goal!r} only"
        return Caution("feature-determines-target", text)
    if 0 < values.isna().sum() < len(values) and _pure(values.isna(), target) == 2:
        text = f"column {name!r} is missing exactly for some classes of {goal!r}: its gaps tell the class"
        return Caution("feature-determines-target", text)
    if column.kind in ("numerical", "ordinal") and values.notna().any():
        best = _best_auc(values, column.order, target)
        if best >= NEAR_PERFECT:
            text = f"column {name!r} by itself ranks {goal!r} with an AUC of {best:.4f}; is it known in time?"
            return Caution("near-perfect-feature", text)
    return None


def _pure(values: Any, target: Target) -> int:
    """How many values there are, if each goes with one class only; otherwise 0."""
    codes, distinct = values.factorize(use_na_sentinel=False)
    pairs = np.bincount(codes * len(target.classes) + target.codes, minlength=len(distinct) * len(target.classes))
    pure = bool(((pairs.reshape(len(distinct), -1) > 0).sum(axis=1) == 1).all())
    return len(distinct) if pure else 0


def _best_auc(values: Any, order: tuple[str, ...], target: Target) -> float:
    """The largest AUC of the column, either way round, for one class against the rest."""
    if order:
        numbers = category_texts(values).map({name: place for place, name in enumerate(order)})
    else:
        numbers = Numbers().fit_transform(values.to_frame())
    present = values.notna().to_numpy()
    scores, codes = np.asarray(numbers, dtype=np.float64).reshape(-1)[present], target.codes[present]
    sides = [codes == code for code in range(len(target.classes))][1 if len(target.classes) == 2 else 0 :]
    areas = [auc(rank(side, scores)) for side in sides if min(side.sum(), (~side).sum()) >= _ROWS_PER_VALUE]
    return max((max(area, 1 - area) for area in areas), default=0.0)


def _copies(rows: Any) -> list[Caution]:
    """Rows that equal an earlier one, where chance is no likely reason."""
    again = rows.duplicated().to_numpy()
    copies, first = int(again.sum()), int(again.argmax())
    distinct = [max(rows[name].nunique(), 1) for name in rows] if copies else []
    nearly_unique = max(distinct, default=0) >= _UNIQUE * (len(rows) - copies)
    if not copies or not (nearly_unique or sum(map(math.log, distinct)) >= math.log(_DIFFERENT * len(rows))):
        return []
    what = f"{copies:,} of {len(rows):,} rows {'equals' if copies == 1 else 'equal'} an earlier one, the target too"
    text = f"{what} (first at row {first}): folds test on copies of what they learn from; distinct_rows drops them"
    return [Caution("duplicate-rows", text)]


def _equal_rows(features: Any, part: Indices) -> list[Caution]:
    again = features.duplicated(keep=False).to_numpy()
    if not again.any():
        return []
    alike = features[again].groupby(list(features.columns), dropna=False, sort=False, observed=True).ngroup().to_numpy()
    shared = _in_several(alike, part[again])
    if not shared.any():
        return []
    text = (
        f"{int(shared.sum()):,} of {len(features):,} rows have an equal row in another part (first at row "
        f"{np.flatnonzero(again)[np.argmax(shared)]}): what is learnt from one is known of the other"
    )
    return [Caution("duplicate-rows-across-splits", text)]


def _shared_groups(groups: Any, part: Indices) -> list[Caution]:
    import pandas as pd

    codes, distinct = pd.factorize(groups_and_times(groups, None, rows=part.size)["groups"])
    shared = np.unique(codes[_in_several(codes, part)])
    if not shared.size:
        return []
    text = (
        f"{shared.size:,} of {len(distinct):,} groups have rows in more than one part "
        f"(first {distinct.tolist()[shared[0]]!r}); pass groups= to split(...)"
    )
    return [Caution("groups-across-splits", text)]


def _in_several(codes: Indices, part: Indices) -> Flags:
    """Which rows have one of the same code in another part."""
    held = np.zeros((codes.max() + 1, part.max() + 1), dtype=np.bool_)
    held[codes, part] = True
    return (held.sum(axis=1) > 1)[codes]
