"""Learning curves: a measure against the number of training rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_classifier, require_integer, require_level
from thresher._internal.parallel import Progress
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError, MeasureError
from thresher.inference.interval import Interval, student_quantile
from thresher.learning.validation.fit_and_score import Problem, fit_and_score, in_parallel, problem_of
from thresher.learning.validation.folds import Folding, Folds, FoldSplit, mean_test_share, splits_of
from thresher.learning.validation.scoring import (
    FoldMetric,
    MeasureLike,
    corrected_interval,
    fold_metric,
    require_quality,
    variance_factor,
)
from thresher.ranking import Floats, Indices

EXPONENTS = (0.2, 3.0)
_SIZES = 8
_PER_CLASS = 5
# The fit of the power law: fewest sizes, exponents on the grid, and points of the grid of asymptotes.
_LEAST_SIZES, _SHAPES, _FINE = 4, 120, 601
_Profile: TypeAlias = Callable[[Floats], tuple[Floats, Floats, Floats]]


@dataclass(frozen=True, slots=True, eq=False)
class MeasureCurve:
    """Estimates with pointwise limits, and values by point and fold."""

    estimate: Floats
    lower: Floats
    upper: Floats
    per_fold: Floats

    @classmethod
    def of(cls, per_fold: Floats, *, test_share: float, level: float, spread: tuple[float, float]) -> Self:
        """Means over folds with corrected limits, NaN where folds do not vary."""
        points = [corrected_interval(row, test_share=test_share, level=level, spread=spread) for row in per_fold]
        columns = (*np.array([(point.estimate, point.lower, point.upper) for point in points]).T.copy(), per_fold)
        for values in columns:
            values.flags.writeable = False
        return cls(*columns)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; what is undefined becomes None."""
        return {
            name: [None if np.isnan(number) else number for number in getattr(self, name).tolist()]
            for name in ("estimate", "lower", "upper")
        }


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """A curve a + b·n^-c of a measure against the number of training rows."""

    asymptote: float
    factor: float
    exponent: float

    def __call__(self, sizes: npt.ArrayLike) -> Floats:
        """The curve at these numbers of rows."""
        return np.asarray(self.asymptote + self.factor * np.asarray(sizes, dtype=np.float64) ** -self.exponent)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SizeCurve(Tabular):
    """A measure on training rows and on others, against sizes."""

    sizes: Any
    apparent: MeasureCurve
    validation: MeasureCurve
    measure: str
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "measure": self.measure,
            "level": self.level,
            "sizes": self._plain_sizes(),
            "apparent": self.apparent.to_dict(),
            "validation": self.validation.to_dict(),
        }

    def _columns(self) -> Mapping[str, Any]:
        sizes, both = self._plain_sizes(), (self.apparent, self.validation)
        limits = ("estimate", "lower", "upper")
        return {
            "size": [*sizes, *sizes],
            "rows": np.repeat(["apparent", "validation"], len(sizes)),
            **{name: np.concatenate([getattr(curve, name) for curve in both]) for name in limits},
        }

    def _plain_sizes(self) -> list[Any]:
        return [size.item() if isinstance(size, np.generic) else size for size in self.sizes]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearningCurve(SizeCurve):
    """Apparent and validation measure against the number of training rows.

    `law` is the power law fitted to the validation curve and `asymptote` the interval of what remains with
    infinite data; both are None where there are too few sizes or folds do not vary.
    """

    law: PowerLaw | None
    asymptote: Interval | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return SizeCurve.to_dict(self) | {"asymptote": None if self.asymptote is None else self.asymptote.to_dict()}

    def _brief(self) -> str:
        last = f"{self.validation.estimate[-1]:.4f} at {self.sizes[-1]:,} rows"
        rest = "" if self.asymptote is None else f", asymptote {self.asymptote}"
        return f"{self.measure}: {last}{rest}"


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    measure: MeasureLike = "error_rate",
    sizes: Sequence[int] | None = None,
    points: int = _SIZES,
    folds: Folding | None = None,
    groups: Any = None,
    times: Any = None,
    level: float = 0.95,
    exponents: tuple[float, float] = EXPONENTS,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> LearningCurve:
    """How a model learns from growing parts of each fold's training rows.

    Smaller parts lie within larger ones and have the same class mix. Limits are pointwise and allow for folds that
    share rows. Where apparent and validation error have met, more rows will not help; elsewhere see the asymptote.

    `measure` is any registered measure of the model's predictions, "auc", "brier", "log_loss", "average_precision", an
    `OperatingCondition` for the expected cost of its predictions, or a function of a ranking; of more than two classes,
    one of those that `fold_metric` lists, e.g. "macro_f1". `sizes` are numbers of training rows, rising;
    by default `points` of them in equal ratios, and below four there is no asymptote. `folds`
    are five, repeated five times. `exponents` are how fast the error may fall, the range of c in a + b·n^-c: slower
    laws than 0.2 bound nothing. Other arguments are those of `cross_validate`.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(600) < 0.5
    >>> X = rng.normal(size=(600, 2)) + y[:, None]  # Bayes error 0.2398
    >>> curve = learning_curve(GaussianNB(), X, y)
    >>> curve.sizes.tolist()
    [24, 37, 56, 87, 133, 204, 313, 480]
    >>> 0.2398 in curve.asymptote
    True
    """
    require_level(level)
    require_classifier(estimator)
    problem = problem_of(X, y, positive=positive, classes=classes, groups=groups, times=times)
    target = problem.target
    metric = fold_metric(measure, target.several)
    if folds is None:
        folds = Folds(5, repeats=5) if groups is None and times is None else 5
    splits = splits_of(folds, target.labels, groups=groups, times=times, seed=seed)
    asked = _sizes(sizes, splits, target.codes, points)
    nested = [
        nested_parts(split.train, target.codes, asked, seed=[seed, number]) for number, split in enumerate(splits)
    ]
    tasks = [
        (estimator, problem, parts[size], split.test)
        for size in range(asked.size)
        for parts, split in zip(nested, splits, strict=True)
    ]
    apparent, validation = measure_curves(tasks, splits, metric, level=level, n_jobs=n_jobs, progress=progress)
    fit = fit_power_law(
        asked,
        validation.per_fold,
        test_share=mean_test_share(splits),
        better=metric.better,
        spread=metric.range,
        level=level,
        exponents=exponents,
    )
    law, asymptote = fit or (None, None)
    return LearningCurve(asked, apparent, validation, metric.name, level, law, asymptote)


def measure_curves(
    tasks: Sequence[tuple[Any, Problem, Indices, Indices]],
    splits: Sequence[FoldSplit],
    metric: FoldMetric,
    *,
    level: float,
    n_jobs: int | None,
    progress: Progress | None,
) -> tuple[MeasureCurve, MeasureCurve]:
    """A metric on training rows (apparent) and on others (validation), at each point.

    A task is an estimator, a problem, training rows and test rows; tasks of a point are one per fold, in order.
    """
    require_quality(metric)
    work = partial(_apparent_and_validation, metric=metric)
    values = np.array(in_parallel(work, tasks, n_jobs=n_jobs, progress=progress))
    if undefined := int((~np.isfinite(values)).sum()):
        what = f"{metric.name} is undefined or infinite in {undefined} of {values.size} fits"
        raise MeasureError(what, "pick a measure that is defined there, e.g. error_rate, or larger sizes")
    sides, share = np.moveaxis(values.reshape(-1, len(splits), 2), -1, 0).copy(), mean_test_share(splits)
    apparent, validation = (MeasureCurve.of(side, test_share=share, level=level, spread=metric.range) for side in sides)
    return apparent, validation


def nested_parts(train: Indices, codes: Indices, sizes: Indices, *, seed: Any) -> list[Indices]:
    """Parts of the training rows, each within the next, with their class mix.

    One row of each class comes first. The others follow in the order of their place in their class, at random,
    relative to its size, so that classes advance alike.
    """
    rng = np.random.default_rng(seed)
    classes = [rng.permutation(train[codes[train] == code]) for code in np.unique(codes[train])[::-1]]
    place = [np.concatenate([[0.0], (np.arange(1, rows.size) + 0.5) / rows.size]) for rows in classes]
    order = np.concatenate(classes)[np.argsort(np.concatenate(place), kind="stable")]
    return [order[:size] for size in sizes.tolist()]


def fit_power_law(
    sizes: npt.ArrayLike,
    values: Floats,
    *,
    test_share: float,
    better: str = "lower",
    spread: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    exponents: tuple[float, float] = EXPONENTS,
) -> tuple[PowerLaw, Interval] | None:
    """Fit a + b·n^-c to values by size and fold, with a profile interval of a.

    Points of the curve share test rows and training rows, so they are fitted by generalised least squares, with the
    covariance of folds times the correction of Nadeau & Bengio (2003). Covariances of few folds are shrunk towards
    equal variances and correlations (after Ledoit & Wolf 2004). Limits hold every a for which some b (of the sign that
    learning has) and some c within `exponents` fit almost as well, within Student's quantile; where the power law
    itself fits worse than the folds' noise, they widen, and they are never narrower than those of the last point.
    None with fewer than four sizes, or where folds do not vary at all. Power laws describe most learning curves and not
    all (Viering & Loog 2023); exponents below 0.2 let the asymptote be anything.
    """
    at = np.asarray(sizes, dtype=np.float64)
    limits = numbers_of(exponents, name="exponents", fix="e.g. (0.2, 3)")
    if limits.size != 2 or not 0 < limits[0] < limits[1] < np.inf:
        raise ArgumentError(f"exponents must be two rising numbers above 0, got {exponents}", "e.g. (0.2, 3)")
    if at.size < _LEAST_SIZES or values.shape[1] < 2:
        return None
    sign = 1.0 if better == "lower" else -1.0
    mean = sign * values.mean(axis=1)
    covariance = _covariance(values) * variance_factor(values.shape[1], test_share)
    if not covariance.trace() > 0:
        return None
    low, high = spread if sign > 0 else (-spread[1], -spread[0])
    noise = math.sqrt(float(covariance.diagonal().max()))
    step = float(np.ptp(mean)) + noise
    low = low if math.isfinite(low) else float(mean.min()) - 20 * step
    high = min(high, float(mean.max()) + 6 * noise)
    weight: Floats = np.linalg.inv(covariance).astype(np.float64)
    profile = _profile(at, mean, weight, np.geomspace(limits[0], limits[1], _SHAPES))
    best, least = _best_around(profile, np.linspace(low, high, _FINE))
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
    side = "lower" if sign > 0 else "upper"
    unbounded = f"the {side} limit is the end of the measure's range: sizes up to here do not bound it"
    note = "" if bounds[0] > low else unbounded
    return law, Interval(law.asymptote, lower, upper, variance, level, "power law, profile", note)


def _apparent_and_validation(
    estimator: Any, problem: Problem, train: Indices, test: Indices, metric: FoldMetric
) -> tuple[float, float]:
    apparent, validation = fit_and_score(estimator, problem, train, [train, test])
    return metric(apparent), metric(validation)


def spaced_sizes(least: int, most: int, points: int) -> Indices:
    """Up to so many distinct integers in equal ratios."""
    return np.unique(np.rint(np.geomspace(least, most, points)).astype(np.intp))


def _sizes(asked: Sequence[int] | None, splits: Sequence[FoldSplit], codes: Indices, points: int) -> Indices:
    most, cases = min(split.train.size for split in splits), np.bincount(codes)
    if asked is None:
        require_integer(points, name="points", least=2, most=100_000, fix="e.g. points=8")
        rarest = cases.min() / codes.size
        return spaced_sizes(min(max(math.ceil(most / 20), math.ceil(_PER_CLASS / rarest)), most), most, points)
    rows = np.asarray(asked)
    if rows.ndim != 1 or not rows.size or rows.dtype.kind not in "iu" or not (np.diff(rows) > 0).all():
        raise ArgumentError(f"sizes must be rising whole numbers, got {asked!r}", "e.g. [50, 100, 200]")
    if rows[0] < cases.size or rows[-1] > most:
        limits = f"{cases.size}, one row of each class, to {most:,}, the training rows of the smallest fold"
        what = f"sizes must lie from {limits}; got {rows[0]} to {rows[-1]}"
        raise ArgumentError(what, "leave out what is beyond, or take more folds")
    return rows.astype(np.intp)


def _profile(sizes: Floats, mean: Floats, weight: Floats, exponents: Floats) -> _Profile:
    """A function of asymptotes: least sum of squares, factor and exponent."""
    shapes = (sizes / sizes.max())[None, :] ** -exponents[:, None]
    one = np.ones(sizes.size)
    value_value, one_value, one_one = (float(a @ weight @ b) for a, b in ((mean, mean), (one, mean), (one, one)))
    shape_shape = np.einsum("ci,ij,cj->c", shapes, weight, shapes)
    shape_value, shape_one = shapes @ weight @ mean, shapes @ weight @ one

    def least_squares(asymptote: Floats) -> tuple[Floats, Floats, Floats]:
        away = shape_value[None, :] - asymptote[:, None] * shape_one[None, :]
        factor = np.maximum(away / shape_shape, 0.0)
        flat = value_value - 2 * asymptote * one_value + asymptote**2 * one_one
        squares = flat[:, None] - 2 * factor * away + factor**2 * shape_shape
        place, row = squares.argmin(axis=1), np.arange(asymptote.size)
        return np.maximum(squares[row, place], 0.0), factor[row, place], exponents[place]

    return least_squares


def _best_around(profile: _Profile, grid: Floats) -> tuple[float, float]:
    """The best asymptote and its sum of squares, on finer and finer grids."""
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
    """The covariance of sizes over folds, shrunk to equal variances and correlations."""
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
