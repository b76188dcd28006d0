"""Which model at which threshold: the joint hull of several rankings."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher._internal.results import ReadOnlyFields, Result, Tabular
from thresher._internal.text import in_words
from thresher.cautions import Caution
from thresher.choices.choose import Choice, Point, choose, operating_condition, point_of
from thresher.choices.objective import TIED_WEIGHTS, Place, advantage
from thresher.curves.hull import hull_splits
from thresher.errors import ArgumentError, ConditionError, argument, located
from thresher.ranking import Ranking, require_ranking
from thresher.tables.condition import OperatingCondition, simplest

Rule: TypeAlias = Literal["threshold", "never", "always"]

_ROUNDED_ENDS = 1e-9  # ends of ranges are quotients of small differences of weights


@dataclass(frozen=True, slots=True, repr=False)
class Range(Result):
    """Cost ratios between `low` and `high`, and what is cheapest there.

    `models` lists every model that reaches the point; all of them do for the two rules that ignore scores.
    """

    low: float
    high: float
    models: tuple[str, ...]
    rule: Rule
    point: Point


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointChoice(ReadOnlyFields, Tabular):
    """The cheapest model and threshold under a condition, and under others.

    `tied` names every model that is equally cheap; the first of them given is recommended.
    `gap` is what the runner-up model costs more per case. `ranges` covers all cost ratios from 0 to
    infinity; `holds_for` is the stretch of it around the condition where the recommended model stays best.
    """

    model: str
    choice: Choice
    tied: tuple[str, ...]
    runner_up: str | None
    gap: float | None
    choices: Mapping[str, Choice]
    ranges: tuple[Range, ...]
    holds_for: tuple[float, float]
    cautions: tuple[Caution, ...]

    @property
    def threshold(self) -> float:
        """The recommended threshold of the recommended model."""
        return self.choice.threshold

    @property
    def expected_cost(self) -> float:
        """Expected cost per case of the recommendation."""
        return self.choice.expected_cost

    def stays_cheapest(self, model: str) -> tuple[float, float]:
        """The cost ratios around the condition's at which a model is the cheapest.

        >>> models = {"careful": Ranking.parse("[4+][1+,5-]"), "eager": Ranking.parse("[5+,1-][4-]")}
        >>> choose(models, OperatingCondition(cost_ratio=5)).stays_cheapest("eager")
        (1.0, inf)
        """
        return _stretch(self.ranges, model, self.choices)

    def _brief(self) -> str:
        return f"{self.model!r} at threshold {self.threshold:g}, expected cost {self.expected_cost:.4g}"

    def _columns(self) -> Mapping[str, Any]:
        points = [one.point for one in self.ranges]
        return {
            "low": [one.low for one in self.ranges],
            "high": [one.high for one in self.ranges],
            "rule": [one.rule for one in self.ranges],
            "model": [one.models[0] for one in self.ranges],
            "tied": [", ".join(one.models[1:]) for one in self.ranges],
            "threshold": [point.threshold for point in points],
            "tpr": [point.table.tpr for point in points],
            "fpr": [point.table.fpr for point in points],
        }


def choose_model(models: Mapping[str, Ranking], condition: OperatingCondition | None = None) -> JointChoice:
    """Choose model and threshold together: what `choose` does with a mapping.

    A model can only be best where its curve touches the hull of all curves in ROC space, so
    one pass over the corners tells the winner for every cost ratio (Provost & Fawcett 2001).

    >>> careful = Ranking.parse("[4+][1+,5-]")
    >>> eager = Ranking.parse("[5+,1-][4-]")
    >>> both = choose({"careful": careful, "eager": eager}, OperatingCondition(cost_ratio=5))
    >>> both
    JointChoice('eager' at threshold 1.5, expected cost 0.1)
    >>> both.runner_up, round(both.gap, 10)
    ('careful', 0.4)
    >>> [(r.models, r.low, r.high) for r in both.ranges if r.rule == "threshold"]
    [(('careful',), 0.0, 1.0), (('eager',), 1.0, inf)]
    """
    if not models:
        raise ArgumentError("there are no models to choose from", "give {'name': rank(labels, scores), ...}")
    for name, ranking in models.items():
        with located(f"model {name!r}"):
            require_ranking(ranking, both_classes=True)
    asked = operating_condition(condition)
    choices = {name: choose(ranking, asked) for name, ranking in models.items()}
    exact = {name: ranking.in_units() for name, ranking in models.items()}
    slack = TIED_WEIGHTS if any(ranking.weighted for ranking in exact.values()) else 0.0
    class_ratio = _class_ratio(exact, asked)
    misses = class_ratio * asked.exact_cost_ratio
    losses = {}  # expected cost as a share of the largest that any model could have, exactly
    for name, ranking in exact.items():
        split = choices[name].point.split
        fp, fn = (Fraction(cell.item()) for cell in (ranking.covered()[1][split], ranking.uncovered(split)[0]))
        fpr, fnr = fp / Fraction(ranking.Neg), fn / Fraction(ranking.Pos)
        losses[name] = (fpr + misses * fnr) / (1 + misses)
    tied = _cheapest(losses, slack)
    others = _cheapest({name: loss for name, loss in losses.items() if name not in tied}, slack)
    winner, second = tied[0], others[0] if others else None
    best = choices[winner]
    cautions = list(best.cautions)
    if len(tied) > 1:
        same = f"{in_words(tied)} cost the same, {best.expected_cost:.4g} per case"
        cautions.append(Caution("tied-models", f"{same}; only the order in which they were given tells them apart"))
    ranges = _ranges(models, exact, asked, class_ratio, slack)
    return JointChoice(
        model=winner,
        choice=best,
        tied=tied,
        runner_up=second,
        gap=None if second is None else choices[second].expected_cost - best.expected_cost,
        choices=choices,
        ranges=ranges,
        holds_for=_stretch(ranges, winner, choices),
        cautions=tuple(cautions),
    )


def _class_ratio(models: Mapping[str, Ranking], condition: OperatingCondition) -> Fraction:
    """The class ratio at deployment: declared, or that of the data all models share."""
    if condition.class_ratio is not None:
        return simplest(condition.class_ratio)
    first, *others = models.values()
    if not all(math.isclose(other.class_ratio, first.class_ratio, rel_tol=1e-12) for other in others):
        listed = ", ".join(f"{name} {ranking.class_ratio:.4g}" for name, ranking in models.items())
        what = f"the class ratio is to be that of the data, but the models' data differ: {listed}"
        declare = f"declare the {argument('class_ratio')} of the operating condition"
        raise ConditionError(what, f"{declare}, or rank all models on the same cases")
    return Fraction(first.Pos) / Fraction(first.Neg)


def _cheapest(losses: Mapping[str, Fraction], slack: float) -> tuple[str, ...]:
    least = min(losses.values(), default=Fraction(0))
    return tuple(name for name, loss in losses.items() if loss <= least + Fraction(slack))


def _ranges(
    models: Mapping[str, Ranking],
    exact: Mapping[str, Ranking],
    asked: OperatingCondition,
    class_ratio: Fraction,
    slack: float,
) -> tuple[Range, ...]:
    """Corners of the joint hull in ROC space, and where each is cheapest.

    Points within `slack` of each other are one, and what saves no more is no corner: ties are those of `choose`.
    """
    points = {name: _roc_points(ranking, exactly=not slack) for name, ranking in exact.items()}
    corners: list[Place] = []
    for place in sorted({place for each in points.values() for place in each}):
        while len(corners) > 1 and advantage(corners[-2], corners[-1], place) <= slack:
            corners.pop()
        corners.append(place)
    ends = [0.0]  # cost ratios at which neighbouring corners cost the same
    for (x, y), (next_x, next_y) in pairwise(corners):
        dx, dy = next_x - x, next_y - y
        level = math.inf if dy <= slack else float(Fraction(dx) / (Fraction(dy) * class_ratio))
        ends.append(0.0 if dx <= slack else level)
    ranges = []
    for corner, low, high in zip(corners, ends, [*ends[1:], math.inf], strict=True):
        if low < high:
            splits = {name: _split_at(corner, each, slack) for name, each in points.items()}
            reached = {name: split for name, split in splits.items() if split is not None}
            name, split = next(iter(reached.items()))
            ranking = models[name]
            rules: dict[int, Rule] = {0: "never", len(ranking): "always"}
            point = point_of(ranking, split, asked.for_data(ranking))
            ranges.append(Range(low, high, tuple(reached), rules.get(split, "threshold"), point))
    return tuple(ranges)


def _roc_points(ranking: Ranking, *, exactly: bool) -> dict[Place, int]:
    """The splits at the corners of a ranking's hull, by their place (fpr, tpr)."""
    divide = Fraction if exactly else operator.truediv
    split = hull_splits(ranking, pool="ties")
    tp, fp = (covered[split].tolist() for covered in ranking.covered())
    return {
        (divide(alarms, ranking.Neg), divide(hits, ranking.Pos)): at
        for alarms, hits, at in zip(fp, tp, split.tolist(), strict=True)
    }


def _split_at(corner: Place, points: Mapping[Place, int], slack: float) -> int | None:
    """The split of a model that is at a corner, None if none is."""
    if not slack:
        return points.get(corner)
    distance = np.abs(np.array(list(points)) - np.array(corner)).max(axis=1)
    return list(points.values())[distance.argmin()] if distance.min() <= slack else None


def _stretch(ranges: tuple[Range, ...], model: str, choices: Mapping[str, Choice]) -> tuple[float, float]:
    """The neighbouring ranges of a model around the cost ratio of the condition."""
    low = high = next(iter(choices.values())).condition.cost_ratio
    weighted = any(choice.ranking.in_units().weighted for choice in choices.values())
    near = 1 + _ROUNDED_ENDS if weighted else 1
    for each in (*reversed(ranges), *ranges):  # downwards first, then upwards: each step must meet the last
        if model in each.models and each.low <= high * near and low <= each.high * near:
            low, high = min(low, each.low), max(high, each.high)
    return low, high
