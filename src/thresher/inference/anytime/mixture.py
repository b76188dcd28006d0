"""The log-odds mixture: evidence against a running mean, from its sum alone.

For values x in [0, 1] whose means given the past are μ_i, and φ_λ(m) = log(1 + m (e^λ - 1)),

    E_n(m) = Σ_j w_j exp(λ_j S - n φ_λj(m))

satisfies P(E_n(mean of μ_1 … μ_n) >= 1/α for some n) <= α: e^{λx} <= 1 + x (e^λ - 1) on [0, 1] makes each term a
supermartingale, φ_λ is concave (Jensen), and Ville's inequality does the rest. The proof is in docs/theory/anytime.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.ranking import Floats

Side: TypeAlias = Literal["both", "above", "below"]

INTRINSIC_TIME = 50.0
_OCTAVES = np.arange(-8, 9) / 2  # the nodes reach from 1/16 to 16 times the best one for the intrinsic time
_HALVINGS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Log-odds λ at which evidence is collected, and the logarithms of their weights."""

    log_odds: Floats
    log_weight: Floats


@lru_cache(maxsize=64)
def nodes(level: float = 0.95, intrinsic_time: float = INTRINSIC_TIME, side: Side = "both") -> Nodes:
    """Nodes ±c·2^(j/2) for j = -8 … 8, c = √(2 log(2/α)/v), weights 1/(1 + (j/3)²).

    `side` "above" keeps those that notice a mean above what is supposed, "below" those for a mean below.

    >>> grid = nodes()
    >>> len(grid.log_odds), round(float(np.exp(grid.log_weight).sum()), 12)
    (34, 1.0)
    """
    centre = math.sqrt(2 * math.log(2 / (1 - level)) / intrinsic_time)
    positive = centre * 2.0**_OCTAVES
    weight = 1 / (1 + (2 * _OCTAVES / 3) ** 2)
    signs = {"both": (-1.0, 1.0), "above": (1.0,), "below": (-1.0,)}[side]
    log_odds = np.concatenate([sign * positive for sign in signs])
    log_weight = np.log(np.tile(weight / weight.sum() / len(signs), len(signs)))
    for array in (log_odds, log_weight):
        array.flags.writeable = False
    return Nodes(log_odds, log_weight)


def log_factor(log_odds: Floats, mean: npt.ArrayLike) -> Floats:
    """φ_λ(m) = log(1 + m (e^λ - 1)), exactly λ where m = 1."""
    return np.log1p(np.asarray(mean) * np.expm1(log_odds))


def log_evidence(low: npt.ArrayLike, high: npt.ArrayLike, n: npt.ArrayLike, mean: npt.ArrayLike, grid: Nodes) -> Floats:
    """Logarithm of E_n(mean) for a sum between `low` and `high`; arrays broadcast.

    Nodes above 0 take the least sum and those below 0 the greatest, so that it never exceeds the evidence of the sum
    that is not known.

    >>> grid = nodes()
    >>> round(float(np.exp(log_evidence(80, 80, 100, 0.9063, grid))), 2)
    19.91
    """
    log_odds = grid.log_odds
    low, high, n, mean = (np.asarray(each, dtype=np.float64)[..., None] for each in (low, high, n, mean))
    total = np.where(log_odds > 0, low, high)
    return np.logaddexp.reduce(grid.log_weight + log_odds * total - n * log_factor(log_odds, mean), axis=-1)


def mean_limits(
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    n: npt.ArrayLike,
    *,
    level: float = 0.95,
    intrinsic_time: float = INTRINSIC_TIME,
) -> tuple[Floats, Floats]:
    """Limits {m : E_n(m) < 1/α}, an interval as E_n is convex; arrays broadcast.

    >>> lower, upper = mean_limits([80, 720], [80, 720], [100, 1000])
    >>> lower.round(4).tolist(), upper.round(4).tolist()
    ([0.6576, 0.6731], [0.9063, 0.7639])
    """
    grid = nodes(level, intrinsic_time)
    low, high, n = np.broadcast_arrays(*(np.asarray(each, dtype=np.float64) for each in (low, high, n)))
    enough = -math.log1p(-level)  # log 1/α
    centre = np.divide(low + high, 2 * n, out=np.full(n.shape, 0.5), where=n > 0)

    def root(end: float) -> Floats:
        """Bisect from the centre, whose evidence is at most 1, to an end of [0, 1]."""
        inside, outside = centre.copy(), np.full(centre.shape, end)
        open_ended = log_evidence(low, high, n, outside, grid) < enough
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            within = log_evidence(low, high, n, middle, grid) < enough
            inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
        return np.where(open_ended, end, outside)

    return root(0.0), root(1.0)
