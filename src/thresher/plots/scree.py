"""`ScreeDisplay`: how much of the variance each component explains, and how much all up to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError
from thresher.plots.display import DASHED, WIDTH, Display, Frame, add_legend, ink, palette, set_title
from thresher.ranking import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ScreeDisplay(Display):
    """A scree plot of the shares of variance that principal components explain.

    >>> display = ScreeDisplay.from_ratios([0.6, 0.3, 0.1])
    >>> display.frame()["cumulative"]
    array([0.6, 0.9, 1. ])
    """

    ratios: Floats
    bars_: BarContainer = field(init=False)
    cumulative_: Line2D = field(init=False)
    mark_: Line2D | None = field(init=False)

    @classmethod
    def from_ratios(cls, ratios: npt.ArrayLike) -> Self:
        """Of shares of variance by component, such as `explained_variance_ratio_`."""
        shares = np.asarray(ratios, dtype=np.float64)
        if shares.ndim != 1 or not shares.size or not ((shares >= 0) & (shares <= 1)).all() or shares.sum() > 1 + 1e-9:
            raise ArgumentError(
                "ratios are shares of the variance, each in [0, 1] and together at most 1",
                "give one share per component, e.g. [0.6, 0.3, 0.1]",
            )
        return cls(ratios=shares)

    def plot(self, ax: Axes | None = None, *, components: int | None = None) -> Self:
        """Draw it; `components` marks how many of them are used."""
        from matplotlib.ticker import MaxNLocator

        settings = {"xlabel": "component", "ylabel": "share of the variance", "ylim": (0, 1.05)}
        ax = self._axes(ax, grid="y", **settings)
        component = np.arange(1, self.ratios.size + 1)
        first, second = palette(ax)[:2]
        self.bars_ = ax.bar(component, self.ratios, color=first, alpha=0.75, edgecolor="none")
        (self.cumulative_,) = ax.plot(
            component, self.ratios.cumsum(), color=second, linewidth=WIDTH, marker="s", markersize=4.5
        )
        entries = [(self.bars_[0], "each component"), (self.cumulative_, "all up to it")]
        self.mark_ = None
        if components is not None:
            self.mark_ = ax.axvline(components + 0.5, color=ink(ax), linewidth=1.1, linestyle=DASHED)
            entries.append((self.mark_, f"kept: {components}"))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        add_legend(ax, entries, loc="center right")
        set_title(ax, "Scree plot")
        return self

    def frame(self) -> Frame:
        """Per component: its share of the variance, and the share of all up to it."""
        return {
            "component": np.arange(1, self.ratios.size + 1),
            "ratio": self.ratios,
            "cumulative": self.ratios.cumsum(),
        }
