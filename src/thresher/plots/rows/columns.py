"""`ColumnsDisplay`: every column of a table by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from thresher._internal.text import count_text
from thresher.errors import ArgumentError
from thresher.plots.display import LITERAL, Display, Frame, literal, name_text
from thresher.plots.rows.table import Kind, TableColumn, class_labels, read_classes, read_table
from thresher.ranking import Floats, Indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle

MOST_PANELS = 24
_ACROSS = 4  # panels in a row
_HEIGHT = 2.0  # inches of a panel
_TITLE, _LINE = 0.24, 0.22  # inches of the title above all panels, and of each line of classes below it
_FEW = 10  # distinct integers that are drawn as categories
_MOST_BARS = 10
_BINS = 5, 60
_FENCE = 1.5  # interquartile ranges beyond the quartiles, as `Outliers("iqr")` has it
_REACH = 6.0  # interquartile ranges beyond the quartiles that a histogram shows
_SHORT = 1e5  # numbers below it are written out under a histogram
_ACROSS_LETTERS = 34  # letters that fit above a panel


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSummary:
    """What is drawn of a column: the share of each class per bin or category.

    Of many categories the most frequent are drawn, and `others` are the number of the rest and their share. `box` holds
    both fences and the quartiles between them; `outliers` lie beyond the fences, and `beyond` beyond the picture. J is
    the variance between classes over that within, of categories summed over their indicators.
    """

    name: str
    kind: Kind
    shares: npt.NDArray[np.float64]
    edges: Floats | None
    categories: tuple[str, ...]
    rows: int
    missing: int
    J: float
    box: tuple[float, float, float, float, float] | None
    outliers: int
    beyond: int
    others: tuple[int, float] = (0, 0.0)


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ColumnsDisplay(Display):
    """The columns of a table, a panel each: a histogram or bars per class.

    Above a histogram lies the box of all rows with its median and fences. Classes share their bins, whose width
    is Freedman and Diaconis's on all rows. Of more than 24 columns those of the largest J are drawn.

    >>> data = {"size": [1.0, 2.0, 4.0, 5.0], "colour": ["red", None, "blue", "blue"], "class": ["a", "a", "b", "b"]}
    >>> display = ColumnsDisplay.from_table(data, by="class")
    >>> display.frame()["J"].tolist(), display.frame()["missing"].tolist()
    ([9.0, inf], [0, 1])
    """

    columns: tuple[ColumnSummary, ...]
    classes: tuple[str, ...]
    unlabelled: int = 0
    header_: Axes = field(init=False)
    axes_: dict[str, Axes] = field(init=False)
    boxes_: dict[str, Rectangle] = field(init=False)

    @classmethod
    def from_table(cls, data: Any, *, by: Any = None, columns: Sequence[str] | None = None) -> Self:
        """Of a frame, a mapping or an array: all its columns, or some by name.

        `by` is the column of classes, or the class of each row; without it there is one class. Rows whose class is
        missing are left out and counted.
        """
        table = read_table(data, columns)
        if isinstance(by, str):
            table.pop(by, None)
        if not table:
            raise ArgumentError("there is no column besides that of the classes", "give a table with features")
        rows = next(iter(table.values())).values.size
        classes, codes = (
            (("all rows",), np.zeros(rows, dtype=np.intp))
            if by is None
            else read_classes(class_labels(data, by), rows=rows, name="by")
        )
        labelled = codes >= 0
        every = bool(labelled.all())
        summaries = [
            _summary(each, each.values if every else each.values[labelled], codes[labelled], len(classes))
            for each in table.values()
        ]
        return cls(columns=tuple(summaries), classes=classes, unlabelled=int((~labelled).sum()))

    @property
    def size(self) -> tuple[float, float]:
        """It grows with the number of panels."""
        return self._width, _HEIGHT * math.ceil(len(self._drawn) / self._across) + self._header

    @property
    def _across(self) -> int:
        return min(_ACROSS, len(self._drawn))

    @property
    def _width(self) -> float:
        return max(2.4 * self._across + 0.4, 5.0)

    @property
    def _classes_across(self) -> int:
        """How many names of classes fit next to each other."""
        return max(int(self._width / (0.65 + 0.075 * max(map(len, self._names)))), 1)

    @property
    def _header(self) -> float:
        """Inches of the title and of the lines of classes."""
        lines = math.ceil(len(self.classes) / self._classes_across) if len(self.classes) > 1 else 0
        return _TITLE + _LINE * lines

    @property
    def _drawn(self) -> list[ColumnSummary]:
        """The columns that are drawn, in the order of the table."""
        best = sorted(self.columns, key=lambda each: -np.nan_to_num(each.J, nan=-1.0))[:MOST_PANELS]
        return [each for each in self.columns if any(each is one for one in best)]

    @property
    def _names(self) -> list[str]:
        return [name_text(name, longest=20) for name in self.classes]

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; the panels lie within `ax`."""
        ax = self._axes(ax, grid="")
        drawn = self._drawn
        self.header_, panels = _panels(ax, len(drawn), self._header / _HEIGHT)
        self.axes_, self.boxes_ = {}, {}
        colours = [style.colour for style in self._styles_of(self.classes).values()]
        for panel, each in zip(panels, drawn, strict=True):
            self.axes_[each.name] = panel
            if each.edges is None:
                self._bars(panel, each, colours)
            else:
                self._histogram(panel, each, colours)
            panel.set_title(
                f"{name_text(each.name, longest=24)}\n{_words(each)}", fontsize="small", loc="left", **LITERAL
            )
            panel.set_yticks([])
            panel.tick_params(labelsize="x-small")
            for side in ("top", "right", "left"):
                panel.spines[side].set_visible(False)
        title = "Columns" if len(self.classes) == 1 else "Columns by class, as shares of each class"
        if len(drawn) < len(self.columns):
            title += f": the {len(drawn)} of {len(self.columns):,} with the largest J"
        if self.unlabelled:
            title += f"; {count_text(self.unlabelled, 'row')} without a class left out"
        self._head(title, colours if len(self.classes) > 1 else ())
        return self

    def frame(self) -> Frame:
        """Per column: rows, missing, J, the quartiles between their fences, outliers."""
        boxes = [each.box or (math.nan,) * 5 for each in self.columns]
        named = dict(
            zip(
                ("low_fence", "lower_quartile", "median", "upper_quartile", "high_fence"),
                zip(*boxes, strict=True),
                strict=True,
            )
        )
        return {
            "column": np.array([each.name for each in self.columns], dtype=object),
            "kind": np.array([each.kind for each in self.columns]),
            "rows": np.array([each.rows for each in self.columns]),
            "missing": np.array([each.missing for each in self.columns]),
            "J": np.array([each.J for each in self.columns]),
            **{name: np.array(values) for name, values in named.items()},
            "outliers": np.array([each.outliers for each in self.columns]),
        }

    def _head(self, title: str, colours: Sequence[str]) -> None:
        """Write the title, and the classes below it."""
        from matplotlib.patches import Patch
        from matplotlib.transforms import ScaledTranslation

        literal(self.header_.text(0, 1, title, va="top", transform=self.header_.transAxes)).set_fontsize("medium")
        if colours:
            handles = [Patch(facecolor=colour, alpha=0.6) for colour in colours]
            columns = min(self._classes_across, len(colours))
            below = ScaledTranslation(0, -_TITLE, self.figure_.dpi_scale_trans)
            options: Any = {"loc": "upper left", "ncols": columns, "fontsize": "small", "frameon": False}
            options |= {"bbox_to_anchor": (0, 1), "bbox_transform": self.header_.transAxes + below}
            legend = self.header_.legend(handles, self._names, borderaxespad=0.0, borderpad=0.0, **options)
            for text in legend.get_texts():
                literal(text)

    def _histogram(self, panel: Axes, each: ColumnSummary, colours: Sequence[str]) -> None:
        from matplotlib.ticker import MaxNLocator

        for share, colour in zip(each.shares, colours, strict=True):
            panel.stairs(share, each.edges, fill=True, color=colour, alpha=0.3)
            panel.stairs(share, each.edges, color=colour, linewidth=1.1)
        panel.xaxis.set_major_locator(MaxNLocator(4))
        if each.edges is not None and np.abs(each.edges).max() < _SHORT:
            panel.ticklabel_format(axis="x", useOffset=False)  # 2024.5, not 0.5 + 2024
        panel.set_ylim(0, 1.35 * max(float(each.shares.max()), 1e-12))
        if each.box is None or each.edges is None:
            return
        from matplotlib.patches import Rectangle

        low, first, median, third, high = each.box
        ends = max(low, float(each.edges[0])), min(high, float(each.edges[-1]))
        across = panel.get_xaxis_transform()
        ink: dict[str, Any] = {"color": self._ink, "linewidth": 1.0, "transform": across}
        box = Rectangle(
            (first, 0.86), third - first, 0.08, fill=False, edgecolor=self._ink, linewidth=1.0, transform=across
        )
        panel.add_patch(box)
        self.boxes_[each.name] = box
        panel.plot([median, median], [0.86, 0.94], **ink | {"linewidth": 1.8})
        for start, end in ((ends[0], first), (third, ends[1])):
            panel.plot([start, end], [0.9, 0.9], **ink)
        for end in ends:
            panel.plot([end, end], [0.875, 0.925], **ink)

    def _bars(self, panel: Axes, each: ColumnSummary, colours: Sequence[str]) -> None:
        count, places = len(colours), np.arange(len(each.categories))
        for i, (share, colour) in enumerate(zip(each.shares, colours, strict=True)):
            panel.bar(places + (i - (count - 1) / 2) * 0.8 / count, share, 0.8 / count, color=colour, alpha=0.6)
        names = [name_text(name, longest=10) for name in each.categories]
        turned = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if sum(map(len, names)) > 18 else {}
        panel.set_xticks(places, names, **LITERAL | turned)
        spare = max(3 - places.size, 0) / 2  # bars of a single value do not fill the panel
        panel.set_xlim(-0.55 - spare, places.size - 0.45 + spare)


def _panels(ax: Axes, count: int, header_height: float) -> tuple[Axes, list[Axes]]:
    """A header (in heights of a panel) and panels within other axes."""
    ax.set_axis_off()
    across = min(_ACROSS, count)
    down = math.ceil(count / across)
    spec, figure = ax.get_subplotspec(), ax.figure
    if spec is None:  # axes that were placed by hand
        boxes = [
            (i % across / across, 0.9 - 0.9 * (i // across + 1) / down, 0.9 / across, 0.6 / down) for i in range(count)
        ]
        return ax, [ax.inset_axes(box) for box in boxes]
    grid = spec.subgridspec(down + 1, across, height_ratios=[header_height] + [1] * down)
    header = figure.add_subplot(grid[0, :])
    header.set_axis_off()
    return header, [figure.add_subplot(grid[i // across + 1, i % across]) for i in range(count)]


def _words(each: ColumnSummary) -> str:
    """What a panel says below the name of its column."""
    words = [] if math.isnan(each.J) else ["J under 0.001" if 0 < each.J < 0.001 else f"J {each.J:.3g}"]
    if each.missing:
        words.append(f"{_percent(each.missing / each.rows)} missing")
    if each.outliers:
        words.append(count_text(each.outliers, "outlier"))
    if each.beyond:
        words.append(f"{each.beyond:,} not shown")
    if each.others[0]:
        words.append(f"{each.others[0]:,} others hold {_percent(each.others[1])}")
    if len(each.categories) == 1:
        words.append("constant")
    unbroken = ", ".join(each.replace(" ", "\u00a0") for each in words)  # lines end between two of them
    return "\n".join(wrap(unbroken, _ACROSS_LETTERS)).replace("\u00a0", " ")


def _percent(share: float) -> str:
    return "under 0.1%" if share < 0.001 else f"{share:.1%}"


def _summary(of: TableColumn, values: npt.NDArray[Any], codes: Indices, classes: int) -> ColumnSummary:
    present = ~np.isnan(values) if of.kind == "number" else values >= 0
    missing = int(values.size - np.count_nonzero(present))
    here, code = (values, codes) if not missing else (values[present], codes[present])
    if of.kind == "number" and here.size:
        few = _few_integers(here)
        J = _separation(here, code, classes)
        box, outliers = _box(here)
        if few is None:
            shares, edges, beyond = _binned(here, code, classes, box)
            return ColumnSummary(of.name, of.kind, shares, edges, (), values.size, missing, J, box, outliers, beyond)
        counts = _counts(np.searchsorted(few, here), code, len(few), classes)
        names = tuple(f"{each:g}" for each in few)
        return ColumnSummary(of.name, of.kind, _shares(counts), None, names, values.size, missing, J, box, outliers, 0)
    counts = _counts(here, code, len(of.categories), classes)
    J = _indicator_separation(counts)
    shown = np.argsort(-counts.sum(axis=0), kind="stable")[:_MOST_BARS]
    names, rest = tuple(of.categories[i] for i in shown), len(of.categories) - shown.size
    others = rest, 1 - float(counts[:, shown].sum() / max(counts.sum(), 1.0))
    shares = _shares(counts)[:, shown]
    return ColumnSummary(of.name, of.kind, shares, None, names, values.size, missing, J, None, 0, 0, others)


def _few_integers(values: Floats) -> Floats | None:
    """The distinct values, if they are few integers, or there is one."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return values[:1]
    if high - low > 1000 or not low.is_integer() or not (values[:1000] == np.rint(values[:1000])).all():
        return None
    known = np.unique(values)
    return known if known.size <= _FEW and (known == np.rint(known)).all() else None


def _counts(places: npt.NDArray[Any], codes: Indices, size: int, classes: int) -> npt.NDArray[np.float64]:
    """How many rows of each class (rows) are at each place (columns)."""
    if not size:
        return np.zeros((classes, 0))
    counts = np.bincount(codes * size + places.astype(np.intp), minlength=classes * size)
    return counts.reshape(classes, size).astype(np.float64)


def _shares(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def _separation(values: Floats, codes: Indices, classes: int) -> float:
    """J of a feature: trace(S_B) / trace(S_W), in one dimension."""
    if classes < 2:
        return math.nan
    size = np.maximum(np.bincount(codes, minlength=classes), 1)
    middle = values.mean()
    means = np.bincount(codes, values - middle, minlength=classes) / size
    within = float(((values - middle - means[codes]) ** 2).sum())
    between = float((np.bincount(codes, minlength=classes) * (means - (values - middle).mean()) ** 2).sum())
    return between / within if within else (math.inf if between else math.nan)


def _indicator_separation(counts: npt.NDArray[np.float64]) -> float:
    """J of a category's indicators, from the counts of its values by class."""
    if len(counts) < 2 or not counts.sum():
        return math.nan
    of_class, everywhere = counts.sum(axis=1), counts.sum(axis=0) / counts.sum()
    shares = counts / np.maximum(of_class, 1)[:, None]
    between = float((of_class[:, None] / counts.sum() * (shares - everywhere) ** 2).sum())
    within = float((of_class[:, None] / counts.sum() * shares * (1 - shares)).sum())
    return between / within if within else (math.inf if between else math.nan)


def _box(values: Floats) -> tuple[tuple[float, float, float, float, float], int]:
    """Quartiles between their fences, which may be infinite, and outliers."""
    first, median, third = np.percentile(values, [25, 50, 75]).tolist()
    spread = third - first
    low, high = (first - _FENCE * spread, third + _FENCE * spread) if spread else (-math.inf, math.inf)
    outliers = int(np.count_nonzero((values < low) | (values > high)))
    return (low, first, median, third, high), outliers


def _binned(
    values: Floats, codes: Indices, classes: int, box: tuple[float, float, float, float, float]
) -> tuple[npt.NDArray[np.float64], Floats, int]:
    """Shares of each class per bin, the edges, and how many rows lie beyond them."""
    _, first, _, third, _ = box
    spread = third - first
    low, high = float(values.min()), float(values.max())
    if spread:
        low, high = max(low, first - _REACH * spread), min(high, third + _REACH * spread)
    if low == high:
        low, high = low - max(abs(low), 1.0) * 0.5, high + max(abs(high), 1.0) * 0.5
    width = 2 * spread / values.size ** (1 / 3)
    bins = int(np.clip(math.ceil((high - low) / width) if width else _BINS[1] // 2, *_BINS))
    edges = np.linspace(low, high, bins + 1)
    # As np.histogram counts, in one pass for all classes: bins have their lower edge, and the last one has both.
    places = np.searchsorted(edges, values, side="right")
    places[values == high] = bins
    counts = _counts(places, codes, bins + 2, classes)[:, 1:-1]
    of_class = np.maximum(np.bincount(codes, minlength=classes), 1)[:, None]
    return counts / of_class, edges, int(values.size - counts.sum())
