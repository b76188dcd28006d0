"""The textbook's figures: coverage with isometrics, ROC with two slopes, losses, pairs, a calibration map."""

from __future__ import annotations

import argparse
from pathlib import Path

from matplotlib.figure import Figure

import thresher as th
from thresher import plots

SPAM_TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
EMAILS = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
SLOPES = {
    "class ratio as in the data": th.OperatingCondition(),
    "negatives twice as prevalent": th.OperatingCondition(class_ratio=3 / 4),
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


def figures() -> dict[str, tuple[plots.Display, dict[str, str]]]:
    """Every figure by the name of its file, and what it is drawn with."""
    return {
        "coverage-isometrics": (plots.CoverageDisplay.from_ranking(SPAM_TREE), {"isometrics": "accuracy"}),
        "coverage-average-recall": (plots.CoverageDisplay.from_ranking(SPAM_TREE), {"isometrics": "average_recall"}),
        "roc-two-slopes": (plots.ROCDisplay.from_ranking(EMAILS, conditions=SLOPES), {}),
        "losses": (plots.MarginLossDisplay.from_losses(), {}),
        "pairs-emails": (plots.PairsDisplay.from_ranking(EMAILS), {}),
        "pairs-spam-tree": (plots.PairsDisplay.from_ranking(SPAM_TREE), {}),
        "calibration-map": (plots.CalibrationMapDisplay.from_ranking(EMAILS, interpolate=True), {}),
    }


if __name__ == "__main__":
    main()
