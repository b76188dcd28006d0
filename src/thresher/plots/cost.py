"""`CostCurveDisplay`: what the best threshold costs, whatever costs and class ratio are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy.typing as npt

from thresher.choices import JointChoice
from thresher.curves import cost_curve
from thresher.evaluation import Evaluation
from thresher.inference import Band
from thresher.plots.display import DASHED, ink, name_text
from thresher.plots.models import ModelsDisplay
from thresher.tables import Contingency

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


_DOTS: Any = ((0, (1, 2)), (0, (1, 2)), (0, (4, 2)), (0, (4, 1, 1, 1)))  # never and always are drawn alike


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class CostCurveDisplay(ModelsDisplay):
    """Cost curves: the lower envelope of all thresholds, below never and always.

    `rules` are the tables of other ways to act, such as 0.5 and the rule in use, each drawn as a line.

    >>> import thresher as th
    >>> display = CostCurveDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> display.frame()["cost"].round(4)
    array([0.    , 0.2   , 0.2667, 0.3333, 0.    ])
    """

    takes: ClassVar[frozenset[str]] = frozenset({"conditions"})

    rules: Mapping[str, Contingency] = field(default_factory=dict)
    rules_: dict[str, Line2D] = field(init=False)
    thresholds_: list[Line2D] = field(init=False)
    chosen_: list[Line2D] = field(init=False)
    conditions_: dict[str, Line2D] = field(init=False)

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, *, bands: Mapping[str, Band] | None = None) -> Self:
        """Of every model of an evaluation, with the other rules that it prices."""
        display = super(CostCurveDisplay, cls).from_evaluation(evaluation, bands=bands)
        known = (*evaluation.models, "never", "always")
        display.rules = {name: rule.table for name, rule in evaluation.rules.items() if name not in known}
        return display

    def plot(self, ax: Axes | None = None, *, thresholds: bool | None = None) -> Self:
        """Draw it; `thresholds` adds each threshold on the hull (default: of a single model)."""
        axis = "probability-cost of the positive class"
        ax = self._start(ax, xlim=(0, 1), xlabel=axis, ylabel="normalised expected cost")
        fixed = {"never": ([0, 0.5], [0, 0.5]), "always": ([0.5, 1], [0.5, 0])}
        fixed |= {name: ([0, 1], [float(table.fpr), float(table.fnr)]) for name, table in self.rules.items()}
        self.rules_ = {
            name: ax.plot(*line, color=ink(ax), linewidth=0.9, linestyle=dots, alpha=0.6)[0]
            for (name, line), dots in zip(fixed.items(), cycle(_DOTS), strict=False)
        }
        self.thresholds_, self.chosen_, self.conditions_ = [], [], {}
        curves = {name: cost_curve(ranking) for name, ranking in self.rankings.items()}
        for name, curve in curves.items():
            if len(curves) == 1 if thresholds is None else thresholds:
                self.thresholds_ += [
                    ax.plot([0, 1], ends, color=self._styles[name].colour, linewidth=0.6, alpha=0.35)[0]
                    for ends in zip(curve.fpr.tolist(), curve.fnr.tolist(), strict=True)
                ]
            self._curve(name, curve.probability_cost, curve.cost, f"area {curve.area:.3f}")
        for name, joint in self.chosen.items():
            at = probability_cost(joint)
            self.conditions_[name] = ax.axvline(at, color=ink(ax), linewidth=1.1, linestyle=DASHED, alpha=0.7)
            for model, curve in curves.items():
                colour = self._styles[model].colour
                self.chosen_ += ax.plot(at, curve.at(at), "D", color=colour, markersize=6, zorder=4)
        others = [(line, self._condition(name)) for name, line in self.conditions_.items()]
        others += [
            (self.rules_["never"], "never, always"),
            *((self.rules_[name], name_text(name)) for name in self.rules),
        ]
        # The legend lies above the triangle, unless it lies next to it.
        entries = len(self.rankings) + len(others)
        ax.set_ylim(0, 0.51 if self._legend_inches() else 0.5 + 0.045 * entries)
        return self._finish_curves("Cost curve", *others, loc="upper right")

    def _condition(self, name: str) -> str:
        return name_text(name) if name else f"condition, cost ratio {self.chosen[name].choice.condition.cost_ratio:.3g}"

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per corner of the envelope: probability-cost and normalised expected cost."""
        curve = cost_curve(self.rankings[name])
        return {"probability_cost": curve.probability_cost, "cost": curve.cost}


def probability_cost(joint: JointChoice) -> float:
    """Where a condition lies on the axis of a cost curve, from 0 to 1."""
    # prevalence·cost_fn / (prevalence·cost_fn + (1 - prevalence)·cost_fp), Drummond & Holte 2006
    return 1 / (1 + joint.choice.condition.slope_roc)
