"""`ModelsDisplay`: pictures of one or several models' rankings, with what conditions choose and how sure curves are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, TypeVar

import numpy as np

from thresher.choices import JointChoice, OperatingCondition, joint_choice
from thresher.curves import thinned
from thresher.curves.hull import Splits
from thresher.errors import ArgumentError
from thresher.evaluation import Evaluation
from thresher.inference import Band
from thresher.plots.display import Display
from thresher.plots.style import FAINT, WIDTH, Look
from thresher.plots.words import fits_inside, inches_beside, set_title, shown
from thresher.ranking import Ranking

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D

T = TypeVar("T")
Restates: TypeAlias = Literal["nothing", "counts", "probabilities"]
MODEL = "model"
FEW = 60  # splits that are marked one by one
MOST_POINTS = 20_000


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

    rankings: Mapping[str, Ranking]
    chosen: Mapping[str, JointChoice] = field(default_factory=dict)
    bands: Mapping[str, Band] = field(default_factory=dict)
    of: str = ""
    mix: str = ""
    lines_: dict[str, Line2D] = field(init=False)

    @classmethod
    def from_ranking(
        cls,
        ranking: Ranking | Mapping[str, Ranking],
        *,
        conditions: OperatingCondition | Mapping[str, OperatingCondition] | None = None,
        bands: Band | Mapping[str, Band] | None = None,
    ) -> Self:
        """Of one ranking, or of several by the names of their models.

        `conditions` (one, or several by name) marks what each makes the best choice. `bands` are those already
        computed for the models' curves. A display that cannot draw one of them refuses it.
        """
        rankings = by_name(ranking, Ranking)
        for each in rankings.values():
            each.require_both_classes()
        asked = {} if conditions is None else by_name(conditions, OperatingCondition, alone="")
        given = {} if bands is None else by_name(bands, Band, alone=next(iter(rankings)))
        return cls._of(rankings, {name: joint_choice(rankings, each) for name, each in asked.items()}, given)

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, *, bands: Mapping[str, Band] | None = None) -> Self:
        """Of every model of an evaluation, at its class mix, with its choice where the picture can show it."""
        ratio = None if cls.restates == "nothing" else evaluation.condition.class_ratio
        rankings = {
            name: model.production
            if cls.restates == "probabilities"
            else model.ranking
            if ratio is None
            else model.ranking.at_class_ratio(ratio)
            for name, model in evaluation.models.items()
        }
        chosen = {"": evaluation.joint} if "conditions" in cls.takes else {}
        display = cls._of(rankings, chosen, {} if bands is None else bands)
        display.mix = "" if ratio is None else f" at {evaluation.condition.mix}"
        return display

    @classmethod
    def _of(cls, rankings: Mapping[str, Ranking], chosen: Mapping[str, JointChoice], bands: Mapping[str, Band]) -> Self:
        for option, given in (("conditions", chosen), ("bands", bands)):
            if given and option not in cls.takes:
                raise ArgumentError(f"{cls.__name__} draws no {option}", f"leave {option}= out")
        strange = [name for name in bands if name not in rankings]
        if strange:
            raise ArgumentError(f"there is a band of {strange[0]!r}, and no such model", "check the names")
        return cls(rankings=rankings, chosen=chosen, bands=bands)

    @property
    def size(self) -> tuple[float, float]:
        """Wider when the legend stands beside the axes."""
        return 5.6 + self._beside(), 4.4

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.rankings))})"

    def _beside(self) -> float:
        """Inches that the legend needs beside the axes, judged by names alone."""
        numbers = " (AUC 0.123)"
        labels = [shown(name) + numbers for name in self.rankings]
        labels += [shown(name or "equal cost") + ", slope 0.123" for name in self.chosen]
        labels += ["95% band, simultaneous"] * bool(self.bands)
        return 0.0 if fits_inside(labels) else inches_beside(labels)

    def _label(self, name: str, words: str = "") -> str:
        """What the legend says of a model; a single nameless one needs no name."""
        if words and list(self.rankings) == [MODEL]:
            return words
        return f"{shown(name)} ({words})" if words else shown(name)

    def _title(self, ax: Axes, words: str) -> None:
        set_title(ax, words + self.mix, of=self.of)

    def _banded(self, name: str, look: Look) -> FillBetweenPolyCollection | None:
        """The band of a model, if there is one."""
        if name not in self.bands:
            return None
        band = self.bands[name]
        return self.ax_.fill_between(
            band.x, band.lower, band.upper, color=look.colour, alpha=FAINT, linewidth=0, zorder=1.5
        )

    def _band_entry(self) -> list[tuple[Artist, str]]:
        """What the legend says of the bands."""
        from matplotlib.patches import Patch

        if not self.bands:
            return []
        band = next(iter(self.bands.values()))
        kind = "simultaneous" if band.simultaneous else "pointwise"
        return [(Patch(color="grey", alpha=2 * FAINT, linewidth=0), f"{band.level:.0%} band, {kind}")]


def by_name(given: Any, kind: type[T], *, alone: str = MODEL) -> dict[str, T]:
    """Things by name; a single one is called `alone`.

    >>> by_name(Ranking.parse("[1+][1-]"), Ranking)
    {'model': Ranking([1+][1-] at scores 2, 1)}
    """
    named = {alone: given} if isinstance(given, kind) else given
    if not isinstance(named, Mapping) or not named or not all(isinstance(each, kind) for each in named.values()):
        raise ArgumentError(
            f"this picture is of a {kind.__name__}, got {type(given).__name__}",
            f"give a {kind.__name__}, or several as {{'name': ...}}",
        )
    return {str(name): each for name, each in named.items()}


def one_ranking(given: Any) -> Ranking:
    """The one ranking that a picture is of.

    >>> one_ranking(Ranking.parse("[1+][1-]"))
    Ranking([1+][1-] at scores 2, 1)
    """
    if not isinstance(given, Ranking):
        raise ArgumentError(
            f"this picture is of one Ranking, got {type(given).__name__}",
            "give one ranking; draw one picture per model",
        )
    return given


def drawn_splits(ranking: Ranking) -> Splits:
    """The splits to draw: all of them, or of very long curves those that look the same.

    Precision and lift change fastest among the first splits, so these stay.

    >>> drawn_splits(Ranking.parse("[1+][1-]")).tolist()
    [0, 1, 2]
    """
    every = len(ranking) + 1
    if every <= MOST_POINTS:
        return np.arange(every)
    early = np.geomspace(1, every - 1, MOST_POINTS // 2).astype(np.intp)
    return np.union1d(early, thinned(ranking, points=MOST_POINTS // 2).split)


def curve_style(ranking: Ranking, look: Look) -> dict[str, Any]:
    """How a curve is drawn: its splits are marked where there are few."""
    marked = {"marker": look.marker, "markersize": 4.5} if len(ranking) < FEW else {}
    return {"color": look.colour, "linestyle": look.dashes, "linewidth": WIDTH, "zorder": 3} | marked


def unit_square(ax: Axes, x: str, y: str) -> None:
    """Axes from 0 to 1 with equal sides, and the words beside them."""
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel=x, ylabel=y, aspect="equal")
    ax.grid(visible=True, color="grey", alpha=0.18, linewidth=0.6)
