"""Buckets: a map of scores to whole numbers that never falls, the same on every engine to the last bit.

It is made of + - × ÷, square root, floor and comparisons alone. IEEE 754 rounds each of them correctly, so the map is
monotone and gives the same bucket everywhere; logarithms and casts of bits would not. It does not depend on the data:
the same score falls into the same bucket on every day and machine, so that rankings add up without coarsening.
Nothing that is said of a ranking relies on it, though: whoever counts compares the lowest and highest score of every
bucket.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.ranking import Floats

BUCKETS = 2**17
SUBS = 2**24  # more parts than any bucket is divided into


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
    inside = (_fourth(by.size(x), by) - _fourth(by.size(one - x), by) + one) * by.number(buckets / 2)
    above = by.number(buckets + 1.0) + away * side
    below = by.number(-1.0) - nearby * side
    return by.pick(x < by.number(0.0), below, by.pick(x > one, above, inside))


def bucket_of(x: Floats, *, buckets: int = BUCKETS) -> npt.NDArray[np.int64]:
    """The bucket of each score, in NumPy.

    >>> bucket_of(np.array([0.0, 0.5, 1.0]), buckets=16)
    array([ 0,  8, 16])
    """
    with np.errstate(invalid="ignore"):  # roots of what other branches are for
        return np.floor(place(x, buckets=buckets, by=NUMPY)).astype(np.int64)


def _fourth(x: Any, by: Arithmetic) -> Any:
    return by.root(by.root(x))
