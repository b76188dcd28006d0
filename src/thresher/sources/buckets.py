"""Buckets: a map of scores to whole numbers that never falls, the same on every engine to the last bit.

It is made of + - × ÷, square root, floor and comparisons alone. IEEE 754 rounds each of them correctly, so the map is
monotone and gives the same bucket everywhere; logarithms and casts of bits would not. It does not depend on the data:
the same score falls into the same bucket on every day and machine, so that rankings add up without coarsening.
No bound relies on it, though: counts keep the lowest and highest score of every bucket.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.ranking import Floats

BUCKETS = 2**17
MOST_BUCKETS = 2**22
SUBS = 2**24  # more parts than any bucket is divided into


def first_bucket(buckets: int) -> int:
    """The lowest bucket of any score."""
    return -2 - buckets // 4


def bucket_count(buckets: int) -> int:
    """How many buckets there are with those of scores outside [0, 1].

    >>> first_bucket(16), bucket_count(16)
    (-6, 29)
    """
    return buckets + 2 * (buckets // 4) + 5


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """The operations of the map, in NumPy or as expressions of an engine."""

    root: Callable[[Any], Any]
    size: Callable[[Any], Any]
    floor: Callable[[Any], Any]
    pick: Callable[[Any, Any, Any], Any]
    number: Callable[[float], Any]


NUMPY = Arithmetic(np.sqrt, np.abs, np.floor, np.where, float)


def place(x: Any, *, buckets: int, by: Arithmetic) -> Any:
    """Where a score lies on the scale of buckets, whose floor is the bucket.

    Probabilities get all of `buckets`, denser towards 0 and 1: x^¼ - (1 - x)^¼ in even steps. Scores below 0 and
    above 1 get a quarter as many on either side, by their fourth root, up to infinity.

    >>> place(np.array([-1.0, 0.0, 0.5, 1.0, 16.0]), buckets=16, by=NUMPY).round(2)
    array([-3.  ,  0.  ,  8.  , 16.  , 18.33])
    """
    one = by.number(1.0)
    side = by.number(buckets / 4)
    away = one - by.number(2.0) / (one + _fourth(by.size(x), by))
    nearby = one - one / (one + _fourth(by.size(x), by))
    inside = _inside(x, buckets, by)
    above = by.number(buckets + 1.0) + away * side
    below = by.number(-1.0) - nearby * side
    return by.pick(x < by.number(0.0), below, by.pick(x > one, above, inside))


def bucket_of(x: Floats, *, buckets: int = BUCKETS) -> npt.NDArray[np.int64]:
    """The bucket of each score, in NumPy.

    >>> bucket_of(np.array([0.0, 0.5, 1.0]), buckets=16)
    array([ 0,  8, 16])
    """
    at = place_of(x, buckets=buckets)
    if x.size and x.min() >= 0:
        return at.astype(np.int64)  # nothing is below 0, so cutting off is rounding down
    return np.floor(at, out=at).astype(np.int64)


def place_of(x: Floats, *, buckets: int) -> Floats:
    """`place` in NumPy, which leaves out the branches that no score needs.

    >>> place_of(np.array([0.0, 0.5]), buckets=16)
    array([0., 8.])
    """
    if x.size and x.min() >= 0 and x.max() <= 1:
        # The same as `_inside`, in place: new arrays would cost more than the arithmetic.
        at, other = np.sqrt(x), np.subtract(1.0, x)
        for column in (at, other, other):
            np.sqrt(column, out=column)
        at -= other
        at += 1.0
        at *= buckets / 2
        return at
    with np.errstate(invalid="ignore"):  # other branches are for those
        return np.asarray(place(x, buckets=buckets, by=NUMPY))


def _inside(x: Any, buckets: int, by: Arithmetic) -> Any:
    one = by.number(1.0)
    return (_fourth(by.size(x), by) - _fourth(by.size(one - x), by) + one) * by.number(buckets / 2)


def _fourth(x: Any, by: Arithmetic) -> Any:
    return by.root(by.root(x))
