"""`CostCurveDisplay`: what the best threshold costs, whatever the costs and the class ratio turn out to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar, Self

from thresher.choices import JointChoice
from thresher.curves import cost_curve
from thresher.evaluation import Evaluation
from thresher.inference import Band
from thresher.plots.display import WIDTH, Frame, add_legend, ink, looks, shown, stacked
from thresher.plots.models import ModelsDisplay
from thresher.tables import Contingency

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


_DOTS: Any = ((0, (1, 2)), (0, (1, 2)), (0, (4, 2)), (0, (4, 1, 1, 1)))  # never and always look the same


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class CostCurveDisplay(ModelsDisplay):
    """Cost curves: the lower envelope of all thresholds' lines, below the triangle of never and always.

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
        """Of every model of an evaluation, with the rules that are priced beside them."""
        display = super(CostCurveDisplay, cls).from_evaluation(evaluation, bands=bands)
        known = (*evaluation.models, "never", "always")
        display.rules = {name: rule.table for name, rule in evaluation.rules.items() if name not in known}
        return display

    def plot(self, ax: Axes | None = None, *, thresholds: bool | None = None) -> Self:
        """Draw it; `thresholds` adds the line of every threshold on the hull (for a single model unless told)."""
        ax = self._opened(ax)
        ax.set(xlim=(0, 1), xlabel="probability-cost of the positive class")
        ax.set_ylabel("normalised expected cost")
        ax.grid(visible=True, color="grey", alpha=0.18, linewidth=0.6)
        fixed = {"never": ([0, 0.5], [0, 0.5]), "always": ([0.5, 1], [0.5, 0])}
        fixed |= {name: ([0, 1], [float(table.fpr), float(table.fnr)]) for name, table in self.rules.items()}
        self.rules_ = {
            name: ax.plot(*line, color=ink(ax), linewidth=0.9, linestyle=dots, alpha=0.6)[0]
            for (name, line), dots in zip(fixed.items(), cycle(_DOTS), strict=False)
        }
        look = looks(self.rankings, ax)
        self.lines_, self.thresholds_, self.chosen_, self.conditions_ = {}, [], [], {}
        entries: list[tuple[Artist, str]] = []
        for name, ranking in self.rankings.items():
            curve = cost_curve(ranking)
            if len(self.rankings) == 1 if thresholds is None else thresholds:
                self.thresholds_ += [
                    ax.plot([0, 1], ends, color=look[name].colour, linewidth=0.6, alpha=0.35)[0]
                    for ends in zip(curve.fpr.tolist(), curve.fnr.tolist(), strict=True)
                ]
            (self.lines_[name],) = ax.plot(
                curve.probability_cost,
                curve.cost,
                color=look[name].colour,
                linestyle=look[name].dashes,
                linewidth=WIDTH,
                zorder=3,
            )
            entries.append((self.lines_[name], self._label(name, f"area {curve.area:.3f}")))
        for name, joint in self.chosen.items():
            at = probability_cost(joint)
            self.conditions_[name] = ax.axvline(at, color=ink(ax), linewidth=1.1, linestyle=(0, (3, 2)), alpha=0.7)
            words = shown(name) if name else f"condition, cost ratio {joint.choice.condition.cost_ratio:.3g}"
            entries.append((self.conditions_[name], words))
            self.chosen_ += [
                ax.plot(at, cost_curve(ranking).at(at), "D", color=look[model].colour, markersize=6, zorder=4)[0]
                for model, ranking in self.rankings.items()
            ]
        entries.append((self.rules_["never"], "never, always"))
        entries += [(self.rules_[name], shown(name)) for name in self.rules]
        beside = bool(self._beside())
        ax.set_ylim(0, 0.51 if beside else 0.5 + 0.045 * len(entries))  # the legend stands above the triangle
        add_legend(ax, entries, loc="upper right", outside=beside)
        self._title(ax, "Cost curve")
        return self

    def frame(self) -> Frame:
        """Per model and corner of its envelope: probability-cost and normalised expected cost."""
        curves = {name: cost_curve(ranking) for name, ranking in self.rankings.items()}
        return stacked(
            {name: {"probability_cost": each.probability_cost, "cost": each.cost} for name, each in curves.items()}
        )


def probability_cost(joint: JointChoice) -> float:
    """Where a condition stands on the axis of a cost curve: 1 / (1 + slope in ROC space), from 0 to 1.

    >>> from thresher import OperatingCondition, Ranking, choose
    >>> even = Ranking.parse("[3+,1-][1+,3-]")
    >>> probability_cost(choose({"a": even}, OperatingCondition(cost_ratio=4)))
    0.8
    """
    # prevalence·cost_fn / (prevalence·cost_fn + (1 - prevalence)·cost_fp), Drummond & Holte 2006
    return 1 / (1 + joint.choice.condition.slope_roc)
