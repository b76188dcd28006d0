"""The asymptote of a learning curve: what remains with infinite data, with limits that say how little is known."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.errors import ArgumentError
from thresher.inference.interval import Interval, student_quantile
from thresher.learning.arguments import numbers_of
from thresher.learning.corrected import correction
from thresher.ranking import Floats

LEAST_SIZES = 4
EXPONENTS = (0.2, 3.0)
_SHAPES = 120
_FINE = 601
_METHOD = "power law, profile"


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """A curve a + b·n^-c of a measure against the number of training rows.

    >>> law = PowerLaw(asymptote=0.1, factor=2.0, exponent=1.0)
    >>> law(np.array([10, 100]))
    array([0.3 , 0.12])
    """

    asymptote: float
    factor: float
    exponent: float

    def __call__(self, sizes: npt.ArrayLike) -> Floats:
        """The curve at these numbers of rows."""
        return np.asarray(self.asymptote + self.factor * np.asarray(sizes, dtype=np.float64) ** -self.exponent)


def fitted_law(
    sizes: npt.ArrayLike,
    values: Floats,
    *,
    test_share: float,
    better: str = "lower",
    spread: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    exponents: tuple[float, float] = EXPONENTS,
) -> tuple[PowerLaw, Interval] | None:
    """Fit a + b·n^-c to values (a row per size, a column per fold), with a profile interval of a.

    Points of the curve share test rows and training rows, so they are fitted by generalised least squares, with the
    covariance of folds times the correction of Nadeau & Bengio (2003). Covariances of few folds are drawn towards
    equal variances and correlations (after Ledoit & Wolf 2004). Limits hold every a for which some b (of the sign that
    learning has) and some c within `exponents` fit almost as well, within Student's quantile; where the power law
    itself fits worse than the folds' noise, they widen, and they are never narrower than those of the last point.
    None with fewer than four sizes, or where folds do not vary at all. Power laws describe most learning curves
    and not all (Viering & Loog 2023); an exponent below 0.2 says that halving the excess error takes more than
    thirty times the rows, and lets the asymptote be anything.

    >>> noise = np.random.default_rng(0).normal(0, 0.01, (6, 20))
    >>> sizes = np.array([20, 40, 80, 160, 320, 640])
    >>> law, interval = fitted_law(sizes, 0.1 + 2 / sizes[:, None] + noise, test_share=0.2)
    >>> 0.1 in interval
    True
    """
    at = np.asarray(sizes, dtype=np.float64)
    limits = numbers_of(exponents, name="exponents", fix="e.g. (0.2, 3)")
    if limits.size != 2 or not 0 < limits[0] < limits[1] < np.inf:
        raise ArgumentError(f"exponents must be two rising numbers above 0, got {exponents}", "e.g. (0.2, 3)")
    if at.size < LEAST_SIZES or values.shape[1] < 2:
        return None
    sign = 1.0 if better == "lower" else -1.0
    mean = sign * values.mean(axis=1)
    covariance = _covariance(values) * correction(values.shape[1], test_share)
    if not covariance.trace() > 0:
        return None
    low, high = (spread[0], spread[1]) if sign > 0 else (-spread[1], -spread[0])
    noise = math.sqrt(float(covariance.diagonal().max()))
    step = float(np.ptp(mean)) + noise
    low = low if math.isfinite(low) else float(mean.min()) - 20 * step
    high = min(high, float(mean.max()) + 6 * noise) if math.isfinite(high) else float(mean.max()) + 6 * noise
    profile = _Profile.of(
        at, mean, np.asarray(np.linalg.inv(covariance), dtype=np.float64), np.geomspace(limits[0], limits[1], _SHAPES)
    )
    grid = np.linspace(low, high, _FINE)
    best, least = _best_around(profile, grid)
    excess = max(1.0, least / (at.size - 3))
    quantile = student_quantile(level, values.shape[1] - 1)
    bounds = _limits(profile, low, high, least + excess * quantile**2)
    # Points of a curve share their test rows, so no fit of them knows more than the last one does.
    half = quantile * math.sqrt(float(covariance[-1, -1]))
    end = spread[1] if sign > 0 else -spread[0]
    bounds = max(low, min(bounds[0], best - half)), min(max(bounds[1], best + half), end)
    _, factor, exponent = profile(np.array([best]))
    law = PowerLaw(sign * best, sign * float(factor[0]) * at.max() ** float(exponent[0]), float(exponent[0]))
    lower, upper = bounds if sign > 0 else (-bounds[1], -bounds[0])
    variance = ((upper - lower) / (2 * quantile)) ** 2
    return law, Interval(law.asymptote, lower, upper, variance, level, _METHOD, _note(bounds, low, sign))


@dataclass(frozen=True, slots=True, eq=False)
class _Profile:
    """The least sum of squares for each asymptote, over factors of at least 0 and exponents of the grid."""

    exponents: Floats
    ones: tuple[float, float, float]
    shape_shape: Floats
    shape_value: Floats
    shape_one: Floats

    @classmethod
    def of(cls, sizes: Floats, mean: Floats, weight: Floats, exponents: Floats) -> _Profile:
        shapes = (sizes / sizes.max())[None, :] ** -exponents[:, None]
        one = np.ones(sizes.size)
        return cls(
            exponents=exponents,
            ones=(float(mean @ weight @ mean), float(one @ weight @ mean), float(one @ weight @ one)),
            shape_shape=np.einsum("ci,ij,cj->c", shapes, weight, shapes),
            shape_value=shapes @ weight @ mean,
            shape_one=shapes @ weight @ one,
        )

    def __call__(self, asymptote: Floats) -> tuple[Floats, Floats, Floats]:
        """Sum of squares, factor and exponent for each asymptote."""
        away = self.shape_value[None, :] - asymptote[:, None] * self.shape_one[None, :]
        factor = np.maximum(away / self.shape_shape, 0.0)
        flat = self.ones[0] - 2 * asymptote * self.ones[1] + asymptote**2 * self.ones[2]
        squares = flat[:, None] - 2 * factor * away + factor**2 * self.shape_shape
        place = squares.argmin(axis=1)
        row = np.arange(asymptote.size)
        return np.maximum(squares[row, place], 0.0), factor[row, place], self.exponents[place]


def _best_around(profile: _Profile, grid: Floats) -> tuple[float, float]:
    """The best asymptote and its sum of squares: the grid's, then a finer grid's around it."""
    for _ in range(3):
        squares = profile(grid)[0]
        place, step = int(squares.argmin()), grid[1] - grid[0]
        centre = grid[place]
        grid = np.linspace(max(grid[0], centre - step), min(grid[-1], centre + step), 101)
    squares = profile(grid)[0]
    return float(grid[squares.argmin()]), float(squares.min())


def _limits(profile: _Profile, low: float, high: float, most: float) -> tuple[float, float]:
    for _ in range(2):  # the second grid is as fine as the first, over what the first allowed
        grid = np.linspace(low, high, _FINE)
        inside = np.flatnonzero(profile(grid)[0] <= most)
        if not inside.size:
            break
        low, high = float(grid[max(inside[0] - 1, 0)]), float(grid[min(inside[-1] + 1, grid.size - 1)])
    return low, high


def _covariance(values: Floats) -> Floats:
    """The covariance of sizes over folds, drawn towards equal variances and correlations, the more the fewer folds."""
    sizes, folds = values.shape
    sample = np.atleast_2d(np.cov(values))
    own = sample.diagonal()
    if not own.any():
        return np.zeros((sizes, sizes))
    share = sizes / (sizes + folds - 1)
    varying = np.sqrt(np.where(own > 0, own, 1.0))
    correlation = sample / np.outer(varying, varying)
    off = ~np.eye(sizes, dtype=np.bool_)
    constant = float(np.clip(correlation[off].mean(), 0.0, 0.95))
    correlation = (1 - share) * correlation + share * constant
    np.fill_diagonal(correlation, 1.0)
    deviation = np.sqrt((1 - share) * own + share * own.mean())
    return np.asarray(correlation * np.outer(deviation, deviation))


def _note(limits: tuple[float, float], low: float, sign: float) -> str:
    if limits[0] > low:
        return ""
    side = "lower" if sign > 0 else "upper"
    return f"the {side} limit is the end of the measure's range: sizes up to here do not bound it"
