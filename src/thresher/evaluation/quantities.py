"""Any quantity of an evaluated model, with limits that allow for everything that was chosen.

Numbers of a model have the limits that the evaluation gives them. A measure at a threshold that was itself looked
for on the rows is resampled, threshold and all; where resamples agree too well, the limits of the table stand, so that
no limit is ever surer than the cases allow. Everything is stated at the condition's class mix.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from thresher.choices import Choice
from thresher.curves import thin
from thresher.errors import ArgumentError, InfeasibleError, MeasureError
from thresher.inference import Interval, bootstrap, interval
from thresher.inference.bootstrap.quantities import best_choice, best_value
from thresher.inference.intervals.model import net_benefit_interval, partial_area_interval
from thresher.inference.intervals.table import Table, count_calls
from thresher.ranking import Ranking, merge_at, reaches
from thresher.tables import MEASURES, MODEL_NUMBERS, ModelNumber, Quantity, quantity, refusal

if TYPE_CHECKING:
    from thresher.evaluation.evaluate import Evaluation

MOST_SEGMENTS = 20_000
_AT_THE_CHOICE = ("expected_cost", "out_of_bag_cost", "saving")

Span: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class QuantityInterval:
    """A quantity of a model with its limits, and the threshold it belongs to, if any."""

    interval: Interval
    threshold: float | None = None


def parse_quantities(measures: Any) -> dict[str, Quantity]:
    """The quantities that a list of texts asks for, by text; refused before anything is computed.

    >>> {text: str(asked) for text, asked in parse_quantities(["auc", "recall@fpr<=0.1"]).items()}
    {'auc': 'auc', 'recall@fpr<=0.1': 'tpr@fpr<=0.1'}
    """
    if isinstance(measures, str) or not isinstance(measures, Sequence):
        raise ArgumentError(f"measures are a list of texts, and this is {measures!r}", 'give e.g. ["auc"]')
    asked = {str(text).strip(): quantity(text) for text in measures}
    for one in asked.values():
        if one.of_class is not None:
            known = [*MODEL_NUMBERS, *MEASURES]
            raise refusal(f"{one} is of one class of several, and there are two here", known)
    return asked


def evaluate_quantities(
    evaluation: Evaluation, asked: Mapping[str, Quantity], *, replicates: int
) -> Mapping[str, Mapping[str, Interval]]:
    """Every quantity asked for of every model, by model and text."""
    return MappingProxyType(
        {
            name: MappingProxyType(
                {text: quantity_interval(evaluation, name, one, replicates).interval for text, one in asked.items()}
            )
            for name in (evaluation.models if asked else ())
        }
    )


def quantity_interval(
    evaluation: Evaluation, name: str, asked: Quantity, replicates: int, *, judged_by: str = ""
) -> QuantityInterval:
    """One quantity of one model; nothing is resampled where it is `judged_by` its estimate alone."""
    model, level, condition = evaluation[name], evaluation.level, evaluation.condition
    known = asked.known
    if isinstance(known, ModelNumber):
        if known.needs == "probabilities" and "brier" not in model.numbers:
            return QuantityInterval(_undefined(f"the scores of {name} are no probabilities", level))
        return _number(evaluation, name, asked)
    if asked.threshold is not None:
        table = _table(evaluation, name, asked.threshold)
        measured = interval(table, known, class_ratio=condition.class_ratio, level=level)
        return QuantityInterval(measured, asked.threshold)
    try:
        choice = best_choice(model.ranking, asked, condition)
    except (InfeasibleError, MeasureError) as error:
        return QuantityInterval(_undefined(error.what, level))
    draws = 0 if judged_by == "estimate" else replicates
    return QuantityInterval(_at_choice(evaluation, name, asked, choice, replicates=draws), choice.threshold)


def _number(evaluation: Evaluation, name: str, asked: Quantity) -> QuantityInterval:
    model, level = evaluation[name], evaluation.level
    if asked.name in model.numbers:
        return QuantityInterval(model.numbers[asked.name])
    if asked.name == "net_benefit":
        return QuantityInterval(
            net_benefit_interval(
                evaluation.scored,
                name,
                asked,
                prevalence=evaluation.condition.prevalence,
                trained_at=evaluation.decision.trained_at,
                level=level,
            )
        )
    if asked.name == "expected_cost" and asked.threshold is not None:
        table = _table(evaluation, name, asked.threshold)
        return QuantityInterval(interval(table, evaluation.condition, level=level), asked.threshold)
    if asked.name in _AT_THE_CHOICE:
        costs = {
            "expected_cost": model.expected_cost,
            "out_of_bag_cost": model.out_of_bag_cost,
            "saving": evaluation.savings[name],
        }
        return QuantityInterval(costs[asked.name], model.choice.threshold)
    return QuantityInterval(partial_area_interval(evaluation.scored, name, asked, level=level))


def _at_choice(evaluation: Evaluation, name: str, asked: Quantity, choice: Choice, *, replicates: int) -> Interval:
    """Limits that hold although the threshold was looked for: the wider of resampling and of the table."""
    condition, level = evaluation.condition, evaluation.level
    sampled = _table(evaluation, name, choice.threshold)
    table = interval(sampled, asked.name, class_ratio=condition.class_ratio, level=level)
    if math.isnan(table.estimate) or not replicates:
        return table
    value = best_value(asked, condition)
    drawn = _resample(evaluation, name, value, span=asked.known.range, replicates=replicates)
    return replace(drawn, lower=min(drawn.lower, table.lower), upper=max(drawn.upper, table.upper))


def _resample(evaluation: Evaluation, name: str, value: Any, *, span: Span, replicates: int) -> Interval:
    """Percentile limits; never of no width, which finite data do not allow, nor outside what can be."""
    scored, level = evaluation.scored, evaluation.level
    plain = scored.weight is None and scored.cluster is None
    ranking = evaluation[name].ranking
    source = join_segments(ranking) if plain else replace(scored, scores={name: scored.scores[name]})
    declared = evaluation.condition.class_ratio is not None and scored.cluster is None
    interval = bootstrap(
        source,
        {name: value},
        replicates=replicates,
        seed=evaluation.seed,
        level=level,
        stratified=True if declared else None,
    ).interval(name)
    if plain and source is not ranking:
        interval = _moved(interval, float(value(ranking)))
    low, high = span
    if not (interval.lower < interval.upper or math.isnan(interval.estimate)):
        unseen = 1 - ((1 - level) / 2) ** (1 / min(scored.cases))
        note = "all resamples agree; limits from what could stay unseen, conservative"
        interval = replace(interval, lower=interval.estimate - unseen, upper=interval.estimate + unseen, note=note)
    lower, upper = min(interval.lower, interval.estimate), max(interval.upper, interval.estimate)
    return replace(interval, lower=max(lower, low), upper=min(upper, high))


def join_segments(ranking: Ranking) -> Ranking:
    """Few enough segments to draw from; corners of the hull stay, so that what is best hardly moves.

    >>> join_segments(Ranking.parse("[3+][1-]"))
    Ranking([3+][1-] at scores 2, 1)
    """
    return merge_at(ranking, thin(ranking, points=MOST_SEGMENTS).split) if len(ranking) > MOST_SEGMENTS else ranking


def _moved(interval: Interval, estimate: float) -> Interval:
    """The same spread around the estimate from all scores."""
    by = estimate - interval.estimate
    return replace(interval, estimate=estimate, lower=interval.lower + by, upper=interval.upper + by)


def _table(evaluation: Evaluation, name: str, threshold: float) -> Table:
    rows = evaluation.scored
    calls = reaches(rows.scores[name].astype(np.float64), threshold)
    return count_calls(rows.positive, calls, weight=rows.weight, cluster=rows.cluster)


def _undefined(why: str, level: float) -> Interval:
    nan = math.nan
    return Interval(nan, nan, nan, nan, level, "none", why)
