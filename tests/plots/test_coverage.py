"""The coverage plot shows the counts of every split."""

import numpy as np

import thresher as th
from tests.plots.samples import EMAILS, MODELS, SPAM_TREE, drawn, legend, rankings
from thresher.plots import CoverageDisplay


def test_curves_and_hulls_are_the_library_s():
    display = drawn(CoverageDisplay.from_ranking(MODELS))
    for name, ranking in MODELS.items():
        table, corners = th.coverage(ranking), th.coverage(th.hull(ranking, pool="ties"))
        assert np.array_equal(display.lines_[name].get_xydata(), np.column_stack([table.fp, table.tp]))
        assert np.array_equal(display.hulls_[name].get_xydata(), np.column_stack([corners.fp, corners.tp]))
    assert legend(display) == ["tree", "emails"]


def test_the_hull_can_be_left_out():
    assert drawn(CoverageDisplay.from_ranking(EMAILS), hull=False).hulls_ == {}


def test_small_rectangles_have_a_line_per_case():
    ax = drawn(CoverageDisplay.from_ranking(EMAILS)).ax_
    every = {tick for tick in (*ax.get_yticks(), *ax.get_yticks(minor=True)) if 0 <= tick <= 6}
    assert every == set(range(7))
    assert ax.get_aspect() == 1


def test_long_rectangles_are_not_drawn_to_scale():
    assert drawn(CoverageDisplay.from_ranking(th.Ranking.parse("[5+,10-][90-]"))).ax_.get_aspect() == "auto"


def test_columns_say_what_lies_on_the_hull():
    frame = CoverageDisplay.from_ranking(EMAILS).frame()
    assert frame["on_hull"].tolist() == [True, True, True, False, False, True, False, False, True, True, True]
    assert frame["threshold"][0] == np.inf


def test_axes_name_the_totals():
    ax = drawn(CoverageDisplay.from_ranking(SPAM_TREE)).ax_
    assert ax.get_xlabel() == "false positives (of 50)"
    assert drawn(CoverageDisplay.from_ranking(rankings(2))).ax_.get_ylabel().startswith("true positives (of ")
