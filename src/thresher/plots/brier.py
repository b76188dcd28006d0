"""`BrierCurveDisplay`: the loss of taking scores for probabilities, and how much of it calibration would save."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from thresher.calibration import calibration_map, recalibrate
from thresher.curves import BrierCurve, brier_curve
from thresher.plots.display import WIDTH, Frame, add_legend, looks, stacked
from thresher.plots.models import ModelsDisplay, Restates
from thresher.ranking import Floats, Ranking

if TYPE_CHECKING:
    from matplotlib.artist import Artist
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
        """Draw it; `calibrated` adds the curve after isotonic calibration on the same cases, as a thin line."""
        ax = self._opened(ax)
        ax.set(xlim=(0, 1), xlabel="cost proportion = threshold", ylabel="loss (area: Brier score)")
        ax.grid(visible=True, color="grey", alpha=0.18, linewidth=0.6)
        look = looks(self.rankings, ax)
        self.lines_, self.calibrated_ = {}, {}
        entries: list[tuple[Artist, str]] = []
        for name, ranking in self.rankings.items():
            curve = brier_curve(ranking)
            colour, dashes = look[name].colour, look[name].dashes
            (self.lines_[name],) = ax.plot(*corners(curve), color=colour, linestyle=dashes, linewidth=WIDTH, zorder=3)
            entries.append((self.lines_[name], self._label(name, f"Brier {curve.area:.3f}")))
            if calibrated:
                (self.calibrated_[name],) = ax.plot(
                    *corners(brier_curve(_calibrated(ranking))), color=colour, linewidth=0.8, alpha=0.8
                )
        if calibrated and len(self.rankings) == 1:
            (name,) = self.rankings
            area = brier_curve(_calibrated(self.rankings[name])).area
            entries.append((self.calibrated_[name], f"calibrated ({area:.3f})"))
        ax.set_ylim(bottom=0)
        add_legend(ax, entries, loc="lower center", outside=bool(self._beside()))
        self._title(ax, "Brier curve" + (", thin: once calibrated" if calibrated and len(self.rankings) > 1 else ""))
        return self

    def frame(self) -> Frame:
        """Per model and end of each straight piece: cost proportion and loss."""
        curves = {name: corners(brier_curve(ranking)) for name, ranking in self.rankings.items()}
        return stacked({name: {"cost_proportion": x, "loss": y} for name, (x, y) in curves.items()})


def corners(curve: BrierCurve) -> tuple[Floats, Floats]:
    """Both ends of every piece, in order: the curve jumps where two share their place.

    >>> emails = Ranking([.9, .6, .2], pos=[2, 1, 0], neg=[0, 1, 2])
    >>> corners(brier_curve(emails))[0]
    array([0. , 0.2, 0.2, 0.6, 0.6, 0.9, 0.9, 1. ])
    """
    places = np.stack([curve.start, curve.end], axis=1).ravel()
    return places, np.stack([curve.loss_at_start, curve.loss_at_end], axis=1).ravel()


def _calibrated(ranking: Ranking) -> Ranking:
    return recalibrate(ranking, calibration_map(ranking))
