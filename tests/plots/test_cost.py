"""Cost curves, Brier curves, whose area is the Brier score, and net benefit."""

import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests.plots.samples import EMAILS, SPAM_TREE, drawn, legend, probability_rankings, rankings
from thresher.plots import BrierCurveDisplay, CostCurveDisplay, NetBenefitDisplay
from thresher.plots.cost import corners, probability_cost


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
def test_the_condition_lies_where_its_cost_is_that_of_the_choice(cost_ratio, class_ratio):
    condition = th.OperatingCondition(class_ratio, cost_ratio)
    display = drawn(CostCurveDisplay.from_ranking(SPAM_TREE, conditions=condition))
    joint = display.chosen[""]
    at, (mark,) = probability_cost(joint), display.chosen_
    assert display.conditions_[""].get_xdata()[0] == at
    prevalence = joint.choice.condition.prevalence
    worst = prevalence * cost_ratio + (1 - prevalence)
    assert at == pytest.approx(prevalence * cost_ratio / worst)
    assert float(mark.get_ydata()[0]) == pytest.approx(joint.expected_cost / worst)


@given(probability_rankings)
def test_the_area_under_what_is_drawn_is_the_brier_score(ranking):
    x, y = corners(th.brier_curve(ranking))
    assert np.trapezoid(y, x) == pytest.approx(th.brier(ranking), abs=1e-12)


def test_a_single_model_shows_what_calibration_saves():
    display = drawn(BrierCurveDisplay.from_ranking(EMAILS))
    assert legend(display) == ["Brier 0.193", "calibrated (0.133)"]
    assert drawn(BrierCurveDisplay.from_ranking(EMAILS), calibrated=False).calibrated_ == {}


def test_every_model_has_its_calibrated_curve():
    models = rankings(2)
    display = drawn(BrierCurveDisplay.from_ranking(models))
    assert list(display.calibrated_) == list(models)
    x, _ = corners(th.brier_curve(models["model 1"]))
    assert np.array_equal(display.lines_["model 1"].get_xdata(), x)


def test_net_benefits_are_the_library_s():
    models = rankings(2)
    display = drawn(NetBenefitDisplay.from_ranking(models))
    for name, ranking in models.items():
        curve = th.net_benefit(ranking)
        assert np.array_equal(display.lines_[name].get_ydata(), curve.model)
        assert np.array_equal(display.everyone_.get_ydata(), curve.everyone)
        assert np.array_equal(display.no_one_.get_ydata(), curve.no_one)
    assert legend(display)[-2:] == ["act on everyone", "act on no one"]


def test_bands_of_net_benefit_are_drawn():
    band = th.inference.net_benefit_band(SPAM_TREE)
    display = drawn(NetBenefitDisplay.from_ranking(SPAM_TREE, bands=band))
    assert display.ax_.get_ylim()[1] >= band.upper.max()
