"""Gain, lift and Kolmogorov-Smirnov: what working down the ranking brings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from thresher._internal.results import Result, Tabular
from thresher.curves.coverage import coverage, rates, recalls
from thresher.ranking import Floats, Ranking, require_ranking


class GainCurve(
    Tabular, NamedTuple("GainCurve", [("predicted_positive_rate", Floats), ("recall", Floats), ("threshold", Floats)])
):
    """Share of cases called positive, recall and threshold per split 0..m."""

    __slots__ = ()


class LiftCurve(
    Tabular, NamedTuple("LiftCurve", [("predicted_positive_rate", Floats), ("lift", Floats), ("threshold", Floats)])
):
    """Share of cases called positive, lift and threshold per split 0..m."""

    __slots__ = ()


def gain(ranking: Ranking) -> GainCurve:
    """Share of cases called positive and recall, at every split.

    >>> curve = gain(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> curve.predicted_positive_rate, curve.recall
    (array([0.  , 0.25, 0.4 , 1.  ]), array([0. , 0.4, 0.6, 1. ]))
    >>> predicted_positive_rate, recall, threshold = curve
    """
    require_ranking(ranking, both_classes=True)
    tp, fp = ranking.covered()
    rate = rates([tp, fp], [ranking.total])
    return GainCurve(predicted_positive_rate=rate, recall=recalls(ranking), threshold=ranking.thresholds())


def lift(ranking: Ranking) -> LiftCurve:
    """Share of all cases called positive, lift, threshold: at every split.

    Lift is precision / prevalence; with nothing called positive it is undefined (NaN).

    >>> lift(Ranking.parse("[20+,5-][10+,5-][20+,40-]")).lift
    array([nan, 1.6, 1.5, 1. ])
    """
    require_ranking(ranking, both_classes=True)
    tables = coverage(ranking)
    curve = LiftCurve(tables.predicted_positive_rate, tables.lift, tables.threshold)
    for array in curve[:2]:
        array.flags.writeable = False
    return curve


@dataclass(frozen=True, slots=True, repr=False)
class KolmogorovSmirnov(Result):
    """The largest distance between the classes' score distributions, and where."""

    statistic: float
    difference: float
    threshold: float
    split: int


def ks(ranking: Ranking) -> KolmogorovSmirnov:
    """The Kolmogorov-Smirnov distance: the largest |tpr - fpr| over all splits.

    `difference` keeps its sign: below 0, positives score lower than negatives there.
    Among equal distances the strictest threshold is given.

    >>> distance = ks(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1]))
    >>> round(distance.statistic, 10), distance.threshold
    (0.4, 0.0)
    """
    require_ranking(ranking, both_classes=True)

    def farthest() -> KolmogorovSmirnov:
        tp, fp = ranking.covered()
        distance = tp * float(ranking.Neg) - fp * float(ranking.Pos)  # cross-multiplied: exact while Pos · Neg < 2**53
        split = int(np.argmax(np.abs(distance)))
        difference = float(distance[split] / (float(ranking.Pos) * ranking.Neg))
        return KolmogorovSmirnov(abs(difference), difference, ranking.threshold(split), split)

    return ranking.remember("ks", farthest)
