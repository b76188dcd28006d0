"""`PrecisionRecallDisplay`: precision against recall, hyperbolic between splits, above the prevalence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from thresher.curves import average_precision, precision_at, precision_recall
from thresher.plots.display import Frame, add_legend, ink, looks, stacked
from thresher.plots.models import (
    FEW,
    Isometrics,
    ModelsDisplay,
    Restates,
    curve_style,
    draw_chosen,
    draw_isometrics,
    drawn_splits,
    isometric_lines,
    isometrics_name,
    unit_square,
)
from thresher.ranking import Floats, Ranking

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D

_BETWEEN = np.linspace(0, 1, 401)[1:]


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class PrecisionRecallDisplay(ModelsDisplay):
    """Precision-recall curves, at the class mix of the data or that of an evaluation's condition.

    Bands come from `precision_recall_band`.

    >>> import thresher as th
    >>> display = PrecisionRecallDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> display.frame()["precision"]
    array([ nan, 0.8 , 0.75, 0.5 ])
    """

    takes: ClassVar[frozenset[str]] = frozenset({"conditions", "bands"})
    restates: ClassVar[Restates] = "counts"

    marks_: dict[str, Line2D] = field(init=False)
    baselines_: dict[float, Line2D] = field(init=False)
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
        isometrics: Isometrics | None = None,
        levels: Sequence[float] | None = None,
        slopes: bool = False,
    ) -> Self:
        """Draw it; options as in `CoverageDisplay.plot`. Lines of equal cost are curves here."""
        ax = self._opened(ax)
        unit_square(ax, "recall", "precision")
        look = looks(self.rankings, ax)
        lines = (
            [] if isometrics is None else isometric_lines(isometrics, rankings=self.rankings, levels=levels, plane="pr")
        )
        self.isometrics_ = draw_isometrics(ax, lines)
        self.lines_, self.marks_, self.baselines_, self.bands_ = {}, {}, {}, {}
        entries: list[tuple[Artist, str]] = []
        for name, ranking in self.rankings.items():
            band = self._banded(name, look[name])
            if band is not None:
                self.bands_[name] = band
            self._baseline(ax, ranking.prevalence)
            style = curve_style(ranking, look[name])
            marker, size = style.pop("marker", None), style.pop("markersize", None)
            (self.lines_[name],) = ax.plot(*hyperbolic(ranking), **style)
            if len(ranking) < FEW:
                recall, precision, _ = precision_recall(ranking)
                (self.marks_[name],) = ax.plot(
                    recall, precision, linestyle="none", marker=marker, markersize=size, color=look[name].colour
                )
            entries.append((self.lines_[name], self._label(name, f"AP {average_precision(ranking):.3f}")))
        self.chosen_, self.slopes_, of_slopes = draw_chosen(
            ax, self.chosen, look, "pr", drawn=self.rankings, slopes=slopes
        )
        baseline = [(line, f"prevalence {rate:.3g}") for rate, line in self.baselines_.items()]
        weak = max(average_precision(ranking) for ranking in self.rankings.values()) < 0.5
        entries += [*baseline, *of_slopes, *self._band_entry()]
        add_legend(ax, entries, loc="upper right" if weak else "lower left", outside=bool(self._beside()))
        self._title(
            ax, "Precision and recall" + (f" with lines of equal {isometrics_name(isometrics)}" if isometrics else "")
        )
        return self

    def frame(self) -> Frame:
        """Per model and split: threshold, recall and precision (NaN where nothing is called positive)."""
        parts = {}
        for name, ranking in self.rankings.items():
            recall, precision, threshold = precision_recall(ranking)
            parts[name] = {"threshold": threshold, "recall": recall, "precision": precision}
        return stacked(parts)

    def _baseline(self, ax: Axes, prevalence: float) -> None:
        if prevalence not in self.baselines_:
            self.baselines_[prevalence] = ax.axhline(
                prevalence, color=ink(ax), linewidth=0.9, linestyle=(0, (1, 2)), alpha=0.7, zorder=1.7
            )


def hyperbolic(ranking: Ranking) -> tuple[Floats, Floats]:
    """Recall and precision at the splits and, between them, on the hyperbolas that join them.

    >>> recall, precision = hyperbolic(Ranking.parse("[5+,5-][5+,25-][10+,70-]"))
    >>> float(precision[np.searchsorted(recall, 0.3)])
    0.375
    """
    recall, precision, _ = (column[drawn_splits(ranking)] for column in precision_recall(ranking))
    place = np.searchsorted(recall, _BETWEEN)
    new = recall[np.minimum(place, recall.size - 1)] != _BETWEEN
    between, place = _BETWEEN[new], place[new]
    return np.insert(recall, place, between), np.insert(precision, place, precision_at(ranking, between))
