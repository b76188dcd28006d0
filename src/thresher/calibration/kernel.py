"""The kernel calibration error, which compares vectors without bins.

Widmann, Lindsten & Zachariah 2019, "Calibration tests in multi-class classification: a unifying framework".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from thresher._internal.arguments import as_number
from thresher._internal.results import Result
from thresher.calibration.meanings import Comparison, Of, comparisons
from thresher.errors import ArgumentError, argument
from thresher.ranking import Counts, Floats, Segments
from thresher.ranking.segments import Matrix, require_segments

MOST_PAIRS = 50_000_000  # of vectors, which are held in memory


@dataclass(frozen=True, slots=True, repr=False)
class KernelError(Result):
    """A squared kernel calibration error, and the bandwidth of its kernel.

    Class by class it is the mean over classes, and each has its own bandwidth.
    """

    estimate: float
    of: Of
    biased: bool
    bandwidths: tuple[float, ...]

    def _brief(self) -> str:
        widths = ", ".join(f"{width:.4g}" for width in self.bandwidths)
        return f"{self.estimate:.6g}, of={self.of!r}, {'biased' if self.biased else 'unbiased'}, bandwidth {widths}"


def skce(
    segments: Segments, *, of: Of = "canonical", bandwidth: float | None = None, biased: bool = False
) -> KernelError:
    """The squared kernel calibration error (SKCE) of vectors of probabilities.

    With the error eᵢ = [class of case i] - pᵢ and the kernel k(p, q) = exp(-‖p - q‖² / (2·bandwidth²)), it is the mean
    of eᵢ·eⱼ k(pᵢ, pⱼ) over all pairs of different cases: 0 on average if the vectors are true, so that it may be
    negative. `biased` takes the mean over all pairs, each case with itself among them, and is never negative. The
    bandwidth is the median distance of two cases with different vectors; a much larger one sees no more than the class
    mix, a much smaller one compares each vector with itself alone. Errors of near vectors that point in different
    directions cancel, so that where vectors repeat the calibration loss of `decomposition` may see what this does not.
    At most 5·10⁷ pairs of vectors are compared, of all classes together: some 7,000 vectors, or 3,500 of 4 classes.

    >>> right = Segments([[1, 0], [0, 1]], [[0, 1], [1, 0]], classes=[1, 2])
    >>> skce(right, bandwidth=1, biased=True)  # 1 - 1/e
    KernelError(0.632121, of='canonical', biased, bandwidth 1)
    """
    require_segments(segments)
    kernels = kernels_of(comparisons(segments, of, bins="exact", count=1), bandwidth)
    data = segments.counts[np.newaxis]
    estimate = float(np.mean([kernel.estimate(data, biased=biased)[0] for kernel in kernels]))
    return KernelError(estimate, of, biased, tuple(kernel.bandwidth for kernel in kernels))


def kernels_of(compared: Sequence[Comparison], bandwidth: float | None) -> list[Kernel]:
    """A kernel for each comparison, as far as memory allows."""
    pairs = sum(each.first.size**2 for each in compared)
    if pairs > MOST_PAIRS:
        most = max(each.first.size for each in compared)
        what = f"{most:,} different vectors make {pairs:,} pairs, and at most {MOST_PAIRS:,} are compared"
        raise ArgumentError(what, f"pass {argument('statistic', 'ece')}, or take a part of the rows")
    return [Kernel.of(each, bandwidth) for each in compared]


@dataclass(frozen=True, slots=True)
class Kernel:
    """How alike the groups of a comparison are, to take any number of draws of labels."""

    comparison: Comparison
    vectors: Matrix
    alike: Matrix
    bandwidth: float

    @classmethod
    def of(cls, comparison: Comparison, bandwidth: float | None) -> Self:
        """Compare every two groups, which hold one vector each."""
        from scipy.spatial.distance import pdist, squareform

        if comparison.cases.sum() < 2:
            raise ArgumentError("one case makes no pair", "give two cases or more")
        vectors = comparison.probability[comparison.order[comparison.first]]
        # One column p stands for the two of (p, 1 - p).
        distance = pdist(vectors) * (math.sqrt(2) if vectors.shape[1] == 1 else 1.0)
        width = _median(distance, comparison.group_cases) if bandwidth is None else as_number(bandwidth)
        if not 0 < width < math.inf:
            what = f"{argument('bandwidth')} must be a number above 0, got {bandwidth!r}"
            raise ArgumentError(what, "leave it out for the median distance", parameter="bandwidth")
        alike = squareform(np.exp(-((distance / width) ** 2) / 2))
        np.fill_diagonal(alike, 1.0)
        return cls(comparison, vectors, alike, width)

    def estimate(self, counts: Counts, *, biased: bool = False) -> Floats:
        """The error of each draw."""
        observed, cases = self.comparison.observed(counts), self.comparison.group_cases
        draws, groups, columns = observed.shape
        errors = observed - cases[:, np.newaxis] * self.vectors
        flat = errors.transpose(1, 0, 2).reshape(groups, draws * columns)
        pairs = ((self.alike @ flat) * flat).reshape(groups, draws, columns).sum(axis=(0, 2))
        own = _own_errors(observed, cases, self.vectors)
        if columns == 1:
            pairs = 2 * pairs
        n = float(cases.sum())
        error: Floats = pairs / n**2 if biased else (pairs - own) / (n * (n - 1))
        return error


def _own_errors(observed: Counts, cases: Floats, vectors: Matrix) -> Floats:
    """The sum of ‖[class] - p‖² over cases."""
    if vectors.shape[1] == 1:
        p = vectors[:, 0]
        own = 2 * (observed[..., 0] * (1 - p) ** 2 + (cases - observed[..., 0]) * p**2)
    else:
        squares = (vectors**2).sum(axis=1, keepdims=True)
        own = (observed * (1 - 2 * vectors + squares)).sum(axis=2)
    summed: Floats = own.sum(axis=1)
    return summed


def _median(distance: Floats, cases: Floats) -> float:
    """The median over pairs of cases in different groups; 1 if there is one group."""
    if not distance.size:
        return 1.0
    if (cases == cases[0]).all():
        return float(np.median(distance))
    above, below = np.triu_indices(cases.size, 1)
    pairs = cases[above] * cases[below]
    order = np.argsort(distance)
    covered = np.cumsum(pairs[order])
    return float(distance[order[np.searchsorted(covered, covered[-1] / 2)]])
