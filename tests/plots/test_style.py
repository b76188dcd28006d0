"""The look of models: the page's colours and dashes, on light and on dark ground."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from tests.plots.samples import EMAILS, axes
from thresher.plots import ROCDisplay
from thresher.plots.style import DASHES, ON_DARK, ON_LIGHT, class_colours, ink, is_dark, looks, palette


def luminance(colour):
    """Relative luminance after WCAG 2."""
    channel = np.array(to_rgb(colour))
    linear = np.where(channel <= 0.04045, channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(a, b):
    high, low = sorted([luminance(a), luminance(b)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("colours", "ground"), [(ON_LIGHT, "white"), (ON_DARK, "#16181c")])
def test_words_in_every_colour_can_be_read(colours, ground):
    assert min(contrast(colour, ground) for colour in colours) >= 4.5


def test_five_models_look_as_on_the_page_and_25_differ():
    found = looks([str(i) for i in range(25)], axes())
    first = list(found.values())[:5]
    assert [look.colour for look in first] == list(ON_LIGHT)
    assert [look.dashes for look in first] == list(DASHES)
    assert len({(look.colour, look.dashes) for look in found.values()}) == 25


def test_dark_ground_gets_light_colours():
    ax = axes()
    ax.set_facecolor("black")
    assert is_dark(ax)
    assert palette(ax) == ON_DARK
    assert class_colours(ax) == ON_DARK[:2]
    assert ROCDisplay.from_ranking(EMAILS).plot(ax).lines_["model"].get_color() == ON_DARK[0]


def test_ink_is_the_colour_of_the_axes_own_words():
    ax = axes()
    ax.xaxis.label.set_color("red")
    assert ink(ax) == "red"
