"""`Placement`: texts that find free places when they are drawn. Loads matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import atan2, ceil, degrees
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation, Text

from thresher.plots.display import literal

Discs = npt.NDArray[np.float64]  # rows of x, y and radius, in pixels

_AROUND = np.radians([45, -45, 135, -135, 90, -90, 0, 180])
_AWAY = (1.0, 1.7, 2.6)  # distances from a point, in those of the nearest place
_ALONG = sorted(np.linspace(0.06, 0.94, 23).tolist(), key=lambda at: abs(at - 0.84))
_STEP = 7.0  # pixels between places where a line is asked what lies on it
_LINE = 0.1  # how bad lying on a line is, where 1 is lying on a text or a point


@dataclass(frozen=True, slots=True)
class _AlongLine:
    """A text that may lie anywhere on its line, in full or in short."""

    text: Text
    line: Line2D
    versions: tuple[str, ...]


class Placement(Artist):
    """Puts letters next to points and labels onto lines so that none lies on another.

    Sizes are known only when everything is laid out, so places are looked for whenever the axes are drawn: it draws
    nothing itself and comes before the texts. What is placed earlier has the better places.
    """

    def __init__(self, axes: Axes, ink: str) -> None:
        super().__init__()
        self.set_zorder(-100)
        self.set_in_layout(False)
        self._ax = axes
        self._ink = ink
        self._letters: list[Annotation] = []
        self._labels: list[_AlongLine] = []
        axes.add_artist(self)

    def letter(self, at: tuple[float, float], words: str, **options: Any) -> Annotation:
        """Add a text next to a point, in data coordinates; far ones get a line to it."""
        style: dict[str, Any] = {"fontsize": "small", "ha": "center", "va": "center", "color": self._ink, "zorder": 5}
        arrow = {"arrowstyle": "-", "linewidth": 0.6, "color": self._ink, "alpha": 0.6, "shrinkA": 1, "shrinkB": 2}
        text = self._ax.annotate(
            words, at, xytext=(7, 7), textcoords="offset pixels", arrowprops=arrow, **style | options
        )
        # A halo in the colour of the ground keeps words legible on lines.
        literal(text).set_path_effects([withStroke(linewidth=3, foreground=self._ax.get_facecolor())])
        text.set_in_layout(False)
        self._letters.append(text)
        return text

    def label(self, line: Line2D, *versions: str) -> Text:
        """Add a text onto a line, in the first of its versions that fits."""
        style: dict[str, Any] = {"fontsize": "x-small", "ha": "center", "va": "center", "rotation_mode": "anchor"}
        above = line.get_zorder() + 0.05
        text = self._ax.text(0, 0, versions[0], color=self._ink, alpha=0.9, zorder=above, **style)
        text.set_bbox({"facecolor": self._ax.get_facecolor(), "edgecolor": "none", "pad": 0.4})
        literal(text).set_in_layout(False)
        self._labels.append(_AlongLine(text, line, versions))
        return text

    def draw(self, renderer: Any) -> None:
        """Find a place for every text."""
        box = self._ax.get_window_extent(renderer)
        frame = np.array([box.x0, box.y0, box.x1, box.y1])
        taken = [self._markers()]
        lines = self._lines()
        for text in self._letters:
            taken.append(_place_letter(text, renderer, np.concatenate(taken), lines, frame))
        for each in self._labels:
            taken.append(_place_along(each, renderer, np.concatenate(taken), frame))

    def _markers(self) -> Discs:
        """Every marker of the axes."""
        marks = [line for line in self._ax.lines if line.get_marker() not in ("None", None, "", " ")]
        return np.concatenate([np.empty((0, 3)), *(_discs(_pixels(line), _marker_radius(line)) for line in marks)])

    def _lines(self) -> Discs:
        """Places along every line of the axes."""
        drawn = [line for line in self._ax.lines if line.get_linestyle() not in ("None", "", " ")]
        return np.concatenate([np.empty((0, 3)), *(_discs(_resampled(_pixels(line)), 1.0) for line in drawn)])


def _place_letter(text: Annotation, renderer: Any, taken: Discs, lines: Discs, frame: Discs) -> Discs:
    width, height = _size(text, renderer)
    x, y = text.axes.transData.transform(text.xy)  # type: ignore[union-attr]

    def places() -> Iterator[tuple[float, float, float]]:
        for away in _AWAY:
            for angle in _AROUND:
                reach = 5 + 0.5 * (height + abs(np.cos(angle)) * (width - height))
                yield away, float(np.cos(angle) * reach * away), float(np.sin(angle) * reach * away)

    def cost(place: tuple[float, float, float]) -> float:
        away, dx, dy = place
        own = _row(x + dx, y + dy, width, height, 0.0)
        return _overlap(own, taken) + _LINE * _overlap(own, lines) + _outside(own, frame) + 2.0 * (away - 1)

    away, dx, dy = min(places(), key=cost)
    text.xyann = (dx, dy)
    if text.arrow_patch is not None:
        text.arrow_patch.set_visible(away > _AWAY[1])
    return _row(x + dx, y + dy, width, height, 0.0)


def _place_along(each: _AlongLine, renderer: Any, taken: Discs, frame: Discs) -> Discs:
    path = _resampled(_pixels(each.line))
    tried: list[tuple[float, int, str, Discs, float, npt.NDArray[np.float64]]] = []
    for version in each.versions:
        each.text.set_text(version)
        width, height = _size(each.text, renderer)
        for along in _ALONG:
            i = min(int(along * (len(path) - 1)), max(len(path) - 2, 0))
            (x, y), ahead = path[i], path[min(i + 1, len(path) - 1)] - path[i]
            angle = atan2(ahead[1], ahead[0])
            angle = angle if abs(angle) <= np.pi / 2 + 1e-9 else angle - np.copysign(np.pi, angle)
            own = _row(x, y, width, height, angle)
            cost = _overlap(own, taken) + _outside(own, frame)
            tried.append((cost, len(tried), version, own, angle, path[i]))
            if not cost:
                break
        if not tried[-1][0]:
            break
    _, _, version, own, angle, at = min(tried, key=lambda place: place[:2])
    each.text.set_text(version)
    x, y = each.text.axes.transData.inverted().transform(at)  # type: ignore[union-attr]
    each.text.set_position((float(x), float(y)))
    each.text.set_rotation(degrees(angle))
    return own


def _size(text: Text, renderer: Any) -> tuple[float, float]:
    """Width and height of a text that is not turned."""
    turned = text.get_rotation()
    text.set_rotation(0)
    box = Text.get_window_extent(text, renderer)
    text.set_rotation(turned)
    return float(box.width), float(box.height)


def _row(x: float, y: float, width: float, height: float, angle: float) -> Discs:
    """Discs that cover a text of this size around a place."""
    count = max(1, ceil(width / height))
    along = (np.arange(count) - (count - 1) / 2) * (width - height) / max(count - 1, 1)
    return _discs(np.column_stack([x + along * np.cos(angle), y + along * np.sin(angle)]), 0.55 * height)


def _overlap(own: Discs, others: Discs) -> float:
    """How deep discs lie in others, added up."""
    apart = np.hypot(own[:, None, 0] - others[None, :, 0], own[:, None, 1] - others[None, :, 1])
    return float(np.maximum(own[:, None, 2] + others[None, :, 2] - apart, 0).sum())


def _outside(own: Discs, frame: Discs) -> float:
    beyond = np.maximum(frame[:2] - own[:, :2], 0) + np.maximum(own[:, :2] - frame[2:], 0)
    return 2 * float(beyond.sum())


def _discs(at: npt.NDArray[np.float64], radius: float) -> Discs:
    return np.column_stack([at, np.full(len(at), radius)])


def _pixels(line: Line2D) -> npt.NDArray[np.float64]:
    path = line.get_transform().transform(np.asarray(line.get_xydata(), dtype=np.float64))
    return np.asarray(path[np.isfinite(path).all(axis=1)], dtype=np.float64)


def _marker_radius(line: Line2D) -> float:
    return 0.5 * line.get_markersize() * line.get_figure(root=True).dpi / 72 + 1  # type: ignore[union-attr]


def _resampled(path: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Places a step apart along a path."""
    if len(path) < 2:
        return path
    passed = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    at = np.linspace(0, passed[-1], max(2, int(passed[-1] / _STEP)))
    return np.column_stack([np.interp(at, passed, path[:, axis]) for axis in (0, 1)])
