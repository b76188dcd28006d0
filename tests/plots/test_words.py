"""Words in pictures are literal."""

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from tests.plots.samples import HOSTILE, axes
from thresher.plots.words import LONGEST, add_legend, fits_inside, inches_beside, set_title, shown, taken_literally


@given(st.text(max_size=60))
def test_what_is_shown_is_printable_and_short(name):
    text = shown(name)
    assert text.isprintable()
    assert len(text) <= LONGEST
    if name.isprintable() and len(name) <= LONGEST:
        assert text == name


def test_any_class_can_be_named():
    assert shown(3) == "3"
    assert shown(None) == "None"


@pytest.mark.parametrize("name", [name for name in HOSTILE if name])
def test_a_hostile_title_is_drawn_as_it_is(name):
    ax = axes()
    set_title(ax, shown(name))
    ax.figure.canvas.draw()
    (title,) = (text for text in ax.findobj(Text) if text.get_text() == shown(name) and text.get_position()[1] == 1)
    assert not title.get_parse_math()


def test_legends_keep_every_entry():
    ax = axes()
    names = ["_hidden", "$x^2$", ""]
    lines = [ax.plot([0, 1])[0] for _ in names]
    legend = add_legend(ax, list(zip(lines, names, strict=True)))
    ax.figure.canvas.draw()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == names
    assert not any(text.get_parse_math() or text.get_usetex() for text in legend.get_texts())


def test_no_entries_no_legend():
    ax = axes()
    assert add_legend(ax, []) is None
    assert ax.get_legend() is None


def test_names_never_reach_latex():
    with mpl.rc_context({"text.usetex": True}):
        ax = axes()
        assert not taken_literally(ax.text(0, 0, "\\input{x}")).get_usetex()


def test_many_or_long_entries_stand_beside():
    assert fits_inside(["a", "b"])
    assert not fits_inside(["a"] * 5)
    assert not fits_inside(["a" * 40])
    assert inches_beside(["a" * 40]) > inches_beside(["a"])
    ax = axes()
    line = ax.plot([0, 1])[0]
    beside = add_legend(ax, [(line, str(i)) for i in range(9)])
    ax.figure.canvas.draw()
    assert beside is not None
    assert beside.get_window_extent().x0 >= ax.get_window_extent().x1


def test_small_axes_have_their_legend_below():
    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.subplots(2, 4)[0, 0]
    legend = add_legend(ax, [(ax.plot([0, 1])[0], "logistic regression (AUC 0.917)")])
    ax.set_xlabel("false positive rate")
    ax.figure.canvas.draw()
    assert legend is not None
    assert legend.get_window_extent().y1 <= ax.xaxis.label.get_window_extent().y0 + 1
