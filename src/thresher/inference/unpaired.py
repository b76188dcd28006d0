"""`compare_unpaired`: the AUCs of two rankings that share no rows."""

from __future__ import annotations

import math

from thresher.curves import auc
from thresher.inference.auc import auc_interval, delong_parts
from thresher.inference.difference import Difference, normal_difference, require_margin
from thresher.inference.interval import require_level
from thresher.ranking import Ranking, require_ranking

_WHERE = "compare_unpaired(ranking_a, ranking_b)"


def compare_unpaired(ranking_a: Ranking, ranking_b: Ranking, *, level: float = 0.95, margin: float = 0.0) -> Difference:
    """The difference of the AUCs of two independent samples, A minus B.

    For different cases: two hospitals, this year and last. For two models on the same rows use `compare`,
    because what they share would be counted against their difference here. The variances of both
    AUCs (DeLong 1988) add. Where one of them is 0 or undefined, the limits of both AUCs are combined instead
    (Zou & Donner 2008), and p is the level at which they would meet 0.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> print(compare_unpaired(Ranking.parse("[30+,2-][15+,8-][5+,40-]"), spam_tree))
    a - b  0.1820 [0.0732, 0.2908]  p 0.001  better
    """
    require_level(level, _WHERE)
    require_margin(margin, _WHERE)
    for ranking in (ranking_a, ranking_b):
        require_ranking(ranking, _WHERE)
        ranking.require_both_classes(_WHERE)
    difference = auc(ranking_a) - auc(ranking_b)
    variances = [sum(delong_parts(ranking)) for ranking in (ranking_a, ranking_b)]
    if all(variance > 0 for variance in variances):
        return normal_difference(
            ("a", "b"), difference, sum(variances), level=level, method="delong, unpaired", margin=margin
        )
    lower, upper = _combined(ranking_a, ranking_b, level)
    return Difference(
        "a",
        "b",
        difference,
        lower,
        upper,
        variance=sum(variances),
        p_value=_p_value(ranking_a, ranking_b, difference),
        level=level,
        method="combined limits",
        margin=margin,
        note="one of the AUCs has no variance to speak of; limits combined from those of both",
    )


def _combined(ranking_a: Ranking, ranking_b: Ranking, level: float) -> tuple[float, float]:
    a, b = auc_interval(ranking_a, level=level), auc_interval(ranking_b, level=level)
    difference = a.estimate - b.estimate
    below = math.hypot(a.estimate - a.lower, b.upper - b.estimate)
    above = math.hypot(a.upper - a.estimate, b.estimate - b.lower)
    return max(-1.0, difference - below), min(1.0, difference + above)


def _p_value(ranking_a: Ranking, ranking_b: Ranking, difference: float) -> float:
    """One minus the level at which the combined limits meet 0, by halving."""
    if difference == 0:
        return 1.0
    low, high = 0.0, 1.0  # p lies between
    for _ in range(50):
        p = (low + high) / 2
        lower, upper = _combined(ranking_a, ranking_b, 1 - p)
        if lower > 0 or upper < 0:
            high = p
        else:
            low = p
    return high
