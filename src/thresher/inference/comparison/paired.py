"""Paired comparison of models that scored the same rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_level, require_one_of
from thresher.curves import thin
from thresher.errors import ArgumentError, MeasureError, argument, located
from thresher.inference.bootstrap.bootstrap import bootstrap
from thresher.inference.bootstrap.draws import multiplicities, require_replicates
from thresher.inference.bootstrap.statistics import Mix, changes_with_mix
from thresher.inference.comparison.comparison import Comparison, Correction
from thresher.inference.comparison.difference import Better, Difference, require_margin
from thresher.inference.influence import (
    INFLUENCE,
    RowInfluence,
    influence_variance,
    row_influence,
)
from thresher.inference.interval import student_quantile
from thresher.inference.intervals.auc import auc_covariance
from thresher.inference.intervals.calibration_report import DISTANCES, distance_replicates
from thresher.inference.intervals.loss import INFINITE
from thresher.inference.rows import ScoredRows, cluster_sums
from thresher.inputs.columns import Column, Missing
from thresher.inputs.frames import columns_by_name
from thresher.ranking import Counts, Flags, Floats, falling_order, reaches
from thresher.tables import (
    MEASURES,
    MODEL_NUMBERS,
    Contingency,
    Measure,
    ModelNumber,
    OperatingCondition,
    Quantity,
    quantity,
    refusal,
)
from thresher.tables.condition import require_condition

MOST_SEGMENTS = 20_000
NOT_COMPARED = ("out_of_bag_cost", "saving", "uncertainty")
_ROUNDING = 1e-12
_OF_RANKS = ("partial_auc", "standardised_partial_auc", "average_precision", "pr_area")


def comparable() -> list[str]:
    """What models can be compared by."""
    examples = {"partial_auc": "partial_auc[fpr<=0.1]", "net_benefit": "net_benefit@0.05"}
    numbers = (examples.get(name, name) for name in MODEL_NUMBERS if name not in NOT_COMPARED)
    return [*numbers, *(name for name, known in MEASURES.items() if known.better != "neither")]


def compare_quantity(
    rows: ScoredRows,
    asked: Quantity,
    empty: Comparison,
    *,
    condition: OperatingCondition | None,
    trained_at: float | None,
    replicates: int,
    seed: int,
) -> Comparison:
    """All pairs of models by one quantity, at the condition's class mix if it declares one."""
    prevalence = None if condition is None else condition.prevalence
    stated = rows.at_prevalence(prevalence, trained_at=trained_at)
    known = asked.known
    if isinstance(known, ModelNumber) and known.needs == "probabilities":
        for name in rows.scores:
            with located(f"scores of {name!r}"):
                rows.ranking(name).require_probabilities()
    if asked.name in INFLUENCE:
        each = {name: row_influence(stated, name, asked) for name in empty.names}
        pairs = {(a, b): _difference(stated, asked, empty, (a, b), each) for a, b in _pairs(empty)}
        return empty.filled({name: one.estimate for name, one in each.items()}, pairs)
    if asked.name in DISTANCES:
        values = {name: distance_replicates(stated, name, asked.name, replicates, seed) for name in empty.names}
    else:
        values = _resampled(rows, asked, condition, trained_at=trained_at, replicates=replicates, seed=seed)
    return empty.of_replicates(values, span=known.range[1] - known.range[0])


def _pairs(empty: Comparison) -> itertools.combinations[tuple[str, str]]:
    return itertools.combinations(empty.names, 2)


def _difference(
    rows: ScoredRows,
    asked: Quantity,
    empty: Comparison,
    names: tuple[str, str],
    each: Mapping[str, RowInfluence],
) -> Difference:
    """A difference with Student's limits, from the influence of each row on either model."""
    one, other = (each[name] for name in names)
    difference = one.estimate - other.estimate if math.isfinite(one.estimate + other.estimate) else math.nan
    settings = {"level": empty.level, "method": "influence, paired", "margin": empty.margin, "better": empty.better}
    if math.isnan(difference):
        note = INFINITE if asked.name == "log_loss" else f"{asked} is undefined for one of them"
        return Difference(*names, math.nan, math.nan, math.nan, math.nan, math.nan, note=note, **settings)  # type: ignore[arg-type]
    variance = influence_variance(one.values - other.values, rows.cluster)
    apart = one.variance(rows.cluster) + other.variance(rows.cluster)
    low, high = asked.known.range
    span = high - low
    if not variance > _ROUNDING * apart:
        unseen = (1 - ((1 - empty.level) / 2) ** (1 / empty.pairs)) * span
        note = "no row tells the models apart; " + (
            "limits from what could stay unseen, conservative"
            if math.isfinite(span)
            else "what could stay unseen has no end"
        )
        limits = difference - unseen, difference + unseen
        p_value = 1.0 if abs(difference) <= _ROUNDING else math.nan
        return Difference(*names, difference, *limits, max(variance, 0.0), p_value, note=note, **settings)  # type: ignore[arg-type]
    from scipy.special import stdtr

    freedom = max(1.0, (empty.pairs if asked.name in _OF_RANKS else float(rows.clusters)) - 1)
    deviation = math.sqrt(variance)
    half = student_quantile(empty.level, freedom) * deviation
    limits = max(-span, difference - half), min(span, difference + half)
    p_value = float(2 * stdtr(freedom, -abs(difference) / deviation))
    return Difference(*names, difference, *limits, variance, p_value, **settings)  # type: ignore[arg-type]


def _resampled(
    rows: ScoredRows,
    asked: Quantity,
    condition: OperatingCondition | None,
    *,
    trained_at: float | None,
    replicates: int,
    seed: int,
) -> dict[str, Floats]:
    """The quantity of every model on the rows, and on resamples of them that all models share."""
    text = str(asked)
    coarse = replace(rows, scores={name: _joined_scores(rows, name) for name in rows.scores})
    settings = {"condition": condition, "trained_at": trained_at, "seed": seed}
    drawn = bootstrap(coarse, [text], replicates=replicates, **settings)  # type: ignore[arg-type]
    exact = drawn
    if any(coarse.scores[name] is not rows.scores[name] for name in rows.scores):
        exact = bootstrap(rows, [text], replicates=1, **settings)  # type: ignore[arg-type]
    values = {}
    for name in rows.scores:
        by = exact.estimate(text, name) - drawn.estimate(text, name)
        values[name] = np.append(drawn.estimate(text, name), drawn.values(text, name)) + by
    return values


def _joined_scores(rows: ScoredRows, name: str) -> Column:
    """A model's scores, or few enough of them to be scanned thousands of times; the hull's corners stay."""
    score = rows.scores[name]
    ranking = rows.ranking(name)
    if len(ranking) <= MOST_SEGMENTS:
        return score
    lowest = ranking.score[thin(ranking, points=MOST_SEGMENTS).split[1:] - 1]
    return lowest[np.searchsorted(-lowest, -score.astype(np.float64))]


def compare(
    labels: Any,
    scores: Any,
    *,
    positive: Any = None,
    weights: Any = None,
    clusters: Any = None,
    measure: str | Measure | OperatingCondition = "auc",
    thresholds: Mapping[str, float] | None = None,
    condition: OperatingCondition | None = None,
    trained_at: float | None = None,
    level: float = 0.95,
    margin: float = 0.0,
    correction: Correction = "holm",
    seed: int = 0,
    replicates: int = 2000,
    missing: Missing = "raise",
) -> Comparison:
    """Compare two or more models that scored the same rows.

    Models that see the same rows err on the same rows, so their difference is surer than either of them;
    that needs rows, and rankings are refused. AUCs are compared by DeLong's covariance (1988), with `weights` as
    sampling weights and `clusters` after Obuchowski (1997), as in `auc_interval`; limits are
    Student's, widened where the moderated limits of both AUCs say so: `docs/coverage.md` shows how well they hold.
    Partial areas, losses, net benefit and calibration have limits from what each row contributes to either model
    (exactly the paired mean of Brier and log losses). Anything else is resampled, rows or entire clusters jointly for
    all models, with percentile limits: a measure at each model's threshold, or the expected cost, at the thresholds
    given or, without any, at the best one of each model, chosen again in every resample (which is as optimistic for one
    model as for the other). With a declared class mix all of it is stated at that mix. Rates within a class, and
    whatever is stated at a declared mix, are resampled class by class, which holds the mix of the classes fixed;
    what depends on the mix is resampled from all rows together.

    Parameters
    ----------
    labels, positive, weights, missing
        As in `rank`.
    scores
        The scores of each model by its name, row by row in the order of `labels`: a mapping, or a frame with a
        column per model.
    clusters
        Which rows belong together, e.g. the patient each comes from.
    measure
        A quantity such as "auc", "partial_auc[fpr<=0.1]", "brier", "net_benefit@0.05", "specificity@recall>=0.9",
        "expected_cost" or a measure of a table; an operating condition stands for the expected cost under it.
    thresholds
        The threshold of each model by its name; without any, a measure is taken at the cheapest under `condition`.
    condition, trained_at
        Costs and class mix at deployment, and the prevalence that probabilities were made for, if not that of the rows:
        without a declared mix, they are restated for that of the rows.
    level, margin
        Confidence level, and the largest difference that does not matter, in units of the measure.
    correction
        "holm" adjusts p-values for the number of pairs; "none" does not.
    seed, replicates
        Of the resampling.

    Examples
    --------
    >>> labels = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    >>> a, b = [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13], [.8, .9, .2, .7, .6, .1, .5, .2, .4, .3]
    >>> found = compare(labels, {"tree": a, "logit": b})
    >>> print(found)
    model   auc
    tree    0.7500
    logit   0.8958
    pair           difference         0.95 limits      p   adjusted   verdict on the first
    tree - logit      -0.1458   [-0.7025, 0.4108]   0.52       0.52   undecided
    >>> found["logit", "tree"].difference
    0.14583333333333337
    """
    require_level(level)
    require_margin(margin)
    models = _by_name(scores)
    names = tuple(models)
    require_one_of(correction, ("holm", "none"), name="correction")
    if condition is not None:
        require_condition(condition)
    if isinstance(measure, OperatingCondition) and condition is not None:
        raise ArgumentError("two operating conditions are given", f"pass {argument('measure', 'expected_cost')}")
    Mix.of(condition, trained_at)  # refuses what is no prevalence
    asked, at = _asked(measure, thresholds, condition, names)
    better = _direction(asked)
    require_replicates(replicates, seed, None)
    if replicates < 100:
        raise ArgumentError(
            f"{argument('replicates')} must be 100 or more, got {replicates}",
            f"e.g. {argument('replicates', 2000)}",
            parameter="replicates",
        )
    rows = ScoredRows.of(labels, models, positive=positive, weights=weights, clusters=clusters, missing=missing)
    rows.require_two_clusters()
    empty = Comparison(
        names=names,
        measure=_name(measure),
        better=better,
        estimates={},
        differences={},
        spread=None,
        pairs=min(rows.cases),
        level=level,
        margin=margin,
        correction=correction,
        clustered=rows.cluster is not None,
        dropped=rows.dropped,
    )
    if asked == "auc":
        return empty.of_aucs(auc_covariance(rows))
    if isinstance(asked, Quantity):
        return compare_quantity(
            rows, asked, empty, condition=condition, trained_at=trained_at, replicates=replicates, seed=seed
        )
    ratio = None if condition is None else condition.class_ratio
    rng = np.random.default_rng(seed)
    values = _replicates(rows, asked, at, class_ratio=ratio, replicates=replicates, rng=rng)
    return _by_resampling(values, asked, empty)


def _replicates(
    rows: ScoredRows,
    asked: Any,
    at: Mapping[str, float],
    *,
    class_ratio: float | None,
    replicates: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """The measure of every model on the data and on every resample."""
    if isinstance(asked, OperatingCondition) and not at:
        return resample_costs(rows, asked, replicates, rng)
    of_cost = isinstance(asked, OperatingCondition)
    mixed = asked.class_ratio is None if of_cost else class_ratio is None and changes_with_mix(asked)
    tables = resample_tables(rows, at, replicates, rng, stratified=not mixed)
    if of_cost:
        return {name: np.asarray(asked.expected_cost(table)) for name, table in tables.items()}
    return {name: np.asarray(asked.of(table, class_ratio=class_ratio)) for name, table in tables.items()}


def _by_resampling(values: dict[str, Floats], asked: Any, empty: Comparison) -> Comparison:
    if isinstance(asked, OperatingCondition):
        span = max(asked.cost_fn - asked.cost_tp, asked.cost_fp - asked.cost_tn)
    else:
        span = asked.range[1] - asked.range[0]
    return empty.of_replicates(values, span=span)


def _by_name(scores: Any) -> dict[str, Any]:
    models = columns_by_name(scores)
    if models is None:
        raise ArgumentError(
            f"the models' scores are a {type(scores).__name__}, and models are compared by name",
            fix='give {"a": scores_a, "b": scores_b}, row by row in the order of labels',
        )
    if len(models) < 2:
        raise ArgumentError(f"there is {len(models)} model to compare", "give the scores of two or more")
    return models


def _asked(
    measure: Any, thresholds: Any, condition: OperatingCondition | None, names: tuple[str, ...]
) -> tuple[Any, dict[str, float]]:
    """What is compared, and at which thresholds: "auc", a condition, a measure of a table, or another quantity."""
    if isinstance(measure, OperatingCondition):
        return measure, fixed_thresholds(measure, thresholds, names)
    wanted = quantity(measure)
    if wanted.name in NOT_COMPARED or wanted.of_class is not None:
        raise refusal(f"{wanted} cannot be compared here", comparable())
    if wanted.threshold is not None:
        if thresholds is not None:
            raise ArgumentError(f"thresholds are given, and {wanted} has one", "leave one of them out")
        thresholds = dict.fromkeys(names, wanted.threshold)
    asked: Any = wanted
    if wanted.name == "auc":
        asked = "auc"
    elif wanted.name == "expected_cost":
        asked = OperatingCondition() if condition is None else condition
    elif wanted.measure is not None and not wanted.limits and (thresholds is not None or condition is None):
        asked = wanted.measure
    return asked, fixed_thresholds(asked, thresholds, names)


def _direction(asked: Any) -> Better:
    if asked == "auc":
        return "higher"
    if isinstance(asked, OperatingCondition):
        return "lower"
    measure = asked.measure if isinstance(asked, Quantity) else asked
    if measure is not None and measure.better == "neither":
        what = f"{measure.name} has no better side, so no model is better by it"
        raise MeasureError(what, "compare by another measure")
    direction: Better = asked.better
    return direction


def _name(measure: Any) -> str:
    asked = Quantity("expected_cost") if isinstance(measure, OperatingCondition) else quantity(measure)
    return "expected cost" if asked == Quantity("expected_cost") else str(asked)


def fixed_thresholds(asked: Any, given: Any, names: tuple[str, ...]) -> dict[str, float]:
    """Each model's threshold; empty where none is needed."""
    fix = f"give {argument('thresholds', dict.fromkeys(names[:3], ...))}"
    if given is None:
        if isinstance(asked, Measure):
            fix += ", a condition whose cheapest thresholds are meant, or name@threshold=0.5"
            raise ArgumentError(f"{asked.name} belongs to a threshold, and none is given", fix)
        return {}
    if asked == "auc" or isinstance(asked, Quantity):
        which = "an AUC" if asked == "auc" else str(asked)
        raise ArgumentError(
            f"{argument('thresholds')} are given, and {which} has none",
            f"leave {argument('thresholds')} out, or name a measure",
        )
    if not isinstance(given, Mapping) or set(given) != set(names):
        raise ArgumentError(f"{argument('thresholds')} must name each of {', '.join(names)} once, got {given!r}", fix)
    for name, threshold in given.items():
        if not isinstance(threshold, int | float | np.number) or threshold != threshold:  # noqa: PLR0124 - NaN
            raise ArgumentError(f"the threshold of {name!r} is no number: {threshold!r}", fix)
    return {name: float(threshold) for name, threshold in given.items()}


Matrix: TypeAlias = npt.NDArray[np.float64]
_AT_ONCE = 1 << 22  # entries of a block of resamples: what fits the cache


def resample_tables(
    rows: ScoredRows,
    thresholds: Mapping[str, float],
    replicates: int,
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> dict[str, Contingency]:
    """Every model's contingency tables over the same resamples of rows, the table of the data first.

    Plain rows matter only by their class and how every model calls them, so the resample is drawn from
    that small table; weighted rows are drawn one by one, or entire clusters. `stratified` resamples hold the numbers of
    positive and negative rows fixed, unless there are clusters.
    """
    columns = []
    for name, score in rows.scores.items():
        called = reaches(score.astype(np.float64), thresholds[name])  # a threshold between two singles is none
        columns += [rows.positive & called, rows.positive > called, ~rows.positive & called, ~(rows.positive | called)]
    cells = np.stack(columns)
    plain = rows.weight is None and rows.cluster is None
    drawn = _multinomial_tables(cells, replicates, rng, stratified=stratified) if plain else None
    if drawn is None:
        drawn = _by_unit(rows, cells, replicates, rng, stratified=stratified)
    return {
        name: Contingency(*(np.ascontiguousarray(cell) for cell in drawn[:, 4 * i : 4 * i + 4].T))
        for i, name in enumerate(rows.scores)
    }


def resample_costs(
    rows: ScoredRows, condition: OperatingCondition, replicates: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Every model's least expected cost over the same resamples, its threshold chosen again in each.

    The cost on the data itself comes first. Resamples hold the numbers of positive and negative rows fixed where the
    condition declares a class ratio and there are no clusters.
    """
    orders = {name: falling_order(score) for name, score in rows.scores.items()}
    costs = {name: np.empty(replicates + 1) for name in rows.scores}
    positives = np.flatnonzero(rows.positive)
    miss, alarm = condition.cost_fn - condition.cost_tp, condition.cost_fp - condition.cost_tn
    at = 0
    for block in _draws(rows, replicates, rng, stratified=condition.class_ratio is not None):
        for units in block:
            count = units if rows.cluster is None else units[rows.cluster]
            heavy = count if rows.weight is None else count * rows.weight
            Pos = float(heavy[positives].sum())
            Neg = float(heavy.sum()) - Pos
            share = Pos / (Pos + Neg) if condition.prevalence is None else condition.prevalence
            with np.errstate(divide="ignore", invalid="ignore"):  # a resample may lack a class
                per_pos, per_neg = np.divide(share, Pos), np.divide(1 - share, Neg)
            change = heavy * np.where(rows.positive, -miss * per_pos, alarm * per_neg)
            # Calling nothing positive misses every positive; each row called on the way down changes that.
            start = share * condition.cost_fn + (1 - share) * condition.cost_tn
            for name, (order, ends) in orders.items():
                running = np.cumsum(change[order])
                least = (running if ends.size == running.size else running[ends - 1]).min()
                costs[name][at] = start + min(0.0, least)
            at += 1
    return costs


def _multinomial_tables(
    cells: npt.NDArray[np.bool_], replicates: int, rng: np.random.Generator, *, stratified: bool
) -> Matrix | None:
    """Tables by a multinomial draw over the combinations of class and calls that occur, or by one for each class."""
    models = cells.shape[0] // 4
    if models > 16:
        return None
    code = cells[0] | cells[1]  # positive
    number = code.astype(np.int64)
    for i in range(models):
        number += (cells[4 * i] | cells[4 * i + 2]).astype(np.int64) << (i + 1)
    seen = np.bincount(number, minlength=2 << models)
    occupied = np.flatnonzero(seen)
    is_pos = occupied & 1 == 1
    draws = np.vstack([seen[occupied], draw_cells(seen[occupied], is_pos if stratified else None, replicates, rng)])
    columns = []
    for i in range(models):
        called = occupied >> (i + 1) & 1 == 1
        columns += [is_pos & called, is_pos > called, ~is_pos & called, ~(is_pos | called)]
    return draws.astype(np.float64) @ np.stack(columns).T.astype(np.float64)


def draw_cells(seen: Counts, is_pos: Flags | None, replicates: int, rng: np.random.Generator) -> Counts:
    """Counts of cells drawn with replacement, a row per resample; class by class where `is_pos` is given.

    >>> drawn = draw_cells(np.array([3, 5, 2]), np.array([True, False, True]), 2, np.random.default_rng(0))
    >>> drawn[:, 1].tolist(), drawn[:, [0, 2]].sum(axis=1).tolist()
    ([5, 5], [5, 5])
    """
    counts = np.empty((replicates, seen.size), dtype=np.int64)
    for side in (np.ones(seen.size, dtype=np.bool_),) if is_pos is None else (is_pos, ~is_pos):
        total = int(seen[side].sum())
        counts[:, side] = rng.multinomial(total, seen[side] / total, size=replicates)
    return counts


def _by_unit(
    rows: ScoredRows, cells: npt.NDArray[np.bool_], replicates: int, rng: np.random.Generator, *, stratified: bool
) -> Matrix:
    """Tables by drawing rows or entire clusters, each with the weight it adds to every cell."""
    content = cells.astype(np.float64) if rows.weight is None else cells * rows.weight
    if rows.cluster is not None:
        content = cluster_sums(content, rows.cluster, rows.clusters)
    return np.vstack([block @ content.T for block in _draws(rows, replicates, rng, stratified=stratified)])


def _draws(rows: ScoredRows, replicates: int, rng: np.random.Generator, *, stratified: bool) -> Iterator[Counts]:
    """How often each unit is drawn, a block of resamples at a time; the first resample is the data itself."""
    units = rows.clusters
    yield np.ones((1, units))
    at_once = max(1, _AT_ONCE // units)
    for start in range(0, replicates, at_once):
        size = min(at_once, replicates - start)
        if not stratified or rows.cluster is not None:
            yield multiplicities(units, size, rng).astype(np.float64)
            continue
        drawn = np.empty((size, units))
        for side in (rows.positive, ~rows.positive):
            drawn[:, side] = multiplicities(int(np.count_nonzero(side)), size, rng)
        yield drawn
