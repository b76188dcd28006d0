"""Slow, obvious oracles for this room: loops over cases, pools merged one by one, brute-force fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from thresher.ranking import Ranking

Case = tuple[bool, float]


def cases(ranking: Ranking) -> list[Case]:
    """One entry per case, counts being whole."""
    cases: list[Case] = []
    for score, pos, neg in zip(ranking.score.tolist(), ranking.pos.tolist(), ranking.neg.tolist(), strict=True):
        cases += [(True, score)] * int(pos) + [(False, score)] * int(neg)
    return cases


def brier(ranking: Ranking) -> float:
    return float(np.mean([(score - positive) ** 2 for positive, score in cases(ranking)]))


def log_loss(ranking: Ranking) -> float:
    losses = []
    for positive, score in cases(ranking):
        p = score if positive else 1 - score
        losses.append(-math.log(p) if p > 0 else math.inf)
    return float(np.mean(losses))


def pools(ranking: Ranking) -> list[tuple[int, int]]:
    """Pool adjacent violators on a stack: (pos, neg) with strictly falling proportions."""
    stack: list[tuple[int, int]] = []
    for pos, neg in zip(ranking.pos.tolist(), ranking.neg.tolist(), strict=True):
        stack.append((pos, neg))
        while len(stack) > 1 and _share(stack[-2]) <= _share(stack[-1]):
            (p, n), (q, m) = stack[-2:]
            stack[-2:] = [(p + q, n + m)]
    return stack


def refinement(segments: list[tuple[int, int]]) -> Fraction:
    total = sum(pos + neg for pos, neg in segments)
    return sum((Fraction(pos * neg, pos + neg) for pos, neg in segments), Fraction(0)) / total


def pooled_probability(ranking: Ranking) -> list[float]:
    """The isotonic probability of each segment, in order."""
    of_case = [float(_share(pool)) for pool in pools(ranking) for _ in range(sum(pool))]
    sizes = (ranking.pos + ranking.neg).tolist()
    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    return [of_case[start] for start in starts]


def uniform_ece(ranking: Ranking, bins: int) -> float:
    """Bin by bin, case by case; a score on an edge belongs to the upper bin."""
    total = 0.0
    rows = cases(ranking)
    for i in range(bins):
        last = i == bins - 1
        inside = [
            (positive, score)
            for positive, score in rows
            if score >= i / bins and (score < (i + 1) / bins or (last and score <= 1))
        ]
        total += abs(sum(score for _, score in inside) - sum(positive for positive, _ in inside))
    return total / len(rows)


def best_loss(ranking: Ranking, z: Callable[[Any], Any], start: list[float], bounds: Any = None) -> tuple[Any, float]:
    """Coefficients and mean log loss by SciPy's derivative-free search, for maps z(coefficients)."""
    from scipy.optimize import minimize

    def loss(coefficients: Any) -> float:
        of = z(coefficients)
        total = ranking.pos @ np.logaddexp(0, -of) + ranking.neg @ np.logaddexp(0, of)
        return float(total / ranking.total)

    options = {"xatol": 1e-10, "fatol": 1e-15, "maxiter": 20_000, "maxfev": 20_000}
    first = minimize(loss, start, method="Nelder-Mead", bounds=bounds, options=options)
    again = minimize(loss, first.x, method="Nelder-Mead", bounds=bounds, options=options)
    return again.x, again.fun


def _share(pool: tuple[int, int]) -> Fraction:
    return Fraction(pool[0], sum(pool))


def replicated(ranking: Ranking, times: int) -> Ranking:
    return Ranking(ranking.score, ranking.pos * times, ranking.neg * times)


def weighted(ranking: Ranking, times: float) -> Ranking:
    return Ranking(ranking.score, ranking.pos * float(times), ranking.neg * float(times))


@st.composite
def probability_rankings(draw: st.DrawFn, *, both_classes: bool = True, certain: bool = True) -> Ranking:
    """Small rankings whose scores are probabilities, with 0 and 1 among them if `certain`."""
    inside = st.one_of(st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]), st.floats(0.01, 0.99))
    score = st.one_of(st.sampled_from([0.0, 1.0]), inside) if certain else inside
    rows = draw(
        st.lists(
            st.tuples(score, st.integers(0, 5), st.integers(0, 5)).filter(lambda row: row[1] + row[2] > 0),
            min_size=1,
            max_size=12,
        ).filter(lambda rows: not both_classes or (any(r[1] for r in rows) and any(r[2] for r in rows)))
    )
    scores, pos, neg = zip(*rows, strict=True)
    return Ranking(scores, pos, neg)


def rising(values: Any) -> Iterator[bool]:
    """Whether each neighbour is at least as large."""
    return (later >= earlier for earlier, later in pairwise(values))
