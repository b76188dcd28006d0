"""Intervals for what errors cost: expected cost at a threshold, and the Brier score."""

from __future__ import annotations

import math

import numpy as np

from thresher.choices import OperatingCondition
from thresher.errors import ArgumentError
from thresher.inference.interval import LOGIT, Interval, require_level, student_quantile
from thresher.inference.kinds import require_condition
from thresher.inference.proportion import RateMethod, rate_interval
from thresher.ranking import Ranking, in_pieces, require_ranking
from thresher.tables import Contingency, require_table

_ROUNDING = 1e-9


def cost_interval(
    table: Contingency, condition: OperatingCondition, *, level: float = 0.95, method: RateMethod = "wilson"
) -> Interval:
    """The interval for the expected cost per case of one table under a condition.

    Expected cost is a weighted sum of rates, whose own limits are combined so that the sum of squared
    distances is kept: never of zero width, and lopsided where the rates are. With a declared class ratio the
    rates are fnr and fpr, which are independent (Zou & Donner 2008). With that of the data, the mix was sampled
    too: the rates are the shares of the table's cells, which vary against each other (Zou 2007), and `variance` is
    that of the cases' costs over their number. The threshold is taken as given, not as chosen here.

    >>> print(cost_interval(Contingency(tp=30, fn=20, fp=10, tn=40), OperatingCondition(cost_fn=5)))
    1.1000 [0.7713, 1.5379]
    """
    require_level(level)
    require_table(table)
    require_condition(condition)
    if not (table.Pos and table.Neg):
        raise ArgumentError("a class is absent, so its error rate is unknown", "give a table of both classes")
    if condition.prevalence is None:
        return _mixed_cost_interval(table, condition, level, method)
    estimate = float(condition.expected_cost(table))
    below = above = variance = 0.0
    for factor, k, n in (
        (condition.prevalence * (condition.cost_fn - condition.cost_tp), table.fn, table.Pos),
        ((1 - condition.prevalence) * (condition.cost_fp - condition.cost_tn), table.fp, table.Neg),
    ):
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
    require_level(level)
    require_ranking(ranking)
    ranking.require_probabilities()
    if ranking.total < 2:
        raise ArgumentError("one case has no spread", "give at least two cases")

    def moments(piece: slice) -> tuple[float, ...]:
        score, (pos, neg) = ranking.score[piece], (counts[piece].astype(np.float64) for counts in ranking.narrow)
        of_pos, of_neg, cases = 1 - score, score, pos + neg
        # What a probability p foretells of squared errors: p(1 - p), and of their squares p(1 - p)(1 - 3p(1 - p)).
        stated = of_pos * of_neg
        of_pos, of_neg = of_pos * of_pos, of_neg * of_neg
        seen = (pos * of_pos).sum() + (neg * of_neg).sum()
        of_pos *= of_pos
        of_neg *= of_neg
        squares = (pos * of_pos).sum() + (neg * of_neg).sum()
        cases *= stated
        foretold = cases.sum()
        cases *= stated
        return float(seen), float(squares), float(foretold), float(foretold - 3 * cases.sum())

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


def _mixed_cost_interval(
    table: Contingency, condition: OperatingCondition, level: float, method: RateMethod
) -> Interval:
    """Limits from the shares of the cells, correlated as shares of one total are.

    The largest cell is what the others leave: their correlations are then never perfect, so the width never 0.
    """
    cost = np.array([condition.cost_tp, condition.cost_fn, condition.cost_fp, condition.cost_tn], dtype=np.float64)
    cells = np.array([table.tp, table.fn, table.fp, table.tn], dtype=np.float64)
    rest = int(np.argmax(cells >= cells.max() * (1 - _ROUNDING)))  # the first of equals, whatever weights round to
    others = [at for at in range(4) if at != rest]
    factor = (cost - cost[rest])[others]
    rates = [rate_interval(cells[at], table.total, level=level, method=method) for at in others]
    share, low, high = (np.array([getattr(rate, name) for rate in rates]) for name in ("estimate", "lower", "upper"))
    odds, sign = share / (1 - share), np.sign(factor)
    together = -np.sqrt(np.outer(odds, odds)) * np.outer(sign, sign)
    np.fill_diagonal(together, 1.0)
    below = np.where(factor > 0, factor * (share - low), factor * (share - high))
    above = np.where(factor > 0, factor * (high - share), factor * (low - share))
    estimate = float(condition.expected_cost(table))
    half_below, half_above = (math.sqrt(max(0.0, float(away @ together @ away))) for away in (below, above))
    variance = max(0.0, float(factor**2 @ share - (factor @ share) ** 2)) / float(table.total)
    limits = max(float(cost.min()), estimate - half_below), min(float(cost.max()), estimate + half_above)
    return Interval(
        estimate, min(limits[0], estimate), max(limits[1], estimate), variance, level, f"{method}, combined"
    )
