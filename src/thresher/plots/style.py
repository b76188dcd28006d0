"""How pictures look: Okabe and Ito's colours, dashes and markers, chosen per axes and never set globally."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Dashes: TypeAlias = str | tuple[int, tuple[float, ...]]

# Okabe & Ito's colours, darkened on white and lightened on black until text in them can be read (4.5 : 1).
ON_LIGHT = ("#0072b2", "#b84a00", "#00785a", "#9d4a7d", "#5b5b5b")
ON_DARK = ("#56b4e9", "#f0a35e", "#3fc79a", "#e29ac4", "#bdbdbd")
# In units of the line's width, as matplotlib counts them.
DASHES: tuple[Dashes, ...] = ("solid", (0, (3.5, 1.5)), (0, (1, 1.5)), (0, (4.5, 1.5, 1, 1.5)), (0, (7, 2)))
MARKERS = ("o", "s", "^", "D", "v")

WIDTH = 1.8
FAINT = 0.16  # opacity of bands


@dataclass(frozen=True, slots=True)
class Look:
    """How one model is drawn: a colour, dashes and a marker that tell it from others without colour too."""

    colour: str
    dashes: Dashes
    marker: str


def looks(names: Iterable[str], ax: Axes) -> dict[str, Look]:
    """A look for each name; 25 names differ from each other.

    >>> from matplotlib.figure import Figure
    >>> looks(["tree", "logit"], Figure().add_subplot())["logit"]
    Look(colour='#b84a00', dashes=(0, (3.5, 1.5)), marker='s')
    """
    colours = palette(ax)
    size = len(colours)
    return {
        name: Look(colours[i % size], DASHES[(i + i // size) % size], MARKERS[(i + i // size) % size])
        for i, name in enumerate(names)
    }


def palette(ax: Axes) -> tuple[str, ...]:
    """The colours that can be seen on the axes' ground.

    >>> from matplotlib.figure import Figure
    >>> palette(Figure().add_subplot(facecolor="black"))[0]
    '#56b4e9'
    """
    return ON_DARK if is_dark(ax) else ON_LIGHT


def is_dark(ax: Axes) -> bool:
    """Whether the axes' ground is nearer to black than to white.

    >>> from matplotlib.figure import Figure
    >>> is_dark(Figure().add_subplot())
    False
    """
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(ax.get_facecolor())
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5


def ink(ax: Axes) -> str:
    """The colour of the axes' own words, for what belongs to no model.

    >>> from matplotlib.figure import Figure
    >>> ink(Figure().add_subplot())
    'black'
    """
    return str(ax.xaxis.label.get_color())


def class_colours(ax: Axes) -> tuple[str, str]:
    """The colours of positives and of negatives."""
    return palette(ax)[0], palette(ax)[1]
