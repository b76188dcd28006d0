"""Learning curves, feature curves and scree plots: what there is to learn from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError
from thresher.plots.display import DOTTED, FAINT, LITERAL, WIDTH, Display, Entries, Frame, name_text
from thresher.ranking import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

_APPARENT, _VALIDATION = "on the rows learnt from", "on other rows"
# Curves of `thresher.learning`, which imports this package, or anything alike: `sizes`, a `measure`, and two bands with
# `estimate`, `lower` and `upper`, `apparent` (on the rows learnt from) and `validation` (on others).
# A learning curve has an `asymptote` too, which may be None; a feature curve the `best` size, and its `parameter`.
CurveLike: TypeAlias = Any


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class SizesDisplay(Display):
    """A measure against sizes, on the rows learnt from and on others, with bands."""

    curve: CurveLike
    lines_: dict[str, Line2D] = field(init=False)
    bands_: dict[str, FillBetweenPolyCollection] = field(init=False)

    @classmethod
    def from_curve(cls, curve: CurveLike) -> Self:
        """Of a curve."""
        return cls(curve=curve)

    def frame(self) -> Frame:
        """Per size: the measure on the rows learnt from and on others, with limits."""
        columns: Frame = {"size": np.asarray(self.curve.sizes)}
        for key, band in (("apparent", self.curve.apparent), ("validation", self.curve.validation)):
            columns |= {key: band.estimate, f"{key}_lower": band.lower, f"{key}_upper": band.upper}
        return columns

    def _curves(self, ax: Axes | None, xlabel: str) -> tuple[Axes, Entries]:
        """Draw both curves with their bands; return the axes and what the legend says."""
        ax, curve = self._axes(ax), self.curve
        style = self._styles_of((_VALIDATION, _APPARENT))
        self.lines_, self.bands_ = {}, {}
        for key, name, band in (("validation", _VALIDATION, curve.validation), ("apparent", _APPARENT, curve.apparent)):
            colour = style[name].colour
            limits = curve.sizes, band.lower, band.upper
            self.bands_[key] = ax.fill_between(*limits, color=colour, alpha=FAINT, linewidth=0)
            options = {**style[name].line, "marker": style[name].marker, "markersize": 4.5}
            (self.lines_[key],) = ax.plot(curve.sizes, band.estimate, **options)
        ax.set_xlabel(xlabel, **LITERAL)
        ax.set_ylabel(curve.measure.replace("_", " "), **LITERAL)
        return ax, [(self.lines_["apparent"], _APPARENT), (self.lines_["validation"], _VALIDATION)]


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class LearningCurveDisplay(SizesDisplay):
    """A learning curve with its bands: whether more cases would help.

    >>> from types import SimpleNamespace as Curve
    >>> band = Curve(estimate=np.array([0.7, 0.8]), lower=np.array([0.6, 0.7]), upper=np.array([0.8, 0.9]))
    >>> curve = Curve(sizes=np.array([50, 100]), apparent=band, validation=band, asymptote=None, measure="auc")
    >>> LearningCurveDisplay.from_curve(curve).frame()["validation"]
    array([0.7, 0.8])
    """

    asymptote_: Line2D | None = field(init=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; a dotted line with its band shows where the curve seems to lead."""
        ax, entries = self._curves(ax, "cases learnt from")
        self.asymptote_ = None
        end = self.curve.asymptote
        if end is not None:
            self.asymptote_ = ax.axhline(end.estimate, color=self._ink, linewidth=1.1, linestyle=DOTTED)
            ax.axhspan(end.lower, end.upper, color=self._ink, alpha=FAINT / 2.5, linewidth=0, zorder=0.5)
            entries.append((self.asymptote_, f"with ever more: {end.estimate:.3f}"))
        return self._finish("Learning curve", entries, loc="best")


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class FeatureCurveDisplay(SizesDisplay):
    """A feature curve with its bands, and the size recommended.

    >>> from types import SimpleNamespace as Curve
    >>> band = Curve(estimate=np.array([0.7, 0.8]), lower=np.array([0.6, 0.7]), upper=np.array([0.8, 0.9]))
    >>> curve = Curve(sizes=[1, 2], apparent=band, validation=band, best=2, measure="auc", parameter="features")
    >>> FeatureCurveDisplay.from_curve(curve).frame()["size"].tolist()
    [1, 2]
    """

    best_: Line2D = field(init=False)

    def plot(self, ax: Axes | None = None, *, xlabel: str | None = None) -> Self:
        """Draw it; `xlabel` says what the sizes are, by default the curve's parameter."""
        from matplotlib.ticker import MaxNLocator

        parameter = self.curve.parameter
        name = "number of features" if parameter == "features" else name_text(parameter)
        ax, entries = self._curves(ax, name if xlabel is None else xlabel)
        self.best_ = ax.axvline(self.curve.best, **self._dashed())
        entries.append((self.best_, f"best: {self.curve.best:g}"))
        if np.asarray(self.curve.sizes).dtype.kind in "iu":
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        return self._finish("Feature curve", entries, loc="best")


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ScreeDisplay(Display):
    """A scree plot of the shares of variance that principal components explain.

    >>> display = ScreeDisplay.from_ratios([0.6, 0.3, 0.1])
    >>> display.frame()["cumulative"]
    array([0.6, 0.9, 1. ])
    """

    ratios: Floats
    bars_: BarContainer = field(init=False)
    cumulative_: Line2D = field(init=False)
    mark_: Line2D | None = field(init=False)

    @classmethod
    def from_ratios(cls, ratios: npt.ArrayLike) -> Self:
        """Of shares of variance by component, such as `explained_variance_ratio_`."""
        shares = np.asarray(ratios, dtype=np.float64)
        if shares.ndim != 1 or not shares.size or not ((shares >= 0) & (shares <= 1)).all() or shares.sum() > 1 + 1e-9:
            what = "ratios are shares of the variance, each in [0, 1] and together at most 1"
            raise ArgumentError(what, "give one share per component, e.g. [0.6, 0.3, 0.1]")
        return cls(ratios=shares)

    def plot(self, ax: Axes | None = None, *, components: int | None = None) -> Self:
        """Draw it; `components` marks how many of them are used."""
        from matplotlib.ticker import MaxNLocator

        ax = self._axes(ax, grid="y", xlabel="component", ylabel="share of the variance", ylim=(0, 1.05))
        component = np.arange(1, self.ratios.size + 1)
        first, second = self._palette[:2]
        self.bars_ = ax.bar(component, self.ratios, color=first, alpha=0.75, edgecolor="none")
        line: Any = {"color": second, "linewidth": WIDTH, "marker": "s", "markersize": 4.5}
        (self.cumulative_,) = ax.plot(component, self.ratios.cumsum(), **line)
        entries = [(self.bars_[0], "each component"), (self.cumulative_, "all up to it")]
        self.mark_ = None
        if components is not None:
            self.mark_ = ax.axvline(components + 0.5, **self._dashed())
            entries.append((self.mark_, f"kept: {components}"))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        return self._finish("Scree plot", entries, loc="center right")

    def frame(self) -> Frame:
        """Per component: its share of the variance, and the share of all up to it."""
        component = np.arange(1, self.ratios.size + 1)
        return {"component": component, "ratio": self.ratios, "cumulative": self.ratios.cumsum()}
