"""Differences of any quantity between models on the same rows: by influence where there is one, else resampled."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from thresher.choices import OperatingCondition
from thresher.curves import thinned
from thresher.inference.bootstrap import bootstrap
from thresher.inference.calibration_report import DISTANCES, distance_replicates
from thresher.inference.difference import Difference
from thresher.inference.influence import BY_NAME, Contributions, ranking_of, row_contributions
from thresher.inference.interval import student_quantile
from thresher.inference.mean_loss import INFINITE
from thresher.inference.pairwise import Comparison
from thresher.inference.rows import Rows
from thresher.inference.scored_rows import ScoredRows
from thresher.ranking import Floats
from thresher.sources.columns import Column
from thresher.tables import MEASURES, MODEL_NUMBERS, ModelNumber, Quantity

MOST_SEGMENTS = 20_000
NOT_COMPARED = ("honest_cost", "saving", "uncertainty")
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
            ranking_of(rows, name).require_probabilities()
    if asked.name in BY_NAME:
        each = {name: row_contributions(stated, name, asked) for name in empty.names}
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
    each: Mapping[str, Contributions],
) -> Difference:
    """A difference with Student's limits, from what each row contributes to either model."""
    one, other = (each[name] for name in names)
    difference = one.estimate - other.estimate if math.isfinite(one.estimate + other.estimate) else math.nan
    settings = {"level": empty.level, "method": "influence, paired", "margin": empty.margin, "better": empty.better}
    if math.isnan(difference):
        note = INFINITE if asked.name == "log_loss" else f"{asked} is undefined for one of them"
        return Difference(*names, math.nan, math.nan, math.nan, math.nan, math.nan, note=note, **settings)  # type: ignore[arg-type]
    variance = Contributions(difference, one.of_rows - other.of_rows).variance(rows)
    apart = one.variance(rows) + other.variance(rows)
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
    coarse = replace(rows, scores={name: _joined_scores(rows, name) for name in rows.scores}, beside={})
    settings = {"condition": condition, "trained_at": trained_at, "seed": seed}
    found = bootstrap(Rows.of_scored(coarse), [text], replicates=replicates, **settings)  # type: ignore[arg-type]
    exact = found
    if any(coarse.scores[name] is not rows.scores[name] for name in rows.scores):
        exact = bootstrap(Rows.of_scored(rows), [text], replicates=1, **settings)  # type: ignore[arg-type]
    values = {}
    for name in rows.scores:
        by = exact.estimate(text, name) - found.estimate(text, name)
        values[name] = np.append(found.estimate(text, name), found.values(text, name)) + by
    return values


def _joined_scores(rows: ScoredRows, name: str) -> Column:
    """A model's scores, or few enough of them to be looked through thousands of times; the hull's corners stay."""
    score = rows.scores[name]
    ranking = ranking_of(rows, name)
    if len(ranking) <= MOST_SEGMENTS:
        return score
    lowest = ranking.score[thinned(ranking, points=MOST_SEGMENTS).split[1:] - 1]
    return lowest[np.searchsorted(-lowest, -score.astype(np.float64))]
