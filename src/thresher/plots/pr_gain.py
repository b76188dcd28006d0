"""`PRGainDisplay`: precision gain against recall gain, where straight lines are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

from thresher.curves import pr_gain
from thresher.plots.display import Frame, add_legend, ink, looks, stacked
from thresher.plots.models import ModelsDisplay, Restates, curve_style, unit_square

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class PRGainDisplay(ModelsDisplay):
    """Precision-recall-gain curves; the rule that calls everything positive lies at (1, 0).

    >>> import thresher as th
    >>> display = PRGainDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> display.frame()["precision_gain"].round(4)
    array([0.7   , 0.6667, 0.    ])
    """

    restates: ClassVar[Restates] = "counts"

    @property
    def size(self) -> tuple[float, float]:
        """Square, with room for a legend beside it."""
        return 4.9 + self._beside(), 4.8

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; gains below 0 lie below the picture, as for a model that is worse than calling everything."""
        ax = self._opened(ax)
        unit_square(ax, "recall gain", "precision gain")
        ax.plot([0, 1], [1, 0], color=ink(ax), linewidth=0.9, linestyle=(0, (1, 2)), alpha=0.6, zorder=1.7)
        look = looks(self.rankings, ax)
        self.lines_ = {}
        entries: list[tuple[Artist, str]] = []
        for name, ranking in self.rankings.items():
            curve = pr_gain(ranking)
            style = curve_style(ranking, look[name])
            (self.lines_[name],) = ax.plot(curve.recall_gain, curve.precision_gain, **style)
            entries.append((self.lines_[name], self._label(name, f"area {curve.area:.3f}")))
        add_legend(ax, entries, loc="lower left", outside=bool(self._beside()))
        self._title(ax, "Precision gain and recall gain")
        return self

    def frame(self) -> Frame:
        """Per model and point: recall gain and precision gain."""
        curves = {name: pr_gain(ranking) for name, ranking in self.rankings.items()}
        return stacked(
            {
                name: {"recall_gain": curve.recall_gain, "precision_gain": curve.precision_gain}
                for name, curve in curves.items()
            }
        )
