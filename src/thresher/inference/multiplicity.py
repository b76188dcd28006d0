"""How often each of n alike items is drawn in n draws with replacement, without drawing n numbers.

Independent Poisson counts are multinomial given their total, and a multinomial of t draws becomes one of n by
adding n - t single draws. So counts are drawn at a rate a little below 1, from a table indexed by 16 random bits,
and topped up; where the bits fall on a boundary of the table, a further random number decides. The result is
exactly multinomial, at a third of the time of drawing n item numbers and counting them.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from thresher.ranking import Counts, Floats

FEWEST_ITEMS = 2048  # below, drawing item numbers is as fast
_BITS = 1 << 16
_OPEN = 255  # in the table: the bits alone do not decide


def multiplicities(items: int, rng: np.random.Generator) -> Counts:
    """How often each item is drawn when as many are drawn as there are, with replacement.

    >>> drawn = multiplicities(10_000, np.random.default_rng(0))
    >>> drawn.sum().item(), drawn.size, drawn.max().item()
    (10000, 10000, 7)
    """
    if items < FEWEST_ITEMS:
        return np.bincount(rng.integers(0, items, items), minlength=items)
    steps, table = _poisson(items)
    while True:
        bits = rng.integers(0, _BITS**4 - 1, -(-items // 4), dtype=np.uint64, endpoint=True).view(np.uint16)[:items]
        times = table.take(bits)
        undecided = np.flatnonzero(times == _OPEN)
        if undecided.size:
            exactly = (bits[undecided] + rng.random(undecided.size)) / _BITS
            times[undecided] = np.searchsorted(steps, exactly, side="right")
        found = times.astype(np.int64)
        drawn = int(found.sum())
        if drawn <= items:  # nearly always: the rate lies four standard deviations below 1
            break
    np.add.at(found, rng.integers(0, items, items - drawn), 1)
    return found


@lru_cache(maxsize=64)
def _poisson(items: int) -> tuple[Floats, npt.NDArray[np.uint8]]:
    """The distribution function of the Poisson counts, and the count that each 16 bits stand for."""
    rate = 1 - 4 / math.sqrt(items)
    terms = [math.exp(-rate)]
    while terms[-1] > 1e-20:
        terms.append(terms[-1] * rate / len(terms))
    steps = np.cumsum(terms)
    # Bits b stand for [b, b + 1) / 2^16: decided when no step lies inside.
    low, high = (np.searchsorted(steps, np.arange(_BITS + 1) / _BITS, side=side) for side in ("right", "left"))
    table = np.where(low[:-1] == high[1:], low[:-1], _OPEN).astype(np.uint8)
    table.flags.writeable = False
    return steps, table
