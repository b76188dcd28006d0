"""Intervals for a mean of losses, row by row: what was seen, and what the probabilities themselves foretell."""

from __future__ import annotations

import math

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.interval import LOG, LOGIT, Interval, student_quantile
from thresher.inference.proportion import rate_interval
from thresher.ranking import Floats, Indices

ALIKE = "all squared errors are alike; limits as for a rate"
INFINITE = "a case was given probability 0 for what it is, and one that may happen makes the mean infinite"
_CERTAIN = "every case was certain and right; what a wrong one would cost has no limit"
_ROUNDING = 1e-28  # of a variance, relative to the square of the mean
_NO_SPREAD = "all losses are alike, so the interval shows no spread and says nothing of how sure this is"


def mean_loss_interval(
    loss: Floats,
    foretold: tuple[Floats, Floats],
    *,
    weight: Floats | None = None,
    cluster: Indices | None = None,
    level: float = 0.95,
    most: float = math.inf,
) -> Interval:
    """The interval for the mean of rows' losses, which lie between 0 and `most` (1 or infinity).

    The variance is that of the rows, weighted by their squares, or of the clusters' sums if that is larger. `foretold`
    are the mean loss and mean squared loss of each row if its probabilities were true: a small sample of a good
    model may not have seen the rare large losses they speak of, so the larger of both spreads makes the limits. They
    are symmetric on the logit scale, or on that of logarithms where losses have no end, with
    Student's quantile for as many degrees of freedom as there are rows or clusters, less one.

    >>> p = np.array([0.9, 0.8, 0.6, 0.55, 0.7, 0.8])
    >>> first, second = (p * (-np.log(p)) ** k + (1 - p) * (-np.log(1 - p)) ** k for k in (1, 2))
    >>> print(mean_loss_interval(-np.log(p), (first, second)))
    0.3362 [0.1250, 0.9043]
    """
    units = loss.size if cluster is None else int(cluster.max()) + 1
    if units < 2:
        raise ArgumentError(
            "one unit has no spread", "mean_loss_interval(loss)", "give at least two clusters, or two cases without"
        )
    share = np.full(loss.size, 1 / loss.size) if weight is None else weight / weight.sum()
    mean = float(share @ loss)
    if not math.isfinite(mean):
        return Interval(mean, mean, mean, math.nan, level, "moments", INFINITE)
    away = loss - mean
    variance = _spread_of_sums(share * away, cluster)
    by_case = float(share @ away**2)
    if most == 1 and (by_case <= np.finfo(float).tiny or not 0 < mean < 1):
        cases = 1 / _worth_of_squares(share, cluster)
        rate = rate_interval(min(max(mean, 0.0), 1.0) * cases, cases, level=level, method="exact")
        return Interval(mean, rate.lower, rate.upper, variance, level, "exact", ALIKE)
    if mean == 0:
        return Interval(0.0, 0.0, math.inf, variance, level, "moments", _CERTAIN)
    first, second = (float(share @ each) for each in foretold)
    per_case = variance / by_case if by_case > _ROUNDING * mean * mean else _worth_of_squares(share, cluster)
    seen, ahead = math.sqrt(variance), math.sqrt(max(0.0, second - first * first) * per_case)
    if most != 1:  # what is foretold is a spread around a larger mean, and on this scale only their ratio counts
        ahead *= mean / max(mean, first)
    deviation = student_quantile(level, units - 1) * max(seen, ahead)
    limits = (LOGIT if most == 1 else LOG).limits(mean, deviation)
    note = "" if deviation * deviation > _ROUNDING * mean * mean else _NO_SPREAD
    return Interval(mean, *limits, variance, level, "moments", note)


def _spread_of_sums(away: Floats, cluster: Indices | None) -> float:
    """The variance of a sum of influences, by rows or, if it is larger, by clusters."""
    found = _sum_of_squares(away, None) * away.size / (away.size - 1)
    if cluster is None:
        return found
    clusters = int(cluster.max()) + 1
    return max(found, _sum_of_squares(away, cluster) * clusters / (clusters - 1))


def _worth_of_squares(share: Floats, cluster: Indices | None) -> float:
    return max(_sum_of_squares(share, None), _sum_of_squares(share, cluster))


def _sum_of_squares(values: Floats, cluster: Indices | None) -> float:
    sums = values if cluster is None else np.bincount(cluster, weights=values)
    return float(sums @ sums)
