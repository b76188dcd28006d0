"""Vectors of probabilities of k classes: three leaves, and six vectors that are calibrated class by class only.

Source: the seeds' squared errors and `classes.md` 2.10; fractions are exact.
"""

import numpy as np

import thresher as th

LEAVES = [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]]
THREE = th.Segments.parse("[8,1,1][1,6,3][0,2,8]", probability=LEAVES, classes="abc")
THREE_ERRORS = [1.7, 2.8, 1.7]

_SIX = [[0.1, 0.3, 0.6], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3], [0.1, 0.6, 0.3], [0.3, 0.1, 0.6], [0.6, 0.3, 0.1]]
_SIX_COUNTS = np.array([[2, 2, 6], [4, 5, 1], [7, 0, 3], [0, 7, 3], [2, 2, 6], [5, 4, 1]])
SIX = th.Segments(_SIX, _SIX_COUNTS, classes="abc")
SIX_HUNDRED = th.Segments(_SIX, 10 * _SIX_COUNTS, classes="abc")


def drawn(seed: int, n: int = 60, k: int = 3, *, sharper: float = 1.0, ties: int | None = None) -> th.Segments:
    """Labels drawn from vectors, which are then made sharper than the truth."""
    rng = np.random.default_rng(seed)
    true = rng.dirichlet(np.ones(k), ties or n)[np.arange(n) % (ties or n)]
    label = (true.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    power = true**sharper
    return th.segment(label, power / power.sum(axis=1, keepdims=True), classes=range(k))
