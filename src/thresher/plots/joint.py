"""`JointHullDisplay` and `WinnersDisplay`: which model is best where, in ROC space and along the cost ratio."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from thresher.choices import JointChoice, Range, choose
from thresher.curves import roc
from thresher.evaluation import Evaluation
from thresher.plots.display import (
    LITERAL,
    Display,
    Frame,
    add_legend,
    fits_inside,
    inches_beside,
    ink,
    looks,
    set_title,
    shown,
)
from thresher.plots.models import by_name, drawn_splits, unit_square
from thresher.ranking import Ranking
from thresher.tables import OperatingCondition

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

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
        models = by_name(ranking, Ranking)
        return cls(joint=choose(models, condition))

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation) -> Self:
        """Of every model of an evaluation."""
        return cls(joint=evaluation.joint)


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class JointHullDisplay(JointDisplay):
    """The hull of all models' ROC curves; each of its corners in the colour of the model that reaches it.

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
        """Square, with a legend beside it."""
        return 4.9 + inches_beside([self._label(name) for name in self.joint.choices]), 4.8

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it over the models' curves."""
        ax = self._opened(ax)
        unit_square(ax, "false positive rate", "true positive rate")
        look = looks(self.joint.choices, ax)
        self.lines_, self.corners_ = {}, []
        entries: list[tuple[Artist, str]] = []
        for name, choice in self.joint.choices.items():
            fpr, tpr, _ = (column[drawn_splits(choice.ranking)] for column in roc(choice.ranking))
            (self.lines_[name],) = ax.plot(
                fpr, tpr, color=look[name].colour, linestyle=look[name].dashes, linewidth=1, alpha=0.7
            )
        corners = [(each.point.table.fpr, each.point.table.tpr) for each in self.joint.ranges]
        # The rules without scores are corners of every hull, also when they are best for no cost ratio.
        x, y = zip(*[(0.0, 0.0), *corners, (1.0, 1.0)], strict=True)
        (self.hull_,) = ax.plot(x, y, color=ink(ax), linewidth=1.2, zorder=3)
        for name, style in look.items():
            reached = [
                corner
                for corner, each in zip(corners, self.joint.ranges, strict=True)
                if name == each.models[0] and each.rule == "threshold"
            ]
            if reached:
                xs, ys = zip(*reached, strict=True)
                self.corners_ += ax.plot(
                    xs, ys, linestyle="none", marker=style.marker, color=style.colour, markersize=6, zorder=4
                )
            entries.append((self.lines_[name], self._label(name)))
        add_legend(ax, [*entries, (self.hull_, "joint hull")], outside=True)
        set_title(ax, "Joint hull: best at cost ratios …")
        return self

    def frame(self) -> Frame:
        """Per range of cost ratios: its ends, the models that are best there, rule, fpr, tpr and threshold."""
        return _ranges(self.joint)

    def _label(self, name: str) -> str:
        return f"{shown(name)}: {_stretches(self.joint, name)}"


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
        wide = 0.0 if fits_inside([shown(name) for name in self.joint.choices]) else 1.2
        return 7.0 + wide, 1.3 + 0.32 * rows

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it on a logarithmic axis; open ends run to ten times the last corner."""
        ax = self._opened(ax)
        names = [*self.joint.choices, "never", "always"]
        look = looks(self.joint.choices, ax)
        low, high = self._span()
        self.bars_ = {}
        for row, name in enumerate(names):
            rules = row >= len(self.joint.choices)
            pieces = [each for each in self.joint.ranges if (each.rule == name if rules else _wins(each, name))]
            ends = [(max(each.low, low), min(each.high, high)) for each in pieces]
            self.bars_[name] = ax.hlines(
                np.full(len(ends), row),
                [start for start, _ in ends],
                [end for _, end in ends],
                color=ink(ax) if rules else look[name].colour,
                linewidth=7,
            )
        now = self.joint.choice.condition.cost_ratio
        self.condition_ = ax.axvline(now, color=ink(ax), linewidth=1.1, linestyle=(0, (3, 2)), alpha=0.8)
        ax.set(xscale="log", xlim=(low, high), ylim=(len(names) - 0.4, -0.6))
        ax.set_yticks(range(len(names)), [shown(name) for name in names], **LITERAL)
        ax.tick_params(axis="y", length=0)
        ax.grid(visible=True, axis="x", color="grey", alpha=0.22, linewidth=0.6)
        ax.set_xlabel("cost ratio: false alarms that a miss costs")
        set_title(ax, f"Cheapest model by cost ratio (dashed: now, {now:.3g})")
        return self

    def frame(self) -> Frame:
        """Per range of cost ratios: its ends, the models that are best there, rule, fpr, tpr and threshold."""
        return _ranges(self.joint)

    def _span(self) -> tuple[float, float]:
        """Cost ratios to show: all corners and the present one, and a factor of ten beyond the open ends."""
        now = self.joint.choice.condition.cost_ratio
        ends = [now, *(end for each in self.joint.ranges for end in (each.low, each.high) if 0 < end < math.inf)]
        return min(ends) / _BEYOND, max(ends) * _BEYOND


def _wins(each: Range, name: str) -> bool:
    return each.rule == "threshold" and name in each.models


def _stretches(joint: JointChoice, name: str) -> str:
    """The cost ratios at which a model is best, as words."""
    found: list[tuple[float, float]] = []
    for each in joint.ranges:
        if _wins(each, name):
            start = found.pop()[0] if found and found[-1][1] == each.low else each.low
            found.append((start, each.high))
    return ", ".join(f"{low:.3g} to {high:.3g}".replace("inf", "∞") for low, high in found[:2]) + (
        " …" if len(found) > 2 else "" if found else "nowhere"
    )


def _ranges(joint: JointChoice) -> Frame:
    tables = [each.point.table for each in joint.ranges]
    return {
        "low": np.array([each.low for each in joint.ranges]),
        "high": np.array([each.high for each in joint.ranges]),
        "models": np.array([", ".join(each.models) for each in joint.ranges], dtype=object),
        "rule": np.array([each.rule for each in joint.ranges], dtype=object),
        "fpr": np.array([table.fpr for table in tables]),
        "tpr": np.array([table.tpr for table in tables]),
        "threshold": np.array([each.point.threshold for each in joint.ranges]),
    }
