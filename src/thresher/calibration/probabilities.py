"""Scores as probabilities: numbers in [0, 1] are taken as they are, everything else is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import LengthError, MissingValueError, ProbabilityError
from thresher.ranking import Flags, Floats, rankable

VALUES_SHOWN = 5
SUM_TOLERANCE = 1e-6

_FIX = "give probabilities, or map the scores to probabilities first with calibration_map(ranking)"


def numbers(values: npt.ArrayLike, *, name: str) -> Floats:
    """Numbers of any shape as float64, none of them NaN.

    >>> numbers([1, 2], name="scores")
    array([1., 2.])
    """
    array: Floats = rankable(plain_array(values, name=name)).astype(np.float64)
    if np.isnan(array).any():
        missing = np.isnan(array)
        raise MissingValueError(
            f"{int(missing.sum()):,} of {array.size:,} {name} are NaN (first at rows {_rows(missing)})",
            fix="fill them or leave those rows out",
        )
    return array


def plain_array(values: Any, *, name: str) -> npt.NDArray[Any]:
    """An array of any shape; masked entries become NaN, so that they are found missing.

    >>> plain_array(np.ma.masked_equal([1, 2], 2), name="scores")
    array([ 1., nan])
    """
    if np.ma.is_masked(values):
        filled: Floats = values.astype(np.float64).filled(np.nan)
        return filled
    try:
        return np.asarray(values)
    except ValueError:  # NumPy will not make an array of lists of different lengths
        raise LengthError(f"{name} hold rows of different lengths", "give an array or equal rows") from None


def probabilities_in(values: npt.ArrayLike) -> Floats:
    """Probabilities of any shape as float64.

    >>> probabilities_in([0.5, 1])
    array([0.5, 1. ])
    """
    array = numbers(values, name="probabilities")
    outside = _outside(array)
    if outside.any():
        raise ProbabilityError(
            f"{int(outside.sum()):,} of {array.size:,} numbers are no probabilities, they lie outside [0, 1]"
            f" (first {_listed(array[outside])} at rows {_rows(outside)})",
            fix=_FIX,
        )
    return array


def require_sums(matrix: Floats) -> None:
    """Raise `ProbabilityError` unless every row sums to 1 within 1e-6.

    >>> require_sums(np.array([[0.7, 0.1, 0.2]]))
    """
    total = matrix.sum(axis=1)
    off = np.flatnonzero(np.abs(total - 1) > SUM_TOLERANCE)
    if off.size:
        raise ProbabilityError(
            f"{off.size:,} of {len(matrix):,} rows do not sum to 1"
            f" (first sums {_listed(total[off])} at rows {_listed(off)})",
            fix="give one row per case and one column per class, each row summing to 1",
        )


def _outside(values: Floats) -> Flags:
    return (values < 0) | (values > 1)


def _rows(flags: Flags) -> str:
    """The first rows of an array of any shape that hold a flagged entry."""
    if flags.ndim == 0:
        return "0"
    return _listed(np.flatnonzero(flags.reshape(len(flags), -1).any(axis=1)))


def _listed(values: npt.NDArray[Any]) -> str:
    shown = ", ".join(f"{value:g}" for value in values[:VALUES_SHOWN].tolist())
    return shown + (", …" if values.size > VALUES_SHOWN else "")
