"""Paired comparison of models that scored the same rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from thresher._internal.arguments import require_level, require_one_of
from thresher.curves import thin
from thresher.errors import ArgumentError, MeasureError, argument, located
from thresher.inference.bootstrap.bootstrap import bootstrap
from thresher.inference.bootstrap.draws import multiplicities, require_replicates
from thresher.inference.bootstrap.statistics import Mix, changes_with_mix
from thresher.inference.class_rows import Classes, holds_matrices, require_of_vectors
from thresher.inference.comparison.classes import compare_vectors
from thresher.inference.comparison.comparison import (
    Comparison,
    Correction,
    Pairing,
    auc_differences,
    replicate_differences,
)
from thresher.inference.comparison.difference import (
    ROUNDING,
    Difference,
    Pair,
    require_margin,
    student_difference,
    undefined_difference,
)
from thresher.inference.influence import INFLUENCE, influence_variance, row_influence
from thresher.inference.intervals.auc import auc_covariance
from thresher.inference.intervals.calibration_report import DISTANCES, distance_replicates
from thresher.inference.intervals.loss import INFINITE
from thresher.inference.rows import ScoredRows, cluster_sums
from thresher.inputs.columns import Missing
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
_OF_RANKS = ("partial_auc", "standardised_partial_auc", "average_precision", "pr_area")
Asked: TypeAlias = Quantity | OperatingCondition | Measure  # a condition stands for the expected cost under it
Compared: TypeAlias = tuple[dict[str, float], dict[Pair, Difference]]  # each model's number, and those of all pairs


def compare(
    labels: Any,
    scores: Any,
    *,
    positive: Any = None,
    classes: Classes = None,
    other: Any = None,
    predictions: Any = None,
    weights: Any = None,
    clusters: Any = None,
    measure: str | Measure | OperatingCondition | None = None,
    thresholds: Mapping[str, float] | None = None,
    condition: OperatingCondition | None = None,
    trained_at: float | None = None,
    level: float = 0.95,
    margin: float = 0.0,
    correction: Correction = "holm",
    against: str | None = None,
    seed: int = 0,
    replicates: int = 2000,
    missing: Missing = "raise",
) -> Comparison:
    """Compare two or more models that scored the same rows, of two classes or of k.

    Models that see the same rows err on the same rows, so their difference is surer than either of them;
    that needs rows, and rankings are refused. AUCs are compared by DeLong's covariance (1988), with `weights` as
    sampling weights and `clusters` after Obuchowski (1997), as in `auc_interval`; limits are
    Student's, widened where the moderated limits of both AUCs say so: `docs/coverage.md` shows how well they hold.
    Partial areas, losses, net benefit and calibration have limits from what each row contributes to either model
    (exactly the paired mean of Brier and log losses). Anything else is resampled, rows or entire clusters jointly for
    all models, with percentile limits: a measure or the expected cost at each model's threshold; without thresholds,
    the least expected cost of each model, chosen again in every resample. What depends on the mix of the classes is
    resampled from all rows together; rates within a class, and whatever is stated at a declared mix, class by class.

    Parameters
    ----------
    labels, positive, weights, missing
        As in `rank`.
    scores
        The scores of each model by its name, row by row in the order of `labels`: a mapping, or a frame with a
        column per model. Of k classes, a matrix of probabilities of each model by its name.
    classes, other, predictions
        Of k classes, as in `evaluate`; but calls that are given count as the model's own.
    clusters
        Which rows belong together, e.g. the patient each comes from.
    measure
        A quantity such as "auc", "partial_auc[fpr<=0.1]", "brier", "net_benefit@0.05", "specificity@recall>=0.9",
        "expected_cost" or a measure of a table; an operating condition stands for the expected cost under it. By
        default "auc". Of k classes "overall_accuracy" (the default), "macro_recall" or "macro_f1" of the most probable
        class, "one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro" or "one_vs_one_weighted", averages of
        the AUC, "brier", "log_loss", or "expected_cost" of the actions of least expected cost under `condition`.
    thresholds
        The threshold of each model by its name; without any, a measure is taken at the cheapest under `condition`.
    condition, trained_at
        Costs and class mix at deployment, and the prevalence that probabilities were made for, if not that of the rows:
        without a declared mix, they are restated for that of the rows.
    level, margin
        Confidence level, and the largest difference that does not matter, in units of the measure.
    correction
        "holm" adjusts p-values for the number of pairs; "none" does not.
    against
        "all" compares every pair, a model's name that model with each of the others. Without it every pair of up to 20
        models is compared, and beyond that the best model with each, which the result says.
    seed, replicates
        Of the resampling.

    Examples
    --------
    >>> labels = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    >>> a, b = [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13], [.8, .9, .2, .7, .6, .1, .5, .2, .4, .3]
    >>> comparison = compare(labels, {"tree": a, "logit": b})
    >>> print(comparison)
    model   auc
    tree    0.7500
    logit   0.8958
    pair           difference         0.95 limits      p   adjusted   verdict on the first
    tree - logit      -0.1458   [-0.7025, 0.4108]   0.52       0.52   undecided
    >>> comparison["logit", "tree"].difference
    0.14583333333333337
    >>> animals = ["cat", "cow", "dog"] * 4
    >>> sure = [[.8, .1, .1], [.1, .8, .1], [.1, .1, .8]] * 3 + [[.8, .1, .1], [.1, .2, .7], [.2, .1, .7]]
    >>> shy = [[.4, .3, .3], [.3, .4, .3], [.3, .4, .3]] * 4
    >>> print(compare(animals, {"sure": sure, "shy": shy}, classes=["cat", "cow", "dog"])["sure", "shy"])
    sure - shy  0.2500 [-0.1449, 0.6449]  p 0.19  undecided
    """
    require_level(level)
    require_margin(margin)
    require_one_of(correction, ("holm", "none"), name="correction")
    if isinstance(measure, OperatingCondition):
        if condition is not None:
            raise ArgumentError("two operating conditions are given", f"pass {argument('measure', 'expected_cost')}")
        condition, measure = measure, "expected_cost"
    if classes is not None or holds_matrices(scores):
        _require_of_vectors(positive=positive, thresholds=thresholds, trained_at=trained_at)
        return compare_vectors(
            labels,
            scores,
            measure="overall_accuracy" if measure is None else str(getattr(measure, "name", measure)),
            condition=condition,
            against=against,
            level=level,
            margin=margin,
            correction=correction,
            classes=classes,
            other=other,
            predictions=predictions,
            weights=weights,
            clusters=clusters,
            missing=missing,
        )
    require_of_vectors({"other": other, "predictions": predictions})
    if condition is not None:
        require_condition(condition)
    models = columns_by_name(scores)
    if models is None:
        raise ArgumentError(
            f"the models' scores are a {type(scores).__name__}, and models are compared by name",
            fix='give {"a": scores_a, "b": scores_b}, row by row in the order of labels',
        )
    if len(models) < 2:
        raise ArgumentError(f"there is {len(models)} model to compare", "give the scores of two or more")
    names = tuple(models)
    Mix.of(condition, trained_at)  # refuses what is no prevalence
    wanted = quantity("auc" if measure is None else measure)
    asked, at = _question(wanted, thresholds, condition, names)
    if wanted.measure is not None and wanted.better == "neither":
        what = f"{wanted.name} has no better side, so no model is better by it"
        raise MeasureError(what, "compare by another measure")
    pairing = Pairing.of(against, names, wanted.better)
    require_replicates(replicates, seed, None)
    if replicates < 100:
        what, fix = f"{argument('replicates')} must be 100 or more, got {replicates}", argument("replicates", 2000)
        raise ArgumentError(what, f"e.g. {fix}", parameter="replicates")
    rows = ScoredRows.of(labels, models, positive=positive, weights=weights, clusters=clusters, missing=missing)
    rows.require_two_clusters()
    clustered, spread = rows.cluster is not None, None
    if wanted.name == "auc":
        spread = auc_covariance(rows)
        estimates = dict(zip(names, spread.areas.tolist(), strict=True))
        differences = auc_differences(pairing, names, spread, level=level, clustered=clustered)
    else:
        estimates, differences = _differences(
            rows, asked, at, condition, trained_at, pairing=pairing, level=level, replicates=replicates, seed=seed
        )
    return Comparison(
        names=names,
        measure="expected cost" if wanted == Quantity("expected_cost") else str(wanted),
        better=wanted.better,
        estimates=estimates,
        differences=differences,
        spread=spread,
        pairs=min(rows.cases),
        level=level,
        margin=margin,
        correction=correction,
        clustered=clustered,
        dropped=rows.dropped,
        against=pairing.model(estimates),
    )


def _require_of_vectors(**options: Any) -> None:
    """Refuse what two classes alone have."""
    name = next((name for name, value in options.items() if value is not None), None)
    if name is not None:
        what = f"{argument(name)} is of two classes, and matrices of probabilities are of k"
        raise ArgumentError(what, "leave it out, or give the scores of one class", parameter=name)


def _question(
    wanted: Quantity, thresholds: Any, condition: OperatingCondition | None, names: tuple[str, ...]
) -> tuple[Asked, dict[str, float]]:
    """What is compared, and at which thresholds."""
    if wanted.name in NOT_COMPARED or wanted.of_several:
        examples = {"partial_auc": "partial_auc[fpr<=0.1]", "net_benefit": "net_benefit@0.05"}
        numbers = [examples.get(name, name) for name in MODEL_NUMBERS if name not in NOT_COMPARED]
        measures = [name for name, known in MEASURES.items() if known.better != "neither"]
        raise refusal(f"{wanted} cannot be compared here", [*numbers, *measures])
    if wanted.threshold is not None:
        if thresholds is not None:
            raise ArgumentError(f"thresholds are given, and {wanted} has one", "leave one of them out")
        thresholds = dict.fromkeys(names, wanted.threshold)
    asked: Asked = wanted
    if wanted.name == "expected_cost":
        asked = OperatingCondition() if condition is None else condition
    elif wanted.measure is not None and not wanted.limits and (thresholds is not None or condition is None):
        asked = wanted.measure
    return asked, fixed_thresholds(asked, thresholds, names)


def fixed_thresholds(asked: Asked, thresholds: Any, names: tuple[str, ...]) -> dict[str, float]:
    """Each model's threshold; empty where none is needed."""
    fix = f"give {argument('thresholds', dict.fromkeys(names[:3], ...))}"
    if thresholds is None:
        if isinstance(asked, Measure):
            fix += ", a condition whose cheapest thresholds are meant, or name@threshold=0.5"
            raise ArgumentError(f"{asked.name} belongs to a threshold, and none is given", fix)
        return {}
    if isinstance(asked, Quantity):
        which = "an AUC" if asked.name == "auc" else str(asked)
        fix = f"leave {argument('thresholds')} out, or name a measure"
        raise ArgumentError(f"{argument('thresholds')} are given, and {which} has none", fix)
    if not isinstance(thresholds, Mapping) or set(thresholds) != set(names):
        what = f"{argument('thresholds')} must name each of {', '.join(names)} once, got {thresholds!r}"
        raise ArgumentError(what, fix)
    for name, threshold in thresholds.items():
        if not isinstance(threshold, int | float | np.number) or math.isnan(threshold):
            raise ArgumentError(f"the threshold of {name!r} is no number: {threshold!r}", fix)
    return {name: float(threshold) for name, threshold in thresholds.items()}


def _differences(
    rows: ScoredRows,
    asked: Asked,
    at: Mapping[str, float],
    condition: OperatingCondition | None,
    trained_at: float | None,
    *,
    pairing: Pairing,
    level: float,
    replicates: int,
    seed: int,
) -> Compared:
    """Paired differences by influence functions where known, else by resampling."""
    rng = np.random.default_rng(seed)
    class_ratio = None if condition is None else condition.class_ratio
    if isinstance(asked, OperatingCondition):
        low, high = 0.0, cost_span(asked)
        if at:
            tables = resample_tables(rows, at, replicates, rng, stratified=class_ratio is not None)
            values = {name: np.asarray(asked.expected_cost(table)) for name, table in tables.items()}
        else:
            values = resample_costs(rows, asked, replicates, rng)
    elif isinstance(asked, Measure):
        low, high = asked.range
        fixed = class_ratio is not None or not changes_with_mix(asked)
        tables = resample_tables(rows, at, replicates, rng, stratified=fixed)
        values = {name: np.asarray(asked.of(table, class_ratio=class_ratio)) for name, table in tables.items()}
    else:
        known, (low, high) = asked.known, asked.known.range
        stated = rows.at_prevalence(None if condition is None else condition.prevalence, trained_at=trained_at)
        if isinstance(known, ModelNumber) and known.needs == "probabilities":
            for name in rows.scores:
                with located(f"scores of {name!r}"):
                    rows.ranking(name).require_probabilities()
        if asked.name in INFLUENCE:
            return _influence_differences(stated, asked, pairing, level=level, cases=min(rows.cases))
        if asked.name in DISTANCES:
            values = {name: distance_replicates(stated, name, asked.name, replicates, seed) for name in rows.scores}
        else:
            values = _bootstrap_values(rows, asked, condition, trained_at, replicates=replicates, seed=seed)
    differences = replicate_differences(pairing, values, level=level, span=high - low, cases=min(rows.cases))
    return {name: float(each[0]) for name, each in values.items()}, differences


def _influence_differences(
    rows: ScoredRows, asked: Quantity, pairing: Pairing, *, level: float, cases: float
) -> Compared:
    """Student's limits, from the influence of each row on either model."""
    influence = {name: row_influence(rows, name, asked) for name in rows.scores}
    low, high = asked.known.range
    span, method = high - low, "influence, paired"
    freedom = max(1.0, (cases if asked.name in _OF_RANKS else float(rows.clusters)) - 1)

    def difference(a: str, b: str) -> Difference:
        one, other = influence[a], influence[b]
        if not math.isfinite(one.estimate + other.estimate):
            note = INFINITE if asked.name == "log_loss" else f"{asked} is undefined for one of them"
            return undefined_difference((a, b), level=level, method=method, note=note)
        away, variance = one.estimate - other.estimate, influence_variance(one.values - other.values, rows.cluster)
        if variance > ROUNDING * (one.variance(rows.cluster) + other.variance(rows.cluster)):
            return student_difference(away, variance, (a, b), level=level, method=method, freedom=freedom, span=span)
        unseen = (1 - ((1 - level) / 2) ** (1 / cases)) * span
        note = "no row tells the models apart; " + (
            "limits from what could stay unseen, conservative"
            if math.isfinite(span)
            else "what could stay unseen has no end"
        )
        p_value = 1.0 if abs(away) <= ROUNDING else math.nan
        limits = away - unseen, away + unseen
        return Difference(a, b, away, *limits, max(variance, 0.0), p_value, level, method, note=note)

    estimates = {name: one.estimate for name, one in influence.items()}
    return estimates, {pair: difference(*pair) for pair in pairing.pairs(estimates)}


def _bootstrap_values(
    rows: ScoredRows,
    asked: Quantity,
    condition: OperatingCondition | None,
    trained_at: float | None,
    *,
    replicates: int,
    seed: int,
) -> dict[str, Floats]:
    """A quantity of every model on the rows and on joint resamples of them."""
    text, scores = str(asked), dict(rows.scores)
    for name, score in rows.scores.items():
        ranking = rows.ranking(name)
        if len(ranking) > MOST_SEGMENTS:  # too many to be scanned thousands of times; the hull's corners stay
            lowest = ranking.score[thin(ranking, points=MOST_SEGMENTS).split[1:] - 1]
            scores[name] = lowest[np.searchsorted(-lowest, -score.astype(np.float64))]
    coarse = replace(rows, scores=scores)
    drawn = bootstrap(coarse, [text], replicates=replicates, condition=condition, trained_at=trained_at, seed=seed)
    exact = drawn
    if any(coarse.scores[name] is not rows.scores[name] for name in rows.scores):
        exact = bootstrap(rows, [text], replicates=1, condition=condition, trained_at=trained_at, seed=seed)
    values = {}
    for name in rows.scores:
        by = exact.estimate(text, name) - drawn.estimate(text, name)
        values[name] = np.append(drawn.estimate(text, name), drawn.values(text, name)) + by
    return values


_AT_ONCE = 1 << 22  # entries of a block of resamples: what fits the cache
_MOST_NUMBERS = 1 << 23  # drawn at once
MOST_MODELS = 16  # whose calls are counted together


def cost_span(condition: OperatingCondition) -> float:
    """How far the expected costs of two models can be apart."""
    return max(condition.cost_fn - condition.cost_tp, condition.cost_fp - condition.cost_tn)


def call_cells(positive: Flags, calls: Flags) -> Flags:
    """The rows in each cell of a table, by row: tp, fn, fp and tn."""
    return np.stack([positive & calls, positive > calls, ~positive & calls, ~(positive | calls)])


def resample_tables(
    rows: ScoredRows,
    thresholds: Mapping[str, float],
    replicates: int,
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> dict[str, Contingency]:
    """Every model's contingency tables over joint resamples of rows.

    The table of the data comes first. Plain rows matter only by their class and how every model calls them, so the
    resample is drawn from that small table; weighted rows are drawn one by one, or entire clusters. `stratified`
    resamples hold the numbers of positive and negative rows fixed, unless there are clusters.
    """
    names = tuple(rows.scores)
    # A threshold between two singles is none, so that scores become doubles first.
    calls = [reaches(rows.scores[name].astype(np.float64), thresholds[name]) for name in names]
    if rows.simple and len(names) <= MOST_MODELS:
        code = rows.positive.astype(np.int64)
        for i, of_model in enumerate(calls):
            code += of_model.astype(np.int64) << (i + 1)
        cases = np.bincount(code)
        code = np.flatnonzero(cases)
        alike = np.ones(code.size)
        return call_tables(names, code, cases[code], alike, replicates=replicates, rng=rng, stratified=stratified)
    content = np.concatenate([call_cells(rows.positive, of_model) for of_model in calls]).astype(np.float64)
    if rows.weight is not None:
        content *= rows.weight
    if rows.cluster is not None:
        content = cluster_sums(content, rows.cluster, rows.clusters)
    drawn = np.vstack([block @ content.T for block in _draws(rows, replicates, rng, stratified=stratified)])
    tables = np.ascontiguousarray(drawn.T).reshape(len(names), 4, -1)
    return {name: Contingency(*table) for name, table in zip(names, tables, strict=True)}


def call_tables(
    names: tuple[str, ...],
    code: Counts,
    cases: Counts,
    weight: Floats,
    *,
    replicates: int,
    rng: np.random.Generator,
    stratified: bool,
) -> dict[str, Contingency]:
    """Every model's contingency tables over resamples of a table of calls.

    The table of the data comes first. There are `cases` of each code and `weight`. Bit 0 of a code says that they are
    positive, bit i + 1 that model i calls them positive.
    """
    is_pos = code & 1 == 1
    cells = np.concatenate([call_cells(is_pos, code >> (i + 1) & 1 == 1) for i in range(len(names))]) * weight
    every = np.ones(code.size, dtype=np.bool_)

    def draw(size: int) -> Floats:
        counts = np.empty((size, code.size))
        for side in (is_pos, ~is_pos) if stratified else (every,):
            total = int(cases[side].sum())
            counts[:, side] = rng.multinomial(total, cases[side] / total, size=size)
        return counts

    at_once = max(1, _MOST_NUMBERS // code.size)
    blocks = (draw(min(at_once, replicates - start)) for start in range(0, replicates, at_once))
    data = cases[np.newaxis].astype(np.float64)
    drawn = np.hstack([[block @ cell for cell in cells] for block in itertools.chain([data], blocks)])
    return {name: Contingency(*table) for name, table in zip(names, drawn.reshape(len(names), 4, -1), strict=True)}


def resample_costs(
    rows: ScoredRows, condition: OperatingCondition, replicates: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Every model's least expected cost over joint resamples.

    The threshold is chosen again in each. The cost on the data itself comes first. Resamples hold the numbers of
    positive and negative rows fixed where the condition declares a class ratio and there are no clusters.
    """
    orders = {name: falling_order(score) for name, score in rows.scores.items()}
    costs = {name: np.empty(replicates + 1) for name in rows.scores}
    positives, negatives = np.flatnonzero(rows.positive), np.flatnonzero(~rows.positive)
    miss, alarm = condition.cost_fn - condition.cost_tp, condition.cost_fp - condition.cost_tn
    blocks = _draws(rows, replicates, rng, stratified=condition.class_ratio is not None)
    for at, units in enumerate(itertools.chain.from_iterable(blocks)):
        count = units if rows.cluster is None else units[rows.cluster]
        heavy = count if rows.weight is None else count * rows.weight
        Pos = float(heavy[positives].sum())
        Neg = float(heavy[negatives].sum())
        of_pos, of_neg = condition.shares or (Pos / (Pos + Neg), Neg / (Pos + Neg))
        with np.errstate(divide="ignore", invalid="ignore"):  # a resample may lack a class
            per_pos, per_neg = np.divide(of_pos, Pos), np.divide(of_neg, Neg)
        change = heavy * np.where(rows.positive, -miss * per_pos, alarm * per_neg)
        # Calling nothing positive misses every positive; each row called on the way down changes that.
        start = of_pos * condition.cost_fn + of_neg * condition.cost_tn
        for name, (order, ends) in orders.items():
            running = np.cumsum(change[order])
            least = (running if ends.size == running.size else running[ends - 1]).min()
            costs[name][at] = start + min(0.0, least)
    return costs


def _draws(rows: ScoredRows, replicates: int, rng: np.random.Generator, *, stratified: bool) -> Iterator[Counts]:
    """How often each unit is drawn, in blocks of resamples.

    The first resample is the data itself.
    """
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
