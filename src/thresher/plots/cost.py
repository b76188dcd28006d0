"""Cost curves, Brier curves and net benefit: what decisions cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from thresher.calibration import calibration_map, recalibrate
from thresher.choices import JointChoice
from thresher.curves import BrierCurve, brier_curve, cost_curve, net_benefit
from thresher.evaluation import ThresholdEvaluation
from thresher.inference import Band
from thresher.plots.display import DOTTED, name_text
from thresher.plots.models import ModelsDisplay, Restates
from thresher.ranking import Floats
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
    def from_evaluation(cls, evaluation: ThresholdEvaluation, *, bands: Mapping[str, Band] | None = None) -> Self:
        """Of every model of an evaluation, with the other rules that it prices."""
        display = super(CostCurveDisplay, cls).from_evaluation(evaluation, bands=bands)
        known = (*evaluation.models, "never", "always")
        display.rules = {name: rule.table for name, rule in evaluation.rules.items() if name not in known}
        return display

    def plot(self, ax: Axes | None = None, *, thresholds: bool | None = None) -> Self:
        """Draw it; `thresholds` adds each threshold on the hull (default: of one model)."""
        axis = "probability-cost of the positive class"
        ax = self._start(ax, xlim=(0, 1), xlabel=axis, ylabel="normalised expected cost")
        fixed = {"never": ([0, 0.5], [0, 0.5]), "always": ([0.5, 1], [0.5, 0])}
        fixed |= {name: ([0, 1], [float(table.fpr), float(table.fnr)]) for name, table in self.rules.items()}
        self.rules_ = {
            name: ax.plot(*line, color=self._ink, linewidth=0.9, linestyle=dots, alpha=0.6)[0]
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
            self.conditions_[name] = ax.axvline(at, **self._dashed(alpha=0.7))
            for model, curve in curves.items():
                colour = self._styles[model].colour
                self.chosen_ += ax.plot(at, curve.at(at), "D", color=colour, markersize=6, zorder=4)
        ratios = {name: joint.choice.condition.cost_ratio for name, joint in self.chosen.items()}
        others = [
            (line, name_text(name) if name else f"condition, cost ratio {ratios[name]:.3g}")
            for name, line in self.conditions_.items()
        ]
        others += [
            (self.rules_["never"], "never, always"),
            *((self.rules_[name], name_text(name)) for name in self.rules),
        ]
        # The legend lies above the triangle, unless it lies next to it.
        entries = len(self.rankings) + len(others)
        ax.set_ylim(0, 0.51 if self._legend_inches() else 0.5 + 0.045 * entries)
        return self._finish_curves("Cost curve", *others, loc="upper right")

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per corner of the envelope: probability-cost and normalised expected cost."""
        curve = cost_curve(self.rankings[name])
        return {"probability_cost": curve.probability_cost, "cost": curve.cost}


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class BrierCurveDisplay(ModelsDisplay):
    """Brier curves: loss against the cost proportion; the area is the Brier score.

    >>> import thresher as th
    >>> spam_tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> BrierCurveDisplay.from_ranking(spam_tree).frame()["cost_proportion"]
    array([0. , 0.3, 0.3, 0.6, 0.6, 0.9, 0.9, 1. ])
    """

    restates: ClassVar[Restates] = "probabilities"

    calibrated_: dict[str, Line2D] = field(init=False)

    def plot(self, ax: Axes | None = None, *, calibrated: bool = True) -> Self:
        """Draw it; `calibrated` adds the curve after isotonic calibration, as a thin line."""
        ax = self._start(ax, xlim=(0, 1), xlabel="cost proportion = threshold", ylabel="loss (area: Brier score)")
        self.calibrated_ = {}
        thin = []
        for name, ranking in self.rankings.items():
            curve = brier_curve(ranking)
            self._curve(name, *corners(curve), f"Brier {curve.area:.3f}")
            if calibrated:
                after = brier_curve(recalibrate(ranking, calibration_map(ranking)))
                colour = self._styles[name].colour
                (self.calibrated_[name],) = ax.plot(*corners(after), color=colour, linewidth=0.8, alpha=0.8)
                thin.append((self.calibrated_[name], f"calibrated ({after.area:.3f})"))
        ax.set_ylim(bottom=0)
        if len(thin) == 1:
            return self._finish_curves("Brier curve", *thin, loc="lower center")
        return self._finish_curves("Brier curve" + (", thin: once calibrated" if thin else ""), loc="lower center")

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per end of each straight piece: cost proportion and loss."""
        x, y = corners(brier_curve(self.rankings[name]))
        return {"cost_proportion": x, "loss": y}


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class NetBenefitDisplay(ModelsDisplay):
    """Net benefit by threshold probability (decision curves).

    Bands come from `net_benefit_band`.

    >>> import thresher as th
    >>> spam_tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])
    >>> float(NetBenefitDisplay.from_ranking(spam_tree).frame()["net_benefit"][49].round(4))
    0.2
    """

    takes: ClassVar[frozenset[str]] = frozenset({"bands"})
    restates: ClassVar[Restates] = "probabilities"

    everyone_: Line2D = field(init=False)
    no_one_: Line2D = field(init=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, down to a little below 0: beyond that, doing nothing is better."""
        ax = self._start(ax, xlim=(0, 1), xlabel="threshold probability", ylabel="net benefit per case")
        curves = {name: net_benefit(ranking) for name, ranking in self.rankings.items()}
        first = next(iter(curves.values()))  # the models share their cases, or at least this picture
        (self.everyone_,) = ax.plot(first.threshold, first.everyone, color=self._ink, linestyle=DOTTED, linewidth=1.2)
        (self.no_one_,) = ax.plot(first.threshold, first.no_one, color=self._ink, linewidth=0.9)
        for name, curve in curves.items():
            self._band(name)
            self._curve(name, curve.threshold, curve.model)
        highest = max(float(np.maximum(curve.model, curve.everyone).max()) for curve in curves.values())
        highest = max(0.0, highest, *(float(band.upper.max()) for band in self.bands.values()))
        highest = highest or max(ranking.prevalence for ranking in self.rankings.values())  # what none can exceed
        ax.set_ylim(-0.15 * highest, 1.08 * highest)
        others = (self.everyone_, "act on everyone"), (self.no_one_, "act on no one")
        return self._finish_curves("Net benefit", *others, loc="upper right")

    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """Per threshold: net benefit of the model, of acting on everyone and on no one."""
        curve = net_benefit(self.rankings[name])
        others = {"everyone": curve.everyone, "no_one": curve.no_one}
        return {"threshold": curve.threshold, "net_benefit": curve.model, **others}


def probability_cost(joint: JointChoice) -> float:
    """Where a condition lies on the axis of a cost curve, from 0 to 1."""
    # prevalence·cost_fn / (prevalence·cost_fn + (1 - prevalence)·cost_fp), Drummond & Holte 2006
    return 1 / (1 + joint.choice.condition.slope_roc)


def corners(curve: BrierCurve) -> tuple[Floats, Floats]:
    """Both ends of every piece, in order: the curve jumps where two share their place."""
    places = np.stack([curve.start, curve.end], axis=1).ravel()
    return places, np.stack([curve.loss_at_start, curve.loss_at_end], axis=1).ravel()
