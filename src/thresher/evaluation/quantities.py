"""Any quantity of an evaluated model at the condition's class mix, with limits.

A measure at a threshold that was itself looked for on the rows is resampled, threshold and all; where resamples agree
too well, the limits of the table stand, so that no limit is ever surer than the cases allow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.choices import Choice
from thresher.curves import thin
from thresher.errors import ArgumentError, InfeasibleError, MeasureError
from thresher.evaluation.rows import table_at
from thresher.inference import Interval, ScoredRows, bootstrap, interval
from thresher.inference.bootstrap.quantities import MeasureAtBest, best_choice
from thresher.inference.interval import undefined
from thresher.inference.intervals.model import net_benefit_interval, partial_area_interval
from thresher.inference.intervals.table import Table
from thresher.ranking import Ranking, merge_at
from thresher.tables import MEASURES, MODEL_NUMBERS, ModelNumber, OperatingCondition, Quantity, quantity, refusal

if TYPE_CHECKING:
    from thresher.evaluation.evaluate import ThresholdEvaluation

MOST_SEGMENTS = 4_000  # of a ranking that is resampled as it is
_COARSE, _FAR, _FINE = 300, 240, np.arange(0, 8.125, 0.125)  # splits of the curve, and away from those chosen


def parse_quantities(measures: Any) -> dict[str, Quantity]:
    """The quantities that a list of texts asks for, by text."""
    if isinstance(measures, str) or not isinstance(measures, Sequence):
        raise ArgumentError(f"measures are a list of texts, and this is {measures!r}", 'give e.g. ["auc"]')
    asked = {str(text).strip(): quantity(text) for text in measures}
    for one in asked.values():
        require_of_two(one)
    return asked


def require_of_two(asked: Quantity) -> None:
    """Refuse a quantity of several classes."""
    try:
        several = asked.of_several or asked.known is None
    except MeasureError:  # a number of k classes alone, such as one_vs_one_macro
        several = True
    if several:
        raise refusal(f"{asked} is of several classes, and there are two here", [*MODEL_NUMBERS, *MEASURES])


class Answer(NamedTuple):
    """A quantity with its limits, and the threshold it belongs to, if any."""

    interval: Interval
    threshold: float | None = None


def answer(
    evaluation: ThresholdEvaluation, name: str, asked: Quantity, replicates: int, *, judged_by: str = ""
) -> Answer:
    """One quantity of one model.

    Nothing is resampled where it is `judged_by` its estimate alone.
    """
    model, level, condition = evaluation[name], evaluation.level, evaluation.condition
    known = asked.known
    if isinstance(known, ModelNumber):
        if known.needs == "probabilities" and "brier" not in model.numbers:
            return Answer(undefined(level, f"the scores of {name} are no probabilities"))
        return _number(evaluation, name, asked)
    if asked.threshold is not None:
        table = table_at(evaluation.scored, name, asked.threshold)
        return Answer(interval(table, known, class_ratio=condition.class_ratio, level=level), asked.threshold)
    try:
        choice = best_choice(model.ranking, asked, condition)
    except (InfeasibleError, MeasureError) as error:
        return Answer(undefined(level, error.what))
    draws = 0 if judged_by == "estimate" else replicates
    return Answer(_at_choice(evaluation, name, asked, choice, replicates=draws), choice.threshold)


def _number(evaluation: ThresholdEvaluation, name: str, asked: Quantity) -> Answer:
    model, rows, level, condition = evaluation[name], evaluation.scored, evaluation.level, evaluation.condition
    if asked.name in model.numbers:
        return Answer(model.numbers[asked.name])
    if asked.name == "net_benefit":
        made_at, to = evaluation.decision.trained_at, condition.prevalence
        return Answer(net_benefit_interval(rows, name, asked, prevalence=to, trained_at=made_at, level=level))
    if asked.name == "expected_cost" and asked.threshold is not None:
        return Answer(interval(table_at(rows, name, asked.threshold), condition, level=level), asked.threshold)
    if asked.name in ("expected_cost", "out_of_bag_cost"):
        return Answer(getattr(model, asked.name), model.choice.threshold)
    if asked.name == "saving":
        return Answer(evaluation.savings[name], model.choice.threshold)
    return Answer(partial_area_interval(rows, name, asked, level=level))


def _at_choice(
    evaluation: ThresholdEvaluation, name: str, asked: Quantity, choice: Choice, *, replicates: int
) -> Interval:
    """The wider limits of resampling, threshold and all, and of the table."""
    scored = evaluation.scored
    rows = None if scored.simple else replace(scored, scores={name: scored.scores[name]})
    return interval_at_choice(
        choice,
        asked,
        evaluation.condition,
        table=table_at(scored, name, choice.threshold),
        rows=rows,
        level=evaluation.level,
        replicates=replicates,
        seed=evaluation.seed,
    )


def interval_at_choice(
    choice: Choice,
    asked: Quantity,
    condition: OperatingCondition,
    *,
    table: Table,
    rows: ScoredRows | None = None,
    level: float,
    replicates: int,
    seed: int,
) -> Interval:
    """The interval of a measure at a threshold that was looked for on the same cases.

    The wider limits of resampling, threshold and all, and of the `table`. `rows` are given where weights or clusters
    say more than the counts of the choice's ranking.
    """
    ranking = choice.ranking
    of_table = interval(table, asked.name, class_ratio=condition.class_ratio, level=level)
    if math.isnan(of_table.estimate) or not replicates:
        return of_table
    source: Ranking | ScoredRows = _near_choice(choice) if rows is None else rows
    clustered = rows is not None and rows.cluster is not None
    drawn = bootstrap(
        source,
        {"value": MeasureAtBest(asked, condition)},
        replicates=replicates,
        seed=seed,
        level=level,
        stratified=True if condition.class_ratio is not None and not clustered else None,
    ).interval("value")
    if rows is None and source is not ranking:  # the same spread around the estimate from all scores
        estimate = of_table.estimate
        by = estimate - drawn.estimate
        drawn = replace(drawn, estimate=estimate, lower=drawn.lower + by, upper=drawn.upper + by)
    if not (drawn.lower < drawn.upper or math.isnan(drawn.estimate)):  # finite data do not allow limits of no width
        cases = (ranking.Pos, ranking.Neg) if rows is None else rows.cases
        unseen = 1 - ((1 - level) / 2) ** (1 / min(cases))
        note = "all resamples agree; limits from what could stay unseen, conservative"
        drawn = replace(drawn, lower=drawn.estimate - unseen, upper=drawn.estimate + unseen, note=note)
    low, high = asked.known.range
    lower, upper = max(min(drawn.lower, drawn.estimate), low), min(max(drawn.upper, drawn.estimate), high)
    return replace(drawn, lower=min(lower, of_table.lower), upper=max(upper, of_table.upper))


def _near_choice(choice: Choice) -> Ranking:
    """The ranking with fewer splits, as fine near those chosen as resamples can tell.

    From a threshold chosen on, splits are an eighth of a standard deviation of a resample's counts apart, and farther
    off in proportion to their distance: wherever a resample's threshold falls, it is as well placed. The hull's corners
    are candidates for the best everywhere.
    """
    ranking = choice.ranking
    if len(ranking) <= MOST_SEGMENTS:
        return ranking
    splits = [thin(ranking, points=_COARSE).split]
    for split in {int(choice.splits[at]) for at in (0, choice.splits.size // 2, -1)}:
        deviations = np.zeros(len(ranking) + 1)
        for counts, cases in zip(ranking.covered(), (ranking.Pos, ranking.Neg), strict=True):
            share = counts[split] / cases
            deviations += (counts - counts[split]) / math.sqrt(max(cases * share * (1 - share), 1.0))
        farthest = max(float(deviations[-1]), -float(deviations[0]), _FINE[-1] + 1)
        away = np.concatenate([_FINE, np.geomspace(_FINE[-1], farthest, _FAR)])
        splits.append(np.searchsorted(deviations, np.concatenate([-away, away])).clip(max=len(ranking)))
    return merge_at(ranking, np.unique(np.concatenate(splits)))
