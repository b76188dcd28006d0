"""Folds: training and test rows by class, group or time, seeded and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.pipeline import Pipeline

from thresher._internal.arguments import require_one_of, require_seed
from thresher.errors import ArgumentError, LengthError, OneClassError
from thresher.inputs.columns import Column, column, complete
from thresher.ranking import Flags, Indices, falling_order


def rows_of(table: Any, index: Indices) -> Any:
    """The rows of an array, a sparse matrix, a frame or a list at these places, in this order.

    >>> rows_of(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    >>> rows_of(np.eye(3), np.array([1]))
    array([[0., 1., 0.]])
    """
    if hasattr(table, "iloc"):
        return table.iloc[index]
    if isinstance(table, list | tuple):
        return [table[place] for place in index.tolist()]
    if hasattr(table, "tocsr") and not hasattr(table, "indptr"):
        table = table.tocsr()  # sparse in coordinates: rows cannot be picked there
    return table[index]


def row_count(table: Any) -> int:
    """How many rows a table has.

    >>> row_count(np.eye(3)), row_count(["a", "b"])
    (3, 2)
    """
    return int(table.shape[0]) if hasattr(table, "shape") else len(table)


def parameters_of(parameters: Mapping[str, Any], index: Indices, rows: int) -> dict[str, Any]:
    """Parameters of a fit for some rows: what has one entry per row is cut down to them, the rest is kept.

    >>> parameters_of({"sample_weight": [1, 2, 3], "verbose": 0}, np.array([2]), 3)
    {'sample_weight': [3], 'verbose': 0}
    """
    return {name: rows_of(value, index) if _per_row(value, rows) else value for name, value in parameters.items()}


def _per_row(value: Any, rows: int) -> bool:
    if isinstance(value, str | bytes | Mapping) or not (hasattr(value, "__len__") or hasattr(value, "shape")):
        return False
    return bool(np.ndim(value) or hasattr(value, "shape")) and row_count(value) == rows


_NAMES = ("groups", "times")


def beside_rows(groups: Any, times: Any, *, rows: int) -> dict[str, Column]:
    """Groups and times by name, those that are given, with an entry for each row.

    >>> list(beside_rows(None, [3, 1, 2], rows=3))
    ['times']
    """
    found = {}
    for name, given in zip(_NAMES, (groups, times), strict=True):
        if given is None:
            continue
        values = column(given, name=name)
        if values.size != rows:
            raise LengthError(f"there are {values.size:,} {name} for {rows:,} rows", "give one per row")
        complete({name: values}, missing="raise", droppable=False)
        found[name] = values
    return found


def handed_on(estimator: Any, beside: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of `estimator.fit` by which groups and times reach a wrapper that deals folds itself.

    Wrappers are found as they are and at the end of pipelines; other models take nothing.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.preprocessing import StandardScaler
    >>> from thresher.learning import CalibratedModel
    >>> steps = Pipeline([("scale", StandardScaler()), ("model", CalibratedModel(GaussianNB()))])
    >>> list(handed_on(steps, {"groups": [1, 1, 2]})), handed_on(GaussianNB(), {"groups": [1, 1, 2]})
    (['model__groups'], {})
    """
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return {f"{name}__{key}": value for key, value in handed_on(last, beside).items()}
    if isinstance(estimator, FrozenEstimator) or not getattr(estimator, "deals_folds", False):
        return {}
    return dict(beside)


Kind: TypeAlias = Literal["stratified", "plain", "grouped", "stratified grouped", "leave-one-out", "time"]
KINDS = ("stratified", "plain", "grouped", "stratified grouped", "leave-one-out", "time")


@dataclass(frozen=True, slots=True, eq=False)
class FoldSplit:
    """Training and test rows of one fold; `repeat` counts the dealings of all rows."""

    repeat: int
    train: Indices
    test: Indices


@dataclass(frozen=True, slots=True)
class Folds:
    """A way to deal rows into folds.

    "stratified" keeps the class mix in every fold, "grouped" keeps rows of a group together, "stratified grouped"
    does both as well as it can, "plain" deals at random, "leave-one-out" tests each row by itself, and
    "time" tests each of `count` later blocks on what came before it; rows of the same time stay together.
    `repeats` deals anew with another seed.

    >>> flags = np.array([True, False] * 10)
    >>> [split.test.size for split in Folds(4).splits(flags, seed=0)]
    [5, 5, 5, 5]
    """

    count: int = 5
    kind: Kind = "stratified"
    repeats: int = 1

    def __post_init__(self) -> None:
        require_one_of(self.kind, KINDS, name="kind")
        for name, least in (("count", 1 if self.kind == "time" else 2), ("repeats", 1)):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or value < least:
                raise ArgumentError(f"{name} must be {least} or more, got {value!r}", f"e.g. {name}=5")
        if self.repeats > 1 and self.kind in ("leave-one-out", "time"):
            raise ArgumentError(f"{self.kind} folds are the same every time", "leave out repeats")

    def splits(self, flags: Flags, *, groups: Any = None, times: Any = None, seed: int = 0) -> tuple[FoldSplit, ...]:
        """The splits of rows whose positives are flagged."""
        require_seed(seed)
        self._require_enough(flags)
        if self.kind == "time":
            pairs: Iterable[tuple[Indices, Indices]] = _by_time(_needed(times, "times", flags.size), self.count)
            return tuple(FoldSplit(0, train, test) for train, test in pairs)
        grouped = _needed(groups, "groups", flags.size) if "grouped" in self.kind else None
        if grouped is not None and len(set(grouped.tolist())) < self.count:
            raise ArgumentError(
                f"{self.count} folds need {self.count} groups, and there are {len(set(grouped.tolist()))}",
                "take fewer folds",
            )
        found: list[FoldSplit] = []
        for repeat in range(self.repeats):
            rng = np.random.default_rng([seed, repeat])
            state = int(rng.integers(2**31))
            rows = np.zeros((flags.size, 1))
            found += [FoldSplit(repeat, *pair) for pair in self._splitter(state).split(rows, flags, grouped)]
        return tuple(found)

    def _splitter(self, state: int) -> Any:
        if self.kind == "leave-one-out":
            return LeaveOneOut()
        dealt = {
            "stratified": StratifiedKFold,
            "plain": KFold,
            "grouped": GroupKFold,
            "stratified grouped": StratifiedGroupKFold,
        }[self.kind]
        return dealt(self.count, shuffle=True, random_state=state)

    def _require_enough(self, flags: Flags) -> None:
        if self.kind != "leave-one-out" and flags.size < self.count + (self.kind == "time"):
            raise ArgumentError(
                f"{self.count} folds need at least as many rows, and there are {flags.size}", "take fewer folds"
            )
        rarer = int(min(flags.sum(), (~flags).sum()))
        if self.kind == "stratified" and rarer < self.count:
            raise ArgumentError(
                f"{self.count} stratified folds need {self.count} rows of each class, and the rarer one has {rarer}",
                fix=f"take {rarer} folds or fewer" if rarer > 1 else "give more rows of the rarer class",
            )


Folding: TypeAlias = "int | Folds | Any"


def splits_of(
    folds: Folding, flags: Flags, *, groups: Any = None, times: Any = None, seed: int = 0
) -> tuple[FoldSplit, ...]:
    """Splits from a number of folds, `Folds`, a scikit-learn splitter or pairs of row numbers, checked.

    A number means stratified folds, grouped ones where groups are given, and folds in time where times are.

    >>> flags = np.array([True, False] * 10)
    >>> [split.test.size for split in splits_of(2, flags)]
    [10, 10]
    """
    if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
        kind: Kind = "time" if times is not None else "stratified grouped" if groups is not None else "stratified"
        folds = Folds(int(folds), kind)
    if isinstance(folds, Folds):
        splits = folds.splits(flags, groups=groups, times=times, seed=seed)
    elif hasattr(folds, "split") and not isinstance(folds, str | bytes):
        pairs = row_pairs(folds.split(np.zeros((flags.size, 1)), flags, groups), flags.size)
        splits = tuple(FoldSplit(0, train, test) for train, test in pairs)
    elif isinstance(folds, Iterable) and not isinstance(folds, str | bytes | Mapping):
        splits = tuple(FoldSplit(0, train, test) for train, test in row_pairs(folds, flags.size))
    else:
        raise ArgumentError(f"folds is {folds!r}", "give a number, Folds(...), a splitter or pairs of rows")
    if not splits:
        raise ArgumentError("there are no folds", "give two folds or more")
    for number, split in enumerate(splits):
        _require_teachable(split, number, flags)
    return splits


def row_pairs(pairs: Iterable[Any], rows: int) -> list[tuple[Indices, Indices]]:
    """Pairs of training and test rows, each a row of numbers or of flags.

    >>> row_pairs([([0, 1], [2])], 3)
    [(array([0, 1]), array([2]))]
    """
    found = []
    for number, pair in enumerate(pairs):
        try:
            train, test = (np.asarray(side) for side in pair)
        except (TypeError, ValueError):
            raise ArgumentError(
                f"fold {number} is {pair!r}, and no pair of training and test rows", "e.g. ([0, 1, 2], [3, 4])"
            ) from None
        sides = [np.flatnonzero(side) if side.dtype == np.bool_ else side for side in (train, test)]
        if not all(side.ndim == 1 and (side.dtype.kind in "iu" or not side.size) for side in sides):
            raise ArgumentError(f"fold {number} does not number rows", "give row numbers from 0")
        if any(side.size and not (side.min() >= 0 and side.max() < rows) for side in sides):
            raise ArgumentError(f"fold {number} names rows beyond the {rows:,} there are", "count from 0")
        found.append((sides[0].astype(np.intp), sides[1].astype(np.intp)))
    return found


def inner_splits(count: int, flags: Flags, beside: Mapping[str, Any]) -> Sequence[tuple[Indices, Indices]]:
    """Folds of rows that have groups or times: groups stay together, and what is tested is later than what is learnt.

    Of folds in time, those whose earlier rows hold one class teach nothing and are left out.

    >>> flags = np.array([False, False, False, True, False, True, False, True])
    >>> for train, test in inner_splits(3, flags, {"times": np.arange(8)}):
    ...     print(train, test)
    [0 1 2 3] [4 5]
    [0 1 2 3 4 5] [6 7]
    """
    if "times" in beside:
        dealt = Folds(count, "time").splits(flags, times=beside["times"])
        splits = [split for split in dealt if 0 < flags[split.train].sum() < split.train.size]
        if not splits:
            raise OneClassError(
                f"the earlier rows hold one class only, in each of {count} folds in time",
                fix="give rows in which both classes come early, or a cv= of your own",
            )
    else:
        splits = list(Folds(count, "stratified grouped").splits(flags, groups=beside["groups"]))
    return [(split.train, split.test) for split in splits]


def _require_teachable(split: FoldSplit, number: int, flags: Flags) -> None:
    if not split.test.size:
        raise ArgumentError(f"fold {number} has no test rows", "take fewer folds")
    if not 0 < flags[split.train].sum() < split.train.size:
        raise OneClassError(
            f"the {split.train.size:,} training rows of fold {number} hold one class only",
            fix="take fewer or stratified folds, or more rows of the rarer class",
        )


def _needed(values: Any, name: str, rows: int) -> Any:
    if values is None:
        raise ArgumentError(f"these folds need {name}", f"pass {name}=, one entry per row")
    return beside_rows(**{"groups": None, "times": None, name: values}, rows=rows)[name]


def _by_time(times: Any, count: int) -> list[tuple[Indices, Indices]]:
    """Blocks of rows in order of time; each but the first is tested on all rows before it."""
    late_first, ends = falling_order(times)
    order = late_first[::-1]
    starts = times.size - ends[::-1][1:]  # where each later time begins
    cuts = [0]
    for block in range(1, count + 1):
        after = starts[(starts > cuts[-1]) & (starts >= times.size * block / (count + 1))]
        if not after.size:
            raise ArgumentError(
                f"{count} folds in time need more than the {ends.size} distinct times there are",
                "take fewer folds, or finer times",
            )
        cuts.append(int(after[0]))
    return [(order[:start], order[start:end]) for start, end in zip(cuts[1:], [*cuts[2:], times.size], strict=True)]
