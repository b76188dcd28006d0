"""Segments as given: three columns of numbers that fit together and can be counted on, or refused."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError, EmptyError, LengthError, MissingValueError, ProbabilityError, WeightError
from thresher.ranking.counting import Counts, Flags
from thresher.ranking.pieces import Floats
from thresher.ranking.scores import rankable
from thresher.ranking.weights import in_units

MOST_CASES = 2**61  # a sum of four cells, or twice one of them, stays within an int64


def checked(score: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike) -> tuple[Floats, Counts, Counts]:
    """Three columns of one length: scores float64, counts int64, or float64 when one is not whole by dtype.

    >>> checked([2, 1], [1, 0], [0.5, 2])
    (array([2., 1.]), array([1., 0.]), array([0.5, 2. ]))
    """
    try:
        given = [np.asarray(column) for column in (score, pos, neg)]
    except ValueError:  # NumPy will not make a column of lists of different lengths
        raise LengthError("score, pos or neg holds lists of different lengths", "give plain columns") from None
    given[1:] = [_plain(column) for column in given[1:]]
    if any(column.ndim != 1 or column.size != given[0].size for column in given):
        raise LengthError(
            f"score, pos and neg have shapes {given[0].shape}, {given[1].shape} and {given[2].shape}",
            fix="give three columns of the same length, one entry per segment",
        )
    scores = rankable(given[0]).astype(np.float64)
    masked = np.logical_or.reduce([np.ma.getmaskarray(np.ma.asarray(column)) for column in (score, pos, neg)])
    absent = np.flatnonzero(np.isnan(scores) | masked)
    if absent.size:
        raise MissingValueError(
            f"{absent.size:,} of {scores.size:,} scores are NaN or masked, which have no rank"
            f" (first at {absent[:5].tolist()})",
            fix="leave those segments out, or give them a score",
        )
    kind = np.int64 if all(column.dtype.kind in "iub" for column in given[1:]) else np.float64
    positives, negatives = (_counts(column, name, kind) for name, column in zip(("pos", "neg"), given[1:], strict=True))
    require_safe_total(float(positives.sum(dtype=np.float64) + negatives.sum(dtype=np.float64)))
    return scores, positives, negatives


def checked_ranges(
    low: npt.ArrayLike, high: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike
) -> tuple[Floats, Floats, Counts, Flags]:
    """Groups of one class each from ranges of scores: low, high, count, positive; empty ones left out.

    >>> checked_ranges([0.5, 0.1], [0.7, 0.4], [2, 0], [3, 0])
    (array([0.5, 0.5]), array([0.7, 0.7]), array([2, 3]), array([ True, False]))
    """
    lows, positives, negatives = checked(low, pos, neg)
    highs, _, _ = checked(high, pos, neg)
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


def whole(pos: Counts, neg: Counts) -> tuple[Counts, Counts] | None:
    """Weights as whole numbers of a common unit, where they have one and their sum stays safe."""
    return in_units(pos, neg, most=MOST_CASES)


def _plain(column: Counts) -> Counts:
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
