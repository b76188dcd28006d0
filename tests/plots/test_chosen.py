"""Choices in the planes: where the diamonds stand and the lines of equal cost touch."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import EMAILS, SPAM_TREE, drawn, legend
from thresher.plots import CoverageDisplay, PrecisionRecallDisplay, ROCDisplay
from thresher.plots.chosen import equal_cost, place

TWICE = th.OperatingCondition(class_ratio=3 / 4)


@pytest.mark.parametrize(("plane", "at"), [("coverage", (10, 30)), ("roc", (0.2, 0.6)), ("pr", (0.6, 0.75))])
def test_a_table_has_its_place_in_each_plane(plane, at):
    assert place(th.Contingency(tp=30, fn=20, fp=10, tn=40), plane) == at


def test_all_ties_are_marked():
    display = drawn(CoverageDisplay.from_ranking(EMAILS, conditions=TWICE))
    (mark,) = display.chosen_
    tables = [point.table for point in th.choose(EMAILS, TWICE).points]
    assert mark.get_xdata().tolist() == [table.fp for table in tables]
    assert mark.get_ydata().tolist() == [table.tp for table in tables]


@pytest.mark.parametrize("kind", [CoverageDisplay, ROCDisplay])
def test_the_line_of_equal_cost_touches_the_curve_and_stays_above(kind):
    display = drawn(kind.from_ranking(SPAM_TREE, conditions=th.OperatingCondition(cost_ratio=1)))
    line, curve, (mark,) = display.slopes_[""], display.lines_["model"], display.chosen_
    assert np.interp(mark.get_xdata()[0], line.get_xdata(), line.get_ydata()) == pytest.approx(mark.get_ydata()[0])
    inside = (curve.get_xdata() >= line.get_xdata()[0]) & (curve.get_xdata() <= line.get_xdata()[-1])
    height = np.interp(curve.get_xdata()[inside], line.get_xdata(), line.get_ydata())
    assert (height >= curve.get_ydata()[inside] - 1e-9).all()


def test_slopes_are_named_in_the_legend():
    asked = {"equal": th.OperatingCondition(), "twice": TWICE}
    told = legend(drawn(ROCDisplay.from_ranking(EMAILS, conditions=asked)))
    assert told == ["AUC 0.750", "equal, slope 0.667", "twice, slope 1.33"]
    assert legend(drawn(ROCDisplay.from_ranking(EMAILS, conditions=TWICE)))[1] == "equal cost, slope 1.33"


def test_a_choice_in_the_corner_has_a_mark_and_perhaps_no_line():
    display = drawn(ROCDisplay.from_ranking(SPAM_TREE, conditions=th.OperatingCondition(cost_ratio=0.001)))
    assert display.chosen[""].choice.splits.tolist() == [0]
    assert display.chosen_[0].get_xdata().tolist() == [0.0]


def test_equal_cost_is_a_curve_in_pr_space():
    joint = th.joint_choice({"tree": SPAM_TREE})
    line = equal_cost(joint, "pr")
    assert line is not None
    assert line.slope is None
    display = drawn(PrecisionRecallDisplay.from_ranking(SPAM_TREE, conditions=th.OperatingCondition()), slopes=True)
    assert legend(display)[-1] == "equal cost"


def test_slopes_can_be_left_out():
    display = drawn(ROCDisplay.from_ranking(EMAILS, conditions=TWICE), slopes=False)
    assert display.slopes_ == {}
    assert len(display.chosen_) == 1
