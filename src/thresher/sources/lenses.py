"""Lenses: crowds of scores that the map of buckets cannot tell apart, each spread over buckets of its own.

The map is made for probabilities and for scores about 1. Where most scores lie within a small part of one bucket, such
as 10⁹ ± 5 or 10⁻⁶⁰, a lens shows their range in even steps. It takes away the lowest and multiplies by a power of two,
so it never falls either, and is the same on every engine to the last bit.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.ranking import Floats
from thresher.sources.buckets import Arithmetic, place, place_of

LENSES = 16
_NEW = 8
_MOST_POWER = 1000
_WIDEST = sys.float_info.max / 4  # beyond which differences would become infinite
_SPREAD = 1 / 64  # of a bucket; a wider crowd is divided well enough within it


@dataclass(frozen=True, slots=True)
class Lens:
    """Scores from `low` to `high` in buckets from `first` on, of which a unit of score takes `steps`.

    Steps are a power of two, by which every engine multiplies without rounding, and `low` is a whole number of them.
    So buckets of two lenses are nested or apart, and rankings of different days add up with little loss.
    """

    first: int
    low: float
    high: float
    steps: float

    @classmethod
    def around(cls, low: float, high: float, *, number: int, buckets: int) -> Lens:
        """The lens of a range of scores; those of different numbers have buckets of their own.

        >>> Lens.around(1e9 + 0.3, 1e9 + 2, number=0, buckets=16)
        Lens(first=32, low=1000000000.25, high=1000000002.0, steps=8.0)
        """
        power = min(_MOST_POWER, buckets.bit_length() - 1 - math.frexp(high - low)[1])
        steps = 2.0**power
        aligned = float(np.floor(low * steps)) / steps
        return cls(2 * buckets * (number + 1), min(low, aligned) if math.isfinite(aligned) else low, high, steps)

    def end(self, buckets: int) -> int:
        """The first bucket that is none of the lens any more, with one to spare for rounding."""
        return self.first + buckets + 2

    def place(self, x: Any, by: Arithmetic) -> Any:
        """Where a score within the lens lies on the scale of buckets."""
        return (x - by.number(self.low)) * by.number(self.steps) + by.number(float(self.first))


def place_through(x: Any, lenses: Sequence[Lens], *, buckets: int, by: Arithmetic) -> Any:
    """`place`, except for scores that lie within a lens; of several the last one counts."""
    at = place(x, buckets=buckets, by=by)
    for lens in lenses:
        inside = (x >= by.number(lens.low)) & (x <= by.number(lens.high))
        at = by.pick(inside, lens.place(x, by), at)
    return at


def place_of_through(x: Floats, lenses: Sequence[Lens], *, buckets: int) -> Floats:
    """`place_through` in NumPy.

    >>> place_of_through(np.array([0.5, 1e9, 1e9 + 1]), [Lens(32, 1e9, 1e9 + 2, steps=4.0)], buckets=16)
    array([ 8., 32., 36.])
    """
    at = place_of(x, buckets=buckets)
    for lens in lenses:
        inside = np.flatnonzero((x >= lens.low) & (x <= lens.high))
        at[inside] = (x[inside] - lens.low) * lens.steps + lens.first
    return at


def lenses_for(
    mass: Floats, low: Floats, high: Floats, lenses: Sequence[Lens], *, buckets: int, least: float
) -> tuple[Lens, ...]:
    """Lenses, more than there are, for buckets whose scores fill little of them; none more where that is of no use.

    `mass` is the share of pairs that a bucket leaves open, of which less than `least` is left alone; `low` and `high`
    are its lowest and highest score.

    >>> lenses_for(np.array([1.0]), np.array([1e9]), np.array([1e9 + 2]), (), buckets=16, least=0.1)
    (Lens(first=32, low=1000000000.0, high=1000000002.0, steps=4.0),)
    """
    ends = [place_of_through(end, lenses, buckets=buckets) for end in (low, high)]
    with np.errstate(invalid="ignore", over="ignore"):
        wide = high - low
    crowded = (mass > least) & (wide > 0) & (wide < _WIDEST) & (ends[1] - ends[0] < _SPREAD)
    at = np.flatnonzero(crowded)
    heaviest = at[np.argsort(-mass[at], kind="stable")][: min(_NEW, LENSES - len(lenses))]
    new = (
        Lens.around(float(low[j]), float(high[j]), number=len(lenses) + i, buckets=buckets)
        for i, j in enumerate(heaviest.tolist())
    )
    return (*lenses, *new)
