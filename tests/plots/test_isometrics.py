"""Isometrics behind curves: the library's lines, at round values."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import MODELS, SPAM_TREE, axes, drawn
from thresher.plots import CoverageDisplay, PrecisionRecallDisplay, ROCDisplay
from thresher.plots.isometrics import isometric_lines, isometrics_name


@pytest.mark.parametrize("name", [name for name in th.MEASURES if th.MEASURES[name].better != "neither"])
@pytest.mark.parametrize("kind", [CoverageDisplay, ROCDisplay, PrecisionRecallDisplay])
def test_every_measure_can_be_drawn(kind, name):
    assert kind.from_ranking(SPAM_TREE).plot(axes(), isometrics=name).isometrics_


@pytest.mark.parametrize(
    ("kind", "plane"), [(CoverageDisplay, "coverage"), (ROCDisplay, "roc"), (PrecisionRecallDisplay, "pr")]
)
def test_lines_are_those_of_the_library(kind, plane):
    display = drawn(kind.from_ranking(SPAM_TREE), isometrics="f1", levels=[0.4, 0.6])
    for line, value in zip(display.isometrics_, (0.4, 0.6), strict=True):
        expected = th.isometric("f1", value, plane=plane, Pos=50, Neg=50)
        assert np.array_equal(line.get_xdata(), expected.x)
        assert np.array_equal(line.get_ydata(), expected.y)


def test_each_line_is_labelled_with_its_value():
    display = drawn(CoverageDisplay.from_ranking(SPAM_TREE), isometrics="accuracy", levels=[0.5, 0.75])
    assert [text.get_text() for text in display.ax_.texts] == ["0.5", "0.75"]
    assert display.ax_.get_title(loc="left") == "Coverage plot with lines of equal accuracy"


def test_a_condition_has_round_costs_among_those_reached():
    condition = th.OperatingCondition(cost_ratio=3)
    lines = isometric_lines(condition, rankings={"tree": SPAM_TREE}, levels=None, plane="coverage")
    costs = condition.expected_cost(th.coverage(SPAM_TREE))
    assert len(lines) >= 3
    assert min(line.value for line in lines) <= costs.max()
    assert isometrics_name(condition) == "expected cost"
    assert isometrics_name("balanced accuracy") == "average recall"


def test_a_value_that_was_asked_for_is_not_left_out_in_silence():
    with pytest.raises(th.ArgumentError, match="accuracy 2"):
        drawn(CoverageDisplay.from_ranking(SPAM_TREE), isometrics="accuracy", levels=[2])


def test_models_of_different_cases_have_no_common_isometrics():
    with pytest.raises(th.ArgumentError, match="different numbers"):
        drawn(CoverageDisplay.from_ranking(MODELS), isometrics="accuracy")
