"""The ROC curve in a terminal, drawn in braille."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rich.text import Text

from thresher._internal.palette import ON_EITHER
from thresher.cli.console.screen import FAINT
from thresher.curves import roc
from thresher.ranking import Floats, Ranking

# The bit of each dot of a character, rows from the top (Unicode block "Braille Patterns", U+2800).
_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
_BLANK = 0x2800
CHOSEN = "●"


def roc_picture(
    rankings: Sequence[Ranking], chosen: tuple[float, float] | None, *, width: int, height: int, colours: Sequence[str]
) -> Text:
    """ROC curves, the first on top; `chosen` is the (fpr, tpr) to mark."""
    lines, owner = braille([roc(ranking)[:2] for ranking in rankings], width=width, height=height)
    mark = None if chosen is None else place(*chosen, width=width, height=height)
    text = Text().append(" tpr\n", style=FAINT)
    for i, line in enumerate(lines):
        text.append("1 ┤" if i == 0 else "0 ┤" if i == height - 1 else "  │", style=FAINT)
        for j, character in enumerate(line):
            if (i, j) == mark:
                text.append(CHOSEN, style=f"bold {colours[0]}")
            elif owner[i, j] >= 0:
                text.append(character, style=colours[owner[i, j] % len(colours)])
            else:  # every other character on the line of guessing
                diagonal = j % 2 == 0 and int((1 - (j + 0.5) / width) * height) == i
                text.append("·" if diagonal else " ", style=FAINT)
        text.append("\n")
    text.append("  └" + "─" * width + "\n", style=FAINT)
    return text.append("   0" + "fpr".center(width - 2) + "1", style=FAINT)


def braille(
    curves: Sequence[tuple[Floats, Floats]], *, width: int, height: int
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Lines that draw curves in the unit square, and each character's curve or -1."""
    owner = np.full((height, width), -1)
    bits = np.zeros((height, width), dtype=np.int64)
    for number, (x, y) in enumerate(curves):
        dots = _dots(x, y, width=2 * width, height=4 * height)
        patterns = np.einsum("hrwc,rc->hw", dots.reshape(height, 4, width, 2).astype(np.int64), _BITS)
        owner[(owner < 0) & (patterns > 0)] = number
        bits |= patterns
    return ["".join(chr(_BLANK + bit) for bit in line) for line in bits.tolist()], owner


def place(x: float, y: float, *, width: int, height: int) -> tuple[int, int]:
    """The line and the column of the character that holds a point."""
    return round((1 - y) * (4 * height - 1)) // 4, round(x * (2 * width - 1)) // 2


def _dots(x: Floats, y: Floats, *, width: int, height: int) -> npt.NDArray[np.bool_]:
    """Which dots a line touches; steps of a quarter dot leave no gap."""
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) * width + np.abs(np.diff(y)) * height)])
    steps = np.linspace(0.0, along[-1], 4 * (width + height))
    column = np.rint(np.interp(steps, along, x) * (width - 1)).astype(np.int64)
    row = np.rint((1 - np.interp(steps, along, y)) * (height - 1)).astype(np.int64)
    dots = np.zeros((height, width), dtype=np.bool_)
    dots[row, column] = True
    return dots


def colours_of(models: int) -> list[str]:
    """One colour per model, in order."""
    return [ON_EITHER[i % len(ON_EITHER)] for i in range(models)]
