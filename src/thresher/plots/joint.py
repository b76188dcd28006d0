"""`JointHullDisplay`, `WinnersDisplay`, `WinsDisplay`: which model is best where."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Self

import numpy as np

from thresher.choices import JointChoice, Range, choose
from thresher.curves import roc
from thresher.evaluation import ThresholdEvaluation
from thresher.inference import Stability
from thresher.plots.display import Display, Frame, legend_inches, legend_space, name_rows, name_text, stack, unit_square
from thresher.plots.models import by_name, curve_splits
from thresher.ranking import Ranking
from thresher.tables import OperatingCondition

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

_RATIO = "cost ratio: false alarms that a miss costs"
_BEYOND = 10.0  # cost ratios of an open end, times the last finite one


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class JointDisplay(Display):
    """A picture of which of several models is best where."""

    joint: JointChoice

    @classmethod
    def from_ranking(
        cls, ranking: Ranking | Mapping[str, Ranking], *, condition: OperatingCondition | None = None
    ) -> Self:
        """Of several rankings by the names of their models."""
        return cls(joint=choose(by_name(ranking, Ranking), condition))

    @classmethod
    def from_evaluation(cls, evaluation: ThresholdEvaluation) -> Self:
        """Of every model of an evaluation."""
        return cls(joint=evaluation.joint)

    def frame(self) -> Frame:
        """Per range of cost ratios: its ends, who is best there, fpr, tpr and threshold."""
        ranges = self.joint.ranges
        points = [each.point for each in ranges]
        return {
            "low": np.array([each.low for each in ranges]),
            "high": np.array([each.high for each in ranges]),
            "models": np.array([", ".join(each.models) for each in ranges], dtype=object),
            "rule": np.array([each.rule for each in ranges], dtype=object),
            "fpr": np.array([point.table.fpr for point in points]),
            "tpr": np.array([point.table.tpr for point in points]),
            "threshold": np.array([point.threshold for point in points]),
        }


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class JointHullDisplay(JointDisplay):
    """The hull of all models' ROC curves, its corners in the colours of their models.

    >>> import thresher as th
    >>> models = {"careful": th.Ranking.parse("[4+][1+,5-]"), "eager": th.Ranking.parse("[5+,1-][4-]")}
    >>> display = JointHullDisplay.from_ranking(models)
    >>> display.frame()["models"].tolist()
    ['careful', 'eager']
    """

    lines_: dict[str, Line2D] = field(init=False)
    hull_: Line2D = field(init=False)
    corners_: list[Line2D] = field(init=False)

    @property
    def size(self) -> tuple[float, float]:
        """Square, with a legend next to it."""
        return 4.9 + legend_inches([self._label(name) for name in self.joint.choices]), 4.8

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it over the models' curves."""
        ax = self._axes(ax, **unit_square("false positive rate", "true positive rate"))
        by_model = self._styles_of(self.joint.choices)
        self.lines_, self.corners_ = {}, []
        for name, choice in self.joint.choices.items():
            fpr, tpr, _ = (column[curve_splits(choice.ranking)] for column in roc(choice.ranking))
            (self.lines_[name],) = ax.plot(fpr, tpr, **by_model[name].line | {"linewidth": 1, "alpha": 0.7})
        corners = [(each.point.table.fpr, each.point.table.tpr) for each in self.joint.ranges]
        # The rules without scores are corners of every hull, also when they are best for no cost ratio.
        x, y = zip(*[(0.0, 0.0), *corners, (1.0, 1.0)], strict=True)
        (self.hull_,) = ax.plot(x, y, color=self._ink, linewidth=1.2, zorder=3)
        for name, style in by_model.items():
            won = [name == each.models[0] and each.rule == "threshold" for each in self.joint.ranges]
            if any(won):
                xs, ys = zip(*compress(corners, won), strict=True)
                self.corners_ += ax.plot(xs, ys, style.marker, color=style.colour, markersize=6, zorder=4)
        entries = [(line, self._label(name)) for name, line in self.lines_.items()]
        return self._finish("Joint hull: best at cost ratios …", [*entries, (self.hull_, "joint hull")], outside=True)

    def _label(self, name: str) -> str:
        """The model, and the cost ratios at which it is best."""
        runs: list[tuple[float, float]] = []
        for each in self.joint.ranges:
            if _wins(each, name):
                start = runs.pop()[0] if runs and runs[-1][1] == each.low else each.low
                runs.append((start, each.high))
        ratios = ", ".join(f"{low:.3g} to {high:.3g}".replace("inf", "∞") for low, high in runs[:2]) or "nowhere"
        return f"{name_text(name)}: {ratios}{' …' * (len(runs) > 2)}"


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class WinnersDisplay(JointDisplay):
    """Which model, or which rule that ignores scores, is cheapest at which cost ratio.

    >>> import thresher as th
    >>> models = {"careful": th.Ranking.parse("[4+][1+,5-]"), "eager": th.Ranking.parse("[5+,1-][4-]")}
    >>> WinnersDisplay.from_ranking(models).frame()["high"]
    array([ 1., inf])
    """

    bars_: dict[str, LineCollection] = field(init=False)
    condition_: Line2D = field(init=False)

    @property
    def size(self) -> tuple[float, float]:
        """It grows with the number of models."""
        rows = len(self.joint.choices) + 2
        long = legend_space([name_text(name) for name in self.joint.choices]) > 0
        return 7.0 + 1.2 * long, 1.3 + 0.32 * rows

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it on a logarithmic axis; open ends run to ten times the last corner."""
        ax = self._axes(ax, grid="", xlabel=_RATIO)
        names = [*self.joint.choices, "never", "always"]
        by_model = self._styles_of(self.joint.choices)
        low, high = self._span()
        self.bars_ = {}
        for row, name in enumerate(names):
            rules = row >= len(self.joint.choices)
            pieces = [each for each in self.joint.ranges if (each.rule == name if rules else _wins(each, name))]
            ends = [(max(each.low, low), min(each.high, high)) for each in pieces]
            starts, stops = np.array(ends).reshape(-1, 2).T
            colour = self._ink if rules else by_model[name].colour
            self.bars_[name] = ax.hlines(np.full(len(ends), row), starts, stops, color=colour, linewidth=7)
        now = self.joint.choice.condition.cost_ratio
        self.condition_ = ax.axvline(now, **self._dashed(alpha=0.8))
        ax.set(xscale="log", xlim=(low, high), ylim=(len(names) - 0.4, -0.6))
        name_rows(ax, [name_text(name) for name in names])
        return self._finish(f"Cheapest model by cost ratio (dashed: now, {now:.3g})")

    def _span(self) -> tuple[float, float]:
        """Cost ratios to show: all corners and the present one, and ten times beyond."""
        now = self.joint.choice.condition.cost_ratio
        ends = [now, *(end for each in self.joint.ranges for end in (each.low, each.high) if 0 < end < math.inf)]
        return min(ends) / _BEYOND, max(ends) * _BEYOND


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class WinsDisplay(Display):
    """The share of resamples in which each model is the cheapest, by cost ratio.

    >>> from thresher import evaluate
    >>> result = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2])
    >>> set(WinsDisplay.from_evaluation(result).frame()["wins"].tolist())
    {1.0}
    """

    stability: Stability
    cost_ratio: float
    lines_: dict[str, Line2D] = field(init=False)
    condition_: Line2D = field(init=False)

    @classmethod
    def from_evaluation(cls, evaluation: ThresholdEvaluation) -> Self:
        """Of an evaluation's resamples."""
        return cls(stability=evaluation.stability, cost_ratio=evaluation.decision.condition.cost_ratio)

    @property
    def size(self) -> tuple[float, float]:
        """Wider when the legend lies next to the axes."""
        return 6.0 + self._legend_inches(), 3.8

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it over cost ratios from a tenth to ten times that of the condition."""
        share = "share of resamples (no probability)"
        ax = self._axes(ax, xlabel=_RATIO, ylabel=share, ylim=(-0.03, 1.03), xscale="log")
        style = self._styles_of(self.stability.wins_at)
        self.lines_ = {}
        for name, wins in self.stability.wins_at.items():
            (self.lines_[name],) = ax.plot(self.stability.cost_ratio, wins, **style[name].line)
        entries = [(line, name_text(name)) for name, line in self.lines_.items()]
        self.condition_ = ax.axvline(self.cost_ratio, **self._dashed(alpha=0.8))
        entries.append((self.condition_, f"now, {self.cost_ratio:.3g}"))
        title = f"Cheapest model in {self.stability.replicates:,} resamples of the same rows"
        return self._finish(title, entries, loc="center right", outside=bool(self._legend_inches()))

    def frame(self) -> Frame:
        """Per model and cost ratio: the share of resamples in which it is the cheapest."""
        at = self.stability.cost_ratio
        return stack({name: {"cost_ratio": at, "wins": share} for name, share in self.stability.wins_at.items()})

    def _legend_inches(self) -> float:
        labels = [*(name_text(name) for name in self.stability.wins_at), "now, 0.123"]
        return legend_space(labels)


def _wins(each: Range, name: str) -> bool:
    return each.rule == "threshold" and name in each.models
