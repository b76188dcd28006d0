"""Words in pictures: names are shown as they are written, whatever they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import Container
    from matplotlib.legend import Legend
    from matplotlib.text import Text
    from matplotlib.transforms import Transform

Corner: TypeAlias = Literal[
    "best", "upper left", "upper right", "lower left", "lower right", "lower center", "center right"
]
LONGEST = 32
# matplotlib reads $...$ as mathematics, and usetex would hand a name to LaTeX.
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}
_BARE: dict[str, Any] = {"borderaxespad": 0.0, "frameon": False, "handlelength": 2.6}
_ROOMY = 2.8  # inches of axes that can spare some for a legend beside them
_LABELS = 0.45  # inches of tick labels and axis label below the axes
_INSIDE = 4  # entries that fit into a corner
_NARROW = 34  # letters that fit into a corner


def shown(name: object, *, longest: int = LONGEST) -> str:
    r"""A name as it can be drawn: control, direction and line characters as escapes, cut when too long.

    >>> shown("tree\x1b[31m\n")
    'tree\\x1b[31m\\n'
    >>> shown("x" * 40)
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'
    """
    # Fonts of figures have no pictures of control characters, which is why names are not `visible` here as elsewhere.
    text = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in str(name)
    )
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def taken_literally(text: Text) -> Text:
    """The same text object, never read as mathematics or LaTeX."""
    text.set_parse_math(False)
    text.set_usetex(False)
    return text


def fits_inside(labels: Sequence[str]) -> bool:
    """Whether a legend of these labels fits into a corner of the axes.

    >>> fits_inside(["tree", "logit"]), fits_inside(["tree"] * 10)
    (True, False)
    """
    return len(labels) <= _INSIDE and max(map(len, labels), default=0) <= _NARROW


def inches_beside(labels: Sequence[str]) -> float:
    """Width that a legend of these labels needs beside the axes.

    >>> inches_beside(["tree", "logit"])
    1.075
    """
    return round(0.7 + 0.075 * max(map(len, labels), default=0), 3)


def add_legend(
    ax: Axes,
    entries: Sequence[tuple[Artist | Container, str]],
    *,
    loc: Corner = "lower right",
    outside: bool | None = None,
) -> Legend | None:
    """A legend of these artists: in a corner, beside the axes when it would cover them, below small axes.

    The texts are set after the legend is made, since matplotlib leaves out labels that start with an underscore.
    """
    if not entries:
        return None
    # matplotlib draws containers too, though its types say artists only
    handles: list[Any] = [artist for artist, _ in entries]
    labels = [label for _, label in entries]
    numbers = [str(i) for i in range(len(labels))]
    beside = not fits_inside(labels) if outside is None else outside
    if _inches(ax) < (_ROOMY if beside else inches_beside(labels)):
        legend = ax.legend(handles, numbers, loc="upper center", fontsize="x-small", **_BARE)
        legend.set_bbox_to_anchor((0.5, 0.0), transform=_below(ax))
    elif beside:
        legend = ax.legend(handles, numbers, loc="upper left", bbox_to_anchor=(1.02, 1.0), fontsize="small", **_BARE)
    else:
        legend = ax.legend(handles, numbers, loc=loc, fontsize="small", framealpha=0.85, handlelength=2.6)
    for text, label in zip(legend.get_texts(), labels, strict=True):
        taken_literally(text).set_text(label)
    return legend


def _below(ax: Axes) -> Transform:
    """Places relative to the axes, moved down past the words of the x axis."""
    from matplotlib.transforms import ScaledTranslation

    return ax.transAxes + ScaledTranslation(0, -_LABELS, ax.figure.dpi_scale_trans)


def _inches(ax: Axes) -> float:
    """The width of the axes, before the layout is mended."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def set_title(ax: Axes, title: str, *, of: str = "") -> None:
    """A title, taken literally, after whose picture it is."""
    ax.set_title(f"{shown(of)}: {title}" if of else title, fontsize="medium", loc="left", **LITERAL)
