from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.inference import class_examples
from tests.report import examples
from thresher.evaluation.bands import (
    FEWEST_PLACES,
    MOST_SEGMENTS,
    REPLICATES,
    class_bands,
    model_bands,
    percent_splits,
)

OWN: dict[str, Any] = {
    "roc": th.inference.roc_band,
    "precision_recall": th.inference.precision_recall_band,
    "net_benefit": th.inference.net_benefit_band,
    "reliability": th.inference.reliability_band,
}


@pytest.mark.parametrize("name", OWN)
def test_bands_are_those_of_inference(name):
    evaluation = examples.evaluation(250, count=1)
    drawn = getattr(model_bands(evaluation, "model 1"), name)
    drawn_as: Any = {"replicates": REPLICATES} if name == "roc" else {}
    alone = OWN[name](evaluation["model 1"].ranking, **drawn_as)
    for column in ("x", "estimate", "lower", "upper"):
        assert np.array_equal(getattr(drawn, column), getattr(alone, column))
    assert (drawn.level, drawn.method) == (alone.level, alone.method)


def test_a_joined_ranking_gives_nearly_the_same_bands():
    evaluation = examples.evaluation(16 * MOST_SEGMENTS, count=1)
    ranking = evaluation["model 1"].ranking
    drawn: Any = model_bands(evaluation, "model 1")
    # The draws differ, so the limits differ by chance: about a tenth of the band's width with 400 of them.
    exact = th.inference.roc_band(ranking, replicates=REPLICATES, seed=1)
    assert np.abs(drawn.roc.lower - exact.lower).max() < 0.015
    assert np.abs(drawn.roc.upper - exact.upper).max() < 0.015
    assert np.abs(drawn.roc.estimate - exact.estimate).max() < 0.002
    precision = th.inference.precision_recall_band(ranking)
    assert np.abs(drawn.precision_recall.estimate - precision.estimate)[4:].max() < 0.005
    acting = th.inference.net_benefit_band(ranking)
    assert drawn.net_benefit.upper == pytest.approx(acting.upper)
    assert drawn.net_benefit.estimate == pytest.approx(acting.estimate)


def test_scores_that_are_no_probabilities_have_two_bands():
    labels, scores = examples.models(60, count=1)
    drawn: Any = model_bands(th.evaluate(labels, {"a": 10 * scores["model 1"]}, replicates=20), "a")
    assert drawn.net_benefit is None
    assert drawn.reliability is None
    assert drawn.roc.x[-1] == 1


def test_entire_clusters_are_drawn():
    labels, scores = examples.models(100, count=1)
    score = scores["model 1"]
    twice = np.repeat(np.arange(100), 4)
    alone = th.evaluate(labels, {"a": score}, replicates=20)
    together = th.evaluate(labels[twice], {"a": score[twice]}, clusters=twice, replicates=20)
    apart = th.evaluate(labels[twice], {"a": score[twice]}, replicates=20)

    def width(evaluation):
        band = model_bands(evaluation, "a").roc
        return (band.upper - band.lower).mean()

    assert width(together) == pytest.approx(width(alone), rel=0.1)
    assert width(apart) < 0.7 * width(alone)
    assert model_bands(together, "a").reliability is None


def test_weighted_rows_have_bands():
    labels, scores = examples.models(80, count=1)
    evaluation = th.evaluate(labels, scores, weights=np.linspace(0.5, 1.7, 80), replicates=20)
    assert model_bands(evaluation, "model 1").precision_recall.x.size == 100


def test_bands_of_a_class_are_those_of_its_ranking():
    evaluation = examples.classes()
    drawn: Any = class_bands(evaluation, "tree", "cow")
    alone = th.inference.roc_band(evaluation["tree"].rankings["cow"], replicates=REPLICATES)
    assert np.array_equal(drawn.roc.lower, alone.lower)
    assert drawn.net_benefit is None
    assert drawn.reliability is None


def test_many_classes_are_drawn_at_fewer_places():
    band: Any = class_bands(examples.classes(labels=tuple(range(60)), rows=600), "forest", 7)
    assert band.roc.x.size == FEWEST_PLACES


def test_classes_of_rows_that_a_ranking_does_not_know_have_no_bands():
    labels, matrix = np.arange(60) % 3, np.full((60, 3), 1 / 3)
    for options in ({"clusters": np.arange(60) // 2}, {"weights": np.linspace(0.5, 2, 60)}):
        assert class_bands(class_examples.evaluate(labels, matrix, **options), "model", 1) is None


def test_every_percent_has_its_split():
    assert percent_splits(th.Ranking.parse("[1+][1-]", score=[0.98, 0.01]))[[0, 1, 97, 98]].tolist() == [2, 1, 1, 0]


def test_reliability_at_a_declared_mix_is_that_of_reweighted_rows():
    rng = np.random.default_rng(0)
    labels = rng.random(600) < 0.5
    scores = np.round(1 / (1 + np.exp(-rng.normal(labels * 2 - 1, 1))), 2)
    condition = th.OperatingCondition(cost_ratio=5, class_ratio=1 / 19)
    evaluation = th.evaluate(labels, {"m": scores}, condition=condition, trained_at=0.5, replicates=5)
    band: Any = model_bands(evaluation, "m")
    # The oracle weighs the rows to the mix, restates their probabilities to it and pools them.
    weights = np.where(labels, 0.05 / labels.mean(), 0.95 / (1 - labels.mean()))
    odds = scores / (1 - scores) / 19
    pools = th.calibration_map(th.rank(labels, odds / (1 + odds), weights=weights))
    assert np.allclose(band.reliability.estimate, pools(band.reliability.x))
    assert (band.reliability.lower <= band.reliability.estimate).all()
    assert band.reliability.upper[band.reliability.x < 0.02].max() < 0.25
