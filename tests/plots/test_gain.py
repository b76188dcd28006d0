"""Gain and lift at every split."""

import numpy as np

import thresher as th
from tests.plots.samples import EMAILS, SPAM_TREE, drawn, rankings
from thresher.plots import GainDisplay, LiftDisplay


def test_lines_are_the_library_s():
    models = rankings(2)
    for kind, curve in ((GainDisplay, th.gain), (LiftDisplay, th.lift)):
        display = drawn(kind.from_ranking(models))
        for name, ranking in models.items():
            expected = np.column_stack(curve(ranking)[:2])
            assert np.array_equal(display.lines_[name].get_xydata(), expected, equal_nan=True)


def test_the_choice_is_on_the_curve():
    condition = th.OperatingCondition(cost_ratio=1)
    table = th.choose(SPAM_TREE, condition).table
    for kind, height in ((GainDisplay, table.tpr), (LiftDisplay, table.lift)):
        (mark,) = drawn(kind.from_ranking(SPAM_TREE, conditions=condition)).chosen_
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (table.predicted_positive_rate, height)


def test_a_perfect_order_finds_all_after_the_prevalence():
    perfect = drawn(GainDisplay.from_ranking(EMAILS)).perfect_
    assert perfect.get_xdata()[1] == EMAILS.prevalence


def test_lift_of_nothing_is_undefined():
    assert np.isnan(LiftDisplay.from_ranking(EMAILS).frame()["lift"][0])
