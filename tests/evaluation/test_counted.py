"""A requirement judged by counts in ranges never contradicts the one judged by every score."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from thresher.errors import ArgumentError
from thresher.evaluation import evaluate_rankings
from thresher.evaluation.requirements import judge, requirement

FIXED = ("recall.{}@threshold=0.5", "precision.{}@threshold=0.3", "f1.{}@threshold=0.6", "net_benefit.{}@0.2")
NUMBERS = ("auc.{}", "average_precision.{}", "pr_area.{}", "brier.{}", "log_loss.{}", "partial_auc[fpr<=0.3].{}")
CHOSEN = ("recall.estimate@fpr<=0.3", "fpr.estimate@recall>=0.7", "precision.estimate", "expected_cost.estimate")
TEXTS = [text.format(bound) for text in (*FIXED, *NUMBERS) for bound in ("lower", "upper", "estimate")]


@st.composite
def samples(draw):
    """Labels and probabilities, tied or not, of two models."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(20, 200))
    labels = (rng.random(rows) < draw(st.floats(0.2, 0.8))).astype(int)
    labels[:2] = 0, 1
    scores = {
        name: 1 / (1 + np.exp(-rng.normal(size=rows) - worth * labels))
        for name, worth in (("p", draw(st.floats(0, 3))), ("q", draw(st.floats(0, 3))))
    }
    if draw(st.booleans()):
        scores = {name: each.round(2) for name, each in scores.items()}
    return {"y": labels, **scores}


def evaluated(rankings):
    return evaluate_rankings(rankings, condition=th.OperatingCondition(cost_ratio=2))


def verdicts(rankings, texts):
    evaluation = evaluated(rankings)
    return [judge(requirement(text), evaluation, replicates=100) for text in texts]


@settings(max_examples=8, deadline=None)
@given(samples(), st.sampled_from([16, 64, 512]), st.sampled_from([0.0, 1e-4, 0.05]))
def test_bounds_hold_what_every_score_says(rows, buckets, away):
    """Whatever number is required: just above, just below or at what is observed."""
    exact = evaluated(th.scan(rows, label="y", score=["p", "q"]))
    ranges = evaluated(th.scan(rows, label="y", score=["p", "q"], exact=False, buckets=buckets))
    for text in [*(f"p:{text}" for text in TEXTS), *CHOSEN]:
        truth = judge(requirement(f"{text} >= 0"), exact, replicates=100)
        if math.isnan(truth.observed):
            continue
        asked = f"{text} >= {truth.observed + away!r}"
        exactly, openly = (judge(requirement(asked), each, replicates=100) for each in (exact, ranges))
        assert not exactly.undecided
        if not openly.undecided:
            assert openly.passed == exactly.passed, asked


@settings(max_examples=8, deadline=None)
@given(samples())
def test_counts_of_every_score_say_what_rows_say(rows):
    condition = th.OperatingCondition(cost_ratio=2)
    evaluation = th.evaluate(rows["y"], {name: rows[name] for name in ("p", "q")}, condition=condition)
    rankings = th.scan(rows, label="y", score=["p", "q"])
    texts = [f"{model}:{text} >= 0.5" for model in ("p", "q") for text in (*TEXTS, "calibration_slope.lower")]
    for counted in verdicts(rankings, texts):
        by_rows = judge(counted.requirement, evaluation, replicates=100)
        assert counted.observed == pytest.approx(by_rows.observed, rel=1e-6, nan_ok=True), counted.requirement.text


def test_ranges_leave_open_what_is_close_and_decide_what_is_not():
    ranges = th.Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[30, 0, 20, 0], neg=[0, 20, 0, 40])
    close, low, high = verdicts({"p": ranges}, [f"auc.estimate >= {value}" for value in (0.6, 0.3, 0.9)])
    assert (close.undecided, close.passed) == (True, False)
    assert (low.undecided, low.passed) == (False, True)
    assert (high.undecided, high.passed) == (False, False)
    assert close.to_dict()["within"] == list(th.bounds(ranges, "auc"))


def test_where_another_model_may_be_cheaper_both_are_judged():
    ranges = th.Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[30, 0, 20, 0], neg=[0, 20, 0, 40])
    good = th.Ranking([0.9, 0.5, 0.1], [30, 10, 10], [10, 10, 40])
    (either,) = verdicts({"good": good, "open": ranges}, ["auc.estimate >= 0.75"])
    assert either.within.lower <= th.bounds(ranges, "auc").lower
    assert either.undecided


def test_what_counts_cannot_tell_is_undecided_with_the_reason():
    (saving,) = verdicts({"p": th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.5, 0.1])}, ["saving >= 0"])
    assert saving.undecided
    assert not saving.passed
    assert saving.interval.note == "saving needs rows, and there are only counts"


def test_weights_are_no_numbers_of_cases():
    weighted = th.rank([1, 0, 1], [0.9, 0.5, 0.4], weights=[0.5, 1.5, 1])
    with pytest.raises(ArgumentError, match="weights do not say how many cases there are"):
        evaluate_rankings({"p": weighted})
    with pytest.raises(ArgumentError, match="rankings by name are needed, 1 or more"):
        evaluate_rankings({})


def test_constraints_are_judged_at_the_declared_mix():
    rng = np.random.default_rng(2)
    for _ in range(15):
        labels = rng.random(300) < 0.4
        scores = rng.normal(size=300) + labels
        exact = th.rank(labels, scores)
        short = th.sources.condense(exact, most=16)
        rare = th.OperatingCondition(prevalence=0.05)
        one = requirement("recall.estimate@precision>=0.3 >= 0.5")
        truth = judge(one, evaluate_rankings({"a": exact}, condition=rare), replicates=2).observed
        low, high = judge(one, evaluate_rankings({"a": short}, condition=rare), replicates=2).within
        assert low <= truth <= high or math.isnan(truth)
