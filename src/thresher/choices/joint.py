"""Which model at which threshold: the joint hull of several rankings under one condition."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from thresher.cautions import Caution
from thresher.choices.condition import OperatingCondition, simplest
from thresher.choices.threshold import Choice, Point, choose, operating_condition, point_of
from thresher.curves.hull import Splits, hull_splits, upper_corners
from thresher.errors import ArgumentError, ConditionError
from thresher.ranking import Ranking, described, require_ranking
from thresher.results import Result, Tabular, rows_of
from thresher.visible import in_words

_WHERE = "joint_choice(models, condition)"


@dataclass(frozen=True, slots=True, repr=False)
class Range(Result):
    """Cost ratios between `low` and `high`, and what is cheapest there.

    `models` lists every model that reaches the point; all of them do for the two rules that
    ignore scores.

    >>> found = joint_choice({"careful": Ranking.parse("[4+][1+,5-]")}).ranges[-1]
    >>> found.low, found.high, found.rule, found.models
    (5.0, inf, 'always', ('careful',))
    """

    low: float
    high: float
    models: tuple[str, ...]
    rule: Literal["threshold", "never", "always"]
    point: Point


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointChoice(Tabular):
    """The cheapest model and threshold under a condition, and what would be cheapest under others.

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
        """The cost ratios around the condition's at which a model is the cheapest; that one alone where it is not.

        >>> models = {"careful": Ranking.parse("[4+][1+,5-]"), "eager": Ranking.parse("[5+,1-][4-]")}
        >>> joint_choice(models, OperatingCondition(cost_ratio=5)).stays_cheapest("eager")
        (1.0, inf)
        """
        return _stretch(self.ranges, model, self.choice.condition.cost_ratio)

    def _brief(self) -> str:
        return f"{self.model!r} at threshold {self.threshold:g}, expected cost {self.expected_cost:.4g}"

    def _columns(self) -> Mapping[str, Any]:
        return rows_of(
            [
                {
                    "low": one.low,
                    "high": one.high,
                    "rule": one.rule,
                    "model": one.models[0],
                    "tied": ", ".join(one.models[1:]),
                    "threshold": one.point.threshold,
                    "tpr": one.point.table.tpr,
                    "fpr": one.point.table.fpr,
                }
                for one in self.ranges
            ]
        )


def joint_choice(models: Mapping[str, Ranking], condition: OperatingCondition | None = None) -> JointChoice:
    """Choose model and threshold together.

    A model can only be best where its curve touches the hull of all curves in ROC space, so
    one pass over the corners tells the winner for every cost ratio (Provost & Fawcett 2001).

    >>> careful = Ranking.parse("[4+][1+,5-]")
    >>> eager = Ranking.parse("[5+,1-][4-]")
    >>> both = joint_choice({"careful": careful, "eager": eager}, OperatingCondition(cost_ratio=5))
    >>> both
    JointChoice('eager' at threshold 1.5, expected cost 0.1)
    >>> both.runner_up, round(both.gap, 10)
    ('careful', 0.4)
    >>> [(r.models, r.low, r.high) for r in both.ranges if r.rule == "threshold"]
    [(('careful',), 0.0, 1.0), (('eager',), 1.0, inf)]
    """
    _require_models(models)
    asked = operating_condition(condition, _WHERE)
    _require_one_class_ratio(models, asked)
    choices = {name: choose(ranking, asked) for name, ranking in models.items()}
    losses = {name: _loss(models[name], choice, asked) for name, choice in choices.items()}
    least = min(losses.values())
    slack = 0 if not any(r.weighted for r in models.values()) else abs(least) * Fraction(1, 10**12)
    tied = tuple(name for name, loss in losses.items() if loss <= least + slack)
    others = [name for name in models if name not in tied]
    second = min(others, key=losses.__getitem__, default=None)
    ranges = _ranges(models, asked)
    winner = tied[0]
    return JointChoice(
        model=winner,
        choice=choices[winner],
        tied=tied,
        runner_up=second,
        gap=None if second is None else choices[second].expected_cost - choices[winner].expected_cost,
        choices=choices,
        ranges=ranges,
        holds_for=_stretch(ranges, winner, asked.cost_ratio),
        cautions=(*choices[winner].cautions, *_on_tie(tied, choices[winner])),
    )


def _on_tie(tied: tuple[str, ...], choice: Choice) -> Iterator[Caution]:
    if len(tied) > 1:
        same = f"{in_words(tied)} cost the same, {choice.expected_cost:.4g} per case"
        yield Caution("tied-models", f"{same}; only the order in which they were given tells them apart")


def _require_models(models: Any) -> None:
    fix = "give {'name': rank(labels, scores), ...}"
    if not isinstance(models, Mapping):
        raise ArgumentError(f"models are rankings by name, got {described(models)}", _WHERE, fix)
    if not models:
        raise ArgumentError("there are no models to choose from", _WHERE, fix)
    for name, ranking in models.items():
        require_ranking(ranking, f"{_WHERE}, model {name!r}", both_classes=True)


def _require_one_class_ratio(models: Mapping[str, Ranking], condition: OperatingCondition) -> None:
    ratios = {name: ranking.class_ratio for name, ranking in models.items()}
    first = next(iter(ratios.values()))
    same = all(math.isclose(ratio, first, rel_tol=1e-12) for ratio in ratios.values())  # sums of weights round
    if condition.class_ratio is None and not same:
        told = ", ".join(f"{name} {ratio:.4g}" for name, ratio in ratios.items())
        raise ConditionError(
            f"the class ratio is to be that of the data, but the models' data differ: {told}",
            where=_WHERE,
            fix="declare OperatingCondition(class_ratio=...), or rank all models on the same cases",
        )


def _loss(ranking: Ranking, choice: Choice, condition: OperatingCondition) -> Fraction:
    """Expected cost up to a factor that all models share, exactly."""
    ratio = Fraction(ranking.Pos) / Fraction(ranking.Neg)
    if condition.class_ratio is not None:
        ratio = simplest(condition.class_ratio)
    table = choice.table
    fpr, fnr = Fraction(table.fp) / Fraction(ranking.Neg), Fraction(table.fn) / Fraction(ranking.Pos)
    return fpr + ratio * condition.exact_cost_ratio * fnr


def _ranges(models: Mapping[str, Ranking], asked: OperatingCondition) -> tuple[Range, ...]:
    """Corners of the joint hull in ROC space, each with the cost ratios at which it is cheapest."""
    reached: dict[tuple[Any, Any], list[tuple[str, int]]] = {}
    for name, ranking in models.items():
        split = hull_splits(ranking, pool="ties")
        for place, point in zip(split.tolist(), _roc_points(ranking, split, models), strict=True):
            reached.setdefault(point, []).append((name, place))
    highest: dict[Any, Any] = {}
    for x, y in reached:
        highest[x] = max(y, highest.get(x, y))
    # At fpr 0 the origin stays a corner below the best point of that column.
    points = sorted({(0, 0), *highest.items()})
    xs, ys = (np.array(axis, dtype=object) for axis in zip(*points, strict=True))
    corners = [points[i] for i in upper_corners(xs, ys, np.arange(len(points)))]
    ratio = _deployment_ratio(models, asked) * _slope_of_unit(models)
    slopes = [_slope(a, b) for a, b in pairwise(corners)]
    bounds = [
        0.0,
        *(0.0 if s == math.inf else math.inf if s == 0 else float(1 / (s * ratio)) for s in slopes),
        math.inf,
    ]
    found = []
    for corner, low, high in zip(corners, bounds, bounds[1:], strict=False):
        if low < high:
            found.append(_range_at(models, asked, reached[corner], low, high))
    return tuple(found)


def _roc_points(ranking: Ranking, split: Splits, models: Mapping[str, Ranking]) -> list[tuple[Any, Any]]:
    """Exact places of splits in ROC space; models of the same cases share a unit, so that counts will do."""
    tp, fp = (covered[split].tolist() for covered in ranking.covered())
    if _of_same_cases(models):
        return list(zip(fp, tp, strict=True))
    Pos, Neg = Fraction(ranking.Pos), Fraction(ranking.Neg)
    return [(Fraction(f) / Neg, Fraction(t) / Pos) for f, t in zip(fp, tp, strict=True)]


def _of_same_cases(models: Mapping[str, Ranking]) -> bool:
    return len({(ranking.Pos, ranking.Neg) for ranking in models.values()}) == 1


def _slope_of_unit(models: Mapping[str, Ranking]) -> Fraction:
    """The ROC slope of a step that is 1 in both directions of the points' unit."""
    if not _of_same_cases(models):
        return Fraction(1)
    first = next(iter(models.values()))
    return Fraction(first.Neg) / Fraction(first.Pos)


def _slope(a: tuple[Any, Any], b: tuple[Any, Any]) -> Any:
    return math.inf if a[0] == b[0] else Fraction(b[1] - a[1]) / Fraction(b[0] - a[0])


def _deployment_ratio(models: Mapping[str, Ranking], asked: OperatingCondition) -> Fraction:
    if asked.class_ratio is not None:
        return simplest(asked.class_ratio)
    first = next(iter(models.values()))
    return Fraction(first.Pos) / Fraction(first.Neg)


def _range_at(
    models: Mapping[str, Ranking], asked: OperatingCondition, reached: list[tuple[str, int]], low: float, high: float
) -> Range:
    name, split = reached[0]
    ranking = models[name]
    rule: Literal["threshold", "never", "always"] = "threshold"
    if split in (0, len(ranking)):
        rule = "never" if split == 0 else "always"
    return Range(
        low, high, tuple(model for model, _ in reached), rule, point_of(ranking, split, asked.for_data(ranking))
    )


def _stretch(ranges: tuple[Range, ...], model: str, cost_ratio: float) -> tuple[float, float]:
    """The run of neighbouring ranges of a model that holds the cost ratio."""
    low = high = cost_ratio
    for found in (*reversed(ranges), *ranges):  # downwards first, then upwards: each step must meet the last
        if model in found.models and found.low <= high and low <= found.high:
            low, high = min(low, found.low), max(high, found.high)
    return low, high
