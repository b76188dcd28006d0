"""Calibration maps, drawn as they map."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import EMAILS, INFINITE, drawn, legend, rankings
from thresher.plots import CalibrationMapDisplay


def value_at(line, score):
    """What a drawn line says at a score."""
    x, y = line.get_data()
    if line.get_drawstyle() == "steps-post":
        return y[np.flatnonzero(x <= score)[-1]]
    return np.interp(score, x, y)


@pytest.mark.parametrize("interpolate", [False, True])
def test_the_textbook_s_map_with_the_laplace_line(interpolate):
    display = drawn(CalibrationMapDisplay.from_ranking(EMAILS, interpolate=interpolate))
    plain = th.calibration_map(EMAILS, interpolate=interpolate)
    smooth = th.calibration_map(EMAILS, smoothing="laplace", interpolate=interpolate)
    for score in (0.05, 0.13, 0.3, 0.32, 0.5, 0.74, 0.8, 0.85, 0.95):
        assert value_at(display.lines_["isotonic"], score) == pytest.approx(float(plain(score)))
        assert value_at(display.lines_["with Laplace correction"], score) == pytest.approx(float(smooth(score)))
    assert legend(display) == ["isotonic", "with Laplace correction", "positives", "negatives"]


def test_cases_lie_at_their_class():
    pos, neg = drawn(CalibrationMapDisplay.from_ranking(EMAILS)).cases_
    assert set(pos.get_offsets()[:, 0]) == set(EMAILS.score[EMAILS.pos > 0])
    assert set(neg.get_offsets()[:, 1]) == {0}


@pytest.mark.parametrize("method", ["isotonic", "histogram", "platt", "beta", "temperature"])
def test_every_method_can_be_drawn(method):
    ranking = rankings(1)["model 0"]
    fitted = th.calibration_map(ranking, method=method)
    display = drawn(CalibrationMapDisplay.from_map(fitted, ranking=ranking))
    line = display.lines_["map"]
    assert np.array_equal(line.get_ydata(), fitted(line.get_xdata()))
    assert (line.get_xdata()[0], line.get_xdata()[-1]) == (0, 1)


def test_scores_beyond_the_unit_interval_set_the_span():
    ranking = th.Ranking.parse("[3+][1+,1-][2-]", score=[5, 0, -5])
    x = drawn(CalibrationMapDisplay.from_ranking(ranking)).lines_["isotonic"].get_xdata()
    assert x[0] < -5 < 5 < x[-1]
    assert np.isfinite(drawn(CalibrationMapDisplay.from_ranking(INFINITE)).frame()["score"]).all()


def test_a_map_without_a_ranking():
    fitted = th.calibration_map(EMAILS, method="platt")
    display = drawn(CalibrationMapDisplay.from_map({"Platt": fitted}))
    assert display.ax_.get_title(loc="left") == "Calibration map: Platt"


def test_what_is_no_map_is_refused():
    with pytest.raises(th.errors.ArgumentError, match="CalibrationMap"):
        CalibrationMapDisplay.from_map(EMAILS)  # type: ignore[arg-type]
