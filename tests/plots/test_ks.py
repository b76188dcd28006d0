"""The two classes' distributions, and their largest distance."""

import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests.plots.samples import EMAILS, INFINITE, drawn, legend
from tests.strategies import two_class_rankings
from thresher.plots import KSDisplay


@given(two_class_rankings)
def test_the_mark_spans_the_statistic(ranking):
    from tests.plots.samples import axes

    display = KSDisplay.from_ranking(ranking).plot(axes())
    assert abs(np.diff(display.distance_.get_ydata())) == pytest.approx(th.ks(ranking).statistic)


def test_shares_at_any_threshold_are_read_off_the_steps():
    display = drawn(KSDisplay.from_ranking(EMAILS, name="tree"))
    x, y = display.positives_.get_data()
    for threshold in (0.85, 0.8, 0.5, 0.13):
        held = np.flatnonzero(x >= threshold)[-1]  # the step that began at or above the threshold still holds
        assert y[held] == th.tables.contingency_at(EMAILS, threshold).tpr
    assert legend(display)[2] == "KS 0.500 at 0.28"
    assert display.ax_.get_title(loc="left") == "Classes apart: tree"


def test_infinite_scores_stand_at_the_edge():
    x = drawn(KSDisplay.from_ranking(INFINITE)).positives_.get_xdata()
    assert np.isfinite(x).all()
