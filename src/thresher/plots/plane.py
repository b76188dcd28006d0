"""`PlaneDisplay`: curves and tables as points, isometrics and choices in a plane."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from thresher._internal.text import did_you_mean, letters
from thresher.choices import Isometric, JointChoice, TableChoice, choose, isometric, read_accuracy
from thresher.choices.isometric import Plane
from thresher.curves import coverage
from thresher.errors import ArgumentError, argument
from thresher.inference import Band
from thresher.plots.display import Entries, Frame, dashes, legend_space, name_text, stack
from thresher.plots.models import MOST_TIES, ModelsDisplay, by_name, diamond
from thresher.plots.points import dominated_by, hull_path, place, require_points, staircase
from thresher.ranking import Ranking
from thresher.tables import Contingency, Measure, OperatingCondition, measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon
    from matplotlib.text import Annotation

    from thresher.plots.placement import Placement

Isometrics: TypeAlias = str | Measure | OperatingCondition
Families: TypeAlias = "Isometrics | Sequence[Isometrics] | Mapping[Any, Sequence[float] | None]"
_TENTHS = tuple(i / 10 for i in range(1, 10))
_SIGNED = tuple(i / 5 for i in range(-4, 5))
_MOST_READ = 8  # heights that are written where lines cross the descending diagonal
_ALIKE = 12  # digits after which values are of the same line
# Measures whose isometrics meet the descending diagonal where tpr = tnr = their value.
_READ = ("accuracy", "average_recall")


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class PlaneDisplay(ModelsDisplay):
    """Curves, and tables as points, in a plane with isometrics and choices.

    `points` are classifiers of one table each; what a condition chooses is of all, curves and points.
    """

    takes: ClassVar[frozenset[str]] = frozenset({"conditions", "bands"})
    square: ClassVar[bool] = True
    plane: ClassVar[Plane]

    chosen: Mapping[str, JointChoice | TableChoice] = field(default_factory=dict)  # type: ignore[assignment]
    points: Mapping[str, Contingency] = field(default_factory=dict)
    points_: dict[str, Line2D] = field(init=False)
    letters_: dict[str, Annotation] = field(init=False)
    isometrics_: dict[str, list[Line2D]] = field(init=False)
    chosen_: list[Line2D] = field(init=False)
    slopes_: dict[str, Line2D] = field(init=False)
    front_: Line2D | None = field(init=False)
    points_hull_: Line2D | None = field(init=False)
    dominated_: dict[str, Polygon] = field(init=False)
    descending_: Line2D | None = field(init=False)
    crossings_: Line2D | None = field(init=False)
    _placement: Placement = field(init=False)
    _read: list[tuple[float, float, float]] = field(init=False)

    @classmethod
    def from_ranking(
        cls,
        ranking: Ranking | Mapping[str, Ranking],
        *,
        conditions: OperatingCondition | Mapping[str, OperatingCondition] | None = None,
        bands: Band | Mapping[str, Band] | None = None,
        points: Mapping[str, Contingency] | None = None,
    ) -> Self:
        """Of one ranking, or of several by the names of their models, and `points`.

        `conditions` (one, or several by name) marks what each makes the best choice; `bands` are those of the models'
        curves. A display that cannot draw one of them refuses it.
        """
        # Without super(): a dataclass with slots is another class than the one that this method was compiled for.
        if not points:
            return ModelsDisplay.from_ranking.__func__(cls, ranking, conditions=conditions, bands=bands)  # type: ignore[attr-defined]
        display = ModelsDisplay.from_ranking.__func__(cls, ranking, bands=bands)  # type: ignore[attr-defined]
        return display._with_points(require_points(points), conditions)

    @property
    def _classifiers(self) -> dict[str, Ranking | Contingency]:
        return {**self.rankings, **self.points}

    @classmethod
    def from_tables(
        cls,
        tables: Contingency | Mapping[str, Contingency],
        *,
        conditions: OperatingCondition | Mapping[str, OperatingCondition] | None = None,
    ) -> Self:
        """Of classifiers that are tables, by name: a lettered point each.

        `conditions` (one, or several by name) marks what each makes the best choice.
        """
        return cls(rankings={})._with_points(require_points(tables), conditions)

    def _with_points(
        self,
        points: Mapping[str, Contingency],
        conditions: OperatingCondition | Mapping[str, OperatingCondition] | None,
    ) -> Self:
        if both := self.rankings.keys() & points.keys():
            what = f"{min(both)!r} names both a ranking and a table"
            raise ArgumentError(what, "give every classifier its own name")
        self.points = points
        self._require_one_plane()
        asked = {} if conditions is None else by_name(conditions, OperatingCondition, alone="")
        candidates: Any = self._classifiers
        self.chosen = {name: choose(candidates, each) for name, each in asked.items()}
        return self

    def _require_one_plane(self) -> None:
        """Refuse tables that have no common plane."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, (*self.rankings, *self.points)))})"

    def frame(self) -> Frame:
        """Per split of every model's curve its numbers, and points below them.

        Without rankings: per point its name, fp, tp, fpr, tpr and precision.
        """
        if not self.rankings:
            tables = self.points.values()
            columns = {key: np.array([getattr(table, key) for table in tables]) for key in _COLUMNS}
            return {"name": np.array(list(self.points), dtype=object)} | columns
        parts: dict[str, Mapping[str, Any]] = {name: self._columns(name) for name in self.rankings}
        keys = next(iter(parts.values()))
        for name, table in self.points.items():
            parts[name] = {key: [getattr(table, key, np.nan)] for key in keys}
        return stack(parts)

    def _legend_inches(self) -> float:
        own = ModelsDisplay._legend_inches(self)
        return max(own, legend_space(self._point_labels()))

    def _start(self, ax: Axes | None, **settings: Any) -> Axes:
        from thresher.plots.placement import Placement

        ax = ModelsDisplay._start(self, ax, **settings)
        self._styles = self._styles_of([*self.rankings, *self.points])
        self._placement = Placement(ax, self._ink)
        self._read = []
        return ax

    # -- points --------------------------------------------------------------------------------------------------

    def _point_labels(self) -> list[str]:
        """What the legend says of points whose letters are not their names."""
        marks = letters(list(self.points))
        return [f"{mark}  {name_text(name)}" for mark, name in zip(marks, self.points, strict=True) if mark != name]

    def _draw_points(
        self, *, front: bool = False, hull: bool = False, dominance: bool | str | Sequence[str] = False
    ) -> None:
        """Draw every point with its letter, and what was asked for around them."""
        ax, self.points_, self.letters_, self.dominated_ = self.ax_, {}, {}, {}
        self.front_ = self.points_hull_ = None
        at = {name: place(table, self.plane) for name, table in self.points.items()}
        for name in self._named(dominance, "dominance"):
            shade: dict[str, Any] = {"color": self._styles[name].colour, "alpha": 0.13, "linewidth": 0, "zorder": 0.8}
            (self.dominated_[name],) = ax.fill(*dominated_by(self.points[name], self.plane), **shade)
        if front:
            options: dict[str, Any] = {"color": self._ink, "linewidth": 1.2, "alpha": 0.8, "zorder": 2.2}
            (self.front_,) = ax.plot(*staircase(self._required("front"), self.plane), **options)
            self._entries.append((self.front_, "front"))
        if hull:
            options = {"color": self._ink, "linewidth": 1.1, "alpha": 0.8, "linestyle": dashes(1), "zorder": 2.1}
            (self.points_hull_,) = ax.plot(*hull_path(self._required("hull"), self.plane), **options)
            self._entries.append((self.points_hull_, "hull"))
        labels = self._point_labels()
        for mark, (name, (x, y)) in zip(letters(list(self.points)), at.items(), strict=True):
            style = self._styles[name]
            options = {"color": style.colour, "markersize": 7, "zorder": 4, "clip_on": False, "linestyle": "none"}
            (self.points_[name],) = ax.plot([x], [y], marker=style.marker, **options)
            self.letters_[name] = self._placement.letter((x, y), name_text(mark), color=style.colour, weight="bold")
        if labels:
            named = [name for mark, name in zip(letters(list(self.points)), self.points, strict=True) if mark != name]
            self._entries += [(self.points_[name], label) for name, label in zip(named, labels, strict=True)]

    def _required(self, option: str) -> Mapping[str, Contingency]:
        if not self.points:
            what = f"{argument(option)} is about points, and this picture has none"
            raise ArgumentError(what, "give tables, with from_tables or points=", parameter=option)
        return self.points

    def _named(self, names: Any, option: str) -> list[str]:
        """The points that an option names; True and "all" name every one."""
        if names is None or names is False:
            return []
        known = list(self._required(option))
        if names is True or names == "all":
            return known
        asked = [names] if isinstance(names, str) else list(names)
        for name in asked:
            if name not in known:
                what = f"{argument(option)} names {name!r}, and there is no such point"
                fix = did_you_mean(name, known) or f'give "all" or some of {", ".join(map(name_text, known))}'
                raise ArgumentError(what, fix, parameter=option)
        return asked

    # -- isometrics ----------------------------------------------------------------------------------------------

    def _draw_isometrics(self, isometrics: Families | None, through: str | Sequence[str] | None = None) -> None:
        """Draw families of thin lines of equal value, each with its dashes and labels."""
        self.isometrics_ = {}
        asked = families(isometrics)
        names = self._named(through, "through")
        if names and not asked:
            fix = f"say of what: {argument('isometrics', 'accuracy')}"
            raise ArgumentError(f"{argument('through')} draws isometrics through points", fix, parameter="through")
        for number, (of, levels) in enumerate(asked.items()):
            lines = self._lines_through(of, names)
            even = levels is None and not names
            if not names or levels is not None:
                lines += isometric_lines(of, tables=self._tables(), levels=levels, plane=self.plane)
            self._draw_family(of, lines, dashes(number), bare=even and len(asked) == 1)
        if len(asked) > 1:
            self._entries += [(lines[0], _words(name)) for name, lines in self.isometrics_.items() if lines]

    def _draw_family(self, of: Isometrics, lines: Iterable[Isometric], dash: Any, *, bare: bool) -> None:
        options: dict[str, Any] = {"color": self._ink, "linewidth": 0.9, "alpha": 0.5, "linestyle": dash, "zorder": 1.8}
        name = family_name(of)
        family = self.isometrics_.setdefault(name, [])
        for line in lines:
            family += self.ax_.plot(line.x, line.y, **options)
            value = f"{line.value:.3g}" if bare else _value(line.value)
            self._placement.label(family[-1], *([] if bare else [f"{_words(name)} {value}"]), value)
            if line.slope is not None and (isinstance(of, OperatingCondition) or name in _READ):
                self._read.append((float(line.x[-1]), float(line.y[-1]), line.slope))

    def _lines_through(self, of: Isometrics, names: Sequence[str]) -> list[Isometric]:
        """One isometric per value that points have, at the class mix of each."""
        lines: dict[tuple[float, float], Isometric] = {}
        for name in names:
            table = self.points[name]
            value = float(of.expected_cost(table) if isinstance(of, OperatingCondition) else measure(of).of(table))
            if not math.isfinite(value):
                what = f"{family_name(of)} is {value:g} for {name!r}, and no isometric goes through it"
                raise ArgumentError(what, "leave it out of through=, or ask for another measure")
            mix = float(table.class_ratio) if depends_on_mix(of) else 0.0
            key = round(value, _ALIKE), round(mix, _ALIKE)
            if key not in lines:
                lines[key] = isometric(of, value, plane=self.plane, Pos=table.Pos, Neg=table.Neg)
        return list(lines.values())

    def _tables(self) -> list[Contingency]:
        """What values are looked for in: every split of every curve, and points."""
        return [*map(coverage, self.rankings.values()), *self.points.values()]

    def _isometrics_words(self, isometrics: Families | None) -> str:
        """What a title says of the isometrics."""
        names = [_words(family_name(of)) for of in families(isometrics)]
        return f" with lines of equal {' and '.join(names)}" if names else ""

    # -- choices -------------------------------------------------------------------------------------------------

    def _choices(self, *, slopes: bool, mix: Mapping[str, Ranking] | None = None) -> Entries:
        """Draw a diamond per choice, and `equal_cost` per condition."""
        ax, self.chosen_, self.slopes_ = self.ax_, [], {}
        entries: Entries = []
        for i, (name, choice) in enumerate(self.chosen.items()):
            for model, tables in _chosen_tables(choice, mix).items():
                x, y = zip(*(place(table, self.plane) for table in tables), strict=True)
                self.chosen_.append(diamond(ax, x, y, self._styles[model].colour))
            line = equal_cost(choice, self.plane, mix) if slopes else None
            if line is not None:
                options: dict[str, Any] = {"linestyle": dashes(i + 3), "linewidth": 1.1, "alpha": 0.75, "zorder": 2.5}
                (self.slopes_[name],) = ax.plot(line.x, line.y, color=self._ink, **options)
                slope = "" if line.slope is None else f", slope {line.slope:.3g}"
                entries.append((self.slopes_[name], f"{name_text(name) if name else 'equal cost'}{slope}"))
                if line.slope is not None:
                    self._read.append((float(line.x[-1]), float(line.y[-1]), line.slope))
        return entries

    def _draw_descending(self, *, wanted: bool, Pos: float = 1.0, Neg: float = 1.0) -> None:
        """Draw the descending diagonal, and read accuracies off it."""
        self.descending_ = self.crossings_ = None
        if not wanted:
            return
        ax = self.ax_
        (self.descending_,) = ax.plot([0, Neg], [Pos, 0], **self._dotted())
        steep = Neg / Pos
        read = [
            1.0 - x / Neg if math.isinf(slope) else read_accuracy(min(x / Neg, 1), min(y / Pos, 1), slope * steep)
            for x, y, slope in self._read
            if slope >= 0
        ]
        read = list({round(each, _ALIKE): each for each in read}.values())
        options: dict[str, Any] = {"color": self._ink, "markersize": 4, "marker": "o", "linestyle": "none", "zorder": 3}
        (self.crossings_,) = ax.plot([(1 - each) * Neg for each in read], [each * Pos for each in read], **options)
        for each in read if len(read) <= _MOST_READ else ():
            at = (1 - each) * Neg, each * Pos
            ax.plot([0, at[0]], [at[1], at[1]], **self._dotted(alpha=0.5))
            self._placement.letter(at, f"{each:.2f}", fontsize="x-small")


_COLUMNS = ("fp", "tp", "fpr", "tpr", "precision")


def families(isometrics: Families | None) -> dict[Isometrics, Sequence[float] | None]:
    """Families of isometrics, and the values that were asked for."""
    if isometrics is None:
        return {}
    if isinstance(isometrics, str | Measure | OperatingCondition):
        return {isometrics: None}
    if isinstance(isometrics, Mapping):
        return {of: None if levels is None else list(levels) for of, levels in isometrics.items()}
    return dict.fromkeys(isometrics)


def family_name(of: Isometrics) -> str:
    """The measure of a family."""
    return "expected cost" if isinstance(of, OperatingCondition) else measure(of).name


def _words(name: str) -> str:
    return name.replace("_", " ")


def _value(value: float) -> str:
    return f"{value:.2f}" if 0.005 <= abs(value) < 10 or not value else f"{value:.3g}"


def depends_on_mix(of: Isometrics) -> bool:
    """Whether rates alone do not tell the value."""
    return of.shares is None if isinstance(of, OperatingCondition) else measure(of).depends_on_mix


def isometric_lines(
    of: Isometrics, *, tables: Sequence[Contingency], levels: Sequence[float] | None, plane: Plane
) -> list[Isometric]:
    """The isometrics at `levels`, or at even values that the plane holds."""
    Pos, Neg = (np.array([np.ravel(getattr(table, side))[0] for table in tables]) for side in ("Pos", "Neg"))
    if plane == "coverage":
        alike = bool((Pos == Pos[0]).all() and (Neg == Neg[0]).all())
    else:
        alike = not depends_on_mix(of) or bool(np.allclose(Pos * Neg[0], Neg * Pos[0], rtol=1e-9))
    if not alike:
        what = "the models have different numbers of positives or negatives, and isometrics depend on them"
        raise ArgumentError(what, "draw the isometrics of one model, or of models of the same cases")
    lines = []
    for value in _even(of, tables) if levels is None else levels:
        try:
            lines.append(isometric(of, value, plane=plane, Pos=float(Pos[0]), Neg=float(Neg[0])))
        except ArgumentError:
            if levels is not None:  # what was asked for is not left out in silence
                raise
    return lines


def _even(of: Isometrics, tables: Sequence[Contingency]) -> Sequence[float]:
    """Round values: tenths, fifths, or round numbers among those that are reached."""
    from matplotlib.ticker import MaxNLocator

    if isinstance(of, Measure | str):
        low, high = measure(of).range
        if math.isfinite(high):
            return _TENTHS if low == 0 else _SIGNED
    values = [of.expected_cost(each) if isinstance(of, OperatingCondition) else measure(of).of(each) for each in tables]
    flat = np.concatenate([np.ravel(each) for each in values])
    reached = flat[np.isfinite(flat)]
    return [float(tick) for tick in MaxNLocator(7).tick_values(float(reached.min()), float(reached.max()))]


def _chosen_tables(
    choice: JointChoice | TableChoice, mix: Mapping[str, Ranking] | None
) -> dict[str, list[Contingency]]:
    """What a condition chooses, ties included, by model."""
    if isinstance(choice, TableChoice):
        return {name: [choice.tables[name]] for name in choice.best}
    chosen = {}
    for model, each in choice.choices.items():
        tied = each.points if each.splits.size <= MOST_TIES else (each.point,)
        tables = [point.table for point in tied]
        chosen[model] = tables if mix is None else [table.at_class_ratio(mix[model].class_ratio) for table in tables]
    return chosen


def equal_cost(
    choice: JointChoice | TableChoice, plane: Plane, mix: Mapping[str, Ranking] | None = None
) -> Isometric | None:
    """The points that cost what the choice costs; None where it is a corner only.

    `mix` holds the models' rankings as the plane shows them, where their class mix is not the choice's.
    """
    of: Ranking | Contingency
    if isinstance(choice, TableChoice):
        condition, cost, of = choice.condition, choice.costs[choice.best[0]], choice.tables[choice.best[0]]
    else:
        best = choice.choice
        condition, cost = best.condition, best.expected_cost
        of = best.ranking if mix is None else mix[choice.model]
    try:
        return isometric(condition, cost, plane=plane, Pos=of.Pos, Neg=of.Neg)
    except ArgumentError:
        # A choice in a corner of the rectangle: rounding may put the line just outside of it.
        return None
