"""`CoverageDisplay`: true against false positives in counts, where one step is one case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from thresher.curves import coverage, hull, hull_splits
from thresher.plots.display import Frame, add_legend, ink, looks, stacked
from thresher.plots.models import (
    Isometrics,
    ModelsDisplay,
    curve_style,
    draw_chosen,
    draw_isometrics,
    drawn_splits,
    isometric_lines,
    isometrics_name,
)
from thresher.ranking import Ranking

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_COUNTED = 30  # lines of a grid that has one per case
_LONGEST_SIDE = 3  # times the shorter one, before a step right and a step up look different


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class CoverageDisplay(ModelsDisplay):
    """The coverage plot: a rectangle of Pos times Neg cases, a curve per model, its hull, and the choice.

    >>> import thresher as th
    >>> spam_tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> display = CoverageDisplay.from_ranking(spam_tree, conditions=th.OperatingCondition(cost_ratio=1))
    >>> display.frame()["tp"].tolist(), display.frame()["on_hull"].all()
    ([0, 20, 30, 50], np.True_)
    """

    takes: ClassVar[frozenset[str]] = frozenset({"conditions"})

    hulls_: dict[str, Line2D] = field(init=False)
    isometrics_: list[Line2D] = field(init=False)
    chosen_: list[Line2D] = field(init=False)
    slopes_: dict[str, Line2D] = field(init=False)

    @property
    def size(self) -> tuple[float, float]:
        """As wide and high as Neg and Pos ask for."""
        Pos, Neg = self._sides()
        return min(max(4.6 * Neg / Pos, 3.4), 7.2) + 0.6 + self._beside(), 4.8

    def plot(
        self,
        ax: Axes | None = None,
        *,
        hull: bool = True,
        isometrics: Isometrics | None = None,
        levels: Sequence[float] | None = None,
        slopes: bool = True,
    ) -> Self:
        """Draw it; `isometrics` names a measure, or is a condition, whose lines of equal value lie behind the curves.

        `levels` are the values of these lines. `slopes` draws the line of equal cost through the choice of
        each condition.
        """
        ax = self._opened(ax)
        self._rectangle(ax)
        look = looks(self.rankings, ax)
        lines = (
            []
            if isometrics is None
            else isometric_lines(isometrics, rankings=self.rankings, levels=levels, plane="coverage")
        )
        self.isometrics_ = draw_isometrics(ax, lines)
        self.lines_, self.hulls_ = {}, {}
        entries: list[tuple[Artist, str]] = []
        for name, ranking in self.rankings.items():
            if hull:
                self.hulls_[name] = self._hull(ax, ranking, look[name].colour)
            table, split = coverage(ranking), drawn_splits(ranking)
            (self.lines_[name],) = ax.plot(table.fp[split], table.tp[split], **curve_style(ranking, look[name]))
            entries.append(
                (self.lines_[name], self._label(name, "curve") if len(self.rankings) == 1 else self._label(name))
            )
        self.chosen_, self.slopes_, of_slopes = draw_chosen(ax, self.chosen, look, "coverage", slopes=slopes)
        if len(self.rankings) > 1 or of_slopes:
            add_legend(ax, [*entries, *of_slopes], outside=bool(self._beside()))
        self._title(ax, "Coverage plot" + (f" with lines of equal {isometrics_name(isometrics)}" if isometrics else ""))
        return self

    def frame(self) -> Frame:
        """Per model and split: threshold, fp, tp, and whether the split lies on the hull."""
        parts = {}
        for name, ranking in self.rankings.items():
            table = coverage(ranking)
            on_hull = np.zeros(len(table), dtype=np.bool_)
            on_hull[hull_splits(ranking)] = True
            parts[name] = {"threshold": table.threshold, "fp": table.fp, "tp": table.tp, "on_hull": on_hull}
        return stacked(parts)

    def _sides(self) -> tuple[float, float]:
        return (max(getattr(ranking, side) for ranking in self.rankings.values()) for side in ("Pos", "Neg"))  # type: ignore[return-value]

    def _rectangle(self, ax: Axes) -> None:
        from matplotlib.ticker import MaxNLocator, MultipleLocator

        Pos, Neg = self._sides()
        alike = max(Pos, Neg) <= _LONGEST_SIDE * min(Pos, Neg)
        ax.set(xlabel=f"false positives (of {Neg:,.10g})", ylabel=f"true positives (of {Pos:,.10g})")
        ax.set(xlim=(-0.01 * Neg, 1.01 * Neg), ylim=(-0.01 * Pos, 1.01 * Pos), aspect="equal" if alike else "auto")
        for axis, side in ((ax.xaxis, Neg), (ax.yaxis, Pos)):
            axis.set_major_locator(MaxNLocator(min(8, max(1, int(side))), integer=True, steps=[1, 2, 5, 10]))
            if side <= _COUNTED and max(Pos, Neg) <= _COUNTED:
                axis.set_minor_locator(MultipleLocator(1))
        ax.tick_params(which="minor", length=0)
        ax.grid(visible=True, which="both", color="grey", alpha=0.22, linewidth=0.6)
        ax.plot([0, Neg, Neg, 0, 0], [0, 0, Pos, Pos, 0], color=ink(ax), linewidth=0.8, alpha=0.6, zorder=1.7)
        ax.plot([0, Neg], [0, Pos], color=ink(ax), linewidth=0.9, linestyle=(0, (1, 2)), alpha=0.6, zorder=1.7)

    def _hull(self, ax: Axes, ranking: Ranking, colour: str) -> Line2D:
        corners = coverage(hull(ranking, pool="ties"))
        (line,) = ax.plot(corners.fp, corners.tp, color=colour, linewidth=1, alpha=0.7, zorder=2)
        return line
