"""More models than a person reads: what is compared, shown and named."""

import json

import numpy as np
import pytest

import thresher as th
from thresher.report.payload import payload

MODELS = 24


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = rng.random(150) < 0.4
    return y, {f"m{i}": 1 / (1 + np.exp(-rng.normal(y * (0.5 + 0.1 * i)))) for i in range(MODELS)}


@pytest.fixture(scope="module")
def evaluation(rows):
    return th.evaluate(*rows, condition=th.OperatingCondition(cost_ratio=3), replicates=60, current={"m0": 0.5})


@pytest.mark.parametrize("measure", ["auc", "brier", "partial_auc[fpr<=0.2]", "expected_cost"])
def test_beyond_twenty_models_the_best_is_compared_with_each(rows, measure):
    few = th.compare(*rows, measure=measure, replicates=100)
    every = th.compare(*rows, measure=measure, replicates=100, against="all")
    by = min if few.better == "lower" else max
    best = by(few.estimates, key=lambda name: few.estimates[name])
    assert few.against == best
    assert every.against is None
    assert list(few.differences) == [(best, name) for name in rows[1] if name != best]
    assert len(every.differences) == MODELS * (MODELS - 1) // 2
    for (_, other), one in few.differences.items():
        full = every[best, other]
        assert (one.difference, one.lower, one.upper) == pytest.approx((full.difference, full.lower, full.upper))
        assert one.p_value == pytest.approx(full.p_value, nan_ok=True)
        assert not one.p_adjusted < full.p_adjusted - 1e-12  # the best was picked among all, so every pair counts
    assert f"{best} is compared with each of the other models, and those not with each other." in str(few)
    assert "not with each other" not in str(every)


def test_twenty_models_are_compared_in_every_pair(rows):
    twenty = dict(list(rows[1].items())[:20])
    comparison = th.compare(rows[0], twenty)
    assert (comparison.against, len(comparison.differences)) == (None, 190)


def test_any_model_may_be_the_one_compared_with(rows):
    comparison = th.compare(*rows, against="m3")
    assert set(comparison.differences) == {("m3", name) for name in rows[1] if name != "m3"}
    assert comparison["m5", "m3"].difference == -comparison["m3", "m5"].difference
    with pytest.raises(th.errors.ArgumentError, match="'m5' and 'm6' were not compared, each was with 'm3'"):
        comparison["m5", "m6"]
    for call in (th.compare, th.evaluate):
        with pytest.raises(th.errors.ArgumentError, match="against must be 'all' or a model, got 'm99'"):
            call(*rows, against="m99")


def test_an_evaluation_compares_with_the_model_of_its_decision(rows, evaluation):
    assert evaluation.comparison.against == evaluation.decision.model
    assert len(evaluation.comparison.differences) == MODELS - 1
    every = th.evaluate(*rows, replicates=20, against="all").comparison
    assert every is not None
    assert len(every.differences) == MODELS * (MODELS - 1) // 2


def test_the_shortlist_holds_the_cheapest_the_decision_and_the_rule_in_use(evaluation):
    short = evaluation.shortlist()
    cost = {name: model.expected_cost.estimate for name, model in evaluation.models.items()}
    assert list(short.models) == sorted(short.models, key=lambda name: cost[name])
    assert {evaluation.decision.model, "m0"} <= set(short.models)
    dearest = max(cost[name] for name in short.models if name != "m0")
    assert all(cost[name] >= dearest for name in cost if name not in short.models)
    assert len(short.models) == 20
    assert {"never", "always", "current", *short.models} <= set(short.rules)
    assert not set(short.rules) & (set(evaluation.models) - set(short.models))
    pairs = short.comparison.differences
    assert {name for pair in pairs for name in pair} == set(short.models)
    assert all(pairs[pair] == evaluation.comparison.differences[pair] for pair in pairs)
    assert short.shortlist() is short


def test_text_and_page_show_twenty_and_the_json_all(evaluation):
    words = "The 20 cheapest of 24 models are shown; the JSON has all of them."
    text, short = evaluation.summary(), evaluation.shortlist()
    assert words in text
    hidden = set(evaluation.models) - set(short.models)
    assert not any(f"{name} " in line for line in text.split("Mind\n")[0].splitlines()[3:] for name in hidden)
    page = payload(evaluation)
    assert page["title"] == "24 models on 150 cases"
    assert words in page["why"]
    assert [model["name"] for model in page["models"]] == list(short.models)
    assert len(page["comparison"]) == 19
    plain = json.loads(evaluation.to_json())
    assert list(plain["models"]) == list(evaluation.models)
    assert len(plain["comparison"]) == MODELS - 1
    assert plain["against"] == evaluation.decision.model


def test_sentences_name_no_more_than_twenty_models(rows):
    rng = np.random.default_rng(0)
    same = {f"m{i}": rng.random(rows[0].size) for i in range(30)}
    evaluation = th.evaluate(rows[0], same, replicates=40)
    assert len(evaluation.may_be_best) > 20
    (caution,) = (each for each in evaluation.cautions if each.code == "winner-uncertain")
    named = caution.text.partition("may be the best: ")[2].partition(";")[0]
    assert named.endswith(f" and {len(evaluation.may_be_best) - 20} more")
    assert f"each of {len(evaluation.may_be_best)} models" in evaluation.decision.why
    assert repr(evaluation).startswith("Evaluation(30 models; 150 rows; use m")
