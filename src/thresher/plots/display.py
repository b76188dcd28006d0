"""`Display`: what every picture offers, after scikit-learn's convention."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.extras import extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Frame: TypeAlias = dict[str, npt.NDArray[Any]]


class Display(ABC):
    """A picture of things already computed: it looks numbers up and has none of its own.

    `plot` draws it, on the axes given or on those of a new pyplot figure, and returns the display; `ax_`, `figure_`
    and the artists, whose names end in an underscore too, exist from then on. `frame` hands over the numbers as
    columns, e.g. for `pandas.DataFrame(display.frame())`. `size` is what suits it, in inches.

    >>> import thresher as th
    >>> display = th.plots.ROCDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> display.frame()["tpr"]
    array([0. , 0.4, 0.6, 1. ])
    """

    __slots__ = ("ax_", "figure_")

    ax_: Axes
    figure_: Figure | SubFigure

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the picture."""

    @abstractmethod
    def frame(self) -> Frame:
        """The numbers of the picture, as columns of equal length."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height that suit the picture, in inches."""
        return 6.4, 4.4

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def _opened(self, ax: Axes | None) -> Axes:
        """The axes to draw on, remembered."""
        f"{type(self).__name__}.plot()"
        extra("matplotlib", name="plot")
        axes: Axes = self._interactive() if ax is None else ax
        self.ax_, self.figure_ = axes, axes.figure
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        axes.set_axisbelow(True)
        return axes

    def _interactive(self) -> Axes:
        """Axes of a new pyplot figure, so that plt.show() shows it."""
        pyplot = extra("matplotlib.pyplot", name="plot")
        axes: Axes = pyplot.subplots(figsize=self.size, layout="constrained")[1]
        return axes


def stacked(parts: Mapping[str, Mapping[str, npt.ArrayLike]], *, key: str = "model") -> Frame:
    """Columns of several parts below each other, with a column that names the part.

    >>> stacked({"a": {"x": [1, 2]}, "b": {"x": [3]}})["model"].tolist()
    ['a', 'a', 'b']
    """
    columns = {name: {each: np.asarray(values) for each, values in part.items()} for name, part in parts.items()}
    sizes = [next(iter(part.values())).size for part in columns.values()]
    found: Frame = {key: np.repeat(np.array(list(columns), dtype=object), sizes)}
    for each in next(iter(columns.values()), {}):
        found[each] = np.concatenate([part[each] for part in columns.values()])
    return found
