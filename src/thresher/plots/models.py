"""`ModelsDisplay`: pictures of one or several models' rankings, choices and isometrics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, TypeVar

import numpy as np

from thresher.choices import Choice, Isometric, JointChoice, choose, isometric
from thresher.choices.isometric import Plane
from thresher.curves import coverage, thin
from thresher.curves.hull import Splits
from thresher.errors import ArgumentError
from thresher.evaluation import Evaluation
from thresher.inference import Band
from thresher.plots.display import (
    FAINT,
    WIDTH,
    Display,
    Look,
    dashes,
    fits_inside,
    inches_beside,
    ink,
    set_title,
    shown,
)
from thresher.ranking import Ranking
from thresher.tables import Contingency, Measure, OperatingCondition, measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

Isometrics: TypeAlias = str | Measure | OperatingCondition
_TENTHS = tuple(i / 10 for i in range(1, 10))
_SIGNED = tuple(i / 5 for i in range(-4, 5))


def isometric_lines(
    of: Isometrics, *, rankings: Mapping[str, Ranking], levels: Sequence[float] | None, plane: Plane
) -> list[Isometric]:
    """The isometrics at `levels`, or at even values that the measure takes somewhere in the plane.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> lines = isometric_lines("accuracy", rankings={"tree": spam_tree}, levels=None, plane="roc")
    >>> [line.value for line in lines]
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    """
    totals = {(ranking.Pos, ranking.Neg) for ranking in rankings.values()}
    if len(totals) > 1:
        raise ArgumentError(
            "the models have different numbers of positives or negatives, and isometrics depend on them",
            fix="draw the isometrics of one model, or of models of the same cases",
        )
    ((Pos, Neg),) = totals
    found = []
    for value in _even(of, next(iter(rankings.values()))) if levels is None else levels:
        try:
            found.append(isometric(of, value, plane=plane, Pos=Pos, Neg=Neg))
        except ArgumentError:
            if levels is not None:  # what was asked for is not left out in silence
                raise
    return found


def draw_isometrics(ax: Axes, lines: Sequence[Isometric]) -> list[Line2D]:
    """Thin lines, each with its value written on it near the upper right end."""
    drawn = []
    for line in lines:
        (artist,) = ax.plot(line.x, line.y, color=ink(ax), linewidth=0.8, alpha=0.45, zorder=1.8)
        drawn.append(artist)
        end = line.x.size * 7 // 8
        ax.annotate(
            f"{line.value:.3g}",
            (float(line.x[end]), float(line.y[end])),
            fontsize="x-small",
            color=ink(ax),
            alpha=0.8,
            ha="center",
            va="center",
            zorder=1.9,
            bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.8},
        )
    return drawn


def isometrics_name(of: Isometrics) -> str:
    """What the lines are lines of, in words.

    >>> isometrics_name("recall")
    'tpr'
    """
    return "expected cost" if isinstance(of, OperatingCondition) else measure(of).name.replace("_", " ")


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


if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

MOST_TIES = 50


def place(table: Contingency, plane: Plane) -> tuple[float, float]:
    """Where a table lies in a plane.

    >>> place(Contingency(tp=30, fn=20, fp=10, tn=40), "pr")
    (0.6, 0.75)
    """
    x, y = {"coverage": ("fp", "tp"), "roc": ("fpr", "tpr"), "pr": ("recall", "precision")}[plane]
    return float(getattr(table, x)), float(getattr(table, y))


def equal_cost(joint: JointChoice, plane: Plane, drawn: Mapping[str, Ranking] | None = None) -> Isometric | None:
    """The line of points that cost what the choice costs; None where it meets the plane in a corner only.

    `drawn` are the models' rankings as the plane shows them, where their class mix is not that of the choice's.

    >>> from thresher import Ranking, choose
    >>> equal_cost(choose({"a": Ranking.parse("[3+,1-][1+,3-]")}), "roc").slope
    1.0
    """
    choice = joint.choice
    ranking = choice.ranking if drawn is None else drawn[joint.model]
    try:
        return isometric(choice.condition, choice.expected_cost, plane=plane, Pos=ranking.Pos, Neg=ranking.Neg)
    except ArgumentError:
        # A choice in a corner of the rectangle: rounding may put the line just outside of it.
        return None


def draw_chosen(
    ax: Axes,
    chosen: Mapping[str, JointChoice],
    looks: Mapping[str, Look],
    plane: Plane,
    *,
    drawn: Mapping[str, Ranking] | None = None,
    slopes: bool = True,
) -> tuple[list[Line2D], dict[str, Line2D], list[tuple[Artist, str]]]:
    """Diamonds, lines of equal cost by condition, and what the legend says of them."""
    marks: list[Line2D] = []
    lines: dict[str, Line2D] = {}
    entries: list[tuple[Artist, str]] = []
    for i, (name, joint) in enumerate(chosen.items()):
        for model, choice in joint.choices.items():
            ratio = None if drawn is None else drawn[model].class_ratio
            marks.append(diamond(ax, choice, looks[model], plane, class_ratio=ratio))
        line = equal_cost(joint, plane, drawn) if slopes else None
        if line is not None:
            style: dict[str, Any] = {"linestyle": dashes(i + 2), "linewidth": 1.1, "alpha": 0.75, "zorder": 2.5}
            (lines[name],) = ax.plot(line.x, line.y, color=ink(ax), **style)
            entries.append((lines[name], _words(name, line)))
    return marks, lines, entries


def diamond(ax: Axes, choice: Choice, look: Look, plane: Plane, *, class_ratio: float | None = None) -> Line2D:
    """The choice as a filled diamond; with ties, all of them; at another class ratio where one is shown."""
    tied = choice.points if choice.splits.size <= MOST_TIES else (choice.point,)
    tables = [point.table if class_ratio is None else point.table.at_class_ratio(class_ratio) for point in tied]
    x, y = zip(*(place(table, plane) for table in tables), strict=True)
    (mark,) = ax.plot(
        x,
        y,
        linestyle="none",
        marker="D",
        markersize=8.5,
        markerfacecolor=ax.get_facecolor(),
        markeredgecolor=look.colour,
        markeredgewidth=2,
        zorder=4,
        clip_on=False,
    )
    return mark


def _words(name: str, line: Isometric) -> str:
    slope = "" if line.slope is None else f"slope {line.slope:.3g}"
    if not name:
        return f"equal cost, {slope}" if slope else "equal cost"
    return f"{shown(name)}, {slope}" if slope else shown(name)


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
        return cls._of(rankings, {name: choose(rankings, each) for name, each in asked.items()}, given)

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
    return np.union1d(early, thin(ranking, points=MOST_POINTS // 2).split)


def curve_style(ranking: Ranking, look: Look) -> dict[str, Any]:
    """How a curve is drawn: its splits are marked where there are few."""
    marked = {"marker": look.marker, "markersize": 4.5} if len(ranking) < FEW else {}
    return {"color": look.colour, "linestyle": look.dashes, "linewidth": WIDTH, "zorder": 3} | marked


def unit_square(ax: Axes, x: str, y: str) -> None:
    """Axes from 0 to 1 with equal sides, and the words beside them."""
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel=x, ylabel=y, aspect="equal")
    ax.grid(visible=True, color="grey", alpha=0.18, linewidth=0.6)
