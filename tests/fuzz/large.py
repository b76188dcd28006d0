"""Rankings of many rows, which are sorted in buckets and counted in chunks, against plain NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.isotonic import IsotonicRegression

import thresher as th
from tests.fuzz.answers import Answers, chance
from tests.fuzz.cases import Array, Rng, pick

ROWS = 5_000  # of a case, per unit of its size
SCORES: Mapping[str, Callable[[Rng, int], Array]] = {
    "uniform": lambda rng, n: rng.random(n),
    "float32": lambda rng, n: rng.random(n).astype(np.float32),
    "rounded": lambda rng, n: rng.random(n).round(3),
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "infinite ends": lambda rng, n: np.where(
        rng.random(n) < 0.01, rng.choice([-np.inf, np.inf], n), rng.normal(size=n)
    ),
    "one far away": lambda rng, n: np.append(rng.random(n - 1), 1e300),
    "neighbours": lambda rng, n: 0.5 + np.spacing(0.5) * rng.integers(-2000, 2000, n),
    "signed zeros": lambda rng, n: rng.choice([-0.0, 0.0, 1e-320, -1e-320], n),
    "integers": lambda rng, n: rng.integers(-(2**40), 2**40, n),
    "bytes": lambda rng, n: rng.integers(0, 255, n).astype(np.uint8),
    "sorted": lambda rng, n: np.sort(rng.random(n)),
    "falling": lambda rng, n: np.sort(rng.random(n))[::-1],
}


def check(seed: int, size: int) -> Answers:
    """Segments, areas, the hull and the cheapest splits of up to 300,000 rows."""
    rng, answers = np.random.default_rng([15, seed]), Answers()
    n = int(rng.integers(2, ROWS * size))
    kind = pick(rng, SCORES)
    scores = SCORES[kind](rng, n)
    labels = rng.random(n) < pick(rng, [0.5, 0.01, rankdata(scores) / n])
    labels[:2] = [True, False]
    where = f"{n:,} rows of {kind}"
    ranking = th.rank(labels, scores)
    score, place = np.unique(-(scores.astype(np.float64) + 0.0), return_inverse=True)
    pos = np.bincount(place, weights=labels, minlength=score.size).astype(np.int64)
    neg = np.bincount(place, weights=~labels, minlength=score.size).astype(np.int64)
    answers.check(np.array_equal(ranking.score, -score), f"scores of {where}")
    answers.check(np.array_equal(ranking.pos, pos), f"positives of {where}")
    answers.check(np.array_equal(ranking.neg, neg), f"negatives of {where}")
    tp, fp = (np.concatenate([[0], np.cumsum(counts)]) for counts in (pos, neg))
    Pos, Neg = int(tp[-1]), int(fp[-1])
    halves = int((neg * (tp[:-1] + tp[1:])).sum())
    answers.same(th.auc(ranking), float(Fraction(halves, 2 * Pos * Neg)), f"auc of {where}")
    distance = int(np.abs(tp * Neg - fp * Pos).max())
    answers.near(th.ks(ranking).statistic, Fraction(distance, Pos * Neg), f"ks of {where}")
    precision = float((pos * (tp[1:] / (tp[1:] + fp[1:]))).sum() / Pos)
    answers.near(th.average_precision(ranking), precision, f"average precision of {where}", relative=1e-9)
    _choices(answers, rng, ranking, (tp, fp), where)
    _hull(answers, ranking, (pos, neg), where)
    _sketches(answers, rng, labels, scores, where)
    if chance(rng, 0.3):
        _weights(answers, rng, (labels, scores), (place, score.size), where)
    return answers


def _choices(answers: Answers, rng: Rng, ranking: th.Ranking, covered: tuple[Any, Any], where: str) -> None:
    """The cheapest splits of whole costs, all of them."""
    tp, fp = covered
    a, b = (int(each) for each in rng.integers(1, 50, 2))
    costs = fp * a + (tp[-1] - tp) * b
    choice = th.choose(ranking, th.OperatingCondition(cost_fp=a, cost_fn=b))
    best = np.flatnonzero(costs == costs.min())
    answers.same(choice.splits.tolist(), best.tolist(), f"splits of least cost {a}:{b} of {where}")
    accuracy = th.choose(ranking, maximise="accuracy")
    right = tp + fp[-1] - fp
    answers.same(accuracy.splits.tolist(), np.flatnonzero(right == right.max()).tolist(), f"best accuracy of {where}")


def _hull(answers: Answers, ranking: th.Ranking, counts: tuple[Any, Any], where: str) -> None:
    """The pools of isotonic regression."""
    pos, neg = counts
    fitted = IsotonicRegression(increasing=False).fit_transform(
        np.arange(pos.size), pos / (pos + neg), sample_weight=(pos + neg).astype(np.float64)
    )
    pools = th.hull(ranking, pool="ties")
    at = np.searchsorted(-pools.score, -ranking.score, side="left")
    gap = float(np.abs((pools.pos / (pools.pos + pools.neg))[at] - fitted).max())
    answers.check(gap < 1e-9, f"shares of pools differ by {gap:g} from isotonic regression, {where}")


def _sketches(answers: Answers, rng: Rng, labels: Array, scores: Array, where: str) -> None:
    """Builders of few buckets, and what their bounds hold."""
    builder = th.RankingBuilder(buckets=int(rng.integers(2, 3000)))
    for part in np.array_split(np.arange(labels.size), int(rng.integers(1, 6))):
        builder.update(labels[part], scores[part])
    exact, sketch = th.rank(labels, scores), builder.ranking()
    numbers: Mapping[str, float] = {
        "auc": th.auc(exact),
        "ks": th.ks(exact).statistic,
        "average_precision": th.average_precision(exact),
        "pr_area": th.pr_area(exact),
        "expected_cost": th.choose(exact).expected_cost,
    }
    for name, limits in th.bounds(sketch).items():
        if name in numbers:
            close = 1e-12 * abs(numbers[name])
            holds = limits.lower - close <= numbers[name] <= limits.upper + close
            answers.check(holds, f"{name} {numbers[name]!r} is not within {limits!r}, {where}")
    scanned = th.scan({"y": labels, "p": scores}, label="y", score="p", exact=True)
    answers.check(scanned == exact, f"a scan of {where} differs")


def _weights(answers: Answers, rng: Rng, rows: tuple[Array, Array], places: tuple[Array, int], where: str) -> None:
    """Sums of weights per score."""
    (labels, scores), (place, segments) = rows, places
    weights = rng.uniform(0.1, 3, labels.size)
    ranking = th.rank(labels, scores, weights=weights)
    for name, side in (("pos", labels), ("neg", ~labels)):
        sums = np.bincount(place, weights=weights * side, minlength=segments)
        answers.check(bool(np.allclose(getattr(ranking, name), sums, rtol=1e-9, atol=1e-9)), f"weights {name}, {where}")
