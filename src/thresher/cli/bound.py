"""What a requirement is judged by: a number or measure of a model, with limits that allow for everything chosen.

Numbers of a whole model have the limits that the evaluation gives them. A measure at a threshold that was itself
looked for on the rows is resampled, threshold and all; where resamples agree too well, the limits of the table
stand, so that no limit is ever surer than the cases allow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from thresher.choices import Choice, OperatingCondition, choose
from thresher.cli.requirement import AT_THE_CHOICE, Requirement, of_model
from thresher.curves import thinned
from thresher.errors import InfeasibleError, MeasureError
from thresher.evaluation import Evaluation, ModelEvaluation
from thresher.inference import Interval, MeasureAt, Rows, bootstrap, measure_interval
from thresher.ranking import Ranking
from thresher.tables import Measure, contingency_at

MOST_SEGMENTS = 20_000

Span: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Judged:
    """One requirement with what was found, and whether it holds."""

    requirement: Requirement
    model: str
    interval: Interval
    threshold: float | None

    @property
    def found(self) -> float:
        """The bound that was asked for."""
        found: float = getattr(self.interval, self.requirement.bound)
        return found

    @property
    def passed(self) -> bool:
        """Whether the bound meets the value; undefined meets nothing."""
        return self.requirement.holds(self.found)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        one = self.requirement
        threshold = self.threshold
        return {
            "requirement": one.text,
            "model": self.model,
            "name": one.name,
            "bound": one.bound,
            "relation": one.relation,
            "value": one.value,
            "found": self.found if math.isfinite(self.found) else None,
            "interval": self.interval.to_dict(),
            "threshold": threshold if threshold is None or math.isfinite(threshold) else str(threshold),
            "passed": self.passed,
        }


def judged(one: Requirement, evaluation: Evaluation, rows: Rows, *, replicates: int) -> Judged:
    """Find what a requirement speaks of, and judge it."""
    name = of_model(one, tuple(evaluation.models), evaluation.decision.model)
    model = evaluation[name]
    if one.measure is None:
        at = model.choice.threshold if one.name in AT_THE_CHOICE else None
        found = evaluation.savings[name] if one.name == "saving" else _number(one.name, model, evaluation.level)
        return Judged(one, name, found, at)
    resampled = _Resampled(rows, name, evaluation.level, evaluation.seed, replicates)
    if one.threshold is not None:
        ratio = evaluation.condition.class_ratio
        return Judged(one, name, _at_fixed(one, one.measure, model.ranking, resampled, ratio), one.threshold)
    asked = evaluation.condition
    search = _search(one, one.measure, asked)
    try:
        choice = search(model.ranking)
    except (InfeasibleError, MeasureError) as error:
        return Judged(one, name, _undefined(error.what, evaluation.level), None)
    found = _at_found(one, one.measure, choice, search, resampled, class_ratio=asked.class_ratio)
    return Judged(one, name, found, choice.threshold)


@dataclass(frozen=True, slots=True, eq=False)
class _Resampled:
    """One model's rows, ready to be drawn again."""

    rows: Rows
    model: str
    level: float
    seed: int
    replicates: int

    @property
    def simple(self) -> bool:
        """Whether every row is a case of its own."""
        return self.rows.weight is None and self.rows.cluster is None

    def interval(self, statistic: Any, name: str, *, span: Span) -> Interval:
        """Percentile limits; never of no width, which finite data do not allow, nor outside what can be."""
        given = self.rows.ranking(self.model) if self.simple else self.rows
        source = joined(given) if isinstance(given, Ranking) else given
        found = bootstrap(source, {name: statistic}, replicates=self.replicates, seed=self.seed, level=self.level)
        plain = found.interval(name, None if self.simple else self.model)
        if isinstance(given, Ranking) and source is not given:
            plain = _moved(plain, float(statistic(given)))
        if plain.lower < plain.upper or math.isnan(plain.estimate):
            wide = replace(plain, lower=min(plain.lower, plain.estimate), upper=max(plain.upper, plain.estimate))
            return _within(wide, span)
        positive = int(self.rows.positive.sum())
        cases = min(positive, self.rows.positive.size - positive)
        unseen = 1 - ((1 - self.level) / 2) ** (1 / cases)
        note = "all resamples agree; limits from what could stay unseen, conservative"
        wide = replace(plain, lower=plain.estimate - unseen, upper=plain.estimate + unseen, note=note)
        return _within(wide, span)


def joined(ranking: Ranking) -> Ranking:
    """The ranking itself, or one in which neighbouring scores are joined until there are few enough to draw from.

    Corners of the hull stay, so that what is best hardly moves; how much it varies does not depend on so many scores.

    >>> joined(Ranking.parse("[3+][1-]"))
    Ranking([3+][1-] at scores 2, 1)
    """
    if len(ranking) <= MOST_SEGMENTS:
        return ranking
    split = thinned(ranking, points=MOST_SEGMENTS).split
    tp, fp = (covered[split] for covered in ranking.covered())
    return Ranking(ranking.score[split[1:] - 1], np.diff(tp), np.diff(fp))


def _moved(interval: Interval, estimate: float) -> Interval:
    """The same spread around the estimate from all scores."""
    by = estimate - interval.estimate
    return replace(interval, estimate=estimate, lower=interval.lower + by, upper=interval.upper + by)


def _within(interval: Interval, span: Span) -> Interval:
    """Limits that say nothing impossible: no share lies above 1, however wide its limits are."""
    low, high = span
    return replace(interval, lower=max(interval.lower, low), upper=min(interval.upper, high))


def _number(name: str, model: ModelEvaluation, level: float) -> Interval:
    found: Interval | None = getattr(model, name) if name in AT_THE_CHOICE else model.numbers.get(name)
    return _undefined(f"the scores of {model.name} are no probabilities", level) if found is None else found


def _at_fixed(
    one: Requirement, of: Measure, ranking: Ranking, resampled: _Resampled, class_ratio: float | None
) -> Interval:
    threshold = one.threshold if one.threshold is not None else math.nan
    if resampled.simple or one.bound == "estimate":
        table = contingency_at(ranking, threshold)
        return measure_interval(table, of, class_ratio=class_ratio, level=resampled.level)
    at = MeasureAt(of, dict.fromkeys(resampled.rows.models, threshold), class_ratio)
    return resampled.interval(at, of.name, span=of.range)


def _search(one: Requirement, of: Measure, condition: OperatingCondition) -> Callable[[Ranking], Choice]:
    """How the threshold is looked for: where the measure is best within limits, or where cost is lowest."""
    if not one.limits:
        return lambda ranking: choose(ranking, condition)
    limits = [str(limit) for limit in one.limits]
    if of.better == "higher":
        return lambda ranking: choose(ranking, condition, maximise=of, subject_to=limits)
    return lambda ranking: choose(ranking, condition, minimise=of, subject_to=limits)


def _at_found(
    one: Requirement,
    of: Measure,
    choice: Choice,
    search: Callable[[Ranking], Choice],
    resampled: _Resampled,
    *,
    class_ratio: float | None,
) -> Interval:
    """Limits that hold although the threshold was looked for: the wider of resampling and of the table."""
    table = measure_interval(choice.table, of, class_ratio=class_ratio, level=resampled.level)
    if one.bound == "estimate" or math.isnan(table.estimate):
        return table
    worst = of.range[0] if of.better == "higher" else of.range[1]

    def found(ranking: Ranking) -> float:
        try:
            return float(of.of(search(ranking).table, class_ratio=class_ratio))
        except (InfeasibleError, MeasureError):  # a draw that cannot meet the limits counts as the worst
            return worst

    drawn = resampled.interval(found, of.name, span=of.range)
    return replace(drawn, lower=min(drawn.lower, table.lower), upper=max(drawn.upper, table.upper))


def _undefined(why: str, level: float) -> Interval:
    nan = math.nan
    return Interval(nan, nan, nan, nan, level, "none", why)
