"""Differences of AUCs: limits that hold in small samples, and the p-value that belongs to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from thresher.inference.auc import NOTHING, AucLimits, satterthwaite, student_tail
from thresher.inference.difference import Difference, normal_difference, pairs_difference
from thresher.inference.placements import AucCovariance, Matrix
from thresher.ranking import Floats

Reach: TypeAlias = Callable[[float], tuple[float, float]]  # a tail's distances from estimate to lower and upper limit
_ROUNDING = 1e-12  # what is left of a variance by cancelling, relative to what was cancelled
_SMALLEST_TAIL = 1e-100
_STEPS = 10_000  # more than Brent's method can take: as many as halving takes, squared


def auc_contrast(
    names: tuple[str, str],
    difference: float,
    weights: Floats,
    spread: AucCovariance,
    *,
    level: float,
    margin: float,
    clustered: bool = False,
) -> Difference:
    """A weighted sum of AUCs on the same rows, of weights that sum to 0: two models as a rule, (1, -1).

    On either side the wider of two limits counts. Student's has DeLong's variance, with the degrees of freedom that its
    parts by class have (Satterthwaite 1946): it keeps the level where models are equally good. It is symmetric, and the
    AUCs of good models vary asymmetrically; so the moderated limits of all AUCs are combined (`combined_reach`).
    Clusters have Student's alone, with one degree of freedom less than clusters hold the scarcer class. Where models
    never differ, disjoint pairs give conservative limits. The p-value is the level that would just reach 0.
    """
    variance, apart = float(weights @ spread.whole @ weights), float(weights**2 @ np.diagonal(spread.whole))
    span = float(weights[weights > 0].sum())
    pairs = min(spread.cases)
    if not variance > _ROUNDING * apart:
        held = min(span, max(-span, difference))
        return pairs_difference(names, held, max(variance, 0.0), pairs, level=level, margin=margin, span=span)
    if clustered:
        return normal_difference(
            names,
            difference,
            variance,
            level=level,
            method="obuchowski, paired",
            margin=margin,
            freedom=pairs - 1,
            span=span,
        )
    parts = float(weights @ spread.of_pos @ weights), float(weights @ spread.of_neg @ weights)
    freedom, deviation = satterthwaite(parts, spread.cases), math.sqrt(variance)
    terms = np.flatnonzero(weights)
    limits = [
        AucLimits.of(float(spread.areas[i]), (float(spread.of_pos[i, i]), float(spread.of_neg[i, i])), spread.cases)
        for i in terms
    ]
    weight, correlation = weights[terms].tolist(), _correlation(spread.whole[np.ix_(terms, terms)]).tolist()

    def reach(tail: float) -> tuple[float, float]:
        below, above = combined_reach(limits, weight, correlation, tail)
        student = student_tail(tail, freedom) * deviation
        return max(below, student), max(above, student)

    return reached_difference(
        names, difference, reach, variance=variance, level=level, method="delong, paired", margin=margin, span=span
    )


def combined_reach(
    limits: Sequence[AucLimits], weights: Sequence[float], correlation: Sequence[Sequence[float]], tail: float
) -> tuple[float, float]:
    """How far a weighted sum may reach below and above its estimate, from the limits of its terms.

    Squared distances add up (Zou & Donner 2008), less what terms that vary together take off each other. For d = a - b
    with correlation r ≥ 0, take shares r of both variances as one shock that moves both the same way, and the rest as
    moving each alone: (1 - r)(x² + y²) + r s², where x and y are the distances that lower d, and s is what the shock
    leaves, up or down, whichever is more. That is Zou's x² + y² - 2rxy where limits are symmetric. Where they are not,
    his formula sets a's distance down against b's distance up, which no one shock makes, and is too wide.

    >>> even = [AucLimits(0.8, 0.1, 9.0, 5.0), AucLimits(0.6, 0.1, 9.0, 5.0)]
    >>> [round(side, 3) for side in combined_reach(even, (1, -1), ((1, 0), (0, 1)), 0.025)]
    [0.363, 0.272]
    """
    below, above = [], []
    for each, weight in zip(limits, weights, strict=True):
        low, high = each.at(tail)
        down, up = abs(weight) * (each.area - low), abs(weight) * (high - each.area)
        below.append(down if weight > 0 else up)
        above.append(up if weight > 0 else down)
    return _combined(below, above, weights, correlation), _combined(above, below, weights, correlation)


def _combined(
    near: Sequence[float], far: Sequence[float], weights: Sequence[float], correlation: Sequence[Sequence[float]]
) -> float:
    """`near` are the distances on the side in question, `far` those of the same terms on the other."""
    square = 0.0
    for i, x in enumerate(near):
        square += x * x
        for j, y in enumerate(near[:i]):
            r, same_way = correlation[i][j], weights[i] * weights[j] > 0
            if same_way or r < 0:
                square += (2 if same_way else -2) * r * x * y
            else:
                left = max(abs(x - far[j]), abs(far[i] - y))
                square += r * (left * left - x * x - y * y)
    return math.sqrt(max(0.0, square))


def reached_difference(
    names: tuple[str, str],
    difference: float,
    reach: Reach,
    *,
    variance: float,
    level: float,
    method: str,
    margin: float,
    span: float = 1.0,
    note: str = "",
) -> Difference:
    """A difference with the limits that `reach` gives, cut to ±span, and the p-value at which they would meet 0."""
    below, above = reach((1 - level) / 2)
    return Difference(
        *names,
        difference,
        max(-span, difference - below),
        min(span, difference + above),
        variance=variance,
        p_value=_p_value(difference, reach),
        level=level,
        method=method,
        margin=margin,
        note=note,
    )


def _p_value(difference: float, reach: Reach) -> float:
    """Twice the tail at which a limit meets 0: p < 1 - level just when 0 lies outside the limits."""
    from scipy.optimize import brentq

    side = 0 if difference > 0 else 1

    def beyond(exponent: float) -> float:
        # Student's tails with few degrees of freedom reach 1e99, and a search must not aim by such numbers.
        return min(reach(math.exp(exponent))[side] - abs(difference), 1.0)

    most, least = math.log(0.5), math.log(_SMALLEST_TAIL)
    if difference == 0 or beyond(most) >= 0:
        return 1.0
    if beyond(least) <= 0:
        return 2 * _SMALLEST_TAIL
    return 2 * math.exp(brentq(beyond, least, most, xtol=1e-12, maxiter=_STEPS))


def _correlation(covariance: Matrix) -> Matrix:
    """Correlations; 0 with an AUC that shows no spread, of which nothing is known."""
    deviation = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    product = np.outer(deviation, deviation)
    found = np.divide(covariance, product, out=np.zeros_like(product), where=product > NOTHING)
    np.fill_diagonal(found, 1.0)
    return np.clip(found, -1.0, 1.0)
