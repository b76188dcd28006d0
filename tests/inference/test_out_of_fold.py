"""Fitted weights priced on cases they were not fitted on."""

import numpy as np
import pytest

import thresher as th
from thresher.errors import ArgumentError, LabelError
from thresher.inference import out_of_fold_cost
from thresher.inference.class_rows import classified_rows

COSTS = th.CostMatrix({"a": {"b": 1, "c": 2}, "b": {"a": 5, "c": 1}, "c": {"a": 9, "b": 3}})


def sample(n, seed=0, sharpness=1.0):
    """Vectors, true where the sharpness is 1, and labels drawn from the true ones."""
    rng = np.random.default_rng(seed)
    true = rng.dirichlet([1, 1, 1], size=n)
    labels = np.array([rng.choice(list("abc"), p=row) for row in true])
    vectors = true**sharpness
    return labels, vectors / vectors.sum(axis=1, keepdims=True)


def test_each_fold_is_priced_by_weights_of_the_others():
    labels, vectors = sample(240, seed=3)
    condition = th.OperatingCondition(costs=COSTS)
    folds = [th.segment(labels[i::4], vectors[i::4]) for i in range(4)]
    result = out_of_fold_cost(folds, condition)
    paid: dict[str, list[float]] = {"fitted": [], "bayes": []}
    for i in range(4):
        rest = np.arange(240) % 4 != i
        train = th.segment(labels[rest], vectors[rest])
        for name, choice in (
            ("fitted", th.choose(train, condition, fit="weights")),
            ("bayes", th.choose(train, condition)),
        ):
            calls = choice.apply(vectors[i::4])
            paid[name] += [COSTS[pair] for pair in zip(labels[i::4], calls, strict=True)]
        assert result.weights[i] == pytest.approx(th.choose(train, condition, fit="weights").weights)
    assert result.fitted.estimate == pytest.approx(np.mean(paid["fitted"]))
    assert result.bayes.estimate == pytest.approx(np.mean(paid["bayes"]))
    difference = np.array(paid["fitted"]) - np.array(paid["bayes"])
    assert result.difference.variance == pytest.approx(difference.var(ddof=1) / 240)
    assert "Bayes decision" in str(result)


def test_where_vectors_are_true_fitting_only_seems_to_pay():
    condition = th.OperatingCondition(costs=COSTS)
    apparent, fitted, bayes = [], [], []
    for seed in range(12):
        segments = th.segment(*sample(90, seed))
        result = out_of_fold_cost(segments, condition, folds=5, seed=seed)
        apparent.append(th.choose(segments, condition, fit="weights").expected_cost)
        fitted.append(result.fitted.estimate)
        bayes.append(result.bayes.estimate)
    assert np.mean(apparent) < np.mean(bayes) < np.mean(fitted)
    assert out_of_fold_cost(segments, condition, folds=5, seed=11).fitted == result.fitted


def test_fitting_pays_where_vectors_are_bent():
    labels, vectors = sample(600, seed=2)
    vectors = vectors * [4, 1, 1]
    vectors /= vectors.sum(axis=1, keepdims=True)
    mix = {"a": 0.2, "b": 0.4, "c": 0.4}
    rows = classified_rows(labels, {"m": vectors}, classes=list("abc"))
    result = out_of_fold_cost(rows, th.OperatingCondition(costs=COSTS, mix=mix), folds=5)
    assert result.difference.upper < 0


def test_clusters_are_never_divided_and_weights_count():
    labels, vectors = sample(80, seed=4)
    twice = np.tile(np.arange(80), 2)
    weights = np.linspace(1, 3, 80)[twice]
    rows = classified_rows(labels[twice], {"m": vectors[twice]}, classes=list("abc"), weights=weights, clusters=twice)
    condition = th.OperatingCondition(costs=COSTS)
    result = out_of_fold_cost(rows, condition, folds=4)
    single = classified_rows(labels, {"m": vectors}, classes=list("abc"), weights=np.linspace(1, 3, 80))
    assert result.bayes.estimate == pytest.approx(out_of_fold_cost(single, condition, folds=4).bayes.estimate)
    assert result.difference.width > 0


def test_what_is_refused():
    labels, vectors = sample(60, seed=1)
    condition = th.OperatingCondition(costs=COSTS)
    segments = th.segment(labels, vectors)
    few = th.Segments(segments.probability[:3], [[9, 9, 0], [9, 9, 0], [9, 9, 4]], classes="abc")
    with pytest.raises(ArgumentError, match="'c' has 4 cases, and folds is 10"):
        out_of_fold_cost(few, condition)
    with pytest.raises(ArgumentError, match="do not say which cases"):
        out_of_fold_cost(th.segment(labels, vectors, weights=np.full(60, 0.5)), condition)
    with pytest.raises(ArgumentError, match="on other folds"):
        out_of_fold_cost([segments], condition)
    with pytest.raises(ArgumentError, match="folds must be"):
        out_of_fold_cost(segments, condition, folds=1)
    other = th.Segments(segments.probability, segments.counts, classes="abd")
    with pytest.raises(LabelError, match="different classes"):
        out_of_fold_cost([segments, segments, other], condition)
