"""`ContingencyDisplay`, `ConfusionDisplay`: actual against predicted classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from thresher._internal.palette import SHADES_ON_DARK, SHADES_ON_LIGHT
from thresher.errors import ArgumentError
from thresher.plots.display import LITERAL, Display, Frame, is_dark, literal, name_text
from thresher.plots.models import MODEL
from thresher.ranking import Counts, Floats
from thresher.tables import ConfusionMatrix, Contingency

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

_WRITTEN = 20  # classes up to which cells hold their counts
_LABELLED = 60  # classes up to which every one is named


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ContingencyDisplay(Display):
    """The table of one threshold: counts, and each as a share of its actual class.

    >>> import thresher as th
    >>> display = ContingencyDisplay.from_table(th.Contingency(tp=30, fn=20, fp=10, tn=40))
    >>> display.frame()["count"].tolist()
    [30, 20, 10, 40]
    """

    _inches: ClassVar = 4.4, 3.6
    table: Contingency
    name: str = MODEL
    image_: AxesImage = field(init=False)
    texts_: list[Text] = field(init=False)

    @classmethod
    def from_table(cls, table: Contingency, *, name: str = MODEL) -> Self:
        """Of a table of single counts."""
        if np.ndim(table.tp):
            what = f"this table has {np.size(table.tp):,} splits"
            raise ArgumentError(what, "give the table of one threshold, e.g. contingency_at(ranking, 0.5)")
        return cls(table=table, name=name)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it."""
        ax = self._axes(ax, grid="", xlabel="predicted", ylabel="actual")
        table = self.table
        counts = np.array([[table.tp, table.fn], [table.fp, table.tn]])
        shares = np.array([[table.tpr, table.fnr], [table.fpr, table.tnr]], dtype=np.float64)
        cells = [[f"tp {table.tp:,.6g}", f"fn {table.fn:,.6g}"], [f"fp {table.fp:,.6g}", f"tn {table.tn:,.6g}"]]
        words = [
            [f"{cell}\n{share:.1%}" if math.isfinite(share) else cell for cell, share in zip(*row, strict=True)]
            for row in zip(cells, shares.tolist(), strict=True)
        ]
        self.image_, self.texts_ = _heat_map(ax, shares, words, large=True)
        ax.set_xticks([0, 1], [f"+\n{counts[:, 0].sum():,.6g}", f"−\n{counts[:, 1].sum():,.6g}"])
        ax.set_yticks([0, 1], [f"+\n{table.Pos:,.6g}", f"−\n{table.Neg:,.6g}"])
        return self._finish("Contingency table" if self.name == MODEL else name_text(self.name))

    def frame(self) -> Frame:
        """Per cell: actual and predicted class, and the count."""
        table = self.table
        return {
            "actual": np.array(["+", "+", "-", "-"]),
            "predicted": np.array(["+", "-", "+", "-"]),
            "count": np.array([table.tp, table.fn, table.fp, table.tn]),
        }


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ConfusionDisplay(Display):
    """A confusion matrix: actual classes in rows, shaded by share of the row.

    >>> import thresher as th
    >>> display = ConfusionDisplay.from_matrix(th.ConfusionMatrix([[8, 2], [1, 9]], classes=["cat", "dog"]))
    >>> display.frame()["share_of_actual"].tolist()
    [0.8, 0.2, 0.1, 0.9]
    """

    matrix: ConfusionMatrix
    name: str = MODEL
    image_: AxesImage = field(init=False)
    texts_: list[Text] = field(init=False)

    @classmethod
    def from_matrix(cls, matrix: ConfusionMatrix, *, name: str = MODEL) -> Self:
        """Of a confusion matrix of any number of classes."""
        return cls(matrix=matrix, name=name)

    @property
    def size(self) -> tuple[float, float]:
        """It grows with the number of classes."""
        side = min(2.6 + 0.55 * len(self.matrix.classes), 11.0)
        return side + 1.0, side

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; up to 20 classes the cells hold their counts."""
        ax = self._axes(ax, grid="", xlabel="predicted", ylabel="actual")
        matrix = self.matrix
        size = len(matrix.classes)
        counts = matrix.counts.tolist() if size <= _WRITTEN else ()
        words = [[_short(each) for each in row] for row in counts]
        self.image_, self.texts_ = _heat_map(ax, self._shares(), words, large=False)
        if size <= _LABELLED:
            names = [name_text(name, longest=18) for name in matrix.classes]
            turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if max(map(len, names)) > 4 else {}
            ax.set_xticks(range(size), names, **LITERAL | turned)
            ax.set_yticks(range(size), names, **LITERAL)
        self.figure_.colorbar(self.image_, ax=ax, fraction=0.045, pad=0.03, label="share of the actual class")
        title = "Confusion matrix" if self.name == MODEL else name_text(self.name)
        return self._finish(f"{title}, accuracy {matrix.overall_accuracy:.3f}")

    def frame(self) -> Frame:
        """Per cell: actual and predicted class, the count, and its share of the actual."""
        names = np.empty(len(self.matrix.classes), dtype=object)
        names[:] = self.matrix.classes  # a class may be a tuple, which is no row
        return {
            "actual": np.repeat(names, names.size),
            "predicted": np.tile(names, names.size),
            "count": self.matrix.counts.ravel(),
            "share_of_actual": self._shares().ravel(),
        }

    def _shares(self) -> Floats:
        actual: Counts = self.matrix.actual[:, np.newaxis]
        return self.matrix.counts / np.where(actual > 0, actual, np.nan)


def _heat_map(ax: Axes, shares: Floats, words: Sequence[Sequence[str]], *, large: bool) -> tuple[AxesImage, list[Text]]:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("thresher", SHADES_ON_DARK if is_dark(ax) else SHADES_ON_LIGHT)
    image = ax.imshow(shares, cmap=colours, vmin=0, vmax=1, aspect="equal" if not large else "auto")
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0)
    texts = []
    size = "large" if large else "small"
    for i, row in enumerate(words):
        for j, cell in enumerate(row):
            colour = "white" if (shares[i, j] > 0.55) != is_dark(ax) else "black"
            texts.append(literal(ax.text(j, i, cell, ha="center", va="center", color=colour, fontsize=size)))
    return image, texts


def _short(count: float) -> str:
    """A count in five letters: 12,345 is 12.3k."""
    for least, unit, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if count >= least:
            return f"{count / unit:.3g}{letter}"
    return f"{count:.4g}"
