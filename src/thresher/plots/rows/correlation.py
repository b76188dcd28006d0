"""`CorrelationDisplay`, `redundant_pairs`: which columns say the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_between
from thresher.errors import ArgumentError
from thresher.plots.display import LITERAL, Display, Frame, is_dark, literal, name_text
from thresher.plots.rows.table import TableColumn, pick_rows, read_table, sample_words
from thresher.ranking import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from matplotlib.patches import Rectangle
    from matplotlib.text import Text

Association: TypeAlias = Literal["spearman", "cramers_v", "eta"]
MOST_ROWS = 100_000
_MOST_VALUES = 200  # categories of a column that a table of counts is made of
_MOST_COLUMNS = 200
_WRITTEN = 14  # columns up to which cells hold their values
_NAMED = 60  # columns up to which every one is named
_ENDS = "#b84a00", "#0072b2"


class RedundantPair(NamedTuple):
    """Two columns of which one tells almost all of the other."""

    one: str
    other: str
    value: float
    measure: Association


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class CorrelationDisplay(Display):
    """How far each column tells each other one, from -1 or 0 to 1.

    Two columns of numbers have Spearman's correlation of ranks, two of categories Cramér's V, and one of each the
    correlation ratio η of the ranks, which like V has no sign. Each pair is computed on the rows that have both. Of
    constant columns, and of categories with more than 200 values or fewer than two rows a value, cells are blank. More
    than 100,000 rows are sampled.

    >>> data = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 4.0, 9.0, 15.0], "c": ["x", "x", "y", "y"]}
    >>> display = CorrelationDisplay.from_table(data)
    >>> display.frame()["value"].round(3).tolist(), display.frame()["measure"].tolist()
    ([1.0, 0.894, 0.894], ['spearman', 'eta', 'eta'])
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    values: npt.NDArray[np.float64]
    shown: int
    rows: int
    at: float
    image_: AxesImage = field(init=False)
    texts_: list[Text] = field(init=False)
    redundant_: list[Rectangle] = field(init=False)

    @classmethod
    def from_table(cls, data: Any, *, columns: Sequence[str] | None = None, at: float = 0.95, seed: int = 0) -> Self:
        """Of a frame, a mapping or an array: all its columns, or some by name.

        Pairs of at least `at` (without their sign) are framed.
        """
        require_between(at, 0, 1, name="at", fix="give a correlation from which on columns are redundant, e.g. 0.95")
        table = read_table(data, columns)
        if not 2 <= len(table) <= _MOST_COLUMNS:
            what = f"correlations are those of 2 to {_MOST_COLUMNS} columns, and this table has {len(table):,}"
            raise ArgumentError(what, "give more columns, or fewer")
        rows = next(iter(table.values())).values.size
        picked = pick_rows(rows, MOST_ROWS, seed)
        some = [TableColumn(each.name, each.kind, each.values[picked], each.categories) for each in table.values()]
        kinds = tuple(each.kind for each in some)
        return cls(names=tuple(table), kinds=kinds, values=_associations(some), shown=picked.size, rows=rows, at=at)

    @property
    def size(self) -> tuple[float, float]:
        """It grows with the number of columns."""
        side = min(2.8 + 0.42 * len(self.names), 10.0)
        return side + 1.2, side

    @property
    def blank(self) -> tuple[str, ...]:
        """Columns that have no correlation with any other."""
        return tuple(name for name, row in zip(self.names, self.values, strict=True) if np.isnan(row).all())

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; up to 14 columns the cells hold their values."""
        from matplotlib.colors import LinearSegmentedColormap
        from matplotlib.patches import Rectangle

        ax = self._axes(ax, grid="")
        ground = ax.get_facecolor()
        colours = LinearSegmentedColormap.from_list("correlation", [_ENDS[0], ground, _ENDS[1]])
        drawn = np.where(np.eye(len(self.names), dtype=np.bool_), np.nan, self.values)
        self.image_ = ax.imshow(drawn, cmap=colours, vmin=-1, vmax=1)
        self.texts_ = []
        size = len(self.names)
        if size <= _WRITTEN:
            for i, j in np.argwhere(~np.isnan(drawn)).tolist():
                value = float(drawn[i, j])
                colour = "white" if abs(value) > 0.55 or is_dark(ax) else "black"
                options: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "x-small", "color": colour}
                self.texts_.append(literal(ax.text(j, i, f"{round(value, 2) + 0.0:.2f}", **options)))
        if size <= _NAMED:
            names = [name_text(name, longest=18) for name in self.names]
            ax.set_xticks(range(size), names, rotation=45, ha="right", rotation_mode="anchor", **LITERAL)
            ax.set_yticks(range(size), names, **LITERAL)
        ax.tick_params(length=0)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)
        place = {name: i for i, name in enumerate(self.names)}
        frames = [
            Rectangle((place[b] - 0.5, place[a] - 0.5), 1, 1, fill=False, edgecolor=self._ink, linewidth=1.3)
            for one, other, *_ in self.redundant()
            for a, b in ((one, other), (other, one))
        ]
        self.redundant_ = frames
        for each in frames:
            ax.add_patch(each)
        self.figure_.colorbar(self.image_, ax=ax, fraction=0.045, pad=0.03)
        return self._finish(self._title())

    def frame(self) -> Frame:
        """Per pair of columns: both names, the value and the measure."""
        pairs = list(combinations(range(len(self.names)), 2))
        return {
            "one": np.array([self.names[i] for i, _ in pairs], dtype=object),
            "other": np.array([self.names[j] for _, j in pairs], dtype=object),
            "value": np.array([self.values[i, j] for i, j in pairs]),
            "measure": np.array([_measure(self.kinds[i], self.kinds[j]) for i, j in pairs], dtype=object),
        }

    def redundant(self) -> list[RedundantPair]:
        """Pairs of at least `at`, the strongest first."""
        rows = zip(*self.frame().values(), strict=True)
        pairs = [RedundantPair(one, other, float(value), measure) for one, other, value, measure in rows]
        return sorted((pair for pair in pairs if abs(pair.value) >= self.at), key=lambda pair: -abs(pair.value))

    def _title(self) -> str:
        kinds = set(self.kinds)
        title = "Spearman's correlation" if "number" in kinds else "Cramér's V"
        if len(kinds) == 2:
            title += " of numbers,\nCramér's V of categories, η between both"
        lines = [title + sample_words(self.shown, self.rows)]
        if self.blank:
            lines.append(
                "blank where a column is constant or has too many values: " + ", ".join(map(name_text, self.blank[:3]))
            )
            lines[-1] += f" and {len(self.blank) - 3} more" if len(self.blank) > 3 else ""
        return "\n".join(lines)


def redundant_pairs(X: Any, *, at: float = 0.95, columns: Sequence[str] | None = None) -> list[RedundantPair]:
    """Pairs of columns whose correlation is at least `at`, the strongest first.

    Measures, and what is done with missing values and many rows, are those of `CorrelationDisplay`.

    >>> redundant_pairs({"cm": [1.0, 2.0, 4.0], "inch": [0.4, 0.8, 1.6], "age": [7, 3, 5]})
    [RedundantPair(one='cm', other='inch', value=1.0, measure='spearman')]
    """
    return CorrelationDisplay.from_table(X, columns=columns, at=at).redundant()


def _measure(one: str, other: str) -> Association:
    if one != other:
        return "eta"
    return "spearman" if one == "number" else "cramers_v"


def _associations(columns: Sequence[TableColumn]) -> npt.NDArray[np.float64]:
    """The matrix of associations, 1 on the diagonal, NaN where there is none."""
    values = np.full((len(columns), len(columns)), np.nan)
    missing = [each.missing for each in columns]
    holes = [bool(each.any()) for each in missing]
    ranked = [
        None if each.kind == "category" or hole else _ranks(each.values)
        for each, hole in zip(columns, holes, strict=True)
    ]
    for i, j in combinations(range(len(columns)), 2):
        both = None if not (holes[i] or holes[j]) else ~(missing[i] | missing[j])
        one, other = (_part(columns[k], ranked[k], both) for k in (i, j))
        values[i, j] = values[j, i] = _association(columns[i], columns[j], one, other)
    np.fill_diagonal(values, np.where(np.isnan(values).all(axis=0), np.nan, 1.0))
    return values


def _part(of: TableColumn, ranks: Floats | None, both: npt.NDArray[np.bool_] | None) -> npt.NDArray[Any]:
    """Centred ranks of numbers, or codes of categories, on the rows that have both."""
    if of.kind == "category":
        return of.values if both is None else of.values[both]
    return ranks if ranks is not None and both is None else _ranks(of.values if both is None else of.values[both])


def _ranks(values: Floats) -> Floats:
    from scipy.stats import rankdata

    ranks = rankdata(values)
    return np.asarray(ranks - ranks.mean() if ranks.size else ranks, dtype=np.float64)


def _association(column: TableColumn, opposite: TableColumn, one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    """Spearman's correlation, Cramér's V or η; NaN where a side is constant."""
    values = max(len(column.categories), len(opposite.categories))
    if values > min(_MOST_VALUES, one.size / 2) or one.size < 2:  # a value per row tells everything, by chance
        return math.nan
    if column.kind == opposite.kind == "number":
        scale = math.sqrt(float(one @ one) * float(other @ other))
        return float(np.clip(one @ other / scale, -1, 1)) if scale else math.nan
    if column.kind == opposite.kind:
        return _cramers_v(one, other, len(opposite.categories))
    ranks, codes = (one, other) if column.kind == "number" else (other, one)
    total = float(ranks @ ranks)
    sizes = np.bincount(codes)
    if not total or np.count_nonzero(sizes) < 2:
        return math.nan
    between = float((np.bincount(codes, ranks) ** 2 / np.maximum(sizes, 1)).sum())
    return math.sqrt(min(between / total, 1.0))


def _cramers_v(one: npt.NDArray[np.intp], other: npt.NDArray[np.intp], width: int) -> float:
    counts = np.bincount(one * width + other, minlength=width).astype(np.float64)
    counts = np.pad(counts, (0, -counts.size % width)).reshape(-1, width)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    least = min(counts.shape) - 1
    if least < 1:
        return math.nan
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return math.sqrt(min(float(((counts - expected) ** 2 / expected).sum()) / (counts.sum() * least), 1.0))
