"""`compare_unpaired`: the AUCs of two rankings that share no rows."""

from __future__ import annotations

import math

from thresher._internal.arguments import require_level
from thresher.curves import auc
from thresher.inference.comparison.difference import Difference, combined_reach, reached_difference, require_margin
from thresher.inference.intervals.auc import AucLimits, delong_parts
from thresher.ranking import Ranking, require_ranking


def compare_unpaired(ranking_a: Ranking, ranking_b: Ranking, *, level: float = 0.95, margin: float = 0.0) -> Difference:
    """The difference of the AUCs of two independent samples, A minus B.

    For different cases: two hospitals, this year and last. For two models on the same rows use `compare`,
    because what they share would be counted against their difference here. The limits of both AUCs (as `auc_interval`)
    are combined so that squared distances add up (Zou & Donner 2008), which holds in small samples; p is the level at
    which they would just meet 0. `variance` is the sum of DeLong's.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> print(compare_unpaired(Ranking.parse("[30+,2-][15+,8-][5+,40-]"), spam_tree))
    a - b  0.1820 [0.0662, 0.2931]  p 0.0033  better
    """
    require_level(level)
    require_margin(margin)
    for ranking in (ranking_a, ranking_b):
        require_ranking(ranking)
        ranking.require_both_classes()
    both = (ranking_a, ranking_b)
    areas, parts = [auc(ranking) for ranking in both], [delong_parts(ranking) for ranking in both]
    limits = [
        AucLimits.of(area, part, (ranking.Pos, ranking.Neg))
        for area, part, ranking in zip(areas, parts, both, strict=True)
    ]
    return reached_difference(
        ("a", "b"),
        areas[0] - areas[1],
        lambda tail: combined_reach(limits, (1, -1), ((1, 0), (0, 1)), tail),
        variance=math.fsum(sum(part) for part in parts),
        level=level,
        method="combined limits",
        margin=margin,
        note=""
        if all(each.deviation for each in limits)
        else "an AUC shows no spread; its limits are exact, for pairs",
    )
