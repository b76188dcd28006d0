"""`KSDisplay`: both classes' score distributions, and where they are farthest apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from thresher.curves import ks, roc
from thresher.plots.display import WIDTH, Display, Frame, add_legend, ink, name_text, palette, set_title
from thresher.plots.models import MODEL, curve_splits, require_one_ranking
from thresher.ranking import Floats, Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class KSDisplay(Display):
    """The share of each class at or above every threshold; the longest vertical distance is the statistic.

    >>> import thresher as th
    >>> spam_tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> KSDisplay.from_ranking(spam_tree).frame()["positives"]
    array([0. , 0.4, 0.6, 1. ])
    """

    ranking: Ranking
    name: str = MODEL
    positives_: Line2D = field(init=False)
    negatives_: Line2D = field(init=False)
    distance_: Line2D = field(init=False)

    @classmethod
    def from_ranking(cls, ranking: Ranking, *, name: str = MODEL) -> Self:
        """Of one ranking."""
        require_one_ranking(ranking).require_both_classes()
        return cls(ranking=ranking, name=name)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it against the score; infinite scores lie at the edge."""
        ax = self._axes(ax, ylim=(-0.01, 1.01), xlabel="threshold", ylabel="share at or above the threshold")
        pos, neg = palette(ax)[:2]
        fpr, tpr, _ = (column[curve_splits(self.ranking)] for column in roc(self.ranking))
        score = _edges(self.ranking)[curve_splits(self.ranking)]
        # Above split k's lowest score lie its segments: the share holds from there down to the next score.
        (self.positives_,) = ax.step(score, tpr, where="post", color=pos, linewidth=WIDTH)
        (self.negatives_,) = ax.step(score, fpr, where="post", color=neg, linewidth=WIDTH, linestyle=(0, (3.5, 1.5)))
        apart = ks(self.ranking)
        at = float(np.clip(apart.threshold, score.min(), score.max()))
        heights = [roc(self.ranking)[side][apart.split] for side in (0, 1)]
        (self.distance_,) = ax.plot([at, at], heights, color=ink(ax), linewidth=2, marker="_", markersize=9)
        entries = [(self.positives_, "positives (tpr)"), (self.negatives_, "negatives (fpr)")]
        add_legend(ax, [*entries, (self.distance_, f"KS {apart.statistic:.3f} at {apart.threshold:.3g}")], loc="best")
        set_title(ax, "Classes apart" + ("" if self.name == MODEL else f": {name_text(self.name)}"))
        return self

    def frame(self) -> Frame:
        """Per split: threshold and the share of positives and of negatives at or above it."""
        fpr, tpr, threshold = roc(self.ranking)
        return {"threshold": threshold, "positives": tpr, "negatives": fpr}


def _edges(ranking: Ranking) -> Floats:
    """The score from which each split holds; the split without cases lies a little above the highest."""
    finite = ranking.score[np.isfinite(ranking.score)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    margin = 0.04 * (high - low) or 0.5
    return np.concatenate([[high + margin], np.clip(ranking.score, low - margin, high + margin)])
