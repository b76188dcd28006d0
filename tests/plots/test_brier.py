"""Brier curves: pieces with jumps, whose area is the Brier score."""

import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests.plots.samples import EMAILS, drawn, legend, probability_rankings, rankings
from thresher.plots import BrierCurveDisplay
from thresher.plots.brier import corners


@given(probability_rankings)
def test_the_area_under_what_is_drawn_is_the_brier_score(ranking):
    x, y = corners(th.brier_curve(ranking))
    assert np.trapezoid(y, x) == pytest.approx(th.brier(ranking), abs=1e-12)


def test_a_single_model_shows_what_calibration_saves():
    display = drawn(BrierCurveDisplay.from_ranking(EMAILS))
    assert legend(display) == ["Brier 0.193", "calibrated (0.133)"]
    assert drawn(BrierCurveDisplay.from_ranking(EMAILS), calibrated=False).calibrated_ == {}


def test_several_models():
    models = rankings(2)
    display = drawn(BrierCurveDisplay.from_ranking(models))
    assert list(display.calibrated_) == list(models)
    x, _ = corners(th.brier_curve(models["model 1"]))
    assert np.array_equal(display.lines_["model 1"].get_xdata(), x)
