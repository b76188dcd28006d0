"""Coverage and ROC plots show the counts and the rates of every split."""

import numpy as np

import thresher as th
from tests.plots.samples import EMAILS, MODELS, SPAM_TREE, drawn, legend, rankings
from thresher.plots import CoverageDisplay, ROCDisplay


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


def test_rates_and_hulls_are_the_library_s():
    models = rankings(3)
    display = drawn(ROCDisplay.from_ranking(models), hull=True)
    for name, ranking in models.items():
        assert np.array_equal(display.lines_[name].get_xydata(), np.column_stack(th.roc(ranking)[:2]))
        assert np.array_equal(
            display.hulls_[name].get_xydata(), np.column_stack(th.roc(th.hull(ranking, pool="ties"))[:2])
        )
    assert legend(display) == [f"{name} (AUC {th.auc(ranking):.3f})" for name, ranking in models.items()]


def test_bands_are_those_of_the_call():
    band = th.inference.roc_band(EMAILS, replicates=100, simultaneous=True)
    display = drawn(ROCDisplay.from_ranking(EMAILS, bands=band))
    heights = display.bands_["model"].get_paths()[0].vertices[:, 1]
    assert set(np.round(np.concatenate([band.lower, band.upper]), 9)) == set(np.round(heights, 9))
    assert legend(display)[-1] == "95% band, simultaneous"


def test_columns_hold_the_rates_of_every_split():
    frame = ROCDisplay.from_ranking({"a": EMAILS, "b": EMAILS}).frame()
    fpr, tpr, threshold = th.roc(EMAILS)
    assert np.array_equal(frame["fpr"], np.tile(fpr, 2))
    assert np.array_equal(frame["tpr"], np.tile(tpr, 2))
    assert np.array_equal(frame["threshold"], np.tile(threshold, 2))
    assert set(frame["model"]) == {"a", "b"}
