"""Measures at every split, against fractions from their definitions and against scikit-learn."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from sklearn import metrics

import thresher as th
from tests import reference
from tests.fuzz.answers import Answers, chance
from tests.fuzz.cases import Case, pick, rows
from tests.fuzz.definitions import DEFINITIONS, Cells, f_beta, tables
from thresher.errors import OneClassError
from thresher.tables import contingency_at, measure
from thresher.tables.condition import simplest

BETAS = (0.5, 2.0, 3.0)
NEEDS_BOTH: tuple[Any, ...] = (
    th.auc,
    th.hull,
    th.roc,
    th.precision_recall,
    th.average_precision,
    th.pr_area,
    th.ks,
    th.choose,
    th.lift,
)


def check(seed: int, size: int) -> Answers:
    """Every measure of every split of a ranking."""
    rng, answers = np.random.default_rng([1, seed]), Answers()
    case = rows(rng, size)
    ranking = case.ranking()
    _segments(answers, case, ranking)
    _thresholds(answers, case, ranking)
    if case.classes == 1:
        for function in NEEDS_BOTH:
            answers.raises(OneClassError, partial(function, ranking), f"{function.__name__} of {case}")
    points = case.points()
    curve = th.coverage(ranking)
    # Sums of weights round, and differences of sums of very different weights lose digits.
    binary = all(weight.denominator in (1, 2, 4, 8) for weight in case.exact)
    relative, absolute = (1e-14, 0.0) if binary else (1e-7, 1e-9)
    cells = tables(points)
    for name, known in th.MEASURES.items():
        values = [DEFINITIONS[name](table) for table in cells]
        answers.near_all(known.of(curve), values, f"{name} of {case}", relative=relative, absolute=absolute)
    split = int(rng.integers(len(points)))
    for beta in BETAS:
        truth = f_beta(cells[split], Fraction(beta))
        one = measure(f"f{beta:g}").of(curve.at(split))
        answers.near(one, truth, f"f{beta:g} at split {split} of {case}", relative=relative, absolute=absolute)
    for name, known in th.MEASURES.items():  # a single table takes another path than columns do
        truth = DEFINITIONS[name](cells[split])
        what = f"{name} of the table at split {split} of {case}"
        answers.near(known.of(curve.at(split)), truth, what, relative=relative, absolute=absolute)
    if case.classes == 2:
        _at_class_ratio(answers, rng, case, curve.at(split), cells[split])
    if chance(rng, 0.3) and (split != 1 or curve.threshold[1] < math.inf):
        _peer(answers, case, float(curve.threshold[split]), curve.at(split))
    return answers


def _segments(answers: Answers, case: Case, ranking: th.Ranking) -> None:
    """The ranking itself."""
    truth = case.segments()
    answers.same(ranking.score.tolist(), [score for score, _, _ in truth], f"scores of {case}")
    for name, at in (("pos", 1), ("neg", 2)):
        answers.near_all(getattr(ranking, name), [segment[at] for segment in truth], f"{name} of {case}")


def _thresholds(answers: Answers, case: Case, ranking: th.Ranking) -> None:
    """Every threshold calls the rows that its split calls, looked at one by one."""
    curve, table = ranking.thresholds(), case.rows()
    tp, fp = ranking.covered()
    for split, threshold in enumerate(curve.tolist()):
        hits, _, alarms, _ = reference.table(table, threshold)
        what = f"calls at split {split} (threshold {threshold!r}) of {case}"
        answers.near_all([tp[split], fp[split]], [hits, alarms], what, relative=1e-9)
        lower, upper = ranking.interval(split)
        answers.check(lower < threshold <= upper or math.isinf(threshold), f"{what}: interval {lower!r}, {upper!r}")
        at = contingency_at(ranking, threshold)
        answers.same((at.tp, at.fp), (tp[split], fp[split]), what)


def _at_class_ratio(
    answers: Answers, rng: np.random.Generator, case: Case, table: th.Contingency, cells: Cells
) -> None:
    """Measures of the same rates at another class mix."""
    ratio = pick(rng, [1.0, 1 / 3, 1e-9, 1e9, 1e-3, float(rng.uniform(0.01, 100))])
    scale = cells.Pos / (simplest(ratio) * cells.Neg)
    other = cells._replace(fp=cells.fp * scale, tn=cells.tn * scale)
    for name, known in th.MEASURES.items():
        truth = DEFINITIONS[name](other)
        what = f"{name} at class ratio {ratio!r} of {table}, {case}"
        answers.near(known.of(table, class_ratio=ratio), truth, what, relative=1e-6, absolute=1e-9)


def _peer(answers: Answers, case: Case, threshold: float, table: th.Contingency) -> None:
    """What scikit-learn says of the calls at one threshold, wherever it has a value of its own."""
    scores = case.scores.astype(np.float64)
    calls = (scores >= threshold) & (threshold < math.inf)
    options = {"sample_weight": case.weights}
    peers = {
        "accuracy": metrics.accuracy_score,
        "precision": metrics.precision_score,
        "tpr": metrics.recall_score,
        "f1": metrics.f1_score,
        "jaccard": metrics.jaccard_score,
        "mcc": metrics.matthews_corrcoef,
        "kappa": metrics.cohen_kappa_score,
        "average_recall": metrics.balanced_accuracy_score,
    }
    for name, peer in peers.items():
        value = float(th.MEASURES[name].of(table))
        if math.isnan(value):
            continue  # where scikit-learn puts 0, thresher says that there is no value
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            truth = float(peer(case.labels, calls, **options))
        answers.near(
            value, truth, f"{name} at {threshold!r} against scikit-learn, {case}", relative=1e-9, absolute=1e-9
        )
