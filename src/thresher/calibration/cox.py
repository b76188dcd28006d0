"""Logistic recalibration (Cox 1958): the intercept and slope needed.

    log-odds(y) = a + log-odds(p)         a: calibration intercept, 0 when probabilities are right on average
    log-odds(y) = b0 + b · log-odds(p)    b: calibration slope, 1 when they are as extreme as they should be

A case that was given probability 0 or 1 and is what it was called adds nothing to either likelihood; one that is not
makes it 0 whatever a and b are, and both numbers are then undefined.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from thresher.calibration.maps.logistic import logistic_fit
from thresher.errors import ArgumentError
from thresher.ranking import Flags, Floats, Ranking, require_ranking

_MOST_STEPS = 100
_LONGEST_STEP = 2.0  # in log-odds: Newton's method overshoots where all probabilities are nearly certain
_RESOLVED = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class LogisticRecalibration:
    """A fit of one or two coefficients, or the reason why there is none.

    `inside` flags the segments whose log-odds are finite, `fitted` their recalibrated probabilities.
    """

    intercept: float
    slope: float
    inside: Flags
    log_odds: Floats
    fitted: Floats
    reason: str = ""


def calibration_intercept(ranking: Ranking) -> float:
    """The log-odds to add to make probabilities right on average, or NaN.

    The maximum of the likelihood with the slope fixed at 1: above 0 when probabilities are too low.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> round(calibration_intercept(spam_tree), 4)
    0.0271
    """
    return recalibration(ranking, slope=False).intercept


def calibration_slope(ranking: Ranking) -> float:
    """The slope of a logistic regression on the log-odds of probabilities, or NaN.

    Below 1 when probabilities are too extreme (as of a model that has overfitted), above 1 when they are not
    extreme enough.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> round(calibration_slope(spam_tree), 4)
    0.7148
    """
    return recalibration(ranking, slope=True).slope


def recalibration(ranking: Ranking, *, slope: bool) -> LogisticRecalibration:
    """Fit the intercept alone, or intercept and slope, by maximum likelihood."""
    from scipy.special import expit

    require_ranking(ranking, both_classes=True, probabilities=True)
    inside = (ranking.score > 0) & (ranking.score < 1)
    p = ranking.score[inside]
    x = np.log(p) - np.log1p(-p)
    pos, neg = ranking.pos[inside], ranking.neg[inside]
    a, b, reason = math.nan, math.nan, _why_undefined(ranking, x, pos > 0, neg > 0, slope=slope)
    if not reason and not slope:
        a, b = _offset_intercept(x, pos, neg), 1.0
    elif not reason:
        try:
            (b,), a = logistic_fit([x], pos, neg, intercept=True, nonnegative=False)
        except ArgumentError as error:
            reason = error.what
    return LogisticRecalibration(a, b, inside, x, expit(a + b * x), reason)


def _why_undefined(ranking: Ranking, x: Floats, has_pos: Flags, has_neg: Flags, *, slope: bool) -> str:
    wrong = ranking.neg[ranking.score == 1].sum() + ranking.pos[ranking.score == 0].sum()
    if wrong:
        return f"{wrong:,.10g} of {ranking.total:,.10g} cases were given probability 0 for what they are"
    if not (has_pos.any() and has_neg.any()):
        return "no class is left among the cases that were not certain"
    if not slope:
        return ""
    if x.size == 1:
        return "all probabilities are alike"
    above, below = x[has_pos], x[has_neg]  # falling
    separate = above[-1] >= below[0] or below[-1] >= above[0]
    return "the scores separate the classes, so the slope has no end" if separate else ""


def _offset_intercept(x: Floats, pos: Floats, neg: Floats) -> float:
    """The root of Σ pos - Σ (pos + neg) · expit(x + a), which falls with a."""
    from scipy.special import expit

    cases, Pos = pos + neg, float(pos.sum())
    a = 0.0
    for _ in range(_MOST_STEPS):
        fitted = expit(x + a)
        expected = cases * fitted
        excess = Pos - float(expected.sum())
        if abs(excess) <= _RESOLVED * Pos:
            break
        curvature = float((expected * (1 - fitted)).sum())
        step = excess / curvature if curvature > 0 else math.copysign(_LONGEST_STEP, excess)
        step = max(-_LONGEST_STEP, min(_LONGEST_STEP, step))
        a += step
        if abs(step) <= _RESOLVED * max(1.0, abs(a)):
            break
    return a
