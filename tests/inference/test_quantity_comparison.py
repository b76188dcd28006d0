"""Paired differences of quantities: estimates from the functions themselves, spreads from resampling, known truth."""

import math

import numpy as np
import pytest

import thresher as th
from tests.inference.test_quantity_statistics import TEXTS
from thresher.inference import quantity_comparison

COMPARED = [text for text in TEXTS if text not in ("uncertainty", "auc")]


def scored(n, seed, *, same=False):
    """Labels and two models that see much of the same."""
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.35
    shared = rng.normal(size=n) + 1.3 * labels - 0.8
    a, b = (1 / (1 + np.exp(-(shared + 0.5 * rng.normal(size=n)))) for _ in range(2))
    return labels, {"a": a, "b": b if same else b**1.7}


@pytest.mark.parametrize("text", COMPARED)
@pytest.mark.parametrize("declared", [None, th.OperatingCondition(prevalence=0.1, cost_ratio=2)])
def test_differences_are_those_of_the_functions_and_spread_as_resamples_do(text, declared):
    labels, scores = scored(200, seed=3)
    name = text.partition("@")[0]
    thresholds = None
    if name == "precision" and text == name and declared is None:
        thresholds = {"a": 0.4, "b": 0.4}  # without a condition there is no chosen threshold
    found = th.compare(labels, scores, measure=text, thresholds=thresholds, condition=declared, replicates=300)
    rows = th.Rows.of(labels, scores)
    asked = "precision@threshold=0.4" if thresholds else text
    drawn = th.bootstrap(rows, asked, condition=declared, replicates=300, stratified=declared is not None)
    one = found["a", "b"]
    for model in ("a", "b"):
        assert found.estimates[model] == pytest.approx(drawn.estimate(asked, model), abs=1e-9)
    spread = float(np.std(drawn.values(asked, "a") - drawn.values(asked, "b")))
    assert one.lower <= one.difference <= one.upper
    assert math.sqrt(one.variance) == pytest.approx(spread, rel=0.35)
    assert found["b", "a"].difference == -one.difference


@pytest.mark.parametrize(
    "text", ["partial_auc[fpr<=0.3]", "brier", "log_loss", "net_benefit@0.2", "calibration_slope", "average_precision"]
)
def test_equal_models_are_rarely_called_different(text):
    called = [th.compare(*scored(150, seed, same=True), measure=text)["a", "b"].p_value < 0.05 for seed in range(200)]
    assert np.mean(called) < 0.1


def test_weights_and_clusters_are_heeded():
    labels, scores = scored(300, seed=5)
    cluster = np.arange(300) // 3
    tripled = np.repeat(np.arange(300), 3)
    plain = th.compare(labels, scores, measure="brier")["a", "b"]
    whole = th.compare(labels[tripled], {k: v[tripled] for k, v in scores.items()}, measure="brier", clusters=tripled)
    assert whole["a", "b"].variance == pytest.approx(plain.variance, rel=0.02)
    weighted = th.compare(labels, scores, measure="log_loss", weights=np.where(labels, 2.0, 1.0), clusters=cluster)
    heavy = np.where(labels, 2.0, 1.0)
    loss = {k: -np.log(np.where(labels, v, 1 - v)) for k, v in scores.items()}
    assert weighted["a", "b"].difference == pytest.approx(np.average(loss["a"] - loss["b"], weights=heavy))


def test_a_model_compared_with_itself_is_not_certain_to_be_equal():
    labels, scores = scored(100, seed=1)
    for text in ("brier", "partial_auc[fpr<=0.2]", "ici", "net_benefit@0.2", "ks", "calibration_slope"):
        one = th.compare(labels, {"a": scores["a"], "b": scores["a"]}, measure=text, replicates=200)["a", "b"]
        assert one.difference == 0
        assert one.lower < 0 < one.upper
        assert one.p_value == 1


def test_a_side_that_is_neither_better_is_named_higher_or_lower():
    labels, scores = scored(2000, seed=2)
    extreme = {"a": scores["a"], "b": scores["a"] ** 3 / (scores["a"] ** 3 + (1 - scores["a"]) ** 3)}
    found = th.compare(labels, extreme, measure="calibration_slope")
    assert found["a", "b"].verdict == "higher"
    assert found["b", "a"].verdict == "lower"
    assert found["a", "b"].difference == pytest.approx(found.estimates["a"] * 2 / 3)


def test_joining_scores_keeps_the_estimate(monkeypatch):
    labels, scores = scored(2000, seed=7)
    fine = th.compare(labels, scores, measure="recall@fpr<=0.1", replicates=200)["a", "b"]
    monkeypatch.setattr(quantity_comparison, "MOST_SEGMENTS", 300)
    coarse = th.compare(labels, scores, measure="recall@fpr<=0.1", replicates=200)["a", "b"]
    assert coarse.difference == pytest.approx(fine.difference, abs=1e-12)
    assert math.sqrt(coarse.variance) == pytest.approx(math.sqrt(fine.variance), rel=0.3)


def test_an_infinite_loss_has_no_difference():
    found = th.compare([1, 0, 1, 0], {"a": [0.0, 0.2, 0.9, 0.1], "b": [0.8, 0.2, 0.9, 0.1]}, measure="log_loss")
    assert math.isnan(found["a", "b"].difference)
    assert "probability 0" in found["a", "b"].note


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"measure": "saving"}, "saving cannot be compared"),
        ({"measure": 'recall["L"]'}, "cannot be compared"),
        ({"measure": "brier", "thresholds": {"a": 0.5, "b": 0.5}}, "brier has none"),
        ({"measure": "recall@threshold=0.5", "thresholds": {"a": 0.5, "b": 0.5}}, "has one"),
        ({"measure": "partial_auc"}, "needs a range"),
        ({"measure": "brier", "trained_at": 3}, "trained_at"),
        ({"measure": th.OperatingCondition(), "condition": th.OperatingCondition()}, "two operating conditions"),
    ],
)
def test_what_is_refused(settings, what):
    with pytest.raises(th.ThresherError, match=what):
        th.compare(*scored(50, 0), **settings)


def test_scores_that_are_no_probabilities_are_refused():
    labels, scores = scored(50, 0)
    with pytest.raises(th.ProbabilityError, match="outside"):
        th.compare(labels, scores | {"c": 3 * scores["a"]}, measure="brier")


@pytest.mark.parametrize("text", ["accuracy@threshold=0.5", "expected_cost@threshold=0.5", "tpr@fpr<=0.5", "auc"])
def test_a_comparison_is_named_by_its_quantity(text):
    labels, p = [1, 1, 0, 1, 0, 0], np.array([0.9, 0.6, 0.7, 0.8, 0.2, 0.1])
    assert th.compare(labels, {"a": p, "b": 1 - p}, measure=text, replicates=100).measure == text


def test_models_that_no_row_tells_apart_may_differ_by_as_much_as_the_measure_can():
    labels, p = [1, 1, 0, 1, 0, 0], np.array([0.9, 0.6, 0.7, 0.8, 0.2, 0.1])
    for text, end in (("log_loss", math.inf), ("calibration_intercept", math.inf), ("brier", 1)):
        difference = th.compare(labels, {"a": p, "b": p}, measure=text)["a", "b"]
        assert difference.difference == 0
        assert (difference.upper == math.inf) == (end == math.inf)
        assert 0 < difference.upper <= end
        assert ("conservative" in difference.note) == (end == 1)
