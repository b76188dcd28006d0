"""Tests of models."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import EMAILS, MODELS, SPAM_TREE, axes, drawn, legend, scored
from thresher.plots import CoverageDisplay, GainDisplay, PrecisionRecallDisplay, PRGainDisplay, ROCDisplay
from thresher.plots.models import (
    MOST_POINTS,
    by_name,
    curve_splits,
    equal_cost,
    isometric_lines,
    isometrics_words,
    place,
    require_one_ranking,
)


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
    assert isometrics_words(condition) == " with lines of equal expected cost"
    assert isometrics_words("balanced accuracy") == " with lines of equal average recall"


def test_a_value_that_was_asked_for_is_not_left_out_in_silence():
    with pytest.raises(th.errors.ArgumentError, match="accuracy 2"):
        drawn(CoverageDisplay.from_ranking(SPAM_TREE), isometrics="accuracy", levels=[2])


def test_models_of_different_cases_have_no_common_isometrics():
    with pytest.raises(th.errors.ArgumentError, match="different numbers"):
        drawn(CoverageDisplay.from_ranking(MODELS), isometrics="accuracy")


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
    labels = legend(drawn(ROCDisplay.from_ranking(EMAILS, conditions=asked)))
    assert labels == ["AUC 0.750", "equal, slope 0.667", "twice, slope 1.33"]
    assert legend(drawn(ROCDisplay.from_ranking(EMAILS, conditions=TWICE)))[1] == "equal cost, slope 1.33"


def test_a_choice_in_the_corner_has_a_mark_and_perhaps_no_line():
    display = drawn(ROCDisplay.from_ranking(SPAM_TREE, conditions=th.OperatingCondition(cost_ratio=0.001)))
    assert display.chosen[""].choice.splits.tolist() == [0]
    assert display.chosen_[0].get_xdata().tolist() == [0.0]


def test_equal_cost_is_a_curve_in_pr_space():
    joint = th.choose({"tree": SPAM_TREE})
    line = equal_cost(joint, "pr")
    assert line is not None
    assert line.slope is None
    display = drawn(PrecisionRecallDisplay.from_ranking(SPAM_TREE, conditions=th.OperatingCondition()), slopes=True)
    assert legend(display)[-1] == "equal cost"


def test_slopes_can_be_left_out():
    display = drawn(ROCDisplay.from_ranking(EMAILS, conditions=TWICE), slopes=False)
    assert display.slopes_ == {}
    assert len(display.chosen_) == 1


def test_a_single_ranking_is_named_model():
    assert list(ROCDisplay.from_ranking(EMAILS).rankings) == ["model"]
    assert by_name({1: EMAILS}, th.Ranking) == {"1": EMAILS}


@pytest.mark.parametrize("value", [{}, {"a": 1}, 3, None])
def test_what_is_no_ranking_is_refused(value):
    with pytest.raises(th.errors.ArgumentError, match="Ranking"):
        by_name(value, th.Ranking)
    with pytest.raises(th.errors.ArgumentError, match="one Ranking"):
        require_one_ranking(value)


def test_options_that_a_picture_cannot_draw_are_refused():
    with pytest.raises(th.errors.ArgumentError, match="CoverageDisplay draws no bands"):
        CoverageDisplay.from_ranking(EMAILS, bands=th.inference.roc_band(EMAILS, replicates=100))
    with pytest.raises(th.errors.ArgumentError, match="PRGainDisplay draws no conditions"):
        PRGainDisplay.from_ranking(EMAILS, conditions=th.OperatingCondition())
    with pytest.raises(th.errors.ArgumentError, match="no such model"):
        ROCDisplay.from_ranking(MODELS, bands={"forest": th.inference.roc_band(SPAM_TREE, replicates=100)})


def test_several_conditions_choose_each_for_itself():
    asked = {"as in the data": th.OperatingCondition(), "2:1": th.OperatingCondition(class_ratio=3 / 4)}
    display = ROCDisplay.from_ranking(EMAILS, conditions=asked)
    assert [joint.threshold for joint in display.chosen.values()] == [
        th.choose(EMAILS, condition).threshold for condition in asked.values()
    ]


def test_an_evaluation_brings_its_models_and_its_choice():
    labels, scores = scored(2, rows=80)
    result = th.evaluate(labels, scores, replicates=20)
    display = drawn(ROCDisplay.from_evaluation(result))
    assert display.chosen[""] is result.joint
    assert display.rankings["model 1"] is result["model 1"].ranking
    assert PRGainDisplay.from_evaluation(result).chosen == {}


def test_long_names_make_the_picture_wider():
    narrow = GainDisplay.from_ranking({"a": EMAILS, "b": EMAILS})
    wide = GainDisplay.from_ranking({"a" * 60: EMAILS, "b": EMAILS})
    assert wide.size[0] > narrow.size[0] + 2
    assert legend(drawn(narrow))[:2] == ["a", "b"]


class TestDrawnSplits:
    def test_short_curves_are_drawn_completely(self):
        assert curve_splits(EMAILS).tolist() == list(range(11))

    def test_long_curves_keep_hull_ends_and_beginning(self):
        rng = np.random.default_rng(0)
        ranking = th.rank(rng.random(60_000) < 0.5, rng.random(60_000))
        split = curve_splits(ranking)
        assert split.size <= MOST_POINTS
        assert (np.diff(split) > 0).all()
        assert {0, 1, 2, 3, 10, len(ranking)} <= set(split.tolist())
        from thresher.curves import hull_splits

        assert set(hull_splits(ranking, pool="ties").tolist()) <= set(split.tolist())
        display = drawn(ROCDisplay.from_ranking(ranking))
        assert np.array_equal(display.lines_["model"].get_xdata(), th.roc(ranking)[0][split])
        assert display.frame()["fpr"].size == len(ranking) + 1
