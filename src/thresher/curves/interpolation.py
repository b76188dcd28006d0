"""Points between splits, and the randomized rules that reach them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from thresher._internal.arguments import as_number, require_one_of
from thresher._internal.results import Result
from thresher.curves.hull import hull_splits
from thresher.errors import ArgumentError
from thresher.ranking import Ranking, require_ranking
from thresher.tables import Contingency


@dataclass(frozen=True, slots=True, repr=False)
class RandomizedRule(Result):
    """Positive from `upper`, negative below `lower`, and between them a coin decides.

    It shows positive with `probability`; `table` is the table to expect. An `upper` of +inf makes nothing sure.
    """

    upper: float
    lower: float
    probability: float
    table: Contingency


def randomized_rule(ranking: Ranking, threshold: float, *, probability: float = 0.5) -> RandomizedRule:
    """Break the tie of the cases scored exactly `threshold` by a coin.

    A fair coin reaches the middle of the segment's line, a biased one any point of it.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> rule = randomized_rule(spam_tree, threshold=-1)
    >>> rule.table.fp, rule.table.tp
    (30.0, 40.0)
    """
    require_ranking(ranking)
    if not 0 <= as_number(probability) <= 1:
        raise ArgumentError(f"probability must lie in [0, 1], got {probability}", "give the coin's bias")
    at = as_number(threshold)
    segment = np.flatnonzero(ranking.score == at)
    if not segment.size:
        nearest = ranking.score[np.argmin(np.abs(ranking.score - at))]
        what = f"no case scores exactly {threshold}, so there is no tie to break"
        raise ArgumentError(what, f"give one of the scores; the nearest is {nearest:g}")
    before = int(segment[0])
    return _rule(ranking, before, before + 1, probability)


def point_at(
    ranking: Ranking,
    *,
    fpr: float | None = None,
    tpr: float | None = None,
    predicted_positive_rate: float | None = None,
    on: Literal["curve", "hull"] = "curve",
) -> RandomizedRule:
    """The rule that reaches an fpr, tpr or rate of positive calls, also on the hull.

    On the curve the coin breaks ties of one score; on the hull it mixes two thresholds, which can only be better. Where
    many points qualify, the one with the most true (fpr) or fewest false positives (tpr) is meant.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> rule = point_at(spam_tree, fpr=0.4)
    >>> rule.upper, rule.lower, rule.probability, rule.table.tpr
    (0.0, -inf, 0.25, 0.7)
    """
    require_ranking(ranking, both_classes=True)
    named = {"fpr": fpr, "tpr": tpr, "predicted_positive_rate": predicted_positive_rate}
    rates = [(name, rate) for name, rate in named.items() if rate is not None]
    if len(rates) != 1:
        raise ArgumentError(f"give exactly one rate, got {len(rates)}", "e.g. fpr=0.05")
    ((name, rate),) = rates
    if not 0 <= as_number(rate) <= 1:
        raise ArgumentError(f"{name} must lie in [0, 1], got {rate}", "give a proportion")
    require_one_of(on, ("curve", "hull"), name="on")
    split = hull_splits(ranking, pool="ties") if on == "hull" else np.arange(len(ranking) + 1)
    tp, fp = (covered[split] for covered in ranking.covered())
    along, total = {
        "fpr": (fp, ranking.Neg),
        "tpr": (tp, ranking.Pos),
        "predicted_positive_rate": (tp + fp, ranking.total),
    }[name]
    place = along / total
    last = name == "fpr"
    if last:
        before = min(int(np.searchsorted(place, rate, side="right")) - 1, place.size - 2)
    else:
        before = max(int(np.searchsorted(place, rate, side="left")) - 1, 0)
    step = float(place[before + 1] - place[before])
    probability = float(last) if step == 0 else (rate - float(place[before])) / step
    return _rule(ranking, int(split[before]), int(split[before + 1]), min(max(probability, 0.0), 1.0))


def _rule(ranking: Ranking, before: int, after: int, probability: float) -> RandomizedRule:
    tp, fp, fn, tn = (
        float(cell[before]) + probability * float(cell[after] - cell[before])
        for cell in (*ranking.covered(), *ranking.uncovered())
    )
    threshold = ranking.thresholds()
    return RandomizedRule(
        upper=float(threshold[before]),
        lower=float(threshold[after]),
        probability=probability,
        table=Contingency(tp=tp, fn=fn, fp=fp, tn=tn),
    )
