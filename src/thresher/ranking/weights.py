"""Weights as counts: whole numbers of a common unit, and running sums that end at their total."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.ranking.counting import Counts

_UNITS = (1, 2, 4, 8, 10, 16, 100, 1000, 10_000, 1_000_000)
_BINARY_UNITS = (1, 1024)
_EXACT_IN_FLOAT64 = 2**53


def in_units(pos: Counts, neg: Counts, *, most: int) -> tuple[Counts, Counts] | None:
    """Weights as whole numbers of a simple unit, if there is one in which their sum stays below `most`.

    >>> in_units(np.array([0.1 + 0.2]), np.array([0.5]), most=100)
    (array([3]), array([5]))
    """
    for unit in _UNITS:
        scaled = [counts * unit for counts in (pos, neg)]
        whole = [np.rint(counts) for counts in scaled]
        if sum(counts.sum() for counts in whole) >= most:
            return None
        if all(_alike(a, b) for a, b in zip(scaled, whole, strict=True)):
            return whole[0].astype(np.int64), whole[1].astype(np.int64)
    return None


def added_exactly(pos: Counts, neg: Counts) -> bool:
    """Whether sums of weights are whole, or whole in 1024ths, and so small that no order of adding rounds them.

    Tenths are not: three of them make 0.30000000000000004 or 0.3. The weights behind the sums are not seen: such as
    add up to whole numbers in every segment, but are none, pass for whole.

    >>> added_exactly(np.array([0.375]), np.array([2.0])), added_exactly(np.array([0.1 + 0.2]), np.array([0.5]))
    (True, False)
    """
    for unit in _BINARY_UNITS:
        scaled = [counts * unit for counts in (pos, neg)]
        if sum(float(counts.sum()) for counts in scaled) >= _EXACT_IN_FLOAT64:
            return False
        if all((counts == np.rint(counts)).all() for counts in scaled):
            return True
    return False


def wide(counts: Counts) -> Counts:
    """Counts that can be added and multiplied without overflow; what is made for that is read-only.

    >>> wide(np.array([200], dtype=np.uint8)) + 200
    array([400])
    """
    if counts.dtype in (np.float64, np.int64):
        return counts
    roomy = counts.astype(np.int64)
    roomy.flags.writeable = False
    return roomy


def sum_of(counts: Counts) -> Any:
    """All counts or weights together.

    >>> sum_of(np.array([0, 1, 1], dtype=np.uint8))
    2
    """
    if counts.dtype == np.uint8 and counts.size and counts.max() == 1:
        return int(np.count_nonzero(counts))  # many times as quick as adding
    return counts.sum().item()


def running(counts: Counts, total: float) -> Counts:
    """The sum of the first 0, 1, 2, ... counts, read-only; exactly the total from the last that adds anything.

    >>> running(np.array([0.1] * 3 + [0.0]), 0.3).tolist()
    [0.0, 0.1, 0.2, 0.3, 0.3]
    """
    out = np.empty(counts.size + 1, dtype=np.float64 if counts.dtype.kind == "f" else np.int64)
    out[0] = 0
    np.cumsum(counts, out=out[1:])
    if out.dtype.kind == "f" and total:  # a running sum of weights rounds otherwise than their total
        np.minimum(out, total, out=out)
        out[counts.size - int(np.argmax(counts[::-1] > 0)) :] = total
    out.flags.writeable = False
    return out


def _alike(scaled: Counts, whole: Counts) -> bool:
    # Sums of decimals round by far less; a large weight that is not whole must not pass for one either.
    return bool((np.abs(scaled - whole) <= np.minimum(1e-9 * whole, 1e-6)).all())
