"""What conditions choose, in coverage, ROC and PR space: a diamond at each choice and the line of equal cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thresher.choices import Choice, Isometric, JointChoice, isometric
from thresher.choices.isometric import Plane
from thresher.errors import ArgumentError
from thresher.plots.style import Look, dashes, ink
from thresher.plots.words import shown
from thresher.tables import Contingency

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

MOST_TIES = 50


def place(table: Contingency, plane: Plane) -> tuple[float, float]:
    """Where a table lies in a plane.

    >>> place(Contingency(tp=30, fn=20, fp=10, tn=40), "pr")
    (0.6, 0.75)
    """
    x, y = {"coverage": ("fp", "tp"), "roc": ("fpr", "tpr"), "pr": ("recall", "precision")}[plane]
    return float(getattr(table, x)), float(getattr(table, y))


def equal_cost(joint: JointChoice, plane: Plane) -> Isometric | None:
    """The line of points that cost what the choice costs; None where it meets the plane in a corner only.

    >>> from thresher import Ranking, joint_choice
    >>> equal_cost(joint_choice({"a": Ranking.parse("[3+,1-][1+,3-]")}), "roc").slope
    1.0
    """
    choice = joint.choice
    try:
        return isometric(
            choice.condition, choice.expected_cost, plane=plane, Pos=choice.ranking.Pos, Neg=choice.ranking.Neg
        )
    except ArgumentError:
        # A choice in a corner of the rectangle: rounding may put the line just outside of it.
        return None


def draw_chosen(
    ax: Axes, chosen: Mapping[str, JointChoice], looks: Mapping[str, Look], plane: Plane, *, slopes: bool = True
) -> tuple[list[Line2D], dict[str, Line2D], list[tuple[Artist, str]]]:
    """Diamonds, lines of equal cost by condition, and what the legend says of them."""
    marks: list[Line2D] = []
    lines: dict[str, Line2D] = {}
    entries: list[tuple[Artist, str]] = []
    for i, (name, joint) in enumerate(chosen.items()):
        marks += [diamond(ax, choice, looks[model], plane) for model, choice in joint.choices.items()]
        line = equal_cost(joint, plane) if slopes else None
        if line is not None:
            style: dict[str, Any] = {"linestyle": dashes(i + 2), "linewidth": 1.1, "alpha": 0.75, "zorder": 2.5}
            (drawn,) = ax.plot(line.x, line.y, color=ink(ax), **style)
            lines[name] = drawn
            entries.append((drawn, _words(name, line)))
    return marks, lines, entries


def diamond(ax: Axes, choice: Choice, look: Look, plane: Plane) -> Line2D:
    """The choice as a filled diamond; with ties, all of them."""
    tied = choice.points if choice.splits.size <= MOST_TIES else (choice.point,)
    x, y = zip(*(place(point.table, plane) for point in tied), strict=True)
    (mark,) = ax.plot(
        x,
        y,
        linestyle="none",
        marker="D",
        markersize=8.5,
        markerfacecolor=ax.get_facecolor(),
        markeredgecolor=look.colour,
        markeredgewidth=2,
        zorder=4,
        clip_on=False,
    )
    return mark


def _words(name: str, line: Isometric) -> str:
    slope = "" if line.slope is None else f"slope {line.slope:.3g}"
    if not name:
        return f"equal cost, {slope}" if slope else "equal cost"
    return f"{shown(name)}, {slope}" if slope else shown(name)
