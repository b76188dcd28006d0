"""Probabilities: losses, calibration error, decomposition and maps, against sums over rows and scikit-learn."""

from __future__ import annotations

import math
import warnings
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from sklearn import metrics

import thresher as th
from tests import reference
from tests.fuzz.answers import Answers, chance
from tests.fuzz.cases import Case, Rng, pick, two_classes
from thresher.calibration import CalibrationMap

LOOSE = {"relative": 1e-9, "absolute": 1e-12}


def losses(seed: int, size: int) -> Answers:
    """Brier score, log loss, calibration error and their parts."""
    rng, answers = np.random.default_rng([7, seed]), Answers()
    case = two_classes(rng, size, probabilities=True)
    ranking, rows = case.ranking(), case.rows()
    total = sum(case.exact, Fraction(0))
    brier = sum((w * (Fraction(p) - y) ** 2 for y, p, w in rows), Fraction(0)) / total
    answers.near(th.brier(ranking), brier, f"brier, {case}", relative=1e-12, absolute=1e-300)
    answers.near(th.brier_curve(ranking).area, brier, f"area of the Brier curve, {case}", **LOOSE)
    answers.near(th.log_loss(ranking), _log_loss(case), f"log loss, {case}", relative=1e-9, absolute=1e-15)
    pools = reference.pav([(pos, neg) for _, pos, neg in case.segments()], pool_ties=True)
    refinement = sum((p * n / (p + n) for p, n in pools), Fraction(0)) / total
    Pos = sum((w for y, _, w in rows if y), Fraction(0))
    spread = Pos * (total - Pos) / total**2
    hull = th.decomposition(ranking, bins="hull")
    exact = th.decomposition(ranking)
    answers.near(hull.refinement, refinement, f"refinement over the hull, {case}", **LOOSE)
    answers.near(hull.miscalibration, brier - refinement, f"miscalibration, {case}", **LOOSE)
    answers.near(hull.discrimination, spread - refinement, f"discrimination, {case}", **LOOSE)
    answers.near(exact.uncertainty, spread, f"uncertainty, {case}", **LOOSE)
    own = sum((p * n / (p + n) for _, p, n in case.segments()), Fraction(0)) / total
    answers.near(exact.refinement, own, f"refinement over segments, {case}", **LOOSE)
    answers.near(exact.calibration + exact.refinement, brier, f"the two parts of the Brier score, {case}", **LOOSE)
    _bins(answers, rng, case, ranking, total)
    for at in (float(rng.random()), pick(rng, [0.0, 0.5, 0.999, float(case.scores[0])])):
        if at < 1:
            acted = sum(
                (w if y else -w * Fraction(at) / (1 - Fraction(at)) for y, p, w in rows if p >= at), Fraction(0)
            )
            benefit = th.net_benefit(ranking, threshold=at).model[0]
            answers.near(benefit, acted / total, f"net benefit at {at!r}, {case}", **LOOSE)
    if chance(rng, 0.3):
        options = {"sample_weight": case.weights}
        scores = case.scores.astype(np.float64)
        answers.near(
            th.brier(ranking), metrics.brier_score_loss(case.labels, scores, **options), f"brier, {case}", **LOOSE
        )
        if scores.min() > 0 and scores.max() < 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                peer = metrics.log_loss(case.labels, scores, **options)
            clip = float(np.finfo(np.float64).eps)  # as scikit-learn does without a word
            answers.near(th.log_loss(ranking, clip=clip), peer, f"log loss, {case}", relative=1e-6, absolute=1e-9)
    return answers


def maps(seed: int, size: int) -> Answers:
    """Calibration maps: each row gets the share of its pool or bin, before and after JSON."""
    rng, answers = np.random.default_rng([8, seed]), Answers()
    case = two_classes(rng, size)
    ranking, segments = case.ranking(), case.segments()
    scores = np.array([score for score, _, _ in segments])
    isotonic = th.calibration_map(ranking)
    shares = _pool_shares(segments)
    answers.near_all(isotonic(scores), shares, f"isotonic map at its own scores, {case}", **LOOSE)
    between = np.concatenate([ranking.thresholds()[1:-1], [-np.inf, np.inf], rng.choice(scores, 3)])
    mapped = isotonic(np.sort(between))
    answers.check(bool((np.diff(mapped) >= 0).all()), f"isotonic map falls: {mapped.tolist()}, {case}")
    again = CalibrationMap.from_json(isotonic.to_json())
    answers.same(again(between).tolist(), isotonic(between).tolist(), f"isotonic map after JSON, {case}")
    # A threshold that some cost ratio prefers calls what the map gives at least the matching probability.
    choice = th.choose(ranking, th.OperatingCondition(cost_ratio=pick(rng, [1.0, 0.3, 7.0])))
    limit = 1 / (1 + choice.condition.cost_ratio)
    calls = (scores >= choice.threshold) & (choice.threshold < math.inf)
    agree = np.where(calls, isotonic(scores) >= limit - 1e-9, isotonic(scores) <= limit + 1e-9)
    reachable = ranking.threshold(1) < math.inf  # else the choice lacks a split that the map has
    answers.check(bool(agree.all()) or not reachable, f"calls at {choice.threshold!r} and probabilities part, {case}")
    if np.isfinite(scores).all():
        ramps = th.calibration_map(ranking, interpolate=True)
        answers.near_all(ramps(scores), shares, f"ramps at their own scores, {case}", **LOOSE)
    histogram = th.calibration_map(ranking, method="histogram", bins=int(rng.integers(1, 12)))
    values = histogram(scores)
    total = sum((float(v) * float(pos + neg) for v, (_, pos, neg) in zip(values, segments, strict=True)), 0.0)
    answers.near(total, ranking.Pos, f"expected positives of the histogram, {case}", relative=1e-9)
    if np.isfinite(scores).all() and scores.min() >= 0 and scores.max() <= 1:
        _platt(answers, case, ranking)
    laplace = th.calibration_map(ranking, smoothing="laplace")(scores)
    answers.check(bool(((laplace > 0) & (laplace < 1)).all()), f"Laplace's map reaches 0 or 1, {case}")
    return answers


def _platt(answers: Answers, case: Case, ranking: th.Ranking) -> None:
    """Platt's curve expects as many positives as its targets hold, as the best intercept does."""
    curve = th.calibration_map(ranking, method="platt")(ranking.score)
    Pos, Neg = float(ranking.Pos), float(ranking.Neg)
    target = Pos * (Pos + 1) / (Pos + 2) + Neg / (Neg + 2)
    expected = float(((ranking.pos + ranking.neg) * curve).sum())
    answers.near(expected, target, f"expected positives by Platt, {case}", relative=1e-5)


def _pool_shares(segments: list[tuple[float, Fraction, Fraction]]) -> list[Fraction]:
    """The share of positives in the pool of every segment."""
    shares: list[Fraction] = []
    for pos, neg in reference.pav([(pos, neg) for _, pos, neg in segments]):
        seen = Fraction(0)
        while seen < pos + neg:
            seen += segments[len(shares)][1] + segments[len(shares)][2]
            shares.append(pos / (pos + neg))
    return shares


def _log_loss(case: Case) -> float:
    """The mean of minus the logarithm of what each row's class was given, in many digits."""
    with localcontext() as context:
        context.prec = 50
        total, lost = Decimal(0), Decimal(0)
        for positive, score, weight in case.rows():
            share = Fraction(score) if positive else 1 - Fraction(score)
            heavy = Decimal(weight.numerator) / Decimal(weight.denominator)
            total += heavy
            if heavy and not share:
                return math.inf
            if heavy:
                lost -= heavy * (Decimal(share.numerator) / Decimal(share.denominator)).ln()
        return float(lost / total)


def _bins(answers: Answers, rng: Rng, case: Case, ranking: th.Ranking, total: Fraction) -> None:
    """Reliability and calibration error over bins of equal width; a score on an edge goes up."""
    count = int(rng.integers(1, 12))
    edges = [i / count for i in range(1, count)]
    inside: dict[int, list[tuple[bool, float, Fraction]]] = {}
    for row in case.rows():
        if row[2]:
            inside.setdefault(sum(row[1] >= edge for edge in edges), []).append(row)
    table = th.reliability(ranking, bins="uniform", count=count)
    gaps = Fraction(0)
    for at, number in enumerate(sorted(inside, reverse=True)):
        weight = sum((w for _, _, w in inside[number]), Fraction(0))
        mean = sum((w * Fraction(p) for _, p, w in inside[number]), Fraction(0)) / weight
        share = sum((w for y, _, w in inside[number] if y), Fraction(0)) / weight
        gaps += weight * abs(mean - share)
        answers.near(table.score[at], mean, f"mean score of bin {number} of {count}, {case}", **LOOSE)
        answers.near(table.observed[at], share, f"share of bin {number} of {count}, {case}", **LOOSE)
    answers.same(len(table), len(inside), f"number of bins, {case}")
    if all(weight.denominator == 1 for weight in case.exact):
        gap = th.ece(ranking, count=count, replicates=2)
        answers.near(gap.estimate, gaps / total, f"calibration error over {count} bins, {case}", **LOOSE)
