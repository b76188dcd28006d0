"""Argument checks of rankings: scores that can be ranked, counts that can be added, numbers that are numbers."""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import (
    ArgumentError,
    EmptyError,
    LengthError,
    MissingValueError,
    ProbabilityError,
    ScoreError,
    WeightError,
)
from thresher.ranking.sorting import Counts, Flags, Floats
from thresher.ranking.weights import EXACT_INTEGERS, MOST_CASES


def check_segments(score: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike) -> tuple[Floats, Counts, Counts]:
    """Three columns of one length: scores float64, counts int64, or float64 when one has a float dtype.

    >>> check_segments([2, 1], [1, 0], [0.5, 2])
    (array([2., 1.]), array([1., 0.]), array([0.5, 2. ]))
    """
    try:
        columns = [np.asarray(column) for column in (score, pos, neg)]
    except ValueError:  # NumPy will not make a column of lists of different lengths
        raise LengthError("score, pos or neg holds lists of different lengths", "give plain columns") from None
    columns[1:] = [_as_numbers(column) for column in columns[1:]]
    if any(column.ndim != 1 or column.size != columns[0].size for column in columns):
        raise LengthError(
            f"score, pos and neg have shapes {columns[0].shape}, {columns[1].shape} and {columns[2].shape}",
            fix="give three columns of the same length, one entry per segment",
        )
    scores = rankable(columns[0]).astype(np.float64)
    masked = np.logical_or.reduce([np.ma.getmaskarray(np.ma.asarray(column)) for column in (score, pos, neg)])
    absent = np.flatnonzero(np.isnan(scores) | masked)
    if absent.size:
        raise MissingValueError(
            f"{absent.size:,} of {scores.size:,} scores are NaN or masked, which have no rank"
            f" (first at {absent[:5].tolist()})",
            fix="leave those segments out, or give them a score",
        )
    kind = np.int64 if all(column.dtype.kind in "iub" for column in columns[1:]) else np.float64
    positives, negatives = _counts(columns[1], "pos", kind), _counts(columns[2], "neg", kind)
    require_safe_total(float(positives.sum(dtype=np.float64) + negatives.sum(dtype=np.float64)))
    return scores, positives, negatives


def check_ranges(
    low: npt.ArrayLike, high: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike
) -> tuple[Floats, Floats, Counts, Flags]:
    """Groups of one class each from ranges of scores: low, high, count, positive; empty ones left out.

    >>> check_ranges([0.5, 0.1], [0.7, 0.4], [2, 0], [3, 0])
    (array([0.5, 0.5]), array([0.7, 0.7]), array([2, 3]), array([ True, False]))
    """
    lows, positives, negatives = check_segments(low, pos, neg)
    highs, _, _ = check_segments(high, pos, neg)
    wrong = np.flatnonzero(lows > highs)
    if wrong.size:
        raise ArgumentError(
            f"range {wrong[0]} runs from {lows[wrong[0]]:g} down to {highs[wrong[0]]:g}",
            "give low <= high",
        )
    groups = [np.flatnonzero(counts > 0) for counts in (positives, negatives)]
    both = np.concatenate(groups)
    if not both.size:
        raise EmptyError("there are no cases to rank", "give a count above 0")
    count = np.concatenate([positives[groups[0]], negatives[groups[1]]])
    alone = np.flatnonzero((count == 1) & (lows[both] < highs[both])) if count.dtype.kind == "i" else both[:0]
    if alone.size:
        raise ArgumentError(
            f"range {both[alone[0]]} holds one case of a class at two scores",
            fix="give each class its own range, from its lowest to its highest score",
        )
    return lows[both], highs[both], count, np.arange(both.size) < groups[0].size


def require_safe_total(cases: float) -> None:
    """Raise `WeightError` when counts add up to so much or so little that sums and products lose them."""
    if cases and not 1 / MOST_CASES <= cases <= MOST_CASES:
        raise WeightError(
            f"the counts add up to {cases:.3g}, outside {1 / MOST_CASES:.2g} to {MOST_CASES:.2g},"
            " where sums and products are safe",
            fix="multiply or divide all of them by the same number",
        )


def require_probabilities(low: Floats, high: Floats) -> None:
    """Raise `ProbabilityError` unless segments that reach from `low` to `high` lie in [0, 1]."""
    if high[0] > 1 or low[-1] < 0:
        outside = np.where(low < 0, low, high)[(high > 1) | (low < 0)]
        shown = ", ".join(f"{number:g}" for number in outside[:5])
        raise ProbabilityError(
            f"{outside.size:,} of {low.size:,} distinct scores lie outside [0, 1] (first {shown}), "
            "and this question needs probabilities",
            fix="map them to probabilities first, e.g. with calibration_map(ranking)",
        )


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
        return _exact_floats(values)
    if values.dtype.kind == "O":
        return _exact_floats(_require_numbers(values))
    raise _no_number(values)


def _as_numbers(column: Counts) -> Counts:
    """A column of Python numbers in the dtype they would have had."""
    if column.dtype.kind == "O" and all(isinstance(value, int | float | np.number) for value in column.flat):
        return np.array(column.tolist())
    return column


def _counts(column: Counts, name: str, kind: type[np.int64 | np.float64]) -> Counts:
    if column.dtype.kind not in "iubf":
        raise WeightError(
            f"{name} must hold numbers, got {column.dtype} (first {column.tolist()[:1]})",
            fix="give counts (or summed weights) of 0 or more",
        )
    bad = np.flatnonzero(~(np.isfinite(column) & (column >= 0)))
    if bad.size:
        raise WeightError(
            f"{name}[{bad[0]}] is {column[bad[0]]}, and a count is finite and not negative",
            fix="give counts (or summed weights) of 0 or more",
        )
    require_safe_total(float(column.max(initial=0)))  # before a uint64 wraps round
    return column.astype(kind)


def _exact_floats(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    with np.errstate(over="ignore"):  # a long double beyond float64 becomes infinite, and differs then
        floats = values.astype(np.float64)
    if values.dtype.kind in "iu" and (np.abs(floats) <= EXACT_INTEGERS - 1).all():
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


def _require_numbers(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
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
    first = f"first {entries[0]!r}" if not row else f"first {entries[row]!r} at row {row}"
    return ScoreError(
        f"scores must be numbers, got {'text' if values.dtype.kind in 'US' else values.dtype} ({first})",
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
