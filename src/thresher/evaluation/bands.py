"""Bands around the curves of an evaluation, for the page."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from thresher.calibration import adjust_prevalence, recalibrate
from thresher.evaluation.evaluate import ThresholdEvaluation
from thresher.evaluation.least_cost.evaluation import LeastCostEvaluation
from thresher.evaluation.model import are_probabilities
from thresher.inference import Band, ScoredRows
from thresher.inference.bands.curves import POINTS, Draws, net_benefit_band, precision_band, roc_curve
from thresher.inference.bands.reliability import confidence_band
from thresher.ranking import Indices, Keep, Ranking, shorten

MOST_BANDS = 3  # models or classes whose bands are drawn; more would only be murky
PERCENTS = np.arange(1, 100) / 100
REPLICATES = 400
FEWEST_REPLICATES = 100
MOST_SEGMENTS = 500
# Rows are drawn one by one, so that many of them are drawn less often; and so are many classes.
MOST_ROWS_DRAWN = 40_000_000
FEWEST_ROW_REPLICATES = 50
MOST_CLASSES_DRAWN = 4000
# Places along the bands of all classes together: a page holds them all.
CLASS_PLACES = 1000
FEWEST_PLACES = 21


class ModelBands(NamedTuple):
    """Pointwise bands of one model's curves; None where there is none."""

    roc: Band
    precision_recall: Band
    net_benefit: Band | None = None
    reliability: Band | None = None


def model_bands(evaluation: ThresholdEvaluation, name: str) -> ModelBands:
    """The bands of one model's curves; two of them are for probabilities only.

    A ranking of more than 500 segments is shortened to about as many first, at splits that draw the same curve and at
    every threshold asked about; the bands of the short ranking differ by less than a line's width.
    Where the condition declares a class mix, curves that depend on it are drawn at that mix, class by class.
    Weighted or clustered rows are drawn as such, by clusters; their reliability has no band, because
    a ranking no longer knows which rows belong together.
    """
    model, rows = evaluation[name], evaluation.scored
    probabilities = are_probabilities(model.ranking)
    made_at, to = evaluation.decision.trained_at, evaluation.decision.condition.prevalence

    def restate(score: Any) -> Any:
        if not probabilities or to is None or math.isclose(to, made_at, rel_tol=1e-12):
            return score
        return adjust_prevalence(score, to, trained_at=made_at)

    source: Ranking | ScoredRows
    if rows.simple:
        keep: Keep = "percent" if probabilities else "classes"
        source, times = shorten(recalibrate(model.ranking, restate), MOST_SEGMENTS, keep=keep), REPLICATES
    else:
        scores = {name: restate(rows.scores[name])}
        source = ScoredRows.of(rows.positive, scores, weights=rows.weight, clusters=rows.cluster)
        times = int(np.clip(MOST_ROWS_DRAWN // len(rows), FEWEST_ROW_REPLICATES, REPLICATES))
    ratio, level, seed = evaluation.condition.class_ratio, evaluation.level, evaluation.seed
    draws = Draws(source, level=level, replicates=times, seed=seed, class_ratio=ratio)
    drawn = _rate_bands(draws, POINTS)
    if not probabilities:
        return drawn
    benefit = net_benefit_band(source, class_ratio=ratio, level=level)
    if not isinstance(source, Ranking):
        return drawn._replace(net_benefit=benefit)
    return drawn._replace(net_benefit=benefit, reliability=confidence_band(source, level=level, class_ratio=ratio))


def class_bands(evaluation: LeastCostEvaluation, name: str, label: Any) -> ModelBands | None:
    """The bands of one model's curves of one class against the rest.

    There are none for weighted or clustered rows, and of a class without cases.
    """
    ranking = evaluation[name].rankings[label]
    if evaluation.weighted or evaluation.clusters is not None or not ranking.Pos:
        return None
    curves = len(evaluation.models) * len(evaluation.classes)
    times = int(np.clip(MOST_CLASSES_DRAWN // curves, FEWEST_REPLICATES, REPLICATES))
    places = int(np.clip(CLASS_PLACES // len(evaluation.classes), FEWEST_PLACES, POINTS))
    short = shorten(ranking, MOST_SEGMENTS, keep="classes")
    draws = Draws(short, level=evaluation.level, replicates=times, seed=0)
    return _rate_bands(draws, places)


def percent_splits(ranking: Ranking) -> Indices:
    """The splits at thresholds of 1, 2, ... 99 percent."""
    return len(ranking) - np.searchsorted(ranking.score[::-1], PERCENTS, side="left")


def _rate_bands(draws: Draws, places: int) -> ModelBands:
    at = np.linspace(0, 1, places)
    roc = draws.band(roc_curve(draws, at), stratified=None)
    return ModelBands(roc, precision_band(draws, at[1:]))
