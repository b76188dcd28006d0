"""Segments as given: three columns of numbers that fit together and can be counted on, or refused."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher.errors import LengthError, MissingValueError, WeightError
from thresher.ranking.counting import Counts
from thresher.ranking.pieces import Floats
from thresher.ranking.scores import rankable
from thresher.ranking.weights import in_units

MOST_CASES = 2**61  # a sum of four cells, or twice one of them, stays within an int64
_WHERE = "Ranking(score, pos, neg)"


def checked(score: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike) -> tuple[Floats, Counts, Counts]:
    """Three columns of one length: scores float64, counts int64, or float64 when one is not whole by dtype.

    >>> checked([2, 1], [1, 0], [0.5, 2])
    (array([2., 1.]), array([1., 0.]), array([0.5, 2. ]))
    """
    given = [np.asarray(column) for column in (score, pos, neg)]
    given[1:] = [_plain(column) for column in given[1:]]
    if any(column.ndim != 1 or column.size != given[0].size for column in given):
        raise LengthError(
            f"score, pos and neg have shapes {given[0].shape}, {given[1].shape} and {given[2].shape}",
            where=_WHERE,
            fix="give three columns of the same length, one entry per segment",
        )
    scores = rankable(given[0], where=_WHERE).astype(np.float64)
    masked = np.logical_or.reduce([np.ma.getmaskarray(np.ma.asarray(column)) for column in (score, pos, neg)])
    absent = np.flatnonzero(np.isnan(scores) | masked)
    if absent.size:
        raise MissingValueError(
            f"{absent.size:,} of {scores.size:,} scores are NaN or masked, which have no rank"
            f" (first at {absent[:5].tolist()})",
            where=_WHERE,
            fix="leave those segments out, or give them a score",
        )
    kind = np.int64 if all(column.dtype.kind in "iub" for column in given[1:]) else np.float64
    positives, negatives = (_counts(column, name, kind) for name, column in zip(("pos", "neg"), given[1:], strict=True))
    require_safe_total(float(positives.sum(dtype=np.float64) + negatives.sum(dtype=np.float64)), _WHERE)
    return scores, positives, negatives


def require_safe_total(cases: float, where: str) -> None:
    """Raise `WeightError` when counts add up to so much or so little that sums and products lose them."""
    if cases and not 1 / MOST_CASES <= cases <= MOST_CASES:
        raise WeightError(
            f"the counts add up to {cases:.3g}, outside {1 / MOST_CASES:.2g} to {MOST_CASES:.2g},"
            " where sums and products are safe",
            where=where,
            fix="multiply or divide all of them by the same number",
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
            where=_WHERE,
            fix="give counts (or summed weights) of 0 or more",
        )
    bad = np.flatnonzero(~(np.isfinite(column) & (column >= 0)))
    if bad.size:
        raise WeightError(
            f"{name}[{bad[0]}] is {column[bad[0]]}, and a count is finite and not negative",
            where=_WHERE,
            fix="give counts (or summed weights) of 0 or more",
        )
    require_safe_total(float(column.max(initial=0)), _WHERE)  # before a uint64 wraps round
    return column.astype(kind)
