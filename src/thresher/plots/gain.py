"""`GainDisplay` and `LiftDisplay`: what working down the ranking brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy.typing as npt

from thresher.curves import gain, lift
from thresher.plots.display import DOTTED, unit_square
from thresher.plots.models import ModelsDisplay, Restates, curve_splits, diamond

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_CALLED = "share of cases called positive"


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class CalledDisplay(ModelsDisplay):
    """Curves against the share of cases called positive, with what conditions choose."""

    takes: ClassVar[frozenset[str]] = frozenset({"conditions"})
    restates: ClassVar[Restates] = "counts"

    chosen_: list[Line2D] = field(init=False)

    def _diamonds(self, ax: Axes, height: str) -> None:
        """Draw every condition's choice for every model."""
        self.chosen_ = []
        for joint in self.chosen.values():
            for name, choice in joint.choices.items():
                table = choice.table.at_class_ratio(self.rankings[name].class_ratio)
                x, y = table.predicted_positive_rate, getattr(table, height)
                self.chosen_.append(diamond(ax, x, y, self._styles[name].colour))


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class GainDisplay(CalledDisplay):
    """Cumulative gains: the share of positives found, by share of cases called.

    >>> import thresher as th
    >>> GainDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")).frame()["recall"]
    array([0. , 0.4, 0.6, 1. ])
    """

    square: ClassVar[bool] = True

    perfect_: Line2D = field(init=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, between the order by chance and the perfect one."""
        ax = self._start(ax, **unit_square(_CALLED, "share of positives found"))
        prevalence = next(iter(self.rankings.values())).prevalence
        ax.plot([0, 1], [0, 1], **self._dotted())
        (self.perfect_,) = ax.plot([0, prevalence, 1], [0, 1, 1], **self._dotted() | {"linestyle": (0, (4, 2))})
        for name, ranking in self.rankings.items():
            share, recall, _ = (column[curve_splits(ranking)] for column in gain(ranking))
            self._curve(name, share, recall, marked=True)
        self._diamonds(ax, "tpr")
        return self._finish_curves("Cumulative gain", (self.perfect_, "perfect order"))

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per split: threshold, share of cases called positive, share of positives found."""
        share, recall, threshold = gain(self.rankings[name])
        return {"threshold": threshold, "predicted_positive_rate": share, "recall": recall}


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class LiftDisplay(CalledDisplay):
    """Lift: how many times the prevalence the precision is.

    >>> import thresher as th
    >>> LiftDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")).frame()["lift"]
    array([nan, 1.6, 1.5, 1. ])
    """

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, above 1, which is the lift of calling cases at random."""
        ax = self._start(ax, xlim=(0, 1.01), xlabel=_CALLED, ylabel="lift = precision / prevalence")
        chance = ax.axhline(1, color=self._ink, linewidth=0.9, linestyle=DOTTED, alpha=0.7)
        for name, ranking in self.rankings.items():
            share, multiple, _ = (column[curve_splits(ranking)] for column in lift(ranking))
            self._curve(name, share, multiple, marked=True)
        self._diamonds(ax, "lift")
        ax.set_ylim(bottom=0)
        return self._finish_curves("Lift", (chance, "by chance"), loc="upper right")

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per split: threshold, share of cases called positive, lift (NaN where none is)."""
        share, multiple, threshold = lift(self.rankings[name])
        return {"threshold": threshold, "predicted_positive_rate": share, "lift": multiple}
