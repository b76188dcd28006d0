"""`BrierCurveDisplay`: the loss of taking scores for probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from thresher.calibration import calibration_map, recalibrate
from thresher.curves import BrierCurve, brier_curve
from thresher.plots.models import ModelsDisplay, Restates
from thresher.ranking import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class BrierCurveDisplay(ModelsDisplay):
    """Brier curves: loss against the cost proportion; the area is the Brier score.

    >>> import thresher as th
    >>> spam_tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> BrierCurveDisplay.from_ranking(spam_tree).frame()["cost_proportion"]
    array([0. , 0.3, 0.3, 0.6, 0.6, 0.9, 0.9, 1. ])
    """

    restates: ClassVar[Restates] = "probabilities"

    calibrated_: dict[str, Line2D] = field(init=False)

    def plot(self, ax: Axes | None = None, *, calibrated: bool = True) -> Self:
        """Draw it; `calibrated` adds the curve after isotonic calibration, as a thin line."""
        ax = self._start(ax, xlim=(0, 1), xlabel="cost proportion = threshold", ylabel="loss (area: Brier score)")
        self.calibrated_ = {}
        thin = []
        for name, ranking in self.rankings.items():
            curve = brier_curve(ranking)
            self._curve(name, *corners(curve), f"Brier {curve.area:.3f}")
            if calibrated:
                after = brier_curve(recalibrate(ranking, calibration_map(ranking)))
                colour = self._styles[name].colour
                (self.calibrated_[name],) = ax.plot(*corners(after), color=colour, linewidth=0.8, alpha=0.8)
                thin.append((self.calibrated_[name], f"calibrated ({after.area:.3f})"))
        ax.set_ylim(bottom=0)
        if len(thin) == 1:
            return self._finish_curves("Brier curve", *thin, loc="lower center")
        return self._finish_curves("Brier curve" + (", thin: once calibrated" if thin else ""), loc="lower center")

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per end of each straight piece: cost proportion and loss."""
        x, y = corners(brier_curve(self.rankings[name]))
        return {"cost_proportion": x, "loss": y}


def corners(curve: BrierCurve) -> tuple[Floats, Floats]:
    """Both ends of every piece, in order: the curve jumps where two share their place."""
    places = np.stack([curve.start, curve.end], axis=1).ravel()
    return places, np.stack([curve.loss_at_start, curve.loss_at_end], axis=1).ravel()
