"""Golden vectors of the page of k classes: what Python decides on quantised probabilities, for the page to match.

`python -m tests.report.golden_vectors` writes `golden_vectors.json`, which pytest reads and the page's tests may.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import thresher as th
from thresher.report.vectors import least_cost_data, read_vectors

FILE = Path(__file__).parent / "golden_vectors.json"
FORMAT = "thresher/vectors-golden/1"
CLASSES = ["cat", "cow", "dog"]
COSTS = {
    "equal": th.CostMatrix.equal(CLASSES),
    "ordinal": th.CostMatrix.ordinal(CLASSES, power=2),
    "by class": th.CostMatrix.by_class({"dog": 10}, CLASSES),
    "refer": th.CostMatrix.by_class({"dog": 3}, CLASSES).with_action("refer", 0.4),
}
MIXES: list[dict[str, float] | None] = [None, {"cat": 0.25, "cow": 0.25, "dog": 0.5}]
MIXES.append({"cat": 0.9, "cow": 0.1, "dog": 0.0})


def evaluation(costs: th.CostMatrix, mix: dict[str, float] | None) -> th.evaluation.LeastCostEvaluation:
    """Forty rows of which some tie, decided under a condition."""
    rng = np.random.default_rng(12)
    actual = np.arange(40) % 3
    raw = np.ceil(4 * rng.random((40, 3)) + 3 * np.eye(3)[actual] * rng.random((40, 1)))
    matrix = raw / raw.sum(axis=1, keepdims=True)
    condition = th.OperatingCondition(costs=costs, mix=mix)
    return th.evaluate(np.array(CLASSES)[actual], {"m": matrix}, classes=CLASSES, condition=condition, replicates=50)


def cases() -> list[dict[str, Any]]:
    """The page's data under each condition, with Python's actions and cost."""
    every = []
    for name, costs in COSTS.items():
        for mix in MIXES:
            result = evaluation(costs, mix)
            data = least_cost_data(result)
            (model,) = data["models"]
            vectors, counts = read_vectors(model)
            actions = costs.decide(vectors, weights=model["weights"])
            matrix = np.zeros((3, len(costs.actions)))
            np.add.at(matrix.T, actions, counts)
            table = th.ConfusionMatrix(matrix, CLASSES, others=costs.actions[3:])
            cost = result.condition.expected_cost(table)
            shown = {"costs": name, "mix": mix, "weights": model["weights"], "matrix": data["costs"]}
            expected = {"actions": actions.tolist(), "confusion": matrix.tolist(), "expected_cost": cost}
            every.append(shown | {"vectors": model["vectors"], "counts": model["counts"]} | expected)
    return every


def text() -> str:
    """The file's text."""
    return json.dumps({"format": FORMAT, "classes": CLASSES, "cases": cases()}, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
