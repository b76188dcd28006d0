"""Folds: training and test rows by class, group or time, seeded and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from thresher._internal.arguments import require_integer, require_seed, short_repr
from thresher.errors import ArgumentError, LengthError, OneClassError
from thresher.inputs.arrow import Column
from thresher.inputs.columns import column, complete
from thresher.inputs.labels import classes_of
from thresher.ranking import Indices, falling_order

Kind: TypeAlias = Literal["stratified", "plain", "grouped", "stratified grouped", "leave-one-out", "time"]
Folding: TypeAlias = "int | Folds | Any"

_SPLITTERS = {
    "stratified": StratifiedKFold,
    "plain": KFold,
    "grouped": GroupKFold,
    "stratified grouped": StratifiedGroupKFold,
}
_MOST_FOLDS = 1_000_000  # or repeats


@dataclass(frozen=True, slots=True, eq=False)
class FoldSplit:
    """Training and test rows of one fold; `repeat` numbers the partitions of all rows."""

    repeat: int
    train: Indices
    test: Indices


@dataclass(frozen=True, slots=True)
class Folds:
    """A way to partition rows into folds.

    "stratified" preserves the class mix in every fold, "grouped" holds rows of a group together, "stratified grouped"
    does both as well as it can, "plain" is random, "leave-one-out" tests each row by itself, and "time" tests each of
    `count` later blocks on what came before it; rows of the same time stay together. `repeats` partitions again with
    another seed.

    >>> flags = np.array([True, False] * 10)
    >>> [split.test.size for split in Folds(4).splits(flags, seed=0)]
    [5, 5, 5, 5]
    """

    count: int = 5
    kind: Kind = "stratified"
    repeats: int = 1

    def __post_init__(self) -> None:
        kinds = get_args(Kind)
        if self.kind not in kinds:
            raise ArgumentError(f"kind must be one of {', '.join(kinds)}, got {self.kind!r}", "pick one")
        for name, least in (("count", 1 if self.kind == "time" else 2), ("repeats", 1)):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or value < least:
                raise ArgumentError(f"{name} must be {least} or more, got {short_repr(value)}", f"e.g. {name}=5")
            require_integer(value, name=name, least=least, most=_MOST_FOLDS, fix=f"e.g. {name}=5")
        if self.repeats > 1 and self.kind in ("leave-one-out", "time"):
            raise ArgumentError(f"{self.kind} folds are the same every time", "leave out repeats")

    def splits(self, labels: Column, *, groups: Any = None, times: Any = None, seed: int = 0) -> tuple[FoldSplit, ...]:
        """The splits of rows with these labels, of two classes or more."""
        require_seed(seed)
        self.require_enough(labels)
        if self.kind == "time":
            return tuple(FoldSplit(0, *pair) for pair in _by_time(_needed(times, "times", labels.size), self.count))
        grouped = _needed(groups, "groups", labels.size) if "grouped" in self.kind else None
        if grouped is not None and (distinct := len(set(grouped.tolist()))) < self.count:
            what = f"{self.count} folds need {self.count} groups, and there are {distinct}"
            raise ArgumentError(what, "take fewer folds")
        rows, splits = np.zeros((labels.size, 1)), []
        for repeat in range(self.repeats):
            state = int(np.random.default_rng([seed, repeat]).integers(2**31))
            make = _SPLITTERS.get(self.kind)
            splitter = LeaveOneOut() if make is None else make(self.count, shuffle=True, random_state=state)
            splits += [FoldSplit(repeat, *pair) for pair in splitter.split(rows, labels, grouped)]
        return tuple(splits)

    def require_enough(self, labels: Column) -> None:
        """Refuse fewer rows, or rows of a class, than these folds need."""
        if self.kind != "leave-one-out" and labels.size < self.count + (self.kind == "time"):
            what = f"{self.count} folds need at least as many rows, and there are {labels.size}"
            raise ArgumentError(what, "take fewer folds")
        classes, codes = classes_of(labels, classes=None)
        cases = np.bincount(codes)
        rarest = int(cases.argmin())
        fewest = int(cases[rarest])
        if self.kind == "stratified" and fewest < self.count:
            what = f"{self.count} stratified folds need {self.count} rows of each class, and {classes[rarest]!r} has "
            fix = f"take {fewest} folds or fewer" if fewest > 1 else "give more rows of that class"
            raise ArgumentError(f"{what}{fewest}", f"{fix}, or join it with another class")


def splits_of(
    folds: Folding, labels: Column, *, groups: Any = None, times: Any = None, seed: int = 0
) -> tuple[FoldSplit, ...]:
    """Splits from a number of folds, `Folds`, a splitter or pairs of row numbers.

    A number means stratified folds, grouped ones where groups are given, and folds in time where times are.
    """
    if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
        kind: Kind = "time" if times is not None else "stratified grouped" if groups is not None else "stratified"
        require_integer(folds, name="folds", least=1 if kind == "time" else 2, fix="give e.g. folds=5")
        folds = Folds(int(folds), kind)
    if isinstance(folds, Folds):
        splits = folds.splits(labels, groups=groups, times=times, seed=seed)
    else:
        if hasattr(folds, "split") and not isinstance(folds, str | bytes):
            folds = folds.split(np.zeros((labels.size, 1)), labels, groups)
        elif not isinstance(folds, Iterable) or isinstance(folds, str | bytes | Mapping):
            raise ArgumentError(f"folds is {folds!r}", "give a number, Folds(...), a splitter or pairs of rows")
        splits = fold_splits(folds, labels.size)
    require_teachable(splits, labels)
    return splits


def fold_splits(pairs: Iterable[Any], rows: int) -> tuple[FoldSplit, ...]:
    """Splits from pairs of training and test rows, as row numbers or flags."""
    splits = []
    for number, pair in enumerate(pairs):
        try:
            train, test = (np.asarray(side) for side in pair)
        except (TypeError, ValueError):
            what = f"fold {number} is {pair!r}, and no pair of training and test rows"
            raise ArgumentError(what, "e.g. ([0, 1, 2], [3, 4])") from None
        sides = [np.flatnonzero(side) if side.dtype == np.bool_ else side for side in (train, test)]
        if not all(side.ndim == 1 and (side.dtype.kind in "iu" or not side.size) for side in sides):
            raise ArgumentError(f"fold {number} does not number rows", "give row numbers from 0")
        if any(side.size and not (side.min() >= 0 and side.max() < rows) for side in sides):
            raise ArgumentError(f"fold {number} names rows beyond the {rows:,} there are", "count from 0")
        splits.append(FoldSplit(0, *(side.astype(np.intp) for side in sides)))
    return tuple(splits)


def inner_splits(count: int, labels: Column, row_data: Mapping[str, Any]) -> list[FoldSplit]:
    """Folds within training rows that have groups or times.

    Of folds in time, those whose earlier rows lack a class are left out: nothing can be learnt about it there.
    """
    if "times" not in row_data:
        return list(Folds(count, "stratified grouped").splits(labels, groups=row_data["groups"]))
    in_time = Folds(count, "time").splits(labels, times=row_data["times"])
    lacking = _lacking(in_time, labels)
    splits = [split for split, absent in zip(in_time, lacking, strict=True) if absent is None]
    if not splits:
        what = f"the earlier rows lack class {lacking[-1]!r}, in each of {count} folds in time"
        raise OneClassError(what, "give rows in which every class comes early, or a cv= of your own")
    return splits


def require_teachable(splits: Sequence[FoldSplit], labels: Column) -> None:
    """Refuse no folds, folds without test rows, and training rows that lack a class."""
    if not splits:
        raise ArgumentError("there are no folds", "give two folds or more")
    for number, (split, absent) in enumerate(zip(splits, _lacking(splits, labels), strict=True)):
        if not split.test.size:
            raise ArgumentError(f"fold {number} has no test rows", "take fewer folds")
        if absent is not None:
            what = f"the {split.train.size:,} training rows of fold {number} lack class {absent!r}"
            raise OneClassError(what, "take fewer or stratified folds, or more rows of that class")


def mean_test_share(splits: Sequence[FoldSplit]) -> float:
    """The mean share of a fold's rows that it is tested on, as `corrected_t` needs it."""
    return float(np.mean([split.test.size / (split.test.size + split.train.size) for split in splits]))


def groups_and_times(groups: Any, times: Any, *, rows: int) -> dict[str, Column]:
    """Check `groups` and `times`, one entry per row; those that are None are left out."""
    both = {"groups": groups, "times": times}
    columns = {name: column(entries, name=name) for name, entries in both.items() if entries is not None}
    for name, values in columns.items():
        if values.size != rows:
            raise LengthError(f"there are {values.size:,} {name} for {rows:,} rows", "give one per row")
    if columns:
        complete(columns, missing="raise", droppable=False)
    return columns


def route(row_data: Mapping[str, Any], estimator: Any) -> dict[str, Any]:
    """Parameters of `fit` by which groups and times reach a wrapper that makes folds.

    Wrappers take them directly or at the end of pipelines; other models take nothing.
    """
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return {f"{name}__{key}": value for key, value in route(row_data, last).items()}
    makes_folds = getattr(estimator, "makes_folds", False) and not isinstance(estimator, FrozenEstimator)
    return dict(row_data) if makes_folds else {}


def rows_of(table: Any, index: Indices) -> Any:
    """The rows of an array, a sparse matrix, a frame or a list at these places."""
    if hasattr(table, "iloc"):
        return table.iloc[index]
    if isinstance(table, list | tuple):
        return [table[place] for place in index.tolist()]
    if hasattr(table, "tocsr") and not hasattr(table, "indptr"):
        table = table.tocsr()  # sparse in coordinates: rows cannot be picked there
    return table[index]


def row_count(table: Any) -> int:
    """How many rows a table has."""
    return int(table.shape[0]) if hasattr(table, "shape") else len(table)


def parameters_of(parameters: Mapping[str, Any], index: Indices, rows: int) -> dict[str, Any]:
    """Parameters of a fit for some rows: those with one entry per row are cut to them."""

    def per_row(value: Any) -> bool:
        if isinstance(value, str | bytes | Mapping) or not (hasattr(value, "__len__") or hasattr(value, "shape")):
            return False
        return bool(np.ndim(value) or hasattr(value, "shape")) and row_count(value) == rows

    return {name: rows_of(value, index) if per_row(value) else value for name, value in parameters.items()}


def _lacking(splits: Sequence[FoldSplit], labels: Column) -> list[Any]:
    """The first class that each split's training rows lack, None if none."""
    classes, codes = classes_of(labels, classes=None)
    cases = [np.bincount(codes[split.train], minlength=len(classes)) for split in splits]
    return [None if each.all() else classes[int(each.argmin())] for each in cases]


def _needed(values: Any, name: str, rows: int) -> Any:
    if values is None:
        raise ArgumentError(f"these folds need {name}", f"pass {name}=, one entry per row")
    return groups_and_times(**{"groups": None, "times": None, name: values}, rows=rows)[name]


def _by_time(times: Any, count: int) -> list[tuple[Indices, Indices]]:
    """Blocks of rows by time; each but the first is tested on what came before."""
    late_first, ends = falling_order(times)
    order = late_first[::-1]
    starts = times.size - ends[::-1][1:]  # where each later time begins
    cuts = [0]
    for block in range(1, count + 1):
        after = starts[(starts > cuts[-1]) & (starts >= times.size * block / (count + 1))]
        if not after.size:
            what = f"{count} folds in time need more than the {ends.size} distinct times there are"
            raise ArgumentError(what, "take fewer folds, or finer times")
        cuts.append(int(after[0]))
    return [(order[:start], order[start:end]) for start, end in zip(cuts[1:], [*cuts[2:], times.size], strict=True)]
