"""The look of models: the page's colours and dashes, on light and on dark ground."""

from tests.plots.samples import EMAILS, axes
from thresher.palette import ON_DARK, ON_LIGHT
from thresher.plots import ROCDisplay
from thresher.plots.style import class_colours, dashes, ink, is_dark, looks, palette


def test_models_look_as_on_the_page_and_40_differ():
    found = looks([str(i) for i in range(40)], axes())
    first = list(found.values())[:8]
    assert [look.colour for look in first] == list(ON_LIGHT)
    assert [look.dashes for look in first] == [dashes(i) for i in range(8)]
    assert len({look.marker for look in first}) == 8
    assert len({(look.colour, look.dashes) for look in found.values()}) == 40


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
