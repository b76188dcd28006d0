"""Every way to act is priced, and the decision says what it saves, which models may be best, and why it took one."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from thresher.evaluation.rules import BASELINES

RNG = np.random.default_rng(11)
N = 400
LABELS = RNG.random(N) < 0.3
Z = RNG.normal(size=N)


def probabilities(shift, seed):
    noise = np.random.default_rng(seed).normal(size=N)
    return 1 / (1 + np.exp(-(0.7 * Z + 0.7 * noise + shift * LABELS - 1)))


SCORES = {"forest": probabilities(1.6, 1), "tree": probabilities(1.5, 2), "noise": probabilities(0, 3)}
CONDITION = th.OperatingCondition(cost_ratio=3)
EVALUATION: Any = th.evaluate(LABELS, SCORES, condition=CONDITION, current={"tree": 0.6}, replicates=200)


def codes(evaluation):
    return [caution.code for caution in evaluation.cautions]


def test_rules_are_ordered_counted_and_priced():
    decided = EVALUATION.decision.model
    others = [name for name in SCORES if name != decided]
    assert list(EVALUATION.rules) == [decided, *others, *BASELINES]
    calls = {
        "never": np.zeros(N, dtype=bool),
        "always": np.ones(N, dtype=bool),
        "0.5": SCORES[decided] >= 0.5,
        "current": SCORES["tree"] >= 0.6,
    }
    for name, flags in calls.items():
        table = th.contingency(LABELS, flags)
        rule = EVALUATION.rules[name]
        assert rule.table == table
        assert rule.cost.estimate == pytest.approx(CONDITION.expected_cost(table))
        assert rule.saving.estimate == pytest.approx(rule.cost.estimate - EVALUATION.decision.out_of_bag_cost.estimate)
    for name in others:
        assert EVALUATION.rules[name].cost == EVALUATION[name].out_of_bag_cost
    assert EVALUATION.rules[decided].saving is None
    assert EVALUATION.baseline == min(BASELINES, key=lambda name: EVALUATION.rules[name].cost.estimate)
    assert (
        EVALUATION.saving
        == EVALUATION.savings[decided]
        == EVALUATION.decision.saving
        == EVALUATION.rules[EVALUATION.baseline].saving
    )
    hits, missed, alarms, cost = EVALUATION.rules["always"].per(1000, CONDITION)
    assert [hits + alarms, missed] == pytest.approx([1000, 0])
    assert cost == pytest.approx(alarms)


def test_rules_are_in_text_and_plain_data():
    plain = json.loads(EVALUATION.to_json())
    assert list(plain["rules"]) == list(EVALUATION.rules)
    assert plain["rules"]["never"]["threshold"] == "inf"
    assert plain["decision"]["saving"]["estimate"] == EVALUATION.saving.estimate
    assert plain["may_be_best"] == list(EVALUATION.may_be_best)
    text = EVALUATION.summary()
    for words in (
        "never act",
        "always act",
        "0.5, the usual cut",
        "the rule in use",
        "Per 1,000 cases",
        "save",
        "Why: ",
    ):
        assert words in text
    assert th.Decision.from_json(EVALUATION.decision.to_json()) == EVALUATION.decision


def test_advice_that_costs_more_than_doing_nothing_says_so():
    rare = th.OperatingCondition(prevalence=0.01, cost_ratio=5)
    evaluation = th.evaluate(LABELS, {"noise": SCORES["noise"]}, condition=rare, replicates=200)
    assert evaluation.rules["never"].cost.estimate == evaluation.rules["never"].cost.upper == pytest.approx(0.05)
    assert evaluation.baseline == "never"
    assert evaluation.saving.estimate <= 0
    caution = next(str(each) for each in evaluation.cautions if each.code == "no-better-than-nothing")
    assert "calling no case positive" in caution
    dearer = th.OperatingCondition(prevalence=0.01, cost_ratio=50)
    unsure: Any = th.evaluate(LABELS[:60], SCORES["forest"][:60], condition=dearer, replicates=200)
    assert unsure.rules["never"].saving.lower < 0 < unsure.rules["never"].saving.estimate
    assert "it may be no cheaper" in next(str(e) for e in unsure.cautions if e.code == "no-better-than-nothing")
    assert "no-better-than-nothing" not in codes(EVALUATION)
    assert EVALUATION.rules["never"].saving.lower > 0


@pytest.mark.parametrize(
    "current",
    [
        {"forest": 0.3},
        0.3,
        SCORES["forest"] >= 0.3,
        (SCORES["forest"] >= 0.3).astype(int),
        np.where(SCORES["forest"] >= 0.3, "spam", "ham"),
    ],
)
def test_the_rule_in_use_in_every_form(current):
    labels = np.where(LABELS, "spam", "ham")
    evaluation = th.evaluate(labels, {"forest": SCORES["forest"]}, positive="spam", current=current, replicates=50)
    assert evaluation.rules["current"].table == th.contingency(LABELS, SCORES["forest"] >= 0.3)


def test_a_decision_in_use_and_rows_that_are_dropped():
    earlier = th.evaluate(LABELS, {"tree": SCORES["tree"]}, condition=CONDITION, replicates=50).decision
    evaluation = th.evaluate(LABELS, SCORES, condition=CONDITION, current=earlier, replicates=50)
    assert (evaluation.rules["current"].model, evaluation.rules["current"].threshold) == ("tree", earlier.threshold)
    calls = (SCORES["tree"] >= 0.6).astype(object)
    calls[7] = None
    dropped = th.evaluate(LABELS, SCORES, current=calls, missing="drop", replicates=50)
    assert (dropped.dropped, dropped.rules["current"].table.total) == (1, N - 1)
    weights = RNG.random(N) + 0.2
    weighted = th.evaluate(LABELS, SCORES, current=calls, missing="drop", weights=weights, replicates=50)
    complete = np.arange(N) != 7
    expected = th.contingency(LABELS[complete], SCORES["tree"][complete] >= 0.6, weights=weights[complete])
    assert weighted.rules["current"].table.tp == pytest.approx(expected.tp)


def test_the_same_rule_saves_nothing_and_loses_nothing():
    decision = EVALUATION.decision
    again: Any = th.evaluate(LABELS, SCORES, condition=CONDITION, current=decision, prefer="current", replicates=200)
    assert again.decision.threshold == decision.threshold
    assert again.rules["current"].saving.estimate == 0


def test_the_same_calls_at_another_threshold_are_another_rule():
    labels, scores = [1, 1, 0, 1, 0, 0] * 5, [0.9, 0.8, 0.3, 0.55, 0.4, 0.2] * 5
    evaluation: Any = th.evaluate(labels, scores, replicates=60)
    assert evaluation.rules["0.5"].table == evaluation.rules["model"].table
    assert evaluation.decision.threshold != 0.5
    assert evaluation.rules["0.5"].saving.note != "the same rule"
    assert_one_price_a_rule(evaluation)


@pytest.mark.parametrize("positives", [1, 2])
def test_calling_none_has_a_known_cost_even_where_nothing_can_be_left_out(positives):
    labels = np.arange(100) < positives
    evaluation: Any = th.evaluate(labels, np.r_[np.zeros(positives), np.ones(100 - positives)], replicates=60)
    assert evaluation.decision.threshold == math.inf
    assert evaluation.rules["model"].cost == evaluation.rules["never"].cost
    assert evaluation.decision.out_of_bag_cost.estimate == pytest.approx(positives / 100)
    assert evaluation.rules["always"].saving.estimate == pytest.approx(1 - positives / 50)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"current": 0.3}, "it could be one of 3 models"),
        ({"current": {"forest": 0.3, "tree": 0.2}}, "names 2 models"),
        ({"current": {"bayes": 0.3}}, "'bayes', which has no scores here"),
        ({"current": {"forest": math.nan}}, "must be a number"),
        ({"current": {"forest": True}}, "must be a number"),
        ({"current": "forest"}, "is no rule"),
        ({"current": True}, "is no rule"),
        ({"current": LABELS[:-1]}, "current"),
        ({"prefer": "bayes"}, "'bayes' is preferred"),
        ({"prefer": []}, "names no model"),
        ({"prefer": 3}, "names no model"),
        ({"prefer": "current"}, "not known which model is in use"),
        ({"prefer": "current", "current": LABELS}, "not known which model is in use"),
        ({"margin": -1}, "margin must be 0 or more"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, text):
    with pytest.raises(th.ThresherError, match=text):
        th.evaluate(LABELS, SCORES, replicates=20, **options)


@pytest.mark.parametrize("name", ["never", "always", "0.5"])
def test_models_are_not_called_as_rules_are(name):
    with pytest.raises(th.errors.ArgumentError, match="the name of a rule"):
        th.evaluate(LABELS, {name: SCORES["tree"]}, replicates=20)
    th.evaluate(LABELS, {"current": SCORES["tree"]}, replicates=20)


def test_doubt_is_reported_and_resolved_by_preference():
    cheapest = EVALUATION.joint.model
    assert set(EVALUATION.may_be_best) == {"forest", "tree"}
    assert EVALUATION.decision.model == cheapest
    assert "practically equal: at level 0.95 forest or tree may be the best" in EVALUATION.decision.why
    assert "winner-uncertain" in codes(EVALUATION)
    other = next(name for name in EVALUATION.may_be_best if name != cheapest)
    settled: Any = {"condition": CONDITION, "replicates": 200}
    for prefer in (other, [other, cheapest], ["noise", other]):
        evaluation = th.evaluate(LABELS, SCORES, prefer=prefer, **settled)
        decision = evaluation.decision
        assert (decision.model, decision.runner_up) == (other, cheapest)
        assert decision.gap == pytest.approx(
            evaluation[cheapest].expected_cost.estimate - evaluation[other].expected_cost.estimate
        )
        assert decision.threshold == evaluation[other].choice.threshold
        assert "it is preferred" in decision.why
        assert f"Cheapest on these rows: {cheapest}" in str(decision)
        assert next(iter(evaluation.rules)) == other
    unmet = th.evaluate(LABELS, SCORES, prefer="noise", **settled).decision
    assert unmet.model == cheapest
    assert "noise was preferred, but costs more" in unmet.why
    first = th.evaluate(LABELS, {name: SCORES[name] for name in ("noise", other, cheapest)}, prefer="first", **settled)
    assert first.decision.model == other
    wide = th.evaluate(LABELS, SCORES, margin=5.0, prefer="noise", **settled)
    assert (wide.may_be_best, wide.decision.model) == (tuple(SCORES), "noise")
    alone = th.evaluate(LABELS, {name: SCORES[name] for name in ("forest", "noise")}, **settled)
    assert alone.may_be_best == ("forest",)
    assert "no other model may be the best" in alone.decision.why
    assert "winner-uncertain" not in codes(alone)


def test_the_decision_is_priced_with_the_choice_of_the_model_row_by_row():
    rows = slice(0, 60)
    labels, scores = LABELS[rows], {name: score[rows] for name, score in SCORES.items()}
    evaluation = th.evaluate(labels, scores, condition=CONDITION, replicates=40, seed=5)
    rng, costs = np.random.default_rng(5), []
    cuts = {name: th.rank(labels, score).thresholds() for name, score in scores.items()}
    for _ in range(40):
        drawn = np.bincount(rng.integers(0, 60, 60), minlength=60)
        picked, left = np.repeat(np.arange(60), drawn), np.flatnonzero(drawn == 0)
        best: list[tuple[float, int, str, float]] = []
        for i, (name, score) in enumerate(scores.items()):
            inside = CONDITION.expected_cost(
                th.tables.contingency_at(th.rank(labels[picked], score[picked]), cuts[name])
            )
            tied = np.flatnonzero(np.isclose(inside, inside.min(), rtol=1e-12, atol=0))
            at = int(tied[(tied.size - 1) // 2])
            best.append((round(float(inside[at]), 12), i, name, float(cuts[name][at])))
        _, _, name, cut = min(best)
        costs.append(CONDITION.expected_cost(th.tables.contingency_at(th.rank(labels[left], scores[name][left]), cut)))
    assert evaluation.decision.out_of_bag_cost.estimate == pytest.approx(np.mean(costs))


def test_three_equal_models_are_not_priced_below_what_they_cost():
    """True cost of the deployed rule against the cost out of bag, with and without the choice of the model."""
    rng, n, condition = np.random.default_rng(3), 150, th.OperatingCondition(prevalence=0.3, cost_ratio=3)
    fresh = rng.random(40_000) < 0.3
    together, alone, truth = [], [], []
    for seed in range(60):
        labels = rng.random(n) < 0.3
        scores = {name: rng.normal(size=n) + 1.5 * labels for name in "abc"}
        evaluation = th.evaluate(labels, scores, condition=condition, replicates=60, seed=seed)
        decision = evaluation.decision
        new = rng.normal(size=fresh.size) + 1.5 * fresh
        truth.append(float(condition.expected_cost(th.contingency(fresh, new >= decision.threshold))))
        together.append(decision.out_of_bag_cost.estimate)
        alone.append(evaluation[decision.model].out_of_bag_cost.estimate)
    assert np.mean(alone) < 0.96 * np.mean(truth)
    assert 0.97 * np.mean(truth) < np.mean(together) < 1.08 * np.mean(truth)


def assert_one_price_a_rule(evaluation):
    """Rules at one threshold of one model, or that call none or all, have one cost, and none saves against another."""
    chosen, *_ = rules = list(evaluation.rules.values())
    for one in rules:
        for other in rules:
            same = one.threshold is not None and one.threshold == other.threshold
            if same and (one.model == other.model or math.isinf(one.threshold)):
                assert one.cost == other.cost
    for other in rules[1:]:
        known = other.saving.note == "the same rule"
        same = other.threshold == chosen.threshold and (other.model == chosen.model or math.isinf(chosen.threshold))
        assert known == same
        if same:
            assert other.saving.estimate == other.saving.lower == other.saving.upper == 0


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_limits_exclude_their_estimate_and_savings_are_differences(data):
    n = data.draw(st.integers(6, 30))
    seed = data.draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    labels = np.r_[True, False, rng.random(n - 2) < 0.5]
    names = data.draw(st.sampled_from(["a", "ab", "abc"]))
    scores = {name: rng.integers(0, 8, n) / 8 for name in names}
    ratio = data.draw(st.none() | st.floats(0.02, 5))
    condition = th.OperatingCondition(ratio, cost_fn=4, cost_fp=1, cost_tp=-0.5)
    more: Any = {"weights": rng.random(n) + 0.1} if ratio is None and data.draw(st.booleans()) else {}
    alone = th.choose({name: th.rank(labels, score, **more) for name, score in scores.items()}, condition)
    current = data.draw(st.sampled_from([rng.random(n) < 0.5, {alone.model: alone.choice.threshold}, {"a": 0.25}]))
    evaluation = th.evaluate(labels, scores, condition=condition, current=current, replicates=20, **more)
    honest = evaluation.decision.out_of_bag_cost.estimate
    if math.isnan(honest):
        return
    for rule in evaluation.rules.values():
        if not math.isnan(rule.cost.estimate):
            assert rule.cost.lower <= rule.cost.estimate <= rule.cost.upper
        if rule.saving is not None and not math.isnan(rule.saving.estimate):
            assert rule.saving.lower <= rule.saving.estimate <= rule.saving.upper
            assert rule.saving.estimate == pytest.approx(rule.cost.estimate - honest, abs=1e-9)
    assert_one_price_a_rule(evaluation)
    assert evaluation.decision.model in evaluation.may_be_best
    assert evaluation.joint.model in evaluation.may_be_best
