"""`ROCDisplay`: true against false positive rate, with hull, bands, isometrics, and what conditions choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

from thresher.curves import auc, hull, roc
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
    unit_square,
)
from thresher.ranking import Ranking

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ROCDisplay(ModelsDisplay):
    """ROC curves. Bands come from `roc_band`; a line of equal cost touches the curve where its condition is best.

    >>> import thresher as th
    >>> emails = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> display = ROCDisplay.from_ranking(emails, conditions={"2:1": th.OperatingCondition(class_ratio=3/4)})
    >>> [point.threshold for point in display.chosen["2:1"].choice.points]
    [0.77, 0.56, 0.28]
    """

    takes: ClassVar[frozenset[str]] = frozenset({"conditions", "bands"})

    hulls_: dict[str, Line2D] = field(init=False)
    bands_: dict[str, FillBetweenPolyCollection] = field(init=False)
    isometrics_: list[Line2D] = field(init=False)
    chosen_: list[Line2D] = field(init=False)
    slopes_: dict[str, Line2D] = field(init=False)

    @property
    def size(self) -> tuple[float, float]:
        """Square, with room for a legend beside it."""
        return 4.9 + self._beside(), 4.8

    def plot(
        self,
        ax: Axes | None = None,
        *,
        hull: bool = False,
        isometrics: Isometrics | None = None,
        levels: Sequence[float] | None = None,
        slopes: bool = True,
    ) -> Self:
        """Draw it; options as in `CoverageDisplay.plot`."""
        ax = self._opened(ax)
        unit_square(ax, "false positive rate", "true positive rate")
        ax.plot([0, 1], [0, 1], color=ink(ax), linewidth=0.9, linestyle=(0, (1, 2)), alpha=0.6, zorder=1.7)
        look = looks(self.rankings, ax)
        lines = (
            []
            if isometrics is None
            else isometric_lines(isometrics, rankings=self.rankings, levels=levels, plane="roc")
        )
        self.isometrics_ = draw_isometrics(ax, lines)
        self.lines_, self.hulls_, self.bands_ = {}, {}, {}
        entries: list[tuple[Artist, str]] = []
        for name, ranking in self.rankings.items():
            band = self._banded(name, look[name])
            if band is not None:
                self.bands_[name] = band
            if hull:
                self.hulls_[name] = self._hull(ax, ranking, look[name].colour)
            fpr, tpr, _ = (column[drawn_splits(ranking)] for column in roc(ranking))
            (self.lines_[name],) = ax.plot(fpr, tpr, **curve_style(ranking, look[name]))
            entries.append((self.lines_[name], self._label(name, f"AUC {auc(ranking):.3f}")))
        self.chosen_, self.slopes_, of_slopes = draw_chosen(ax, self.chosen, look, "roc", slopes=slopes)
        add_legend(ax, [*entries, *of_slopes, *self._band_entry()], outside=bool(self._beside()))
        self._title(ax, "ROC plot" + (f" with lines of equal {isometrics_name(isometrics)}" if isometrics else ""))
        return self

    def frame(self) -> Frame:
        """Per model and split: threshold, fpr and tpr."""
        parts = {}
        for name, ranking in self.rankings.items():
            fpr, tpr, threshold = roc(ranking)
            parts[name] = {"threshold": threshold, "fpr": fpr, "tpr": tpr}
        return stacked(parts)

    def _hull(self, ax: Axes, ranking: Ranking, colour: str) -> Line2D:
        fpr, tpr, _ = roc(hull(ranking, pool="ties"))
        (line,) = ax.plot(fpr, tpr, color=colour, linewidth=1, alpha=0.7, zorder=2)
        return line
