"""What one random case says: how many answers were compared, and which were wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np


@dataclass(slots=True)
class Answers:
    """Answers compared in one case; `wrong` describes each that differs from the truth."""

    compared: int = 0
    wrong: list[str] = field(default_factory=list)

    def check(self, right: bool, what: str) -> None:
        """Count one answer, and note it if it is wrong."""
        self.compared += 1
        if not right:
            self.wrong.append(what)

    def same(self, got: Any, expected: Any, what: str) -> None:
        """Count one answer that must be exactly the expected one."""
        self.check(bool(got == expected), f"{what} is {got!r}, expected {expected!r}")

    def near(self, got: Any, expected: Any, what: str, *, relative: float = 1e-12, absolute: float = 0.0) -> None:
        """Count one number; NaN is right where NaN is expected, and infinity where it is."""
        number, truth = float(got), float(expected)
        right = number == truth or (math.isnan(number) and math.isnan(truth))
        right = right or abs(number - truth) <= max(absolute, relative * abs(truth))
        self.check(right and (math.isinf(number) == math.isinf(truth)), f"{what} is {number!r}, expected {truth!r}")

    def near_all(
        self, got: Iterable[Any], expected: Iterable[Any], what: str, *, relative: float = 1e-12, absolute: float = 0.0
    ) -> None:
        """Count as many numbers as there are."""
        pairs = list(zip(map(float, got), map(float, expected), strict=True))
        for place, (number, truth) in enumerate(pairs):
            self.near(number, truth, f"{what}[{place}]", relative=relative, absolute=absolute)

    def raises(self, error: type[Exception], call: Callable[[], Any], what: str) -> None:
        """Count one refusal, which must be of this class."""
        try:
            result = call()
        except error:
            self.check(True, what)
        else:
            self.check(False, f"{what} gives {result!r}, expected {error.__name__}")


Check: TypeAlias = Callable[[int, int], Answers]  # of a seed and a size: the same case every time


def chance(rng: np.random.Generator, share: float) -> bool:
    """A coin that falls on True with this share."""
    return bool(rng.random() < share)
