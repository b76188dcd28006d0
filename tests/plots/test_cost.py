"""Cost curves: envelope, threshold lines, and where a condition stands."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import EMAILS, SPAM_TREE, drawn, legend, rankings
from thresher.plots import CostCurveDisplay
from thresher.plots.cost import probability_cost


def test_envelopes_are_the_library_s():
    models = rankings(3)
    display = drawn(CostCurveDisplay.from_ranking(models))
    for name, ranking in models.items():
        curve = th.cost_curve(ranking)
        assert np.array_equal(display.lines_[name].get_xdata(), curve.probability_cost)
        assert np.array_equal(display.lines_[name].get_ydata(), curve.cost)
    assert display.thresholds_ == []
    assert legend(display)[0] == f"model 0 (area {th.cost_curve(models['model 0']).area:.3f})"


def test_a_single_model_shows_its_thresholds():
    curve = th.cost_curve(EMAILS)
    lines = drawn(CostCurveDisplay.from_ranking(EMAILS)).thresholds_
    assert [line.get_ydata().tolist() for line in lines] == np.column_stack([curve.fpr, curve.fnr]).tolist()
    assert drawn(CostCurveDisplay.from_ranking(EMAILS), thresholds=False).thresholds_ == []


@pytest.mark.parametrize("cost_ratio", [0.1, 1, 7])
@pytest.mark.parametrize("class_ratio", [None, 0.2])
def test_the_condition_stands_where_its_cost_is_that_of_the_choice(cost_ratio, class_ratio):
    condition = th.OperatingCondition(class_ratio, cost_ratio)
    display = drawn(CostCurveDisplay.from_ranking(SPAM_TREE, conditions=condition))
    joint = display.chosen[""]
    at, (mark,) = probability_cost(joint), display.chosen_
    assert display.conditions_[""].get_xdata()[0] == at
    prevalence = joint.choice.condition.prevalence
    worst = prevalence * cost_ratio + (1 - prevalence)
    assert at == pytest.approx(prevalence * cost_ratio / worst)
    assert float(mark.get_ydata()[0]) == pytest.approx(joint.expected_cost / worst)
