"""The middle rooms against scikit-learn: one kind of data and one size per process, JSON out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

import thresher as th
from benchmarks.timing import peak_bytes, seconds

Array = npt.NDArray[Any]
COST_RATIO = 5.0
KINDS = ("float64 distinct", "float32", "1,000 values", "weighted")


def data(kind: str, rows: int) -> tuple[Array, Array, Array | None]:
    """Labels (30 % positive), probabilities as scores, and weights where the kind has them."""
    rng = np.random.default_rng(7)
    labels = (rng.random(rows) < 0.3).astype(np.int64)
    scores = 1 / (1 + np.exp(-rng.normal(size=rows) - 1.2 * labels + 1))
    if kind == "float32":
        scores = scores.astype(np.float32)
    elif kind == "1,000 values":
        scores = np.floor(scores * 1000) / 1000
    return labels, scores, rng.random(rows) + 0.5 if kind == "weighted" else None


def thresher_everything(labels: Array, scores: Array) -> dict[str, float]:
    """All the numbers of one evaluation, from one ranking."""
    ranking = th.rank(labels, scores)
    condition = th.OperatingCondition(cost_ratio=COST_RATIO)
    th.curves.placements(ranking)
    th.roc(ranking)
    th.precision_recall(ranking)
    parts = th.decomposition(ranking, bins="hull")
    calibrate = th.calibration_map(ranking, method="isotonic")
    choice = th.choose(ranking, condition)
    table = th.tables.contingency_at(ranking, choice.threshold)
    return {
        "auc": th.auc(ranking),
        "average precision": th.average_precision(ranking),
        "brier": th.brier(ranking),
        "brier after isotonic": parts.refinement,
        "isotonic at 0.5": float(calibrate(np.array([0.5]))[0]),
        "cost": choice.expected_cost,
        "tp": float(table.tp),
    }


def sklearn_everything(labels: Array, scores: Array) -> dict[str, float]:
    """The same numbers the way scikit-learn gives them (it has no placements)."""
    fpr, tpr, threshold = roc_curve(labels, scores, drop_intermediate=False)
    precision_recall_curve(labels, scores)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(scores, labels)
    calibrated = isotonic.predict(scores)
    share = labels.mean()
    cost = share * COST_RATIO * (1 - tpr) + (1 - share) * fpr
    best = int(np.argmin(cost))
    table = confusion_matrix(labels, scores >= threshold[best])
    return {
        "auc": float(roc_auc_score(labels, scores)),
        "average precision": float(average_precision_score(labels, scores)),
        "brier": float(brier_score_loss(labels, scores)),
        "brier after isotonic": float(brier_score_loss(labels, calibrated)),
        "isotonic at 0.5": float(isotonic.predict([0.5])[0]),
        "cost": float(cost[best]),
        "tp": float(table[1, 1]),
    }


def agreement(ours: dict[str, float], theirs: dict[str, float]) -> float:
    """The largest relative difference; `isotonic at 0.5` is a step here and a line there."""
    compared = [name for name in ours if name != "isotonic at 0.5"]
    return max(abs(ours[name] - theirs[name]) / abs(theirs[name]) for name in compared)


def measured(kind: str, rows: int, *, everything: bool) -> dict[str, Any]:
    labels, scores, weights = data(kind, rows)
    timings: dict[str, Any] = {}

    def timed(name: str, call: Callable[[], Any], repeat: int = 3) -> None:
        timings[name] = seconds(call, repeat=repeat)

    timed("sort", lambda: np.sort(scores), 5)
    timed("rank", lambda: th.rank(labels, scores, weights=weights), 5)
    timed("auc", lambda: th.auc(th.rank(labels, scores, weights=weights)), 5)
    timed("sklearn auc", lambda: roc_auc_score(labels, scores, sample_weight=weights), 2)
    timings["memory"] = peak_bytes(lambda: th.rank(labels, scores, weights=weights)) / scores.nbytes
    if everything:
        timed("everything", lambda: thresher_everything(labels, scores))
        timed("sklearn everything", lambda: sklearn_everything(labels, scores), 1)
        timings["agreement"] = agreement(thresher_everything(labels, scores), sklearn_everything(labels, scores))
    return timings


if __name__ == "__main__":
    _, kind, rows, everything = sys.argv
    print(json.dumps(measured(kind, int(rows), everything=everything == "everything")))
