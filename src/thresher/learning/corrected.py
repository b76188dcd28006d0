"""Corrected limits: the mean of a measure over folds that share their training rows."""

from __future__ import annotations

import math

from thresher.inference.interval import Interval, student_quantile
from thresher.ranking import Floats

_NO_SPREAD = "all folds have the same value, so they say nothing about how folds vary"


def correction(folds: int, test_share: float) -> float:
    """What the variance of fold values is multiplied with to get that of their mean.

    1/folds would hold for independent folds; the share of test rows allows for common training rows (Nadeau &
    Bengio 2003).

    >>> round(correction(10, 0.1), 4)
    0.2111
    """
    return 1 / folds + test_share / (1 - test_share)


def corrected_interval(values: Floats, *, test_share: float, level: float, spread: tuple[float, float]) -> Interval:
    """The mean with Student's limits by the corrected variance, kept within the measure's range.

    >>> import numpy as np
    >>> print(corrected_interval(np.array([0.8, 0.9, 0.85, 0.95, 0.9]), test_share=0.2, level=0.95, spread=(0, 1)))
    0.8800 [0.7738, 0.9862]
    """
    mean, method = float(values.mean()), "corrected t"
    if values.size < 2 or not values.var() > 0:
        note = _NO_SPREAD if values.size > 1 else "one fold shows no spread"
        return Interval(mean, math.nan, math.nan, math.nan, level, method, note)
    variance = correction(values.size, test_share) * float(values.var(ddof=1))
    half = student_quantile(level, values.size - 1) * math.sqrt(variance)
    return Interval(mean, max(mean - half, spread[0]), min(mean + half, spread[1]), variance, level, method)
