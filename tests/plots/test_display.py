"""Tests of display."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

import thresher as th
from tests.plots.samples import CORNERS, EMAILS, HOSTILE, INFINITE, ONE_CLASS, SPAM_TREE, axes, drawn, rankings, words
from thresher import plots
from thresher._internal.palette import ON_DARK, ON_LIGHT
from thresher.plots import ROCDisplay
from thresher.plots.display import (
    LONGEST,
    Display,
    add_legend,
    dashes,
    is_dark,
    legend_inches,
    legend_space,
    literal,
    name_text,
    stack,
)


def test_models_look_as_on_the_page_and_40_differ():
    styled = ROCDisplay.from_ranking(EMAILS).plot(axes())._styles_of([str(i) for i in range(40)])
    first = list(styled.values())[:8]
    assert [look.colour for look in first] == list(ON_LIGHT)
    assert [look.dashes for look in first] == [dashes(i) for i in range(8)]
    assert len({look.marker for look in first}) == 8
    assert len({(look.colour, look.dashes) for look in styled.values()}) == 40


def test_dark_ground_gets_light_colours():
    ax = axes()
    ax.set_facecolor("black")
    assert is_dark(ax)
    display = ROCDisplay.from_ranking(EMAILS).plot(ax)
    assert display._palette == ON_DARK
    assert display.lines_["model"].get_color() == ON_DARK[0]


def test_ink_is_the_colour_of_the_axes_own_words():
    ax = axes()
    ax.xaxis.label.set_color("red")
    assert ROCDisplay.from_ranking(EMAILS).plot(ax)._ink == "red"


@given(st.text(max_size=60))
def test_what_is_shown_is_printable_and_short(name):
    text = name_text(name)
    assert text.isprintable()
    assert len(text) <= LONGEST
    if name.isprintable() and len(name) <= LONGEST:
        assert text == name


def test_any_class_can_be_named():
    assert name_text(3) == "3"
    assert name_text(None) == "None"


@pytest.mark.parametrize("name", [name for name in HOSTILE if name])
def test_a_hostile_title_is_drawn_as_it_is(name):
    ax = axes()
    ROCDisplay.from_ranking(EMAILS).plot(ax)._finish(name_text(name))
    ax.figure.canvas.draw()
    (title,) = (text for text in ax.findobj(Text) if text.get_text() == name_text(name) and text.get_position()[1] == 1)
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
        assert not literal(ax.text(0, 0, "\\input{x}")).get_usetex()


def test_many_or_long_entries_lie_outside():
    assert not legend_space(["a", "b"])
    assert legend_space(["a"] * 5)
    assert legend_space(["a" * 40]) == legend_inches(["a" * 40]) > legend_inches(["a"])
    ax = axes()
    line = ax.plot([0, 1])[0]
    outside = add_legend(ax, [(line, str(i)) for i in range(9)])
    ax.figure.canvas.draw()
    assert outside is not None
    assert outside.get_window_extent().x0 >= ax.get_window_extent().x1


def test_small_axes_have_their_legend_below():
    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.subplots(2, 4)[0, 0]
    legend = add_legend(ax, [(ax.plot([0, 1])[0], "logistic regression (AUC 0.917)")])
    ax.set_xlabel("false positive rate")
    ax.figure.canvas.draw()
    assert legend is not None
    assert legend.get_window_extent().y1 <= ax.xaxis.label.get_window_extent().y0 + 1


OF_MODELS = [
    plots.CoverageDisplay,
    plots.ROCDisplay,
    plots.PrecisionRecallDisplay,
    plots.PRGainDisplay,
    plots.CostCurveDisplay,
    plots.GainDisplay,
    plots.LiftDisplay,
    plots.JointHullDisplay,
    plots.WinnersDisplay,
]
OF_PROBABILITIES = [plots.BrierCurveDisplay, plots.NetBenefitDisplay, plots.ReliabilityDisplay]
OF_ONE = [plots.KSDisplay, plots.ScoresDisplay, plots.CalibrationMapDisplay]
ALL = [*OF_MODELS, *OF_PROBABILITIES, *OF_ONE]


def check_columns(display):
    frame = display.frame()
    assert len({column.shape for column in frame.values()}) == 1
    assert all(column.ndim == 1 for column in frame.values())
    assert list(pd.DataFrame(frame).columns) == list(frame)


@pytest.mark.parametrize("ranking", CORNERS.values(), ids=CORNERS)
@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_the_worst_rankings_are_drawn(kind, ranking):
    display = drawn(kind.from_ranking(ranking))
    check_columns(display)
    assert not any("nan" in text.lower() for text in words(display))


@pytest.mark.parametrize("kind", [*OF_MODELS, *OF_ONE], ids=lambda kind: kind.__name__)
def test_scores_need_not_be_finite(kind):
    check_columns(drawn(kind.from_ranking(INFINITE)))


@pytest.mark.parametrize("kind", [*OF_MODELS, *OF_PROBABILITIES], ids=lambda kind: kind.__name__)
def test_ten_models_share_a_picture(kind):
    models = rankings(10, rows=200)
    display = drawn(kind.from_ranking(models))
    check_columns(display)
    pairs = {
        (line.get_color(), str(line.get_linestyle()), str(line._dash_pattern))
        for line in getattr(display, "lines_", {}).values()
    }
    assert len(pairs) in (0, 10)  # no two models look alike
    if kind is not plots.WinnersDisplay:
        legend = display.ax_.get_legend()
        assert [text.get_text().partition(" (")[0].partition(":")[0] for text in legend.get_texts()][:10] == list(
            models
        )


@pytest.mark.parametrize("kind", [*OF_MODELS, *OF_PROBABILITIES], ids=lambda kind: kind.__name__)
def test_names_are_shown_as_they_are_written(kind):
    models = dict.fromkeys(HOSTILE, EMAILS)
    display = drawn(kind.from_ranking(models))
    shown = "\n".join(words(display))
    for piece in ("$\\frac{$", "_nolegend_", "</script><script>", "\\x1b[31mred", "\\u202e", "\\ud800", "sep\\nnew"):
        assert piece in shown
    assert "\x1b" not in shown
    assert "x" * 40 not in shown


@pytest.mark.parametrize("ranking", ONE_CLASS.values(), ids=ONE_CLASS)
@pytest.mark.parametrize(
    "kind", [kind for kind in ALL if kind is not plots.ScoresDisplay], ids=lambda kind: kind.__name__
)
def test_one_class_has_no_curve(kind, ranking):
    with pytest.raises(th.errors.OneClassError):
        kind.from_ranking(ranking)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_only_rankings_are_taken(kind):
    with pytest.raises(th.ThresherError, match="Ranking"):
        kind.from_ranking([0.1, 0.2])


@pytest.mark.parametrize("kind", OF_PROBABILITIES, ids=lambda kind: kind.__name__)
def test_scores_that_are_no_probabilities_are_refused(kind):
    with pytest.raises(th.errors.ProbabilityError):
        kind.from_ranking(th.Ranking.parse("[2+][1-]")).plot(axes())


class TestTheConvention:
    def test_plot_returns_the_display_with_its_axes(self):
        ax = axes()
        display = plots.ROCDisplay.from_ranking(EMAILS)
        assert not hasattr(display, "ax_")
        assert display.plot(ax) is display
        assert (display.ax_, display.figure_) == (ax, ax.figure)

    def test_without_axes_pyplot_makes_them(self):
        import matplotlib.pyplot as plt

        display = plots.ROCDisplay.from_ranking(EMAILS).plot()
        figure = plt.gcf()
        assert display.figure_ is figure
        assert tuple(figure.get_size_inches()) == display.size
        plt.close(figure)

    def test_with_axes_pyplot_makes_nothing(self):
        import matplotlib.pyplot as plt

        plots.ROCDisplay.from_ranking(EMAILS).plot(axes())
        assert plt.get_fignums() == []

    def test_subfigures_will_do(self):
        from matplotlib.figure import Figure

        part, _ = Figure().subfigures(1, 2)  # type: ignore[misc]
        assert plots.ROCDisplay.from_ranking(EMAILS).plot(part.add_subplot()).figure_ is part

    def test_the_same_display_can_be_drawn_twice(self):
        display = plots.ROCDisplay.from_ranking(EMAILS)
        first = display.plot(axes()).lines_["model"]
        assert display.plot(axes()).lines_["model"] is not first

    def test_a_display_is_abstract(self):
        with pytest.raises(TypeError):
            Display()  # type: ignore[abstract]

    def test_every_display_is_public_and_explained(self):
        for name in plots.__all__:
            thing = getattr(plots, name)
            assert thing.__doc__
            assert thing.__doc__.splitlines()[0].endswith((".", ":"))
            if isinstance(thing, type) and thing is not Display:
                assert issubclass(thing, Display)
                assert ">>>" in thing.__doc__

    def test_it_is_an_attribute_of_thresher(self):
        assert th.plots is plots

    def test_it_says_which_models_it_shows(self):
        assert repr(plots.ROCDisplay.from_ranking({"tree": SPAM_TREE})) == "ROCDisplay('tree')"
        assert repr(plots.ScreeDisplay.from_ratios([1.0])) == "ScreeDisplay()"


def test_a_missing_matplotlib_is_named_with_its_extra(monkeypatch):
    from thresher._internal import optional as extras

    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    display = plots.ROCDisplay.from_ranking(EMAILS)
    assert display.frame()["tpr"][-1] == 1  # numbers need no matplotlib
    with pytest.raises(th.errors.MissingExtraError, match=r"ROCDisplay\.plot") as caught:
        display.plot()
    assert caught.value.fix == 'pip install "thresher[plot]"'


def test_parts_are_stacked_under_their_name():
    frame = stack({"a": {"x": [1, 2]}, "b": {"x": [3.5]}}, key="part")
    assert frame["part"].tolist() == ["a", "a", "b"]
    assert frame["x"].tolist() == [1, 2, 3.5]
    assert stack({"a": {"x": np.array([])}})["model"].size == 0
