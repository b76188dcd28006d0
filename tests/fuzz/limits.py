"""Limits and comparisons: what they are computed from by brute force, and laws that every interval keeps."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

import thresher as th
from tests.fuzz.answers import Answers, chance
from tests.fuzz.cases import Case, Rng, pick, two_classes
from tests.fuzz.definitions import DEFINITIONS, Cells
from thresher.inference import Interval, ScoredRows, auc_interval, brier_interval
from thresher.inference.intervals.loss import log_loss_interval

LOOSE = {"relative": 1e-6, "absolute": 1e-9}
UNITS = (0.7, 3.0, 100.0, 1e-9, 1e9)


def check(seed: int, size: int) -> Answers:
    """Intervals of tables, areas and losses, and DeLong's covariance of two models."""
    rng, answers = np.random.default_rng([14, seed]), Answers()
    _tables(answers, rng)
    case = two_classes(rng, max(size, 8), probabilities=True, weighted=False)
    if 2 <= case.labels.sum() <= case.labels.size - 2:
        _units(answers, rng, case)
        _covariance(answers, rng, case)
    return answers


def _tables(answers: Answers, rng: Rng) -> None:
    """Every measure of a table lies within its limits, and these within its range."""
    most = pick(rng, [2, 10, 1000, 10**6])
    cells = rng.integers(0, most, 4).tolist()
    if not sum(cells):
        return
    table, level = th.Contingency(*cells), pick(rng, [0.95, 0.5, 0.99])
    exact = Cells(*map(Fraction, cells))
    results = th.intervals(table, level=level)
    for name, known in th.MEASURES.items():
        interval, where = results[name], f"{name} of {table!r} at {level}"
        answers.near(interval.estimate, DEFINITIONS[name](exact), where, relative=1e-9, absolute=1e-12)
        low, high = known.range
        answers.check(_holds(interval, low, high), f"limits of {where}: {interval!r}")


def _holds(interval: Interval, low: float, high: float) -> bool:
    """Whether limits hold the estimate and keep within a range."""
    if math.isnan(interval.estimate):
        return True
    limits = [limit for limit in (interval.lower, interval.upper) if not math.isnan(limit)]
    within = all(low <= limit <= high for limit in limits)
    return within and not (interval.lower > interval.estimate or interval.upper < interval.estimate)


def _units(answers: Answers, rng: Rng, case: Case) -> None:
    """Sampling weights have no unit, and equal ones are none."""
    n = case.labels.size
    clusters: Any = np.arange(n) // 2 if chance(rng, 0.3) and n >= 12 else None
    weights = pick(rng, [rng.exponential(size=n) + 1e-3, np.ones(n), rng.integers(1, 4, n) + 0.0])
    unit = pick(rng, UNITS)
    for of in (auc_interval, brier_interval, log_loss_interval):
        where = f"{of.__name__}, unit {unit}, clusters {clusters is not None}, weights {weights.tolist()}, {case}"
        try:
            one = of(ScoredRows.of(case.labels, case.scores, weights=weights, clusters=clusters))
        except th.ThresherError:  # too few clusters of a class
            continue
        other = of(ScoredRows.of(case.labels, case.scores, weights=weights * unit, clusters=clusters))
        for name in ("estimate", "lower", "upper"):
            answers.near(getattr(other, name), getattr(one, name), f"{name} of {where}", **LOOSE)
        answers.check(_holds(one, 0.0, math.inf if of is log_loss_interval else 1.0), f"limits of {where}: {one!r}")
        if clusters is None and np.ptp(weights) == 0:
            plain = of(case.ranking())
            for name in ("estimate", "lower", "upper"):
                answers.near(getattr(one, name), getattr(plain, name), f"{name} of equal weights, {where}", **LOOSE)


def _covariance(answers: Answers, rng: Rng, case: Case) -> None:
    """DeLong's covariance of two AUCs from the placement of every row, and the mirrored difference."""
    scores = {
        "a": case.scores,
        "b": pick(rng, [rng.permutation(case.scores), case.scores, rng.integers(0, 3, case.scores.size)]),
    }
    compared = th.compare(case.labels, scores)
    where = f"b {scores['b'].tolist()}, {case}"
    placed = [_placements(case.labels, each.astype(np.float64)) for each in scores.values()]
    truth = sum(np.cov([model[side] for model in placed]) / len(placed[0][side]) for side in (0, 1))
    covariance: Any = compared.covariance
    answers.near_all(np.ravel(covariance), np.ravel(truth), f"covariance, {where}", relative=1e-7, absolute=1e-12)
    one, other = compared["a", "b"], th.compare(case.labels, dict(reversed(scores.items())))["b", "a"]
    answers.near(one.difference, -other.difference, f"difference turned round, {where}", absolute=1e-12)
    answers.near(one.lower, -other.upper, f"limits turned round, {where}", relative=1e-6, absolute=1e-9)
    answers.near(one.p_value, other.p_value, f"p turned round, {where}", relative=1e-6, absolute=1e-9)
    area = th.auc(case.ranking()) - th.auc(th.rank(case.labels, scores["b"]))
    answers.near(one.difference, area, f"difference, {where}", absolute=1e-12)


def _placements(labels: Any, scores: Any) -> tuple[list[float], list[float]]:
    """The share of negatives that each positive beats, and of positives that beat each negative."""
    positive, negative = scores[labels], scores[~labels]
    wins = (positive[:, None] > negative[None, :]) + 0.5 * (positive[:, None] == negative[None, :])
    return wins.mean(axis=1).tolist(), wins.mean(axis=0).tolist()
