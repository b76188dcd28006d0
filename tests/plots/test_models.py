"""Tests of models."""

from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import EMAILS, MODELS, SPAM_TREE, drawn, legend, scored
from thresher.plots import CoverageDisplay, GainDisplay, PRGainDisplay, ROCDisplay
from thresher.plots.models import (
    MOST_POINTS,
    by_name,
    curve_splits,
    require_one_ranking,
)


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
    joints: list[Any] = list(display.chosen.values())
    assert [joint.threshold for joint in joints] == [
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
