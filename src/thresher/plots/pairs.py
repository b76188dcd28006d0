"""`PairsDisplay`: every positive against every negative, and which scores higher."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from thresher._internal.palette import PAIRS_ON_DARK, PAIRS_ON_LIGHT
from thresher.curves import Pairs, auc, coverage, pairs, pairs_grid
from thresher.plots.display import Display, Entries, Frame, is_dark
from thresher.plots.models import require_one_ranking
from thresher.ranking import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D

_LINED = 40  # cases per side for which the cells have borders
_LABELLED = 16  # cases per side that are labelled with their score


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class PairsDisplay(Display):
    """The grid of pairs in coverage space: a row per positive, a column per negative.

    The coverage curve parts pairs that are won (below it) from those that are lost (above it); a tie is split.

    >>> import thresher as th
    >>> display = PairsDisplay.from_ranking(th.Ranking.parse("[1+][1+,1-][1-]"))
    >>> display.frame()["won"].tolist()
    [1.0, 1.0, 0.5, 1.0]
    """

    ranking: Ranking
    grid: npt.NDArray[np.float64]
    pairs: Pairs
    image_: AxesImage = field(init=False)
    curve_: Line2D = field(init=False)

    @classmethod
    def from_ranking(cls, ranking: Ranking) -> Self:
        """Of a ranking of counts, up to four million pairs."""
        require_one_ranking(ranking)
        return cls(ranking=ranking, grid=pairs_grid(ranking), pairs=pairs(ranking))

    @property
    def size(self) -> tuple[float, float]:
        """As wide and high as Neg and Pos ask for, and a legend next to it."""
        return min(max(4.2 * self.ranking.Neg / self.ranking.Pos, 2.6), 7.0) + 2.2, 4.8

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, with the coverage curve."""
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        ax = self._axes(ax, grid="")
        Pos, Neg = int(self.ranking.Pos), int(self.ranking.Neg)
        colours = PAIRS_ON_DARK if is_dark(ax) else PAIRS_ON_LIGHT
        scale: Any = {"cmap": ListedColormap(colours), "vmin": 0, "vmax": 1, "interpolation": "nearest"}
        aspect: Any = "equal" if max(Pos, Neg) <= 3 * min(Pos, Neg) else "auto"
        self.image_ = ax.imshow(self.grid, **scale, origin="lower", extent=(0, Neg, 0, Pos), aspect=aspect)
        table, line = coverage(self.ranking), "white" if is_dark(ax) else "black"
        (self.curve_,) = ax.plot(table.fp, table.tp, color=line, linewidth=1.8, clip_on=False, zorder=3)
        self._ticks(ax, Pos, Neg)
        outcomes = (("lost", self.pairs.lost), ("tied", self.pairs.tied), ("won", self.pairs.won))
        entries: Entries = [
            (Patch(facecolor=colour, edgecolor="grey", linewidth=0.5), f"{word}: {number:,}")
            for colour, (word, number) in zip(colours, outcomes, strict=True)
        ]
        entries.append((self.curve_, f"AUC {auc(self.ranking):.3f}"))
        return self._finish("Pairs of a positive and a negative", entries, outside=True)

    def frame(self) -> Frame:
        """Per pair: the places of both in the ranking, from 0, and its outcome, 1, ½ or 0."""
        positive, negative = np.indices(self.grid.shape)
        return {"positive": positive.ravel(), "negative": negative.ravel(), "won": self.grid.ravel()}

    def _ticks(self, ax: Axes, Pos: int, Neg: int) -> None:
        scores = np.repeat(self.ranking.score, self.ranking.pos), np.repeat(self.ranking.score, self.ranking.neg)
        if max(Pos, Neg) <= _LABELLED:
            ax.set_yticks(np.arange(Pos) + 0.5, [f"{score:.3g}" for score in scores[0]])
            ax.set_xticks(np.arange(Neg) + 0.5, [f"{score:.3g}" for score in scores[1]])
            ax.set(xlabel="negatives by falling score", ylabel="positives by falling score")
            ax.tick_params(length=0)
        else:
            sides = f"negatives by falling score (of {Neg:,})", f"positives by falling score (of {Pos:,})"
            ax.set(xlabel=sides[0], ylabel=sides[1])
        if max(Pos, Neg) <= _LINED:
            ax.hlines(np.arange(Pos + 1), 0, Neg, color="grey", linewidth=0.4, alpha=0.6)
            ax.vlines(np.arange(Neg + 1), 0, Pos, color="grey", linewidth=0.4, alpha=0.6)
