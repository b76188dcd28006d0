"""Columns of rows: anything array-like as NumPy arrays of one length, with missing values found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError, EmptyError, LengthError, MissingValueError
from thresher.ranking import Flags

Missing: TypeAlias = Literal["raise", "drop"]
Column: TypeAlias = npt.NDArray[Any]


def column(values: Any, *, name: str, where: str) -> Column:
    """One column of rows as a one-dimensional array, its dtype left alone.

    >>> column([1, 2], name="scores", where="here")
    array([1, 2])
    """
    array = _as_array(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise LengthError(
            f"{name} has shape {array.shape}, and a column has one dimension",
            where=where,
            fix=f"pass one number per row, e.g. {name}[:, 1] of a two-column probability matrix",
        )
    return array


def complete(columns: Mapping[str, Column], *, missing: Missing, where: str) -> tuple[list[Column], int]:
    """Check that columns belong together and miss nothing; with `missing="drop"`, leave out rows that do.

    Returns the columns and how many rows were dropped.

    >>> complete({"labels": np.array([1, 0]), "scores": np.array([0.5, np.nan])}, missing="drop", where="here")
    ([array([1]), array([0.5])], 1)
    """
    if missing not in ("raise", "drop"):
        raise ArgumentError(
            f'missing must be "raise" or "drop", got {missing!r}', where, 'pass missing="drop" to leave such rows out'
        )
    sizes = {name: array.size for name, array in columns.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise LengthError(f"columns differ in length: {told}", where, "give one entry per row in each of them")
    rows = next(iter(sizes.values()))
    if rows == 0:
        raise EmptyError("there are no rows", where, "give at least one labelled score")
    absent = {name: flags for name, array in columns.items() if (flags := is_missing(array)) is not None}
    if not absent:
        return list(columns.values()), 0
    if missing == "raise":
        raise _missing_values(absent, rows, where)
    keep = ~np.logical_or.reduce(list(absent.values()))
    if not keep.any():
        raise EmptyError(
            f"none of {rows:,} rows is left after dropping those with missing values", where, "check the columns"
        )
    return [array[keep] for array in columns.values()], rows - int(keep.sum())


def is_missing(array: Column) -> Flags | None:
    """Which entries are NaN, None, NaT or NA; None when all are there."""
    if array.dtype.kind in "fc":
        flags = np.isnan(array)
    elif array.dtype.kind in "mM":
        flags = np.isnat(array)
    elif array.dtype.kind == "O":
        flags = np.fromiter((_is_absent(value) for value in array), dtype=np.bool_, count=array.size)
    else:
        return None
    return flags if flags.any() else None


def _as_array(values: Any) -> Column:
    if isinstance(values, np.ma.MaskedArray):
        return _objects(values.tolist()) if np.ma.is_masked(values) else values.data
    array = np.asarray(values)
    # A list that mixes texts and numbers would become texts ("1", "spam"); keep each as it is.
    if array.dtype.kind in "US" and isinstance(values, list | tuple) and not all(isinstance(v, str) for v in values):
        return _objects(values)
    return array


def _objects(values: list[Any] | tuple[Any, ...]) -> Column:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _is_absent(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and value != value  # noqa: PLR0124 - NaN differs from itself


def _missing_values(absent: Mapping[str, Flags], rows: int, where: str) -> MissingValueError:
    told = [
        f"{int(flags.sum()):,} of {rows:,} {name} are missing or NaN (first at rows "
        + ", ".join(str(row) for row in np.flatnonzero(flags)[:5])
        + ")"
        for name, flags in absent.items()
    ]
    return MissingValueError(
        "; ".join(told) + ", and a row without them has no place in a ranking",
        where=where,
        fix='fill them, or pass missing="drop" to leave those rows out and see them counted',
    )
