"""`ModelsDisplay`: rankings, choices and isometrics of one or several models."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from thresher.choices import JointChoice, choose
from thresher.curves import thin
from thresher.curves.hull import Splits
from thresher.errors import ArgumentError
from thresher.evaluation import ThresholdEvaluation
from thresher.inference import Band
from thresher.inference.bands.curves import POINTWISE
from thresher.plots.display import FAINT, Display, Entries, Entry, Frame, Style, legend_space, name_text, stack
from thresher.ranking import Ranking
from thresher.tables import Measure, OperatingCondition

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
    def from_evaluation(cls, evaluation: ThresholdEvaluation, *, bands: Mapping[str, Band] | None = None) -> Self:
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
