"""How often each of n alike items is drawn in n draws with replacement, without drawing n numbers.

Independent Poisson counts are multinomial given their total, and a multinomial of t draws becomes one of n by
adding n - t single draws. So counts are drawn at a rate a little below 1 and topped up. A Poisson distribution is a
mixture: most of it has probabilities that are multiples of 1/256, read off one random byte by comparing;
the rest, about one item in eighty, is drawn on its own. The result is exactly multinomial, in less than a third of the
time of drawing n item numbers and counting them.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from thresher.ranking import Counts, Floats

FEWEST_ITEMS = 2048  # below, drawing item numbers is as fast
_BYTES = 256


def multiplicities(items: int, rng: np.random.Generator) -> Counts:
    """How often each item is drawn when as many are drawn as there are, with replacement.

    >>> drawn = multiplicities(10_000, np.random.default_rng(0))
    >>> drawn.sum().item(), drawn.size, drawn.max().item()
    (10000, 10000, 7)
    """
    if items < FEWEST_ITEMS:
        return np.bincount(rng.integers(0, items, items), minlength=items)
    limits, rest = _mixture(items)
    while True:
        found = _counts(items, limits, rest, rng).astype(np.int64)
        drawn = int(found.sum())
        if drawn <= items:  # nearly always: the rate lies four standard deviations below 1
            break
    np.add.at(found, rng.integers(0, items, items - drawn), 1)
    return found


def _counts(items: int, limits: npt.NDArray[np.uint8], rest: Floats, rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    """Independent Poisson counts: how many limits a byte reaches, or a draw from the rest when it reaches the last."""
    raw = rng.integers(0, 2**64 - 1, -(-items // 8), dtype=np.uint64, endpoint=True).view(np.uint8)[:items]
    counts = (raw >= limits[0]).view(np.uint8)
    for limit in limits[1:-1]:
        counts += (raw >= limit).view(np.uint8)
    others = np.flatnonzero(raw >= limits[-1])
    counts[others] = np.searchsorted(rest, rng.random(others.size), side="right")
    return counts


@lru_cache(maxsize=64)
def _mixture(items: int) -> tuple[npt.NDArray[np.uint8], Floats]:
    """The bytes at which each count begins, last the one at which the rest does, and the rest's running shares."""
    rate = 1 - 4 / math.sqrt(items)
    terms = [math.exp(-rate)]
    while terms[-1] > 1e-20:
        terms.append(terms[-1] * rate / len(terms))
    bytes_ = [math.floor(term * _BYTES) for term in terms]
    whole = np.array([count for count in bytes_ if count])
    left = np.array([term - count / _BYTES for term, count in zip(terms, bytes_, strict=True)])
    shares = np.cumsum(left / left.sum())
    shares[-1] = 1.0  # rounding must not leave a gap below 1
    return np.cumsum(whole).astype(np.uint8), shares
