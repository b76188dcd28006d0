"""Tests of cross-validated scores, whose folds share training rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_between, require_level, require_one_of
from thresher._internal.results import Result
from thresher.errors import ArgumentError, LengthError, MissingValueError
from thresher.inference.comparison.difference import UNNAMED, Better, Difference, require_margin, student_difference
from thresher.ranking import Floats

_NO_SPREAD = "all folds differ by the same, so they say nothing about how folds vary"


@dataclass(frozen=True, slots=True, repr=False)
class CorrelatedT(Result):
    """How probable it is that A is worse, practically equal and better; they sum to 1.

    `left`, `within` and `right` are the posterior probabilities that the mean difference A minus B
    lies below -margin, between -margin and margin, and above margin. All are NaN, with a note, when folds do not
    vary at all.
    """

    difference: float
    scale: float
    freedom: int
    margin: float
    left: float
    within: float
    right: float
    better: Better = "higher"
    note: str = ""

    @property
    def worse_probability(self) -> float:
        """That A is worse than B by more than the margin."""
        return self.left if self.better == "higher" else self.right

    @property
    def better_probability(self) -> float:
        """That A is better than B by more than the margin."""
        return self.right if self.better == "higher" else self.left

    def __str__(self) -> str:
        return (
            f"a - b {self.difference:.4f}: a worse {self.worse_probability:.4f}, "
            f"practically equal {self.within:.4f}, better {self.better_probability:.4f}"
        )


def corrected_t(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    test_share: float,
    level: float = 0.95,
    margin: float = 0.0,
    better: Better = "higher",
) -> Difference:
    """The corrected resampled t test (Nadeau & Bengio 2003) of scores fold by fold.

    Folds share most of their training rows, so their spread understates how results vary; the variance of
    the mean difference is (1/folds + test_share / (1 - test_share)) times that of the folds. `test_share` is
    the share of rows a fold is tested on: 1/10 for (repeated) ten-fold cross-validation.

    >>> tree, logit = [0.81, 0.79, 0.84, 0.80, 0.82], [0.78, 0.77, 0.80, 0.79, 0.78]
    >>> print(corrected_t(tree, logit, test_share=1 / 5))
    a - b  0.0280 [0.0037, 0.0523]  p 0.033  better
    """
    require_level(level)
    require_margin(margin)
    away = _differences(a, b, test_share, better)
    mean, variance = _moments_over_folds(away, test_share)
    method, nan = "corrected t", math.nan
    if variance > 0:
        freedom = away.size - 1
        difference = student_difference(mean, variance, level=level, method=method, freedom=freedom, span=math.inf)
    else:
        difference = Difference(*UNNAMED, mean, nan, nan, variance, nan, level, method, note=_NO_SPREAD)
    return replace(difference, margin=margin, better=better)


def bayesian_correlated_t(
    a: npt.ArrayLike, b: npt.ArrayLike, *, test_share: float, margin: float = 0.0, better: Better = "higher"
) -> CorrelatedT:
    """The Bayesian correlated t test of scores fold by fold.

    After Corani & Benavoli (2015) and Benavoli et al. (2017). With a flat prior, the mean difference follows
    Student's t around the observed one, with the corrected variance of `corrected_t`; the test says how much of
    it lies below, within and above the margin.

    >>> tree, logit = [0.81, 0.79, 0.84, 0.80, 0.82], [0.78, 0.77, 0.80, 0.79, 0.78]
    >>> print(bayesian_correlated_t(tree, logit, test_share=1 / 5, margin=0.01))
    a - b 0.0280: a worse 0.0061, practically equal 0.0482, better 0.9456
    """
    require_margin(margin)
    away = _differences(a, b, test_share, better)
    mean, variance = _moments_over_folds(away, test_share)
    freedom, scale = away.size - 1, math.sqrt(variance)
    if not variance > 0:
        return CorrelatedT(mean, scale, freedom, margin, math.nan, math.nan, math.nan, better, _NO_SPREAD)
    from scipy.special import stdtr

    left = float(stdtr(freedom, (-margin - mean) / scale))
    right = float(stdtr(freedom, (mean - margin) / scale))
    return CorrelatedT(mean, scale, freedom, margin, left, max(0.0, 1 - left - right), right, better)


def _differences(a: npt.ArrayLike, b: npt.ArrayLike, test_share: float, better: str) -> Floats:
    fix = "give the share of rows that a fold is tested on, e.g. 1/10 for ten folds"
    require_between(test_share, 0, 1, name="test_share", fix=fix)
    require_one_of(better, ("higher", "lower"), name="better", fix="say which scores are better")
    of_a, of_b = (numbers_of(scores, name=name, dimensions=None) for name, scores in (("a", a), ("b", b)))
    if of_a.ndim != 1 or of_a.shape != of_b.shape:
        raise LengthError(
            f"the scores have shapes {of_a.shape} and {of_b.shape}", "give one score per fold for each model"
        )
    if of_a.size < 2:
        raise ArgumentError(f"{of_a.size} fold shows no spread", "give the scores of two folds or more")
    if not np.isfinite(of_a - of_b).all():
        bad = np.flatnonzero(~np.isfinite(of_a - of_b))
        raise MissingValueError(
            f"{bad.size:,} of {of_a.size:,} folds have a score that is missing or infinite (first fold {bad[0]})",
            "leave those folds out for both models, or find out why they failed",
        )
    return of_a - of_b


def _moments_over_folds(away: Floats, test_share: float) -> tuple[float, float]:
    """The mean difference over folds and its corrected variance.

    The variance is 0 where folds differ by rounding alone.
    """
    mean, spread = float(away.mean()), float(away.var(ddof=1))
    if spread <= (4 * np.spacing(np.abs(away).max() + 1.0)) ** 2:
        spread = 0.0
    return mean, (1 / away.size + test_share / (1 - test_share)) * spread
