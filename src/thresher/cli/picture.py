"""The ROC curve in a terminal: braille, an axis, the diagonal, and the point that was chosen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from thresher.cli.braille import Cell, braille, place
from thresher.cli.screen import FAINT
from thresher.curves import roc
from thresher.palette import ON_EITHER
from thresher.ranking import Ranking

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
