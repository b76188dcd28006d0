"""`evaluate(..., fit="weights")`: fitted weights, priced on rows not fitted on."""

from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.errors import ArgumentError

COSTS = th.CostMatrix({"a": {"b": 1, "c": 2}, "b": {"a": 5, "c": 1}, "c": {"a": 9, "b": 3}})
CONDITION = th.OperatingCondition(costs=COSTS)


def sample(n=300, seed=0, bend=1.0):
    """Vectors, true where nothing is bent, and labels drawn from the true ones."""
    rng = np.random.default_rng(seed)
    true = rng.dirichlet([1, 1, 1], size=n)
    labels = np.array([rng.choice(list("abc"), p=row) for row in true])
    vectors = true**bend + [bend - 1, 0, 0]
    return labels, vectors / vectors.sum(axis=1, keepdims=True)


def evaluate(labels, vectors, **more):
    options: dict[str, Any] = {"classes": list("abc"), "condition": CONDITION, "fit": "weights", "replicates": 50}
    return th.evaluate(labels, vectors, **options | more)


def paid_out_of_fold(labels, vectors, result):
    """What every row costs by the weights of its fold, found by trying all folds."""
    costs = np.full((len(result.weights), len(labels)), np.nan)
    matrix = COSTS.to_array(rows="actual")
    actual = np.array(["abc".index(label) for label in labels])
    for i, weights in enumerate(result.weights):
        costs[i] = matrix[actual, ((vectors * weights) @ matrix).argmin(axis=1)]
    return costs


def test_weights_that_may_be_no_better_compete_and_are_not_taken():
    labels, vectors = sample()
    plain, asked = evaluate(labels, vectors, fit=None), evaluate(labels, vectors)
    assert plain.fitted is None
    assert "fitted weights" not in plain.rules
    assert asked.decision == plain.decision  # the Bayes decision, whatever was asked
    row = asked.rules["fitted weights"]
    assert row.fitted
    assert row.cost.estimate == asked.fitted.fitted.estimate
    assert row.saving.estimate == pytest.approx(asked.fitted.difference.estimate)
    assert asked.fitted.difference.lower < 0 < asked.fitted.difference.upper
    apart = asked.fitted.difference
    reach = (apart.upper - apart.lower) / 2
    assert f"Fitted weights, cross-fitted, {row.cost.estimate:.4f} (+{apart.estimate:.4f} ± {reach:.4f}" in str(asked)
    assert "undecided" in str(asked)
    assert "fitted weights, cross-fitted" in str(asked)
    assert asked.baseline == plain.baseline  # which is never a fitted rule


def test_surely_cheaper_weights_are_taken_and_priced_on_other_rows():
    labels, vectors = sample(bend=3.0)
    asked = evaluate(labels, {"bent": vectors})
    model, fitted = asked["bent"], th.choose(th.segment(labels, vectors), CONDITION, fit="weights")
    assert asked.fitted.difference.upper < 0
    assert asked.decision.rule.weights == pytest.approx(fitted.weights)
    assert asked.decision.expected_cost.estimate == pytest.approx(fitted.expected_cost)  # on rows fitted on
    assert asked.decision.out_of_bag_cost.estimate == asked.fitted.fitted.estimate > fitted.expected_cost
    assert model.confusion == th.confusion(labels, asked.decision.apply(vectors), classes=list("abc"))
    bayes = asked.rules["nothing fitted"]
    assert bayes.cost.estimate == pytest.approx(th.choose(th.segment(labels, vectors), CONDITION).expected_cost)
    assert bayes.saving.estimate == pytest.approx(-asked.fitted.difference.estimate)
    assert "by fitted weights" in str(asked.decision)
    assert "surely cheaper" in asked.decision.why
    assert th.Decision.from_json(asked.decision.to_json()) == asked.decision
    assert evaluate(labels, {"bent": vectors}, margin=5).decision.rule.weights == (1, 1, 1)
    assert asked.to_dict()["fitted"]["difference"]["estimate"] == asked.fitted.difference.estimate


def test_every_row_is_priced_by_weights_of_other_rows():
    labels, vectors = sample(120, bend=2.0)
    result = evaluate(labels, vectors).fitted
    every = paid_out_of_fold(labels, vectors, result)
    paid = result.costs.paid
    assert (np.isclose(every, paid).any(axis=0)).all()  # in the order of the rows
    assert result.fitted.estimate == pytest.approx(paid.mean())
    assert len(result.weights) == 10


def test_weights_clusters_a_mix_and_vectors_made_for_another_go_together():
    labels, vectors = sample(bend=3.0)
    mix = {"a": 0.5, "b": 0.3, "c": 0.2}
    more = {"weights": np.random.default_rng(1).integers(1, 4, 300), "clusters": np.arange(300) // 2}
    condition = th.OperatingCondition(costs=COSTS, mix=mix)
    made_at = dict.fromkeys("abc", 1 / 3)
    asked = evaluate(labels, vectors, condition=condition, trained_at=made_at, **more)
    rows = asked["model"].sample
    segments = th.segment(rows.index, rows.matrices["model"], classes=[0, 1, 2], weights=rows.weight)
    named = th.Segments(segments.probability, segments.counts, classes="abc")
    fitted = th.choose(named, condition, fit="weights")
    assert asked.rules[asked.decision.model].fitted
    assert asked.decision.apply(vectors).tolist() == fitted.apply(rows.matrices["model"]).tolist()
    assert asked.decision.expected_cost.estimate == pytest.approx(fitted.expected_cost)


def test_of_several_models_the_one_decided_for_is_fitted():
    labels, vectors = sample(bend=3.0)
    flat = vectors + 0.2
    models = {"bent": vectors, "flat": flat / flat.sum(axis=1, keepdims=True)}
    asked, plain = evaluate(labels, models), evaluate(labels, models, fit=None)
    assert asked.decision.model == plain.decision.model
    other = next(name for name in models if name != asked.decision.model)
    assert asked[other].expected_cost == plain[other].expected_cost
    gap = asked.comparisons["expected_cost"][asked.decision.model, other].difference
    costs = asked[asked.decision.model].honest_costs
    assert gap == pytest.approx(costs.mean - asked[other].costs.mean)
    assert asked.decision.gap == pytest.approx(-gap)


def test_what_cannot_be_fitted_is_refused_in_words():
    labels, vectors = sample(30)
    with pytest.raises(ArgumentError, match="fit"):
        evaluate(labels, vectors, fit="maps")
    with pytest.raises(ArgumentError, match="fit is of matrices"):
        evaluate([0, 1, 1], [0.2, 0.3, 0.9], classes=None, condition=None)
    labels[:] = np.where(labels == "a", "b", labels)
    labels[0] = "a"
    with pytest.raises(ArgumentError, match="class 'a' has one case"):
        evaluate(labels, vectors)
    with pytest.raises(ArgumentError, match="fitted weights"):
        evaluate(labels, {"fitted weights": vectors})
