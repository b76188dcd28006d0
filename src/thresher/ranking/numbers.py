"""Numbers as they are given: what is none becomes NaN, which no limit admits."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.ranking.pieces import Floats


def as_number(given: Any) -> float:
    """One number as a float; NaN where it is none, so that `low <= as_number(given) <= high` refuses it.

    >>> as_number(np.float32(0.5)), as_number("0.5"), as_number([1, 2])
    (0.5, nan, nan)
    """
    numbers = as_numbers(given)
    return float(numbers) if numbers.ndim == 0 else float("nan")


def as_numbers(given: Any) -> Floats:
    """Numbers of any shape as float64, NaN in place of texts and other things.

    >>> as_numbers([1, 2]), as_numbers(["1", "2"]), as_numbers([[1, 2], [3]])
    (array([1., 2.]), array([nan, nan]), array(nan))
    """
    try:
        array = np.asarray(given)
        if array.dtype.kind == "O":  # a text among them would be read, and a complex number lose a part
            array = np.array([_plain(value) for value in array.ravel().tolist()]).reshape(array.shape)
        return array.astype(np.float64) if array.dtype.kind in "biuf" else np.full(array.shape, np.nan)
    except (TypeError, ValueError, OverflowError):  # rows of different lengths, or an integer beyond all floats
        return np.array(np.nan)


def _plain(value: Any) -> float:
    return float("nan") if isinstance(value, str | bytes | complex) or value is None else float(value)
