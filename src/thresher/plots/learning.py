"""Learning curves, feature curves, studies and scree plots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError
from thresher.plots.display import (
    DOTTED,
    FAINT,
    LITERAL,
    WIDTH,
    Display,
    Entries,
    Frame,
    legend_space,
    name_text,
    stack,
)
from thresher.ranking import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

_ALONE = ""  # the name of the only curve
_APPARENT, _VALIDATION = "on the rows learnt from", "on other rows"
# Curves of `thresher.learning`, which imports this package, or anything alike: `sizes`, a `measure`, and two bands with
# `estimate`, `lower` and `upper`, `apparent` (on the rows learnt from) and `validation` (on others).
# A learning curve has an `asymptote` too, which may be None; a feature curve the `best` size, and its `parameter`.
CurveLike: TypeAlias = Any


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class SizesDisplay(Display):
    """A measure against sizes, of one curve or of several by name, with bands."""

    curves: Mapping[str, CurveLike]
    lines_: dict[str, Line2D] = field(init=False)
    bands_: dict[str, FillBetweenPolyCollection] = field(init=False)

    @property
    def size(self) -> tuple[float, float]:
        """Wider when the legend lies next to the axes."""
        return 6.4 + (legend_space([label for label, _ in self._parts().values()]) if len(self.curves) > 1 else 0), 4.4

    def frame(self) -> Frame:
        """Per curve and size: the measure on rows learnt from and on others."""
        parts: dict[str, Frame] = {}
        for name, curve in self.curves.items():
            parts[name] = {"size": np.asarray(curve.sizes)}
            for key in ("apparent", "validation"):
                band = _bands(curve).get(key)
                for column in ("estimate", "lower", "upper"):
                    values = getattr(band, column, None)
                    absent = np.full(len(curve.sizes), np.nan)
                    parts[name][key if column == "estimate" else f"{key}_{column}"] = (
                        absent if values is None else values
                    )
        return stack(parts, key="curve") if list(parts) != [_ALONE] else parts[_ALONE]

    def _parts(self) -> dict[str, tuple[str, Any]]:
        """Every line by its key: what the legend says of it, and its band."""
        parts: dict[str, tuple[str, Any]] = {}
        for name, curve in self.curves.items():
            bands = _bands(curve)
            for key, words in (("apparent", _APPARENT), ("validation", _VALIDATION)):
                if key in bands:
                    named = name_text(name) if key == "validation" else f"{name_text(name)}, {words}"
                    place = name if key == "validation" else f"{name}, {words}"
                    parts[key if name == _ALONE else place] = (words if name == _ALONE else named), bands[key]
        return parts

    def _curves(self, ax: Axes | None, xlabel: str) -> tuple[Axes, Entries]:
        """Draw every line with its band; return the axes and what the legend says."""
        ax, parts = self._axes(ax), self._parts()
        alone = list(self.curves) == [_ALONE]
        style = self._styles_of(("validation", "apparent") if alone else self.curves)
        self.lines_, self.bands_ = {}, {}
        entries: Entries = []
        for key, (words, band) in parts.items():
            name, _, faint = (key, "", "") if alone or key in self.curves else key.rpartition(", ")
            look = style[name]
            sizes = self.curves[_ALONE if alone else name].sizes
            if getattr(band, "lower", None) is not None and not faint:  # the bands of several would hide each other
                shade: dict[str, Any] = {"color": look.colour, "alpha": FAINT, "linewidth": 0}
                self.bands_[key] = ax.fill_between(sizes, band.lower, band.upper, **shade)
            options = {**look.line, "marker": look.marker, "markersize": 4.5}
            options |= {"linewidth": 1.0, "alpha": 0.7, "markersize": 3} if faint else {}
            (self.lines_[key],) = ax.plot(sizes, band.estimate, **options)
            entries.append((self.lines_[key], words))
        ax.set_xlabel(xlabel, **LITERAL)
        ax.set_ylabel(next(iter(self.curves.values())).measure.replace("_", " "), **LITERAL)
        return ax, entries


def _bands(curve: CurveLike) -> dict[str, Any]:
    """The bands of a curve, or the curve itself as the only one."""
    if not hasattr(curve, "validation"):
        return {"validation": curve}
    return {key: getattr(curve, key) for key in ("apparent", "validation") if getattr(curve, key, None) is not None}


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class LearningCurveDisplay(SizesDisplay):
    """Learning curves with bands: whether more cases help, and which model.

    Of several curves by name each has its colour and dashes. A curve has an apparent and a validation band, or is
    one itself (`sizes` and `estimate`, perhaps with `lower` and `upper`), such as true errors of a known world.

    >>> from types import SimpleNamespace as Curve
    >>> band = Curve(estimate=np.array([0.7, 0.8]), lower=np.array([0.6, 0.7]), upper=np.array([0.8, 0.9]))
    >>> curve = Curve(sizes=np.array([50, 100]), apparent=band, validation=band, asymptote=None, measure="auc")
    >>> LearningCurveDisplay.from_curve(curve).frame()["validation"]
    array([0.7, 0.8])
    >>> LearningCurveDisplay.from_curve({"tree": curve, "logit": curve}).frame()["curve"].tolist()
    ['tree', 'tree', 'logit', 'logit']
    """

    bayes: float | None = None
    asymptote_: Line2D | None = field(init=False)
    bayes_: Line2D | None = field(init=False)

    @classmethod
    def from_curve(cls, curve: CurveLike | Mapping[str, CurveLike], *, bayes: Any = None) -> Self:
        """Of a curve, or of several of the same measure by name.

        `bayes` is what no model can better, e.g. the Bayes error of a known world: a number or an interval.
        """
        curves = dict(curve) if isinstance(curve, Mapping) else {_ALONE: curve}
        if not curves:
            raise ArgumentError("there are no curves", "give one, or several by name")
        for name, each in curves.items():
            if not hasattr(each, "sizes") or not (hasattr(each, "validation") or hasattr(each, "estimate")):
                what = f"{f'{name!r}' if name else 'this'} is a {type(each).__name__} and no curve"
                raise ArgumentError(what, "give what learning_curve(...) returned")
        if len(measures := {each.measure for each in curves.values()}) > 1:
            what = f"the curves are of different measures: {', '.join(sorted(measures))}"
            raise ArgumentError(what, "draw curves of one measure in one picture")
        return cls(curves=curves, bayes=None if bayes is None else float(getattr(bayes, "estimate", bayes)))

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; a dotted line with its band shows where a single curve seems to lead."""
        ax, entries = self._curves(ax, "cases learnt from")
        self.asymptote_ = self.bayes_ = None
        end = getattr(self.curves[_ALONE], "asymptote", None) if _ALONE in self.curves else None
        if end is not None:
            self.asymptote_ = ax.axhline(end.estimate, color=self._ink, linewidth=1.1, linestyle=DOTTED)
            ax.axhspan(end.lower, end.upper, color=self._ink, alpha=FAINT / 2.5, linewidth=0, zorder=0.5)
            entries.append((self.asymptote_, f"with ever more: {end.estimate:.3f}"))
        if self.bayes is not None:
            self.bayes_ = ax.axhline(self.bayes, **self._dashed(alpha=0.8))
            entries.append((self.bayes_, f"Bayes: {self.bayes:.3f}"))
        title = "Learning curve" if len(self.curves) == 1 else "Learning curves"
        return self._finish(title, entries, loc="best", outside=self.size[0] > self._inches[0])


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

    @classmethod
    def from_curve(cls, curve: CurveLike) -> Self:
        """Of a curve."""
        return cls(curves={_ALONE: curve})

    def plot(self, ax: Axes | None = None, *, xlabel: str | None = None) -> Self:
        """Draw it; `xlabel` says what the sizes are, by default the curve's parameter."""
        from matplotlib.ticker import MaxNLocator

        curve = self.curves[_ALONE]
        name = "number of features" if curve.parameter == "features" else name_text(curve.parameter)
        ax, entries = self._curves(ax, name if xlabel is None else xlabel)
        self.best_ = ax.axvline(curve.best, **self._dashed())
        entries.append((self.best_, f"best: {curve.best:g}"))
        if np.asarray(curve.sizes).dtype.kind in "iu":
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        return self._finish("Feature curve", entries, loc="best")


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class StudyDisplay(SizesDisplay):
    """Estimates of a model's error in a known world, and the truth.

    >>> from types import SimpleNamespace as Any
    >>> part = dict(lower=np.zeros(2), upper=np.ones(2), deviation=np.full(2, 0.1), measure="error_rate")
    >>> curve = Any(sizes=np.array([10, 20]), estimate=np.array([0.4, 0.3]), **part)
    >>> bayes = (Any(estimate=0.2), Any(estimate=0.2))
    >>> study = Any(curves={"true": curve}, bayes=bayes, over="rows", parameter="rows learnt from", values=curve.sizes)
    >>> StudyDisplay.from_study(study).frame()["bayes"].tolist()
    [0.2, 0.2]
    """

    study: Any  # a `thresher.learning.Study`
    bayes_: Line2D = field(init=False)

    @classmethod
    def from_study(cls, study: Any) -> Self:
        """Of what `thresher.learning.study` returns."""
        if not (hasattr(study, "curves") and hasattr(study, "bayes")):
            raise ArgumentError(f"this is a {type(study).__name__} and no study", "give what study(...) returned")
        return cls(curves=dict(study.curves), study=study)

    def frame(self) -> Frame:
        """Per curve and value: mean, limits, deviation, and the Bayes error."""
        bayes = np.array([each.estimate for each in self.study.bayes])
        names = ("estimate", "lower", "upper", "deviation")
        of_each: dict[str, Frame] = {
            name: {"value": curve.sizes, **{each: getattr(curve, each) for each in names}, "bayes": bayes}
            for name, curve in self.curves.items()
        }
        return stack(of_each, key="curve")

    def plot(self, ax: Axes | None = None, *, spread: bool | None = None) -> Self:
        """Draw it; bands are limits of the mean over replicates.

        With `spread` they reach one standard deviation of single replicates up and down, which is what one test or one
        cross-validation may show; by default so over folds and splits.
        """
        wide = self.study.over in ("folds", "split") if spread is None else spread
        shown = self.curves
        if wide:
            shown = {name: _spread(curve) for name, curve in shown.items()}
        drawn = StudyDisplay(curves=shown, study=self.study)
        ax, entries = drawn._curves(self._axes(ax), self.study.parameter)
        self.lines_, self.bands_ = drawn.lines_, drawn.bands_
        values = np.asarray(self.study.values)
        (self.bayes_,) = ax.plot(values, [each.estimate for each in self.study.bayes], **self._dashed(alpha=0.8))
        entries.append((self.bayes_, "Bayes"))
        if self.study.over in ("rows", "folds", "mix"):
            ax.set_xscale("log")
            ax.set_xticks(values, [f"{value:g}" for value in values.tolist()])
            ax.set_xticks([], minor=True)
        ax.set_ylabel("error rate", **LITERAL)
        return self._finish(f"Error over {self.study.parameter}", entries, loc="best", outside=True)


def _spread(curve: CurveLike) -> CurveLike:
    """A curve whose band is one standard deviation of single replicates."""
    limits = {"lower": curve.estimate - curve.deviation, "upper": curve.estimate + curve.deviation}
    return SimpleNamespace(sizes=curve.sizes, estimate=curve.estimate, measure=curve.measure, **limits)


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
