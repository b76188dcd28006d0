"""Argument checks of rankings: scores, counts and their totals."""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError, EmptyError, LengthError, MissingValueError, ScoreError, WeightError
from thresher.ranking.ranges import Groups, groups_of
from thresher.ranking.sorting import Counts, Floats
from thresher.ranking.thresholds import LARGEST
from thresher.ranking.weights import EXACT_INTEGERS, MOST_CASES


def check_segments(score: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike) -> tuple[Floats, Counts, Counts]:
    """Scores as float64, and counts as int64, or float64 when one has a float dtype."""
    try:
        columns = [np.asarray(column) for column in (score, pos, neg)]
    except ValueError:  # NumPy will not make a column of lists of different lengths
        raise LengthError("score, pos or neg holds lists of different lengths", "give plain columns") from None
    for i in (1, 2):  # Python numbers in the dtype they would have had
        if columns[i].dtype.kind == "O" and all(
            isinstance(value, int | float | np.number) for value in columns[i].flat
        ):
            columns[i] = np.array(columns[i].tolist())
    if any(column.ndim != 1 or column.size != columns[0].size for column in columns):
        what = f"score, pos and neg have shapes {columns[0].shape}, {columns[1].shape} and {columns[2].shape}"
        raise LengthError(what, "give three columns of the same length, one entry per segment")
    scores = rankable(columns[0]).astype(np.float64)
    pairs = zip((score, pos, neg), columns, strict=True)
    masked = np.logical_or.reduce([_mask(column, array) for column, array in pairs])
    absent = np.flatnonzero(np.isnan(scores) | masked)
    if absent.size:
        which = f"{absent.size:,} of {scores.size:,} scores"
        what = f"{which} are NaN or masked, which have no rank (first at {absent[:5].tolist()})"
        raise MissingValueError(what, "leave those segments out, or give them a score")
    kind = np.int64 if all(column.dtype.kind in "iub" for column in columns[1:]) else np.float64
    positives, negatives = _counts(columns[1], "pos", kind), _counts(columns[2], "neg", kind)
    require_safe_total(float(positives.sum(dtype=np.float64) + negatives.sum(dtype=np.float64)))
    return scores, positives, negatives


def _mask(column: npt.ArrayLike, array: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Which entries are masked; of a list, a masked one has become NaN."""
    plain = not isinstance(column, np.ndarray) and array.dtype.kind in "iubf"
    if plain and not np.isnan(array.astype(np.float64)).any():
        return np.zeros(array.shape, dtype=np.bool_)  # masks of long lists take long to build
    return np.ma.getmaskarray(np.ma.asarray(column))


def check_ranges(low: npt.ArrayLike, high: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike) -> Groups:
    """Groups of one class each from ranges of scores; empty ones are left out."""
    lows, positives, negatives = check_segments(low, pos, neg)
    highs, _, _ = check_segments(high, pos, neg)
    wrong = np.flatnonzero(lows > highs)
    if wrong.size:
        what = f"range {wrong[0]} runs from {lows[wrong[0]]:g} down to {highs[wrong[0]]:g}"
        raise ArgumentError(what, "give low <= high")
    if not (positives.any() or negatives.any()):
        raise EmptyError("there are no cases to rank", "give a count above 0")
    alone = np.flatnonzero(((positives == 1) | (negatives == 1)) & (lows < highs))
    if alone.size and positives.dtype.kind == "i":
        what = f"range {alone[0]} holds one case of a class at two scores"
        raise ArgumentError(what, "give each class its own range, from its lowest to its highest score")
    return groups_of((lows, highs, lows, highs), positives, negatives)


def require_a_threshold_below_infinity(low: Floats, high: Floats) -> None:
    """Raise `ScoreError` where the segment below +inf reaches the largest float.

    A threshold of +inf calls nothing positive, so that none would part the two.
    """
    if low.size > 1 and np.isposinf(low[0]) and high[1] == LARGEST:
        what = f"scores are +inf and {LARGEST:.17g}, the largest float, and no threshold lies between them"
        raise ScoreError(what, "give one of them another score, such as 1e308 for the largest float")


def require_safe_total(cases: float) -> None:
    """Raise `WeightError` when sums and products of so many cases would lose digits."""
    if cases and not 1 / MOST_CASES <= cases <= MOST_CASES:
        safe = f"{1 / MOST_CASES:.2g} to {MOST_CASES:.2g}, where sums and products are safe"
        what = f"the counts add up to {cases:.3g}, outside {safe}"
        raise WeightError(what, "multiply or divide all of them by the same number")


def rankable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give scores a dtype that sorts fast and turns into float64 without rounding.

    Float64, float32 and small integers stay as they are. Wider integers and long doubles are
    accepted when float64 holds every one of them, so that no two scores ever become one. Decimals of up to 15 digits
    become the nearest float64, which no other of them does.
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


def _counts(column: Counts, name: str, kind: type[np.int64 | np.float64]) -> Counts:
    if column.dtype.kind not in "iubf":
        what = f"{name} must hold numbers, got {column.dtype} (first {column.tolist()[:1]})"
        raise WeightError(what, "give counts (or summed weights) of 0 or more")
    bad = np.flatnonzero(~(np.isfinite(column) & (column >= 0)))
    if bad.size:
        what = f"{name}[{bad[0]}] is {column[bad[0]]}, and a count is finite and not negative"
        raise WeightError(what, "give counts (or summed weights) of 0 or more")
    require_safe_total(float(column.max(initial=0)))  # before a uint64 wraps round
    counts = column.astype(kind)
    exact = counts.astype(column.dtype) == column if column.dtype.kind in "iu" else True
    if (lost := np.flatnonzero(~np.asarray(exact))).size:  # integers among floats
        what = f"{name}[{lost[0]}] is {column[lost[0]]}, which does not fit a float64 exactly"
        raise WeightError(what, "divide all counts by the same number, or round them yourself")
    return counts


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
    """Whether a number has so few digits that no other such has its nearest float64."""
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
        with np.errstate(over="ignore"):  # a long double beyond float64, which does not fit then
            values.astype(np.float64)
    except OverflowError:
        too_large = [abs(value) > sys.float_info.max for value in values.ravel().tolist()]
        raise _unfit(values, np.flatnonzero(too_large)) from None
    except (TypeError, ValueError):
        raise _no_number(values) from None
    return values


def _unfit(values: npt.NDArray[Any], bad: npt.NDArray[np.intp]) -> ScoreError:
    what = f"{bad.size:,} of {values.size:,} scores do not fit a float64 exactly, first {str(values.flat[bad[0]])[:40]}"
    return ScoreError(what, "subtract an offset so that they do, or round them yourself")


def _no_number(values: npt.NDArray[Any]) -> ScoreError:
    entries = values.ravel().tolist() if values.size else [values.dtype]
    row = next((row for row, entry in enumerate(entries) if not _reads_as_number(entry)), None)
    first = f"first {entries[0]!r}" if not row else f"first {entries[row]!r} at row {row}"
    what = f"scores must be numbers, got {'text' if values.dtype.kind in 'US' else values.dtype} ({first})"
    return ScoreError(what, "convert them to float, and check that labels and scores are not swapped")


def _reads_as_number(entry: Any) -> bool:
    if isinstance(entry, complex):
        return False
    try:
        float(entry)
    except (TypeError, ValueError):
        return False
    return True
