"""Hull, areas, curves and certified bounds, against brute force, SciPy and scikit-learn."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import stats
from sklearn import metrics
from sklearn.isotonic import IsotonicRegression

import thresher as th
from tests import reference
from tests.fuzz.answers import Answers, chance
from tests.fuzz.cases import Case, Rng, pick, two_classes
from tests.ranges import bounded
from thresher.curves import hull_splits
from thresher.inference import auc_variance
from thresher.ranking import shorten

Points = Sequence[tuple[Fraction, Fraction]]
DIGITS = 60  # of the decimals in which logarithms are taken


def hulls(seed: int, size: int) -> Answers:
    """The hull by chords, as isotonic regression, and as what every cost ratio prefers."""
    rng, answers = np.random.default_rng([4, seed]), Answers()
    case = two_classes(rng, size)
    ranking, points = case.ranking(), case.points()
    if case.unitary:
        touching, corners = _hull(points)
        answers.same(hull_splits(ranking).tolist(), touching, f"splits on the hull, {case}")
        answers.same(hull_splits(ranking, pool="ties").tolist(), corners, f"corners of the hull, {case}")
    pools = th.hull(ranking, pool="ties")
    weights = [float(pos + neg) for _, pos, neg in case.segments()]
    shares = [float(pos / (pos + neg)) for _, pos, neg in case.segments()]
    fitted = IsotonicRegression(increasing=False).fit_transform(np.arange(len(shares)), shares, sample_weight=weights)
    at = np.searchsorted(-pools.score, -ranking.score, side="left")
    value = (pools.pos / (pools.pos + pools.neg))[at]
    answers.near_all(
        value, fitted, f"shares of pools against isotonic regression, {case}", relative=1e-9, absolute=1e-9
    )
    curve = th.cost_curve(ranking)
    Neg, Pos = points[-1]
    for x in rng.random(5):
        share = Fraction(float(x))
        truth = min((1 - tp / Pos) * share + fp / Neg * (1 - share) for fp, tp in points)
        answers.near(curve.at(x), truth, f"cost curve at {x!r}, {case}", relative=1e-9, absolute=1e-12)
    return answers


def areas(seed: int, size: int) -> Answers:
    """Areas and distances of a ranking, each by another way."""
    rng, answers = np.random.default_rng([5, seed]), Answers()
    case = two_classes(rng, size)
    ranking, points = case.ranking(), case.points()
    counts = [(pos, neg) for _, pos, neg in case.segments()]
    loose = 1e-15 if not ranking.weighted else 1e-9
    area = _auc(points)
    answers.near(th.auc(ranking), area, f"auc, {case}", relative=loose, absolute=0 if not ranking.weighted else 1e-12)
    won, tied, lost = reference.pairs(case.rows())
    pairs = th.pairs(ranking)
    answers.near_all([pairs.won, pairs.tied, pairs.lost], [won, tied, lost], f"pairs, {case}", relative=1e-9)
    precision = reference.average_precision(counts)
    answers.near(th.average_precision(ranking), precision, f"average precision, {case}", relative=1e-9)
    answers.near(th.pr_area(ranking), _pr_area(points), f"pr_area, {case}", relative=1e-9)
    distance = max(abs(tp / points[-1][1] - fp / points[-1][0]) for fp, tp in points)
    answers.near(th.ks(ranking).statistic, distance, f"ks, {case}", relative=1e-9, absolute=1e-12)
    low, high = sorted(rng.random(2)) if chance(rng, 0.5) else (0.0, pick(rng, [1.0, 0.1, float(rng.random())]))
    for by in ("fpr", "tpr") if high - low > 1e-6 else ():
        truth = reference.partial_auc(counts, Fraction(low), Fraction(high), by=by)
        ends: dict[str, Any] = {by: (low, high)}
        got = th.partial_auc(ranking, **ends)
        answers.near(got, truth, f"partial_auc by {by} of {low!r} to {high!r}, {case}", relative=1e-9, absolute=1e-12)
    curve = th.roc(ranking)
    Neg, Pos = points[-1]
    answers.near_all(curve.fpr, [fp / Neg for fp, _ in points], f"fpr, {case}", relative=1e-9)
    answers.near_all(curve.tpr, [tp / Pos for _, tp in points], f"tpr, {case}", relative=1e-9)
    _delong(answers, case, ranking)
    if chance(rng, 0.3):
        _peers(answers, case, ranking, high)
    return answers


def bounds(seed: int, size: int) -> Answers:
    """Bounds of rankings of ranges hold the numbers of the rows, and so do those of builders."""
    rng, answers = np.random.default_rng([6, seed]), Answers()
    probabilities = chance(rng, 0.5)
    case = two_classes(rng, size, probabilities=probabilities, weighted=chance(rng, 0.3))
    if not probabilities and case.scores.dtype.kind == "b":
        return answers
    exact = case.ranking()
    condition = th.OperatingCondition(cost_ratio=pick(rng, [1.0, 0.3, 10.0]))
    truth: dict[str, Any] = {
        "auc": th.auc(exact),
        "average_precision": th.average_precision(exact),
        "pr_area": th.pr_area(exact),
        "ks": th.ks(exact).statistic,
        "expected_cost": th.choose(exact, condition).expected_cost,
    }
    if probabilities:
        truth |= {"brier": th.brier(exact), "log_loss": float(th.log_loss(exact))}
    edges = rng.choice(case.scores.astype(np.float64), size=int(rng.integers(0, 6)))
    short = shorten(exact, int(rng.integers(2, 9)), keep="hull")
    if not exact.weighted:
        answers.same(th.auc(short), truth["auc"], f"auc of the shortened ranking, {case}")
        answers.same(th.choose(short, condition).expected_cost, truth["expected_cost"], f"cost of it, {case}")
        pools, others = (str(th.hull(each, pool="ties")) for each in (exact, short))
        answers.same(others, pools, f"hull of it, {case}")
    for name, ranking in (("ranges", _ranges(case, edges)), ("builder", _built(rng, case)), ("short", short)):
        where = f"{name} {ranking.to_dict()}, {case}"
        for number, limits in th.bounds(ranking, condition=condition).items():
            if number in truth:
                inside = limits.lower <= truth[number] <= limits.upper or _rounds(truth[number], limits, ranking)
                answers.check(inside, f"{number} {truth[number]!r} is not within {limits!r}, {where}")
        if not ranking.weighted:
            area, limits = _auc(case.points()), th.bounds(ranking, "auc")
            certain = limits.lower == limits.upper == float(area)
            answers.check(
                certain or Fraction(limits.lower) <= area <= Fraction(limits.upper),
                f"auc {area} not in {limits}, {where}",
            )
            answers.same((ranking.Pos, ranking.Neg), (exact.Pos, exact.Neg), f"totals of {where}")
        for threshold in rng.choice(exact.thresholds(), size=3).tolist():
            at = th.bounds(ranking, "expected_cost", condition=condition, threshold=threshold)
            cost = float(condition.for_data(exact).expected_cost(_table(case, threshold)))
            answers.check(
                at.lower <= cost <= at.upper or _rounds(cost, at, ranking),
                f"cost {cost!r} at {threshold!r} not in {at!r}, {where}",
            )
    return answers


def _rounds(value: float, limits: Any, ranking: th.Ranking) -> bool:
    """Whether a number that the oracle rounds lies within its own rounding of the limits."""
    # Single scores have no bounds to widen, and a difference of sums of uneven weights has fewer digits.
    digits = 1e-9 if ranking.weighted and ranking.ranges is None else 1e-14
    return any(math.isclose(value, limit, rel_tol=digits) for limit in (limits.lower, limits.upper))


def _table(case: Case, threshold: float) -> th.Contingency:
    cells = reference.table(case.rows(), threshold)
    return th.Contingency(*(float(cell) if case.weights is not None else int(cell) for cell in cells))


def _ranges(case: Case, edges: Any) -> th.Ranking:
    return bounded(case.labels, case.scores, edges, case.weights)


def _built(rng: Rng, case: Case) -> th.Ranking:
    """The same rows through a builder of few buckets, batch by batch."""
    builder = th.RankingBuilder(buckets=int(rng.integers(2, 9)))
    for part in np.array_split(np.arange(case.labels.size), int(rng.integers(1, 4))):
        builder.update(case.labels[part], case.scores[part], None if case.weights is None else case.weights[part])
    return builder.ranking()


def _hull(points: Points) -> tuple[list[int], list[int]]:
    """Splits on the hull, and its corners: no slope from before is flatter than any slope onwards."""

    def slope(first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction]) -> Fraction | float:
        run, rise = second[0] - first[0], second[1] - first[1]
        return rise / run if run else math.inf

    last = len(points) - 1
    touching, corners = [0], [0]
    for k in range(1, last):
        before = min(slope(earlier, points[k]) for earlier in points[:k])
        after = max(slope(points[k], later) for later in points[k + 1 :])
        touching += [k] if before >= after else []
        corners += [k] if before > after else []
    return [*touching, last], [*corners, last]


def _auc(points: Points) -> Fraction:
    Neg, Pos = points[-1]
    return sum(((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(points)), Fraction(0)) / (Pos * Neg)


def _pr_area(points: Points) -> float:
    """The integral of precision over recall: within a segment tp / (A tp + B), integrated in many digits."""
    Pos = points[-1][1]
    with localcontext() as context:
        context.prec = DIGITS

        def decimal(fraction: Fraction) -> Decimal:
            return Decimal(fraction.numerator) / Decimal(fraction.denominator)

        area = Decimal(0)
        for (fp0, tp0), (fp1, tp1) in pairwise(points):
            if tp1 == tp0:
                continue
            slope = (fp1 - fp0) / (tp1 - tp0)
            A, B = 1 + slope, fp0 - slope * tp0
            area += decimal((tp1 - tp0) / A)
            if B:
                area -= decimal(B / A**2) * decimal((A * tp1 + B) / (A * tp0 + B)).ln()
        return float(area / decimal(Pos))


def _delong(answers: Answers, case: Case, ranking: th.Ranking) -> None:
    """DeLong's variance from the placement of every single row."""
    if ranking.weighted or min(ranking.Pos, ranking.Neg) < 2:
        return
    positive = [Fraction(float(score)) if math.isfinite(score) else score for label, score, _ in case.rows() if label]
    negative = [
        Fraction(float(score)) if math.isfinite(score) else score for label, score, _ in case.rows() if not label
    ]

    def wins(high: Any, low: Any) -> Fraction:
        return Fraction(1) if high > low else Fraction(1, 2) if high == low else Fraction(0)

    of_pos = [sum((wins(p, n) for n in negative), Fraction(0)) / len(negative) for p in positive]
    of_neg = [sum((wins(p, n) for p in positive), Fraction(0)) / len(positive) for n in negative]
    mean = sum(of_pos) / len(of_pos)
    truth = sum(
        sum((each - mean) ** 2 for each in shares) / (len(shares) - 1) / len(shares) for shares in (of_pos, of_neg)
    )
    answers.near(auc_variance(ranking), truth, f"DeLong's variance, {case}", relative=1e-9, absolute=1e-18)


def _peers(answers: Answers, case: Case, ranking: th.Ranking, most: float) -> None:
    """What SciPy and scikit-learn say; they take finite float64 scores."""
    if not np.isfinite(case.scores.astype(np.float64)).all():
        return
    # By rank: scikit-learn would take scores closer than its tolerance for equal.
    rank = np.unique(case.scores, return_inverse=True)[1].astype(np.float64)
    options = {"sample_weight": case.weights}
    loose = {"relative": 1e-9, "absolute": 1e-9}
    answers.near(th.auc(ranking), metrics.roc_auc_score(case.labels, rank, **options), f"auc, {case}", **loose)
    peer = metrics.average_precision_score(case.labels, rank, **options)
    answers.near(th.average_precision(ranking), peer, f"average precision against scikit-learn, {case}", **loose)
    if 0 < most < 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer = metrics.roc_auc_score(case.labels, rank, max_fpr=most, **options)
        value = th.partial_auc(ranking, fpr=(0, most), standardised=True)
        answers.near(
            value, peer, f"partial auc up to {most!r} against scikit-learn, {case}", relative=1e-7, absolute=1e-7
        )
    if case.weights is None:
        positive, negative = rank[case.labels], rank[~case.labels]
        u = stats.mannwhitneyu(positive, negative).statistic / (positive.size * negative.size)
        answers.near(th.auc(ranking), u, f"auc against Mann and Whitney, {case}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer = stats.ks_2samp(positive, negative).statistic
        answers.near(th.ks(ranking).statistic, peer, f"ks against SciPy, {case}", relative=1e-12)
