"""The data with which the page decides among k classes: segments, costs, mix.

Probabilities are whole numbers of 65,535ths, so that Python and the page compute with the very same numbers.
`frontend/src/contents.ts` documents each field.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.text import visible
from thresher.evaluation import LeastCostEvaluation, LeastCostModel
from thresher.evaluation.least_cost.rules import action_words
from thresher.inference.interval import normal_quantile
from thresher.ranking import Counts, Floats, Segments
from thresher.report.numbers import interval_data, json_number

STEPS = 65_535  # of which probabilities are whole multiples
MOST_SEGMENTS = 20_000
SEED = 0
Quantised = npt.NDArray[np.uint16]


def least_cost_data(evaluation: LeastCostEvaluation) -> dict[str, Any]:
    """Costs, class mix, rules, and every model's segments."""
    costs, decision = evaluation.costs, evaluation.decision
    return {
        "actions": [visible(str(action)) for action in costs.actions],
        "costs": costs.costs.tolist(),
        "mix": None if evaluation.condition.mix is None else [evaluation.condition.mix[name] for name in costs.classes],
        "cases": [json_number(cases) for cases in evaluation.sample.class_mix.cases],
        "trained_at": list(decision.rule.to_dict()["trained_at"].values()),
        "quantile": normal_quantile(evaluation.level),
        "decision": decision.to_dict(),
        "rules": [
            {
                "name": visible(rule.name),
                "said": visible(action_words(rule)),
                "cost": interval_data(rule.cost),
                "saving": None if rule.saving is None else interval_data(rule.saving),
            }
            for rule in evaluation.rules.values()
        ],
        "models": [_model_data(evaluation, model) for model in evaluation.models.values()],
    }


def _model_data(evaluation: LeastCostEvaluation, model: LeastCostModel) -> dict[str, Any]:
    """One model: its segments on the page, its confusion matrix, and its costs."""
    segments = evaluation.sample.segments(model.name)  # with probabilities as they were given
    sample, error = _sample(segments, model)
    vectors, counts = quantise(sample)
    matrix = np.asarray(model.confusion.counts, dtype=np.float64)
    return {
        "name": model.name,
        "shown": visible(model.name),
        "weights": [json_number(weight) for weight in model.weights],
        "segments": len(segments),
        "sampled": len(sample) < len(segments),
        "error": json_number(error),
        "vectors": base64.b64encode(vectors.astype("<u2").tobytes()).decode("ascii"),
        "counts": counts.ravel().tolist(),
        "confusion": np.asarray(model.confusion.counts).tolist(),
        "cost_cells": (matrix * evaluation.costs.costs).tolist(),
        "expected_cost": interval_data(model.expected_cost),
        "foretold_cost": interval_data(model.foretold_cost),
        "foretold_minus_paid": interval_data(model.foretold_minus_paid),
    }


def quantise(segments: Segments) -> tuple[Quantised, Counts]:
    """Probabilities to the nearest 65,535th, and the counts of what then is equal.

    >>> leaves = Segments.parse("[8,2][1,9]", probability=[[.8, .2], [.25, .75]], classes="ab")
    >>> vectors, counts = quantise(leaves)
    >>> vectors.tolist(), counts.tolist()
    ([[16384, 49151], [52428, 13107]], [[1, 9], [8, 2]])
    """
    rounded = np.rint(segments.probability * STEPS).astype(np.uint16)
    vectors, place = np.unique(rounded, axis=0, return_inverse=True)
    counts = np.zeros((len(vectors), len(segments.classes)), dtype=segments.counts.dtype)
    np.add.at(counts, place.ravel(), segments.counts)
    return vectors, counts


def read_vectors(data: Mapping[str, Any]) -> tuple[Floats, Floats]:
    """The vectors of a model on the page, in 65,535ths, and their counts."""
    k = len(data["weights"])
    vectors = np.frombuffer(base64.b64decode(data["vectors"]), dtype="<u2").reshape(-1, k)
    return vectors.astype(np.float64), np.array(data["counts"], dtype=np.float64).reshape(-1, k)


def _sample(segments: Segments, model: LeastCostModel) -> tuple[Segments, float]:
    """At most 20,000 segments: a sample of each class in proportion, and its error.

    The error is the half-width of the interval, at the level of the evaluation, of the expected cost of the sample
    around that of all cases; cases of a class count in full, shared out over those sampled.
    """
    if len(segments) <= MOST_SEGMENTS:
        return segments, 0.0
    rng = np.random.default_rng(SEED)
    counts = np.zeros(segments.counts.shape)
    variance, paid = 0.0, model.costs
    for i, cases in enumerate(segments.cases.tolist()):
        own = np.flatnonzero(segments.counts[:, i])
        if not own.size:
            continue
        number = min(own.size, max(1, round(MOST_SEGMENTS * own.size / np.count_nonzero(segments.counts))))
        taken = np.sort(rng.choice(own, size=number, replace=False))
        counts[taken, i] = segments.counts[taken, i] * (cases / segments.counts[taken, i].sum())
        spread = float(paid.paid[paid.actual == i].var())
        variance += paid.shares()[i] ** 2 * spread / number * (1 - number / own.size)
    half = normal_quantile(model.level) * math.sqrt(variance)
    return Segments(segments.probability, counts, classes=segments.classes, dropped=segments.dropped), half
