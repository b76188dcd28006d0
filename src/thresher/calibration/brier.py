"""Squared error of probabilities: the Brier score of two classes and of k."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.calibration.true_class import probability_rows
from thresher.ranking import Floats, Ranking, in_pieces, kept_number, require_ranking


def brier(ranking: Ranking) -> float:
    """The mean squared error (p - y)² of scores that are probabilities.

    It carries the factor ½ of the sum over both classes, so it lies in [0, 1]. For certain
    predictions (0 or 1) it equals the error rate. Scores outside [0, 1] are refused. (Brier 1950.)

    >>> brier(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4/5, 2/3, 1/3]))
    0.2066...
    """
    require_ranking(ranking, probabilities=True)
    if (known := kept_number(ranking.spans, "brier")) is not None:
        return known
    return ranking.remembered("brier", lambda: _brier(ranking))


def _brier(ranking: Ranking) -> float:
    pos, neg = ranking.narrow

    def squared(piece: slice) -> float:
        # Two sums of squares keep the digits that n·p² - 2·pos·p + pos would cancel.
        score = ranking.score[piece]
        return float(((1 - score) ** 2 * pos[piece] + score**2 * neg[piece]).sum())

    return math.fsum(in_pieces(squared, len(ranking))) / ranking.total


def squared_error(labels: Any, probabilities: Any, *, classes: Sequence[Any] | None = None) -> Floats:
    """The squared error of each case, k classes: ½ Σᵢ (p̂ᵢ - I[class i])².

    Columns of `probabilities` belong to `classes` in that order; without `classes`, to the
    distinct labels in rising order, and there must be as many of them as columns.

    >>> squared_error([1, 3], [[0.70, 0.10, 0.20], [0.70, 0.10, 0.20]], classes=[1, 2, 3]).round(4)
    array([0.07, 0.57])
    """
    matrix, index, _ = probability_rows(labels, probabilities, classes=classes)
    return _squared_error(matrix, index)


def brier_multiclass(
    labels: Any, probabilities: Any, *, classes: Sequence[Any] | None = None, weights: Any = None
) -> float:
    """The mean of `squared_error`: the Brier score of k classes, in [0, 1].

    With the factor ½, so for two classes it is `brier`; some libraries leave the factor out.

    >>> brier_multiclass([1, 3], [[0.99, 0, 0.01], [0.99, 0, 0.01]], classes=[1, 2, 3])
    0.4901
    """
    matrix, index, weight = probability_rows(labels, probabilities, classes=classes, weights=weights)
    return float(np.average(_squared_error(matrix, index), weights=weight))


def _squared_error(matrix: Floats, index: Any) -> Floats:
    difference = matrix.copy()
    difference[np.arange(index.size), index] -= 1
    error: Floats = np.einsum("ij,ij->i", difference, difference) / 2
    return error
