"""Decisions of k classes: what they cost, what they foretold, at any class mix."""

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from thresher.choices import ClassChoice

WRONG: Any = 3
THREE = th.Segments.parse(
    "[8,1,1][1,6,3][0,2,8]", probability=[[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]], classes="abc"
)
# Calibrated class by class and not calibrated: the six permutations of (.1, .3, .6).
SIX = th.Segments.parse(
    "[2,2,6][4,5,1][7,0,3][0,7,3][2,2,6][5,4,1]",
    probability=[
        [0.1, 0.3, 0.6], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3], [0.1, 0.6, 0.3], [0.3, 0.1, 0.6], [0.6, 0.3, 0.1],
    ],
    classes="abc",
)  # fmt: skip
DEAR_B = th.CostMatrix.from_array([[0, 1, 1], [7, 0, 7], [1, 1, 0]], "abc", rows="actual")


@st.composite
def cases(draw, smallest=0):
    """Segments of k classes with few distinct numbers, and costs with up to two more actions."""
    k, m, more = draw(st.integers(2, 4)), draw(st.integers(2, 8)), draw(st.integers(0, 2))
    parts = draw(
        st.lists(st.lists(st.integers(smallest, 5), min_size=k, max_size=k).filter(any), min_size=m, max_size=m)
    )
    counts = draw(st.lists(st.lists(st.integers(0, 6), min_size=k, max_size=k), min_size=m, max_size=m))
    counts[0] = [count + 1 for count in counts[0]]
    matrix = np.array(parts, dtype=float)
    factor = draw(st.sampled_from([1, 0.375]))
    names, others = [*"abcd"[:k]], ["refer", "wait"][:more]
    segments = th.Segments(matrix / matrix.sum(axis=1, keepdims=True), np.array(counts) * factor, classes=names)
    costs = np.array(draw(st.lists(st.integers(1, 9), min_size=k * (k + more), max_size=k * (k + more))), dtype=float)
    costs = costs.reshape(k, k + more)
    np.fill_diagonal(costs, 0)
    return segments, th.CostMatrix.from_array(costs, names, rows="actual", others=others)


def paid(segments, costs, actions, share):
    """Cost per case of an action per segment, case by case, classes weighed to their shares."""
    total = 0.0
    for i in range(len(segments.classes)):
        cases = sum(row[i] for row in segments.counts.tolist())
        for row, action in zip(segments.counts.tolist(), actions, strict=True):
            total += share[i] * row[i] / cases * costs.costs[i, action]
    return total


@given(cases(), st.booleans())
@settings(max_examples=60)
def test_the_decision_is_the_cheapest_action_of_every_segment(case, declared):
    segments, costs = case
    k = len(segments.classes)
    share = np.arange(1, k + 1) / (k * (k + 1) / 2) if declared else segments.mix
    mix = dict(zip(segments.classes, share.tolist(), strict=True))
    choice = th.choose(segments, th.OperatingCondition(costs=costs, mix=mix if declared else None))
    weights = share / segments.mix if declared else np.ones(k)
    slowly, foretold, mass = choice.actions.tolist(), 0.0, 0.0
    for p, counts, action in zip(segments.probability, segments.counts, slowly, strict=True):
        expected = [(weights * p * costs.costs[:, a]).sum() for a in range(len(costs.actions))]
        assert expected[action] == pytest.approx(min(expected), abs=1e-12)  # sums of tenths tie but for rounding
        if (weights * counts).sum():
            mass += (weights * counts).sum()
            foretold += (weights * counts).sum() * expected[action] / (weights * p).sum()
    assert isinstance(choice, ClassChoice)
    assert choice.certificate == "nothing fitted"
    assert choice.weights.tolist() == pytest.approx(weights.tolist())
    assert choice.expected_cost == pytest.approx(paid(segments, costs, slowly, share))
    assert choice.foretold == pytest.approx(foretold / mass)
    assert choice.most_probable_cost == pytest.approx(paid(segments, costs, segments.probability.argmax(axis=1), share))
    for j, action in enumerate(costs.actions):
        assert choice.constants[action] == pytest.approx(paid(segments, costs, [j] * len(segments), share))
    assert choice.confusion.total == pytest.approx(segments.total)
    assert choice.apply(segments.probability).tolist() == [costs.actions[a] for a in slowly]
    again = th.choose(segments, choice.condition)
    assert again.weights.tolist() == pytest.approx(weights.tolist())
    assert again.actions.tolist() == slowly


def test_the_confusion_matrix_counts_what_costs_decide():
    choice = th.choose(THREE, th.OperatingCondition(costs=DEAR_B))
    slowly = np.zeros((3, 3), dtype=int)
    for action, counts in zip(DEAR_B.decide(THREE.probability), THREE.counts, strict=True):
        slowly[:, action] += counts
    assert choice.confusion == th.ConfusionMatrix(slowly, "abc")


def test_foretold_and_paid_of_probabilities_that_are_calibrated_class_by_class():
    choice = th.choose(SIX, th.OperatingCondition(costs=DEAR_B))
    assert choice.foretold == pytest.approx(2 / 3)
    assert choice.expected_cost == pytest.approx(2 / 3)
    true = th.Segments(SIX.empirical, SIX.counts, classes="abc")
    assert th.choose(true, th.OperatingCondition(costs=DEAR_B)).expected_cost == pytest.approx(0.55)


def test_without_a_condition_all_errors_cost_the_same():
    choice = th.choose(THREE)
    assert choice.expected_cost == pytest.approx(8 / 30)
    assert choice.expected_cost == choice.most_probable_cost == pytest.approx(1 - choice.confusion.overall_accuracy)
    assert [caution.code for caution in choice.cautions] == ["class-mix-from-data"]
    assert choice.constants == pytest.approx({"a": 0.7, "b": 0.7, "c": 0.6})
    assert repr(choice) == "ClassChoice(least expected cost of 'a', 'b' and 'c': 0.2667 per case)"
    assert list(choice.to_frame("pandas").columns) == ["class", "weight", "cases", "recall", "cost"]


def test_a_declared_mix_is_applied_once():
    mix = {"a": 0.9, "b": 0.05, "c": 0.05}
    choice = th.choose(THREE, th.OperatingCondition(costs=th.CostMatrix.equal("abc"), mix=mix))
    assert choice.weights.tolist() == pytest.approx([3, 1 / 6, 1 / 8])
    # the middle leaf: 3 · .2 against .5 / 6 and .3 / 8; the last: 3 · .1 against .2 / 6 and .7 / 8
    assert choice.apply([[0.2, 0.5, 0.3], [0.1, 0.2, 0.7]]).tolist() == ["a", "a"]
    assert choice.expected_cost == pytest.approx(0.1)
    moved = THREE.at_mix(mix)
    assert (
        th.choose(moved, th.OperatingCondition(costs=th.CostMatrix.equal("abc"), mix=mix)).weights.tolist() == [1] * 3
    )


def test_referred_cases_are_charged_and_not_recalled():
    costs = th.CostMatrix.equal("abc").with_action("refer", 0.25)
    choice = th.choose(THREE, th.OperatingCondition(costs=costs))
    assert choice.confusion.counts.tolist() == [[8, 0, 0, 1], [1, 0, 0, 8], [1, 0, 0, 11]]
    assert choice.expected_cost == pytest.approx((2 + 20 * 0.25) / 30)
    assert choice.confusion.recall.tolist() == [8 / 9, 0, 0]
    assert choice.apply([[0.8, 0.1, 0.1], [0.2, 0.5, 0.3]]).tolist() == ["a", "refer"]
    numbered = th.Segments(THREE.probability, THREE.counts, classes=[1, 2, 3])
    mixed = th.choose(numbered, th.OperatingCondition(costs=th.CostMatrix.equal([1, 2, 3]).with_action("refer", 0.25)))
    assert mixed.apply([[0.8, 0.1, 0.1], [0.2, 0.5, 0.3]]).tolist() == [1, "refer"]


def test_costs_in_another_order_of_classes_decide_the_same():
    turned = DEAR_B.for_classes("cab")
    one, other = (th.choose(THREE, th.OperatingCondition(costs=costs)) for costs in (DEAR_B, turned))
    assert one.condition == other.condition
    assert one.expected_cost == other.expected_cost


def test_probabilities_worse_than_none_are_remarked_on():
    inverted = th.Segments(THREE.probability[::-1], THREE.counts, classes="abc")
    assert "beaten-by-constant" in [caution.code for caution in th.choose(inverted).cautions]


def test_a_class_without_share_does_not_count():
    mix = {"a": 0.5, "b": 0.5, "c": 0.0}
    choice = th.choose(THREE, th.OperatingCondition(costs=th.CostMatrix.equal("abc"), mix=mix))
    assert choice.weights.tolist() == pytest.approx([0.5 / 0.3, 0.5 / 0.3, 0])
    assert choice.constants["c"] == 1
    sure = th.Segments.parse("[1,1,1][1,0,0]", probability=[[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], classes="abc")
    assert math.isnan(th.choose(sure, th.OperatingCondition(costs=th.CostMatrix.equal("abc"), mix=mix)).foretold)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: th.choose(THREE, th.OperatingCondition(cost_ratio=5)), "two classes without names"),
        (lambda: th.choose(THREE, WRONG), "an operating condition is needed"),
        (lambda: th.choose(THREE, th.OperatingCondition(costs=th.CostMatrix.equal("abd"))), "no class 'c'"),
        (lambda: th.choose(THREE, th.OperatingCondition(costs=th.CostMatrix.equal("abcd"))), "have the class 'd'"),
        (lambda: th.choose(th.Segments([[0.5, 0.5]], [[3, 0]], classes="ab")), "all 3 cases are of the class 'a'"),
        (
            lambda: th.choose(
                th.Segments([[0.5, 0.5, 0]], [[3, 1, 0]], classes="abc"),
                th.OperatingCondition(costs=th.CostMatrix.equal("abc"), mix={"a": 0.5, "b": 0.25, "c": 0.25}),
            ),
            "gives class 'c' a share, and no case is of it",
        ),
        (lambda: th.choose(THREE).apply([[0.5, 0.5]]), "2 columns, and there are 3 classes"),
        (lambda: th.choose(THREE).apply([[0.5, 0.4, 0.0]]), "do not sum to 1"),
        (lambda: th.choose(THREE).apply([[np.nan, 0.4, 0.6]]), "no probabilities"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(th.ThresherError, match=message):
        call()


def test_two_classes_and_k_do_not_mix():
    k = th.OperatingCondition(costs=DEAR_B)
    ranking = THREE.ranking("a")
    for call in (
        lambda: th.choose(ranking, k),
        lambda: th.choose({"m": ranking}, k),
        lambda: k.for_data(ranking),
        lambda: k.slope_roc,
        lambda: k.cost_ratio,
        lambda: k.expected_cost(th.Contingency(tp=1, fn=1, fp=1, tn=1)),
        lambda: k.cost_matrix(positive="a", negative="b"),
        lambda: th.evaluate([0, 1, 1, 0], [0.1, 0.2, 0.8, 0.4], condition=k),
        lambda: th.bounds(ranking, "expected_cost", condition=k),
    ):
        with pytest.raises(th.ThresherError, match=r"costs of 'a', 'b' and 'c'.*two classes"):
            call()
    with pytest.raises(th.ThresherError, match="the table is a confusion matrix"):
        th.OperatingCondition().expected_cost(th.ConfusionMatrix([[1, 0], [0, 1]], classes="ab"))


def test_conditions_of_classes_are_values():
    mix = {"c": 0.5, "a": 0.25, "b": 0.25}
    condition = th.OperatingCondition(costs=DEAR_B, mix=mix)
    assert condition.mix == mix
    assert [*condition.mix] == ["a", "b", "c"]
    with pytest.raises(TypeError):
        condition.mix["a"] = 1  # type: ignore[index]
    assert th.OperatingCondition.from_dict(json.loads(json.dumps(condition.to_dict()))) == condition
    assert pickle.loads(pickle.dumps(condition)) == condition  # noqa: S301 - made here
    assert hash(condition) == hash(th.OperatingCondition(costs=DEAR_B, mix=mix))
    assert condition != th.OperatingCondition(costs=DEAR_B)
    assert repr(condition) == "OperatingCondition(costs of 'a', 'b' and 'c', mix={'a': 0.25, 'b': 0.25, 'c': 0.5})"
    assert condition.mix_text == "25 % a, 25 % b, 50 % c"
    assert th.OperatingCondition(costs=DEAR_B).mix_text == "the mix of the data"
    two = th.OperatingCondition(cost_fp=3, cost_fn=2, cost_tn=-1, prevalence=0.25)
    assert th.OperatingCondition.from_dict(json.loads(json.dumps(two.to_dict()))) == two
    assert two.mix is None
    assert two.costs is None
    matrix = two.cost_matrix(positive="ill", negative="well")
    assert matrix.to_array(rows="actual").tolist() == [[0, 2], [3, -1]]
    back = th.OperatingCondition.from_cost_matrix(matrix, positive="ill", mix={"ill": 0.25, "well": 0.75})
    assert back == two
    swapped = th.OperatingCondition.from_cost_matrix(matrix, positive="well")
    assert (swapped.cost_fp, swapped.cost_fn, swapped.cost_tp, swapped.cost_tn) == (2, 3, -1, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: th.OperatingCondition(mix={"a": 1}), "names classes that nothing costs"),
        (lambda: th.OperatingCondition(costs=WRONG), "a CostMatrix is needed"),
        (lambda: th.OperatingCondition(costs=DEAR_B, cost_ratio=3), "both costs of named classes and cost_ratio of"),
        (lambda: th.OperatingCondition(costs=DEAR_B, cost_tp=3), "both costs of named classes and cost_tp of"),
        (lambda: th.OperatingCondition(costs=DEAR_B, mix={"a": 0.5, "b": 0.5}), "no share of 'c'"),
        (lambda: th.OperatingCondition(costs=DEAR_B, mix={"a": 0.5, "b": 0.5, "c": 0.5}), "sum to 1.5"),
        (lambda: th.OperatingCondition(costs=DEAR_B, mix={"a": 0.5, "b": 1, "c": -0.5}), "share of 'c' is -0.5"),
        (lambda: th.OperatingCondition(costs=DEAR_B, mix={"A": 0.5, "b": 0.5, "c": 0}), "did you mean 'a'"),
        (lambda: th.OperatingCondition.from_cost_matrix(DEAR_B, positive="a"), "two classes, and costs are of"),
        (
            lambda: th.OperatingCondition.from_cost_matrix(th.CostMatrix.equal("ab"), positive="x"),
            "'x' is not among the classes",
        ),
        (lambda: th.OperatingCondition.from_dict({"costs": 3, "mix": None}), "not an operating condition"),
        (
            lambda: th.OperatingCondition.from_dict({"costs": DEAR_B.to_dict(), "mix": [0.5, 0.5]}),
            "2 shares, and there are 3 classes",
        ),
        (lambda: th.OperatingCondition.from_dict({"cost_fp": 3}), '"class_ratio" is missing'),
    ],
)
def test_conditions_that_are_refused(call, message):
    with pytest.raises(th.ThresherError, match=message):
        call()
