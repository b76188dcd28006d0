"""Which model at which threshold: the joint hull of several rankings under one condition."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from thresher._internal.arguments import describe
from thresher._internal.results import Result, Tabular, rows_of
from thresher._internal.text import in_words
from thresher.cautions import Caution
from thresher.choices.choose import Choice, Point, choose, operating_condition, point_of
from thresher.choices.objective import TIED_WEIGHTS, Place, advantage
from thresher.curves.hull import Splits, hull_splits
from thresher.errors import ArgumentError, ConditionError, argument, located
from thresher.ranking import Ranking, require_ranking
from thresher.tables.condition import OperatingCondition, simplest

_ROUNDED_ENDS = 1e-9  # ends of ranges are quotients of small differences of weights


@dataclass(frozen=True, slots=True, repr=False)
class Range(Result):
    """Cost ratios between `low` and `high`, and what is cheapest there.

    `models` lists every model that reaches the point; all of them do for the two rules that ignore scores.

    >>> last = choose({"careful": Ranking.parse("[4+][1+,5-]")}).ranges[-1]
    >>> last.low, last.high, last.rule, last.models
    (5.0, inf, 'always', ('careful',))
    """

    low: float
    high: float
    models: tuple[str, ...]
    rule: Literal["threshold", "never", "always"]
    point: Point


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointChoice(Tabular):
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
        return _stretch(self.ranges, model, self.choice.condition.cost_ratio, _slack(self.choices.values()))

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
    _require_models(models)
    asked = operating_condition(condition)
    _require_one_class_ratio(models, asked)
    choices = {name: choose(ranking, asked) for name, ranking in models.items()}
    exact = {name: ranking.in_units() for name, ranking in models.items()}
    slack = _slack(choices.values())
    tied, second = _cheapest({name: _loss(exact[name], choice, asked) for name, choice in choices.items()}, slack)
    ranges = _ranges(models, exact, asked, slack)
    winner = tied[0]
    return JointChoice(
        model=winner,
        choice=choices[winner],
        tied=tied,
        runner_up=second,
        gap=None if second is None else choices[second].expected_cost - choices[winner].expected_cost,
        choices=choices,
        ranges=ranges,
        holds_for=_stretch(ranges, winner, asked.cost_ratio, slack),
        cautions=(*choices[winner].cautions, *_on_tie(tied, choices[winner])),
    )


def _on_tie(tied: tuple[str, ...], choice: Choice) -> Iterator[Caution]:
    if len(tied) > 1:
        same = f"{in_words(tied)} cost the same, {choice.expected_cost:.4g} per case"
        yield Caution("tied-models", f"{same}; only the order in which they were given tells them apart")


def _require_models(models: Any) -> None:
    fix = "give {'name': rank(labels, scores), ...}"
    if not isinstance(models, Mapping):
        raise ArgumentError(f"models are rankings by name, got {describe(models)}", fix)
    if not models:
        raise ArgumentError("there are no models to choose from", fix)
    for name, ranking in models.items():
        with located(f"model {name!r}"):
            require_ranking(ranking, both_classes=True)


def _require_one_class_ratio(models: Mapping[str, Ranking], condition: OperatingCondition) -> None:
    ratios = {name: ranking.class_ratio for name, ranking in models.items()}
    first = next(iter(ratios.values()))
    same = all(math.isclose(ratio, first, rel_tol=1e-12) for ratio in ratios.values())  # sums of weights round
    if condition.class_ratio is None and not same:
        listed = ", ".join(f"{name} {ratio:.4g}" for name, ratio in ratios.items())
        raise ConditionError(
            f"the class ratio is to be that of the data, but the models' data differ: {listed}",
            fix=f"declare the {argument('class_ratio')} of the operating condition, "
            "or rank all models on the same cases",
        )


def _loss(ranking: Ranking, choice: Choice, condition: OperatingCondition) -> Fraction:
    """Expected cost as a share of the largest that any model could have, exactly."""
    ratio = _deployment_ratio(ranking, condition) * condition.exact_cost_ratio
    tp, fp = (Fraction(covered[choice.point.split].item()) for covered in ranking.covered())
    fpr, tpr = fp / Fraction(ranking.Neg), tp / Fraction(ranking.Pos)
    return (fpr + ratio * (1 - tpr)) / (1 + ratio)


def _cheapest(losses: Mapping[str, Fraction], slack: float) -> tuple[tuple[str, ...], str | None]:
    """All models that are cheapest, and the first of those that come next."""

    def best(names: Mapping[str, Fraction]) -> tuple[str, ...]:
        limit = min(names.values()) + Fraction(slack)
        return tuple(name for name, loss in names.items() if loss <= limit)

    tied = best(losses)
    others = {name: loss for name, loss in losses.items() if name not in tied}
    return tied, best(others)[0] if others else None


def _ranges(
    models: Mapping[str, Ranking], exact: Mapping[str, Ranking], asked: OperatingCondition, slack: float
) -> tuple[Range, ...]:
    """Corners of the joint hull in ROC space, each with the cost ratios at which it is cheapest.

    Points within `slack` of each other are one, and what saves no more is no corner: ties are those of `choose`.
    """
    split = {name: hull_splits(ranking, pool="ties") for name, ranking in exact.items()}
    points = {name: _roc_points(exact[name], split[name], exactly=not slack) for name in exact}
    corners = _corners(sorted({point for each in points.values() for point in each}), slack)
    ratio = _deployment_ratio(next(iter(exact.values())), asked)
    bounds = [0.0, *(_cost_ratio(a, b, ratio, slack) for a, b in pairwise(corners)), math.inf]
    ranges = []
    for corner, low, high in zip(corners, bounds, bounds[1:], strict=False):
        if low < high:
            places = {name: _place(corner, each, slack) for name, each in points.items()}
            reached = [(name, int(split[name][place])) for name, place in places.items() if place is not None]
            ranges.append(_range_at(models, asked, reached, low, high))
    return tuple(ranges)


def _roc_points(ranking: Ranking, split: Splits, *, exactly: bool) -> list[Place]:
    """(fpr, tpr) of splits, exactly where counts are whole."""
    tp, fp = (covered[split] for covered in ranking.covered())
    if not exactly:
        return list(zip((fp / ranking.Neg).tolist(), (tp / ranking.Pos).tolist(), strict=True))
    Pos, Neg = ranking.Pos, ranking.Neg
    return [(Fraction(f, Neg), Fraction(t, Pos)) for f, t in zip(fp.tolist(), tp.tolist(), strict=True)]


def _corners(points: list[Place], slack: float) -> list[Place]:
    """Corners of the hull of points in order, from the first to the last of them."""
    corners: list[Place] = []
    for point in points:
        while len(corners) > 1 and advantage(corners[-2], corners[-1], point) <= slack:
            corners.pop()
        corners.append(point)
    return corners


def _cost_ratio(a: Place, b: Place, class_ratio: Fraction, slack: float) -> float:
    """The cost ratio at which two corners cost the same."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    if dx <= slack:
        return 0.0
    return math.inf if dy <= slack else float(Fraction(dx) / (Fraction(dy) * class_ratio))


def _place(corner: Place, points: list[Place], slack: float) -> int | None:
    """Which of a model's points is the corner, None if none is."""
    if not slack:
        at = bisect_left(points, corner)
        return at if at < len(points) and points[at] == corner else None
    away = np.abs(np.array(points) - np.array(corner)).max(axis=1)
    nearest = int(away.argmin())
    return nearest if away[nearest] <= slack else None


def _deployment_ratio(ranking: Ranking, asked: OperatingCondition) -> Fraction:
    if asked.class_ratio is not None:
        return simplest(asked.class_ratio)
    return Fraction(ranking.Pos) / Fraction(ranking.Neg)


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


def _slack(choices: Iterable[Choice]) -> float:
    """What costs of models may differ by and tie: 0 where counts are whole in some unit."""
    return TIED_WEIGHTS if any(choice.ranking.in_units().weighted for choice in choices) else 0.0


def _stretch(ranges: tuple[Range, ...], model: str, cost_ratio: float, slack: float) -> tuple[float, float]:
    """The run of neighbouring ranges of a model that holds the cost ratio, ends that round being met all the same."""
    low = high = cost_ratio
    near = 1 + (slack and _ROUNDED_ENDS)
    for each in (*reversed(ranges), *ranges):  # downwards first, then upwards: each step must meet the last
        if model in each.models and each.low <= high * near and low <= each.high * near:
            low, high = min(low, each.low), max(high, each.high)
    return low, high
