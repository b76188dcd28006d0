"""Slow, obvious oracles: loops over rows and exact fractions, written to be believed at sight.

A row is (is_positive, score, weight); a segment is (score, pos, neg) by falling score;
a split k calls the first k segments positive.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

Row = tuple[bool, Any, Any]
Segment = tuple[float, Any, Any]


def segments(rows: Iterable[Row]) -> list[Segment]:
    """Positives and negatives per distinct score, counted one row at a time."""
    counts: dict[float, list[Any]] = {}
    for positive, score, weight in rows:
        if weight == 0:
            continue
        of_score = counts.setdefault(float(score) + 0.0, [0, 0])
        of_score[0 if positive else 1] += weight
    return [(score, *counts[score]) for score in sorted(counts, reverse=True)]


def table(rows: Iterable[Row], threshold: float) -> tuple[Any, Any, Any, Any]:
    """(tp, fn, fp, tn) with every row looked at: positive iff score >= threshold, none at +inf."""
    tp = fn = fp = tn = 0
    for positive, score, weight in rows:
        result = float(score) >= threshold and threshold < math.inf
        tp += weight if positive and result else 0
        fn += weight if positive and not result else 0
        fp += weight if not positive and result else 0
        tn += weight if not positive and not result else 0
    return tp, fn, fp, tn


def pairs(rows: Sequence[Row]) -> tuple[Fraction, Fraction, Fraction]:
    """Weight of pairs (won, tied, lost), each positive against each negative."""
    won = tied = lost = Fraction(0)
    for positive, high, w in rows:
        for other, low, v in rows:
            if positive and not other:
                both = Fraction(w) * Fraction(v)
                won += both if high > low else 0
                tied += both if high == low else 0
                lost += both if high < low else 0
    return won, tied, lost


def auc(rows: Sequence[Row]) -> Fraction:
    """Pairs won plus half the ties, of all pairs."""
    won, tied, lost = pairs(rows)
    return (won + tied / 2) / (won + tied + lost)


def points(counts: Sequence[tuple[Any, Any]]) -> list[tuple[Fraction, Fraction]]:
    """(fp, tp) at split 0..m of segments given as (pos, neg)."""
    results = [(Fraction(0), Fraction(0))]
    for pos, neg in counts:
        results.append((results[-1][0] + Fraction(neg), results[-1][1] + Fraction(pos)))
    return results


def hull_splits(counts: Sequence[tuple[Any, Any]], *, corners_only: bool = False) -> list[int]:
    """Splits on the upper hull: no chord between an earlier and a later split passes above them.

    With `corners_only`, no chord may pass through them either.
    """
    at = points(counts)
    corners = []
    for k, (x, y) in enumerate(at):
        beaten = False
        for xa, ya in at[:k]:
            for xb, yb in at[k + 1 :]:
                # twice the signed area of a, k, b: above 0 when the chord from a to b passes above k
                above = (yb - ya) * (x - xa) - (y - ya) * (xb - xa)
                beaten |= above > 0 or (corners_only and above == 0)
        if not beaten:
            corners.append(k)
    return corners


def pav(counts: Sequence[tuple[Any, Any]], *, pool_ties: bool = False) -> list[tuple[Fraction, Fraction]]:
    """Pools (pos, neg) of isotonic regression by the textbook loop: merge while a neighbour is out of order."""
    pools: list[tuple[Fraction, Fraction]] = []
    for pos, neg in counts:
        pools.append((Fraction(pos), Fraction(neg)))
        while len(pools) > 1:
            (p1, n1), (p2, n2) = pools[-2:]
            before, after = p1 / (p1 + n1), p2 / (p2 + n2)
            if before > after or (before == after and not pool_ties):
                break
            pools[-2:] = [(p1 + p2, n1 + n2)]
    return pools


def cheapest_splits(counts: Sequence[tuple[Any, Any]], cost_fp: Any, cost_fn: Any) -> tuple[Fraction, list[int]]:
    """The lowest total cost and every split that has it."""
    at = points(counts)
    Pos = at[-1][1]
    costs = [Fraction(cost_fp) * fp + Fraction(cost_fn) * (Pos - tp) for fp, tp in at]
    return min(costs), [k for k, cost in enumerate(costs) if cost == min(costs)]


def partial_auc(counts: Sequence[tuple[Any, Any]], low: Any, high: Any, *, by: str = "fpr") -> Fraction:
    """Area of the ROC polyline between two rates, trapezium by trapezium, in fractions."""
    at = points(counts)
    Neg, Pos = at[-1]
    curve = [(fp / Neg, tp / Pos) for fp, tp in at]
    if by == "tpr":  # the area to the right of the curve: mirrored in the falling diagonal
        curve = [(1 - tpr, 1 - fpr) for fpr, tpr in reversed(curve)]
        low, high = 1 - Fraction(high), 1 - Fraction(low)
    area = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(curve):
        a, b = max(x0, Fraction(low)), min(x1, Fraction(high))
        if a < b:
            height = [y0 + (y1 - y0) * (x - x0) / (x1 - x0) for x in (a, b)]
            area += (b - a) * (height[0] + height[1]) / 2
    return area


def average_precision(counts: Sequence[tuple[Any, Any]]) -> Fraction:
    """Precision at each split, weighted by the recall gained there."""
    at = points(counts)
    Pos = at[-1][1]
    return sum(
        ((tp - before) / Pos * (tp / (tp + fp)) for (_, before), (fp, tp) in pairwise(at)),
        start=Fraction(0),
    )


def pr_area(counts: Sequence[tuple[Any, Any]], *, steps: int = 2000) -> float:
    """Area under precision as a function of recall, by Simpson's rule on every segment.

    Within a segment fp grows linearly with tp (a coin among its cases), so precision is
    tp / (tp + fp0 + slope·(tp - tp0)); in the first segment that is a constant.
    """
    at = points(counts)
    Pos = at[-1][1]
    area = 0.0
    for (fp0, tp0), (fp1, tp1) in pairwise(at):
        if tp1 == tp0:
            continue
        slope = (fp1 - fp0) / (tp1 - tp0)

        def precision(tp: float, fp0: Any = fp0, tp0: Any = tp0, slope: Any = slope) -> float:
            return tp / (tp + float(fp0) + float(slope) * (tp - float(tp0)))

        width = float(tp1 - tp0) / steps
        first = 1 / (1 + float(slope)) if fp0 == 0 and tp0 == 0 else precision(float(tp0))
        heights = [first] + [precision(float(tp0) + i * width) for i in range(1, steps + 1)]
        simpson = heights[0] + heights[-1] + 4 * math.fsum(heights[1:-1:2]) + 2 * math.fsum(heights[2:-1:2])
        area += simpson * width / 3
    return area / float(Pos)


def pr_area_in_decimals(counts: Sequence[tuple[Any, Any]], *, digits: int = 80) -> Decimal:
    """The same area by its integral, ∫ (a + p·t)/(b + c·t) dt over each segment, to so many digits."""
    with localcontext() as context:
        context.prec = digits
        a = b = area = Decimal(0)
        for pos, neg in counts:
            p, c = Decimal(pos), Decimal(pos) + Decimal(neg)
            if p:
                rate = p / c
                area += p * (rate if b == 0 else rate + (a - rate * b) / c * (1 + c / b).ln())
            a, b = a + p, b + c
        return area / a


def costs(ranking: Any, class_ratio: Fraction, cost_ratio: Fraction) -> list[Fraction]:
    """Expected cost at every split at a class ratio, up to a factor that all splits share."""
    tp, fp = ([Fraction(int(count)) for count in covered] for covered in ranking.covered())
    odds = class_ratio * cost_ratio
    return [f / ranking.Neg + odds * (ranking.Pos - t) / ranking.Pos for t, f in zip(tp, fp, strict=True)]


def class_measures(
    actual: Sequence[int], predicted: Sequence[int], matrix: Sequence[Sequence[float]], weights: Sequence[float]
) -> dict[str, float]:
    """Measures of k classes from weighted rows, each by its definition; classes are 0, 1, 2, ..."""
    k, n = len(matrix[0]), len(actual)
    total = math.fsum(weights)

    def weight(holds: Any) -> float:
        return math.fsum(weights[i] for i in range(n) if holds(i))

    def area(c: int, others: set[int]) -> float:
        won = pairs_ = 0.0
        for i in range(n):
            for j in range(n):
                if actual[i] == c and actual[j] in others:
                    p, q = matrix[i][c], matrix[j][c]
                    both = weights[i] * weights[j]
                    won += both * (1.0 if p > q else 0.5 if p == q else 0.0)
                    pairs_ += both
        return won / pairs_

    share = [weight(lambda i, c=c: actual[i] == c) / total for c in range(k)]
    hits = [weight(lambda i, c=c: actual[i] == predicted[i] == c) for c in range(k)]
    calls = [weight(lambda i, c=c: predicted[i] == c) for c in range(k)]
    rest = [area(c, set(range(k)) - {c}) for c in range(k)]
    one = {(c, d): area(c, {d}) for c in range(k) for d in range(k) if c != d}
    squares = [sum((matrix[i][c] - (actual[i] == c)) ** 2 for c in range(k)) / 2 for i in range(n)]
    logs = [-math.log(matrix[i][actual[i]]) if matrix[i][actual[i]] else math.inf for i in range(n)]
    heavy = {pair: share[pair[0]] + share[pair[1]] for pair in one}
    return {
        "overall_accuracy": sum(hits) / total,
        "macro_recall": sum(hits[c] / (share[c] * total) for c in range(k)) / k,
        "macro_f1": sum(2 * hits[c] / (share[c] * total + calls[c]) for c in range(k)) / k,
        "one_vs_rest_macro": sum(rest) / k,
        "one_vs_rest_weighted": sum(share[c] * rest[c] for c in range(k)),
        "one_vs_one_macro": sum(one.values()) / len(one),
        "one_vs_one_weighted": sum(heavy[pair] * one[pair] for pair in one) / sum(heavy.values()),
        "brier": sum(w * each for w, each in zip(weights, squares, strict=True)) / total,
        "log_loss": sum(w * each for w, each in zip(weights, logs, strict=True)) / total,
    }


def class_influence(
    actual: Sequence[int], predicted: Sequence[int], matrix: Sequence[Sequence[float]], weights: Sequence[float]
) -> dict[str, list[float]]:
    """What each row adds to those measures, w · ∂M/∂w, by making every row a little heavier and a little lighter."""
    step = 1e-5
    result: dict[str, list[float]] = {}
    for row in range(len(actual)):
        up, down = (
            class_measures(
                actual, predicted, matrix, [w * (1 + sign * step * (i == row)) for i, w in enumerate(weights)]
            )
            for sign in (1, -1)
        )
        for name in up:
            result.setdefault(name, []).append((up[name] - down[name]) / (2 * step))
    return result
