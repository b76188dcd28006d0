"""The textbook's figures: classifiers as points, isometrics, two slopes, losses, pairs, a calibration map."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

import thresher as th
from thresher import plots

SPAM_TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
EMAILS = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
SLOPES = {
    "class ratio as in the data": th.OperatingCondition(),
    "negatives twice as prevalent": th.OperatingCondition(class_ratio=3 / 4),
}


SQUARE = {
    "C1": th.Contingency(tp=30, fn=20, fp=10, tn=40),
    "C2": th.Contingency(tp=20, fn=30, fp=20, tn=30),
    "C3": th.Contingency(tp=40, fn=10, fp=20, tn=30),
}
WIDE = {
    "C1": th.Contingency(tp=15, fn=10, fp=15, tn=60),
    "C2": th.Contingency(tp=20, fn=5, fp=20, tn=55),
    "C3": th.Contingency(tp=20, fn=5, fp=30, tn=45),
}
EQUALLY_ACCURATE = {
    "M1": th.Contingency(tp=50, fn=0, fp=30, tn=20),
    "M2": th.Contingency(tp=20, fn=30, fp=0, tn=50),
    "M3": th.Contingency(tp=35, fn=15, fp=15, tn=35),
}
COSTS = {
    "FP : FN = 2 : 1": th.OperatingCondition(cost_fp=2, cost_fn=1),
    "FP : FN = 1 : 2": th.OperatingCondition(cost_fp=1, cost_fn=2),
}


def main() -> None:
    """Write every figure into a folder, and say where."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path, nargs="?", default=Path("textbook-figures"))
    options.add_argument("--format", choices=("pdf", "svg", "png"), default="svg")
    result = options.parse_args()
    for path in write(result.folder, result.format):
        print(path)


def write(folder: Path, kind: str) -> list[Path]:
    """Draw each figure on a figure of its own, without pyplot."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, (display, options) in figures().items():
        figure = Figure(figsize=display.size, layout="constrained")
        display.plot(figure.add_subplot(), **options)
        paths.append(folder / f"{name}.{kind}")
        figure.savefig(paths[-1])
    return paths


def figures() -> dict[str, tuple[plots.Display, dict[str, Any]]]:
    """Every figure by the name of its file, and what it is drawn with."""
    two = {"isometrics": ["accuracy", "average_recall"], "through": "all"}
    tall = {"C3": th.Contingency.of(tpr=0.8, fpr=0.4, Pos=75, Neg=25)}
    on_diagonal = {"isometrics": "accuracy", "through": "all", "descending": True}
    return {
        "points-dominance": (plots.CoverageDisplay.from_tables(SQUARE), {"dominance": ["C1"]}),
        "points-class-ratio-3": (plots.CoverageDisplay.from_tables(tall), {}),
        "points-accuracy": (plots.CoverageDisplay.from_tables(SQUARE), {"isometrics": "accuracy", "through": "all"}),
        "points-average-recall": (
            plots.ROCDisplay.from_tables(SQUARE | tall),
            {"isometrics": "average_recall", "through": ["C1"]},
        ),
        "points-two-families": (plots.CoverageDisplay.from_tables(WIDE), two),
        "points-two-families-roc": (plots.ROCDisplay.from_tables(WIDE), two | {"descending": True}),
        "points-equally-accurate": (plots.ROCDisplay.from_tables(EQUALLY_ACCURATE), on_diagonal),
        "points-costs": (plots.ROCDisplay.from_tables(EQUALLY_ACCURATE, conditions=COSTS), {"hull": True}),
        "points-precision-recall": (
            plots.PrecisionRecallDisplay.from_tables(EQUALLY_ACCURATE),
            {"isometrics": "f1", "through": "all"},
        ),
        "coverage-isometrics": (plots.CoverageDisplay.from_ranking(SPAM_TREE), {"isometrics": "accuracy"}),
        "coverage-average-recall": (plots.CoverageDisplay.from_ranking(SPAM_TREE), {"isometrics": "average_recall"}),
        "roc-two-slopes": (plots.ROCDisplay.from_ranking(EMAILS, conditions=SLOPES), {"descending": True}),
        "losses": (plots.MarginLossDisplay.from_losses(), {}),
        "pairs-emails": (plots.PairsDisplay.from_ranking(EMAILS), {}),
        "pairs-spam-tree": (plots.PairsDisplay.from_ranking(SPAM_TREE), {}),
        "calibration-map": (plots.CalibrationMapDisplay.from_ranking(EMAILS, interpolate=True), {}),
    }


if __name__ == "__main__":
    main()
