"""Bounds of average precision and of the area under the precision-recall curve, for rankings that count ranges."""

from __future__ import annotations

import math

import numpy as np

from thresher.curves.bounds import Bounds, certain, outward, told
from thresher.curves.precision_recall import average_precision, pr_area
from thresher.ranking import Flags, Floats, Ranking, require_ranking


def average_precision_bounds(ranking: Ranking) -> Bounds:
    r"""The smallest and the largest average precision that a ranking allows.

    After a positives and b negatives, the positives of an open segment of p and n see a precision of at most
    (a + p)/(a + p + b), when all of them come first and tie. At the least all negatives come first and no
    positives tie; the sum over them exceeds the integral of x/(x + b + n) from a to a + p.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> average_precision_bounds(bounded)
    Bounds(lower=0.39..., upper=0.88...)
    """
    require_ranking(ranking, both_classes=True)
    if ranking.spans is None:
        return certain(average_precision(ranking))
    if (known := told(ranking, "average_precision")) is not None:
        return known
    several = ranking.spans.low < ranking.spans.high
    pos, neg, before, wrong = _columns(ranking)
    tied = pos * (before + pos) / np.maximum(before + pos + wrong + neg, np.finfo(np.float64).tiny)
    first = pos * (before + pos) / np.maximum(before + pos + wrong, np.finfo(np.float64).tiny)
    upper = np.where(several, first, tied)
    lower = np.where(several, _integral(before, pos, wrong + neg), tied)
    return _mean(ranking, lower, upper)


def pr_area_bounds(ranking: Ranking) -> Bounds:
    """The smallest and the largest area under the hyperbolic precision-recall curve that a ranking allows.

    Along an open segment the false positives lie between what they were before it and what they are after it,
    which bounds the integral of precision over recall. Segments of positives alone leave nothing open.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> pr_area_bounds(bounded)
    Bounds(lower=0.39..., upper=0.86...)
    """
    require_ranking(ranking, both_classes=True)
    if ranking.spans is None:
        return certain(pr_area(ranking))
    if (known := told(ranking, "pr_area")) is not None:
        return known
    mixed = ranking.spans.mixed
    pos, neg, before, wrong = _columns(ranking)
    straight = _straight(pos, neg, before, wrong)
    lower = np.where(mixed, _integral(before, pos, wrong + neg), straight)
    upper = np.where(mixed, _integral(before, pos, wrong), straight)
    return _mean(ranking, lower, upper)


def _columns(ranking: Ranking) -> tuple[Floats, Floats, Floats, Floats]:
    tp, fp = ranking.covered()
    pos, neg, before, wrong = (c.astype(np.float64) for c in (ranking.pos, ranking.neg, tp[:-1], fp[:-1]))
    return pos, neg, before, wrong


def _integral(start: Floats, step: Floats, against: Floats) -> Floats:
    """The integral of x / (x + against) from `start` to `start + step`."""
    below = start + against
    ratio = np.divide(step, below, out=np.zeros_like(step), where=below > 0)
    curved: Floats = step - against * np.log1p(ratio)
    from_nothing: Flags = below == 0  # then nothing stands against it
    return np.where(from_nothing, step, np.clip(curved, 0.0, step))


def _straight(pos: Floats, neg: Floats, before: Floats, wrong: Floats) -> Floats:
    """The area of a segment in which positives and negatives come at a constant rate, as in `pr_area`."""
    cases, called = pos + neg, before + wrong
    rate = pos / cases
    ratio = np.divide(cases, called, out=np.zeros_like(cases), where=called > 0)
    return pos * (rate + (before - rate * called) / cases * np.log1p(ratio))


def _mean(ranking: Ranking, lower: Floats, upper: Floats) -> Bounds:
    low, high = (math.fsum(column.tolist()) / ranking.Pos for column in (lower, upper))
    return outward(ranking, low, high, 0.0, 1.0)
