"""Weights of k classes: best in each given the others, against scans, brute force and `choose` of two classes."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests.choices.test_least_cost import DEAR_B, SIX, THREE, cases
from thresher.errors import ArgumentError, InfeasibleError, LabelError, MeasureError

NAMES = "abcd"


def random_case(rng, k=3, m=12, more=0, weighted=False):
    """Segments from a noisy model with ties, and costs with actions that are no classes."""
    p = rng.integers(1, 9, size=(m, k)).astype(float)
    p /= p.sum(axis=1, keepdims=True)
    counts = np.array([rng.multinomial(8, rng.dirichlet(1 + 3 * row)) for row in p]) + (rng.random((m, k)) < 0.1)
    counts[0] += 1
    segments = th.Segments(p, counts * (0.375 if weighted else 1), classes=NAMES[:k])
    costs = rng.integers(1, 9, size=(k, k + more)).astype(float)
    costs[:, :k][np.diag_indices(k)] = 0
    if more:
        costs[:, k:] = 1.5
    return segments, th.CostMatrix.from_array(costs, NAMES[:k], rows="actual", others=["refer", "wait"][:more])


def cost_of(segments, condition, weights):
    """What weights cost, by the actions that costs decide."""
    costs = condition.costs
    counts = segments.confusion_counts(costs.decide(segments.probability, weights=weights), len(costs.actions))
    return condition.expected_cost(th.ConfusionMatrix(counts, segments.classes, 0, costs.actions[len(costs.classes) :]))


def scan(segments, condition, weights, j, values):
    """The cost of each value of one weight, all at once."""
    weights = np.tile(weights, (len(values), 1))
    weights[:, j] = values
    actions = np.einsum("vi,si,ia->vsa", weights, segments.probability, condition.costs.costs).argmin(axis=2)
    share = condition.for_data(segments).mix
    per_case = condition.costs.costs * (np.array([share[name] for name in segments.classes]) / segments.cases)[:, None]
    return (segments.counts @ per_case)[np.arange(len(segments)), actions].sum(axis=1)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_scan_of_one_weight_improves_what_was_found(k):
    rng = np.random.default_rng(k)
    for _ in range(6):
        segments, costs = random_case(rng, k, more=int(rng.integers(2)), weighted=bool(rng.integers(2)))
        mix = dict(zip(segments.classes, rng.dirichlet(np.ones(k)), strict=True)) if rng.integers(2) else None
        condition = th.OperatingCondition(costs=costs, mix=mix)
        bayes, fitted = th.choose(segments, condition), th.choose(segments, condition, fit="weights")
        assert fitted.expected_cost <= bayes.expected_cost * (1 + 1e-12)
        assert fitted.expected_cost == pytest.approx(cost_of(segments, condition, fitted.weights))
        for j in range(k):
            values = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 999) * max(fitted.weights[j], 0.1)])
            assert fitted.expected_cost <= scan(segments, condition, fitted.weights, j, values).min() + 1e-12


@given(cases(smallest=1), st.booleans())
@settings(max_examples=30)
def test_fitted_weights_never_cost_more_than_the_bayes_decision(case, declared):
    segments, costs = case
    k = len(segments.classes)
    mix = dict(zip(segments.classes, (np.arange(1, k + 1) / (k * (k + 1) / 2)).tolist(), strict=True))
    condition = th.OperatingCondition(costs=costs, mix=mix if declared else None)
    bayes, fitted = th.choose(segments, condition), th.choose(segments, condition, fit="weights")
    assert fitted.expected_cost <= bayes.expected_cost + 1e-9
    assert fitted.certificate.startswith("never dearer on these rows than the Bayes decision; ")
    assert min(fitted.by_start.values()) == pytest.approx(fitted.expected_cost, abs=1e-9)


def test_for_two_classes_it_is_choose():
    rng = np.random.default_rng(1)
    for _ in range(200):
        m, weighted = int(rng.integers(1, 9)), bool(rng.integers(2))
        p = np.unique(rng.integers(1, 20, size=m)) / 20
        counts = rng.integers(0, 6, size=(p.size, 2)) * (0.375 if weighted else 1)
        counts[0] += 1
        segments = th.Segments(np.stack([1 - p, p], axis=1), counts, classes=["ham", "spam"])
        fp, fn = rng.integers(1, 7, size=2).tolist()
        prevalence = float(rng.uniform(0.05, 0.95)) if rng.integers(2) else None
        of_ranking = th.OperatingCondition(cost_fp=fp, cost_fn=fn, prevalence=prevalence)
        mix = None if prevalence is None else {"spam": prevalence, "ham": 1 - prevalence}
        costs = of_ranking.cost_matrix(positive="spam", negative="ham")
        fitted = th.choose(segments, th.OperatingCondition(costs=costs, mix=mix), fit="weights")
        peer = th.choose(segments.ranking("spam"), of_ranking)
        assert fitted.expected_cost == pytest.approx(peer.expected_cost, rel=1e-12, abs=1e-12)
        table = fitted.confusion.one_vs_rest("spam")
        assert (table.tp, table.fp) == (peer.table.tp, peer.table.fp)
        odds = fitted.weights[0] * fp / fitted.weights[1] / fn if fitted.weights[1] else np.inf
        if np.isfinite(peer.threshold):
            assert odds / (1 + odds) == pytest.approx(peer.threshold)
        else:
            assert not fitted.weights.all()
        assert "the best of all weights" in fitted.certificate


@pytest.mark.parametrize("exact", [False, True])
def test_six_vectors_calibrated_by_class_cost_more_than_they_need(exact):
    condition = th.OperatingCondition(costs=DEAR_B)
    bayes, fitted = th.choose(SIX, condition), th.choose(SIX, condition, fit="weights", exact=exact)
    possible = th.choose(th.Segments(SIX.empirical, SIX.counts, classes="abc"), condition)
    assert (bayes.foretold, bayes.expected_cost) == pytest.approx((2 / 3, 2 / 3))
    assert possible.expected_cost == pytest.approx(0.55)
    assert fitted.expected_cost == pytest.approx(0.55)


@pytest.mark.parametrize("maximise", [None, "macro_f1"])
def test_the_arrangement_of_lines_is_never_beaten(maximise):
    rng = np.random.default_rng(3)
    stuck = 0
    for _ in range(6):
        segments, costs = random_case(rng, 3, m=12, more=int(rng.integers(2)))
        condition = th.OperatingCondition(costs=costs)
        by_turns = th.choose(segments, condition, fit="weights", maximise=maximise)
        exact = th.choose(segments, condition, fit="weights", maximise=maximise, exact=True)
        loss, before = (one.expected_cost if maximise is None else -one.confusion.macro_f1 for one in (exact, by_turns))
        assert loss <= before + 1e-12
        stuck += loss < before - 1e-12
        if maximise is None:
            first = np.exp(rng.normal(scale=1.5, size=(30, 3)))
            for weights in first:
                values = np.exp(rng.normal(scale=2, size=300))
                assert loss <= scan(segments, condition, weights, 0, values).min() + 1e-12
        assert "by the arrangement of all lines" in exact.certificate
    assert stuck or maximise is None  # turns do get stuck, or nothing would be tested here


@pytest.mark.parametrize("maximise", ["macro_f1", "mean_class_accuracy", "overall_accuracy", "mcc", "kappa", "f1[c]"])
def test_a_measure_is_maximised_in_every_weight(maximise):
    rng = np.random.default_rng(8)
    segments, costs = random_case(rng, 3, m=15, more=1)
    condition = th.OperatingCondition(costs=costs)
    fitted = th.choose(segments, condition, fit="weights", maximise=maximise)

    def value(confusion):
        return confusion.one_vs_rest("c").f1 if maximise == "f1[c]" else getattr(confusion, maximise)

    best = value(fitted.confusion)
    assert max(fitted.by_start.values()) == pytest.approx(best)
    assert not value(th.choose(segments, condition).confusion) > best
    for j in range(3):
        for factor in np.geomspace(1e-2, 1e2, 60):
            weights = fitted.weights.copy()
            weights[j] *= factor
            counts = segments.confusion_counts(costs.decide(segments.probability, weights=weights), 4)
            other = value(th.ConfusionMatrix(counts, "abc", 0, ["refer"]))
            assert not other > best + 1e-12


def test_a_measure_is_that_of_the_declared_mix():
    rare = {"a": 0.98, "b": 0.01, "c": 0.01}
    costs = th.CostMatrix.equal("abc")
    fitted = th.choose(THREE, th.OperatingCondition(costs=costs, mix=rare), fit="weights", maximise="overall_accuracy")
    by_cost = th.choose(THREE, th.OperatingCondition(costs=costs, mix=rare), fit="weights")
    assert max(fitted.by_start.values()) == pytest.approx(1 - by_cost.expected_cost)


def test_limits_are_met_and_paid_for():
    rng = np.random.default_rng(4)
    for _ in range(5):
        segments, costs = random_case(rng, 3, m=20)
        condition = th.OperatingCondition(costs=costs)
        free = th.choose(segments, condition, fit="weights")
        for name in "abc":
            held = th.choose(segments, condition, fit="weights", subject_to=f"recall[{name}] >= 0.8")
            assert held.confusion.one_vs_rest(name).recall >= 0.8
            if free.confusion.one_vs_rest(name).recall >= 0.8:
                assert held.expected_cost == pytest.approx(free.expected_cost)
            assert held.expected_cost >= free.expected_cost - 1e-12
    both = th.choose(segments, condition, fit="weights", maximise="macro_f1@recall[a]>=0.5 and recall[b]>=0.5")
    assert min(both.confusion.one_vs_rest(name).recall for name in "ab") >= 0.5


def test_limits_that_cannot_be_met_say_what_can_be_reached():
    hidden = th.Segments.parse(
        "[9,1,0][2,8,4][3,1,4]", probability=[[0.6, 0.4, 0], [0.1, 0.9, 0], [0.2, 0.3, 0.5]], classes="abc"
    )
    with pytest.raises(InfeasibleError, match=r'tpr\["c"\] >= 0.8; the closest reach tpr\["c"\] = 0.5') as refused:
        th.choose(hidden, fit="weights", subject_to="recall[c] >= 0.8")
    assert refused.value.fix == "relax it, or look for a better model"
    assert th.choose(hidden, fit="weights", subject_to="recall[c] >= 0.5").confusion.one_vs_rest("c").recall == 0.5
    with pytest.raises(InfeasibleError, match=re.escape('tpr["c"] > 0.5')):
        th.choose(hidden, fit="weights", subject_to="recall[c] > 0.5")
    two = th.Segments.parse("[8,2][3,7]", probability=[[0.7, 0.3], [0.4, 0.6]], classes="ab")
    with pytest.raises(InfeasibleError, match="no weights meet"):
        th.choose(two, fit="weights", subject_to="recall[a] >= 0.9 and recall[b] >= 0.9")


def test_starts_are_part_of_the_answer():
    rng = np.random.default_rng(11)
    segments, costs = random_case(rng, 4, m=40)
    condition = th.OperatingCondition(costs=costs)
    starts: Any = ("prior", "random", {"a": 1, "b": 0, "c": 2, "d": 1})
    fitted = th.choose(segments, condition, fit="weights", starts=starts, seed=3)
    assert list(fitted.by_start) == ["one", "prior", "random 1", "given 2"]
    assert "not proved the best of all weights" in fitted.certificate
    assert fitted.expected_cost == pytest.approx(min(fitted.by_start.values()))
    again = th.choose(segments, condition, fit="weights", starts=starts, seed=3)
    assert again.weights.tolist() == fitted.weights.tolist()
    assert repr(fitted).endswith("per case, fitted weights)")


def test_many_segments_are_searched_like_few(monkeypatch):
    """A search that begins on some of the segments ends where no weight can be improved."""
    rng = np.random.default_rng(2)
    segments, costs = random_case(rng, 3, m=60)
    monkeypatch.setattr("thresher.choices.weights._MANY", 20)
    condition = th.OperatingCondition(costs=costs)
    fitted = th.choose(segments, condition, fit="weights")
    for j in range(3):
        values = fitted.weights[j] * np.geomspace(1e-2, 1e2, 500)
        assert fitted.expected_cost <= scan(segments, condition, fitted.weights, j, values).min() + 1e-12


@pytest.mark.parametrize(
    ("more", "error", "what"),
    [
        ({"fit": "thresholds"}, ArgumentError, "fit must be"),
        ({"maximise": "macro_f1"}, ArgumentError, "by their expected cost alone"),
        ({"subject_to": "recall[a] >= 0.5"}, ArgumentError, "by their expected cost alone"),
        ({"minimise": "error_rate", "fit": "weights"}, ArgumentError, "for two classes"),
        ({"at_most": 3, "fit": "weights"}, ArgumentError, "for two classes"),
        ({"fit": "weights", "maximise": "auc"}, MeasureError, "no measure of a confusion matrix"),
        ({"fit": "weights", "maximise": "precision"}, MeasureError, "is of one class, and there are several"),
        ({"fit": "weights", "maximise": "fpr[a]"}, MeasureError, "better when lower"),
        ({"fit": "weights", "maximise": "recall[z]"}, MeasureError, "there is no class 'z'"),
        ({"fit": "weights", "subject_to": "recall >= 0.5"}, MeasureError, "is of one class, and there are several"),
        ({"fit": "weights", "subject_to": "recall[z] >= 0.5"}, MeasureError, "there is no class 'z'"),
        ({"exact": True}, ArgumentError, "by their expected cost alone"),
        ({"fit": "weights", "starts": ["two"]}, ArgumentError, "starts must be"),
        ({"fit": "weights", "starts": [{"a": 1, "b": 1}]}, LabelError, "names the classes"),
        ({"fit": "weights", "starts": [{"a": 1, "b": -1, "c": 1}]}, ArgumentError, "has the weights"),
    ],
)
def test_what_is_refused(more, error, what):
    with pytest.raises(error, match=what):
        th.choose(THREE, **more)


def test_the_arrangement_is_for_three_classes_and_few_segments():
    four, costs = random_case(np.random.default_rng(0), 4)
    with pytest.raises(ArgumentError, match="4 classes and 12 segments"):
        th.choose(four, th.OperatingCondition(costs=costs), fit="weights", exact=True)


def test_weights_are_fitted_to_segments_alone():
    with pytest.raises(ArgumentError, match="segments of k classes alone"):
        th.choose(th.Ranking.parse("[3+][1-]"), fit="weights")  # type: ignore[call-overload]
    with pytest.raises(MeasureError, match="no threshold is best by it"):
        th.choose(th.Ranking.parse("[3+][1-]"), maximise="macro_f1")
    with pytest.raises(MeasureError, match="is of one class of several"):
        th.choose(th.Ranking.parse("[3+][1-]"), subject_to="recall[a] >= 0.5")


def test_trap_16_a_weighted_row_is_fitted_as_repeated_rows():
    rng = np.random.default_rng(6)
    p = rng.dirichlet([1, 1, 1], size=40).round(1) + 0.1
    p /= p.sum(axis=1, keepdims=True)
    labels = np.array(list("abc"))[rng.integers(3, size=40)]
    times = np.where(labels == "a", 9, 1)
    condition = th.OperatingCondition(costs=DEAR_B)
    weighted = th.choose(th.segment(labels, p, weights=times), condition, fit="weights")
    repeated = th.choose(th.segment(np.repeat(labels, times), np.repeat(p, times, axis=0)), condition, fit="weights")
    assert weighted.weights == pytest.approx(repeated.weights)
    assert weighted.expected_cost == pytest.approx(repeated.expected_cost)
    plain = th.choose(th.segment(labels, p), condition, fit="weights")
    assert plain.weights.tolist() != weighted.weights.tolist()


def test_trap_12_fitted_weights_contain_the_mix_once():
    """The data drawn again at the mix give the same decisions as the mix declared."""
    rng = np.random.default_rng(9)
    segments, costs = random_case(rng, 3, m=25, more=1)
    mix = {"a": 0.7, "b": 0.2, "c": 0.1}
    declared = th.choose(segments, th.OperatingCondition(costs=costs, mix=mix), fit="weights")
    moved = segments.at_mix(mix)
    counts = moved.confusion_counts(costs.decide(moved.probability, weights=declared.weights), 4)
    drawn = th.ConfusionMatrix(counts, segments.classes, 0, ["refer"])
    assert costs.cost(drawn) == pytest.approx(declared.expected_cost)


def test_trap_17_a_search_charges_for_referred_cases():
    dear = th.CostMatrix.equal("abc").with_action("refer", 0.9)
    cheap = th.CostMatrix.equal("abc").with_action("refer", 0.01)
    referred = [
        th.choose(SIX, th.OperatingCondition(costs=costs), fit="weights").confusion.predicted[-1]
        for costs in (dear, cheap)
    ]
    assert referred[0] == 0
    assert referred[1] == SIX.total
