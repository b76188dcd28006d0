"""How pictures look: Okabe and Ito's colours, dashes and markers, chosen per axes and never set globally."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from thresher.palette import ON_DARK, ON_LIGHT, dashes_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Dashes: TypeAlias = str | tuple[int, tuple[float, ...]]

MARKERS = ("o", "s", "^", "P", "*", "v", "X", "H")

WIDTH = 1.8
FAINT = 0.16  # opacity of bands


@dataclass(frozen=True, slots=True)
class Look:
    """How one model is drawn: a colour, dashes and a marker that tell it from others without colour too."""

    colour: str
    dashes: Dashes
    marker: str


def looks(names: Iterable[str], ax: Axes) -> dict[str, Look]:
    """A look for each name, that of the page; 40 names differ from each other.

    >>> from matplotlib.figure import Figure
    >>> looks(["tree", "logit"], Figure().add_subplot())["logit"]
    Look(colour='#b84a00', dashes=(0, (3.5, 1.5)), marker='s')
    """
    colours = palette(ax)
    return {name: Look(colours[i % len(colours)], dashes(i), MARKERS[i % len(MARKERS)]) for i, name in enumerate(names)}


def dashes(place: int) -> Dashes:
    """The dashes at this place in units of the line's width, as matplotlib counts them.

    >>> dashes(0), dashes(1)
    ('solid', (0, (3.5, 1.5)))
    """
    lengths = dashes_at(place)
    return (0, tuple(length / 2 for length in lengths)) if lengths else "solid"


def palette(ax: Axes) -> tuple[str, ...]:
    """The colours that can be seen on the axes' ground.

    >>> from matplotlib.figure import Figure
    >>> palette(Figure().add_subplot(facecolor="black"))[0]
    '#5cb3ec'
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
