"""`LearningCurveDisplay` and `FeatureCurveDisplay`: performance against cases learnt from, or against complexity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from thresher.inference import Interval
from thresher.plots.display import FAINT, WIDTH, Display, Frame, add_legend, ink, looks, set_title

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D

_APPARENT, _VALIDATION = "on the rows learnt from", "on other rows"


class BandLike(Protocol):
    """An estimate with limits at every size; a `Band` is one."""

    @property
    def estimate(self) -> npt.NDArray[np.float64]:
        """The estimates."""

    @property
    def lower(self) -> npt.NDArray[np.float64]:
        """Their lower limits."""

    @property
    def upper(self) -> npt.NDArray[np.float64]:
        """Their upper limits."""


class SizesLike(Protocol):
    """What both curves offer: sizes, and the measure on rows learnt from (`apparent`) and on others."""

    @property
    def sizes(self) -> npt.NDArray[Any]:
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


class LearningCurveLike(SizesLike, Protocol):
    """A learning curve: `sizes` are cases learnt from; `asymptote` is where it seems to lead."""

    @property
    def asymptote(self) -> Interval | None:
        """The measure with ever more cases, None where it cannot be told."""


class FeatureCurveLike(SizesLike, Protocol):
    """A feature curve: `sizes` are numbers of features or complexities; `best` is the recommended one."""

    @property
    def best(self) -> int:
        """The recommended size."""

    @property
    def parameter(self) -> str:
        """The parameter whose values are the sizes; "features" where they are numbers of features."""


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class LearningCurveDisplay(Display):
    """A learning curve with its bands: whether more cases would help, and how much a model fits what it saw.

    >>> from types import SimpleNamespace as Curve
    >>> band = Curve(estimate=np.array([0.7, 0.8]), lower=np.array([0.6, 0.7]), upper=np.array([0.8, 0.9]))
    >>> curve = Curve(sizes=np.array([50, 100]), apparent=band, validation=band, asymptote=None, measure="auc")
    >>> LearningCurveDisplay.from_curve(curve).frame()["validation"]
    array([0.7, 0.8])
    """

    curve: LearningCurveLike
    lines_: dict[str, Line2D] = field(init=False)
    bands_: dict[str, FillBetweenPolyCollection] = field(init=False)
    asymptote_: Line2D | None = field(init=False)

    @classmethod
    def from_curve(cls, curve: LearningCurveLike) -> Self:
        """Of a learning curve."""
        return cls(curve=curve)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; a dotted line with its band shows where the curve seems to lead."""
        ax = self._opened(ax)
        self.lines_, self.bands_, entries = _two_curves(ax, self.curve)
        self.asymptote_ = None
        end = self.curve.asymptote
        if end is not None:
            self.asymptote_ = ax.axhline(end.estimate, color=ink(ax), linewidth=1.1, linestyle=(0, (1, 2)))
            ax.axhspan(end.lower, end.upper, color=ink(ax), alpha=FAINT / 2.5, linewidth=0, zorder=0.5)
            entries.append((self.asymptote_, f"with ever more: {end.estimate:.3f}"))
        ax.set_xlabel("cases learnt from")
        add_legend(ax, entries, loc="best")
        set_title(ax, "Learning curve")
        return self

    def frame(self) -> Frame:
        """Per size: the measure on the rows learnt from and on others, with limits."""
        return _columns(self.curve)


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class FeatureCurveDisplay(Display):
    """A feature curve with its bands, and the number of features (or the complexity) recommended.

    >>> from types import SimpleNamespace as Curve
    >>> band = Curve(estimate=np.array([0.7, 0.8]), lower=np.array([0.6, 0.7]), upper=np.array([0.8, 0.9]))
    >>> curve = Curve(sizes=np.array([1, 2]), apparent=band, validation=band, best=2, measure="auc", parameter="depth")
    >>> FeatureCurveDisplay.from_curve(curve).frame()["size"].tolist()
    [1, 2]
    """

    curve: FeatureCurveLike
    lines_: dict[str, Line2D] = field(init=False)
    bands_: dict[str, FillBetweenPolyCollection] = field(init=False)
    best_: Line2D = field(init=False)

    @classmethod
    def from_curve(cls, curve: FeatureCurveLike) -> Self:
        """Of a feature curve."""
        return cls(curve=curve)

    def plot(self, ax: Axes | None = None, *, xlabel: str | None = None) -> Self:
        """Draw it; the label under the sizes is the curve's parameter, unless `xlabel` replaces it."""
        from matplotlib.ticker import MaxNLocator

        ax = self._opened(ax)
        self.lines_, self.bands_, entries = _two_curves(ax, self.curve)
        self.best_ = ax.axvline(self.curve.best, color=ink(ax), linewidth=1.1, linestyle=(0, (3, 2)))
        entries.append((self.best_, f"best: {self.curve.best:g}"))
        if np.asarray(self.curve.sizes).dtype.kind in "iu":
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        parameter = self.curve.parameter
        own = "number of features" if parameter == "features" else parameter
        ax.set_xlabel(own if xlabel is None else xlabel, parse_math=False, usetex=False)
        add_legend(ax, entries, loc="best")
        set_title(ax, "Feature curve")
        return self

    def frame(self) -> Frame:
        """Per size: the measure on the rows learnt from and on others, with limits."""
        return _columns(self.curve)


def _two_curves(
    ax: Axes, curve: SizesLike
) -> tuple[dict[str, Line2D], dict[str, FillBetweenPolyCollection], list[tuple[Artist, str]]]:
    look = looks((_VALIDATION, _APPARENT), ax)
    lines, bands = {}, {}
    for key, name, band in (
        ("validation", _VALIDATION, curve.validation),
        ("apparent", _APPARENT, curve.apparent),
    ):
        colour = look[name].colour
        bands[key] = ax.fill_between(curve.sizes, band.lower, band.upper, color=colour, alpha=FAINT, linewidth=0)
        (lines[key],) = ax.plot(
            curve.sizes,
            band.estimate,
            color=colour,
            linestyle=look[name].dashes,
            linewidth=WIDTH,
            marker=look[name].marker,
            markersize=4.5,
        )
    ax.set_ylabel(curve.measure.replace("_", " "), parse_math=False, usetex=False)
    ax.grid(visible=True, color="grey", alpha=0.18, linewidth=0.6)
    return lines, bands, [(lines["apparent"], _APPARENT), (lines["validation"], _VALIDATION)]


def _columns(curve: SizesLike) -> Frame:
    found: Frame = {"size": np.asarray(curve.sizes)}
    for key, band in (("apparent", curve.apparent), ("validation", curve.validation)):
        found |= {key: band.estimate, f"{key}_lower": band.lower, f"{key}_upper": band.upper}
    return found
