"""`MeasuresDisplay`, `ComparisonDisplay`: numbers with intervals, one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from thresher.errors import ArgumentError
from thresher.evaluation import ThresholdEvaluation
from thresher.inference import Comparison, Interval
from thresher.inference.comparison.difference import shown_p
from thresher.plots.display import FAINT, Display, Frame, Style, legend_space, literal, name_rows, name_text, stack
from thresher.plots.models import MODEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.patches import Polygon, Rectangle

_PARTS = ("estimate", "lower", "upper")
MEASURES_SHOWN = ("accuracy", "tpr", "tnr", "precision", "npv", "f1", "average_recall", "mcc")


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class MeasuresDisplay(Display):
    """Measures of one or several models, each with its interval.

    >>> import thresher as th
    >>> intervals = th.intervals(th.Contingency(tp=30, fn=20, fp=10, tn=40))
    >>> display = MeasuresDisplay.from_intervals({"tree": {"recall": intervals["tpr"], "mcc": intervals["mcc"]}})
    >>> display.frame()["lower"].round(4)
    array([0.4618, 0.2168])
    """

    intervals: Mapping[str, Mapping[str, Interval]]
    of: str = "Measures"
    bars_: dict[str, ErrorbarContainer] = field(init=False)

    @classmethod
    def from_intervals(cls, intervals: Mapping[str, Mapping[str, Interval]], *, of: str = "Measures") -> Self:
        """Of intervals by model and measure; `of` says in the title what they are."""
        if len({tuple(each) for each in intervals.values()}) != 1:
            what = "the models do not have the same measures"
            raise ArgumentError(what, "give {model: {measure: interval}} with the same measures for every model")
        return cls(intervals=intervals, of=of)

    @classmethod
    def from_evaluation(cls, evaluation: ThresholdEvaluation, *, measures: Sequence[str] = MEASURES_SHOWN) -> Self:
        """Of every model of an evaluation: its AUC, and measures at its chosen threshold."""
        return cls.from_intervals(
            {
                name: {"auc": model.auc} | {each: model.measures[each] for each in measures}
                for name, model in evaluation.models.items()
            }
        )

    @property
    def size(self) -> tuple[float, float]:
        """It grows with the number of measures and models."""
        rows = len(next(iter(self.intervals.values())))
        return 6.6 + (0 if self._inside() else 2.6), 1.2 + rows * max(0.34, 0.14 * (len(self.intervals) + 1))

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, the first measure on top."""
        ax = self._axes(ax, grid="")
        names = list(next(iter(self.intervals.values())))
        style = self._styles_of(self.intervals)
        offsets = np.linspace(-0.26, 0.26, len(self.intervals)) if len(self.intervals) > 1 else np.zeros(1)
        self.bars_ = {}
        for (model, each), offset in zip(self.intervals.items(), offsets.tolist(), strict=True):
            intervals = [each[name] for name in names]
            places = np.arange(len(names)) + offset
            self.bars_[model] = _bars(ax, intervals, places, style[model])
        _rows(ax, [name_text(name.replace("_", " ")) for name in names])
        nameless = list(self.intervals) == [MODEL]
        entries = [] if nameless else [(bar, name_text(model)) for model, bar in self.bars_.items()]
        level = next(iter(next(iter(self.intervals.values())).values())).level
        title = f"{name_text(self.of)} with {level:.0%} intervals"
        return self._finish(title, entries, loc="lower left", outside=not self._inside() or len(entries) > 1)

    def frame(self) -> Frame:
        """Per model and measure: estimate, lower and upper limit."""
        parts: dict[str, dict[str, Any]] = {}
        for model, intervals in self.intervals.items():
            columns = {part: [getattr(each, part) for each in intervals.values()] for part in _PARTS}
            parts[model] = {"measure": np.array(list(intervals), dtype=object)} | columns
        return stack(parts)

    def _inside(self) -> bool:
        return len(self.intervals) == 1 and not legend_space([name_text(name) for name in self.intervals])


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ComparisonDisplay(Display):
    """Paired differences between models with their limits, and verdicts on the first.

    >>> import thresher as th
    >>> labels, near = [1, 1, 1, 0, 0, 0], [6, 5, 2, 4, 3, 1]
    >>> display = ComparisonDisplay.from_comparison(th.compare(labels, {"a": near, "b": [6, 4, 3, 5, 2, 1]}))
    >>> display.frame()["difference"].round(4)
    array([0.])
    """

    comparison: Comparison
    bars_: list[ErrorbarContainer] = field(init=False)
    margin_: Polygon | Rectangle | None = field(init=False)

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Of what `compare` returned."""
        return cls(comparison=comparison)

    @classmethod
    def from_evaluation(cls, evaluation: ThresholdEvaluation) -> Self:
        """Of an evaluation of two models or more."""
        if evaluation.comparison is None:
            raise ArgumentError("there is one model, and nothing to compare it with", "evaluate two models or more")
        return cls(comparison=evaluation.comparison)

    @property
    def size(self) -> tuple[float, float]:
        """It grows with the number of pairs."""
        return 8.2, 1.3 + 0.36 * len(self.comparison.differences)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; the shaded band holds differences within `margin`, which do not matter."""
        ax = self._axes(ax, grid="")
        colours = self._palette
        differences = list(self.comparison.differences.values())
        of = {"better": colours[2], "worse": colours[1], "practically equal": colours[0], "undecided": colours[6]}
        self.margin_ = None
        if self.comparison.margin:
            margin = self.comparison.margin
            self.margin_ = ax.axvspan(-margin, margin, color=self._ink, alpha=FAINT / 2, linewidth=0)
        ax.axvline(0, **self._dotted(alpha=1))
        self.bars_ = []
        for place, each in enumerate(differences):
            style = Style(of[each.verdict], "solid", "o")
            self.bars_.append(_bars(ax, [each.interval], np.array([place]), style))
            verdict = f"{each.verdict} (p {shown_p(each.p_adjusted)})"
            _annotate(ax, verdict, 1.02, place, fontsize="small", color=of[each.verdict])
        _rows(ax, [f"{name_text(each.a, longest=24)} − {name_text(each.b, longest=24)}" for each in differences])
        ax.set_xlabel(f"difference in {self.comparison.measure.replace('_', ' ')}")
        return self._finish(f"Models compared, {self.comparison.level:.0%} limits")

    def frame(self) -> Frame:
        """Per pair: the models, difference, limits, p-value, adjusted p-value and verdict."""
        differences = list(self.comparison.differences.values())
        columns = ("a", "b", "difference", "lower", "upper", "p_value", "p_adjusted", "verdict")
        return {
            name: np.array([getattr(each, name) for each in differences], dtype=object if name in "ab" else None)
            for name in columns
        }


def _bars(ax: Axes, intervals: Sequence[Interval], places: Any, style: Style) -> ErrorbarContainer:
    estimate, lower, upper = (np.array([getattr(i, part) for i in intervals]) for part in _PARTS)
    # An estimate may lie outside limits that are corrected for its bias; the bar then starts at the estimate.
    reach = np.maximum([estimate - lower, upper - estimate], 0)
    for place in places[np.isnan(estimate)].tolist():
        _annotate(ax, "undefined", 0.01, place, fontsize="x-small", color=style.colour)
    options: Any = {"fmt": style.marker, "color": style.colour, "markersize": 5, "capsize": 2.5, "linewidth": 1.5}
    return ax.errorbar(estimate, places, xerr=reach, **options)


def _rows(ax: Axes, labels: Sequence[str]) -> None:
    name_rows(ax, labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    for row in range(0, len(labels), 2):
        ax.axhspan(row - 0.5, row + 0.5, color="grey", alpha=0.07, linewidth=0, zorder=0)


def _annotate(ax: Axes, words: str, across: float, place: float, **options: Any) -> None:
    """Write words in a row, at a share of the axes' width."""
    literal(ax.annotate(words, (across, place), xycoords=("axes fraction", "data"), va="center", **options))
