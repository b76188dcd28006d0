"""Lines of equal measure behind a curve, each labelled with its value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from thresher.choices import Isometric, OperatingCondition, isometric
from thresher.choices.isometric import Plane
from thresher.curves import coverage
from thresher.errors import ArgumentError
from thresher.plots.style import ink
from thresher.ranking import Ranking
from thresher.tables import Measure, measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

Isometrics: TypeAlias = str | Measure | OperatingCondition
_TENTHS = tuple(i / 10 for i in range(1, 10))
_SIGNED = tuple(i / 5 for i in range(-4, 5))


def isometric_lines(
    of: Isometrics, *, rankings: Mapping[str, Ranking], levels: Sequence[float] | None, plane: Plane
) -> list[Isometric]:
    """The isometrics at `levels`, or at even values that the measure takes somewhere in the plane.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> lines = isometric_lines("accuracy", rankings={"tree": spam_tree}, levels=None, plane="roc")
    >>> [line.value for line in lines]
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    """
    totals = {(ranking.Pos, ranking.Neg) for ranking in rankings.values()}
    if len(totals) > 1:
        raise ArgumentError(
            "the models have different numbers of positives or negatives, and isometrics depend on them",
            fix="draw the isometrics of one model, or of models of the same cases",
        )
    ((Pos, Neg),) = totals
    found = []
    for value in _even(of, next(iter(rankings.values()))) if levels is None else levels:
        try:
            found.append(isometric(of, value, plane=plane, Pos=Pos, Neg=Neg))
        except ArgumentError:
            if levels is not None:  # what was asked for is not left out in silence
                raise
    return found


def draw_isometrics(ax: Axes, lines: Sequence[Isometric]) -> list[Line2D]:
    """Thin lines, each with its value written on it near the upper right end."""
    drawn = []
    for line in lines:
        (artist,) = ax.plot(line.x, line.y, color=ink(ax), linewidth=0.8, alpha=0.45, zorder=1.8)
        drawn.append(artist)
        end = line.x.size * 7 // 8
        ax.annotate(
            f"{line.value:.3g}",
            (float(line.x[end]), float(line.y[end])),
            fontsize="x-small",
            color=ink(ax),
            alpha=0.8,
            ha="center",
            va="center",
            zorder=1.9,
            bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.8},
        )
    return drawn


def isometrics_name(of: Isometrics) -> str:
    """What the lines are lines of, in words.

    >>> isometrics_name("recall")
    'tpr'
    """
    return "expected cost" if isinstance(of, OperatingCondition) else measure(of).name.replace("_", " ")


def _even(of: Isometrics, ranking: Ranking) -> Sequence[float]:
    """Round values: tenths, fifths, or round numbers among those the curve reaches."""
    from matplotlib.ticker import MaxNLocator

    if isinstance(of, Measure | str):
        low, high = measure(of).range
        if math.isfinite(high):
            return _TENTHS if low == 0 else _SIGNED
        values = measure(of).of(coverage(ranking))
    else:
        values = of.expected_cost(coverage(ranking))
    reached = [value for value in values.tolist() if math.isfinite(value)]
    return [float(tick) for tick in MaxNLocator(7).tick_values(min(reached), max(reached))]
