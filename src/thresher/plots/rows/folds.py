"""`FoldsDisplay`: which rows each fold learns from, and which it is tested on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError, LengthError
from thresher.inputs.columns import column
from thresher.plots.display import Display, Entries, Frame, name_text
from thresher.plots.rows.table import pick_rows, read_classes, read_column, sample_words
from thresher.ranking import Floats, Indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

MOST_SPLITS = 100
_DRAWN = 300  # rows across that can be discerned
_MOST_GROUPS = 1_000_000


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class FoldsDisplay(Display):
    """Rows across, folds down: dark where tested, pale where learnt from.

    Below lie strips of the rows' classes, groups and times. Of more than 300 rows a sample is drawn, in their order.

    >>> from sklearn.model_selection import KFold
    >>> display = FoldsDisplay.from_splits(KFold(3).split(range(6)))
    >>> display.frame()["test"].tolist(), display.tested.tolist()
    ([2, 2, 2], [1, 1, 1, 1, 1, 1])
    """

    rows: int
    names: tuple[str, ...]
    shown: Indices
    train: npt.NDArray[np.bool_]
    test: npt.NDArray[np.bool_]
    sizes: npt.NDArray[np.int64]
    tested: Indices
    strips: dict[str, tuple[Floats, tuple[str, ...]]]
    image_: AxesImage = field(init=False)
    strips_: dict[str, AxesImage] = field(init=False)

    @classmethod
    def from_splits(
        cls, splits: Iterable[Any], labels: Any = None, *, groups: Any = None, times: Any = None, seed: int = 0
    ) -> Self:
        """Of splits: those of `Folds.splits`, or pairs of training and test rows.

        `labels`, `groups` and `times` have an entry per row; `seed` draws the sample of many rows.
        """
        pairs = [_pair(split, number) for number, split in enumerate(splits)]
        if not 1 <= len(pairs) <= MOST_SPLITS:
            what = f"the picture shows 1 to {MOST_SPLITS} folds, and there are {len(pairs):,}"
            raise ArgumentError(what, "give the folds of one or a few repeats")
        counts = [np.size(column(each, name="rows")) for each in (labels, groups, times) if each is not None]
        rows = counts[0] if counts else 1 + max(int(part.max(initial=-1)) for _, *both in pairs for part in both)
        shown = pick_rows(rows, _DRAWN, seed)
        tested = np.zeros(rows, dtype=np.int64)
        members, sizes = [], []
        for _, train, test in pairs:
            if max(train.max(initial=-1), test.max(initial=-1)) >= rows:
                raise LengthError(f"folds name rows beyond the {rows:,} there are", "give an entry per row")
            np.add.at(tested, test, 1)
            members.append([_members(part, rows)[shown] for part in (train, test)])
            sizes.append((train.size, test.size))
        repeated = len({repeat for repeat, *_ in pairs}) > 1
        names = tuple(
            f"{number} ({repeat + 1})" if repeated and repeat is not None else f"{number}"
            for number, (repeat, *_) in enumerate(pairs, start=1)
        )
        strips = _strips({"class": labels, "group": groups}, times, rows)
        train_shown, test_shown = np.moveaxis(np.array(members), 1, 0)
        return cls(
            rows=rows,
            names=names,
            shown=shown,
            train=train_shown,
            test=test_shown,
            sizes=np.array(sizes),
            tested=tested,
            strips={name: (values[shown], known) for name, (values, known) in strips.items()},
        )

    @property
    def size(self) -> tuple[float, float]:
        """It grows with the number of folds."""
        return 7.6, min(1.6 + 0.26 * (len(self.names) + 1.5 * len(self.strips)), 9.0)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it."""
        from matplotlib.colors import ListedColormap, to_hex, to_rgb
        from matplotlib.patches import Patch
        from matplotlib.ticker import MaxNLocator

        across = self.shown.size
        sampled = across < self.rows
        ax = self._axes(ax, grid="", xlabel="rows in their order" if sampled else f"row (of {self.rows:,})")
        ground, train, test = (np.array(to_rgb(colour)) for colour in (ax.get_facecolor(), *self._palette[:2]))
        pale = 0.75 * ground + 0.25 * train
        shown = np.where(self.test[..., None], test, np.where(self.train[..., None], pale, ground))
        folds = len(self.names)
        options: dict[str, Any] = {"aspect": "auto", "interpolation": "none"}
        self.image_ = ax.imshow(shown, extent=(0, across, folds, 0), **options)
        top, labels, ticks = folds + 0.4, list(self.names), [i + 0.5 for i in range(folds)]
        self.strips_ = {}
        classes: Entries = []
        for name, (values, known) in self.strips.items():
            colours: dict[str, Any] = {"cmap": "viridis"}
            if known:
                cycle = [self._palette[(i + 2) % len(self._palette)] for i in range(len(known))]
                colours = {"cmap": ListedColormap(cycle), "vmin": -0.5, "vmax": len(known) - 0.5}
                if name == "class" and len(known) <= len(self._palette):
                    pairs = zip(cycle, known, strict=True)
                    classes = [(Patch(facecolor=each), f"class {name_text(of, longest=20)}") for each, of in pairs]
            extent = (0, across, top + 1, top)
            self.strips_[name] = ax.imshow(values[None, :], extent=extent, **options, **colours)
            labels.append(name)
            ticks.append(top + 0.5)
            top += 1.2
        ax.set(xlim=(0, across), ylim=(top, 0))
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        if sampled:  # places are those of the sample; the rows there are known
            places = np.linspace(0, across - 1, 6).astype(np.intp)
            ax.set_xticks(places + 0.5, [f"{row:,}" for row in self.shown[places].tolist()])
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
        if not (self.train | self.test).all():
            entries.append((Patch(facecolor=to_hex(tuple(ground)), edgecolor=self._ink, linewidth=0.5), "left out"))
        title = f"Folds: {self._words()}{sample_words(across, self.rows)}"
        return self._finish(title, [*entries, *classes], outside=True)

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


def _members(part: Indices, rows: int) -> npt.NDArray[np.bool_]:
    """Which rows belong to a part."""
    members = np.zeros(rows, dtype=np.bool_)
    members[part] = True
    return members


def _strips(named: Mapping[str, Any], times: Any, rows: int) -> dict[str, tuple[Floats, tuple[str, ...]]]:
    """Strips of classes and groups as numbers, with their names, and of times."""
    strips: dict[str, tuple[Floats, tuple[str, ...]]] = {}
    for name, values in named.items():
        if values is not None:
            known, codes = read_classes(values, rows=rows, name=name, most=_MOST_GROUPS)
            strips[name] = np.where(codes < 0, np.nan, codes), known
    if times is not None:
        read = read_column(times, "times")
        if read.values.size != rows:
            what = f"there are {rows:,} rows and {read.values.size:,} times"
            raise LengthError(what, "give one per row")
        strips["time"] = read.values, ()
    return strips
