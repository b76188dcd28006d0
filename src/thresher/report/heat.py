"""A confusion matrix as a static picture: shades are shares of the actual class."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.report.numbers import said
from thresher.report.svg import HEIGHT, WIDTH, colour, element, picture, text

LEFT, TOP, BOTTOM, RIGHT = 92, 14, 58, 14
MOST_NUMBERS = 12
_LONGEST = 12


def heat_map(matrix: Sequence[Sequence[float]], classes: Sequence[str], *, name: str) -> str:
    """Rows are actual classes and columns predicted ones; right calls in the first colour, wrong ones in the second.

    >>> heat_map([[8, 2], [1, 9]], ["cat", "dog"], name="matrix").count("<rect")
    4
    """
    width, height = (WIDTH - LEFT - RIGHT) / len(classes), (HEIGHT - TOP - BOTTOM) / len(classes)
    drawn: list[str] = []
    for i, row in enumerate(matrix):
        total = sum(row) or 1
        drawn.append(
            element("text", text(_cut(classes[i])), x=LEFT - 6, y=TOP + height * (i + 0.5) + 4, text_anchor="end")
        )
        for j, count in enumerate(row):
            drawn += _cell(count, count / total, (LEFT + width * j, TOP + height * i, width, height), right=i == j)
            if len(classes) <= MOST_NUMBERS:
                drawn.append(_number(count, LEFT + width * (j + 0.5), TOP + height * (i + 0.5) + 4))
    drawn += [
        element("text", text(_cut(label)), x=LEFT + width * (j + 0.5), y=HEIGHT - BOTTOM + 16, text_anchor="middle")
        for j, label in enumerate(classes)
        if len(classes) <= MOST_NUMBERS
    ]
    middle = (LEFT + WIDTH - RIGHT) / 2
    drawn.append(element("text", text("predicted"), x=middle, y=HEIGHT - 12, text_anchor="middle"))
    turned = f"rotate(-90 14 {HEIGHT // 2})"
    drawn.append(element("text", text("actual"), x=14, y=HEIGHT // 2, text_anchor="middle", transform=turned))
    return picture(*drawn, name=name)


def _cell(count: float, share: float, box: tuple[float, float, float, float], *, right: bool) -> list[str]:
    x, y, width, height = box
    # Strong shades would hide the numbers in one of the two colour schemes.
    shade, fill = 0.0 if not count else 0.08 + 0.5 * share, colour(0 if right else 1)
    return [element("rect", x=x + 1, y=y + 1, width=width - 2, height=height - 2, fill=fill, fill_opacity=shade)]


def _number(count: float, x: float, y: float) -> str:
    return element("text", text(said(count)), x=x, y=y, text_anchor="middle", font_size=13)


def _cut(label: str) -> str:
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
