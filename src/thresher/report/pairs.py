"""The pairs grid of a small ranking as a static picture: each square a positive and a negative, and who won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thresher.report.svg import Plot

WON, TIED, LOST = 2, 4, 1  # places of colours


def pairs_plot(segments: Mapping[str, Sequence[Any]], *, name: str) -> str:
    """Negatives across and positives upwards, in falling score; the coverage curve runs between won and lost pairs.

    >>> pairs_plot({"score": [2, 1], "pos": [1, 1], "neg": [0, 2]}, name="Pairs").count("<path")
    6
    """
    pos, neg = np.array(segments["pos"]), np.array(segments["neg"])
    tp, fp = (np.concatenate([[0], np.cumsum(side)]) for side in (pos, neg))
    Pos, Neg = tp[-1].item(), fp[-1].item()
    plot = Plot((0, Neg), (0, Pos), "negatives, in falling score", "positives, in falling score")
    # Squares of one verdict are one shape: steps below the curve are won, above it lost, ties lie between.
    lower, upper = np.repeat(tp[:-1], 2), np.repeat(tp[1:], 2)
    across = np.repeat(fp, 2)[1:-1]
    plot.area(across, np.zeros(across.size), lower, place=WON)
    plot.area(across, upper, np.full(across.size, Pos), place=LOST)
    if (pos * neg).any():
        plot.area(across, lower, upper, place=TIED)
    plot.line(fp, tp, dashes="")
    return plot.svg(name=name)
