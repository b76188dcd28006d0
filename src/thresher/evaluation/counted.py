"""Any quantity of a counted model, with limits, and bounds of what is judged.

A ranking that counts ranges of scores stands for every order of the cases inside them. An estimate then has certified
bounds, and so has the AUC's variance. Other limits are moved as far as their estimate may move, and by what the spread
of cases may change besides. Limits from resampling still differ as those of two seeds do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from thresher.calibration import log_losses, squared_losses
from thresher.choices import Choice
from thresher.curves import Bounds, partial_auc, table_bounds
from thresher.curves.bounds import certain, may_hide_tie
from thresher.errors import InfeasibleError, MeasureError
from thresher.evaluation.model import are_probabilities
from thresher.evaluation.quantities import interval_at_choice
from thresher.inference import Interval, auc_interval, brier_interval, calibration_report, interval
from thresher.inference.bootstrap.quantities import best_choice
from thresher.inference.bounds import bounds
from thresher.inference.influence import bessel_correction
from thresher.inference.interval import normal_quantile, undefined
from thresher.inference.intervals.auc import delong_parts, moderated_interval
from thresher.inference.intervals.loss import log_loss_interval
from thresher.inference.intervals.model import area_interval, net_benefit_of
from thresher.ranking import Flags, Indices, Ranking
from thresher.tables import Contingency, Measure, ModelNumber, OperatingCondition, Quantity, contingency_at

if TYPE_CHECKING:
    from thresher.evaluation.engine import ScannedEvaluation, ScannedModel

Bound: TypeAlias = Literal["lower", "upper", "estimate"]
_AT_ANY_MIX = ("auc", "partial_auc", "standardised_partial_auc", "expected_cost")
_AT_THE_DATAS_MIX = ("average_precision", "pr_area", "brier", "log_loss", "net_benefit")
_OF_THE_REPORT = (
    "calibration_intercept",
    "calibration_slope",
    "calibration_in_the_large",
    "observed_expected",
    "ici",
    "e50",
    "e90",
)
_MOST_HIDDEN = 64  # ranges that may hide the cheapest split; of more, a limit is not looked for
_SEED = 0
_OPEN = Bounds(-math.inf, math.inf)
_ROUNDING = 1e-12
_STEPS = 7
_FARTHEST = 700.0  # of a logarithm that has a power


class CountedAnswer(NamedTuple):
    """A quantity with its limits, its threshold if any, and bounds of what is judged."""

    interval: Interval
    threshold: float | None
    within: Bounds


def countable(asked: Quantity, condition: OperatingCondition, trained_at: float | None) -> bool:
    """Whether counts of cases per score, exact or in ranges, are enough to answer."""
    restated = condition.prevalence is not None or trained_at is not None
    return isinstance(asked.known, Measure) or asked.name in (
        _AT_ANY_MIX if restated else (*_AT_ANY_MIX, *_AT_THE_DATAS_MIX)
    )


def counted_answer(
    evaluation: ScannedEvaluation, name: str, asked: Quantity, replicates: int, *, judged_by: Bound
) -> CountedAnswer:
    """One quantity of one model, and between which numbers what it is judged by lies."""
    model, level = evaluation[name], evaluation.level
    known, ranking = asked.known, model.ranking
    report = asked.name in _OF_THE_REPORT and ranking.exact
    if isinstance(known, ModelNumber) and known.needs == "probabilities" and not are_probabilities(ranking):
        return _certain(undefined(level, f"the scores of {name} are no probabilities"), judged_by)
    if report:
        to, made_at = evaluation.condition, evaluation.trained_at
        numbers = calibration_report(ranking, condition=to, trained_at=made_at, level=level, seed=_SEED).numbers
        return _certain(numbers[asked.name], judged_by)
    if not countable(asked, evaluation.condition, evaluation.trained_at):
        return CountedAnswer(undefined(level, f"{asked} needs rows, and there are only counts"), None, _OPEN)
    return _of_counts(evaluation, model, asked, replicates, judged_by)


def _of_counts(
    evaluation: ScannedEvaluation, model: ScannedModel, asked: Quantity, replicates: int, judged_by: Bound
) -> CountedAnswer:
    """A quantity that counts of cases per score answer."""
    ranking, level = model.ranking, evaluation.level
    at = asked.threshold if asked.probability is None else asked.probability
    if at is not None:
        return _at_threshold(ranking, at, partial(_of_table, asked, evaluation.condition, level), judged_by)
    if isinstance(asked.known, Measure):
        return _at_choice(evaluation, model, asked, replicates, judged_by)
    if asked.name == "expected_cost":
        return CountedAnswer(model.expected_cost, model.choice.threshold, _cost_limits(evaluation, model, judged_by))
    return _number(ranking, asked, level, judged_by)


def _of_table(asked: Quantity, condition: OperatingCondition, level: float, table: Contingency) -> Interval:
    """A measure, an expected cost or a net benefit of one table."""
    if asked.name == "net_benefit":
        return net_benefit_of(table, asked, prevalence=None, level=level)
    if asked.measure is None:
        return interval(table, condition, level=level)
    return interval(table, asked.measure, class_ratio=condition.class_ratio, level=level)


def _certain(value: Interval, judged_by: Bound) -> CountedAnswer:
    return CountedAnswer(value, None, certain(float(getattr(value, judged_by))))


def _number(ranking: Ranking, asked: Quantity, level: float, judged_by: Bound) -> CountedAnswer:
    """A number that belongs to no threshold."""

    def value(one: Ranking) -> Interval:
        match asked.name:
            case "auc":
                return auc_interval(one, level=level)
            case "brier":
                return brier_interval(one, level=level)
            case "log_loss":
                return log_loss_interval(one, level=level)
        return area_interval(one, asked, level=level)

    observed = value(ranking)
    if ranking.ranges is None:
        return _certain(observed, judged_by)
    if asked.name == "auc":
        return CountedAnswer(observed, None, _auc_bounds(ranking, observed, judged_by))
    known = bounds(ranking, asked.name) if asked.within is None else _partial_bounds(ranking, asked)
    if judged_by == "estimate":
        return CountedAnswer(observed, None, known)
    if asked.within is None:
        moved = _loss_movement(ranking, asked) if asked.name in ("brier", "log_loss") else 0.0
        limits = _limit_bounds(observed, known, judged_by, *asked.known.range, moved=moved)
        return CountedAnswer(observed, None, limits)
    # Where the order inside the range at the end of the area is open, the spread of cases is, too.
    orders = (observed, *(value(_extreme(ranking, highest=highest)) for highest in (False, True)))
    every = [_limit_bounds(each, known, judged_by, *_partial_range(asked)) for each in orders]
    limits = Bounds(min(each.lower for each in every), max(each.upper for each in every))
    return CountedAnswer(observed, None, limits)


def _loss_movement(ranking: Ranking, asked: Quantity) -> float:
    """How far losses may move inside ranges: their mean, and a deviation of it."""
    spans = ranking.ranges
    if spans is None:
        return 0.0
    losses = squared_losses if asked.name == "brier" else log_losses
    best, worst = losses(spans.pos_high, spans.neg_low), losses(spans.pos_low, spans.neg_high)
    total, squares = 0.0, 0.0
    for counts, least, most in zip((ranking.pos, ranking.neg), best, worst, strict=True):
        has = counts > 0
        if np.isinf(most[has]).any():
            return math.inf
        away = most[has] - least[has]
        total += float((counts[has] * away).sum())
        squares += float((counts[has] * away**2).sum())
    return (total + math.sqrt(squares)) / float(ranking.total)


def _limit_bounds(
    observed: Interval, known: Bounds, judged_by: Bound, low: float, high: float, *, moved: float = 0.0
) -> Bounds:
    """Where a limit may lie that is drawn on the logit or logarithmic scale.

    With g that scale, an estimate that moves by w moves g by at most |g'|·w. The limit moves with it, by what its
    distance in deviations grows as |g'| does, and by a deviation that differs: what a case counts changes by w on
    average, and the spread of cases by no more than twice that. Where cases may move against each other, so that the
    estimate stays, `moved` says how far.
    """
    limit, quantile = float(getattr(observed, judged_by)), normal_quantile(observed.level)
    known = Bounds(min(known.lower, observed.estimate), max(known.upper, observed.estimate))
    infinite = math.isinf(high)

    def scale(value: float) -> float:
        return math.log(value - low) if infinite else math.log((value - low) / (high - value))

    width = known.width + moved
    inside = low < min(known.lower, limit) and max(known.upper, limit) < high
    if not inside or not math.isfinite(width):  # a limit lies on its side of the estimate
        return Bounds(known.lower, high) if judged_by == "upper" else Bounds(low, known.upper)
    steepest = max(1 / (end - low) + (0 if infinite else 1 / (high - end)) for end in known)
    slack = (1 + 2 * quantile + abs(scale(observed.estimate) - scale(limit))) * steepest * width
    ends = [min(max(scale(limit) + by, -_FARTHEST), _FARTHEST) for by in (-slack, slack)]
    if infinite:
        lower, upper = (low + math.exp(end) for end in ends)
    else:
        lower, upper = (low + (high - low) / (1 + math.exp(-end)) for end in ends)
    return Bounds(lower, min(upper, known.upper)) if judged_by == "lower" else Bounds(max(lower, known.lower), upper)


def _partial_bounds(ranking: Ranking, asked: Quantity) -> Bounds:
    """Bounds of a partial area: those of the lowest and the highest curve."""
    within = asked.within
    if within is None:
        raise AssertionError(asked)
    low, high = (
        partial_auc(
            _extreme(ranking, highest=highest),
            **{within.rate: (within.low, within.high)},
            standardised=asked.name != "partial_auc",
        )
        for highest in (False, True)
    )
    return Bounds(low - _ROUNDING, high + _ROUNDING)


def _partial_range(asked: Quantity) -> tuple[float, float]:
    """The smallest and the largest that a partial area can be."""
    ends = (Ranking([1.0, 0.0], *counts) for counts in (([0, 1], [1, 0]), ([1, 0], [0, 1])))
    lowest, highest = (_partial_bounds(one, asked) for one in ends)
    return lowest.upper - _ROUNDING, highest.lower + _ROUNDING


def _auc_bounds(ranking: Ranking, observed: Interval, judged_by: Bound) -> Bounds:
    """Bounds of an AUC or of its limits.

    The placement of a case is off by at most half its range's share of the other class, so the root of a sum of squared
    placements is off by at most that of these halves (triangle inequality), and by what the AUC itself is off by.
    """
    known, spans = bounds(ranking, "auc"), ranking.ranges
    if judged_by == "estimate" or spans is None:
        return known
    mixed, totals = spans.mixed, (ranking.Pos, ranking.Neg)
    counts = ranking.pos[mixed].astype(np.float64), ranking.neg[mixed].astype(np.float64)
    least, most = [], []
    for own, part in enumerate(delong_parts(ranking)):
        half = counts[1 - own] / (2 * totals[1 - own])
        off = math.sqrt(float((counts[own] * half**2).sum())) + math.sqrt(totals[own]) * known.width
        off *= math.sqrt(bessel_correction(totals[own])) / totals[own]
        least.append(max(0.0, math.sqrt(part) - off))
        most.append(math.sqrt(part) + off)
    if min(least) <= 0 or known.lower <= 0 or known.upper >= 1:  # other limits where nothing varies
        return Bounds(known.lower, 1.0) if judged_by == "upper" else Bounds(0.0, known.upper)
    of_pos, of_neg = (np.linspace(*ends, _STEPS) ** 2 for ends in zip(least, most, strict=True))
    limits = [
        float(getattr(moderated_interval(area, (pos, neg), totals, observed.level), judged_by))
        for area in dict.fromkeys(np.linspace(known.lower, known.upper, _STEPS).tolist())
        for pos in of_pos.tolist()
        for neg in of_neg.tolist()
    ]
    return Bounds(max(0.0, min(limits) - _ROUNDING), min(1.0, max(limits) + _ROUNDING))


def _extreme(ranking: Ranking, *, highest: bool) -> Ranking:
    """The exact ranking with positives at one end of ranges, negatives at the other."""
    spans = ranking.ranges
    if spans is None:
        return ranking
    up, down = (spans.high, spans.low) if highest else (spans.low, spans.high)
    nothing = np.zeros_like(ranking.pos)
    parts = (up, ranking.pos, nothing), (down, nothing, ranking.neg)
    score, pos, neg = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    cases = (pos > 0) | (neg > 0)
    return Ranking(score[cases], pos[cases], neg[cases])


def _shift(value: Interval, known: Bounds, judged_by: Bound) -> Bounds:
    """Where a limit may lie if the estimate lies anywhere between its bounds."""
    if judged_by == "estimate" or not known.width:
        return known if judged_by == "estimate" else certain(float(getattr(value, judged_by)))
    limit, slack = float(getattr(value, judged_by)), normal_quantile(value.level) * known.width + _ROUNDING
    return Bounds(limit + known.lower - value.estimate - slack, limit + known.upper - value.estimate + slack)


def _cost_limits(evaluation: ScannedEvaluation, model: ScannedModel, judged_by: Bound) -> Bounds:
    """Where a limit of the expected cost may lie.

    The cheapest split may be inside a range. Its table lies in the rectangle of such a range, and has another mix of
    errors than the split that is known.
    """
    ranking, condition, level = model.ranking, evaluation.condition, evaluation.level
    moved = _shift(model.expected_cost, model.bounds["expected_cost"], judged_by)
    if judged_by == "estimate" or ranking.ranges is None:
        return moved
    at = np.flatnonzero(may_hide_tie(ranking, condition.slope_coverage(ranking)))
    if at.size > _MOST_HIDDEN:
        return _OPEN
    corners = [np.stack([table.tp, table.fn, table.fp, table.tn], axis=1) for table in _corners(ranking, at)]
    limits = [
        float(getattr(interval(Contingency(*cells), condition, level=level), judged_by))
        for cells in np.concatenate(corners).tolist()
    ]
    return Bounds(min([moved.lower, *limits]), max([moved.upper, *limits]))


def _at_threshold(
    ranking: Ranking, threshold: float, value: Callable[[Contingency], Interval], judged_by: Bound
) -> CountedAnswer:
    """What follows from a table at a threshold, whose tp and fp lie in a rectangle.

    Measures rise or fall with either, so that they are extreme at its corners. Their limits may bend in between, by
    less than a deviation of the same rectangle.
    """
    tables = table_bounds(ranking, threshold)
    corners = [
        Contingency(tp=hits.tp, fn=hits.fn, fp=alarms.fp, tn=alarms.tn)
        for hits in (tables.least, tables.most)
        for alarms in (tables.least, tables.most)
    ]
    values = [value(corner) for corner in corners]
    ends = [float(getattr(one, judged_by)) for one in values]
    same = all(corner == corners[0] for corner in corners)
    observed = values[0] if same else value(contingency_at(ranking, threshold))
    limits = certain(ends[0])
    if not same:
        estimates = [one.estimate for one in values]
        slack = 0.0 if judged_by == "estimate" else normal_quantile(values[0].level) * (max(estimates) - min(estimates))
        limits = _OPEN if any(map(math.isnan, ends)) else Bounds(min(ends) - slack, max(ends) + slack)
    return CountedAnswer(observed, threshold, limits)


def _at_choice(
    evaluation: ScannedEvaluation, model: ScannedModel, asked: Quantity, replicates: int, judged_by: Bound
) -> CountedAnswer:
    """A measure at a threshold that was looked for, which may lie inside a range."""
    ranking, condition, level = model.ranking, evaluation.condition, evaluation.level
    draws = 0 if judged_by == "estimate" else replicates
    try:
        choice = best_choice(ranking, asked, condition)
    except (InfeasibleError, MeasureError) as error:
        nothing = undefined(level, error.what)
        hidden = ranking.ranges is not None and bool(_feasible(ranking, asked, condition).any())
        return CountedAnswer(nothing, None, _OPEN if hidden else certain(math.nan))
    known = _choice_bounds(ranking, asked, condition, choice)
    observed = interval_at_choice(
        choice, asked, condition, table=choice.table, level=level, replicates=draws, seed=_SEED
    )
    limits = _OPEN if known is _OPEN else _shift(observed, known, judged_by)
    return CountedAnswer(observed, choice.threshold, limits)


def _choice_bounds(ranking: Ranking, asked: Quantity, condition: OperatingCondition, choice: Choice) -> Bounds:
    """Between which numbers a measure lies at the best threshold of the exact ranking."""
    known, at_mix = asked.measure, condition.class_ratio
    if known is None:
        raise AssertionError(asked)
    reached = float(known.of(choice.table, class_ratio=at_mix))
    if ranking.ranges is None:
        return certain(reached)
    slope = condition.slope_coverage(ranking)
    may = _feasible(ranking, asked, condition) if asked.limits else may_hide_tie(ranking, slope)
    if not may.any():
        return certain(reached)
    tables = [*_corners(ranking, np.flatnonzero(may)), *(point.table for point in choice.points)]
    values = np.concatenate([np.atleast_1d(known.of(table, class_ratio=at_mix)) for table in tables])
    if np.isnan(values).any():
        return _OPEN
    low, high = min(reached, float(values.min())), max(reached, float(values.max()))
    if not asked.limits:
        return Bounds(low, high)
    # Every split between ranges was tried, so what is hidden can only be better.
    return Bounds(reached, high) if asked.better == "higher" else Bounds(low, reached)


def _feasible(ranking: Ranking, asked: Quantity, condition: OperatingCondition) -> Flags:
    """The ranges inside which constraints may hold, at the condition's class mix."""
    spans = ranking.ranges
    if spans is None:
        return np.zeros(len(ranking), dtype=np.bool_)
    may = spans.low < spans.high
    corners = _corners(ranking, np.arange(len(ranking)))
    for limit in asked.limits:
        may = may & np.logical_or.reduce([limit.holds(corner, class_ratio=condition.class_ratio) for corner in corners])
    return may


def _corners(ranking: Ranking, at: Indices) -> list[Contingency]:
    """Tables at the corners of what tp and fp may be inside some segments."""
    tp, fp = ranking.covered()
    return [
        Contingency(tp=hits, fn=ranking.Pos - hits, fp=alarms, tn=ranking.Neg - alarms)
        for hits in (tp[at], tp[at + 1])
        for alarms in (fp[at], fp[at + 1])
    ]
