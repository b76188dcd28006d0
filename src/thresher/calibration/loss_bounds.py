"""Bounds of the Brier score and the log loss, for rankings that count ranges of probabilities."""

from __future__ import annotations

import math

import numpy as np

from thresher.calibration.scores import brier, log_loss
from thresher.curves.bounds import Bounds, certain, outward, told
from thresher.ranking import Counts, Floats, Ranking, require_ranking


def brier_bounds(ranking: Ranking) -> Bounds:
    """The smallest and the largest Brier score that a ranking allows.

    A positive loses least at the highest score of its segment and a negative at the lowest. Both ends occur, so
    that one case of each class is known to be there.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> brier_bounds(bounded)
    Bounds(lower=0.24..., upper=0.26...)
    """
    require_ranking(ranking, probabilities=True)
    if ranking.ranges is None:
        return certain(brier(ranking))
    if (known := told(ranking, "brier")) is not None:
        return known
    spans = ranking.ranges
    best_pos, worst_pos = (1 - spans.pos_high) ** 2, (1 - spans.pos_low) ** 2
    best_neg, worst_neg = spans.neg_low**2, spans.neg_high**2
    lower = _total(ranking.pos, best_pos, worst_pos) + _total(ranking.neg, best_neg, worst_neg)
    upper = _total(ranking.pos, worst_pos, best_pos) + _total(ranking.neg, worst_neg, best_neg)
    return outward(ranking, lower / ranking.total, upper / ranking.total, 0.0, 1.0)


def log_loss_bounds(ranking: Ranking) -> Bounds:
    """The smallest and the largest log loss that a ranking allows; both infinite when a case is certain and wrong.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> log_loss_bounds(bounded)
    Bounds(lower=0.70..., upper=0.76...)
    """
    require_ranking(ranking, probabilities=True)
    if ranking.ranges is None:
        return certain(float(log_loss(ranking)))
    if (known := told(ranking, "log_loss")) is not None:
        return known
    spans = ranking.ranges
    if (spans.pos_low == 0).any() or (spans.neg_high == 1).any():
        return Bounds(math.inf, math.inf)
    best_pos, worst_pos = -np.log(spans.pos_high), -np.log(spans.pos_low)
    best_neg, worst_neg = -np.log1p(-spans.neg_low), -np.log1p(-spans.neg_high)
    lower = _total(ranking.pos, best_pos, worst_pos) + _total(ranking.neg, best_neg, worst_neg)
    upper = _total(ranking.pos, worst_pos, best_pos) + _total(ranking.neg, worst_neg, best_neg)
    scale = 1.0 + upper / ranking.total
    return outward(ranking, lower / ranking.total, upper / ranking.total, 0.0, math.inf, scale=scale)


def _total(counts: Counts, all_but_one: Floats, one: Floats) -> float:
    """The loss of a class when one case of each segment is at the other end (of weights, none is known to be)."""
    has = np.flatnonzero(counts)
    most, other = all_but_one[has], one[has]
    known = 0 if counts.dtype.kind == "f" else 1
    return math.fsum((most * (counts[has] - known) + other * known).tolist())
