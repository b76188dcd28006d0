"""Costs of decisions among k classes, against SciPy's t-tests on the costs of single cases."""

import math

import numpy as np
import pytest
from scipy import stats

from thresher import ConfusionMatrix, CostMatrix, OperatingCondition, Segments, interval, segment
from thresher.errors import ArgumentError, ConditionError, LabelError
from thresher.inference import CaseCosts
from thresher.inference.class_rows import classified_rows

NAMES = ["a", "b", "c"]
COSTS = CostMatrix({"a": {"b": 1, "c": 2}, "b": {"a": 5, "c": 1}, "c": {"a": 10, "b": 3}}).with_action("refer", 0.7)
MIX = {"a": 0.2, "b": 0.5, "c": 0.3}
UNIFORM = np.full(3, 1 / 3)


def sample(seed=3, n=120):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1, 1, 1], size=n).round(2)
    p[:, 2] = 1 - p[:, 0] - p[:, 1]
    labels = np.array([rng.choice(NAMES, p=row / row.sum()) for row in np.abs(p)])
    return labels, np.abs(p)


LABELS, P = sample()
ROWS = classified_rows(LABELS, {"m": P}, classes=NAMES)
ACTIONS = COSTS.decide(P)
PAID = COSTS.costs[ROWS.index, ACTIONS]
FORETOLD = (P @ COSTS.costs)[np.arange(len(P)), ACTIONS]


def limits(one):
    return one.lower, one.upper


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_limits_at_the_mix_of_the_data_are_those_of_a_t_test(level):
    costs = CaseCosts.of_rows(ROWS, "m", OperatingCondition(costs=COSTS), ACTIONS)
    peer = stats.ttest_1samp(PAID, 0).confidence_interval(level)
    assert limits(costs.interval(level=level)) == pytest.approx(tuple(peer), rel=1e-12)
    peer = stats.ttest_1samp(FORETOLD - PAID, 0).confidence_interval(level)
    assert limits(costs.foretold_minus_paid(level=level)) == pytest.approx(tuple(peer), rel=1e-12)
    probable = P.argmax(axis=1)
    other = CaseCosts.of_rows(ROWS, "m", OperatingCondition(costs=COSTS), probable)
    peer = stats.ttest_rel(PAID, COSTS.costs[ROWS.index, probable]).confidence_interval(level)
    assert limits(costs.minus(other, level=level)) == pytest.approx(tuple(peer), rel=1e-12)


def test_limits_at_a_declared_mix_of_two_classes_are_welchs():
    costs = CostMatrix({"x": {"y": 3}, "y": {"x": 1}}).with_action("refer", 0.5)
    rng = np.random.default_rng(0)
    actual, actions = rng.permutation([0] * 15 + [1] * 40), rng.integers(3, size=55)
    matrix = np.zeros((2, 3))
    np.add.at(matrix, (actual, actions), 1)
    table = ConfusionMatrix(matrix.astype(int), classes=["y", "x"], others=["refer"])  # another order than the costs
    paid = costs.for_classes(["y", "x"]).costs[actual, actions]
    one = interval(table, OperatingCondition(costs=costs, mix={"x": 0.9, "y": 0.1}))
    peer = stats.ttest_ind(0.1 * paid[actual == 0], -0.9 * paid[actual == 1], equal_var=False).confidence_interval()
    assert limits(one) == pytest.approx(tuple(peer), rel=1e-12)


@pytest.mark.parametrize("mix", [None, MIX])
def test_segments_rows_and_tables_agree(mix):
    condition = OperatingCondition(costs=COSTS, mix=mix)
    segments = segment(LABELS, P, classes=NAMES)
    grouped = CaseCosts.of_segments(segments, condition, COSTS.decide(segments.probability))
    rows = CaseCosts.of_rows(ROWS, "m", condition, ACTIONS)
    matrix = ConfusionMatrix(segments.confusion_counts(COSTS.decide(segments.probability), 4), NAMES, 0, ["refer"])
    for one in (grouped.interval(), interval(matrix, condition)):
        assert limits(one) == pytest.approx(limits(rows.interval()), rel=1e-9)
        assert one.estimate == pytest.approx(condition.expected_cost(matrix), rel=1e-12)
    assert limits(grouped.foretold_minus_paid()) == pytest.approx(limits(rows.foretold_minus_paid()), rel=1e-9)
    assert grouped.unseen_errors() == pytest.approx(rows.unseen_errors())


@pytest.mark.parametrize("mix", [None, MIX])
def test_weights_keep_their_scale_and_clusters_of_copies_count_once(mix):
    condition = OperatingCondition(costs=COSTS, mix=mix)
    plain = CaseCosts.of_rows(ROWS, "m", condition, ACTIONS)
    scaled = classified_rows(LABELS, {"m": P}, classes=NAMES, weights=np.full(len(P), 7.0))
    of_scaled = CaseCosts.of_rows(scaled, "m", condition, ACTIONS)
    assert limits(of_scaled.interval()) == pytest.approx(limits(plain.interval()), rel=1e-9)
    assert of_scaled.unseen_errors() == pytest.approx(plain.unseen_errors())
    twice, cluster = np.tile(np.arange(len(P)), 2), np.tile(np.arange(len(P)), 2)
    copies = classified_rows(LABELS[twice], {"m": P[twice]}, classes=NAMES, clusters=cluster)
    doubled = CaseCosts.of_rows(copies, "m", condition, ACTIONS[twice]).interval()
    if mix is None:
        assert limits(doubled) == pytest.approx(limits(plain.interval()), rel=1e-9)
    assert doubled.width > 0.97 * plain.interval().width
    uneven = classified_rows(LABELS, {"m": P}, classes=NAMES, weights=np.where(np.arange(len(P)) % 2, 1.0, 9.0))
    assert CaseCosts.of_rows(uneven, "m", condition, ACTIONS).interval().width > plain.interval().width


def test_limits_hold_the_truth_as_often_as_they_say():
    """Known worlds: the cost of a random rule at a declared mix is Σ π_i Σ_a q(a|i) C[i,a]."""
    rng = np.random.default_rng(5)
    mix, q = np.array([*MIX.values()]), rng.dirichlet(np.ones(4), size=3)
    truth = float(mix @ (q * COSTS.costs).sum(axis=1))
    condition, actual = OperatingCondition(costs=COSTS, mix=MIX), np.repeat(np.arange(3), [30, 60, 25])
    held = 0
    for _ in range(400):
        actions = (rng.random(actual.size)[:, np.newaxis] > q.cumsum(axis=1)[actual]).sum(axis=1)
        held += truth in CaseCosts(COSTS, actual, actions, np.zeros(actual.size), mix).interval()
    assert condition.mix == MIX
    assert 0.92 <= held / 400 <= 0.98


def test_an_unseen_error_has_the_limit_of_the_rule_of_three():
    costs = CostMatrix({"well": {"ill": 1}, "ill": {"well": 200}})
    seen = ConfusionMatrix([[85, 5], [0, 10]], classes=["well", "ill"])
    for mix, share in ((None, 0.1), ({"well": 0.99, "ill": 0.01}, 0.01)):
        of = CaseCosts.of_confusion(seen, OperatingCondition(costs=costs, mix=mix))
        (error,) = of.unseen_errors()
        assert (error.actual, error.action, error.cost, error.cases) == ("ill", "well", 200, 10)
        assert error.limit == pytest.approx(200 * share * 3 / 10, rel=2e-3)
        assert [caution.code for caution in of.cautions()] == ["unseen-error"]
    harmless = CostMatrix.equal(["well", "ill"])
    wide = ConfusionMatrix([[45, 45], [0, 90]], classes=["well", "ill"])
    assert CaseCosts.of_confusion(wide, OperatingCondition(costs=harmless)).cautions() == ()


def test_cases_that_all_cost_the_same_leave_the_unseen_error_as_limit():
    perfect = ConfusionMatrix([[50, 0], [0, 50]], classes=["a", "b"])
    one = interval(perfect, OperatingCondition(costs=CostMatrix.equal("ab")))
    assert (one.estimate, one.lower, one.method) == (0.0, 0.0, "rule of three")
    assert one.upper == pytest.approx(0.5 * 3 / 50, rel=2e-3)
    of = CaseCosts.of_confusion(perfect, OperatingCondition(costs=CostMatrix.equal("ab")))
    assert limits(of.minus(of)) == (0.0, 0.0)


def test_what_has_no_spread_or_no_probability_says_so():
    lone = ConfusionMatrix([[5, 5], [0, 1]], classes=["a", "b"])
    one = interval(lone, OperatingCondition(costs=CostMatrix.equal("ab"), mix={"a": 0.5, "b": 0.5}))
    assert one.estimate == 0.25
    assert math.isnan(one.upper)
    assert one.note == "class 'b' has one case, which shows no spread"
    certain = Segments(np.array([[1, 0, 0], [0, 0.5, 0.5]]), [[3, 0, 1], [1, 3, 3]], classes=NAMES)
    without_a = OperatingCondition(costs=COSTS, mix={"a": 0, "b": 0.5, "c": 0.5})
    costs = CaseCosts.of_segments(certain, without_a, np.array([0, 1]))
    assert math.isnan(costs.foretold_minus_paid().estimate)
    assert costs.interval().estimate == pytest.approx(0.5 * 0 + 0.5 * (10 + 3 * 3) / 4)


def test_what_does_not_belong_together_is_refused():
    matrix = ConfusionMatrix([[5, 5], [0, 9]], classes=["a", "b"])
    with pytest.raises(LabelError, match="class 'c'"):
        interval(matrix, OperatingCondition(costs=COSTS))
    absent = ConfusionMatrix([[5, 5], [0, 0]], classes=["a", "b"])
    even = OperatingCondition(costs=CostMatrix.equal("ab"), mix={"a": 0.5, "b": 0.5})
    with pytest.raises(ConditionError, match="no case is of it"):
        interval(absent, even)
    first = CaseCosts.of_rows(ROWS, "m", OperatingCondition(costs=COSTS), ACTIONS)
    with pytest.raises(ArgumentError, match="different cases"):
        first.minus(CaseCosts.of_confusion(matrix, OperatingCondition(costs=CostMatrix.equal("ab"))))
    lumped = classified_rows(LABELS, {"m": P}, classes=NAMES, clusters=np.zeros(len(P), dtype=int))
    with pytest.raises(ArgumentError, match="one cluster"):
        CaseCosts.of_rows(lumped, "m", OperatingCondition(costs=COSTS), ACTIONS).interval()
