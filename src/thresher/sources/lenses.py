"""Lenses: crowds of scores that the map of buckets cannot tell apart, each spread over buckets of its own.

The map is made for probabilities and for scores about 1. Where most scores lie within a small part of one bucket, such
as 10⁹ ± 5 or 10⁻⁶⁰, a lens shows their range in even steps. It takes away the lowest and multiplies by a power of two,
so it never falls either, and is the same on every engine to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.ranking import Floats
from thresher.sources.buckets import Arithmetic, place, place_of

LENSES = 16
_NEW = 8
_MOST_POWER = 1000
_SPREAD = 1 / 64  # of a bucket; a wider crowd is divided well enough within it


@dataclass(frozen=True, slots=True)
class Lens:
    """Scores from `low` to `high`, in buckets from the first of its own on, which its number tells."""

    number: int
    low: float
    high: float

    def first(self, buckets: int) -> int:
        """The first bucket of the lens, above all that the map has."""
        return 2 * buckets * (self.number + 1)

    def steps(self, buckets: int) -> float:
        """How many buckets a unit of score takes: a power of two, by which every engine multiplies without rounding."""
        return 2.0 ** min(_MOST_POWER, buckets.bit_length() - 1 - math.frexp(self.high - self.low)[1])

    def place(self, x: Any, *, buckets: int, by: Arithmetic) -> Any:
        """Where a score within the lens lies on the scale of buckets.

        >>> from thresher.sources.buckets import NUMPY
        >>> Lens(0, 1e9, 1e9 + 2).place(np.array([1e9, 1e9 + 1]), buckets=16, by=NUMPY)
        array([32., 36.])
        """
        return (x - by.number(self.low)) * by.number(self.steps(buckets)) + by.number(float(self.first(buckets)))


def place_through(x: Any, lenses: Sequence[Lens], *, buckets: int, by: Arithmetic) -> Any:
    """`place`, except for scores that lie within a lens; of several the last one counts."""
    at = place(x, buckets=buckets, by=by)
    for lens in lenses:
        inside = (x >= by.number(lens.low)) & (x <= by.number(lens.high))
        at = by.pick(inside, lens.place(x, buckets=buckets, by=by), at)
    return at


def place_of_through(x: Floats, lenses: Sequence[Lens], *, buckets: int) -> Floats:
    """`place_through` in NumPy.

    >>> place_of_through(np.array([0.5, 1e9, 1e9 + 1]), [Lens(0, 1e9, 1e9 + 2)], buckets=16)
    array([ 8., 32., 36.])
    """
    at = place_of(x, buckets=buckets)
    for lens in lenses:
        inside = np.flatnonzero((x >= lens.low) & (x <= lens.high))
        at[inside] = (x[inside] - lens.low) * lens.steps(buckets) + lens.first(buckets)
    return at


def lenses_for(
    mass: Floats, low: Floats, high: Floats, lenses: Sequence[Lens], *, buckets: int, least: float
) -> tuple[Lens, ...]:
    """Lenses, more than there are, for buckets whose scores fill little of them; none more where that is of no use.

    `mass` is the share of pairs that a bucket leaves open, of which less than `least` is left alone; `low` and `high`
    are its lowest and highest score.

    >>> lenses_for(np.array([1.0]), np.array([1e9]), np.array([1e9 + 2]), (), buckets=16, least=0.1)
    (Lens(number=0, low=1000000000.0, high=1000000002.0),)
    """
    ends = [place_of_through(end, lenses, buckets=buckets) for end in (low, high)]
    with np.errstate(invalid="ignore", over="ignore"):
        wide = high - low
    crowded = (mass > least) & (wide > 0) & np.isfinite(wide) & (ends[1] - ends[0] < _SPREAD)
    at = np.flatnonzero(crowded)
    heaviest = at[np.argsort(-mass[at], kind="stable")][: min(_NEW, LENSES - len(lenses))]
    new = [Lens(len(lenses) + i, float(low[j]), float(high[j])) for i, j in enumerate(heaviest.tolist())]
    return (*lenses, *new)
