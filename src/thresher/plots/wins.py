"""`WinsDisplay`: the share of resamples in which each model is the cheapest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from thresher.evaluation import Evaluation
from thresher.inference import Stability
from thresher.plots.display import (
    WIDTH,
    Display,
    Frame,
    add_legend,
    fits_inside,
    inches_beside,
    ink,
    looks,
    set_title,
    shown,
    stacked,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class WinsDisplay(Display):
    """The share of resamples in which each model is the cheapest, by cost ratio.

    >>> from thresher import evaluate
    >>> found = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2])
    >>> set(WinsDisplay.from_evaluation(found).frame()["wins"].tolist())
    {1.0}
    """

    stability: Stability
    cost_ratio: float
    lines_: dict[str, Line2D] = field(init=False)
    condition_: Line2D = field(init=False)

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation) -> Self:
        """Of an evaluation's resamples."""
        return cls(stability=evaluation.stability, cost_ratio=evaluation.decision.condition.cost_ratio)

    @property
    def size(self) -> tuple[float, float]:
        """Wider when the legend stands beside the axes."""
        return 6.0 + self._beside(), 3.8

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it over cost ratios from a tenth to ten times that of the condition."""
        ax = self._opened(ax)
        look = looks(self.stability.wins_at, ax)
        self.lines_ = {}
        entries: list[tuple[Artist, str]] = []
        for name, share in self.stability.wins_at.items():
            colour, dashes = look[name].colour, look[name].dashes
            (self.lines_[name],) = ax.plot(
                self.stability.cost_ratio, share, color=colour, linestyle=dashes, linewidth=WIDTH
            )
            entries.append((self.lines_[name], shown(name)))
        self.condition_ = ax.axvline(self.cost_ratio, color=ink(ax), linewidth=1.1, linestyle=(0, (3, 2)), alpha=0.8)
        entries.append((self.condition_, f"now, {self.cost_ratio:.3g}"))
        ax.set(xscale="log", ylim=(-0.03, 1.03), xlabel="cost ratio: false alarms that a miss costs")
        ax.set_ylabel("share of resamples (no probability)")
        ax.grid(visible=True, color="grey", alpha=0.18, linewidth=0.6)
        add_legend(ax, entries, loc="center right", outside=bool(self._beside()))
        set_title(ax, f"Cheapest model in {self.stability.replicates:,} resamples of the same rows")
        return self

    def frame(self) -> Frame:
        """Per model and cost ratio: the share of resamples in which it is the cheapest."""
        at = self.stability.cost_ratio
        return stacked({name: {"cost_ratio": at, "wins": share} for name, share in self.stability.wins_at.items()})

    def _beside(self) -> float:
        labels = [*(shown(name) for name in self.stability.wins_at), "now, 0.123"]
        return 0.0 if fits_inside(labels) else inches_beside(labels)
