"""What one random case says: how many answers were compared, and which were wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias


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


Check: TypeAlias = Callable[[int, int], Answers]  # of a seed and a size: the same case every time
