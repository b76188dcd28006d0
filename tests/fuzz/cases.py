"""Random rows made to break tools: ties, neighbours, infinities, extreme magnitudes, narrow types, odd weights."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import thresher as th
from tests import reference
from tests.fuzz.answers import chance

Array: TypeAlias = npt.NDArray[Any]
Rng: TypeAlias = np.random.Generator

_SPECIAL = [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1.7e308, -1.7e308, -math.inf, 0.5]
_PROBABILITIES = [0.0, 1.0, 0.5, 1e-300, 5e-324, 1 - 2.0**-53, 2.0**-53, 0.1, 0.25, 1 / 3]


@dataclass(frozen=True, slots=True)
class Case:
    """Rows, and their weights as exact fractions."""

    labels: Array
    scores: Array
    weights: Array | None
    exact: tuple[Fraction, ...]
    unitary: bool  # weights are multiples of one simple unit, so that ties of sums are ties

    def ranking(self) -> th.Ranking:
        """The ranking of the rows."""
        return th.rank(self.labels, self.scores, weights=self.weights)

    def rows(self) -> list[tuple[bool, float, Fraction]]:
        """The rows for the oracles."""
        scores = [float(score) for score in self.scores.tolist()]
        return list(zip(map(bool, self.labels), scores, self.exact, strict=True))

    def segments(self) -> list[tuple[float, Fraction, Fraction]]:
        """(score, pos, neg) by falling score, counted one row at a time."""
        return reference.segments(self.rows())

    def points(self) -> list[tuple[Fraction, Fraction]]:
        """(fp, tp) at every split."""
        return reference.points([(pos, neg) for _, pos, neg in self.segments()])

    @property
    def classes(self) -> int:
        """How many of the two classes carry weight."""
        return len({bool(label) for label, weight in zip(self.labels, self.exact, strict=True) if weight})

    def __str__(self) -> str:
        weights = "" if self.weights is None else f", weights={self.weights.tolist()}"
        return f"labels={self.labels.astype(int).tolist()}, scores={self.scores.dtype}{self.scores.tolist()}{weights}"


def rows(rng: Rng, size: int, *, probabilities: bool = False, weighted: bool | None = None, kind: str = "") -> Case:
    """A random case of one row at least; the classes may be one."""
    n = int(rng.integers(1, size + 1))
    scores = (PROBABILITIES if probabilities else SCORES)[kind or pick(rng, PROBABILITIES if probabilities else SCORES)]
    score = scores(rng, n)
    with np.errstate(over="ignore", invalid="ignore"):
        chances = rng.random(n) < pick(rng, [0.5, 0.05, 0.95])
        rank = np.argsort(np.argsort(score)) / n
    labels = chances if chance(rng, 0.5) else rng.random(n) < rank
    wanted = chance(rng, 0.5) if weighted is None else weighted
    weights, exact, unitary = _weights(rng, n) if wanted else (None, [Fraction(1)] * n, True)
    return Case(labels, score, weights, tuple(exact), unitary)


def two_classes(rng: Rng, size: int, **options: Any) -> Case:
    """A random case with both classes."""
    while True:
        case = rows(rng, max(size, 2), **options)
        if case.classes == 2:
            return case


def pick(rng: Rng, options: Any) -> Any:
    """One of some options."""
    listed = list(options)
    return listed[int(rng.integers(len(listed)))]


def _neighbours(rng: Rng, n: int, kind: type[Any]) -> Array:
    """Numbers a few units in the last place apart."""
    base = kind(pick(rng, [0.5, 1.0, 0.1, 1e-300 if kind is np.float64 else 1e-30, -0.75, 1e30]))
    return (base + np.spacing(base) * rng.integers(-3, 4, n)).astype(kind)


def _mixed(rng: Rng, n: int) -> Array:
    """Rows of every other kind of float64 together."""
    kinds = [SCORES[name](rng, n).astype(np.float64) for name in ("levels", "uniform", "special", "magnitudes")]
    return np.stack(kinds)[rng.integers(len(kinds), size=n), np.arange(n)]


def _special(rng: Rng, n: int) -> Array:
    """Ends and neighbours of what floats hold; +inf and the largest one together are refused."""
    return rng.choice([*_SPECIAL, pick(rng, [math.inf, sys.float_info.max])], n)


def _magnitudes(rng: Rng, n: int) -> Array:
    return rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-320, 308, n)


SCORES: Mapping[str, Callable[[Rng, int], Array]] = {
    "levels": lambda rng, n: rng.choice([0.1, 0.2, 0.25, 0.5, 0.75], n),
    "uniform": lambda rng, n: rng.random(n),
    "special": _special,
    "magnitudes": _magnitudes,
    "neighbours": lambda rng, n: _neighbours(rng, n, np.float64),
    "float32": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "float32 neighbours": lambda rng, n: _neighbours(rng, n, np.float32),
    "float16": lambda rng, n: rng.normal(size=n).astype(np.float16),
    "small integers": lambda rng, n: rng.integers(-3, 4, n).astype(pick(rng, [np.int8, np.int16, np.int64])),
    "large integers": lambda rng, n: rng.choice([-1, 1], n) * (2**53 - rng.integers(0, 4, n)),
    "flags": lambda rng, n: rng.random(n) < 0.5,
    "mixed": _mixed,
}
PROBABILITIES: Mapping[str, Callable[[Rng, int], Array]] = {
    "levels": SCORES["levels"],
    "uniform": SCORES["uniform"],
    "rounded": lambda rng, n: rng.random(n).round(1),
    "ends": lambda rng, n: rng.choice(_PROBABILITIES, n),
    "near the ends": lambda rng, n: (
        np.where(rng.random(n) < 0.5, 0.0, 1.0) * (1 - 2.0**-50) + 2.0 ** -rng.uniform(51, 99, n)
    ),
    "float32": lambda rng, n: rng.random(n).astype(np.float32),
}


def _weights(rng: Rng, n: int) -> tuple[Array, list[Fraction], bool]:
    """Weights as floats or integers, what they stand for, and whether that is whole in a unit."""
    kind = pick(rng, ["integers", "eighths", "tenths", "floats", "orders"])
    if kind in ("floats", "orders"):
        weights = rng.uniform(0.01, 10, n) if kind == "floats" else 10 ** rng.uniform(-3, 3, n)
        weights = np.where(rng.random(n) < 0.1, 0.0, weights)
        weights[0] = 1.0
        return weights, [Fraction(weight) for weight in weights.tolist()], False
    unit = {"integers": 1, "eighths": 8, "tenths": 10}[kind]
    counts = rng.integers(0, 4 * unit, n)
    counts[0] = unit
    typed = counts if unit == 1 and chance(rng, 0.5) else counts / unit
    return typed, [Fraction(int(count), unit) for count in counts], True
