"""The ROC curve in a terminal, drawn in braille."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Cell:
    """One character, and the curve whose colour it takes: the first that touches it, -1 for none."""

    char: str
    curve: int


def braille(curves: Sequence[tuple[Floats, Floats]], *, width: int, height: int) -> tuple[tuple[Cell, ...], ...]:
    """Lines of characters, from the top, that draw the curves x, y within [0, 1] × [0, 1].

    >>> rows = braille([(np.array([0.0, 1.0]), np.array([0.0, 1.0]))], width=4, height=2)
    >>> print(*("".join(cell.char for cell in row) for row in rows), sep="|")
    ⠀⠀⡠⠊|⡠⠊⠀⠀
    """
    owner = np.full((height, width), -1)
    bits = np.zeros((height, width), dtype=np.int64)
    for number, (x, y) in enumerate(curves):
        dots = _dots(x, y, width=2 * width, height=4 * height)
        patterns = np.einsum("hrwc,rc->hw", dots.reshape(height, 4, width, 2).astype(np.int64), _BITS)
        owner[(owner < 0) & (patterns > 0)] = number
        bits |= patterns
    return tuple(
        tuple(Cell(chr(_BLANK + bit), curve) for bit, curve in zip(line, curves_of_line, strict=True))
        for line, curves_of_line in zip(bits.tolist(), owner.tolist(), strict=True)
    )


def place(x: float, y: float, *, width: int, height: int) -> tuple[int, int]:
    """The line and the column of the character that holds a point.

    >>> place(0.0, 1.0, width=4, height=2), place(1.0, 0.0, width=4, height=2)
    ((0, 0), (1, 3))
    """
    return round((1 - y) * (4 * height - 1)) // 4, round(x * (2 * width - 1)) // 2


def _dots(x: Floats, y: Floats, *, width: int, height: int) -> npt.NDArray[np.bool_]:
    """Which dots a line through the points touches; steps of a quarter dot leave no gap."""
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) * width + np.abs(np.diff(y)) * height)])
    steps = np.linspace(0.0, along[-1], 4 * (width + height))
    column = np.rint(np.interp(steps, along, x) * (width - 1)).astype(np.int64)
    row = np.rint((1 - np.interp(steps, along, y)) * (height - 1)).astype(np.int64)
    dots = np.zeros((height, width), dtype=np.bool_)
    dots[row, column] = True
    return dots


CHOSEN = "●"


def roc_picture(
    rankings: Sequence[Ranking], chosen: tuple[float, float] | None, *, width: int, height: int, colours: Sequence[str]
) -> Text:
    """The ROC curves of rankings, the first on top; `chosen` is the (fpr, tpr) to mark.

    >>> print(roc_picture([Ranking.parse("[3+][1+,1-][3-]")], (0.0, 0.75), width=9, height=3, colours=["blue"]).plain)
     tpr
    1 ┤●⠖⠉⠉⠉⠉⠉⠉⠉
      │⡇   ·
    0 ┤⡇ ·
      └─────────
       0  fpr  1
    """
    curves = [roc(ranking)[:2] for ranking in rankings]
    rows = braille(curves, width=width, height=height)
    text = Text().append(" tpr\n", style=FAINT)
    mark = None if chosen is None else place(*chosen, width=width, height=height)
    for i, row in enumerate(rows):
        axis = "1 ┤" if i == 0 else "0 ┤" if i == len(rows) - 1 else "  │"
        text.append(axis, style=FAINT)
        for j, cell in enumerate(row):
            _append(text, cell, colours, chosen=(i, j) == mark, diagonal=_on_diagonal(i, j, width, height))
        text.append("\n")
    text.append("  └" + "─" * width + "\n", style=FAINT)
    text.append("   0" + "fpr".center(width - 2) + "1", style=FAINT)
    return text


def _append(text: Text, cell: Cell, colours: Sequence[str], *, chosen: bool, diagonal: bool) -> None:
    if chosen:
        text.append(CHOSEN, style=f"bold {colours[0]}")
    elif cell.curve >= 0:
        text.append(cell.char, style=colours[cell.curve % len(colours)])
    else:
        text.append("·" if diagonal else " ", style=FAINT)


def _on_diagonal(row: int, column: int, width: int, height: int) -> bool:
    """Every other character on the line of guessing."""
    along = (column + 0.5) / width
    return column % 2 == 0 and int((1 - along) * height) == row


def colours_of(models: int) -> list[str]:
    """One colour per model, in order."""
    return [ON_EITHER[i % len(ON_EITHER)] for i in range(models)]
