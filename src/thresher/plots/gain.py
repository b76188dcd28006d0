"""`GainDisplay` and `LiftDisplay`: what working down the ranking brings, as a share and as a multiple."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from thresher.curves import gain, lift
from thresher.plots.display import Frame, add_legend, ink, looks, stacked
from thresher.plots.models import ModelsDisplay, Restates, curve_style, drawn_splits, unit_square

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_CALLED = "share of cases called positive"


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class GainDisplay(ModelsDisplay):
    """Cumulative gains: the share of positives found among the share of cases called positive.

    >>> import thresher as th
    >>> GainDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")).frame()["found"]
    array([0. , 0.4, 0.6, 1. ])
    """

    takes: ClassVar[frozenset[str]] = frozenset({"conditions"})
    restates: ClassVar[Restates] = "counts"

    perfect_: Line2D = field(init=False)
    chosen_: list[Line2D] = field(init=False)

    @property
    def size(self) -> tuple[float, float]:
        """Square, with room for a legend beside it."""
        return 4.9 + self._beside(), 4.8

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, between the order by chance and the perfect one."""
        ax = self._opened(ax)
        unit_square(ax, _CALLED, "share of positives found")
        prevalence = next(iter(self.rankings.values())).prevalence
        dotted: dict[str, Any] = {"color": ink(ax), "linewidth": 0.9, "alpha": 0.6, "zorder": 1.7}
        ax.plot([0, 1], [0, 1], linestyle=(0, (1, 2)), **dotted)
        (self.perfect_,) = ax.plot([0, prevalence, 1], [0, 1, 1], linestyle=(0, (4, 2)), **dotted)
        look = looks(self.rankings, ax)
        self.lines_, self.chosen_ = {}, []
        entries: list[tuple[Artist, str]] = []
        for name, ranking in self.rankings.items():
            called, found, _ = (column[drawn_splits(ranking)] for column in gain(ranking))
            (self.lines_[name],) = ax.plot(called, found, **curve_style(ranking, look[name]))
            entries.append((self.lines_[name], self._label(name)))
        self.chosen_ = _diamonds(self, ax, "tpr")
        entries.append((self.perfect_, "perfect order"))
        add_legend(ax, entries, outside=bool(self._beside()))
        self._title(ax, "Cumulative gain")
        return self

    def frame(self) -> Frame:
        """Per model and split: threshold, share of cases called positive, share of positives found."""
        parts = {}
        for name, ranking in self.rankings.items():
            called, found, threshold = gain(ranking)
            parts[name] = {"threshold": threshold, "called": called, "found": found}
        return stacked(parts)


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class LiftDisplay(ModelsDisplay):
    """Lift: how many times the prevalence the precision is.

    >>> import thresher as th
    >>> LiftDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")).frame()["lift"]
    array([nan, 1.6, 1.5, 1. ])
    """

    takes: ClassVar[frozenset[str]] = frozenset({"conditions"})
    restates: ClassVar[Restates] = "counts"

    chosen_: list[Line2D] = field(init=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, above 1, which is the lift of calling cases at random."""
        ax = self._opened(ax)
        ax.set(xlim=(0, 1.01), xlabel=_CALLED, ylabel="lift = precision / prevalence")
        ax.grid(visible=True, color="grey", alpha=0.18, linewidth=0.6)
        chance = ax.axhline(1, color=ink(ax), linewidth=0.9, linestyle=(0, (1, 2)), alpha=0.7)
        look = looks(self.rankings, ax)
        self.lines_ = {}
        entries: list[tuple[Artist, str]] = []
        for name, ranking in self.rankings.items():
            called, lifted, _ = (column[drawn_splits(ranking)] for column in lift(ranking))
            (self.lines_[name],) = ax.plot(called, lifted, **curve_style(ranking, look[name]))
            entries.append((self.lines_[name], self._label(name)))
        self.chosen_ = _diamonds(self, ax, "lift")
        ax.set_ylim(bottom=0)
        add_legend(ax, [*entries, (chance, "by chance")], loc="upper right", outside=bool(self._beside()))
        self._title(ax, "Lift")
        return self

    def frame(self) -> Frame:
        """Per model and split: threshold, share of cases called positive, lift (NaN where none is)."""
        parts = {}
        for name, ranking in self.rankings.items():
            called, lifted, threshold = lift(ranking)
            parts[name] = {"threshold": threshold, "called": called, "lift": lifted}
        return stacked(parts)


def _diamonds(display: ModelsDisplay, ax: Axes, height: str) -> list[Line2D]:
    """Every condition's choice for every model."""
    look = looks(display.rankings, ax)
    chosen = [(name, choice) for joint in display.chosen.values() for name, choice in joint.choices.items()]
    tables = [(name, choice.table.at_class_ratio(display.rankings[name].class_ratio)) for name, choice in chosen]
    return [
        ax.plot(
            table.predicted_positive_rate,
            getattr(table, height),
            marker="D",
            markersize=8.5,
            markerfacecolor=ax.get_facecolor(),
            markeredgecolor=look[name].colour,
            markeredgewidth=2,
            zorder=4,
            clip_on=False,
        )[0]
        for name, table in tables
    ]
