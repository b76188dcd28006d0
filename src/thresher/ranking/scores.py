"""Numbers that can be ranked: compared exactly as given, or refused."""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import ScoreError

_EXACT_IN_FLOAT64 = 2**53


def rankable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give scores a dtype that sorts fast and turns into float64 without rounding.

    Float64, float32 and small integers stay as they are. Wider integers and long doubles are
    accepted when float64 holds every one of them, so that no two scores ever become one. Decimals of up to 15 digits
    become the nearest float64, which no other of them does.

    >>> rankable(np.array([3, 1, 2]))
    array([3., 1., 2.])
    >>> rankable(np.array([2**53, 2**53 + 1]))
    Traceback (most recent call last):
    thresher.errors.ScoreError: 1 of 2 scores do not fit a float64 exactly, first 9007199254740993
      where: rankable(values)
      fix:   subtract an offset so that they do, or round them yourself
    """
    if values.dtype in (np.float64, np.float32):
        return values.astype(values.dtype.newbyteorder("="), copy=False)
    if values.dtype.kind in "bf" and values.dtype.itemsize < 8:
        return values.astype(np.float32)
    if values.dtype.kind in "iuf":
        return _fitting(values)
    if values.dtype.kind == "O":
        return _fitting(_numbers(values))
    raise _no_number(values)


def _fitting(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    with np.errstate(over="ignore"):  # a long double beyond float64 becomes infinite, and is found to differ
        floats = values.astype(np.float64)
    if values.dtype.kind in "iu" and (np.abs(floats) <= _EXACT_IN_FLOAT64 - 1).all():
        return floats
    if values.dtype.kind == "O" or values.dtype.kind in "iu":
        # Python compares an int with a float exactly; only scores beyond 2**53 come this far.
        pairs = list(zip(values.ravel().tolist(), floats.ravel().tolist(), strict=True))
        exact = np.array([a == b for a, b in pairs], dtype=np.bool_)
        if not exact.all() and any(isinstance(a, Decimal) for a, _ in pairs):
            short = np.array([_is_short(a, b) for a, b in pairs], dtype=np.bool_)
            exact = short if (exact | short).all() else exact | short  # a short one may share its float with a long one
        exact = exact.reshape(values.shape) | np.isnan(floats)
    else:
        exact = (floats.astype(values.dtype) == values) | np.isnan(values)
    if not exact.all():
        raise _unfit(values, np.flatnonzero(~exact))
    return floats


def _is_short(value: Any, nearest: float) -> bool:
    """Whether a number has so few decimal digits that its nearest float64 is that of no other such number."""
    if not isinstance(value, Decimal | int | float):
        return False
    if not math.isfinite(nearest) or not nearest:
        return bool(value == nearest)
    digits = "".join(map(str, Decimal(value).as_tuple().digits)).strip("0")
    return len(digits) <= sys.float_info.dig and abs(nearest) >= sys.float_info.min


def _numbers(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    try:
        if any(isinstance(value, str | bytes | complex) for value in values.ravel().tolist()):
            raise TypeError  # float("0.5") would quietly read text, and a complex number lose a part
        values.astype(np.float64)
    except OverflowError:
        too_large = [abs(value) > sys.float_info.max for value in values.ravel().tolist()]
        raise _unfit(values, np.flatnonzero(too_large)) from None
    except (TypeError, ValueError):
        raise _no_number(values) from None
    return values


def _unfit(values: npt.NDArray[Any], bad: npt.NDArray[np.intp]) -> ScoreError:
    return ScoreError(
        f"{bad.size:,} of {values.size:,} scores do not fit a float64 exactly, first {str(values.flat[bad[0]])[:40]}",
        fix="subtract an offset so that they do, or round them yourself",
    )


def _no_number(values: npt.NDArray[Any]) -> ScoreError:
    entries = values.ravel().tolist() if values.size else [values.dtype]
    row = next((row for row, entry in enumerate(entries) if not _reads_as_number(entry)), None)
    told = f"first {entries[0]!r}" if not row else f"first {entries[row]!r} at row {row}"
    return ScoreError(
        f"scores must be numbers, got {'text' if values.dtype.kind in 'US' else values.dtype} ({told})",
        fix="convert them to float, and check that labels and scores are not swapped",
    )


def _reads_as_number(entry: Any) -> bool:
    if isinstance(entry, complex):
        return False
    try:
        float(entry)
    except (TypeError, ValueError):
        return False
    return True
