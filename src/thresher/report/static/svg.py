"""A small SVG writer: elements, axes and lines, with text escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher._internal.palette import ON_LIGHT, dashes_at
from thresher._internal.text import visible
from thresher.ranking import Floats

WIDTH, HEIGHT = 360, 320
LEFT, RIGHT, TOP, BOTTOM = 54, 14, 12, 46
_FINEST = 1e-300
_EXPONENT = 1e15  # numbers from here on are written with an exponent
_NEAR = 1.5  # pixels: points closer than this are one point on the screen


def element(name: str, *inside: str, **attributes: str | float) -> str:
    """One element; attributes are escaped, what is inside is taken as it is.

    An underscore in an attribute's name becomes a hyphen, one at the end nothing.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(visible(value)) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def text(value: str) -> str:
    """Text as it may stand inside an element."""
    return escape(visible(value))


def number(value: float) -> str:
    """A coordinate, to a hundredth of a pixel."""
    return f"{round(float(value), 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def colour(place: int) -> str:
    """The colour of a model by its place: the page's variable or a fixed one."""
    at = place % len(ON_LIGHT)
    return f"var(--c{at}, {ON_LIGHT[at]})"


def dashed(place: int) -> dict[str, str]:
    """The attribute for the dashes of the model at this place; none for a solid line."""
    lengths = " ".join(map(number, dashes_at(place)))
    return {"stroke_dasharray": lengths} if lengths else {}


def picture(*drawn: str, name: str, **attributes: str | float) -> str:
    """What was drawn as one picture, with its name for those who do not see it."""
    return element(
        "svg",
        element("title", text(name)),
        *drawn,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        font_size=11,
        font_family="system-ui, sans-serif",
        fill="currentColor",
        **attributes,
    )


class Panel(NamedTuple):
    """A picture with its heading and what it shows in a sentence."""

    title: str
    caption: str
    svg: str


class Box(NamedTuple):
    """Where axes lie in a picture, in pixels."""

    left: float = LEFT
    top: float = TOP
    right: float = WIDTH - RIGHT
    bottom: float = HEIGHT - BOTTOM


ALL = Box()


@dataclass(slots=True)
class Plot:
    """A pair of axes to draw on in the data's own units."""

    x: tuple[float, float]
    y: tuple[float, float]
    x_label: str
    y_label: str
    y_ticks: Mapping[float, str] | None = None  # places and their texts, where round numbers would not do
    drawn: list[str] = field(default_factory=list)
    x_ticks: Mapping[float, str] | None = None
    box: Box = ALL

    def line(self, x: npt.ArrayLike, y: npt.ArrayLike, *, place: int | None = None, dashes: str = "2 3") -> None:
        """A line through points; without a place it is an aid in the text's colour."""
        style: dict[str, str | float] = {"stroke": "currentColor", "stroke_opacity": 0.6}
        style |= {"stroke_dasharray": dashes} if dashes else {}
        if place is not None:
            style = {"stroke": colour(place), "stroke_width": 2, "stroke_linejoin": "round", **dashed(place)}
        self._path(_path(*self.screen(x, y)), fill="none", **style)

    def area(self, x: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike, *, place: int) -> None:
        """A band between two lines."""
        there, back = self.screen(x, upper), self.screen(np.asarray(x)[::-1], np.asarray(lower)[::-1])
        both = (np.concatenate(sides) for sides in zip(there, back, strict=True))
        self._path(f"{_path(*both)}Z", fill=colour(place), fill_opacity=0.18)

    def bars(self, edges: npt.ArrayLike, heights: npt.ArrayLike, *, place: int, opacity: float = 0.75) -> None:
        """Bars on the line y = 0, upwards or downwards, as one shape."""
        edge, height = np.asarray(edges, dtype=np.float64), np.asarray(heights, dtype=np.float64)
        x, y = np.repeat(edge, 2), np.concatenate([[0.0], np.repeat(height, 2), [0.0]])
        self._path(f"{_path(*self.screen(x, y), near=0.0)}Z", fill=colour(place), fill_opacity=opacity)

    def point(self, x: float, y: float, *, place: int) -> None:
        """A diamond: the best point of a model."""
        (px,), (py,) = self.screen([x], [y])
        across = f"M{number(px - 6)} {number(py)}l6 -6l6 6l-6 6Z"
        self._path(across, fill="Canvas", stroke=colour(place), stroke_width=2.2)

    def letter(self, x: float, y: float, sign: str, *, place: int) -> None:
        """A disc with a letter in it: a classifier."""
        (px,), (py,) = self.screen([x], [y])
        self.drawn.append(element("circle", cx=px, cy=py, r=9, fill="Canvas", stroke=colour(place), stroke_width=2))
        self.drawn.append(element("text", text(sign), x=px, y=py + 4, text_anchor="middle", font_weight="bold"))

    def marks(self, marks: Iterable[Mapping[str, Any]]) -> None:
        """Shapes of a lesson in the style sheet's colours; lines are cut off at the axes."""
        below: list[str] = []
        above: list[str] = []
        width, height = WIDTH - RIGHT - LEFT, HEIGHT - BOTTOM - TOP
        for mark in marks:
            x, y = self.screen(*zip(*mark["points"], strict=True))
            layer = below if mark["kind"] in ("line", "area") else above
            layer.extend(_shapes(mark["kind"], mark["style"], x - LEFT, y - TOP, mark.get("text", "")))
        self.drawn.append(element("svg", *below, x=LEFT, y=TOP, width=width, height=height))
        self.drawn.append(element("g", *above, transform=f"translate({LEFT} {TOP})"))

    def svg(self, *, name: str, **attributes: str | float) -> str:
        """The finished picture, with its name for those who do not see it."""
        return picture(*self.parts(), name=name, **attributes)

    def parts(self) -> list[str]:
        """Axes and what was drawn, to be put into a picture."""
        return [*self._axes(), *self.drawn]

    def panel(self, title: str, caption: str) -> Panel:
        """The finished picture with its heading and a sentence."""
        return Panel(title, caption, self.svg(name=title))

    def _path(self, d: str, **attributes: str | float) -> None:
        self.drawn.append(element("path", d=d, **attributes))

    def screen(self, x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Pixels of points."""
        left, top, right, bottom = self.box
        return left + (right - left) * _share(x, self.x), top + (bottom - top) * (1 - _share(y, self.y))

    def _axes(self) -> Iterable[str]:
        left, top, end, bottom = self.box
        lines = []
        for at, words in (
            self.x_ticks if self.x_ticks is not None else {at: short(at) for at in ticks(*self.x)}
        ).items():
            (px,), _ = self.screen([at], [self.y[0]])
            lines.append(f"M{number(px)} {number(top)}V{number(bottom)}")
            if words:
                yield element("text", text(words), x=px, y=bottom + 16, text_anchor="middle")
        for at, words in (
            self.y_ticks if self.y_ticks is not None else {at: short(at) for at in ticks(*self.y)}
        ).items():
            _, (py,) = self.screen([self.x[0]], [at])
            lines.append(f"M{number(left)} {number(py)}H{number(end)}")
            yield element("text", text(words), x=left - 6, y=py + 4, text_anchor="end")
        yield element("path", d="".join(lines), stroke="currentColor", stroke_opacity=0.14, fill="none")
        frame = f"M{number(left)} {number(top)}V{number(bottom)}H{number(end)}"
        yield element("path", d=frame, stroke="currentColor", stroke_opacity=0.5, fill="none")
        middle = (top + bottom) / 2
        if self.x_label:
            yield element("text", text(self.x_label), x=(left + end) / 2, y=bottom + 36, text_anchor="middle")
        turned = f"rotate(-90 14 {number(middle)})"
        if self.y_label:
            yield element("text", text(self.y_label), x=14, y=middle, text_anchor="middle", transform=turned)


def _shapes(kind: str, style: str, x: Floats, y: Floats, words: str) -> Iterable[str]:
    """One shape of a lesson, as frontend/src/lesson/picture.ts draws it."""
    if kind == "line":
        yield element("path", d=_path(x, y, near=0.0), class_=style)
    elif kind == "area":
        box = {"x": min(x), "y": min(y), "width": abs(x[1] - x[0]), "height": abs(y[1] - y[0])}
        yield element("rect", **box, class_=style)
    elif kind in ("dot", "letter"):
        for cx, cy in zip(x, y, strict=True):
            yield element("circle", cx=cx, cy=cy, r=9 if kind == "letter" else 5, class_=style)
    if kind == "letter":
        middle = {"x": x[0], "y": y[0] + 4, "text_anchor": "middle"}
        yield element("text", text(words), **middle, class_=style.replace("letter", "lettertext", 1))
    elif kind == "text":
        anchor, right, down = {"middle": ("middle", 0, 4), "above": ("middle", 0, -12)}.get(style, ("end", -9, 18))
        place = {"x": x[0] + right, "y": y[0] + down}
        yield element("text", text(words), **place, text_anchor=anchor, class_="lessontext")


def _share(values: npt.ArrayLike, ends: tuple[float, float]) -> Floats:
    """How far along an axis values lie.

    The width between two far numbers may be more than a number, and half of a tiny one may be none.
    """
    scale = 0.5 if max(map(abs, ends)) > 1 else 1.0
    low, high = ends[0] * scale, ends[1] * scale
    share: Floats = (np.asarray(values, dtype=np.float64) * scale - low) / (high - low)
    return share


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers from low to high, about so many."""
    rough = high / about - low / about
    if not _FINEST < rough < 1 / _FINEST:  # steps between its ends would leave what numbers can hold
        return [low, high]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def short(value: float) -> str:
    """A number at a tick: 1.5M rather than 1,500,000."""
    units = ((_EXPONENT, 1.0, ""), (1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e3, 1e3, "k"))
    unit, letter = next(((unit, letter) for least, unit, letter in units if abs(value) >= least), (1.0, ""))
    return f"{value / unit:.4g}{letter}".replace("-", "−")


def _path(x: Floats, y: Floats, *, near: float = _NEAR) -> str:
    """A path through points, without those that coincide or are undefined.

    Written in tenths of a pixel, each point by its step from the last: a third of the length.
    """
    drawn: list[str] = []
    pen: tuple[int, int] | None = None
    last = len(x) - 1
    for place, (px, py) in enumerate(zip((10 * x).tolist(), (10 * y).tolist(), strict=True)):
        if not (math.isfinite(px) and math.isfinite(py)):
            pen = None
            continue
        at = round(px), round(py)
        if pen is None:
            drawn.append(f"M{at[0] / 10:g} {at[1] / 10:g}")
        elif place != last and abs(at[0] - pen[0]) + abs(at[1] - pen[1]) < 10 * near:
            continue
        else:
            drawn.append(f"l{(at[0] - pen[0]) / 10:g} {(at[1] - pen[1]) / 10:g}")
        pen = at
    return "".join(drawn).replace(" -", "-")
