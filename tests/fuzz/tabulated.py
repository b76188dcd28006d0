"""Confusion matrices, tests and intervals of counts, against scikit-learn, SciPy and statsmodels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import stats
from sklearn import metrics
from statsmodels.stats.contingency_tables import mcnemar as peer_mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

import thresher as th
from tests import reference
from tests.fuzz.answers import Answers, chance
from tests.fuzz.cases import Rng, pick
from thresher.errors import OneClassError
from thresher.inference import holm, mcnemar
from thresher.tables import chi_squared, fisher

LOOSE = {"relative": 1e-9, "absolute": 1e-12}
_PEERS: Mapping[Any, str] = {
    "wilson": "wilson",
    "exact": "beta",
    "agresti-coull": "agresti_coull",
    "jeffreys": "jeffreys",
}


def check(seed: int, size: int) -> Answers:
    """A confusion matrix of k classes, and what is computed of counts."""
    rng, answers = np.random.default_rng([9, seed]), Answers()
    _confusion(answers, rng, size)
    _independence(answers, rng)
    _mcnemar(answers, rng, size)
    _rates(answers, rng)
    if chance(rng, 0.1):  # statsmodels collects garbage on every call, which takes longer than all else here
        p = rng.choice([0.0, 1.0, 0.01, 0.01, 0.04, *rng.random(4)], size=int(rng.integers(1, 40)))
        answers.near_all(holm(p.tolist()), multipletests(p, method="holm")[1], f"Holm of {p.tolist()}", **LOOSE)
    return answers


def classes(seed: int, size: int) -> Answers:
    """Areas and losses of k classes, by loops over rows and by scikit-learn."""
    rng, answers = np.random.default_rng([16, seed]), Answers()
    k = int(rng.integers(2, 5))
    n = int(rng.integers(k, max(k + 1, size)))
    actual = np.append(np.arange(k), rng.integers(0, k, n - k))
    draws = rng.random((n, k)) if chance(rng, 0.5) else rng.integers(1, 4, (n, k)).astype(np.float64)
    matrix = draws / draws.sum(axis=1, keepdims=True)
    weights = pick(rng, [np.ones(n), rng.integers(1, 4, n) + 0.0, rng.uniform(0.1, 3, n)])
    where = f"labels {actual.tolist()}, matrix {matrix.tolist()}, weights {weights.tolist()}"
    truth = reference.class_measures(actual.tolist(), matrix.argmax(axis=1).tolist(), matrix.tolist(), weights.tolist())
    segments = th.segment(actual, matrix, classes=range(k), weights=weights)
    areas = segments.areas
    for name in ("one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted"):
        answers.near(getattr(areas, name), truth[name], f"{name}, {where}", **LOOSE)
    answers.near(th.brier(segments), truth["brier"], f"brier, {where}", **LOOSE)
    answers.near(th.log_loss(segments), truth["log_loss"], f"log loss, {where}", **LOOSE)
    counts = th.confusion(actual, matrix.argmax(axis=1), classes=range(k), weights=weights)
    for name in ("overall_accuracy", "macro_recall", "macro_f1"):
        answers.near(getattr(counts, name), truth[name], f"{name}, {where}", **LOOSE)
    if k > 2 and np.ptp(weights) == 0:
        for how, way in (("ovr", "one_vs_rest"), ("ovo", "one_vs_one")):
            peer = metrics.roc_auc_score(actual, matrix, multi_class=how, average="macro")
            answers.near(getattr(areas, f"{way}_macro"), peer, f"{how} against scikit-learn, {where}", **LOOSE)
    return answers


def _confusion(answers: Answers, rng: Rng, size: int) -> None:
    k, n = int(rng.integers(2, 6)), int(rng.integers(1, size + 1))
    names: Any = pick(rng, [["a", "b", "c", "d", "e"], [3, 1, -7, 0, 2], ["é", "B", "b", "", " x"]])[:k]
    actual = rng.integers(0, k, n)
    predicted = np.where(rng.random(n) < 0.6, actual, rng.integers(0, int(rng.integers(1, k + 1)), n))
    weights = pick(rng, [None, rng.integers(0, 4, n) + 0.0, rng.uniform(0.1, 3, n)])
    if weights is not None:
        weights[0] = 1.0
    labels, calls = ([names[i] for i in each] for each in (actual, predicted))
    matrix = th.confusion(labels, calls, classes=names, weights=weights)
    where = f"labels={labels}, predictions={calls}, classes={names}, weights={weights}"
    weighing = {"sample_weight": weights}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        counts = metrics.confusion_matrix(labels, calls, labels=names, **weighing)
        answers.near_all(matrix.counts.ravel(), counts.ravel(), f"counts, {where}", **LOOSE)
        answers.near(
            matrix.overall_accuracy, metrics.accuracy_score(labels, calls, **weighing), f"accuracy, {where}", **LOOSE
        )
        for how in ("micro", "macro", "weighted"):
            options = {"average": how, "labels": names, "zero_division": np.nan, **weighing}
            for name, peer in (("precision", metrics.precision_score), ("recall", metrics.recall_score)):
                _average(answers, matrix, (how, name), peer(labels, calls, **options), where)
            _average(answers, matrix, (how, "f1"), metrics.f1_score(labels, calls, **options), where)
        each = metrics.precision_recall_fscore_support(labels, calls, labels=names, zero_division=np.nan, **weighing)
        for name, truth in zip(("precision", "recall"), each[:2], strict=True):
            answers.near_all(getattr(matrix, name), truth, f"{name} of classes, {where}", **LOOSE)
        if not math.isnan(matrix.mcc):
            answers.near(matrix.mcc, metrics.matthews_corrcoef(labels, calls, **weighing), f"mcc, {where}", **LOOSE)
        if not math.isnan(matrix.kappa):
            answers.near(matrix.kappa, cohens_kappa(counts).kappa, f"kappa, {where}", relative=1e-9, absolute=1e-9)
    again = th.ConfusionMatrix.from_json(matrix.to_json())
    answers.same(again, matrix, f"the matrix after JSON, {where}")
    half = n // 2
    if 0 < half < n and (weights is None or (weights[:half].any() and weights[half:].any())):
        parts = [
            th.confusion(labels[at], calls[at], classes=names, weights=None if weights is None else weights[at])
            for at in (slice(half), slice(half, None))
        ]
        answers.near_all(
            (parts[0] + parts[1]).counts.ravel(), matrix.counts.ravel(), f"the matrix of two halves, {where}", **LOOSE
        )


def _average(answers: Answers, matrix: th.ConfusionMatrix, which: tuple[Any, str], peer: float, where: str) -> None:
    """An average over classes; where a class has no value, scikit-learn leaves it out and thresher gives NaN."""
    how, name = which
    value = matrix.average(how, name)
    if math.isnan(value):
        table = matrix.per_class
        values = th.MEASURES["tpr" if name == "recall" else name].of(table)
        counts = table.Pos > 0 if how == "weighted" else np.ones(values.size, dtype=bool)
        missing = bool(np.isnan(values[counts]).any()) or not counts.any()
        answers.check(missing, f"{how} {name} is NaN though every class has a value, {where}")
        return
    answers.near(value, peer, f"{how} {name}, {where}", **LOOSE)


def _independence(answers: Answers, rng: Rng) -> None:
    k = 2 if chance(rng, 0.6) else int(rng.integers(3, 6))
    counts = rng.integers(0, pick(rng, [3, 12, 5000]), (k, k))
    matrix = th.ConfusionMatrix(counts, list(range(k)))
    table = th.Contingency(*counts.ravel().tolist()) if k == 2 else None
    where = f"counts {counts.tolist()}"
    if not (counts.sum(axis=0).all() and counts.sum(axis=1).all()):
        answers.raises(OneClassError, lambda: chi_squared(matrix), f"χ² of {where}")
        return
    for correction in (False, True) if k == 2 else (False,):
        peer = stats.chi2_contingency(counts, correction=correction)
        value = chi_squared(matrix, correction=correction)
        answers.near(value.statistic, peer.statistic, f"χ² of {where}, correction {correction}", **LOOSE)
        answers.near(value.p_value, peer.pvalue, f"p of χ² of {where}, correction {correction}", relative=1e-9)
    if table is not None:
        way: Any = pick(rng, ["two-sided", "greater", "less"])
        truth = _fisher(counts, way)
        answers.near(fisher(table, alternative=way).p_value, truth, f"p of Fisher ({way}) of {where}", relative=1e-7)


def _fisher(counts: Any, way: str) -> float:
    """The p-value by adding up the probabilities of all tables with these marginals, exactly."""
    (a, b), (c, d) = counts.tolist()
    row, column, total = a + b, a + c, a + b + c + d
    if total > 400:
        return float(stats.fisher_exact(counts, alternative=way).pvalue)
    ways = {
        x: math.comb(row, x) * math.comb(total - row, column - x)
        for x in range(max(0, column - (total - row)), min(row, column) + 1)
    }
    taken = {
        "two-sided": lambda x: ways[x] <= ways[a],
        "greater": lambda x: x >= a,
        "less": lambda x: x <= a,
    }[way]
    return float(Fraction(sum(count for x, count in ways.items() if taken(x)), math.comb(total, column)))


def _mcnemar(answers: Answers, rng: Rng, size: int) -> None:
    n = int(rng.integers(1, size + 1))
    labels, a, b = (rng.random(n) < 0.5 for _ in range(3))
    a, b = np.where(rng.random(n) < 0.5, labels, a), np.where(rng.random(n) < 0.5, labels, b)
    where = f"labels {labels.astype(int).tolist()}, a {a.astype(int).tolist()}, b {b.astype(int).tolist()}"
    table = [[int(((a == labels) == x)[(b == labels) == y].sum()) for y in (True, False)] for x in (True, False)]
    methods: Mapping[Any, Any] = {"exact": {"exact": True}, "chi-squared": {"exact": False, "correction": False}}
    for method, options in methods.items():
        value = mcnemar(labels, a, b, method=method)
        answers.same(
            (value.both, value.only_a, value.only_b, value.neither), (*table[0], *table[1]), f"counts, {where}"
        )
        if value.only_a + value.only_b:
            peer = peer_mcnemar(table, **options)
            answers.near(value.p_value, peer.pvalue, f"p of McNemar ({method}), {where}", **LOOSE)
            answers.near(value.statistic, peer.statistic, f"statistic of McNemar ({method}), {where}", **LOOSE)
    inside = value.interval.lower <= value.difference <= value.interval.upper
    answers.check(inside, f"difference {value.difference!r} outside {value.interval!r}, {where}")
    answers.near(value.difference, np.mean(a == labels) - np.mean(b == labels), f"difference, {where}", absolute=1e-12)


def _rates(answers: Answers, rng: Rng) -> None:
    n = pick(rng, [1, 2, 10, 1000, 10**7, int(rng.integers(1, 200))])
    k = pick(rng, [0, n, int(rng.integers(0, n + 1)), 1])
    level = pick(rng, [0.95, 0.5, 0.999])
    for method, peer in _PEERS.items():
        value = th.rate_interval(k, n, level=level, method=method)
        lower, upper = proportion_confint(k, n, alpha=1 - level, method=peer)
        if method == "jeffreys":  # closed at the ends (Brown, Cai & DasGupta 2001), which statsmodels leaves out
            lower, upper = (0.0 if k == 0 else lower), (1.0 if k == n else upper)
        truth = min(max(float(lower), 0.0), k / n), max(min(float(upper), 1.0), k / n)
        where = f"{method} limits of {k} in {n} at {level}"
        answers.near_all([value.lower, value.upper], truth, where, relative=1e-7, absolute=1e-9)
        answers.check(value.lower <= value.estimate <= value.upper and value.lower < value.upper, f"{where}: {value!r}")
