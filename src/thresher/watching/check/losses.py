"""Brier score and log loss of a cell of scores: between its ends."""

from __future__ import annotations

import numpy as np

from thresher.ranking import Floats

CLIP = 1e-3  # the log loss of a probability below this is that of this: one sure miss must not decide


def loss_bounds(quantity: str, cuts: Floats) -> tuple[Floats, Floats]:
    """Least and greatest loss per cell, of negatives (row 0) and positives (row 1).

    Counts are of cells, and a cell holds probabilities from one cut to the next, between which the loss is monotone.

    >>> least, greatest = loss_bounds("brier", np.array([0.25, 0.5]))
    >>> least[0].tolist(), greatest[1].tolist()
    ([0.0, 0.0625, 0.25], [1.0, 0.5625, 0.25])
    """
    ends = np.concatenate([[0.0], np.clip(cuts, 0.0, 1.0), [1.0]])
    if quantity == "brier":
        of_negative, of_positive = ends**2, (1 - ends) ** 2
    else:
        clipped = np.clip(ends, CLIP, 1 - CLIP)
        of_negative, of_positive = -np.log1p(-clipped), -np.log(clipped)
    return np.stack([of_negative[:-1], of_positive[1:]]), np.stack([of_negative[1:], of_positive[:-1]])
