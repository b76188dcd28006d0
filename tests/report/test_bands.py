import numpy as np
import pytest

import thresher as th
from tests.report import examples
from thresher.report.bands import MOST_SEGMENTS, REPLICATES, bands


@pytest.fixture(scope="module")
def found():
    evaluation = examples.evaluation(250, count=1)
    return evaluation, bands(evaluation, "model 1")


def test_bands_are_those_of_inference(found):
    evaluation, drawn = found
    ranking = evaluation["model 1"].ranking
    for name, band in (
        ("roc", th.roc_band),
        ("pr", th.precision_recall_band),
        ("net_benefit", th.net_benefit_band),
        ("reliability", th.reliability_band),
    ):
        whole = band(ranking, replicates=REPLICATES)
        assert np.abs(np.array(drawn[name]["lower"]) - whole.lower).max() <= 1e-5
        assert np.abs(np.array(drawn[name]["upper"]) - whole.upper).max() <= 1e-5


def test_a_joined_ranking_gives_nearly_the_same_bands():
    evaluation = examples.evaluation(8 * MOST_SEGMENTS, count=1)
    ranking = evaluation["model 1"].ranking
    drawn = bands(evaluation, "model 1")
    whole = th.roc_band(ranking, replicates=REPLICATES, seed=1)
    assert np.abs(np.array(drawn["roc"]["lower"]) - whole.lower).max() < 0.01
    assert np.abs(np.array(drawn["roc"]["upper"]) - whole.upper).max() < 0.01
    acting = th.net_benefit_band(ranking, replicates=REPLICATES, seed=1)
    assert np.abs(np.array(drawn["net_benefit"]["upper"]) - acting.upper)[:90].max() < 0.01


def test_scores_that_are_no_probabilities_have_two_bands():
    labels, scores = examples.models(60, count=1)
    evaluation = th.evaluate(labels, {"a": 10 * scores["model 1"]}, replicates=20)
    drawn = bands(evaluation, "a")
    assert drawn["net_benefit"] is None
    assert drawn["reliability"] is None
    assert drawn["roc"]["x"][-1] == 1


def test_clusters_are_drawn_whole():
    labels, scores = examples.models(100, count=1)
    score = scores["model 1"]
    twice = np.repeat(np.arange(100), 4)
    alone = th.evaluate(labels, {"a": score}, replicates=20)
    together = th.evaluate(labels[twice], {"a": score[twice]}, clusters=twice, replicates=20)
    apart = th.evaluate(labels[twice], {"a": score[twice]}, replicates=20)

    def width(evaluation):
        band = bands(evaluation, "a")["roc"]
        return (np.array(band["upper"]) - np.array(band["lower"])).mean()

    assert width(together) == pytest.approx(width(alone), rel=0.1)
    assert width(apart) < 0.7 * width(alone)
    assert bands(together, "a")["reliability"] is None


def test_weighted_rows_have_bands():
    labels, scores = examples.models(80, count=1)
    evaluation = th.evaluate(labels, scores, weights=np.linspace(0.5, 1.7, 80), replicates=20)
    assert len(bands(evaluation, "model 1")["pr"]["x"]) == 100
