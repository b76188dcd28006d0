"""One model's part of the page, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from thresher.calibration.binning import mean_scores
from thresher.calibration.steps import Steps
from thresher.curves.hull import hull_splits
from thresher.evaluation import Evaluation, ModelEvaluation
from thresher.evaluation.bands import model_bands
from thresher.inference import Interval
from thresher.ranking import Ranking
from thresher.report.bands import lines
from thresher.report.curve import curve
from thresher.report.distribution import distribution
from thresher.report.numbers import interval, real, reals, rounded
from thresher.tables import Contingency
from thresher.visible import visible

CLASSROOM = 60
_SCORE_DIGITS = 9
_FAR = 1e290
_LABELS = MappingProxyType(
    {
        "auc": "AUC",
        "average_precision": "average precision",
        "pr_area": "area under the PR curve",
        "ks": "Kolmogorov-Smirnov",
        "brier": "Brier score",
        "log_loss": "log loss",
        "miscalibration": "calibration loss (miscalibration)",
        "refinement": "refinement loss",
        "discrimination": "discrimination",
        "uncertainty": "uncertainty",
        "calibration_intercept": "calibration intercept (0 is right)",
        "calibration_slope": "calibration slope (1 is right)",
        "calibration_in_the_large": "calibration in the large (0 is right)",
        "observed_expected": "observed : expected (1 is right)",
        "ici": "ICI, mean distance from the calibration curve",
        "e50": "E50, median distance",
        "e90": "E90, 90th percentile of the distance",
        "auc_calibrated": "AUC after calibration",
    }
)


def model(evaluation: Evaluation, name: str) -> dict[str, Any]:
    """Everything the page shows of one model, after `Model` of the page's contract."""
    found = evaluation[name]
    ranking, choice = found.ranking, found.choice
    threshold = choice.threshold
    return {
        "name": name,
        "shown": visible(name),
        "curve": curve(ranking, keep=choice.point.split),
        "probabilities": bool(ranking.score[0] <= 1 and ranking.score[-1] >= 0),
        "ties": _ties(evaluation, name),
        "distribution": distribution(ranking),
        "pools": pools(ranking),
        "bands": lines(model_bands(evaluation, name)),
        "optimum": {
            "threshold": real(threshold),
            "cells": cells(choice.table),
            "undecided": reals(choice.undecided or (threshold, threshold)),
            "holds_for": reals(choice.holds_for or (math.nan, math.nan)),
        },
        "given": None if found.given is None else cells(found.given),
        "numbers": numbers(found, found.numbers, evaluation.quantities.get(name, {})),
        "data_numbers": numbers(found, found.data_numbers) if found.mix_declared else [],
        "measures": [{"name": each, "interval": interval(of)} for each, of in found.measures.items()],
        "data_measures": [
            {"name": each, "interval": interval(of)} for each, of in found.data_measures.items() if found.mix_declared
        ],
        "expected_cost": interval(found.expected_cost),
        "honest_cost": interval(found.honest_cost),
        "threshold": interval(found.threshold),
        "calibration": _calibration(found),
        "segments": _segments(evaluation, ranking),
    }


def cells(table: Contingency) -> dict[str, Any]:
    """The four cells of a table.

    >>> cells(Contingency(tp=30, fn=20, fp=10, tn=40))
    {'tp': 30, 'fn': 20, 'fp': 10, 'tn': 40}
    """
    return {cell: getattr(table, cell) for cell in ("tp", "fn", "fp", "tn")}


def pools(ranking: Ranking) -> list[dict[str, Any]]:
    """The hull's pools by falling score: the segments of the reliability diagram.

    >>> pools(Ranking.parse("[2+][1-][1+]", score=[0.9, 0.5, 0.25]))[1]
    {'low': 0.25, 'high': 0.5, 'score': 0.375, 'pos': 1, 'neg': 1}
    """
    split = hull_splits(ranking, pool="ties")
    pos, neg = ranking.runs(split)
    # Scores whose sums would leave what numbers can hold have no mean to show, as infinite ones have none.
    finite = bool(ranking.score[0] < _FAR and ranking.score[-1] > -_FAR)
    low, high = ranking.score[split[1:] - 1], ranking.score[split[:-1]]
    mean = mean_scores(ranking, split) if finite else np.full(low.size, np.nan)
    columns = rounded(low, _SCORE_DIGITS), rounded(high, _SCORE_DIGITS), rounded(mean, _SCORE_DIGITS)
    return [
        dict(zip(("low", "high", "score", "pos", "neg"), row, strict=True))
        for row in zip(*columns, pos.tolist(), neg.tolist(), strict=True)
    ]


def numbers(
    found: ModelEvaluation, known: Mapping[str, Interval], asked: Mapping[str, Interval] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """Numbers of the whole model with their intervals, those that have none, and last the quantities asked for."""
    alone: dict[str, float | None] = {
        "log_loss": found.log_loss,  # which may be infinite, and then has no interval
        "auc_calibrated": found.calibration.auc_after,
    }
    listed = ((name, label, known.get(name, alone.get(name))) for name, label in _LABELS.items())
    shown = [number(name, label, value) for name, label, value in listed if value is not None]
    names = {each["name"] for each in shown}
    return shown + [number(text, _LABELS.get(text, text), asked[text]) for text in asked if text not in names]


def number(name: str, label: str, value: Interval | float) -> dict[str, Any]:
    """One number of a whole model.

    >>> number("ks", "Kolmogorov-Smirnov", 0.4)
    {'name': 'ks', 'label': 'Kolmogorov-Smirnov', 'interval': None, 'value': 0.4}
    """
    if isinstance(value, Interval):
        return {"name": name, "label": label, "interval": interval(value), "value": real(value.estimate)}
    return {"name": name, "label": label, "interval": None, "value": real(value)}


def _ties(evaluation: Evaluation, name: str) -> dict[str, int]:
    ranking = evaluation[name].ranking
    if ranking.weighted:  # the ranking holds weights; how many rows share a score is for the rows to say
        rows = evaluation.scored.scores[name].astype(np.float64)
        cases = np.bincount(np.searchsorted(-ranking.score, -rows))
    else:
        cases = ranking.pos + ranking.neg
    return {"segments": len(ranking), "cases": int(cases[cases > 1].sum())}


def _calibration(found: ModelEvaluation) -> dict[str, Any] | None:
    steps = found.calibration.curve
    if not isinstance(steps, Steps):
        return None
    return {"method": found.calibration.method, "x": rounded(steps.score), "y": rounded(steps.probability)}


def _segments(evaluation: Evaluation, ranking: Ranking) -> dict[str, Any] | None:
    if evaluation.rows > CLASSROOM or ranking.weighted:
        return None
    return {"score": reals(ranking.score), "pos": ranking.pos.tolist(), "neg": ranking.neg.tolist()}
