"""Intervals, comparison, resampling and evaluation against rankings and peers, JSON out."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

import thresher as th
from benchmarks.core import data
from benchmarks.timing import seconds

CONDITION = th.OperatingCondition(cost_ratio=5)
AT_MIX = th.OperatingCondition(cost_ratio=5, prevalence=0.1)
FOUR = th.OperatingCondition(costs=th.CostMatrix.by_class({2: 5, 3: 10}, range(4)))
REPLICATES = 2000
PEER_REPLICATES = 20


def models(rows: int, count: int) -> tuple[Any, dict[str, Any]]:
    """Labels, and scores of several models that see the same rows differently."""
    labels, scores, _ = data("float64 distinct", rows)
    rng = np.random.default_rng(11)
    return labels, {f"model {i}": 1 / (1 + np.exp(-(scores + rng.normal(size=rows)))) for i in range(count)}


def unread(ranking: th.Ranking) -> th.Ranking:
    """The same ranking, without what it remembers of earlier questions."""
    return th.Ranking.of_segments(ranking.score, *ranking.narrow)


def row_by_row(labels: Any, scores: Any) -> None:
    """A few replicates the usual way: resample rows, then AUC and the cheapest threshold from the ROC curve."""
    rng = np.random.default_rng(0)
    for _ in range(PEER_REPLICATES):
        drawn = rng.integers(0, labels.size, labels.size)
        y, s = labels[drawn], scores[drawn]
        roc_auc_score(y, s)
        fpr, tpr, threshold = roc_curve(y, s)
        cost = y.mean() * 5 * (1 - tpr) + (1 - y.mean()) * fpr
        threshold[np.argmin(cost)]


def peer_delong(labels: Any, a: Any, b: Any) -> float:
    """The fastest installable paired DeLong test, where it is installed; otherwise not a number."""
    try:
        from MLstatkit import Delong_test
    except ImportError:
        return float("nan")
    return seconds(lambda: Delong_test(labels, a, b), repeat=2)


def four_classes(rows: int) -> tuple[th.Segments, Any, Any]:
    """Segments of four classes, every case with its own vector of bent probabilities; the vectors and labels."""
    rng = np.random.default_rng(0)
    labels, evidence = rng.choice(4, size=rows, p=[0.5, 0.3, 0.12, 0.08]), rng.normal(size=(rows, 4))
    evidence[np.arange(rows), labels] += 1.2
    odds = np.exp(1.6 * evidence)
    vectors = odds / odds.sum(axis=1, keepdims=True)
    return th.segment(labels, vectors, classes=range(4)), vectors, labels


def measured() -> dict[str, float]:
    labels, scores = models(10**6, 3)
    a, b = scores["model 0"], scores["model 1"]
    ranking = th.rank(labels, a)
    small_labels, small = models(10**5, 1)
    small_ranking = th.rank(small_labels, small["model 0"])
    segments, vectors, actual = four_classes(10**5)
    statistics: list[Any] = ["auc", th.inference.BestCost(CONDITION)]
    return {
        "rank": seconds(lambda: th.rank(labels, a), repeat=5),
        "interval": seconds(lambda: th.auc_interval(unread(ranking)), repeat=5),
        "three rankings": seconds(lambda: [th.rank(labels, score) for score in scores.values()], repeat=5),
        "evaluate": seconds(lambda: th.evaluate(labels, scores, condition=CONDITION), repeat=3),
        "evaluate, all read": seconds(lambda: th.evaluate(labels, scores, condition=CONDITION).to_dict(), repeat=3),
        "at mix, all read": seconds(lambda: th.evaluate(labels, scores, condition=AT_MIX).to_dict(), repeat=3),
        "paired": seconds(lambda: th.compare(labels, {"a": a, "b": b}), repeat=3),
        "peer paired": peer_delong(labels, a, b),
        "sort of vectors": seconds(lambda: np.lexsort(vectors.T), repeat=5),
        "evaluate vectors": seconds(
            lambda: th.evaluate(actual, vectors, classes=range(4), condition=FOUR).to_dict(), repeat=3
        ),
        "weights": seconds(lambda: th.choose(segments, FOUR, fit="weights"), repeat=3),
        "bootstrap": seconds(lambda: th.bootstrap(small_ranking, statistics, replicates=REPLICATES), repeat=2),
        "row by row": seconds(lambda: row_by_row(small_labels, small["model 0"]), repeat=1)
        * REPLICATES
        / PEER_REPLICATES,
    }


if __name__ == "__main__":
    print(json.dumps(measured()))
