"""A weekly release: a candidate replaces the model in use only where it is surely cheaper.

Make rows to try it on, and run it:

    thresher demo --predictions predictions.csv
    python examples/weekly_release.py predictions.csv --label malignant --current bayes --candidate forest -o new.json
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import thresher as th


def decide(file: Path, label: str, current: str, candidate: str, cost_ratio: float) -> th.Evaluation[Any]:
    """Evaluate both models on the same rows, and prefer the one in use."""
    with file.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    labels = np.array([int(row[label]) for row in rows])
    models = {name: np.array([float(row[name]) for row in rows]) for name in (current, candidate)}
    condition = th.OperatingCondition(cost_ratio=cost_ratio)
    return th.evaluate(labels, models, condition=condition, prefer=current)


def main(words: Sequence[str] | None = None) -> int:
    """Print what is released and why, and write its decision; 1 where acting on it may be worth nothing."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", type=Path)
    for name in ("label", "current", "candidate"):
        options.add_argument(f"--{name}", required=True)
    options.add_argument("--cost-ratio", type=float, default=10.0)
    options.add_argument("-o", "--output", type=Path, required=True)
    asked = options.parse_args(words)

    evaluation = decide(asked.file, asked.label, asked.current, asked.candidate, asked.cost_ratio)
    decision = evaluation.decision
    print(f"release {decision.model} from {decision.threshold:.4g} on: {decision.why}")
    print(f"it saves {decision.saving} per case against {decision.baseline!r}")
    if decision.saving.lower < 0:
        print("that may be nothing: not released")
        return 1
    decision.save(asked.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
