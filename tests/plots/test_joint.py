"""Which model where: the joint hull and the ranges of cost ratios."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import EMAILS, drawn, legend, rankings, scored
from thresher.plots import JointHullDisplay, WinnersDisplay, WinsDisplay

CAREFUL, EAGER = th.Ranking.parse("[4+][1+,5-]"), th.Ranking.parse("[5+,1-][4-]")
BOTH = {"careful": CAREFUL, "eager": EAGER}


def test_the_hull_is_concave_and_above_every_curve():
    models = rankings(4)
    display = drawn(JointHullDisplay.from_ranking(models))
    x, y = (np.array(axis) for axis in display.hull_.get_data())
    assert (np.diff(x) >= 0).all()
    distinct = np.append(True, (np.diff(x) > 0) | (np.diff(y) > 0))
    rise, run = np.diff(y[distinct]), np.diff(x[distinct])
    assert (rise[:-1] * run[1:] >= rise[1:] * run[:-1] - 1e-12).all()
    for ranking in models.values():
        fpr, tpr, _ = th.roc(ranking)
        assert (np.interp(fpr, x, y) >= tpr - 1e-9).all() or x[0] == x[1]


def test_models_are_named_with_the_cost_ratios_they_win():
    mixed = {"careful": th.Ranking.parse("[4+][1+,5-]"), "eager": th.Ranking.parse("[5+,1-][4-]")}
    display = drawn(JointHullDisplay.from_ranking(mixed))
    assert legend(display) == ["careful: 0 to 1", "eager: 1 to ∞", "joint hull"]
    beaten = drawn(JointHullDisplay.from_ranking({"good": EMAILS, "bad": th.Ranking([1], [6], [4])}))
    assert legend(beaten)[1] == "bad: nowhere"


def test_bars_are_the_ranges():
    joint = th.choose(BOTH)
    display = drawn(WinnersDisplay.from_ranking(BOTH))
    (careful,) = display.bars_["careful"].get_segments()
    assert careful[1, 0] == joint.ranges[0].high
    assert display.frame()["low"].tolist() == [each.low for each in joint.ranges]
    assert display.condition_.get_xdata()[0] == joint.choice.condition.cost_ratio
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["careful", "eager", "never", "always"]


def test_an_evaluation_brings_its_joint_choice():
    from tests.plots.samples import scored

    labels, scores = scored(2, rows=80)
    result = th.evaluate(labels, scores, replicates=20)
    for kind in (JointHullDisplay, WinnersDisplay):
        assert drawn(kind.from_evaluation(result)).joint is result.joint


def test_models_of_different_mixes_need_a_class_ratio():
    apart = {"a": CAREFUL, "b": th.Ranking.parse("[3+][1-]")}
    with pytest.raises(th.errors.ConditionError):
        JointHullDisplay.from_ranking(apart)
    drawn(JointHullDisplay.from_ranking(apart, condition=th.OperatingCondition(class_ratio=1)))


def test_wins_are_the_shares_of_resamples():
    labels, scores = scored(3, rows=120)
    result = th.evaluate(labels, scores, replicates=40, condition=th.OperatingCondition(cost_ratio=4))
    display = drawn(WinsDisplay.from_evaluation(result))
    for name, line in display.lines_.items():
        assert np.array_equal(line.get_xdata(), result.stability.cost_ratio)
        assert np.array_equal(line.get_ydata(), result.stability.wins_at[name])
    assert display.condition_.get_xdata()[0] == 4
    assert legend(display)[-1] == "now, 4"
    assert display.frame()["wins"].size == 3 * result.stability.cost_ratio.size
