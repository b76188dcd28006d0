"""Leakage: signs that a column or a split gives away what a model is to find out by itself."""

from __future__ import annotations

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

# A column's values repeat when they have this many rows each on average; below, they may fit the target by chance.
_ROWS_PER_VALUE = 5
NEAR_PERFECT = 0.99


def leakage(
    data: Any,
    target: str,
    *,
    columns: ColumnTypes | None = None,
    split: Split | None = None,
    groups: Any = None,
) -> tuple[Caution, ...]:
    """Signs of leakage, as cautions; nothing is removed.

    It checks for columns that are the target in another spelling, determine it, have gaps that determine it, or rank
    it nearly perfectly; for identifiers; and, with a `split`, for equal rows and `groups` in more than one part.

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
    cautions = [caution for name in kinds.used for caution in _of_column(table[name], kinds[name], labels)]
    cautions += [
        Caution("identifier-column", f"column {name!r} has a value of its own in every row, and is left out")
        for name in kinds.named("identifier")
    ]
    if split is not None:
        if sum(split.sizes.values()) != len(table):
            raise LengthError(
                f"the split is of {sum(split.sizes.values()):,} rows and the table has {len(table):,}",
                "split the labels of this table",
            )
        cautions += _equal_rows(table[kinds.used], split)
        cautions += [] if groups is None else _shared_groups(groups, split)
    return tuple(cautions)


def _of_column(values: Any, column: ColumnType, target: Target) -> list[Caution]:
    name, kind = column.name, column.kind
    if kind != "text" and (determined := _determined(values, target)):
        return [determined]
    if 0 < values.isna().sum() < len(values) and _pure(values.isna(), target) == 2:
        text = f"column {name!r} is missing exactly for some classes of {target.name!r}: its gaps tell the class"
        return [Caution("feature-determines-target", text)]
    if kind in ("numerical", "ordinal") and values.notna().any():
        best = _best_auc(values, column.order, target)
        if best >= NEAR_PERFECT:
            text = f"column {name!r} by itself ranks {target.name!r} with an AUC of {best:.4f}; is it known in time?"
            return [Caution("near-perfect-feature", text)]
    return []


def _determined(values: Any, target: Target) -> Caution | None:
    distinct = _pure(values, target)
    if distinct < 2 or distinct * _ROWS_PER_VALUE > len(values):
        return None
    if distinct == len(target.classes):
        return Caution(
            "feature-equals-target", f"column {values.name!r} is the target {target.name!r} in another spelling"
        )
    text = f"each of the {distinct:,} values of column {values.name!r} goes with one class of {target.name!r} only"
    return Caution("feature-determines-target", text)


def _pure(values: Any, target: Target) -> int:
    """How many values there are, missing as one of them, if none goes with two classes; otherwise 0."""
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
    best = 0.0
    for code in range(len(target.classes)) if len(target.classes) > 2 else (1,):
        positive = codes == code
        if min(positive.sum(), (~positive).sum()) >= _ROWS_PER_VALUE:
            area = auc(rank(positive, scores))
            best = max(best, area, 1 - area)
    return best


def _equal_rows(features: Any, split: Split) -> list[Caution]:
    part = _part_of(split, len(features))
    again = features.duplicated(keep=False).to_numpy()
    if not again.any():
        return []
    alike = features[again].groupby(list(features.columns), dropna=False, sort=False, observed=True).ngroup().to_numpy()
    shared = _in_several(alike, part[again])
    if not shared.any():
        return []
    first = np.flatnonzero(again)[np.argmax(shared)]
    text = (
        f"{int(shared.sum()):,} of {len(features):,} rows have an equal row in another part (first at row {first}): "
        "what is learnt from one is known of the other"
    )
    return [Caution("duplicate-rows-across-splits", text)]


def _shared_groups(groups: Any, split: Split) -> list[Caution]:
    import pandas as pd

    codes, distinct = pd.factorize(np.asarray(groups))
    shared = np.bincount(codes[_in_several(codes, _part_of(split, codes.size))], minlength=len(distinct)) > 0
    if not shared.any():
        return []
    text = (
        f"{int(shared.sum()):,} of {len(distinct):,} groups have rows in more than one part "
        f"(first {distinct.tolist()[np.argmax(shared)]!r}); pass groups= to split(...)"
    )
    return [Caution("groups-across-splits", text)]


def _part_of(split: Split, rows: int) -> Any:
    part = np.empty(rows, dtype=np.int64)
    for i, name in enumerate(split):
        part[split[name]] = i
    return part


def _in_several(alike: Any, part: Any) -> Any:
    """Which rows have one like them in another part."""
    held = np.zeros((alike.max() + 1, part.max() + 1), dtype=np.bool_)
    held[alike, part] = True
    return (held.sum(axis=1) > 1)[alike]
