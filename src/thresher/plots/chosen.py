"""What conditions choose, in coverage, ROC and PR space: a diamond at each choice and the line of equal cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thresher.choices import Choice, Isometric, JointChoice, isometric
from thresher.choices.isometric import Plane
from thresher.errors import ArgumentError
from thresher.plots.style import Look, dashes, ink
from thresher.plots.words import shown
from thresher.ranking import Ranking
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


def equal_cost(joint: JointChoice, plane: Plane, drawn: Mapping[str, Ranking] | None = None) -> Isometric | None:
    """The line of points that cost what the choice costs; None where it meets the plane in a corner only.

    `drawn` are the models' rankings as the plane shows them, where their class mix is not that of the choice's.

    >>> from thresher import Ranking, joint_choice
    >>> equal_cost(joint_choice({"a": Ranking.parse("[3+,1-][1+,3-]")}), "roc").slope
    1.0
    """
    choice = joint.choice
    ranking = choice.ranking if drawn is None else drawn[joint.model]
    try:
        return isometric(choice.condition, choice.expected_cost, plane=plane, Pos=ranking.Pos, Neg=ranking.Neg)
    except ArgumentError:
        # A choice in a corner of the rectangle: rounding may put the line just outside of it.
        return None


def draw_chosen(
    ax: Axes,
    chosen: Mapping[str, JointChoice],
    looks: Mapping[str, Look],
    plane: Plane,
    *,
    drawn: Mapping[str, Ranking] | None = None,
    slopes: bool = True,
) -> tuple[list[Line2D], dict[str, Line2D], list[tuple[Artist, str]]]:
    """Diamonds, lines of equal cost by condition, and what the legend says of them."""
    marks: list[Line2D] = []
    lines: dict[str, Line2D] = {}
    entries: list[tuple[Artist, str]] = []
    for i, (name, joint) in enumerate(chosen.items()):
        for model, choice in joint.choices.items():
            ratio = None if drawn is None else drawn[model].class_ratio
            marks.append(diamond(ax, choice, looks[model], plane, class_ratio=ratio))
        line = equal_cost(joint, plane, drawn) if slopes else None
        if line is not None:
            style: dict[str, Any] = {"linestyle": dashes(i + 2), "linewidth": 1.1, "alpha": 0.75, "zorder": 2.5}
            (lines[name],) = ax.plot(line.x, line.y, color=ink(ax), **style)
            entries.append((lines[name], _words(name, line)))
    return marks, lines, entries


def diamond(ax: Axes, choice: Choice, look: Look, plane: Plane, *, class_ratio: float | None = None) -> Line2D:
    """The choice as a filled diamond; with ties, all of them; at another class ratio where one is shown."""
    tied = choice.points if choice.splits.size <= MOST_TIES else (choice.point,)
    tables = [point.table if class_ratio is None else point.table.at_class_ratio(class_ratio) for point in tied]
    x, y = zip(*(place(table, plane) for table in tables), strict=True)
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
