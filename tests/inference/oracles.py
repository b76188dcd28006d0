"""Slow, obvious oracles for inference: definitions written out case by case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

import thresher as th
from thresher.inference.intervals.table import CELLS, RATES


def apparent(interval: th.Interval) -> float:
    """What the data themselves show, before any bias is taken off."""
    return interval.estimate if interval.apparent is None else interval.apparent


def wins(high: float, low: float) -> float:
    return 1.0 if high > low else 0.5 if high == low else 0.0


def placements(labels: Any, scores: Any) -> tuple[list[float], list[float], float]:
    """V10 per positive, V01 per negative and the AUC, by meeting every pair."""
    pos = [float(s) for y, s in zip(labels, scores, strict=True) if y]
    neg = [float(s) for y, s in zip(labels, scores, strict=True) if not y]
    v10 = [sum(wins(p, q) for q in neg) / len(neg) for p in pos]
    v01 = [sum(wins(p, q) for p in pos) / len(pos) for q in neg]
    return v10, v01, sum(v10) / len(v10)


def delong_covariance(labels: Any, models: Sequence[Any]) -> np.ndarray[Any, Any]:
    """DeLong, DeLong & Clarke-Pearson (1988): S10 / m + S01 / n, entry by entry."""
    parts = [placements(labels, scores) for scores in models]
    k = len(models)
    covariance = np.zeros((k, k))
    for r in range(k):
        for s in range(k):
            for side in (0, 1):
                v, u = parts[r][:2][side], parts[s][:2][side]
                size = len(v)
                cross = sum((a - parts[r][2]) * (b - parts[s][2]) for a, b in zip(v, u, strict=True)) / (size - 1)
                covariance[r, s] += cross / size
    return covariance


def weighted_auc(labels: Any, scores: Any, weights: Any) -> tuple[float, float, float]:
    """The weighted AUC, and what positives and negatives contribute to its variance by their influence."""
    pos = [(float(s), float(w)) for y, s, w in zip(labels, scores, weights, strict=True) if y and w]
    neg = [(float(s), float(w)) for y, s, w in zip(labels, scores, weights, strict=True) if not y and w]
    W1, W0 = sum(w for _, w in pos), sum(w for _, w in neg)
    area = sum(w * v * wins(p, q) for p, w in pos for q, v in neg) / (W1 * W0)

    def part(values: list[tuple[float, float]], total: float) -> float:
        n = len(values)
        return n / (n - 1) * sum((w * (v - area)) ** 2 for v, w in values) / total**2

    v10 = [(sum(v * wins(p, q) for q, v in neg) / W0, w) for p, w in pos]
    v01 = [(sum(w * wins(p, q) for p, w in pos) / W1, v) for q, v in neg]
    return area, part(v10, W1), part(v01, W0)


def obuchowski_covariance(labels: Any, models: Sequence[Any], clusters: Any) -> np.ndarray[Any, Any]:
    """Obuchowski (1997): S10 / M + S01 / N + (S11 + S11') / (M N), from sums over clusters."""
    names = list(dict.fromkeys(clusters))
    of_pos = [c for y, c in zip(labels, clusters, strict=True) if y]
    of_neg = [c for y, c in zip(labels, clusters, strict=True) if not y]
    M, N, count = len(of_pos), len(of_neg), len(names)
    I10, I01 = len(set(of_pos)), len(set(of_neg))
    sums = []
    for scores in models:
        v10, v01, area = placements(labels, scores)
        tens = [sum(v - area for v, c in zip(v10, of_pos, strict=True) if c == name) for name in names]
        ones = [sum(v - area for v, c in zip(v01, of_neg, strict=True) if c == name) for name in names]
        sums.append((tens, ones))
    k = len(models)
    covariance = np.zeros((k, k))
    for r in range(k):
        for s in range(k):
            S10 = I10 / ((I10 - 1) * M) * math.fsum(a * b for a, b in zip(sums[r][0], sums[s][0], strict=True))
            S01 = I01 / ((I01 - 1) * N) * math.fsum(a * b for a, b in zip(sums[r][1], sums[s][1], strict=True))
            S11 = count / (count - 1) * math.fsum(a * b for a, b in zip(sums[r][0], sums[s][1], strict=True))
            S11_turned = count / (count - 1) * math.fsum(a * b for a, b in zip(sums[s][0], sums[r][1], strict=True))
            covariance[r, s] = S10 / M + S01 / N + (S11 + S11_turned) / (M * N)
    return covariance


def holm(p_values: Sequence[float]) -> list[float]:
    """Step down: the k-th smallest times how many are left, never below the one before."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, so_far = [0.0] * len(p_values), 0.0
    for step, i in enumerate(order):
        so_far = max(so_far, min(1.0, (len(p_values) - step) * p_values[i]))
        adjusted[i] = so_far
    return adjusted


def mcnemar_exact(only_a: int, only_b: int, *, mid: bool = False) -> float:
    """Twice the binomial tail of the smaller count, by adding up probabilities."""
    n, fewer = only_a + only_b, min(only_a, only_b)
    chance = [math.comb(n, i) / 2**n for i in range(n + 1)]
    tail = math.fsum(chance[: fewer + 1])
    return min(1.0, 2 * tail - (chance[fewer] if mid else 0.0))


def moderated_limits(
    area: float,
    parts: tuple[float, float],
    cases: tuple[float, float],
    level: float,
    *,
    rows: tuple[float, float] | None = None,
    inflation: float = 1.0,
) -> tuple[float, float]:
    """Limits of an AUC on the logit scale from DeLong's variance, averaged with Newcombe's (2006, method 4).

    Newcombe's counts for 12 degrees of freedom, DeLong's for Satterthwaite's; Student's quantile for their sum. The
    average is never less than DeLong's.
    """
    variance = sum(parts)
    freedom = variance**2 / (parts[0] ** 2 / (cases[0] - 1) + parts[1] ** 2 / (cases[1] - 1))
    m, n = cases if rows is None else rows
    both = (m + n) / 2 - 1
    newcombe = area * (1 - area) * (1 + both * (1 - area) / (2 - area) + both * area / (1 + area)) / (m * n)
    mixed = max(variance, (freedom * variance + 12 * newcombe * inflation) / (freedom + 12))
    return logit_limits(area, stats.t.ppf((1 + level) / 2, freedom + 12) * math.sqrt(mixed))


def logit_limits(area: float, half: float) -> tuple[float, float]:
    """area ± half, laid out symmetrically on the logit scale."""
    middle, reach = math.log(area / (1 - area)), half / (area * (1 - area))
    return 1 / (1 + math.exp(reach - middle)), 1 / (1 + math.exp(-reach - middle))


def clustered_auc_limits(labels: Any, scores: Any, clusters: Any, level: float) -> tuple[float, float]:
    """Limits of an AUC of clustered rows: the wider of Student's and the moderated ones, variances by Obuchowski."""
    labels, clusters = np.asarray(labels, dtype=bool), np.asarray(clusters)
    v10, v01, area = placements(labels, scores)
    variance = float(obuchowski_covariance(labels, [scores], clusters.tolist())[0, 0])
    of_rows = float(delong_covariance(labels, [scores])[0, 0])
    counts = tuple(len(set(clusters[side].tolist())) for side in (labels, ~labels))
    parts = []
    for values, side, count in ((v10, labels, counts[0]), (v01, ~labels, counts[1])):
        sums = [
            sum((v - area) / len(values) for v, c in zip(values, clusters[side], strict=True) if c == name)
            for name in set(clusters.tolist())
        ]
        parts.append(count / (count - 1) * math.fsum(each**2 for each in sums))
    scale = variance / sum(parts)
    mixed = moderated_limits(
        area,
        (parts[0] * scale, parts[1] * scale),
        (counts[0], counts[1]),
        level,
        rows=(int(labels.sum()), int((~labels).sum())),
        inflation=max(1.0, variance / of_rows),
    )
    plain = logit_limits(area, stats.t.ppf((1 + level) / 2, min(counts) - 1) * math.sqrt(variance))
    return min(mixed[0], plain[0]), max(mixed[1], plain[1])


def few_clusters(clusters: float, level: float) -> float:
    """What few clusters take off the worth of a table: Student's quantile for the normal one, and C / (C - 1)."""
    ratio = stats.norm.ppf((1 + level) / 2) / stats.t.ppf((1 + level) / 2, clusters - 1)
    return float(ratio**2 * (clusters - 1) / clusters)


def measure_of_copies(table: Any, name: str, level: float = 0.95) -> tuple[float, float]:
    """Limits of a measure where every case of a table was copied into a cluster of its own.

    Copies say nothing, so clusters are cases again, as few as lie in the cells that matter.
    """
    cells = [float(getattr(table, cell)) for cell in CELLS]
    known = th.tables.measure(name)
    value = float(known.of(table))
    among = sum(getattr(table, cell) for cell in (RATES[known.name][1] if known.name in RATES else CELLS))
    varies = math.isfinite(value) and value not in known.range
    factor = few_clusters(among, level) if varies else 1.0
    interval = th.interval(th.Contingency(*(factor * cell for cell in cells)), name, level=level)
    return min(interval.lower, value), max(interval.upper, value)


def cost_of_copies(table: Any, condition: Any, level: float = 0.95) -> tuple[float, float]:
    """Limits of the expected cost of such a table, shrunk by what few clusters take off."""
    cells, value = [float(getattr(table, cell)) for cell in CELLS], float(condition.expected_cost(table))
    shrunk = th.Contingency(*(few_clusters(sum(cells), level) * cell for cell in cells))
    interval = th.interval(shrunk, condition, level=level)
    return min(interval.lower, value), max(interval.upper, value)


def paired_auc_limits(labels: Any, a: Any, b: Any) -> tuple[float, float]:
    """The 95 % limits of AUC(a) - AUC(b) on the same rows, written down as the docstring of `auc_contrast` says."""
    (pos_a, neg_a, _), (pos_b, neg_b, _) = (map(np.array, placements(labels, scores)) for scores in (a, b))

    def parts(of_pos: Any, of_neg: Any) -> list[float]:
        return [float(np.var(side, ddof=1)) / len(side) for side in (of_pos, of_neg)]

    of_pos, of_neg = parts(pos_a - pos_b, neg_a - neg_b)
    variance = of_pos + of_neg
    freedom = variance**2 / (of_pos**2 / (len(pos_a) - 1) + of_neg**2 / (len(neg_a) - 1))
    student = stats.t.ppf(0.975, freedom) * math.sqrt(variance)
    single = [th.auc_interval(th.rank(labels, scores)) for scores in (a, b)]
    low = [each.estimate - each.lower for each in single]
    high = [each.upper - each.estimate for each in single]
    of_a, of_b = sum(parts(pos_a, neg_a)), sum(parts(pos_b, neg_b))
    r = (of_a + of_b - variance) / 2 / math.sqrt(of_a * of_b) if of_a > 1e-20 and of_b > 1e-20 else 0.0
    reach = []
    for x, y, other_x, other_y in ((low[0], high[1], high[0], low[1]), (high[0], low[1], low[0], high[1])):
        shock = max(abs(x - other_y), abs(other_x - y))
        square = (1 - r) * (x * x + y * y) + r * shock**2 if r > 0 else x * x + y * y - 2 * r * x * y
        reach.append(max(student, math.sqrt(max(0.0, square))))
    difference = single[0].estimate - single[1].estimate
    return difference - reach[0], difference + reach[1]


def combined_wilson(a: int, m: int, b: int, n: int) -> tuple[float, float]:
    """Limits of a/m - b/n, Wilson's of both combined (Newcombe 1998, method 10)."""
    one, other = th.rate_interval(a, m), th.rate_interval(b, n)
    difference = one.estimate - other.estimate
    below = math.hypot(one.estimate - one.lower, other.upper - other.estimate)
    above = math.hypot(one.upper - one.estimate, other.estimate - other.lower)
    return difference - below, difference + above
