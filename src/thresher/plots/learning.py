"""`LearningCurveDisplay` and `FeatureCurveDisplay`: performance against cases learnt from, or against complexity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from thresher.inference import Interval
from thresher.plots.display import (
    DASHED,
    DOTTED,
    FAINT,
    LITERAL,
    Display,
    Entries,
    Frame,
    add_legend,
    ink,
    name_text,
    set_title,
    styles,
)
from thresher.ranking import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D

_APPARENT, _VALIDATION = "on the rows learnt from", "on other rows"


class BandLike(Protocol):
    """An estimate with limits at every size; a `Band` is one."""

    @property
    def estimate(self) -> Floats:
        """The estimates."""

    @property
    def lower(self) -> Floats:
        """Their lower limits."""

    @property
    def upper(self) -> Floats:
        """Their upper limits."""


class CurveLike(Protocol):
    """A learning curve or a feature curve: a measure against sizes."""

    @property
    def sizes(self) -> Any:
        """Numbers of cases, or of features, or another complexity."""

    @property
    def apparent(self) -> BandLike:
        """The measure on the rows learnt from."""

    @property
    def validation(self) -> BandLike:
        """The measure on other rows."""

    @property
    def measure(self) -> str:
        """What is measured."""


class LearningCurveLike(CurveLike, Protocol):
    """A learning curve: `sizes` are cases learnt from; `asymptote` is where it seems to lead."""

    @property
    def asymptote(self) -> Interval | None:
        """The measure with ever more cases, None where it cannot be told."""


class FeatureCurveLike(CurveLike, Protocol):
    """A feature curve: `sizes` are numbers of features or values of a `parameter`; `best` is the recommended one."""

    @property
    def best(self) -> Any:
        """The recommended size."""

    @property
    def parameter(self) -> str:
        """What the sizes are: "features", or the parameter's name."""


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class SizesDisplay(Display):
    """A measure against sizes, on the rows learnt from and on others, with bands."""

    curve: CurveLike
    lines_: dict[str, Line2D] = field(init=False)
    bands_: dict[str, FillBetweenPolyCollection] = field(init=False)

    def frame(self) -> Frame:
        """Per size: the measure on the rows learnt from and on others, with limits."""
        columns: Frame = {"size": np.asarray(self.curve.sizes)}
        for key, band in (("apparent", self.curve.apparent), ("validation", self.curve.validation)):
            columns |= {key: band.estimate, f"{key}_lower": band.lower, f"{key}_upper": band.upper}
        return columns

    def _curves(self, ax: Axes | None, xlabel: str) -> tuple[Axes, Entries]:
        """Draw both curves with their bands; return the axes and what the legend says."""
        ax, curve = self._axes(ax), self.curve
        style = styles((_VALIDATION, _APPARENT), ax)
        self.lines_, self.bands_ = {}, {}
        for key, name, band in (("validation", _VALIDATION, curve.validation), ("apparent", _APPARENT, curve.apparent)):
            colour = style[name].colour
            self.bands_[key] = ax.fill_between(
                curve.sizes, band.lower, band.upper, color=colour, alpha=FAINT, linewidth=0
            )
            options = {**style[name].line, "marker": style[name].marker, "markersize": 4.5}
            (self.lines_[key],) = ax.plot(curve.sizes, band.estimate, **options)
        ax.set_xlabel(xlabel, **LITERAL)
        ax.set_ylabel(curve.measure.replace("_", " "), **LITERAL)
        return ax, [(self.lines_["apparent"], _APPARENT), (self.lines_["validation"], _VALIDATION)]


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class LearningCurveDisplay(SizesDisplay):
    """A learning curve with its bands: whether more cases would help, and how much a model fits what it saw.

    >>> from types import SimpleNamespace as Curve
    >>> band = Curve(estimate=np.array([0.7, 0.8]), lower=np.array([0.6, 0.7]), upper=np.array([0.8, 0.9]))
    >>> curve = Curve(sizes=np.array([50, 100]), apparent=band, validation=band, asymptote=None, measure="auc")
    >>> LearningCurveDisplay.from_curve(curve).frame()["validation"]
    array([0.7, 0.8])
    """

    curve: LearningCurveLike
    asymptote_: Line2D | None = field(init=False)

    @classmethod
    def from_curve(cls, curve: LearningCurveLike) -> Self:
        """Of a learning curve."""
        return cls(curve=curve)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; a dotted line with its band shows where the curve seems to lead."""
        ax, entries = self._curves(ax, "cases learnt from")
        self.asymptote_ = None
        end = self.curve.asymptote
        if end is not None:
            self.asymptote_ = ax.axhline(end.estimate, color=ink(ax), linewidth=1.1, linestyle=DOTTED)
            ax.axhspan(end.lower, end.upper, color=ink(ax), alpha=FAINT / 2.5, linewidth=0, zorder=0.5)
            entries.append((self.asymptote_, f"with ever more: {end.estimate:.3f}"))
        add_legend(ax, entries, loc="best")
        set_title(ax, "Learning curve")
        return self


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class FeatureCurveDisplay(SizesDisplay):
    """A feature curve with its bands, and the number of features (or the complexity) recommended.

    >>> from types import SimpleNamespace as Curve
    >>> band = Curve(estimate=np.array([0.7, 0.8]), lower=np.array([0.6, 0.7]), upper=np.array([0.8, 0.9]))
    >>> curve = Curve(sizes=[1, 2], apparent=band, validation=band, best=2, measure="auc", parameter="features")
    >>> FeatureCurveDisplay.from_curve(curve).frame()["size"].tolist()
    [1, 2]
    """

    curve: FeatureCurveLike
    best_: Line2D = field(init=False)

    @classmethod
    def from_curve(cls, curve: FeatureCurveLike) -> Self:
        """Of a feature curve."""
        return cls(curve=curve)

    def plot(self, ax: Axes | None = None, *, xlabel: str | None = None) -> Self:
        """Draw it; `xlabel` says what the sizes are, by default the curve's parameter."""
        from matplotlib.ticker import MaxNLocator

        parameter = self.curve.parameter
        name = "number of features" if parameter == "features" else name_text(parameter)
        ax, entries = self._curves(ax, name if xlabel is None else xlabel)
        self.best_ = ax.axvline(self.curve.best, color=ink(ax), linewidth=1.1, linestyle=DASHED)
        entries.append((self.best_, f"best: {self.curve.best:g}"))
        if np.asarray(self.curve.sizes).dtype.kind in "iu":
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        add_legend(ax, entries, loc="best")
        set_title(ax, "Feature curve")
        return self
