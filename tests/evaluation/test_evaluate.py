import json
import math
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests import hostile
from tests.inference import class_examples
from thresher.inference.decision.stability import decision_stability
from thresher.inference.intervals.table import count_calls, table_interval, table_intervals
from thresher.inference.rows import ScoredRows

RNG = np.random.default_rng(8)
LABELS = RNG.random(400) < 0.3
GOOD, POOR = (1 / (1 + np.exp(-(RNG.normal(size=400) + shift * LABELS - 1))) for shift in (2.5, 0.5))
CONDITION = th.OperatingCondition(cost_ratio=3)
BOTH = th.evaluate(LABELS, {"good": GOOD, "poor": POOR}, condition=CONDITION, replicates=200)


def codes(evaluation):
    return {caution.code for caution in evaluation.cautions}


def test_every_number_is_that_of_the_function_of_its_name():
    ranking = th.rank(LABELS, GOOD)
    good = BOTH["good"]
    assert good.ranking == ranking
    assert good.auc == th.auc_interval(ranking)
    assert good.average_precision == th.average_precision(ranking)
    assert good.pr_area == th.pr_area(ranking)
    assert good.ks == th.ks(ranking).statistic
    assert good.table == th.choose(ranking, CONDITION).table
    assert good.measures["f1"] == th.interval(good.table, "f1")
    assert good.brier is not None
    assert good.brier.estimate == pytest.approx(th.brier(ranking))
    assert good.decomposition is not None
    assert good.decomposition.miscalibration == th.decomposition(ranking).miscalibration
    assert good.expected_cost.estimate == pytest.approx(good.choice.expected_cost)


def test_the_decision_is_the_joint_choice():
    joint = th.choose({"good": th.rank(LABELS, GOOD), "poor": th.rank(LABELS, POOR)}, CONDITION)
    assert (BOTH.decision.model, BOTH.decision.threshold) == (joint.model, joint.threshold)
    assert BOTH.decision.runner_up == joint.runner_up
    assert BOTH.decision.gap == joint.gap


def test_models_are_compared_in_pairs_of_rows():
    paired = th.compare(LABELS, {"good": GOOD, "poor": POOR})
    assert BOTH.comparison is not None
    assert BOTH.comparison["good", "poor"].difference == paired["good", "poor"].difference
    assert BOTH.comparison["good", "poor"].verdict == "better"
    assert th.evaluate(LABELS, GOOD, replicates=20).comparison is None


def test_predictions_are_reported_and_never_overwritten():
    evaluation = th.evaluate(LABELS, GOOD, predictions=GOOD > 0.5, replicates=20)
    assert evaluation["model"].predictions == th.contingency(LABELS, GOOD > 0.5)
    assert "predictions-disagree" not in codes(evaluation)
    flipped = GOOD > 0.5
    flipped[np.argmax(GOOD)] = False
    assert "predictions-disagree" in codes(th.evaluate(LABELS, GOOD, predictions=flipped, replicates=20))


def test_weights_and_clusters_reach_the_intervals():
    weights = RNG.random(400) + 0.1
    weighted = th.evaluate(LABELS, GOOD, weights=weights, replicates=20)
    assert weighted["model"].auc == th.auc_interval(th.inference.ScoredRows.of(LABELS, GOOD, weights=weights))
    assert weighted["model"].ranking == th.rank(LABELS, GOOD, weights=weights)
    clusters = np.arange(400) // 4
    clustered = th.evaluate(LABELS, GOOD, clusters=clusters, replicates=20)
    assert clustered["model"].auc == th.auc_interval(th.inference.ScoredRows.of(LABELS, GOOD, clusters=clusters))
    assert clustered.stability.blocks == 100


@pytest.mark.parametrize("names", [("weights",), ("clusters",), ("weights", "clusters")])
def test_weights_and_clusters_are_passed_on_to_every_part(names):
    rng = np.random.default_rng(1)
    every = {"weights": rng.random(400) + 0.1, "clusters": rng.integers(100, size=400)}
    more: Any = {name: every[name] for name in names}
    weight, cluster = more.get("weights"), more.get("clusters")
    models, calls = {"good": GOOD, "poor": POOR}, {"good": GOOD > 0.5}
    options: Any = {"level": 0.8, "replicates": 50, "seed": 7}
    evaluation = th.evaluate(LABELS, models, condition=CONDITION, predictions=calls, **options, **more)
    paired = th.compare(LABELS, models, level=0.8, **more)
    assert evaluation.comparison is not None
    assert evaluation.comparison["good", "poor"] == paired["good", "poor"]
    assert evaluation["good"].predictions == th.contingency(LABELS, GOOD > 0.5, weights=weight)
    rankings = {name: th.rank(LABELS, score, weights=weight) for name, score in models.items()}
    codes_of = None if cluster is None else ScoredRows.of(LABELS, models, clusters=cluster).cluster
    drawn = decision_stability(LABELS, models, rankings, CONDITION, weights=weight, clusters=codes_of, **options)
    assert (evaluation.stability.wins, evaluation.stability.blocks) == (drawn.wins, drawn.blocks)
    assert evaluation.stability.out_of_bag_cost == drawn.out_of_bag_cost
    assert evaluation.joint.model == th.choose(rankings, CONDITION).model
    for name, score in models.items():
        model = evaluation[name]
        assert model.ranking == rankings[name]
        assert model.auc == th.auc_interval(th.inference.ScoredRows.of(LABELS, score, **more), level=0.8)
        sampled = count_calls(LABELS, score >= model.choice.threshold, weight=weight, cluster=codes_of)
        assert model.measures == table_intervals(sampled, level=0.8)
        assert model.expected_cost == table_interval(sampled, CONDITION, level=0.8)
        assert model.brier == th.inference.brier_interval(
            th.inference.ScoredRows(LABELS, {name: score}, weight, codes_of), level=0.8
        )
        assert model.out_of_bag_cost == drawn.out_of_bag_cost[name]
    assert evaluation.decision.expected_cost == evaluation[evaluation.decision.model].expected_cost
    assert evaluation.decision.out_of_bag_cost == evaluation.rules[evaluation.decision.model].cost


def test_labels_of_any_kind():
    named = th.evaluate(
        np.where(LABELS, "spam", "ham"),
        GOOD,
        positive="spam",
        predictions=np.where(GOOD > 0.5, "spam", "ham"),
        replicates=20,
    )
    assert named["model"].predictions == th.contingency(LABELS, GOOD > 0.5)
    with pytest.raises(th.errors.PositiveLabelError):
        th.evaluate(np.where(LABELS, "spam", "ham"), GOOD)


def test_missing_rows_are_dropped_on_request_and_counted():
    holes = GOOD.copy()
    holes[:7] = np.nan
    with pytest.raises(th.errors.MissingValueError, match="7 of 400"):
        th.evaluate(LABELS, {"a": holes, "b": POOR})
    evaluation = th.evaluate(LABELS, {"a": holes, "b": POOR}, missing="drop", replicates=20)
    assert (evaluation.rows, evaluation.dropped) == (393, 7)
    assert evaluation["b"].ranking.total == 393
    assert "7 dropped" in evaluation.summary()


def test_seeded_and_plain():
    again = th.evaluate(LABELS, {"good": GOOD, "poor": POOR}, condition=CONDITION, replicates=200)
    assert again.to_json() == BOTH.to_json()
    assert json.loads(BOTH.to_json())["models"]["good"]["numbers"]["auc"]["estimate"] == BOTH["good"].auc.estimate


def test_the_summary_tells_it_all():
    text = BOTH.summary()
    for part in ("good", "poor", "AUC", "Decision", "class-ratio-from-data", "400 rows"):
        assert part in text
    assert "Evaluation(good, poor; 400 rows; use good" in repr(BOTH)


def test_every_number_of_the_summary_has_its_interval():
    head, *lines = BOTH.summary().split("\n\n")[3].split("\n")
    assert head.split() == ["at", "level", "0.95", "good", "poor"]
    assert len(lines) == 20
    assert all(line.count("[") == 2 for line in lines), lines


@pytest.mark.parametrize(
    ("labels", "scores", "code"),
    [
        ([1] * 5 + [0] * 50, np.arange(55.0)[::-1], "few-positives"),
        ([1] * 50 + [0] * 5, np.arange(55.0)[::-1], "few-negatives"),
        ([1] * 3 + [0] * 400, np.arange(403.0)[::-1], "extreme-class-ratio"),
        ([0, 1] * 40, np.arange(80.0) % 2 * -1, "auc-below-half"),
        ([0, 1] * 40, np.zeros(80), "one-score"),
        ([0, 1] * 200, np.round(RNG.random(400), 2).astype(np.float32), "ties-from-float32"),
        ([0, 1] * 40, RNG.normal(size=80), "not-probabilities"),
        ([0, 1] * 40, RNG.random(80), "calibrated-on-same-rows"),
    ],
)
def test_what_a_careful_analyst_would_notice(labels, scores, code):
    assert code in codes(th.evaluate(labels, scores, replicates=50))


def test_an_uncertain_winner_is_remarked_on():
    evaluation = th.evaluate(LABELS, {"a": GOOD, "b": GOOD + 0.001 * RNG.random(400)}, replicates=100)
    assert "winner-uncertain" in codes(evaluation)


def test_bad_input():
    with pytest.raises(th.errors.ArgumentError, match="level"):
        th.evaluate(LABELS, GOOD, level=95)
    with pytest.raises(th.errors.LengthError, match="scores"):
        th.evaluate(LABELS, {"a": GOOD, "b": POOR[:-1]})
    with pytest.raises(th.errors.OneClassError):
        th.evaluate(np.ones(5), np.arange(5))
    with pytest.raises(th.errors.ArgumentError, match="a Ranking"):
        th.evaluate(LABELS, {"a": th.rank(LABELS, GOOD)})
    with pytest.raises(th.errors.ArgumentError, match="no models"):
        th.evaluate(LABELS, {})
    with pytest.raises(th.errors.ArgumentError, match="no scores"):
        th.evaluate(LABELS, {"a": GOOD}, predictions={"b": GOOD > 0.5})
    with pytest.raises(th.errors.ArgumentError, match="which model"):
        th.evaluate(LABELS, {"a": GOOD, "b": POOR}, predictions=GOOD > 0.5)
    with pytest.raises(th.errors.ArgumentError, match="replicates"):
        th.evaluate(LABELS, GOOD, replicates=0)
    with pytest.raises(th.errors.ArgumentError, match="no model 'c'"):
        BOTH["c"]


@pytest.mark.parametrize("name", hostile.NAMES.values(), ids=hostile.NAMES)
def test_names_cannot_steer_a_terminal(name):
    scores = {name: [0.9, 0.2, 0.4, 0.5], "other": [0.8, 0.3, 0.1, 0.6]}
    matrices = {name: [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.5, 0.5]]}
    evaluation = th.evaluate([1, 0, 1, 0], scores, replicates=5)
    many = class_examples.evaluate(["a", "b", "a", "b"], matrices, replicates=5)
    for text in (
        repr(evaluation),
        str(evaluation),
        str(evaluation.decision),
        str(evaluation.comparison),
        repr(many),
        str(many),
    ):
        assert not set(text) & {"\x1b", "\x07", "\x00", "\u202e", "\u2028", "\ud800"}


@pytest.mark.parametrize("labels", [["p", "n"], [1, -1], [2, 1]])
def test_a_model_may_call_every_case_negative(labels):
    yes, no = labels
    table = th.evaluate([yes, no, yes, no], [0.9, 0.2, 0.4, 0.5], positive=yes, predictions=[no] * 4)[
        "model"
    ].predictions
    assert table == th.Contingency(tp=0, fn=2, fp=0, tn=2)


@pytest.mark.parametrize(
    "options",
    [
        {"seed": -1},
        {"seed": 1.5},
        {"seed": "a"},
        {"seed": None},
        {"replicates": 2.5},
        {"replicates": None},
        {"margin": -1},
        {"margin": float("nan")},
    ],
)
def test_options_of_the_wrong_kind_are_refused(options):
    with pytest.raises(th.errors.ArgumentError):
        th.evaluate([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.5], **options)


def test_the_plain_data_hold_all_that_was_found():
    evaluation = th.evaluate(
        [1, 0, 1, 0, 1],
        {"a": [0.9, 0.2, 0.4, 0.5, 0.7], "b": [0.8, 0.3, 0.1, 0.6, 0.9]},
        predictions={"a": [1, 0, 0, 0, 1]},
    )
    plain = json.loads(evaluation.to_json())
    assert evaluation.comparison is not None
    assert [(one["a"], one["b"]) for one in plain["comparison"]] == [("a", "b")]
    assert plain["comparison"][0]["difference"] == evaluation.comparison["a", "b"].difference
    assert plain["models"]["a"]["predictions"] == {"tp": 2, "fn": 1, "fp": 0, "tn": 2}
    assert plain["models"]["b"]["predictions"] is None
    assert plain["models"]["a"]["numbers"]["log_loss"]["estimate"] == evaluation["a"].log_loss
    assert plain["ranges"][0]["low"] == 0
    assert plain["ranges"][-1]["high"] == "inf"
    assert plain["stability"]["wins"] == evaluation.stability.wins


@pytest.mark.parametrize(("clusters", "few"), [(29, True), (30, False)])
def test_few_clusters_are_remarked_on(clusters, few):
    rng = np.random.default_rng(0)
    labels = np.tile([True, False], 100)
    evaluation = th.evaluate(labels, rng.random(200) + labels, clusters=np.arange(200) % clusters, replicates=20)
    assert ("few-clusters" in [caution.code for caution in evaluation.cautions]) is few
    assert "few-positives" not in [caution.code for caution in evaluation.cautions]


@pytest.mark.parametrize(("negatives", "extreme"), [(3000, True), (2970, False)])
def test_an_extreme_class_ratio_is_a_hundred_to_one(negatives, extreme):
    labels = np.arange(negatives + 30) < 30
    evaluation = th.evaluate(labels, np.linspace(1, 0, labels.size), replicates=20)
    assert ("extreme-class-ratio" in [caution.code for caution in evaluation.cautions]) is extreme


def test_class_ratios_follow_from_cost_ratios_by_their_product():
    rng = np.random.default_rng(7)
    labels = rng.random(400) < 0.3
    careful, eager = np.where(labels, rng.random(400) ** 0.2, rng.random(400)), labels * 0.3 + rng.random(400)
    decision = th.evaluate(labels, {"a": careful, "b": eager}, replicates=20).decision
    condition = decision.condition
    assert condition.class_ratio is not None
    for cost, ratio in zip(decision.cost_ratios, decision.class_ratios, strict=True):
        assert ratio * condition.cost_ratio == pytest.approx(cost * condition.class_ratio)
    assert 0 < decision.cost_ratios[0] < np.inf or decision.cost_ratios[1] < np.inf


def test_costs_that_nobody_gave_are_remarked_on():
    labels, scores = [1, 1, 0, 0] * 10, [0.9, 0.7, 0.8, 0.2] * 10
    assert "equal-costs" in codes(th.evaluate(labels, scores, replicates=10))
    declared = th.OperatingCondition(cost_ratio=1)
    assert "equal-costs" not in codes(th.evaluate(labels, scores, condition=declared, replicates=10))


def test_cases_that_were_certain_and_wrong_are_counted():
    wrong = th.evaluate([1, 1, 0, 0], [0.0, 0.7, 1.0, 0.2], replicates=10)
    texts = {caution.code: caution.text for caution in wrong.cautions}
    assert texts["certain-and-wrong"] == "2 of 4 cases got probability 0 from model for what they are"
    assert wrong["model"].log_loss == math.inf
    for scores in ([1.0, 0.7, 0.5, 0.0], [0.0, 7.0, 1.0, 0.2]):  # certain and right; no probabilities
        assert "certain-and-wrong" not in codes(th.evaluate([1, 1, 0, 0], scores, replicates=10))


def test_too_few_clusters_are_refused_by_name():
    with pytest.raises(th.errors.ArgumentError, match="1 of 2 clusters holds positives") as refused:
        th.evaluate([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4], clusters=[0, 0, 1, 1])
    assert refused.value.where == "evaluate(labels, scores)"


def test_an_auc_that_few_cases_carry_is_remarked_on():
    labels = np.arange(120) < 40
    few = np.concatenate([np.linspace(5, 6, 39), [0.4], np.linspace(0, 1, 80)])
    many = np.random.default_rng(1).normal(size=120) + labels
    remarks = [
        each.text
        for each in th.evaluate(labels, {"few": few, "many": many}, replicates=50).cautions
        if each.code == "few-carry-auc"
    ]
    assert remarks == ["few: as few as 1 of 40 positives carry the variance; limits may be too narrow"]
