"""Finding each score's place among a few cuts: by arithmetic where it can tell, by search where it cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.ranking.pieces import Floats, pieces_of

CELLS = 1 << 14
ROWS_WORTH_CELLS = 1 << 15


def cuts_above(score: npt.NDArray[Any], cut: Floats) -> npt.NDArray[np.intp]:
    """How many of the falling cuts lie above each score.

    A rising map to numbered cells settles it for all scores whose cell holds no cut.

    >>> cuts_above(np.array([0.9, 0.5, -np.inf]), np.array([np.inf, 0.5, 0.1]))
    array([1, 1, 3])
    """
    inner = cut[np.isfinite(cut)]
    with np.errstate(over="ignore", divide="ignore"):
        scale = (CELLS - 1) / (inner[0] - inner[-1]) if inner.size > 1 else 0.0
    if score.size < ROWS_WORTH_CELLS or not 0 < scale < np.inf:
        return _searched(score, cut)
    of_cuts = _cells(cut, inner[-1], scale)
    held = np.bincount(of_cuts, minlength=CELLS)
    above = cut.size - np.cumsum(held)  # where a cell holds no cut, all that lie in higher cells
    above[held > 0] = -1
    found = np.empty(score.size, dtype=np.intp)
    for piece in pieces_of(score.size):
        here = above[_cells(score[piece], inner[-1], scale)]
        unsettled = np.flatnonzero(here < 0)
        here[unsettled] = _searched(score[piece][unsettled], cut)
        found[piece] = here
    return found


def _searched(score: npt.NDArray[Any], cut: Floats) -> npt.NDArray[np.intp]:
    return np.searchsorted(-cut, -score.astype(np.float64, copy=False), side="left")


def _cells(values: npt.NDArray[Any], low: float, scale: float) -> npt.NDArray[np.int32]:
    # Subtracting, multiplying and clipping never change the order of two numbers.
    with np.errstate(over="ignore"):
        along = values.astype(np.float64, copy=False) - low
        along *= scale
    return along.clip(0, CELLS - 1, out=along).astype(np.int32)
