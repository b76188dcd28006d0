"""Noise added on purpose: labels flipped and rows disturbed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher._internal.arguments import require_between, require_names, require_number, require_seed
from thresher._internal.results import Result, Tabular
from thresher.errors import ArgumentError, ColumnError, OneClassError
from thresher.inputs.arrow import Column, objects
from thresher.inputs.columns import column, complete
from thresher.inputs.labels import classes_of
from thresher.learning.data.frame import LARGEST, column_of, frame
from thresher.ranking import Flags


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NoisyLabels(Tabular):
    """Labels of which some are wrong, which ones, and how many by their true class."""

    labels: Column
    flipped: Flags
    counts: Mapping[Any, int]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NoisyRows(Result):
    """A table of which some rows are disturbed, and which ones."""

    data: Any
    disturbed: Flags


def label_noise(labels: Any, rate: float | Mapping[Any, float], *, seed: int = 0) -> NoisyLabels:
    """Give a share of the rows a wrong label, each other class as likely.

    One rate flips exactly that share of all rows; a mapping flips exactly that share of each class it names, as when
    fraud is overlooked more often than invented. Halves are rounded up.

    >>> noisy = label_noise([0] * 8 + [1] * 4, {0: 0.25, 1: 0.5}, seed=1)
    >>> noisy.counts, int(noisy.flipped.sum())
    ({0: 2, 1: 2}, 4)
    """
    (y,), _ = complete({"labels": column(labels, name="labels")}, missing="raise")
    classes, codes = classes_of(y, classes=None)
    if len(classes) < 2:
        raise OneClassError(f"there is one class only, {classes[0]!r}, so no label is wrong", "give both classes")
    rng = np.random.default_rng(require_seed(seed))
    flipped = np.zeros(codes.size, dtype=np.bool_)
    for rows, share in _strata(rate, classes, codes):
        flipped[rng.choice(rows, size=_count(share, rows.size), replace=False)] = True
    step = rng.integers(1, len(classes), size=codes.size)
    wrong = np.where(flipped, (codes + step) % len(classes), codes)
    counts = np.bincount(codes[flipped], minlength=len(classes)).tolist()
    names = objects(list(classes)).astype(y.dtype)  # classes may be tuples
    return NoisyLabels(names[wrong], flipped, dict(zip(classes, counts, strict=True)))


def instance_noise(
    data: Any, rate: float, *, scale: float = 1.0, columns: Sequence[str] | None = None, seed: int = 0
) -> NoisyRows:
    """Disturb exactly this share of the rows, in the named columns or all.

    Numbers get normal noise of `scale` standard deviations of their column; other values are replaced by those of
    rows drawn at random. Missing values stay missing.

    >>> noisy = instance_noise({"age": [31.0, 25.0, 40.0, 38.0]}, 0.5, seed=3)
    >>> int(noisy.disturbed.sum())
    2
    """
    import pandas as pd

    table = frame(data).copy()
    width = require_between(scale, 0, np.inf, name="scale", fix="give it in standard deviations, e.g. 1")
    rng = np.random.default_rng(require_seed(seed))
    disturbed = np.zeros(len(table), dtype=np.bool_)
    disturbed[rng.choice(len(table), size=_count(rate, len(table)), replace=False)] = True
    for name in table.columns if columns is None else require_names(columns, name="columns"):
        values = column_of(table, name)
        if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
            numbers = values.astype(np.float64)
            if (numbers.abs() > LARGEST).any():
                raise ColumnError(f"column {name!r} holds numbers whose squares overflow", "divide the column")
            noise = rng.normal(scale=width * float(numbers.std(ddof=0) or 0.0), size=len(table))
            table[name] = numbers + np.where(disturbed, noise, 0.0)
        else:
            present = values.dropna()
            if not len(present):
                raise ColumnError(f"column {name!r} has no values to draw from", "leave it out of columns=")
            drawn = present.iloc[rng.integers(0, len(present), size=len(table))].set_axis(values.index)
            table[name] = values.where(~(disturbed & values.notna()), drawn)
    return NoisyRows(table, disturbed)


def _strata(rate: Any, classes: Sequence[Any], codes: Any) -> list[tuple[Any, float]]:
    if not isinstance(rate, Mapping):
        return [(np.arange(codes.size), rate)]
    if unknown := [name for name in rate if name not in classes]:
        what = f"a rate is given for {unknown[0]!r}, which is no class"
        raise ArgumentError(what, f"the classes are {list(classes)!r}")
    return [(np.flatnonzero(codes == classes.index(name)), share) for name, share in rate.items()]


def _count(rate: float, rows: int) -> int:
    fix = "e.g. 0.1 for a tenth of the rows"
    if not 0 <= require_number(rate, name="a rate of noise", fix=fix) <= 1:
        raise ArgumentError(f"a rate of noise lies from 0 to 1, got {rate}", fix)
    return math.floor(round(rate * rows, 9) + 0.5)
