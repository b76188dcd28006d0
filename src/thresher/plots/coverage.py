"""`CoverageDisplay`, `ROCDisplay`: true against false positives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from thresher.choices.isometric import Plane
from thresher.curves import auc, coverage, hull_splits, roc
from thresher.curves import hull as hull_of
from thresher.errors import ArgumentError
from thresher.plots.display import unit_square
from thresher.plots.models import curve_splits
from thresher.plots.plane import Families, PlaneDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_MOST_LINES = 30  # of a grid that has one per case
_LONGEST_SIDE = 3  # times the shorter one, before a step right and a step up differ in length


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class CoverageDisplay(PlaneDisplay):
    """The coverage plot: Pos by Neg cases, a curve and hull per model, the choice.

    >>> import thresher as th
    >>> spam_tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> display = CoverageDisplay.from_ranking(spam_tree, conditions=th.OperatingCondition(cost_ratio=1))
    >>> display.frame()["tp"].tolist(), display.frame()["on_hull"].all()
    ([0, 20, 30, 50], np.True_)
    """

    takes: ClassVar[frozenset[str]] = frozenset({"conditions"})
    plane: ClassVar[Plane] = "coverage"

    hulls_: dict[str, Line2D] = field(init=False)

    @property
    def size(self) -> tuple[float, float]:
        """As wide and high as Neg and Pos ask for."""
        Pos, Neg = self._sides()
        return min(max(4.6 * Neg / Pos, 3.4), 7.2) + 0.6 + self._legend_inches(), 4.8

    def plot(
        self,
        ax: Axes | None = None,
        *,
        hull: bool | None = None,
        isometrics: Families | None = None,
        through: str | Sequence[str] | None = None,
        slopes: bool = True,
        front: bool = False,
        dominance: bool | str | Sequence[str] = False,
        descending: bool = False,
    ) -> Self:
        """Draw it, with lines of equal value of `isometrics`, a measure or condition.

        Several may be listed, or mapped to the values that are wanted: {"accuracy": [0.7]}; `through` draws those
        through points, some by name or "all". `slopes` draws a line of equal cost through each condition's choice.
        `front` joins the points that nobody dominates, `dominance` shades what some or all of them dominate, and `hull`
        (which curves have unless it is False) is their convex hull. `descending` marks where lines cross the descending
        diagonal: there tpr = tnr, and the height is the accuracy that the line stands for.
        """
        ax = self._start(ax, grid="")
        self._rectangle(ax)
        self._draw_isometrics(isometrics, through)
        self.hulls_ = {}
        for name, ranking in self.rankings.items():
            if hull is not False:
                corners = coverage(hull_of(ranking, pool="ties"))
                colour = self._styles[name].colour
                (self.hulls_[name],) = ax.plot(corners.fp, corners.tp, color=colour, linewidth=1, alpha=0.7, zorder=2)
            table, split = coverage(ranking), curve_splits(ranking)
            self._curve(name, table.fp[split], table.tp[split], "curve" * (len(self.rankings) == 1), marked=True)
        self._draw_points(front=front, hull=bool(hull) and bool(self.points), dominance=dominance)
        choices = self._choices(slopes=slopes)
        Pos, Neg = self._sides()
        self._draw_descending(wanted=descending, Pos=Pos, Neg=Neg)
        if len(self.rankings) == 1 == len(self._entries) and not choices:
            self._entries.clear()  # a single curve needs no legend
        return self._finish_curves(f"Coverage plot{self._isometrics_words(isometrics)}", *choices)

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per split: threshold, fp, tp, and whether the split lies on the hull."""
        table = coverage(self.rankings[name])
        on_hull = np.zeros(len(table), dtype=np.bool_)
        on_hull[hull_splits(self.rankings[name])] = True
        return {"threshold": table.threshold, "fp": table.fp, "tp": table.tp, "on_hull": on_hull}

    def _sides(self) -> tuple[float, float]:
        every = self._classifiers.values()
        return max(each.Pos for each in every), max(each.Neg for each in every)

    def _require_one_plane(self) -> None:
        totals = {name: (each.Pos, each.Neg) for name, each in self._classifiers.items()}
        if len(set(totals.values())) > 1:
            listed = ", ".join(f"{name} {Pos:,.10g} and {Neg:,.10g}" for name, (Pos, Neg) in totals.items())
            what = f"a coverage plot is of one number of positives and of negatives, and these differ: {listed}"
            raise ArgumentError(what, "use ROCDisplay, which normalises")

    def _rectangle(self, ax: Axes) -> None:
        from matplotlib.ticker import MaxNLocator, MultipleLocator

        Pos, Neg = self._sides()
        alike = max(Pos, Neg) <= _LONGEST_SIDE * min(Pos, Neg)
        ax.set(xlabel=f"false positives (of {Neg:,.10g})", ylabel=f"true positives (of {Pos:,.10g})")
        ax.set(xlim=(-0.01 * Neg, 1.01 * Neg), ylim=(-0.01 * Pos, 1.01 * Pos), aspect="equal" if alike else "auto")
        for axis, side in ((ax.xaxis, Neg), (ax.yaxis, Pos)):
            axis.set_major_locator(MaxNLocator(min(8, max(1, int(side))), integer=True, steps=[1, 2, 5, 10]))
            if side <= _MOST_LINES and max(Pos, Neg) <= _MOST_LINES:
                axis.set_minor_locator(MultipleLocator(1))
        ax.tick_params(which="minor", length=0)
        ax.grid(visible=True, which="both", color="grey", alpha=0.22, linewidth=0.6)
        ax.plot([0, Neg, Neg, 0, 0], [0, 0, Pos, Pos, 0], color=self._ink, linewidth=0.8, alpha=0.6, zorder=1.7)
        ax.plot([0, Neg], [0, Pos], **self._dotted())


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ROCDisplay(PlaneDisplay):
    """ROC curves; a line of equal cost touches the curve where its condition is best.

    Bands come from `roc_band`.

    >>> import thresher as th
    >>> emails = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> display = ROCDisplay.from_ranking(emails, conditions={"2:1": th.OperatingCondition(class_ratio=3/4)})
    >>> [point.threshold for point in display.chosen["2:1"].choice.points]
    [0.77, 0.56, 0.28]
    """

    plane: ClassVar[Plane] = "roc"

    hulls_: dict[str, Line2D] = field(init=False)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        hull: bool = False,
        isometrics: Families | None = None,
        through: str | Sequence[str] | None = None,
        slopes: bool = True,
        front: bool = False,
        dominance: bool | str | Sequence[str] = False,
        descending: bool = False,
    ) -> Self:
        """Draw it; options as in `CoverageDisplay.plot`, but `hull` is drawn on request."""
        ax = self._start(ax, **unit_square("false positive rate", "true positive rate"))
        ax.plot([0, 1], [0, 1], **self._dotted())
        self._draw_isometrics(isometrics, through)
        self.hulls_ = {}
        for name, ranking in self.rankings.items():
            self._band(name)
            if hull:
                fpr, tpr, _ = roc(hull_of(ranking, pool="ties"))
                colour = self._styles[name].colour
                (self.hulls_[name],) = ax.plot(fpr, tpr, color=colour, linewidth=1, alpha=0.7, zorder=2)
            fpr, tpr, _ = (column[curve_splits(ranking)] for column in roc(ranking))
            self._curve(name, fpr, tpr, f"AUC {auc(ranking):.3f}", marked=True)
        self._draw_points(front=front, hull=hull and bool(self.points), dominance=dominance)
        choices = self._choices(slopes=slopes)
        self._draw_descending(wanted=descending)
        return self._finish_curves(f"ROC plot{self._isometrics_words(isometrics)}", *choices)

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per split: threshold, fpr and tpr."""
        fpr, tpr, threshold = roc(self.rankings[name])
        return {"threshold": threshold, "fpr": fpr, "tpr": tpr}
