"""`Display`: what every picture offers, with its colours, dashes and words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.optional import extra
from thresher._internal.palette import ON_DARK, ON_LIGHT, dashes_at

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import Container
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend
    from matplotlib.text import Text

Frame: TypeAlias = dict[str, npt.NDArray[Any]]
Dashes: TypeAlias = str | tuple[int, tuple[float, ...]]
Entry: TypeAlias = "tuple[Artist | Container, str]"
Entries: TypeAlias = list[Entry]

MARKERS = ("o", "s", "^", "P", "*", "v", "X", "H")
WIDTH = 1.8
FAINT = 0.16  # opacity of bands
DOTTED: Any = (0, (1, 2))
LONGEST = 32
# matplotlib reads $...$ as mathematics, and usetex would pass a name to LaTeX.
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}
_BARE: dict[str, Any] = {"borderaxespad": 0.0, "frameon": False, "handlelength": 2.6}
_WIDE = 2.8  # inches of axes that can spare some for a legend next to them
_LABELS = 0.45  # inches of tick labels and axis label below the axes
_INSIDE = 4  # entries that fit into a corner
_NARROW = 34  # letters that fit into a corner


class Display(ABC):
    """A picture of things already computed: it reads numbers and computes none.

    `plot` draws it, on `ax` or on the axes of a new pyplot figure, and returns the display; `ax_`, `figure_`
    and the artists, whose names end in an underscore too, exist from then on. `frame` returns the numbers as
    columns, e.g. for `pandas.DataFrame(display.frame())`. `size` is what suits it, in inches.

    >>> import thresher as th
    >>> display = th.plots.ROCDisplay.from_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> display.frame()["tpr"]
    array([0. , 0.4, 0.6, 1. ])
    """

    __slots__ = ("ax_", "figure_")

    _inches: ClassVar[tuple[float, float]] = 6.4, 4.4
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
        return self._inches

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def _axes(self, ax: Axes | None, *, grid: Literal["both", "x", "y", ""] = "both", **settings: Any) -> Axes:
        """Prepare `ax`, or the axes of a new pyplot figure, and remember them."""
        extra("matplotlib", name="plot")
        if ax is None:
            ax = extra("matplotlib.pyplot", name="plot").subplots(figsize=self.size, layout="constrained")[1]
        self.ax_, self.figure_ = ax, ax.figure
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        ax.set_axisbelow(True)
        ax.set(**settings)
        if grid:
            ax.grid(visible=True, axis=grid, color="grey", alpha=0.18, linewidth=0.6)
        return ax

    @property
    def _ink(self) -> str:
        """The colour of the axes' own words, for what belongs to no model."""
        return str(self.ax_.xaxis.label.get_color())

    @property
    def _palette(self) -> tuple[str, ...]:
        """The colours to use on these axes, those of positives and negatives first."""
        return ON_DARK if is_dark(self.ax_) else ON_LIGHT

    def _styles_of(self, names: Iterable[str]) -> dict[str, Style]:
        """A style for each name, that of the page; 40 names differ from each other."""
        colours = cycle(self._palette)
        return {name: Style(next(colours), dashes(i), MARKERS[i % len(MARKERS)]) for i, name in enumerate(names)}

    def _dotted(self, *, alpha: float = 0.6) -> dict[str, Any]:
        """The options of a line that guides the eye, such as a diagonal."""
        return {"color": self._ink, "linewidth": 0.9, "linestyle": DOTTED, "alpha": alpha, "zorder": 1.7}

    def _dashed(self, *, alpha: float | None = None) -> dict[str, Any]:
        """The options of a line at what is chosen."""
        return {"color": self._ink, "linewidth": 1.1, "linestyle": (0, (3, 2)), "alpha": alpha}

    def _finish(self, title: str, entries: Sequence[Entry] = (), **legend: Any) -> Self:
        """Set the title, in which `$` is no mathematics, and the legend."""
        add_legend(self.ax_, entries, **legend)
        self.ax_.set_title(title, fontsize="medium", loc="left", **LITERAL)
        return self


@dataclass(frozen=True, slots=True)
class Style:
    """The colour, dashes and marker of a model, any of which tells it apart."""

    colour: str
    dashes: Dashes
    marker: str

    @property
    def line(self) -> dict[str, Any]:
        """The options of a model's line."""
        return {"color": self.colour, "linestyle": self.dashes, "linewidth": WIDTH}


def dashes(place: int) -> Dashes:
    """The dashes at this place, in units of the line's width."""
    lengths = dashes_at(place)
    return (0, tuple(length / 2 for length in lengths)) if lengths else "solid"


def is_dark(ax: Axes) -> bool:
    """Whether the axes' ground is nearer to black than to white."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(ax.get_facecolor())
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5


def unit_square(x: str, y: str) -> dict[str, Any]:
    """The settings of axes from 0 to 1 with equal sides, and their labels."""
    return {"xlim": (-0.01, 1.01), "ylim": (-0.01, 1.01), "xlabel": x, "ylabel": y, "aspect": "equal"}


def name_text(name: object, *, longest: int = LONGEST) -> str:
    """A name as it can be drawn: cut when too long, unprintable characters as escapes."""
    # Fonts of figures have no pictures of control characters, which is why names are not `visible` here as elsewhere.
    text = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in str(name)
    )
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def literal(text: Text) -> Text:
    """The same text object, never read as mathematics or LaTeX."""
    text.set_parse_math(False)
    text.set_usetex(False)
    return text


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Name the rows of a picture, taken literally, on the left of vertical lines."""
    ax.set_yticks(range(len(names)), names, **LITERAL)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=True, axis="x", color="grey", alpha=0.22, linewidth=0.6)


def legend_inches(labels: Sequence[str]) -> float:
    """Width that a legend of these labels needs next to the axes."""
    return round(0.7 + 0.075 * _longest_line(labels), 3)


def legend_space(labels: Sequence[str]) -> float:
    """Inches of a legend next to the axes; none where it fits into a corner."""
    fits = len(labels) <= _INSIDE and _longest_line(labels) <= _NARROW
    return 0.0 if fits else legend_inches(labels)


def _longest_line(labels: Sequence[str]) -> int:
    return max((len(line) for label in labels for line in label.splitlines()), default=0)


def add_legend(
    ax: Axes, entries: Sequence[Entry], *, loc: str = "lower right", outside: bool | None = None
) -> Legend | None:
    """A legend in a corner, next to the axes, or below small axes.

    The texts are set after the legend is made, since matplotlib leaves out labels that start with an underscore.
    """
    if not entries:
        return None
    # matplotlib draws containers too, though its types say artists only
    handles: list[Any] = [artist for artist, _ in entries]
    labels = [label for _, label in entries]
    numbers = [str(i) for i in range(len(labels))]
    outside = legend_space(labels) > 0 if outside is None else outside
    inches = float(ax.get_window_extent().width / ax.figure.dpi)  # before the layout is mended
    if inches < (_WIDE if outside else legend_inches(labels)):
        from matplotlib.transforms import ScaledTranslation

        legend = ax.legend(handles, numbers, loc="upper center", fontsize="x-small", **_BARE)
        below = ScaledTranslation(0, -_LABELS, ax.figure.dpi_scale_trans)  # past the words of the x axis
        legend.set_bbox_to_anchor((0.5, 0.0), transform=ax.transAxes + below)
    elif outside:
        legend = ax.legend(handles, numbers, loc="upper left", bbox_to_anchor=(1.02, 1.0), fontsize="small", **_BARE)
    else:
        options: Any = {"loc": loc, "fontsize": "small", "framealpha": 0.85, "handlelength": 2.6}
        legend = ax.legend(handles, numbers, **options)
    for text, label in zip(legend.get_texts(), labels, strict=True):
        literal(text).set_text(label)
    return legend


def stack(parts: Mapping[str, Mapping[str, npt.ArrayLike]], *, key: str = "model") -> Frame:
    """Columns of several parts below each other, with a column that names the part."""
    sizes = [np.size(next(iter(part.values()))) for part in parts.values()]
    frame: Frame = {key: np.repeat(np.array(list(parts), dtype=object), sizes)}
    columns = next(iter(parts.values()), {})
    return frame | {name: np.concatenate([np.asarray(part[name]) for part in parts.values()]) for name in columns}
