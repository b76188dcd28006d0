"""`ModelsDisplay`: rankings, choices and isometrics of one or several models."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from thresher.choices import Isometric, JointChoice, choose, isometric
from thresher.choices.isometric import Plane
from thresher.curves import coverage, thin
from thresher.curves.hull import Splits
from thresher.errors import ArgumentError
from thresher.evaluation import Evaluation
from thresher.inference import Band
from thresher.inference.bands import POINTWISE
from thresher.plots.display import FAINT, Display, Entries, Entry, Frame, Style, dashes, legend_space, name_text, stack
from thresher.ranking import Ranking
from thresher.tables import Contingency, Measure, OperatingCondition, measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D

T = TypeVar("T")
Isometrics: TypeAlias = str | Measure | OperatingCondition
Restates: TypeAlias = Literal["nothing", "counts", "probabilities"]
MODEL = "model"
FEW = 60  # splits that are marked one by one
MOST_POINTS = 20_000
MOST_TIES = 50
_LINE = 30  # letters of a legend that lies on the plot
_TENTHS = tuple(i / 10 for i in range(1, 10))
_SIGNED = tuple(i / 5 for i in range(-4, 5))


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ModelsDisplay(Display):
    """Curves of one or several models, by name.

    `chosen` holds what each condition chooses; `bands` how sure each model's curve is; `of` is what the title says
    first, such as the model whose classes these are, and `mix` what it says last: the declared class mix that the
    curves of an evaluation are drawn at. `restates` says what of a ranking depends on that mix: nothing, its counts, or
    its scores as well, being read as probabilities.
    """

    takes: ClassVar[frozenset[str]] = frozenset()
    restates: ClassVar[Restates] = "nothing"
    square: ClassVar[bool] = False

    rankings: Mapping[str, Ranking]
    chosen: Mapping[str, JointChoice] = field(default_factory=dict)
    bands: Mapping[str, Band] = field(default_factory=dict)
    of: str = ""
    mix: str = ""
    lines_: dict[str, Line2D] = field(init=False)
    bands_: dict[str, FillBetweenPolyCollection] = field(init=False)
    _styles: dict[str, Style] = field(init=False)
    _entries: Entries = field(init=False)

    @classmethod
    def from_ranking(
        cls,
        ranking: Ranking | Mapping[str, Ranking],
        *,
        conditions: OperatingCondition | Mapping[str, OperatingCondition] | None = None,
        bands: Band | Mapping[str, Band] | None = None,
    ) -> Self:
        """Of one ranking, or of several by the names of their models.

        `conditions` (one, or several by name) marks what each makes the best choice; `bands` are those of the models'
        curves. A display that cannot draw one of them refuses it.
        """
        rankings = by_name(ranking, Ranking)
        for each in rankings.values():
            each.require_both_classes()
        asked = {} if conditions is None else by_name(conditions, OperatingCondition, alone="")
        named = {} if bands is None else by_name(bands, Band, alone=next(iter(rankings)))
        return cls._of(rankings, {name: choose(rankings, each) for name, each in asked.items()}, named)

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, *, bands: Mapping[str, Band] | None = None) -> Self:
        """Of every model of an evaluation, at its class mix, with its choice if shown."""
        ratio = None if cls.restates == "nothing" else evaluation.condition.class_ratio
        models = evaluation.models.items()
        if cls.restates == "probabilities":
            rankings = {name: model.production for name, model in models}
        else:
            rankings = {
                name: model.ranking if ratio is None else model.ranking.at_class_ratio(ratio) for name, model in models
            }
        chosen = {"": evaluation.joint} if "conditions" in cls.takes else {}
        display = cls._of(rankings, chosen, {} if bands is None else bands)
        display.mix = "" if ratio is None else f" at {evaluation.condition.mix_text}"
        return display

    @classmethod
    def _of(cls, rankings: Mapping[str, Ranking], chosen: Mapping[str, JointChoice], bands: Mapping[str, Band]) -> Self:
        for option, values in (("conditions", chosen), ("bands", bands)):
            if values and option not in cls.takes:
                raise ArgumentError(f"{cls.__name__} draws no {option}", f"leave {option}= out")
        for name in bands:
            if name not in rankings:
                raise ArgumentError(f"there is a band of {name!r}, and no such model", "check the names")
        return cls(rankings=rankings, chosen=chosen, bands=bands)

    @property
    def size(self) -> tuple[float, float]:
        """Wider when the legend lies next to the axes."""
        return (4.9 if self.square else 5.6) + self._legend_inches(), 4.8 if self.square else 4.4

    def frame(self) -> Frame:
        """The numbers of every model's curve, below each other."""
        return stack({name: self._columns(name) for name in self.rankings})

    @abstractmethod
    def _columns(self, name: str) -> Mapping[str, npt.ArrayLike]:
        """The numbers of one model's curve."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.rankings))})"

    def _legend_inches(self) -> float:
        """Inches that the legend needs next to the axes, judged by names alone."""
        labels = [f"{name_text(name)} (AUC 0.123)" for name in self.rankings]
        labels += [f"{name_text(name or 'equal cost')}, slope 0.123" for name in self.chosen]
        labels += ["95% band, simultaneous"] * bool(self.bands)
        return legend_space(labels)

    def _start(self, ax: Axes | None, **settings: Any) -> Axes:
        """Prepare the axes and what curves are collected in."""
        ax = self._axes(ax, **settings)
        self.lines_, self.bands_, self._entries = {}, {}, []
        self._styles = self._styles_of(self.rankings)
        return ax

    def _curve(self, name: str, x: npt.ArrayLike, y: npt.ArrayLike, words: str = "", *, marked: bool = False) -> None:
        """Draw a model's curve, few splits `marked`, and enter it into the legend."""
        style = self._styles[name]
        options = {**style.line, "zorder": 3}
        if marked and len(self.rankings[name]) < FEW:
            options |= {"marker": style.marker, "markersize": 4.5}
        (self.lines_[name],) = self.ax_.plot(x, y, **options)
        label = f"{name_text(name)} ({words})" if words else name_text(name)
        nameless = words and list(self.rankings) == [MODEL]
        self._entries.append((self.lines_[name], words if nameless else label))

    def _band(self, name: str) -> None:
        """Draw the band of a model, if there is one."""
        if name in self.bands:
            band = self.bands[name]
            self.bands_[name] = self.ax_.fill_between(
                band.x, band.lower, band.upper, color=self._styles[name].colour, alpha=FAINT, linewidth=0, zorder=1.5
            )

    def _band_words(self) -> list[str]:
        """What the legend says of the bands."""
        return list(dict.fromkeys(band_words(band) for band in self.bands.values()))

    def _finish_curves(self, title: str, *others: Entry, loc: str = "lower right") -> Self:
        """Add the legend, of the curves, the `others` and the bands, and the title."""
        from matplotlib.patches import Patch

        bands = [(Patch(color="grey", alpha=2 * FAINT, linewidth=0), words) for words in self._band_words()]
        of = f"{name_text(self.of)}: " if self.of else ""
        entries = [*self._entries, *others, *bands]
        return self._finish(f"{of}{title}{self.mix}", entries, loc=loc, outside=bool(self._legend_inches()))


def band_words(band: Band, kind: str = "band") -> str:
    """What may be expected of a band, in lines that fit into a legend."""
    what = "simultaneous" if band.simultaneous else POINTWISE
    return "\n".join(wrap(f"{band.level:.0%} {kind}, {what}", _LINE))


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class PlaneDisplay(ModelsDisplay):
    """Curves in a plane with isometrics, and what conditions choose."""

    takes: ClassVar[frozenset[str]] = frozenset({"conditions", "bands"})
    square: ClassVar[bool] = True
    plane: ClassVar[Plane]

    isometrics_: list[Line2D] = field(init=False)
    chosen_: list[Line2D] = field(init=False)
    slopes_: dict[str, Line2D] = field(init=False)

    def _isometrics(self, of: Isometrics | None, levels: Sequence[float] | None) -> None:
        """Draw thin lines of equal value, each with its value near the upper right end."""
        ax, self.isometrics_ = self.ax_, []
        lines = () if of is None else isometric_lines(of, rankings=self.rankings, levels=levels, plane=self.plane)
        for line in lines:
            self.isometrics_ += ax.plot(line.x, line.y, color=self._ink, linewidth=0.8, alpha=0.45, zorder=1.8)
            end = line.x.size * 7 // 8
            at = float(line.x[end]), float(line.y[end])
            words = ax.annotate(f"{line.value:.3g}", at, ha="center", va="center", fontsize="x-small", color=self._ink)
            words.set(alpha=0.8, zorder=1.9, bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.8})

    def _choices(self, *, slopes: bool, mix: Mapping[str, Ranking] | None = None) -> Entries:
        """Draw a diamond per choice, and `equal_cost` per condition."""
        ax, self.chosen_, self.slopes_ = self.ax_, [], {}
        entries: Entries = []
        for i, (name, joint) in enumerate(self.chosen.items()):
            for model, choice in joint.choices.items():
                tied = choice.points if choice.splits.size <= MOST_TIES else (choice.point,)
                tables = [
                    each.table if mix is None else each.table.at_class_ratio(mix[model].class_ratio) for each in tied
                ]
                x, y = zip(*(place(table, self.plane) for table in tables), strict=True)
                self.chosen_.append(diamond(ax, x, y, self._styles[model].colour))
            line = equal_cost(joint, self.plane, mix) if slopes else None
            if line is not None:
                options: dict[str, Any] = {"linestyle": dashes(i + 2), "linewidth": 1.1, "alpha": 0.75, "zorder": 2.5}
                (self.slopes_[name],) = ax.plot(line.x, line.y, color=self._ink, **options)
                slope = "" if line.slope is None else f", slope {line.slope:.3g}"
                entries.append((self.slopes_[name], f"{name_text(name) if name else 'equal cost'}{slope}"))
        return entries


def isometric_lines(
    of: Isometrics, *, rankings: Mapping[str, Ranking], levels: Sequence[float] | None, plane: Plane
) -> list[Isometric]:
    """The isometrics at `levels`, or at even values that the plane holds."""
    totals = {(ranking.Pos, ranking.Neg) for ranking in rankings.values()}
    if len(totals) > 1:
        what = "the models have different numbers of positives or negatives, and isometrics depend on them"
        raise ArgumentError(what, "draw the isometrics of one model, or of models of the same cases")
    ((Pos, Neg),) = totals
    lines = []
    for value in _even(of, next(iter(rankings.values()))) if levels is None else levels:
        try:
            lines.append(isometric(of, value, plane=plane, Pos=Pos, Neg=Neg))
        except ArgumentError:
            if levels is not None:  # what was asked for is not left out in silence
                raise
    return lines


def _even(of: Isometrics, ranking: Ranking) -> Sequence[float]:
    """Round values: tenths, fifths, or round numbers among those the curve reaches."""
    from matplotlib.ticker import MaxNLocator

    if isinstance(of, Measure | str):
        low, high = measure(of).range
        if math.isfinite(high):
            return _TENTHS if low == 0 else _SIGNED
        values = measure(of).of(coverage(ranking))
    else:
        values = of.expected_cost(coverage(ranking))
    reached = [value for value in values.tolist() if math.isfinite(value)]
    return [float(tick) for tick in MaxNLocator(7).tick_values(min(reached), max(reached))]


def isometrics_words(of: Isometrics | None) -> str:
    """What a title says of the isometrics."""
    if of is None:
        return ""
    name = "expected cost" if isinstance(of, OperatingCondition) else measure(of).name.replace("_", " ")
    return f" with lines of equal {name}"


def place(table: Contingency, plane: Plane) -> tuple[float, float]:
    """Where a table lies in a plane."""
    x, y = {"coverage": ("fp", "tp"), "roc": ("fpr", "tpr"), "pr": ("recall", "precision")}[plane]
    return float(getattr(table, x)), float(getattr(table, y))


def equal_cost(joint: JointChoice, plane: Plane, mix: Mapping[str, Ranking] | None = None) -> Isometric | None:
    """The points that cost what the choice costs; None where it is a corner only.

    `mix` holds the models' rankings as the plane shows them, where their class mix is not the choice's.
    """
    choice = joint.choice
    ranking = choice.ranking if mix is None else mix[joint.model]
    try:
        return isometric(choice.condition, choice.expected_cost, plane=plane, Pos=ranking.Pos, Neg=ranking.Neg)
    except ArgumentError:
        # A choice in a corner of the rectangle: rounding may put the line just outside of it.
        return None


def diamond(ax: Axes, x: npt.ArrayLike, y: npt.ArrayLike, colour: str) -> Line2D:
    """Hollow diamonds: what was chosen."""
    (mark,) = ax.plot(x, y, "D", color=colour, markersize=8.5, markeredgewidth=2, zorder=4, clip_on=False)
    mark.set_markerfacecolor(ax.get_facecolor())
    return mark


def by_name(values: Any, kind: type[T], *, alone: str = MODEL) -> dict[str, T]:
    """Things by name; a single one gets the name `alone`."""
    named = {alone: values} if isinstance(values, kind) else values
    if not isinstance(named, Mapping) or not named or not all(isinstance(each, kind) for each in named.values()):
        what = f"this picture is of a {kind.__name__}, got {type(values).__name__}"
        raise ArgumentError(what, f"give a {kind.__name__}, or several as {{'name': ...}}")
    return {str(name): each for name, each in named.items()}


def require_one_ranking(ranking: Any) -> Ranking:
    """Raise `ArgumentError` unless it is one ranking."""
    if not isinstance(ranking, Ranking):
        what = f"this picture is of one Ranking, got {type(ranking).__name__}"
        raise ArgumentError(what, "give one ranking; draw one picture per model")
    return ranking


def curve_splits(ranking: Ranking) -> Splits:
    """The splits to draw: all, or of very long curves those that draw the same line.

    Precision and lift change fastest among the first splits, so these stay.
    """
    every = len(ranking) + 1
    if every <= MOST_POINTS:
        return np.arange(every)
    early = np.geomspace(1, every - 1, MOST_POINTS // 2).astype(np.intp)
    return np.union1d(early, thin(ranking, points=MOST_POINTS // 2).split)
