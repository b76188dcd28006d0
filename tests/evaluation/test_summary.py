"""Headline, tiles and cells say what rules do: per 1,000 cases, at the declared mix, with the digits they deserve."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.inference import class_examples
from thresher._internal.text import number_text, per_thousand_text
from thresher.evaluation import evaluate_scan
from thresher.evaluation.summary import headline, rule_cells, threshold_text, tiles

RNG = np.random.default_rng(5)
LABELS = RNG.random(900) < 0.3
NOISE = RNG.random(900)
GOOD = 1 / (1 + np.exp(-(RNG.normal(size=900) + 2.5 * LABELS - 1.5)))
RARE = th.OperatingCondition(prevalence=0.01, cost_ratio=20)
EVALUATION = th.evaluate(LABELS, {"good": GOOD, "noise": NOISE}, condition=RARE, current={"noise": 0.5}, replicates=60)


def test_tiles_and_rules_are_those_of_the_evaluation():
    per_1000 = EVALUATION.rules["good"].per(1000, RARE)
    hits, missed, alarms, cost = tiles(EVALUATION)
    assert (hits.value, missed.value) == (per_thousand_text(per_1000.hits, 10), per_thousand_text(per_1000.misses, 10))
    assert (alarms.value, cost.value) == (per_thousand_text(per_1000.false_alarms, 990), number_text(per_1000.cost, 0))
    assert dict(cost.against)["never"] == "200"
    assert dict(hits.against) == {"never": "0", "always": "10"} | {
        short: per_thousand_text(EVALUATION.rules[name].per(1000, RARE).hits, 10)
        for short, name in (("cut at 0.5", "0.5"), ("now in use", "current"))
    }
    names = [rule_cells(EVALUATION, rule)[0][0] for rule in EVALUATION.rules.values()]
    at = threshold_text(EVALUATION, "good")
    assert names[0] == "● good " + (at.replace("about", "≈") if "about" in at else f"≥ {at}")
    assert names[2:] == ["never act", "always act", "good ≥ 0.5, the usual cut", "the rule in use"]


def test_a_threshold_is_short_and_makes_the_same_calls_where_it_can():
    emails = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    tree = [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13]
    evaluation = th.evaluate(emails, tree, condition=th.OperatingCondition(cost_ratio=2), replicates=20)
    at = float(threshold_text(evaluation, "model"))
    assert th.tables.contingency_at(evaluation["model"].ranking, at) == evaluation["model"].table


@given(st.lists(st.floats(-1e4, 1e4).filter(lambda x: x == 0 or abs(x) > 1e-9), min_size=3, max_size=12, unique=True))
def test_a_threshold_not_marked_as_rounded_makes_the_same_calls(scores):
    ranking = th.rank([1, 0, *(i % 2 for i in range(len(scores) - 2))], scores)
    choice = th.choose(ranking, th.OperatingCondition())
    model: Any = SimpleNamespace(
        choice=choice, threshold=th.Interval(choice.threshold, math.nan, math.nan, 0.0, 0.95, "none")
    )
    evaluation: Any = {"model": model}
    text = threshold_text(evaluation, "model")
    if math.isfinite(choice.threshold) and not text.startswith("about "):
        at = float(text.replace(",", "").replace("−", "-"))
        assert th.tables.contingency_at(ranking, at) == choice.table
        assert len(text.strip("−0.").replace(".", "").replace(",", "")) <= 4 or at == int(at)


def test_a_rounded_threshold_is_marked_as_such():
    close = th.evaluate([1, 1, 0, 0], [0.9, 0.764571, 0.764567, 0.2], condition=RARE, replicates=20)
    assert "says about 0.76 or more" in headline(close)
    assert rule_cells(close, close.rules["model"])[0][0] == "● model ≈ 0.76"


@pytest.mark.parametrize(
    ("labels", "scores", "condition", "words"),
    [
        (LABELS, GOOD, RARE, "says 0."),
        (LABELS, NOISE, RARE, "Call no case positive, since no score pays for its false alarms: it saves"),
        (
            [0, 1, 1, 1] * 9,
            [4, 3, 2, 1] * 9,
            th.OperatingCondition(),
            "Call every case positive, since no score is low",
        ),
        (
            [1, 1, 0, 0] * 9,
            [0.9, 0.8, 0.2, 0.1] * 9,
            th.OperatingCondition(),
            "says 0.5 or more, as the usual cut-off does: it saves 500",
        ),
        (
            [1, 1, 0, 0] * 9,
            [0.9, 0.8, 0.6, 0.1] * 9,
            th.OperatingCondition(),
            "Call a case positive when model says 0.7 or more: it",
        ),
        (
            LABELS[:50],
            NOISE[:50] + 1,
            th.OperatingCondition(cost_ratio=2),
            "Never acting does as well: calling a case positive when model says ",
        ),
    ],
    ids=["saves", "never", "always", "usual", "perfect", "dearer"],
)
def test_the_sentence_names_the_rule_and_what_it_saves(labels, scores, condition, words):
    evaluation = th.evaluate(labels, scores, condition=condition, replicates=60)
    assert words in headline(evaluation)
    assert str(evaluation).startswith(headline(evaluation))
    assert "nan" not in headline(evaluation)


def summaries():
    """Evaluations of every kind, whose texts are those of `tests/evaluation/summaries`."""
    rng = np.random.default_rng(11)
    labels = (rng.random(160) < 0.4).astype(int)
    good, poor = (np.round(np.clip(rng.normal(0.4 + shift * labels, 0.2), 0, 1), 2) for shift in (0.3, 0.1))
    models, weights = {"good": good, "poor": poor}, np.where(np.arange(160) % 2, 1 / 7, 2.5)
    classes = rng.integers(0, 3, 160)
    matrix = np.round(0.4 * np.eye(3)[classes] + 0.2, 2)
    rare = th.OperatingCondition(prevalence=0.05, cost_ratio=20)
    table = pa.table({"y": labels, **models})
    more: dict[str, Any] = {
        "measures": ["tpr@threshold=0.5"],
        "current": {"poor": 0.5},
        "prefer": "current",
        "replicates": 40,
    }
    return {
        "declared mix": th.evaluate(labels, models, condition=rare, **more),
        "weights": th.evaluate(labels, good, weights=weights, replicates=40),
        "never": th.evaluate(labels, poor * 3, condition=th.OperatingCondition(cost_ratio=0.01), replicates=40),
        "classes": class_examples.evaluate(classes, {"right": matrix, "same": matrix[:, [0, 1, 2]]}),
        "scan": evaluate_scan(table, label="y", score=["good", "poor"], condition=th.OperatingCondition(cost_ratio=2)),
    }


@pytest.mark.parametrize("name", ["declared mix", "weights", "never", "classes", "scan"])
def test_summaries_read_as_they_did(name):
    path = Path(__file__).parent / "summaries" / f"{name.replace(' ', '_')}.txt"
    assert summaries()[name].summary() + "\n" == path.read_text(encoding="utf-8")
