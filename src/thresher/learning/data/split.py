"""Training, validation and test rows: by class, group or time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher._internal.arguments import require_instance, require_seed, short_repr
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError, ColumnError, EmptyError, MissingValueError
from thresher.evaluation.summary import text_table
from thresher.inputs.arrow import Column
from thresher.inputs.columns import column, is_missing
from thresher.inputs.labels import classes_of
from thresher.learning.validation.folds import groups_and_times
from thresher.ranking import Floats, Indices

_LARGEST = 1e300  # of a proportion, so that their sum is a float
_NAMES = {2: ("train", "test"), 3: ("train", "validation", "test")}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Split(Tabular):
    """Row numbers of each part, rising; every row is in exactly one part."""

    parts: Mapping[str, Indices]
    how: str
    classes: tuple[Any, ...]
    counts: Mapping[str, tuple[int, ...]]

    @property
    def sizes(self) -> dict[str, int]:
        """How many rows each part has."""
        return {name: rows.size for name, rows in self.parts.items()}

    def __getitem__(self, name: str) -> Indices:
        return self.parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def _brief(self) -> str:
        return f"{', '.join(f'{name} {size:,}' for name, size in self.sizes.items())}; {self.how}"

    def _columns(self) -> Mapping[str, Any]:
        names = np.array(list(self.parts), dtype=object)
        return {"part": np.repeat(names, list(self.sizes.values())), "row": np.concatenate(list(self.parts.values()))}

    def __str__(self) -> str:
        total = sum(self.sizes.values())
        head = ["part", "rows", "share", *map(str, self.classes)]
        lines = [
            [name, f"{size:,}", f"{size / total:.1%}", *(f"{count:,}" for count in self.counts[name])]
            for name, size in self.sizes.items()
        ]
        return f"{self.how}\n{text_table([head, *lines])}"


def split(
    labels: Any,
    parts: Sequence[float] | Mapping[str, float] = (70, 30),
    *,
    stratify: bool = True,
    groups: Any = None,
    times: Any = None,
    seed: int = 0,
) -> Split:
    """Partition rows in proportions such as (60, 20, 20) or {"fit": 3, "check": 1}.

    At random, each class by itself unless `stratify=False`, so that every part has the classes in the same mix. With
    `groups`, rows of a group stay together; with `times`, earlier parts hold earlier rows, rows of one moment stay
    together, and nothing is random.

    >>> print(split([0] * 60 + [1] * 40, (60, 20, 20)))
    at random by class, seed 0
    part        rows  share   0   1
    train         60  60.0%  36  24
    validation    20  20.0%  12   8
    test          20  20.0%  12   8
    """
    y = column(labels, name="labels")
    if not y.size:
        raise EmptyError("there are no rows to split", "give at least two")
    seed = require_seed(seed)
    names, share = _proportions(parts)
    if groups is not None and times is not None:
        raise ArgumentError("both groups and times are given", "give one of them")
    row_data = groups_and_times(groups, times, rows=y.size)
    if (absent := is_missing(y)) is not None:
        raise MissingValueError(f"{int(absent.sum()):,} of {y.size:,} labels are missing", "leave out those rows")
    classes, codes = classes_of(y, classes=None)
    strata = codes if stratify else np.zeros_like(codes)
    rng, how = np.random.default_rng(seed), f"at random{' by class' if stratify else ''}, seed {seed}"
    if times is not None:
        part, how = time_partition(row_data["times"], share), "by time, the earliest first"
    elif groups is not None:
        part, how = grouped_partition(row_data["groups"], strata, share, rng), f"whole groups {how}"
    else:
        part = stratified_partition(strata, share, rng)
    rows = {name: np.flatnonzero(part == i) for i, name in enumerate(names)}
    if empty := [name for name, own in rows.items() if not own.size]:
        what = f"no row is left for {empty[0]!r}: {y.size:,} rows in parts of {', '.join(f'{s:.3g}' for s in share)}"
        raise EmptyError(what, "give more rows, fewer parts, or smaller groups")
    counts = {name: tuple(np.bincount(codes[own], minlength=len(classes)).tolist()) for name, own in rows.items()}
    return Split(rows, how, tuple(classes), counts)


def largest_remainders(total: int, share: Floats) -> Indices:
    """Integer sizes that add up to `total`, by the method of largest remainders."""
    # A share such as 0.7 times 10 must not fall short of 7 by rounding.
    wished = np.round(total * share, 9)
    sizes = np.floor(wished).astype(np.int64)
    order = np.argsort(-(wished - sizes), kind="stable")
    sizes[order[: total - int(sizes.sum())]] += 1
    return sizes


def stratified_partition(codes: Indices, share: Floats, rng: np.random.Generator) -> Indices:
    """Part of each row, class by class; sizes are the shares to within 1.

    Many small classes could all round the same way, so left-over rows go to the parts that lack most.
    """
    part_of = np.empty(codes.size, dtype=np.int64)
    counts = np.bincount(codes)
    sizes = np.floor(np.round(counts[:, None] * share, 9)).astype(np.int64)
    lacking = largest_remainders(codes.size, share) - sizes.sum(axis=0)
    for code in np.argsort(-counts, kind="stable"):
        left = int(counts[code] - sizes[code].sum())
        # Of parts that lack rows, those whose share of this class was rounded down most come first.
        rest = counts[code] * share - sizes[code] + np.minimum(lacking, 1) * 2
        for part in np.argsort(-rest, kind="stable")[:left]:
            sizes[code, part] += 1
            lacking[part] -= 1
        rows = np.flatnonzero(codes == code)
        part_of[rng.permutation(rows)] = np.repeat(np.arange(share.size), sizes[code])
    return part_of


def grouped_partition(groups: Column, codes: Indices, share: Floats, rng: np.random.Generator) -> Indices:
    """Part of each row: large groups first, each to where its classes lack most."""
    place: dict[Any, int] = {}
    member = np.array([place.setdefault(group, len(place)) for group in groups.tolist()], dtype=np.int64)
    inside = np.zeros((member.max() + 1, codes.max() + 1))
    np.add.at(inside, (member, codes), 1)
    # Each class counts alike, so that a rare one is not drowned by the others.
    weight = inside / np.maximum(inside.sum(axis=0), 1)
    wanted = share[:, None] * np.ones(inside.shape[1])
    shuffled = rng.permutation(len(weight))
    order = shuffled[np.argsort(-inside.sum(axis=1)[shuffled], kind="stable")]
    part_of = np.empty(len(weight), dtype=np.int64)
    for group in order:
        # Squares, since a part that lacks much is a worse misfit than two that lack half as much.
        better = ((wanted**2) - (wanted - weight[group]) ** 2).sum(axis=1)
        part_of[group] = np.argmax(better)
        wanted[part_of[group]] -= weight[group]
    return part_of[member]


def time_partition(times: Column, share: Floats) -> Indices:
    """Part of each row, by time; rows of one moment stay together."""
    try:
        _, member = np.unique(times, return_inverse=True)
    except TypeError:
        raise ColumnError("the times are of different kinds and have no order", "give dates or numbers") from None
    until = np.cumsum(np.bincount(member))
    # A moment belongs to the part in which most of its rows would fall.
    middle = until - np.bincount(member) / 2
    part = np.searchsorted(np.cumsum(share)[:-1] * times.size, middle, side="left")
    return part[member]


def _proportions(parts: Any) -> tuple[tuple[str, ...], Floats]:
    fix = "e.g. (70, 30) or (60, 20, 20)"
    require_instance(parts, (Mapping, Sequence, np.ndarray), name="parts", fix=fix)
    values = list(parts.values() if isinstance(parts, Mapping) else parts)
    if len(values) < 2 or not all(
        isinstance(v, int | float | np.integer | np.floating) and 0 < v <= _LARGEST for v in values
    ):
        raise ArgumentError(f"parts must be two or more proportions above 0, got {short_repr(parts)}", fix)
    numbered = tuple(f"part {i}" for i in range(1, len(values) + 1))
    names = tuple(map(str, parts)) if isinstance(parts, Mapping) else _NAMES.get(len(values), numbered)
    return names, np.array(values, dtype=np.float64) / sum(values)
