"""Losses of the margin z = c(x)·ŝ(x), c = ±1; each is 1 at 0.

A positive margin means the sign of the score is right, and its size how far from the boundary the
case lies. The four smooth or convex losses bound the 0-1 loss from above.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import describe
from thresher.calibration.scores import numbers
from thresher.errors import ArgumentError
from thresher.ranking import Floats, Ranking, require_ranking


def zero_one(margin: npt.ArrayLike, *, half_on_boundary: bool = False) -> Floats:
    """0-1 loss: 1 if z <= 0, else 0; its mean is the error rate.

    On the boundary a case counts as an error for either class, or as half of one on request.

    >>> zero_one([-2, 0, 2])
    array([1., 1., 0.])
    >>> zero_one([-2, 0, 2], half_on_boundary=True)
    array([1. , 0.5, 0. ])
    """
    z = numbers(margin, name="margins")
    on_boundary = 0.5 if half_on_boundary else 1.0
    return np.where(z < 0, 1.0, np.where(z == 0, on_boundary, 0.0))[()]


def hinge(margin: npt.ArrayLike) -> Floats:
    """Hinge loss: max(0, 1 - z).

    >>> hinge([-2, 0, 0.5, 2])
    array([3. , 1. , 0.5, 0. ])
    """
    return np.maximum(0.0, 1 - numbers(margin, name="margins"))


def logistic(margin: npt.ArrayLike) -> Floats:
    """Logistic loss with base 2: log2(1 + exp(-z)).

    With the natural logarithm, as many libraries have it, it would be ln 2 at 0.

    >>> logistic([-1, 0, 1]).round(4)
    array([1.8946, 1.    , 0.4519])
    """
    return np.logaddexp(0.0, -numbers(margin, name="margins")) / math.log(2)


def exponential(margin: npt.ArrayLike) -> Floats:
    """Exponential loss: exp(-z); infinite where that passes the largest float.

    >>> exponential([-1, 0, 1]).round(4)
    array([2.7183, 1.    , 0.3679])
    """
    with np.errstate(over="ignore"):
        return np.exp(-numbers(margin, name="margins"))


def squared(margin: npt.ArrayLike, *, truncated: bool = False) -> Floats:
    """Squared loss: (1 - z)²; truncated, it is 0 for z > 1.

    Untruncated it also punishes margins above 1: it is the one loss here that rises again.

    >>> squared([-1, 0, 1, 3])
    array([4., 1., 0., 4.])
    >>> squared([-1, 0, 1, 3], truncated=True)
    array([4., 1., 0., 0.])
    """
    short = 1 - numbers(margin, name="margins")
    if truncated:
        short = np.maximum(0.0, short)
    with np.errstate(over="ignore"):
        return np.square(short)


LOSSES: Mapping[str, Callable[[Floats], Floats]] = {
    "0-1": zero_one,
    "hinge": hinge,
    "logistic": logistic,
    "exponential": exponential,
    "squared": squared,
}


def mean_loss(ranking: Ranking, loss: Callable[[Floats], Floats]) -> float:
    """The mean of a margin loss over a ranking whose scores have their boundary at 0.

    The margin of a positive is its score, that of a negative minus its score.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> mean_loss(spam_tree, zero_one)
    0.3
    >>> mean_loss(spam_tree, hinge)
    0.65
    """
    require_ranking(ranking)
    if not callable(loss):
        raise ArgumentError(f"a loss is a function of margins, got {describe(loss)}", "pass e.g. losses.hinge")
    of_positives, of_negatives = loss(ranking.score), loss(-ranking.score)
    # Only where there are cases: 0 times an infinite loss is no number.
    pos, neg = ranking.pos > 0, ranking.neg > 0
    with np.errstate(over="ignore"):  # beyond floats a mean is infinite
        total = np.dot(ranking.pos[pos], of_positives[pos]) + np.dot(ranking.neg[neg], of_negatives[neg])
    return float(total / ranking.total)
