"""`NetBenefitDisplay`: whether acting on a model beats acting on everyone or on no one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from thresher.curves import net_benefit
from thresher.plots.display import DOTTED, ink
from thresher.plots.models import ModelsDisplay, Restates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class NetBenefitDisplay(ModelsDisplay):
    """Net benefit by threshold probability (decision curves).

    Bands come from `net_benefit_band`.

    >>> import thresher as th
    >>> spam_tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])
    >>> float(NetBenefitDisplay.from_ranking(spam_tree).frame()["net_benefit"][49].round(4))
    0.2
    """

    takes: ClassVar[frozenset[str]] = frozenset({"bands"})
    restates: ClassVar[Restates] = "probabilities"

    everyone_: Line2D = field(init=False)
    no_one_: Line2D = field(init=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, down to a little below 0: beyond that, doing nothing is better."""
        ax = self._start(ax, xlim=(0, 1), xlabel="threshold probability", ylabel="net benefit per case")
        curves = {name: net_benefit(ranking) for name, ranking in self.rankings.items()}
        first = next(iter(curves.values()))  # the models share their cases, or at least this picture
        (self.everyone_,) = ax.plot(first.threshold, first.everyone, color=ink(ax), linestyle=DOTTED, linewidth=1.2)
        (self.no_one_,) = ax.plot(first.threshold, first.no_one, color=ink(ax), linewidth=0.9)
        for name, curve in curves.items():
            self._band(name)
            self._curve(name, curve.threshold, curve.model)
        highest = max(float(np.maximum(curve.model, curve.everyone).max()) for curve in curves.values())
        highest = max(0.0, highest, *(float(band.upper.max()) for band in self.bands.values()))
        highest = highest or max(ranking.prevalence for ranking in self.rankings.values())  # what none can exceed
        ax.set_ylim(-0.15 * highest, 1.08 * highest)
        others = (self.everyone_, "act on everyone"), (self.no_one_, "act on no one")
        return self._finish_curves("Net benefit", *others, loc="upper right")

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per threshold: net benefit of the model, of acting on everyone and on no one."""
        curve = net_benefit(self.rankings[name])
        others = {"everyone": curve.everyone, "no_one": curve.no_one}
        return {"threshold": curve.threshold, "net_benefit": curve.model, **others}
