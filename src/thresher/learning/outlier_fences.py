"""Where outliers begin: fences around each feature, or a forest that isolates rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from sklearn.ensemble import IsolationForest

from thresher.errors import ArgumentError
from thresher.learning.arguments import require_number
from thresher.learning.scatter_pass import Matrix
from thresher.ranking import Flags, Floats

OutlierMethod: TypeAlias = Literal["iqr", "robust_z", "isolation_forest"]

# Tukey's 1.5 interquartile ranges; 3.5 robust standard deviations after Iglewicz & Hoaglin (1993).
_FACTORS = {"iqr": 1.5, "robust_z": 3.5}
# The standard deviation of a normal distribution in median absolute deviations.
_MAD_SCALE = 1.482602218505602


@dataclass(frozen=True, slots=True, eq=False)
class Fences:
    """Of each feature the lowest and highest value that is no outlier."""

    low: Floats
    high: Floats

    def beyond(self, X: Matrix) -> Flags:
        """Which entries lie outside; a missing one does not."""
        return (self.low > X) | (self.high < X)


def require_method(method: str) -> None:
    """Refuse a way of finding outliers that there is not."""
    if method not in get_args(OutlierMethod):
        raise ArgumentError(
            f"there is no way {method!r} to find outliers", f"use one of {', '.join(get_args(OutlierMethod))}"
        )


def fences(X: Matrix, *, method: OutlierMethod, factor: float | None) -> Fences:
    """Fences of each feature, missing values left aside.

    "iqr": `factor` (1.5) interquartile ranges beyond the quartiles. "robust_z": `factor` (3.5) times 1.4826 median
    absolute deviations from the median. Where half of the values are equal the width is 0, which says nothing about
    the others: such a feature has no fences.

    >>> found = fences(np.array([[1.0], [2.0], [3.0], [4.0], [90.0]]), method="iqr", factor=None)
    >>> found.low, found.high
    (array([-1.]), array([7.]))
    """
    width = _FACTORS[method] if factor is None else factor
    _where, fix = "fences(X, factor=...)", "e.g. 1.5 for iqr"
    if not require_number(width, name="factor", fix=fix) > 0:
        raise ArgumentError(f"factor must be above 0, got {factor}", fix)
    empty = np.isnan(X).all(axis=0)
    filled = np.where(empty, 0.0, X)
    if method == "iqr":
        low, high = np.nanpercentile(filled, [25, 75], axis=0)
        spread = high - low
    else:
        low = high = np.nanmedian(filled, axis=0)
        spread = _MAD_SCALE * np.nanmedian(np.abs(filled - low), axis=0)
    flat = (spread == 0) | empty
    return Fences(np.where(flat, -np.inf, low - width * spread), np.where(flat, np.inf, high + width * spread))


def forest(X: Matrix, *, share: float | None, seed: int) -> Any:
    """scikit-learn's isolation forest; `share` of the rows are outliers, or as the original paper has it when None."""
    return IsolationForest(contamination="auto" if share is None else share, random_state=seed).fit(X)
