"""What a gate judges: limits that allow for the search of a threshold, and are never surer than the cases."""

import math

import numpy as np
import pytest

import thresher as th
from thresher.cli import bound
from thresher.cli.bound import judged
from thresher.cli.requirement import NUMBERS, requirement

REPLICATES = 200


@pytest.fixture(scope="module")
def judge(columns):
    scores = {name: columns[name] for name in ("forest", "bayes")}
    evaluation = th.evaluate(columns["malignant"], scores, condition=th.OperatingCondition(cost_ratio=3))
    rows = th.Rows.of(columns["malignant"], scores)
    return lambda text: judged(requirement(text), evaluation, rows, replicates=REPLICATES), evaluation


def test_numbers_are_those_of_the_evaluation(judge):
    of, evaluation = judge
    model = evaluation["bayes"]
    assert set(model.numbers) | {"expected_cost", "honest_cost", "saving"} == set(NUMBERS)
    for name, interval in model.numbers.items():
        found = of(f"bayes:{name} >= 0")
        assert found.interval == interval, name
        assert found.threshold is None
        assert of(f"bayes:{name}.estimate >= 0").found == interval.estimate
    for name in ("expected_cost", "honest_cost"):
        assert of(f"bayes:{name} >= 0").interval == getattr(model, name)
    assert of("saving >= 0").interval == evaluation.saving
    assert of("bayes:saving >= 0").interval == evaluation.savings["bayes"]


def test_scores_that_are_no_probabilities_lack_some_numbers():
    evaluation, rows = th.evaluate([0, 1] * 20, [3, 5] * 20), th.Rows.of([0, 1] * 20, {"model": [3, 5] * 20})
    for name in ("brier", "log_loss", "miscalibration", "refinement"):
        found = judged(requirement(f"{name} <= 1"), evaluation, rows, replicates=REPLICATES)
        assert not found.passed
        assert found.interval.note == "the scores of model are no probabilities"


def test_a_fixed_threshold_needs_no_resampling(judge, columns):
    of, _ = judge
    table = th.contingency_at(th.rank(columns["malignant"], columns["forest"]), 0.4)
    found = of("recall@threshold=0.4 >= 0")
    assert found.interval == th.measure_interval(table, "recall")
    assert found.threshold == 0.4


@pytest.mark.parametrize("text", ["recall@fpr<=0.1 >= 0", "fpr@recall>=0.9 <= 1", "precision >= 0", "f2@fpr<0.3 >= 0"])
def test_a_threshold_that_was_looked_for_makes_limits_no_narrower(judge, columns, text):
    of, evaluation = judge
    found = of(text)
    table = th.contingency_at(evaluation["forest"].ranking, found.threshold)
    plain = th.measure_interval(table, found.requirement.name)
    assert found.interval.estimate == pytest.approx(plain.estimate)
    assert found.interval.lower <= plain.lower
    assert found.interval.upper >= plain.upper
    assert len(columns["malignant"]) == 240


def test_the_best_under_a_constraint_is_what_choose_finds(judge):
    of, evaluation = judge
    choice = th.choose(evaluation["forest"].ranking, maximise="recall", subject_to="fpr <= 0.1")
    assert of("recall@fpr<=0.1 >= 0").interval.estimate == choice.value


def test_a_perfect_model_is_not_certain():
    labels, scores = [0, 1] * 20, [0.1, 0.9] * 20
    evaluation, rows = th.evaluate(labels, scores), th.Rows.of(labels, {"model": scores})
    for name in ("ks", "average_precision", "recall@fpr<=0.1", "precision", "auc"):
        found = judged(requirement(f"{name} >= 0.5"), evaluation, rows, replicates=REPLICATES)
        assert found.interval.estimate == 1
        assert 0.5 < found.interval.lower < 1


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("cases", [3, 20])
def test_no_limit_is_impossible(cases, clustered):
    labels, scores = [0, 1] * cases, [0.1, 0.9] * cases
    clusters = list(range(2 * cases)) if clustered else None
    evaluation = th.evaluate(labels, scores, clusters=clusters)
    rows = th.Rows.of(labels, {"model": scores}, clusters=clusters)
    for text in ("recall <= 1", "ks <= 1", "average_precision <= 1", "pr_area <= 1", "auc <= 1", "tpr@fpr<=0.1 <= 1"):
        found = judged(requirement(text), evaluation, rows, replicates=REPLICATES)
        assert 0 <= found.interval.lower < found.interval.estimate == found.interval.upper == 1
        assert found.passed
    for text in ("fpr >= 0", "fpr@tpr>=0.9 >= 0", "fpr@threshold=0.5 >= 0", "log_loss >= 0"):
        found = judged(requirement(text), evaluation, rows, replicates=REPLICATES)
        assert found.interval.lower >= 0
        assert found.passed


def test_moving_limits_to_all_scores_keeps_them_possible(monkeypatch):
    monkeypatch.setattr(bound, "MOST_SEGMENTS", 5)
    scores = np.arange(40.0)
    labels = scores >= 19
    labels[18] = True
    labels[19] = False
    evaluation, rows = th.evaluate(labels, scores), th.Rows.of(labels, {"model": scores})
    found = judged(requirement("recall@fpr<=0.1 <= 1"), evaluation, rows, replicates=REPLICATES)
    best = th.choose(th.rank(labels, scores), maximise="recall", subject_to="fpr <= 0.1")
    assert found.interval.estimate == pytest.approx(best.value)
    assert found.interval.upper <= 1
    assert found.passed


def test_joining_scores_hardly_moves_the_limits(monkeypatch):
    rng = np.random.default_rng(5)
    labels = rng.random(4000) < 0.3
    scores = {"model": rng.normal(size=4000) + 1.5 * labels}
    evaluation, rows = th.evaluate(labels, scores), th.Rows.of(labels, scores)
    for text in ("recall@fpr<=0.1 >= 0", "precision@recall>=0.5 >= 0"):
        fine = judged(requirement(text), evaluation, rows, replicates=REPLICATES).interval
        with monkeypatch.context() as patched:
            patched.setattr(bound, "MOST_SEGMENTS", 500)
            coarse = judged(requirement(text), evaluation, rows, replicates=REPLICATES).interval
        assert coarse.estimate == fine.estimate
        assert coarse.width == pytest.approx(fine.width, rel=0.25)
        assert abs(coarse.lower - fine.lower) < 0.2 * fine.width


def test_joined_rankings_hold_every_case(monkeypatch):
    monkeypatch.setattr(bound, "MOST_SEGMENTS", 50)
    rng = np.random.default_rng(6)
    labels = rng.random(1000) < 0.5
    ranking = th.rank(labels, rng.normal(size=1000) + labels)
    joined = bound.joined(ranking)
    assert (joined.Pos, joined.Neg) == (ranking.Pos, ranking.Neg)
    assert len(joined) <= 50
    assert th.auc(joined) == pytest.approx(th.auc(ranking), abs=0.01)


def test_clusters_and_weights_are_drawn_whole(columns):
    scores = {"forest": columns["forest"]}
    given = {"clusters": columns["patient"], "weights": columns["weight"]}
    evaluation = th.evaluate(columns["malignant"], scores, **given)
    rows = th.Rows.of(columns["malignant"], scores, **given)
    for text in ("ks >= 0", "recall@threshold=0.5 >= 0", "recall@fpr<=0.2 >= 0"):
        found = judged(requirement(text), evaluation, rows, replicates=REPLICATES)
        assert found.interval.lower < found.interval.estimate < found.interval.upper
        assert found.passed


def test_plain_data_hold_no_infinities(judge):
    of, _ = judge
    told = of("precision@recall>1 >= 0.5").to_dict()
    assert told["found"] is None
    assert told["passed"] is False
    assert "no threshold meets" in told["interval"]["note"]
    assert not any(isinstance(value, float) and not math.isfinite(value) for value in told.values())
