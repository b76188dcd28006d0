"""Rows of three classes that several tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

import thresher as th
from thresher.inference import ClassAucIntervals, classified_rows
from thresher.inference.influence import class_influence
from thresher.inference.intervals.auc import area_intervals


def matrix(
    labels: Any, rng: np.random.Generator, *, strength: float = 1.0, classes: int = 3, ties: bool = False
) -> Any:
    """Probabilities that lean towards the true class."""
    heavy = np.exp(rng.normal(size=(len(labels), classes)) + strength * np.eye(classes)[labels])
    if ties:
        heavy = np.ceil(heavy)
    return heavy / heavy.sum(axis=1, keepdims=True)


def rows(n: int, seed: int, *, classes: int = 3, ties: bool = False) -> tuple[Any, dict[str, Any]]:
    """Labels of every class, and a good and a poor model whose errors have something in common."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.repeat(np.arange(classes), 2), rng.integers(classes, size=n - 2 * classes)])
    shared = rng.normal(size=(n, classes)) + np.eye(classes)[labels]
    heavy = {"good": np.exp(shared + np.eye(classes)[labels]), "poor": np.exp(shared + rng.normal(size=(n, classes)))}
    rounded = {name: np.ceil(each) if ties else each for name, each in heavy.items()}
    return labels, {name: each / each.sum(axis=1, keepdims=True) for name, each in rounded.items()}


def evaluate(labels: Any, probabilities: Any, **more: Any) -> th.evaluation.LeastCostEvaluation:
    """The evaluation of matrices whose columns are the labels in rising order."""
    classes = more.pop("classes", None)
    return th.evaluate(labels, probabilities, classes=sorted(set(labels)) if classes is None else classes, **more)


def areas(labels: Any, probabilities: Any, *, level: float = 0.95, **more: Any) -> ClassAucIntervals:
    """The AUCs of one model with their limits."""
    sample = classified_rows(labels, probabilities, **more)
    return area_intervals(sample, "model", class_influence(sample, "model"), level=level)
