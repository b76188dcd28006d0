"""`NetBenefitDisplay`: whether acting on a model beats acting on everyone or on no one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from thresher.curves import net_benefit
from thresher.plots.display import WIDTH, Frame, add_legend, ink, looks, stacked
from thresher.plots.models import ModelsDisplay, Restates

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class NetBenefitDisplay(ModelsDisplay):
    """Net benefit by threshold probability (decision curves). Bands come from `net_benefit_band`.

    >>> import thresher as th
    >>> spam_tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])
    >>> float(NetBenefitDisplay.from_ranking(spam_tree).frame()["net_benefit"][49].round(4))
    0.2
    """

    takes: ClassVar[frozenset[str]] = frozenset({"bands"})
    restates: ClassVar[Restates] = "probabilities"

    bands_: dict[str, FillBetweenPolyCollection] = field(init=False)
    everyone_: Line2D = field(init=False)
    no_one_: Line2D = field(init=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, down to a little below 0: what costs more than doing nothing is out of the question."""
        ax = self._opened(ax)
        ax.set(xlim=(0, 1), xlabel="threshold probability", ylabel="net benefit per case")
        ax.grid(visible=True, color="grey", alpha=0.18, linewidth=0.6)
        look = looks(self.rankings, ax)
        self.lines_, self.bands_ = {}, {}
        entries: list[tuple[Artist, str]] = []
        highest = 0.0
        for name, ranking in self.rankings.items():
            curve = net_benefit(ranking)
            if not self.lines_:  # the models share their cases, or at least this picture
                dots, plain = (0, (1, 2)), ink(ax)
                (self.everyone_,) = ax.plot(curve.threshold, curve.everyone, color=plain, linestyle=dots, linewidth=1.2)
                (self.no_one_,) = ax.plot(curve.threshold, curve.no_one, color=plain, linewidth=0.9)
            band = self._banded(name, look[name])
            if band is not None:
                self.bands_[name] = band
                highest = max(highest, float(self.bands[name].upper.max()))
            colour, dashes = look[name].colour, look[name].dashes
            (self.lines_[name],) = ax.plot(
                curve.threshold, curve.model, color=colour, linestyle=dashes, linewidth=WIDTH, zorder=3
            )
            highest = max(highest, float(np.maximum(curve.model, curve.everyone).max()))
            entries.append((self.lines_[name], self._label(name)))
        highest = highest or max(ranking.prevalence for ranking in self.rankings.values())  # what none can exceed
        ax.set_ylim(-0.15 * highest, 1.08 * highest)
        entries += [(self.everyone_, "act on everyone"), (self.no_one_, "act on no one"), *self._band_entry()]
        add_legend(ax, entries, loc="upper right", outside=bool(self._beside()))
        self._title(ax, "Net benefit")
        return self

    def frame(self) -> Frame:
        """Per model and threshold probability: net benefit of the model, of acting on everyone and on no one."""
        parts = {}
        for name, ranking in self.rankings.items():
            curve = net_benefit(ranking)
            parts[name] = {
                "threshold": curve.threshold,
                "net_benefit": curve.model,
                "everyone": curve.everyone,
                "no_one": curve.no_one,
            }
        return stacked(parts)
