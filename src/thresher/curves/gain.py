"""Gain, lift and Kolmogorov-Smirnov: what working down the ranking brings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.curves.coverage import coverage
from thresher.ranking import Floats, Ranking


def gain(ranking: Ranking) -> tuple[Floats, Floats, Floats]:
    """Share of all cases called positive, share of positives found, threshold: at every split.

    >>> called, found, _ = gain(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> called, found
    (array([0.  , 0.25, 0.4 , 1.  ]), array([0. , 0.4, 0.6, 1. ]))
    """
    ranking.require_both_classes("gain(ranking)")
    tp, fp = ranking.covered()
    return (tp + fp) / ranking.total, tp / ranking.Pos, ranking.thresholds()


def lift(ranking: Ranking) -> tuple[Floats, Floats, Floats]:
    """Share of all cases called positive, lift, threshold: at every split.

    Lift is precision / prevalence; with nothing called positive it is undefined (NaN).

    >>> lift(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))[1]
    array([nan, 1.6, 1.5, 1. ])
    """
    ranking.require_both_classes("lift(ranking)")
    tables = coverage(ranking)
    return tables.predicted_positive_rate, tables.lift, tables.threshold


@dataclass(frozen=True, slots=True)
class KolmogorovSmirnov:
    """The largest distance between the two classes' score distributions, and where it is."""

    statistic: float
    difference: float
    threshold: float
    split: int


def ks(ranking: Ranking) -> KolmogorovSmirnov:
    """The two-sample Kolmogorov-Smirnov distance: the largest |tpr - fpr| over all splits.

    `difference` keeps its sign: below 0, positives score lower than negatives there.
    Among equal distances the strictest threshold is given.

    >>> found = ks(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]))
    >>> round(found.statistic, 10), found.threshold
    (0.4, 0.0)
    """
    ranking.require_both_classes("ks(ranking)")
    tp, fp = ranking.covered()
    distance = tp * float(ranking.Neg) - fp * float(ranking.Pos)  # cross-multiplied: exact while Pos · Neg < 2**53
    split = int(np.argmax(np.abs(distance)))
    difference = float(distance[split] / (float(ranking.Pos) * ranking.Neg))
    return KolmogorovSmirnov(abs(difference), difference, float(ranking.thresholds()[split]), split)
