"""Weights as counts: integers of a common unit, exact sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.ranking.sorting import Counts

EXACT_INTEGERS = 2**53  # float64 holds every integer up to here
HALF_ULP = 1 / EXACT_INTEGERS  # the most by which adding two floats rounds, relative to their sum
MOST_CASES = 2**61  # a sum of four counts, or twice one of them, stays within an int64
_UNITS = (1, 2, 4, 8, 10, 16, 100, 1000, 10_000, 1_000_000)
_BINARY_UNITS = (1, 1024)


def in_units(pos: Counts, neg: Counts, *, most: int = MOST_CASES) -> tuple[Counts, Counts] | None:
    """Weights as integers of a common unit, if their sum is below `most` in one."""
    for unit in _UNITS:
        scaled = [counts * unit for counts in (pos, neg)]
        rounded = [np.rint(counts) for counts in scaled]
        if sum(counts.sum() for counts in rounded) >= most:
            return None
        # Sums of decimals round by far less; a large weight that is no integer must not pass for one either.
        pairs = zip(scaled, rounded, strict=True)
        if all((np.abs(a - b) <= np.minimum(1e-9 * b, 1e-6)).all() for a, b in pairs):
            return rounded[0].astype(np.int64), rounded[1].astype(np.int64)
    return None


def adds_exactly(pos: Counts, neg: Counts) -> bool:
    """Whether sums are whole, or whole 1024ths, so that no order rounds them.

    Tenths are not: three of them make 0.30000000000000004 or 0.3. Weights that are no integers, but add up to integers
    in every segment, pass for such.
    """
    for unit in _BINARY_UNITS:
        scaled = [counts * unit for counts in (pos, neg)]
        if sum(float(counts.sum()) for counts in scaled) >= EXACT_INTEGERS:
            return False
        if all((counts == np.rint(counts)).all() for counts in scaled):
            return True
    return False


def widen(counts: Counts) -> Counts:
    """Counts as int64 or float64, which do not overflow; read-only if converted."""
    if counts.dtype in (np.float64, np.int64):
        return counts
    widened = counts.astype(np.int64)
    widened.flags.writeable = False
    return widened


def total_of(counts: Counts) -> Any:
    """All counts or weights together."""
    if counts.dtype == np.uint8 and counts.size and counts.max() == 1:
        return int(np.count_nonzero(counts))  # many times faster than adding
    return counts.sum().item()


def running_total(counts: Counts, total: float) -> Counts:
    """The sum of the first 0, 1, 2, ... counts, and exactly the total at the end."""
    out = np.empty(counts.size + 1, dtype=np.float64 if counts.dtype.kind == "f" else np.int64)
    out[0] = 0
    np.cumsum(counts, out=out[1:])
    if out.dtype.kind == "f" and total:  # a running sum of weights rounds otherwise than their total
        np.minimum(out, total, out=out)
        out[counts.size - int(np.argmax(counts[::-1] > 0)) :] = total
    out.flags.writeable = False
    return out
