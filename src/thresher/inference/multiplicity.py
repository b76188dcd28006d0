"""How often each of n alike items is drawn in n draws with replacement, without drawing n numbers.

Independent Poisson counts are multinomial given their total, and a multinomial of t draws becomes one of n by
adding n - t single draws. So counts are drawn at a rate a little below 1 and topped up. A Poisson distribution is a
mixture: most of it has probabilities that are multiples of 1/256, read off one random byte by comparing;
the rest, about one item in eighty, is drawn on its own. The result is exactly multinomial, in less than a third of the
time of drawing n item numbers and counting them. Several replicates are drawn together, in long calls.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from thresher.ranking import Counts, Floats

FEWEST_ITEMS = 2048  # below, drawing item numbers is as fast
_BYTES = 256


def multiplicities(items: int, replicates: int, rng: np.random.Generator) -> Counts:
    """How often each item is drawn when as many are drawn as there are, with replacement: a row per replicate.

    >>> drawn = multiplicities(10_000, 2, np.random.default_rng(0))
    >>> drawn.sum(axis=1).tolist(), drawn.shape, drawn.max().item()
    ([10000, 10000], (2, 10000), 7)
    """
    start = items * np.arange(replicates)
    if items < FEWEST_ITEMS:
        place = rng.integers(0, items, (replicates, items)) + start[:, np.newaxis]
        return np.bincount(place.ravel(), minlength=items * replicates).reshape(replicates, items)
    found = _counts(items, replicates, rng)
    drawn = found.sum(axis=1)
    while (over := np.flatnonzero(drawn > items)).size:  # hardly ever: the rate lies four standard deviations below 1
        found[over] = _counts(items, over.size, rng)
        drawn[over] = found[over].sum(axis=1)
    place = rng.integers(0, items, int((items - drawn).sum())) + np.repeat(start, items - drawn)
    np.add.at(found.reshape(-1), place, found.dtype.type(1))  # of a number without a type it is slow
    return found


def _counts(items: int, replicates: int, rng: np.random.Generator) -> Counts:
    """Independent Poisson counts: how many limits a byte reaches, or a draw from the rest when it reaches the last."""
    limits, rest = _mixture(items)
    raw = rng.integers(0, 2**64 - 1, -(-items * replicates // 8), dtype=np.uint64, endpoint=True).view(np.uint8)
    raw = raw[: items * replicates]
    counts = (raw >= limits[0]).view(np.uint8)
    for limit in limits[1:-1]:
        counts += (raw >= limit).view(np.uint8)
    others = np.flatnonzero(raw >= limits[-1])
    counts[others] = np.searchsorted(rest, rng.random(others.size), side="right")
    kind = np.int32 if items <= np.iinfo(np.int32).max else np.int64  # their sum, the number of items, has to fit
    return counts.astype(kind).reshape(replicates, items)


@lru_cache(maxsize=64)
def _mixture(items: int) -> tuple[npt.NDArray[np.uint8], Floats]:
    """The bytes at which each count begins, last the one at which the rest does, and the rest's running shares."""
    rate = _rate(items)
    terms = [math.exp(-rate)]
    while terms[-1] > 1e-20:
        terms.append(terms[-1] * rate / len(terms))
    bytes_ = [math.floor(term * _BYTES) for term in terms]
    whole = np.array([count for count in bytes_ if count])
    left = np.array([term - count / _BYTES for term, count in zip(terms, bytes_, strict=True)])
    shares = np.cumsum(left / left.sum())
    shares[-1] = 1.0  # rounding must not leave a gap below 1
    return np.cumsum(whole).astype(np.uint8), shares


def _rate(items: int) -> float:
    return 1 - 4 / math.sqrt(items)
