"""Evaluations that the tests of the page share: ordinary ones, and those that break pages."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import thresher as th
from tests import hostile
from tests.inference import class_examples


def models(rows: int, *, count: int = 3, seed: int = 1) -> tuple[Any, dict[str, Any]]:
    """Labels and the scores of several models that are better and worse, as probabilities."""
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < 0.3
    labels[:2] = True, False
    strength = np.linspace(2.2, 0.6, count)
    scores = {
        f"model {place + 1}": 1 / (1 + np.exp(-(rng.normal(size=rows) + by * labels - 1)))
        for place, by in enumerate(strength)
    }
    return labels, scores


@cache
def evaluation(rows: int = 300, *, count: int = 3, **options: Any) -> th.evaluation.ThresholdEvaluation:
    """An ordinary evaluation, with misses five times as dear as false alarms."""
    labels, scores = models(rows, count=count)
    settings: dict[str, Any] = {"condition": th.OperatingCondition(cost_ratio=5), "replicates": 60} | options
    return th.evaluate(labels, scores, **settings)


@cache
def emails() -> th.evaluation.ThresholdEvaluation:
    """The ten e-mails."""
    labels = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    scores = [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13]
    return th.evaluate(labels, {"tree": scores}, replicates=60)


@cache
def hostile_evaluation() -> th.evaluation.ThresholdEvaluation:
    """Models with names that break tools."""
    labels, scores = models(40, count=len(hostile.NAMES))
    named = dict(zip(hostile.NAMES.values(), scores.values(), strict=True))
    return th.evaluate(labels, named, replicates=20)


@cache
def awkward() -> dict[str, th.evaluation.ThresholdEvaluation]:
    """Data at the edge: as few as can be, all tied, perfect, reversed, one positive, many models, strange scores."""
    data: dict[str, tuple[Any, Any]] = {
        "two cases": ([1, 0], [0.9, 0.1]),
        "two cases, tied": ([1, 0], [0.5, 0.5]),
        "all tied": ([1, 0, 1, 0, 0], [0.5] * 5),
        "perfect": ([1, 1, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1]),
        "reversed": ([0, 0, 0, 1, 1, 1], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1]),
        "one positive": ([0, 0, 1, 0, 0, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.2, 0.1]),
        "infinite scores": ([1, 0, 1, 0, 1], [np.inf, 2.0, 1.0, -np.inf, 0.5]),
        "far scores": ([1, 1, 0, 0, 1, 0], [1.7e308, 1e308, -1e308, -1.7e308, 0.0, 5.0]),
        "one far score": ([1, 1, 0, 0], [1.7e308] * 4),
        "scores close to nothing": ([1, 1, 0, 0, 1, 0], [5e-324, 0.0, 1e-323, 2e-323, -5e-324, 1.5e-323]),
        "no probabilities": ([1, 0, 1, 0, 1, 0], [300.0, -20.0, 45.0, 12.0, 7.0, -1000.0]),
    }
    with np.errstate(over="ignore", invalid="ignore"):  # no variance of such far thresholds can be held
        evaluations = {
            name: th.evaluate(labels, {name: scores}, replicates=40) for name, (labels, scores) in data.items()
        }
    evaluations["ten models"] = evaluation(120, count=10)
    return evaluations


@cache
def classes(*, labels: tuple[Any, ...] = ("cat", "cow", "dog"), rows: int = 90) -> th.evaluation.LeastCostEvaluation:
    """Two models of several classes."""
    rng = np.random.default_rng(3)
    actual = rng.integers(0, len(labels), rows)
    actual[: len(labels)] = np.arange(len(labels))

    def matrix(sharpness: float) -> Any:
        raw = rng.normal(size=(rows, len(labels))) + sharpness * np.eye(len(labels))[actual]
        return np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)

    return class_examples.evaluate(
        [labels[place] for place in actual], {"forest": matrix(2.5), "tree": matrix(1)}, classes=list(labels)
    )
