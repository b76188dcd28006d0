"""One pass over labelled rows: per class its count and mean, and the squared deviations from the class means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.ranking import Counts, Floats, Indices

Matrix = npt.NDArray[np.float64]

# Entries of a block of rows: few enough to stay in the processor's cache while they are read three times.
_BLOCK = 2**18
_MATRIX_BLOCK = 2**21


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Counts (k), means (k x p) and the squared deviations summed over classes: p of them, or p x p."""

    counts: Counts
    means: Matrix
    squares: Matrix

    def __add__(self, other: Moments) -> Moments:
        """The moments of both sets of rows (Chan, Golub & LeVeque 1983, per class)."""
        counts = self.counts + other.counts
        share = other.counts / np.maximum(counts, 1)
        apart = other.means - self.means
        squares = self.squares + other.squares
        squares += _outer_sums(apart, self.counts * share, matrix=squares.ndim == 2)
        # A class that one side has not seen keeps the other's mean to the last bit.
        means = np.where((self.counts == 0)[:, None], other.means, self.means + share[:, None] * apart)
        return Moments(counts, means, squares)


def moments(X: npt.NDArray[np.generic], codes: Indices, *, classes: int, matrix: bool) -> Moments:
    """Moments of rows whose class is `codes` (0 to classes - 1), read once, block by block, in float64.

    A block's deviations D are taken from the means so far, so that with n rows of a class before and m in the block
    the squares grow by ΣD² - m²/(n + m) δ², where δ is the mean of D. The subtraction loses no more than a factor m/n,
    and a feature that is constant within its classes has squares of exactly 0.

    >>> moments(np.array([[1.0], [3.0], [8.0]]), np.array([0, 0, 1]), classes=2, matrix=False)
    Moments(counts=array([2, 1]), means=array([[2.], [8.]]), squares=array([2.]))
    """
    rows, features = X.shape
    counts = np.zeros(classes, dtype=np.int64)
    means = np.zeros((classes, features))
    squares = np.zeros((features, features) if matrix else features)
    step = max(16, (_MATRIX_BLOCK if matrix else _BLOCK) // max(features, 1))
    room = np.empty((min(step, rows), features))
    for start in range(0, rows, step):
        block, code = X[start : start + step], codes[start : start + step]
        seen = np.bincount(code, minlength=classes)
        for new in np.flatnonzero((seen > 0) & (counts == 0)):
            means[new] = block[np.argmax(code == new)]
        present = np.flatnonzero(seen)
        place = np.empty(classes, dtype=np.int64)
        place[present] = np.arange(present.size)
        deviation = room[: len(block)]
        np.take(means, code, axis=0, out=deviation, mode="clip")
        np.subtract(block, deviation, out=deviation)
        member = (place[code] == np.arange(present.size)[:, None]).astype(np.float64)
        more = seen[present].astype(np.float64)
        shift = member @ deviation / more[:, None]
        total = counts[present] + more
        squares += deviation.T @ deviation if matrix else np.einsum("ij,ij->j", deviation, deviation)
        squares -= _outer_sums(shift, more * (more / total), matrix=matrix)
        means[present] += (more / total)[:, None] * shift
        counts[present] += seen[present]
    # Rounding must not leave a sum of squares below 0.
    diagonal = np.einsum("ii->i", squares) if matrix else squares
    np.maximum(diagonal, 0.0, out=diagonal)
    return Moments(counts, means, squares)


def _outer_sums(vectors: Matrix, weights: Floats, *, matrix: bool) -> Matrix:
    """Σ w v vᵀ over the rows v, or only its diagonal."""
    if matrix:
        return (vectors * weights[:, None]).T @ vectors
    return np.einsum("k,kj,kj->j", weights, vectors, vectors)
