"""`FoldsDisplay`: which rows each fold learns from, and which it is tested on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError, LengthError
from thresher.inputs.columns import column
from thresher.plots.display import Display, Entries, Frame
from thresher.plots.rows.table import read_classes, read_column
from thresher.ranking import Floats, Indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

MOST_SPLITS = 100
_CELLS = 1_000  # places across: more rows share them
_MOST_GROUPS = 1_000_000


class Places(NamedTuple):
    """The place across of each row, and how many rows each place has."""

    of_row: Indices
    width: Indices


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class FoldsDisplay(Display):
    """Rows across, folds down: dark where tested, pale where learnt from.

    Below lie strips of the rows' classes, groups and times. More than 1,000 rows share places, which are as dark as the
    share of their rows that is tested.

    >>> from sklearn.model_selection import KFold
    >>> display = FoldsDisplay.from_splits(KFold(3).split(range(6)))
    >>> display.frame()["test"].tolist(), display.tested.tolist()
    ([2, 2, 2], [1, 1, 1, 1, 1, 1])
    """

    rows: int
    names: tuple[str, ...]
    train: npt.NDArray[np.float64]
    test: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.int64]
    tested: Indices
    strips: dict[str, tuple[Floats, int]]
    image_: AxesImage = field(init=False)
    strips_: dict[str, AxesImage] = field(init=False)

    @classmethod
    def from_splits(cls, splits: Iterable[Any], labels: Any = None, *, groups: Any = None, times: Any = None) -> Self:
        """Of splits: those of `Folds.splits`, or pairs of training and test rows.

        `labels`, `groups` and `times` have an entry per row.
        """
        pairs = [_pair(split, number) for number, split in enumerate(splits)]
        if not 1 <= len(pairs) <= MOST_SPLITS:
            what = f"the picture shows 1 to {MOST_SPLITS} folds, and there are {len(pairs):,}"
            raise ArgumentError(what, "give the folds of one or a few repeats")
        counts = [np.size(column(each, name="rows")) for each in (labels, groups, times) if each is not None]
        rows = counts[0] if counts else 1 + max(int(part.max(initial=-1)) for _, *both in pairs for part in both)
        place = np.arange(rows) * min(rows, _CELLS) // max(rows, 1)
        width = np.bincount(place)
        tested = np.zeros(rows, dtype=np.int64)
        shares, sizes = [], []
        for _, train, test in pairs:
            if max(train.max(initial=-1), test.max(initial=-1)) >= rows:
                raise LengthError(f"folds name rows beyond the {rows:,} there are", "give an entry per row")
            np.add.at(tested, test, 1)
            shares.append([np.bincount(place[part], minlength=width.size) / width for part in (train, test)])
            sizes.append((train.size, test.size))
        repeated = len({repeat for repeat, *_ in pairs}) > 1
        names = tuple(
            f"{number} ({repeat + 1})" if repeated and repeat is not None else f"{number}"
            for number, (repeat, *_) in enumerate(pairs, start=1)
        )
        strips = _strips({"class": labels, "group": groups}, times, Places(place, width))
        train_shares, test_shares = np.moveaxis(np.array(shares), 1, 0)
        return cls(
            rows=rows,
            names=names,
            train=train_shares,
            test=test_shares,
            sizes=np.array(sizes),
            tested=tested,
            strips=strips,
        )

    @property
    def size(self) -> tuple[float, float]:
        """It grows with the number of folds."""
        return 7.6, min(1.6 + 0.26 * (len(self.names) + 1.5 * len(self.strips)), 9.0)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it."""
        from matplotlib.colors import ListedColormap, to_hex, to_rgb
        from matplotlib.patches import Patch
        from matplotlib.ticker import MaxNLocator, StrMethodFormatter

        ax = self._axes(ax, grid="", xlabel=f"row (of {self.rows:,})")
        ground, train, test = (np.array(to_rgb(colour)) for colour in (ax.get_facecolor(), *self._palette[:2]))
        pale = 0.75 * ground + 0.25 * train
        shown = ground + self.train[..., None] * (pale - ground) + self.test[..., None] * (test - ground)
        folds = len(self.names)
        options: dict[str, Any] = {"aspect": "auto", "interpolation": "none"}
        self.image_ = ax.imshow(np.clip(shown, 0, 1), extent=(0, self.rows, folds, 0), **options)
        top, labels, ticks = folds + 0.4, list(self.names), [i + 0.5 for i in range(folds)]
        self.strips_ = {}
        for name, (values, count) in self.strips.items():
            colours: dict[str, Any] = {"cmap": "viridis"}
            if count:
                cycle = [self._palette[(i + 2) % len(self._palette)] for i in range(count)]
                colours = {"cmap": ListedColormap(cycle), "vmin": -0.5, "vmax": count - 0.5}
            extent = (0, self.rows, top + 1, top)
            self.strips_[name] = ax.imshow(values[None, :], extent=extent, **options, **colours)
            labels.append(name)
            ticks.append(top + 0.5)
            top += 1.2
        ax.set(xlim=(0, self.rows), ylim=(top, 0))
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        few = len(labels) <= 40
        ax.set_yticks(ticks if few else ticks[:: len(ticks) // 20], labels if few else labels[:: len(labels) // 20])
        ax.tick_params(axis="y", length=0)
        for i in range(1, folds):
            ax.axhline(i, color=to_hex(tuple(ground)), linewidth=0.8)
        ax.set_ylabel("fold (repeat)" if "(" in self.names[0] else "fold")
        entries: Entries = [
            (Patch(facecolor=to_hex(tuple(pale))), "learnt from"),
            (Patch(facecolor=to_hex(tuple(test))), "tested"),
        ]
        if float((self.train + self.test).min()) < 1 - 1e-12:
            entries.append((Patch(facecolor=to_hex(tuple(ground)), edgecolor=self._ink, linewidth=0.5), "left out"))
        title = f"Folds: {self._words()}"
        if self.rows > _CELLS:
            title += f"\n{self.rows:,} rows in {self.test.shape[1]:,} places, as dark as the share tested"
        return self._finish(title, entries, outside=True)

    def frame(self) -> Frame:
        """Per fold: how many rows it learns from, is tested on, and leaves out."""
        train, test = self.sizes.T
        return {
            "fold": np.array(self.names, dtype=object),
            "train": train,
            "test": test,
            "left_out": self.rows - train - test,
        }

    def _words(self) -> str:
        """How often rows are tested."""
        low, high = int(self.tested.min()), int(self.tested.max())
        if low == high:
            return "each row is tested once" if low == 1 else f"each row is tested {low} times"
        return f"rows are tested {low} to {high} times"


def _pair(split: Any, number: int) -> tuple[int | None, Indices, Indices]:
    """Training and test rows of a split, and the repeat it belongs to, if it says so."""
    both = (split.train, split.test) if hasattr(split, "train") and hasattr(split, "test") else split
    try:
        train, test = (np.asarray(part) for part in both)
        rows = all(part.ndim == 1 and (part.dtype.kind in "iu" or not part.size) for part in (train, test))
    except (TypeError, ValueError):
        rows = False
    if not rows:
        what = f"split {number} is no pair of training and test rows"
        raise ArgumentError(what, "give what folds.splits(labels) or KFold(5).split(X) gives")
    repeat = getattr(split, "repeat", None)
    return repeat, train.astype(np.intp), test.astype(np.intp)


def _strips(named: Mapping[str, Any], times: Any, places: Places) -> dict[str, tuple[Floats, int]]:
    """Strips of classes and groups as numbers, and of times as means, per place."""
    strips: dict[str, tuple[Floats, int]] = {}
    first = np.cumsum(places.width) - places.width
    for name, values in named.items():
        if values is not None:
            known, codes = read_classes(values, rows=places.of_row.size, name=name, most=_MOST_GROUPS)
            # Of a place with several rows the strip shows the first one's.
            strips[name] = np.where(codes < 0, np.nan, codes)[first], len(known)
    if times is not None:
        read = read_column(times, "times")
        if read.values.size != places.of_row.size:
            what = f"there are {places.of_row.size:,} rows and {read.values.size:,} times"
            raise LengthError(what, "give one per row")
        strips["time"] = np.bincount(places.of_row, np.where(read.missing, 0, read.values)) / places.width, 0
    return strips
