"""`ScatterDisplay`, `ComponentsDisplay`: rows in a plane, and how they vary."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError, LengthError, argument
from thresher.plots.display import LITERAL, Display, Entries, Frame, Style, legend_space, name_text
from thresher.plots.rows.table import MOST_DRAWN, pick_rows, plain_rows, read_classes, sample_words, two_features
from thresher.ranking import Floats, Indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

# Results of `thresher.learning`, which imports this package, or anything alike. A scatter has `names`, `classes`,
# `counts`, `means`, `mean`, `within_matrix`, `scores` and `J`; components have `names`, `variances`, `ratios`,
# `components` and `project`.
ScatterLike: TypeAlias = Any
ComponentsLike: TypeAlias = Any
_FEW = 500  # rows that are drawn large
_SLIGHT = {"*": 1.6, "P": 1.2, "^": 1.2, "v": 1.2, "X": 1.2}  # markers that cover little, and how much larger they are
_DEVIATIONS = 2.0  # standard deviations that an ellipse reaches
_ARROW: dict[str, Any] = {"arrowstyle": "-|>", "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}


def draw_points(
    ax: Axes, rows: npt.NDArray[np.float64], codes: Indices, styles: Mapping[str, Style]
) -> tuple[dict[str, Line2D], Entries]:
    """Draw the rows of each class, many of them smaller than in the legend."""
    from matplotlib.lines import Line2D

    points: dict[str, Line2D] = {}
    entries: Entries = []
    look: dict[str, Any] = {"linestyle": "none", "markeredgewidth": 0}
    size, alpha = (5.0, 0.85) if len(rows) <= _FEW else (3.4, 0.55)
    for k, (name, style) in enumerate(styles.items()):
        own = look | {"color": style.colour, "marker": style.marker}
        larger = _SLIGHT.get(style.marker, 1.0)
        (points[name],) = ax.plot(*rows[codes == k].T, markersize=size * larger, alpha=alpha, zorder=3, **own)
        entries.append((Line2D([], [], markersize=6 * larger, **own), name_text(name)))
    return points, entries


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class PlaneOfRowsDisplay(Display):
    """Rows in a plane, by class; many are sampled, which the title says."""

    rows: npt.NDArray[np.float64]
    codes: Indices
    classes: tuple[str, ...]
    all_rows: int
    points_: dict[str, Line2D] = field(init=False)

    @property
    def size(self) -> tuple[float, float]:
        """Wider when the legend lies next to the axes."""
        names = [name_text(name) for name in self.classes] if len(self.classes) > 1 else []
        return 5.6 + legend_space(names), 4.6

    def _points(self, ax: Axes) -> Entries:
        """Draw the rows of each class with its marker."""
        self.points_, entries = draw_points(ax, self.rows, self.codes, self._styles_of(self.classes))
        return entries if len(self.classes) > 1 else []


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ScatterDisplay(PlaneOfRowsDisplay):
    """Scatter within classes as ellipses, scatter between them as arrows.

    Around the mean of each class lies the ellipse of S_W, two standard deviations wide, which all classes
    share; arrows lead from the mean of all rows to those of classes, and S_B is their squares in the shares of classes.

    >>> import thresher as th
    >>> X, y = [[1, 0], [3, 1], [8, 0], [9, 1]], ["a", "a", "b", "b"]
    >>> display = ScatterDisplay.from_scatter(th.learning.scatter(X, y, matrix=True), X, y)
    >>> display.frame()["x0"].tolist()
    [2.0, 8.5]
    """

    scatter: ScatterLike
    features: tuple[int, int]
    ellipses_: dict[str, Line2D] = field(init=False)
    arrows_: dict[str, Annotation] = field(init=False)

    @classmethod
    def from_scatter(
        cls, scatter: ScatterLike, X: Any, y: Any, *, features: Sequence[Any] | None = None, seed: int = 0
    ) -> Self:
        """Of `thresher.learning.scatter(X, y, matrix=True)`, its rows and labels."""
        values, _ = plain_rows(X)
        if values.shape[1] != len(scatter.names):
            what = f"the scatter is of {len(scatter.names):,} features, and X has {values.shape[1]:,}"
            raise LengthError(what, "give the rows that it was computed from")
        a, b = two_features(features, scatter.names)
        classes, codes = read_classes(y, rows=len(values))
        if classes != tuple(map(str, scatter.classes)) or np.ndim(scatter.within_matrix) != 2:
            what = f"the scatter is of classes {', '.join(map(str, scatter.classes))}, and y holds {', '.join(classes)}"
            raise LengthError(what, "give the labels that it was computed from")
        picked = pick_rows(len(values), MOST_DRAWN, seed)
        return cls(
            scatter=scatter,
            features=(a, b),
            rows=values[np.ix_(picked, np.array([a, b]))],
            codes=codes[picked],
            classes=classes,
            all_rows=len(values),
        )

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it."""
        a, b = self.features
        ax = self._axes(ax)
        ax.set_xlabel(name_text(self.scatter.names[a]), **LITERAL)
        ax.set_ylabel(name_text(self.scatter.names[b]), **LITERAL)
        entries = self._points(ax)
        outline = _ellipse(np.asarray(self.scatter.within_matrix)[np.ix_([a, b], [a, b])])
        middle = float(self.scatter.mean[a]), float(self.scatter.mean[b])
        self.ellipses_, self.arrows_ = {}, {}
        colours = [style.colour for style in self._styles_of(self.classes).values()]
        for name, colour, mean in zip(self.classes, colours, np.asarray(self.scatter.means)[:, [a, b]], strict=True):
            x, y = (outline + mean[:, None]).tolist()
            (self.ellipses_[name],) = ax.plot(x, y, color=colour, linewidth=1.6, zorder=3.5)
            arrow = _ARROW | {"color": self._ink}
            self.arrows_[name] = ax.annotate("", tuple(mean.tolist()), xytext=middle, arrowprops=arrow, zorder=4)
        of_both = self.scatter.of([a, b]).J if hasattr(self.scatter, "of") else float(self.scatter.J)
        title = f"Scatter within and between classes, J {of_both:.3g}"
        return self._finish(f"{title}{sample_words(len(self.rows), self.all_rows)}", entries, loc="best")

    def frame(self) -> Frame:
        """Per class: how many rows it has, and its mean of both features."""
        columns: Frame = {"class": np.array(self.classes, dtype=object), "rows": np.asarray(self.scatter.counts)}
        return columns | {str(self.scatter.names[i]): np.asarray(self.scatter.means)[:, i] for i in self.features}


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ComponentsDisplay(PlaneOfRowsDisplay):
    """Rows along two principal components, with arrows as long as they vary.

    The arrows are standard deviations, the roots of the eigenvalues; thin ones show how far each feature goes along
    with both components.

    >>> import thresher as th
    >>> X = [[2.0, 0.0], [0.0, 1.0], [-2.0, 0.0], [0.0, -1.0]]
    >>> display = ComponentsDisplay.from_components(th.learning.principal_components(X), X)
    >>> display.frame()["deviation"].round(3).tolist()
    [1.633, 0.816]
    """

    components: ComponentsLike
    pair: tuple[int, int]
    arrows_: list[Annotation] = field(init=False)
    features_: dict[str, Annotation] = field(init=False)

    _most_features: ClassVar[int] = 12

    @classmethod
    def from_components(
        cls, components: ComponentsLike, X: Any, y: Any = None, *, pair: tuple[int, int] = (1, 2), seed: int = 0
    ) -> Self:
        """Of `thresher.learning.principal_components(X)` and rows, perhaps with classes.

        `pair` are the components drawn, counted from 1.
        """
        count = len(components.variances)
        first, second = pair
        if first == second or not all(1 <= each <= count for each in (first, second)):
            what = f"{argument('pair')} must be two different components, got {pair!r}"
            raise ArgumentError(what, f"there are {count:,}; count them from 1", parameter="pair")
        values, _ = plain_rows(X)
        classes, codes = (
            (("rows",), np.zeros(len(values), dtype=np.intp)) if y is None else read_classes(y, rows=len(values))
        )
        picked = pick_rows(len(values), MOST_DRAWN, seed)
        shown = np.asarray(components.project(values[picked]))[:, [pair[0] - 1, pair[1] - 1]]
        return cls(
            components=components,
            pair=(int(pair[0]), int(pair[1])),
            rows=shown,
            codes=codes[picked],
            classes=classes,
            all_rows=len(values),
        )

    def plot(self, ax: Axes | None = None, *, features: bool = True) -> Self:
        """Draw it; `features` adds an arrow per feature, of up to 12 features."""
        ax = self._axes(ax, aspect="equal")
        ax.set_adjustable("datalim")
        for axis, number in zip((ax.xaxis, ax.yaxis), self.pair, strict=True):
            share = float(self.components.ratios[number - 1])
            axis.set_label_text(f"component {number} ({share:.1%} of the variance)")
        entries = self._points(ax)
        deviations = [math.sqrt(max(float(self.components.variances[i - 1]), 0.0)) for i in self.pair]
        self.arrows_, self.features_ = [], {}
        for at in ((deviations[0], 0.0), (0.0, deviations[1])):
            arrow = _ARROW | {"color": self._ink}
            self.arrows_.append(ax.annotate("", at, xytext=(0.0, 0.0), arrowprops=arrow, zorder=5))
        if features and len(self.components.names) <= self._most_features:
            self._feature_arrows(ax)
        title = f"Principal components, arrows of one standard deviation{sample_words(len(self.rows), self.all_rows)}"
        return self._finish(title, entries, loc="best")

    def frame(self) -> Frame:
        """Per component: its share of the variance, and its standard deviation."""
        return {
            "component": np.array(self.pair),
            "ratio": np.array([float(self.components.ratios[i - 1]) for i in self.pair]),
            "deviation": np.sqrt([max(float(self.components.variances[i - 1]), 0.0) for i in self.pair]),
        }

    def _feature_arrows(self, ax: Axes) -> None:
        """Draw the features' loadings, all in one proportion, as far as rows reach."""
        from thresher.plots.placement import Placement

        placement = Placement(ax, self._ink)
        loadings = np.asarray(self.components.components)[[i - 1 for i in self.pair]]
        with np.errstate(divide="ignore"):
            reach = float((np.abs(self.rows).max(axis=0)[:, None] / np.abs(loadings)).min())
        for name, (x, y) in zip(self.components.names, (reach * loadings).T.tolist(), strict=True):
            arrow = {"arrowstyle": "->", "linewidth": 0.8, "color": self._ink, "alpha": 0.6, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", (x, y), xytext=(0.0, 0.0), arrowprops=arrow, zorder=4)
            self.features_[name] = placement.letter((x, y), name_text(name, longest=18), fontsize="x-small")


def _ellipse(covariance: npt.NDArray[np.float64]) -> Floats:
    """The outline of an ellipse of two standard deviations, a line where they vanish."""
    values, vectors = np.linalg.eigh(covariance)
    angle = np.linspace(0, 2 * np.pi, 181)
    circle = np.vstack([np.cos(angle), np.sin(angle)])
    return np.asarray(_DEVIATIONS * vectors @ (np.sqrt(np.maximum(values, 0))[:, None] * circle))
