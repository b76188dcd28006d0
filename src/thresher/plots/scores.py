"""`ScoresDisplay` and `KSDisplay`: how the scores of both classes are spread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from thresher._internal.arguments import require_integer
from thresher.choices import Choice
from thresher.curves import ks, roc
from thresher.errors import argument
from thresher.evaluation import ModelEvaluation
from thresher.plots.display import WIDTH, Display, Entries, Frame, dashes, name_text
from thresher.plots.models import FEW, MODEL, curve_splits, require_one_ranking
from thresher.ranking import Counts, Floats, Ranking
from thresher.tables import contingency_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

_BINS = 40
# Figures cannot place numbers beyond these: differences and their multiples would be infinite, or vanish.
_FAR = 1e300
_NEAR = 1e-300


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ScoresDisplay(Display):
    """Positives upwards and negatives downwards by score, as shares of their class.

    Up to 60 distinct scores are drawn one by one; more are counted between `edges`, a score on an edge belonging
    above it. `beyond` says how many cases have infinite scores and are not shown.

    >>> import thresher as th
    >>> display = ScoresDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]))
    >>> display.frame()["pos"].tolist(), display.frame()["score"].tolist()
    ([20, 10, 20], [2.0, 1.0, -1.0])
    """

    _inches: ClassVar = 7.0, 4.2
    score: Floats
    pos: Counts
    neg: Counts
    edges: Floats | None
    beyond: float
    choice: Choice | None = None
    name: str = MODEL
    positives_: BarContainer = field(init=False)
    negatives_: BarContainer = field(init=False)
    threshold_: Line2D | None = field(init=False)

    @classmethod
    def from_ranking(
        cls, ranking: Ranking, *, bins: int | None = None, choice: Choice | None = None, name: str = MODEL
    ) -> Self:
        """Of one ranking, in `bins` of equal width, with the threshold of `choice`."""
        require_one_ranking(ranking)
        if bins is not None:
            require_integer(bins, name="bins", least=1, most=1_000_000, fix=f"give e.g. {argument('bins', 40)}")
        finite = np.isfinite(ranking.score)
        beyond = float((ranking.pos + ranking.neg)[~finite].sum())
        score, pos, neg = (column[finite] for column in (ranking.score, ranking.pos, ranking.neg))
        edges = None
        if bins is not None or score.size > FEW:
            edges = np.linspace(*_ends(score), (bins or _BINS) + 1)
            pos, neg = _between(ranking, edges, score)
            score = (edges[1:] + edges[:-1]) / 2
        return cls(score=score, pos=pos, neg=neg, edges=edges, beyond=beyond, choice=choice, name=name)

    @classmethod
    def from_evaluation(cls, model: ModelEvaluation, *, bins: int | None = None) -> Self:
        """Of one model, with its threshold: `from_evaluation(evaluation["name"])`."""
        return cls.from_ranking(model.ranking, bins=bins, choice=model.choice, name=model.name)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; both halves have the same scale."""
        from matplotlib.patches import Patch
        from matplotlib.ticker import FuncFormatter

        ax = self._axes(ax, grid="y", xlabel="score", ylabel="share of the negatives  |  of the positives")
        up, down = self._palette[:2]
        self.positives_ = self._bars(ax, self.pos, up, 1)
        self.negatives_ = self._bars(ax, self.neg, down, -1)
        ax.axhline(0, color=self._ink, linewidth=0.8)
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{abs(value):.10g}"))
        ax.margins(x=0.06, y=0.12)
        entries: Entries = [(Patch(color=up), "positives"), (Patch(color=down), "negatives")]
        self.threshold_ = None
        if self.choice is not None and np.isfinite(self.choice.threshold):
            at = self.choice.threshold
            place = float(np.clip(at, -_FAR, _FAR))
            self.threshold_ = ax.axvline(place, **self._dashed() | {"linewidth": 1.2})
            entries.append((self.threshold_, f"threshold {at:.4g}"))
        beyond = f" ({self.beyond:,.10g} infinite left out)" if self.beyond else ""
        return self._finish(f"Scores by class{_colon(self.name)}{beyond}", entries, outside=True)

    def frame(self) -> Frame:
        """Per score, or per interval (its middle and ends): positives and negatives."""
        ends: Frame = {} if self.edges is None else {"lower": self.edges[:-1], "upper": self.edges[1:]}
        return {"score": self.score, **ends, "pos": self.pos, "neg": self.neg}

    def _bars(self, ax: Axes, counts: Counts, colour: str, sign: int) -> BarContainer:
        height = sign * counts / max(counts.sum(), np.finfo(float).tiny)  # an absent class has no share anywhere
        if self.edges is not None:
            widths = np.diff(self.edges)
            return ax.bar(self.edges[:-1], height, width=widths, align="edge", color=colour, edgecolor="none")
        score = np.clip(self.score, -_FAR, _FAR)
        span = float(np.ptp(score)) if score.size > 1 else 1.0
        span = span if span > _NEAR else 1.0
        near = float(np.abs(np.diff(score)).min(initial=span))
        wide = min(max(0.6 * near, 0.008 * span), 0.035 * span)
        return ax.bar(score, height, width=wide, color=colour, edgecolor="none")


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class KSDisplay(Display):
    """The share of each class at or above every threshold, and the longest distance.

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
        pos, neg = self._palette[:2]
        fpr, tpr, _ = (column[curve_splits(self.ranking)] for column in roc(self.ranking))
        score = _edges(self.ranking)[curve_splits(self.ranking)]
        # Above split k's lowest score lie its segments: the share holds from there down to the next score.
        (self.positives_,) = ax.step(score, tpr, where="post", color=pos, linewidth=WIDTH)
        (self.negatives_,) = ax.step(score, fpr, where="post", color=neg, linewidth=WIDTH, linestyle=dashes(1))
        apart = ks(self.ranking)
        at = float(np.clip(apart.threshold, score.min(), score.max()))
        heights = [roc(self.ranking)[side][apart.split] for side in (0, 1)]
        (self.distance_,) = ax.plot([at, at], heights, color=self._ink, linewidth=2, marker="_", markersize=9)
        entries = [(self.positives_, "positives (tpr)"), (self.negatives_, "negatives (fpr)")]
        entries.append((self.distance_, f"KS {apart.statistic:.3f} at {apart.threshold:.3g}"))
        return self._finish(f"Classes apart{_colon(self.name)}", entries, loc="best")

    def frame(self) -> Frame:
        """Per split: threshold and the share of positives and of negatives at or above it."""
        fpr, tpr, threshold = roc(self.ranking)
        return {"threshold": threshold, "positives": tpr, "negatives": fpr}


def _ends(score: Floats) -> tuple[float, float]:
    """Where the intervals begin and end."""
    if not score.size:
        return 0.0, 1.0
    low, high = np.clip([score[-1], score[0]], -_FAR, _FAR).tolist()
    return (low, high) if high - low > _NEAR or high == low else (low - 0.5, high + 0.5)


def _between(ranking: Ranking, edges: Floats, score: Floats) -> tuple[Counts, Counts]:
    """Positives and negatives between edges; the outer ones hold all finite scores."""
    low, high = (score[-1], score[0]) if score.size else (edges[0], edges[-1])
    with np.errstate(over="ignore"):  # above the largest number there is infinity, which is meant
        above = np.nextafter(max(high, edges[-1]), np.inf)
    at = contingency_at(ranking, np.concatenate([[min(low, edges[0])], edges[1:-1], [above]]))
    return -np.diff(at.tp), -np.diff(at.fp)


def _edges(ranking: Ranking) -> Floats:
    """The score from which each split holds; the first lies above the highest."""
    finite = ranking.score[np.isfinite(ranking.score)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    margin = 0.04 * (high - low) or 0.5
    return np.concatenate([[high + margin], np.clip(ranking.score, low - margin, high + margin)])


def _colon(name: str) -> str:
    """What follows a title: the model's name, if it has one."""
    return "" if name == MODEL else f": {name_text(name)}"
