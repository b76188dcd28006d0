"""`MarginLossDisplay`: how losses judge a margin, and what they make of a ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self, TypeAlias

import numpy as np

from thresher.calibration.losses import LOSSES, mean_loss
from thresher.errors import ArgumentError
from thresher.plots.display import Display, Frame, name_text, stack
from thresher.ranking import Floats, Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

Loss: TypeAlias = Callable[[Floats], Floats]
_HIGHEST = 4.0


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class MarginLossDisplay(Display):
    """Losses against the margin; with a ranking, their means over its cases.

    Each is 1 at 0, and the convex ones bound the 0-1 loss from above.

    >>> display = MarginLossDisplay.from_losses()
    >>> list(display.losses)
    ['0-1', 'hinge', 'logistic', 'exponential', 'squared']
    """

    _inches: ClassVar = 6.8, 4.4
    losses: Mapping[str, Loss]
    margin: Floats
    ranking: Ranking | None = None
    lines_: dict[str, Line2D] = field(init=False)

    @classmethod
    def from_losses(cls, of: Mapping[str, Loss] | None = None, *, margin: tuple[float, float] = (-2.0, 2.0)) -> Self:
        """Of thresher's five losses, or of functions by name, over a range of margins."""
        low, high = margin
        if not (np.isfinite([low, high]).all() and low < high):
            raise ArgumentError(f"margin must be a range of two numbers, got {margin}", "give e.g. margin=(-2, 2)")
        return cls(losses=LOSSES if of is None else of, margin=_margins(low, high))

    @classmethod
    def from_ranking(cls, ranking: Ranking, *, boundary: float = 0.0) -> Self:
        """Of thresher's five losses, with means; margins are distances from `boundary`.

        >>> halves = MarginLossDisplay.from_ranking(Ranking.parse("[1+][1-]", score=[0.75, 0.25]), boundary=0.5)
        >>> halves.ranking
        Ranking([1+][1-] at scores 0.25, -0.25)
        """
        display = cls.from_losses()
        display.ranking = Ranking(ranking.score - boundary, ranking.pos, ranking.neg)
        return display

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, up to a loss of 4."""
        ends = self.margin[0], self.margin[-1]
        ax = self._axes(ax, xlim=ends, ylim=(-0.05, _HIGHEST), xlabel="margin", ylabel="loss")
        style = self._styles_of(self.losses)
        self.lines_ = {}
        for name, loss in self.losses.items():
            (self.lines_[name],) = ax.plot(self.margin, loss(self.margin), **style[name].line)
        ax.axvline(0, color=self._ink, linewidth=0.8, alpha=0.6)
        entries = [(line, self._label(name)) for name, line in self.lines_.items()]
        return self._finish("Losses of the margin", entries, outside=True)

    def frame(self) -> Frame:
        """Per loss and margin: the loss."""
        values = {name: {"margin": self.margin, "value": loss(self.margin)} for name, loss in self.losses.items()}
        return stack(values, key="loss")

    def _label(self, name: str) -> str:
        if self.ranking is None:
            return name_text(name)
        return f"{name_text(name)} (mean {mean_loss(self.ranking, self.losses[name]):.3f})"


def _margins(low: float, high: float) -> Floats:
    """Even margins, with 0 and the next number above it: the 0-1 loss jumps there."""
    if not low < 0 < high:
        return np.linspace(low, high, 401)
    return np.concatenate([np.linspace(low, 0, 201), [np.nextafter(0, 1)], np.linspace(0, high, 201)[1:]])
