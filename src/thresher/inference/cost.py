"""Intervals for what errors cost: expected cost at a threshold, and the Brier score."""

from __future__ import annotations

import math

import numpy as np

from thresher.choices import OperatingCondition
from thresher.errors import ArgumentError
from thresher.inference.interval import LOGIT, Interval, require_level, student_quantile
from thresher.inference.proportion import RateMethod, rate_interval
from thresher.ranking import Ranking, in_pieces
from thresher.tables import Contingency


def cost_interval(
    table: Contingency, condition: OperatingCondition, *, level: float = 0.95, method: RateMethod = "wilson"
) -> Interval:
    """The interval for the expected cost per case of one table under a condition.

    Expected cost is a weighted sum of two rates, whose own limits are combined so that the sum of squared
    distances is kept (Zou & Donner 2008): never of zero width, and lopsided where the rates are. With a
    declared class ratio the rates are fnr and fpr; with that of the data, misses and false
    alarms per case, since the mix was sampled too. The threshold is taken as given, not as chosen here.

    >>> print(cost_interval(Contingency(tp=30, fn=20, fp=10, tn=40), OperatingCondition(cost_fn=5)))
    1.1000 [0.7638, 1.5503]
    """
    where = "cost_interval(table, condition)"
    require_level(level, where)
    if not (table.Pos and table.Neg):
        raise ArgumentError("a class is absent, so its error rate is unknown", where, "give a table of both classes")
    estimate = float(condition.expected_cost(table))
    miss, alarm = condition.cost_fn - condition.cost_tp, condition.cost_fp - condition.cost_tn
    if condition.prevalence is None:
        parts = ((miss, table.fn, table.total), (alarm, table.fp, table.total))
    else:
        parts = (
            (condition.prevalence * miss, table.fn, table.Pos),
            ((1 - condition.prevalence) * alarm, table.fp, table.Neg),
        )
    below = above = variance = 0.0
    for factor, k, n in parts:
        rate = rate_interval(k, n, level=level, method=method)
        below += (factor * (rate.estimate - rate.lower)) ** 2
        above += (factor * (rate.upper - rate.estimate)) ** 2
        variance += factor**2 * rate.variance
    return Interval(
        estimate, estimate - math.sqrt(below), estimate + math.sqrt(above), variance, level, f"{method}, combined"
    )


def brier_interval(ranking: Ranking, *, level: float = 0.95) -> Interval:
    """The interval for the Brier score, from the spread of the cases' squared errors, in O(segments).

    Limits are symmetric on the logit scale, with Student's quantile. A small sample of a good model may not have
    seen the rare large errors that its own probabilities foretell; where those would spread the squared errors
    more than was seen, that spread is used for the limits. A weight is read as a number of cases.

    >>> print(brier_interval(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4/5, 2/3, 1/3])))
    0.2067 [0.1725, 0.2456]
    """
    where = "brier_interval(ranking)"
    require_level(level, where)
    ranking.require_probabilities(where)
    if ranking.total < 2:
        raise ArgumentError("one case has no spread", where, "give at least two cases")

    def moments(piece: slice) -> tuple[float, ...]:
        score, pos, neg = ranking.score[piece], ranking.pos[piece], ranking.neg[piece]
        of_pos, of_neg, cases = (1 - score) ** 2, score**2, pos + neg
        stated = score * of_pos + (1 - score) * of_neg, score * of_pos**2 + (1 - score) * of_neg**2
        seen = of_pos * pos + of_neg * neg, of_pos**2 * pos + of_neg**2 * neg
        return tuple(float(part.sum()) for part in (*seen, *(each * cases for each in stated)))

    sums = [math.fsum(part) / ranking.total for part in zip(*in_pieces(moments, len(ranking)), strict=True)]
    mean = sums[0]
    variance, foretold = (
        max(0.0, second - first * first) / (ranking.total - 1) for first, second in (sums[:2], sums[2:])
    )
    if variance <= np.finfo(float).tiny or not 0 < mean < 1:
        rate = rate_interval(min(max(mean, 0.0), 1.0) * ranking.total, ranking.total, level=level, method="exact")
        note = "all squared errors are alike; limits as for a rate"
        return Interval(mean, rate.lower, rate.upper, variance, level, "exact", note)
    deviation = student_quantile(level, ranking.total - 1) * math.sqrt(max(variance, foretold))
    return Interval(mean, *LOGIT.limits(mean, deviation), variance=variance, level=level, method="moments")
