"""`BoundaryDisplay`: rows of two features, and where a model's calls change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_between, require_integer
from thresher._internal.optional import extra
from thresher._internal.text import count_text
from thresher.errors import ArgumentError, LengthError, argument
from thresher.inputs.columns import column
from thresher.inputs.frames import is_frame
from thresher.plots.display import LITERAL, Display, Entries, Frame, dashes, legend_space, name_text
from thresher.plots.rows.scatter import draw_points
from thresher.plots.rows.table import MOST_CLASSES, pick_rows, read_table, sample_words, two_features
from thresher.ranking import Floats, Indices
from thresher.tables import OperatingCondition

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.lines import Line2D

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SHADE = 0.16  # opacity of regions
_RINGS = 60  # from more rings on they are small
_DRAWN = 1_000  # rows that are drawn
_LISTED = 4  # features whose fixed values are written below the axes
Plane = tuple[Floats, Floats, Floats]


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class BoundaryDisplay(Display):
    """Rows of two features over the regions of a model's calls, wrong calls ringed.

    With `thresholds`, of two classes, a line per threshold of the model's score: its probability of the second class,
    else its decision function. Rows are positive from the first threshold on; without thresholds, as the model
    predicts. Other features are fixed, numbers at the median row and categories at the most frequent value, as written
    below the axes; the rows drawn have their own values and are called by them. `truth`, a world of known
    truth with a `posterior` of two features, adds the boundary that no model can better.

    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0, 0.0, 1.0], [1.0, 0.0, 3.0], [0.0, 1.0, 5.0], [1.0, 1.0, 7.0]], ["no", "no", "no", "yes"]
    >>> model = LogisticRegression().fit(X, y)
    >>> display = BoundaryDisplay.from_estimator(model, X, y, features=(0, 1), thresholds=[0.3, 0.5])
    >>> display.fixed, display.frame()["class"].tolist()
    ({'x2': 4.0}, ['no', 'no', 'no', 'yes'])
    """

    model: Any
    classes: tuple[Any, ...]
    names: tuple[str, str]
    table: Any
    fixed: Mapping[str, Any]
    rows: npt.NDArray[np.float64]
    actual: Indices
    predicted: Indices
    all_rows: int
    left_out: int
    thresholds: Mapping[str, float]
    truth: Any
    grid: int
    regions_: Any = field(init=False)
    thresholds_: dict[str, Line2D] = field(init=False)
    boundary_: Line2D | None = field(init=False)
    truth_: Line2D | None = field(init=False)
    points_: dict[str, Line2D] = field(init=False)
    rings_: PathCollection = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        features: Sequence[Any] | None = None,
        thresholds: Sequence[float] | Mapping[str, float] | None = None,
        condition: OperatingCondition | None = None,
        truth: Any = None,
        grid: int = 200,
        seed: int = 0,
    ) -> Self:
        """Of a fitted classifier and rows with their labels, by two features.

        `features` are names or places, the first two by default; `thresholds` have letters, or names of their own in a
        mapping. A `condition` adds the probability from which on calling a row positive costs less, at its class ratio
        or that of `y`. Of many rows 1,000 are drawn at random. `grid` is how many places across a boundary is looked
        for.
        """
        extra("sklearn", name="learn")
        classes = _classes_of(model)
        require_integer(grid, name="grid", least=10, most=2000, fix="give e.g. 200")
        frame = _frame_of(X)
        columns = read_table(frame)
        names = tuple(columns)
        a, b = two_features(features, names)
        if truth is not None and (len(names) != 2 or (a, b) != (0, 1)):
            what = f"{argument('truth')} is a world of two features, in the order of its own"
            raise ArgumentError(what, "give a table of these two, and leave features= out", parameter="truth")
        labels = column(y, name="y")
        rows = next(iter(columns.values())).values.size
        if labels.size != rows:
            raise LengthError(f"X has {rows:,} rows and y {labels.size:,}", "give one label per row")
        for i in (a, b):
            if columns[names[i]].kind == "category":
                what = f"column {names[i]!r} holds no numbers, and a plane is of two"
                raise ArgumentError(what, "name two features of numbers", parameter="features")
        place = {each: k for k, each in enumerate(classes)}
        stray = [each for each in dict.fromkeys(labels.tolist()) if each not in place]
        if stray:
            what = f"the model knows the classes {', '.join(map(str, classes[:5]))}, and y holds {stray[0]!r}"
            raise ArgumentError(what, "give the labels that it was fitted on")
        at = np.column_stack([columns[names[i]].values for i in (a, b)])
        present = np.flatnonzero(~np.isnan(at).any(axis=1))
        if not present.size:
            raise ArgumentError(f"no row has both {names[a]!r} and {names[b]!r}", "name features with values")
        picked = present[pick_rows(present.size, _DRAWN, seed)]
        named = _thresholds(thresholds, len(classes))
        if condition is not None:
            named["least cost"] = _least_cost(condition, model, [place[each] for each in labels.tolist()], len(classes))
        display = cls(
            model=model,
            classes=classes,
            names=(names[a], names[b]),
            table=frame,
            fixed={name: _typical(frame, columns[name], name) for i, name in enumerate(names) if i not in (a, b)},
            rows=at[picked],
            actual=np.array([place[labels[i]] for i in picked.tolist()], dtype=np.intp),
            predicted=np.zeros(picked.size, dtype=np.intp),
            all_rows=int(present.size),
            left_out=rows - int(present.size),
            thresholds=named,
            truth=truth,
            grid=grid,
        )
        display.predicted = display._calls(_pick(frame, picked))
        return display

    @property
    def size(self) -> tuple[float, float]:
        """Wider when the legend lies next to the axes."""
        labels = [*map(name_text, self.classes), "called wrongly", *(f"{name} 0.123" for name in self.thresholds)]
        return 5.4 + legend_space(labels), 4.8

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it."""
        ax = self._axes(ax, grid="")
        styles = self._styles_of(map(str, self.classes))
        self._draw_regions(ax, [style.colour for style in styles.values()])
        self.points_, entries = draw_points(ax, self.rows, self.actual, styles)
        wrong = self.rows[self.actual != self.predicted]
        rings: dict[str, Any] = {"facecolors": "none", "edgecolors": self._ink, "zorder": 4}
        crowded = len(wrong) > _RINGS
        size: dict[str, Any] = {"s": 28, "linewidths": 0.5, "alpha": 0.6} if crowded else {"s": 70, "linewidths": 0.9}
        self.rings_ = ax.scatter(*wrong.T, **rings | size)
        entries.append((ax.scatter([], [], s=70, linewidths=0.9, **rings), "called wrongly"))
        entries += self._draw_lines(ax)
        fixed = self._fixed_words()
        ax.set_xlabel(name_text(self.names[0]) + (f"\n{fixed}" if fixed else ""), **LITERAL)
        ax.set_ylabel(name_text(self.names[1]), **LITERAL)
        at = next((f" at {name_text(name)} {value:.3g}" for name, value in self.thresholds.items()), "")
        title = f"{name_text(type(self.model).__name__)}{at}, {len(wrong):,} of {len(self.rows):,} rows called wrongly"
        title += sample_words(len(self.rows), self.all_rows)
        if self.left_out:
            title += f"; {count_text(self.left_out, 'row')} without these features left out"
        return self._finish(title, entries, outside=legend_space([label for _, label in entries]) > 0)

    def frame(self) -> Frame:
        """Per row drawn: both features, its class, the class it is called, and if wrongly."""
        named = np.empty(len(self.classes), dtype=object)
        named[:] = self.classes
        return {
            self.names[0]: self.rows[:, 0],
            self.names[1]: self.rows[:, 1],
            "class": named[self.actual],
            "predicted": named[self.predicted],
            "wrong": self.actual != self.predicted,
        }

    def _draw_regions(self, ax: Axes, colours: Sequence[str]) -> None:
        """Shade the regions of calls, by scikit-learn's display."""
        from matplotlib.colors import ListedColormap

        inspection = extra("sklearn.inspection", name="learn")
        count, margin = len(self.classes), 0.06 * max(float(np.ptp(self.rows, axis=0).min()), 1e-9)
        options: dict[str, Any] = {"response_method": "predict", "grid_resolution": self.grid, "eps": margin}
        look: dict[str, Any] = {"vmin": -0.5, "vmax": count - 0.5, "alpha": _SHADE, "zorder": 0.5, "rasterized": True}
        drawn = inspection.DecisionBoundaryDisplay.from_estimator(
            self._slice(), self.rows, plot_method="pcolormesh", ax=ax, **options, **look
        )
        # What it takes colours from depends on its version.
        drawn.surface_.set_cmap(ListedColormap(colours))
        self.regions_ = drawn.surface_
        self.boundary_ = None
        if not self.thresholds:
            plane = drawn.xx0, drawn.xx1, np.asarray(drawn.response, dtype=np.float64)
            path = np.concatenate([_contour(plane, k + 0.5) for k in range(count - 1)])
            (self.boundary_,) = ax.plot(*path.T, color=self._ink, linewidth=0.9, alpha=0.7, zorder=2)

    def _draw_lines(self, ax: Axes) -> Entries:
        """Draw a line per threshold, and the boundary of the truth."""
        from thresher.plots.placement import Placement

        self.thresholds_, self.truth_ = {}, None
        entries: Entries = []
        plane: Any = self._score_plane(ax) if self.thresholds else None
        placement = Placement(ax, self._ink)
        for i, (name, value) in enumerate(self.thresholds.items()):
            path = _contour(plane, value)
            (line,) = ax.plot(*path.T, color=self._ink, linewidth=1.3, linestyle=dashes(i), zorder=2.5)
            self.thresholds_[name] = line
            words = f"{name_text(name, longest=16)} {value:.3g}"
            if np.isfinite(path).any():
                placement.label(line, words, name_text(name, longest=16))
            entries.append((line, words if np.isfinite(path).any() else f"{words} (not in this picture)"))
        if self.truth is not None:
            path = self._true_boundary(ax)
            (self.truth_,) = ax.plot(*path.T, color=self._ink, linewidth=2.2, alpha=0.55, zorder=2.4)
            entries.append((self.truth_, "Bayes boundary"))
        return entries

    def _score_plane(self, ax: Axes) -> Plane:
        """The score at every place of the grid."""
        x, y = (np.linspace(*limits, self.grid) for limits in (ax.get_xlim(), ax.get_ylim()))
        across, up = np.meshgrid(x, y)
        scores = self._scores(self._table_at(np.column_stack([across.ravel(), up.ravel()])))
        return across, up, scores.reshape(across.shape)

    def _true_boundary(self, ax: Axes) -> Floats:
        x, y = (np.linspace(*limits, self.grid) for limits in (ax.get_xlim(), ax.get_ylim()))
        across, up = np.meshgrid(x, y)
        posterior = np.asarray(self.truth.posterior(np.column_stack([across.ravel(), up.ravel()])), dtype=np.float64)
        if posterior.ndim == 1 or posterior.shape[1] == 2:
            of_second = posterior if posterior.ndim == 1 else posterior[:, 1]
            return _contour((across, up, of_second.reshape(across.shape)), 0.5)
        best = posterior.argmax(axis=1).reshape(across.shape).astype(np.float64)
        return np.concatenate([_contour((across, up, best), k + 0.5) for k in range(posterior.shape[1] - 1)])

    def _slice(self) -> Any:
        """The model as one of two features, whose classes are counted from 0."""
        base = extra("sklearn.base", name="learn")
        table, calls, count = self._table_at, self._calls, len(self.classes)

        class Slice(base.ClassifierMixin, base.BaseEstimator):  # type: ignore[misc, name-defined]
            """A classifier in the plane of two features."""

            classes_ = np.arange(count)

            def fit(self, *_: Any) -> Any:
                return self

            def __sklearn_is_fitted__(self) -> bool:
                return True

            def predict(self, X: Any) -> Indices:
                return calls(table(np.asarray(X)))

        return Slice()

    def _table_at(self, places: Floats) -> Any:
        """Rows at places of the plane, all other features fixed."""
        values = dict(self.fixed) | {self.names[0]: places[:, 0], self.names[1]: places[:, 1]}
        if isinstance(self.table, np.ndarray):
            order = [f"x{i}" for i in range(self.table.shape[1])]
            return np.column_stack([np.broadcast_to(np.asarray(values[name]), len(places)) for name in order])
        pandas = extra("pandas", name="learn")
        frame = pandas.DataFrame({name: values[str(name)] for name in self.table.columns}, index=range(len(places)))
        # Categories keep their type; integers do not, since their median may be none.
        kinds = {name: kind for name, kind in self.table.dtypes.items() if str(name) in self.fixed}
        return frame.astype({name: kind for name, kind in kinds.items() if kind.kind not in "iub"})

    def _calls(self, table: Any) -> Indices:
        """Classes of rows, counted from 0, by the first threshold or as predicted."""
        if self.thresholds:
            return (self._scores(table) >= next(iter(self.thresholds.values()))).astype(np.intp)
        place = {each: k for k, each in enumerate(self.classes)}
        return np.array([place[each] for each in np.asarray(self.model.predict(table)).tolist()], dtype=np.intp)

    def _scores(self, table: Any) -> Floats:
        if hasattr(self.model, "predict_proba"):
            return np.asarray(self.model.predict_proba(table), dtype=np.float64)[:, 1]
        return np.asarray(self.model.decision_function(table), dtype=np.float64)

    def _fixed_words(self) -> str:
        named = [f"{name_text(name, longest=18)} {_plain(value)}" for name, value in self.fixed.items()]
        if not named:
            return ""
        more = f" and {len(named) - _LISTED:,} more" if len(named) > _LISTED else ""
        lines = [", ".join(named[i : i + 2]) for i in range(0, min(len(named), _LISTED), 2)]
        return "at " + ",\n".join(lines) + more


def _classes_of(model: Any) -> tuple[Any, ...]:
    """The classes of a fitted classifier."""
    if isinstance(model, type) or not hasattr(model, "predict"):
        what = (
            f"{getattr(model, '__name__', type(model).__name__)} has no predict, and a boundary lies where calls change"
        )
        raise ArgumentError(what, "give a fitted classifier")
    if not hasattr(model, "classes_"):
        what = f"{type(model).__name__} has no classes: it is not fitted, or no classifier"
        raise ArgumentError(what, "fit a classifier first: model.fit(X, y)")
    classes = tuple(np.asarray(model.classes_).tolist())
    if len(classes) > MOST_CLASSES:
        what = f"the model has {len(classes):,} classes, and a picture shows {MOST_CLASSES} at most"
        raise ArgumentError(what, "draw a model of fewer classes")
    return classes


def _thresholds(thresholds: Sequence[float] | Mapping[str, float] | None, classes: int) -> dict[str, float]:
    if thresholds is None:
        return {}
    if classes != 2:
        what = f"{argument('thresholds')} divide two classes, and the model has {classes}"
        raise ArgumentError(what, "leave them out", parameter="thresholds")
    named = dict(thresholds) if isinstance(thresholds, Mapping) else dict(zip(_LETTERS, thresholds, strict=False))
    for name, value in named.items():
        fix = "give numbers, e.g. [0.3, 0.5]"
        require_between(value, -np.inf, np.inf, name=f"thresholds[{name!r}]", fix=fix)
    if not named or len(named) != len(thresholds):
        what = f"{argument('thresholds')} has {len(thresholds):,} entries, and there is room for 1 to 26"
        raise ArgumentError(what, "give a few", parameter="thresholds")
    return {str(name): float(value) for name, value in named.items()}


def _least_cost(condition: OperatingCondition, model: Any, codes: Sequence[int], classes: int) -> float:
    """The probability at which both calls cost the same, at a declared mix."""
    if not hasattr(model, "predict_proba") or classes != 2:
        what = f"a {argument('condition')} prices probabilities of two classes, and {type(model).__name__} has none"
        raise ArgumentError(what, "give a classifier of two classes with predict_proba", parameter="condition")
    of_data = sum(codes) / max(len(codes) - sum(codes), 1)
    shift = 1.0 if condition.class_ratio is None else condition.class_ratio / of_data
    odds = 1 / (condition.cost_ratio * shift)
    return odds / (1 + odds)


def _frame_of(X: Any) -> Any:
    """A pandas frame of a frame, or an array of rows and columns."""
    if not is_frame(X):
        return np.asarray(X)
    pandas = extra("pandas", name="learn")
    if isinstance(X, pandas.DataFrame):
        return X
    if isinstance(X, Mapping):
        return pandas.DataFrame(X)
    narwhals = extra("narwhals", name="learn")
    native = narwhals.from_native(X)
    return (native.collect() if hasattr(native, "collect") else native).to_pandas()


def _pick(frame: Any, rows: Indices) -> Any:
    return frame[rows] if isinstance(frame, np.ndarray) else frame.iloc[rows]


def _typical(frame: Any, read: Any, name: str) -> Any:
    """The median of numbers, the most frequent of categories."""
    if read.kind == "number":
        present = read.values[~read.missing]
        return float(np.median(present)) if present.size else float("nan")
    if isinstance(frame, np.ndarray):
        raise ArgumentError(f"column {name!r} holds no numbers", "give a data frame, or numbers")
    frequent = frame[next(each for each in frame.columns if str(each) == name)].mode()
    return frequent.iloc[0] if len(frequent) else None


def _contour(plane: Plane, level: float) -> Floats:
    """The lines where a surface has a value, one below the other with gaps of NaN."""
    from contourpy import contour_generator

    lines: Any = contour_generator(*plane).lines(level)
    gap = np.full((1, 2), np.nan)
    return np.concatenate([gap[:0], *(part for line in lines for part in (np.asarray(line), gap))]) if lines else gap


def _plain(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else name_text(value, longest=18)
