"""`study`: estimates of a model's error next to the exact truth, in a known world."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import clone

from thresher._internal.arguments import (
    as_number,
    require_classifier,
    require_instance,
    require_integer,
    require_level,
    require_one_of,
    require_seed,
)
from thresher._internal.parallel import Progress
from thresher._internal.results import Tabular
from thresher._internal.text import interval_text, number_text
from thresher.errors import ArgumentError, argument
from thresher.evaluation.summary import text_table
from thresher.inference import Interval
from thresher.inference.interval import student_quantile
from thresher.laboratory import Cells, Gaussians, Sample
from thresher.learning.validation.fit_and_score import in_parallel
from thresher.learning.validation.learning_curve import spaced_sizes
from thresher.ranking import Floats, Indices

Over: TypeAlias = Literal["rows", "folds", "split", "noise", "features", "mix"]
World: TypeAlias = Gaussians | Cells
TRUE, APPARENT, VALIDATED, TESTED = "true", "apparent", "cross-validated", "tested"
ALL_ROWS, CLEAN = "true, all rows", "true, clean labels"
# What each study measures, in the order of its curves.
_CURVES: dict[str, tuple[str, ...]] = {
    "rows": (APPARENT, VALIDATED, TRUE),
    "folds": (VALIDATED, TRUE),
    "split": (TESTED, TRUE, ALL_ROWS),
    "noise": (APPARENT, VALIDATED, TRUE, CLEAN),
    "features": (APPARENT, VALIDATED, TRUE),
    "mix": (APPARENT, VALIDATED, TRUE),
}
_PARAMETERS = {
    "rows": "rows learnt from",
    "folds": "folds",
    "split": "share of rows learnt from",
    "noise": "share of labels that are wrong",
    "features": "features",
    "mix": "share of positives",
}
_VALUES: dict[str, tuple[float, ...]] = {
    "rows": (10, 20, 40, 80, 160, 320),
    "folds": (2, 3, 5, 10, 20),
    "split": (0.5, 0.6, 0.7, 0.8, 0.9),
    "noise": (0.0, 0.1, 0.2, 0.3, 0.4),
    "mix": (0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
}
_FEATURES = 8


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StudyCurve(Tabular):
    """Means over replicates with limits, and how far single replicates vary.

    `deviation` is the standard deviation over replicates: a user has one of them. `per_replicate` has a row per value.
    """

    sizes: Floats | Indices
    estimate: Floats
    lower: Floats
    upper: Floats
    deviation: Floats
    per_replicate: Floats
    measure: str = "error_rate"

    @classmethod
    def of(cls, values: Floats | Indices, per_replicate: Floats, *, error: Any = 0.0, level: float) -> Self:
        """Means with Student's limits, widened by the numerical error of truths."""
        replicates = per_replicate.shape[1]
        mean, deviation = per_replicate.mean(axis=1), per_replicate.std(axis=1, ddof=1)
        half = student_quantile(level, replicates - 1) * deviation / math.sqrt(replicates) + error
        columns = mean, mean - half, mean + half, deviation, per_replicate
        for column in columns:
            column.flags.writeable = False
        return cls(values, *columns)

    def _columns(self) -> Mapping[str, Any]:
        names = ("estimate", "lower", "upper", "deviation")
        return {"value": self.sizes, **{name: getattr(self, name) for name in names}}

    def _brief(self) -> str:
        return f"{self.estimate.size} values, {self.per_replicate.shape[1]:,} replicates"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Study(Tabular):
    """Estimates of a model's error, its true error and the Bayes error, by value.

    `curves` are named: "apparent" on the rows learnt from, "cross-validated", "tested" on rows put aside, and "true".
    Of a split, "true" is the error of the model that was tested, and "true, all rows" that of the model to deploy; of
    noise, "true" counts noisy labels, as every estimate must, and "true, clean labels" the right ones.
    `bayes` has what no model can better, a value each.
    """

    over: Over
    values: Floats | Indices
    curves: Mapping[str, StudyCurve]
    bayes: tuple[Interval, ...]
    replicates: int
    level: float

    @property
    def parameter(self) -> str:
        """What the values are, in words."""
        return _PARAMETERS[self.over]

    def difference(self, name: str, other: str = TRUE) -> StudyCurve:
        """One curve minus another, replicate by replicate: the bias of an estimate."""
        for each in (name, other):
            require_one_of(each, self.curves, name="name", fix=f"the curves are {', '.join(self.curves)}")
        one, two = self.curves[name], self.curves[other]
        return StudyCurve.of(self.values, one.per_replicate - two.per_replicate, level=self.level)

    def rmse(self, name: str, other: str = TRUE) -> Floats:
        """How far a single estimate lies from the truth, as a root mean square."""
        return np.asarray(np.sqrt((self.difference(name, other).per_replicate ** 2).mean(axis=1)))

    def summary(self) -> str:
        """A table of the curves, with limits of the means over replicates."""
        rows = [[self.parameter, *self.curves, "Bayes"]]
        for i, (value, bayes) in enumerate(zip(self.values.tolist(), self.bayes, strict=True)):
            means = ((each.estimate[i], each.lower[i], each.upper[i]) for each in self.curves.values())
            rows.append([f"{value:g}", *(interval_text(*mean) for mean in means), number_text(bayes.estimate)])
        return text_table(rows)

    def __str__(self) -> str:
        return self.summary()

    def _brief(self) -> str:
        return f"{', '.join(self.curves)} error over {self.parameter}, {self.replicates:,} replicates"

    def _columns(self) -> Mapping[str, Any]:
        names = ("estimate", "lower", "upper", "deviation")
        bayes = [each.estimate for each in self.bayes]
        return {
            "curve": np.repeat([*self.curves], len(self.values)),
            "value": np.tile(self.values, len(self.curves)),
            **{name: np.concatenate([getattr(curve, name) for curve in self.curves.values()]) for name in names},
            "bayes": bayes * len(self.curves),
        }


def study(
    world: World,
    model: Any,
    over: Over = "rows",
    values: Sequence[float] | None = None,
    *,
    rows: int = 100,
    folds: int = 5,
    replicates: int = 50,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Study:
    """What estimates say of a model, and what is true, in a world of known truth.

    Each replicate draws rows, fits the model, estimates its error, and asks the world for the true one, by a formula
    for linear models. Limits are those of the mean over replicates. Replicates draw alike for every value, so that
    they compare in pairs. Where a training part has one class only, the model that says this class takes its place.

    Parameters
    ----------
    world, model
        `Gaussians` or `Cells`, and any classifier of scikit-learn's kind.
    over
        What varies: "rows" (the learning curve), "folds" (the K of cross-validation), "split" (the share of rows learnt
        from), "noise" (the share of wrong labels), "features" (the first so many, of `Gaussians`), or "mix" (the share
        of positives).
    values
        The values to try, rising.
    rows, folds
        How many rows are drawn and how many folds validate, unless these vary.
    replicates, seed
        How often rows are drawn, and what with.

    Examples
    --------
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> world = Gaussians([[-1] + [0] * 9, [1] + [0] * 9])
    >>> by_folds = study(world, LinearDiscriminantAnalysis(), over="folds", values=[2, 10], rows=40)
    >>> (by_folds.difference("cross-validated").estimate > 0.03).tolist()  # fewer folds learn from fewer rows
    [True, False]
    """
    require_instance(world, (Gaussians, Cells), name="world", fix="give e.g. Gaussians([[-1], [1]])")
    require_classifier(model)
    require_one_of(over, _CURVES, name="over")
    require_level(level)
    rows = require_integer(rows, name="rows", least=4, most=10**7, fix="e.g. rows=100")
    folds = require_integer(folds, name="folds", least=2, most=10**4, fix="e.g. folds=5")
    replicates = require_integer(replicates, name="replicates", least=2, most=10**6, fix="e.g. replicates=50")
    points = _values(world, over, values, rows=rows, folds=folds)
    worlds = [_world(world, over, value) for value in points.tolist()]
    work = partial(_replicate, worlds, model, over, points, rows=rows, folds=folds)
    tasks = [([require_seed(seed), number],) for number in range(replicates)]
    drawn = np.array(in_parallel(work, tasks, n_jobs=n_jobs, progress=progress))  # replicate, value, curve, part
    curves = {
        name: StudyCurve.of(points, drawn[:, :, i, 0].T.copy(), error=drawn[:, :, i, 1].mean(axis=0), level=level)
        for i, name in enumerate(_CURVES[over])
    }
    bayes = [world.bayes_error] * len(worlds) if over in ("rows", "folds", "split") else [w.bayes_error for w in worlds]
    return Study(over, points, curves, tuple(bayes), replicates, level)


class _Constant:
    """The model that says one class."""

    def __init__(self, label: Any) -> None:
        self.label = label

    def predict(self, X: Any) -> Indices:
        """That class for every row."""
        return np.full(len(X), self.label, dtype=np.int64)


def _replicate(
    worlds: Sequence[World], model: Any, over: Over, points: Any, seed: list[int], *, rows: int, folds: int
) -> list[list[tuple[float, float]]]:
    """The numbers of one replicate, with their numerical errors, by value and curve."""
    most = int(points[-1]) if over == "rows" else rows

    def draw(world: World) -> Sample:
        return world.sample(most, np.random.default_rng(seed))

    if over == "folds":
        sample = draw(worlds[0])
        true = _truth(worlds[0], _fit(model, sample.X, sample.labels))
        return [[(_cross_validated(model, sample.X, sample.labels, k), 0.0), true] for k in points.tolist()]
    if over == "split":
        sample = draw(worlds[0])
        deployed = _truth(worlds[0], _fit(model, sample.X, sample.labels))
        return [[*_split(worlds[0], model, sample, share), deployed] for share in points.tolist()]
    results = []
    for value, world in zip(points.tolist(), worlds, strict=True):
        sample, n = draw(world), value if over == "rows" else rows
        X, y = sample.X[:n], sample.labels[:n]
        fitted = _fit(model, X, y)
        numbers = [(_error(fitted, X, y), 0.0), (_cross_validated(model, X, y, folds), 0.0), _truth(world, fitted)]
        if over == "noise":
            numbers.append(_truth(worlds[0], fitted))
        results.append(numbers)
    return results


def _split(world: World, model: Any, sample: Sample, share: float) -> Iterator[tuple[float, float]]:
    """The error on the rows put aside, and the true one of the model tested."""
    size = round(share * len(sample))
    fitted = _fit(model, sample.X[:size], sample.labels[:size])
    yield _error(fitted, sample.X[size:], sample.labels[size:]), 0.0
    yield _truth(world, fitted)


def _cross_validated(model: Any, X: Floats, y: Indices, folds: int) -> float:
    """The share of rows that models of other folds get wrong."""
    wrong = 0
    for test in np.array_split(np.arange(y.size), folds):  # rows come in random order
        train = np.ones(y.size, dtype=np.bool_)
        train[test] = False
        wrong += int((_fit(model, X[train], y[train]).predict(X[test]) != y[test]).sum())
    return wrong / y.size


def _fit(model: Any, X: Floats, y: Indices) -> Any:
    return clone(model).fit(X, y) if np.ptp(y) else _Constant(y[0])


def _error(fitted: Any, X: Floats, y: Indices) -> float:
    return float((fitted.predict(X) != y).mean())


def _truth(world: World, fitted: Any) -> tuple[float, float]:
    """The true error, and how far it may be off."""
    true = world.true_error(fitted)
    return true.estimate, true.width / 2


def _world(world: World, over: Over, value: Any) -> World:
    """The world that rows are drawn from at a value."""
    if over == "noise":
        return world.noisy(value)
    if over == "mix":
        return world.with_prevalence(value)
    return world.marginal(value) if over == "features" and isinstance(world, Gaussians) else world


def _values(world: World, over: Over, values: Sequence[float] | None, *, rows: int, folds: int) -> Any:
    """Rising values within their limits; whole numbers where they count something."""
    if over == "features" and not isinstance(world, Gaussians):
        raise ArgumentError("rows of `Cells` have one feature, their cell", "give a world of Gaussians")
    features = world.means.shape[1] if isinstance(world, Gaussians) else 1
    limits: dict[str, tuple[float, float, Callable[[Any], bool]]] = {
        "rows": (folds, 10**7, _is_integer),
        "folds": (2, rows, _is_integer),
        "split": (2 / rows, 1 - 1 / rows, math.isfinite),
        "noise": (0, 0.99, math.isfinite),
        "features": (1, features, _is_integer),
        "mix": (1e-6, 1 - 1e-6, math.isfinite),
    }
    least, most, fits = limits[over]
    if values is None:
        known = spaced_sizes(1, features, _FEATURES).tolist() if over == "features" else list(_VALUES[over])
        return np.array([value for value in known if least <= value <= most])
    kind = "whole numbers" if fits is _is_integer else "numbers"
    fix = f"give e.g. {argument('values', list(_VALUES.get(over, (1, 2, 3))[:3]))}"
    numbers = [as_number(value) for value in np.ravel(np.asarray(values, dtype=object)).tolist()]
    if not numbers or not all(map(fits, numbers)) or not all(a < b for a, b in pairwise(numbers)):
        raise ArgumentError(f"{argument('values')} must be rising {kind}, got {values!r}", fix, parameter="values")
    if numbers[0] < least or numbers[-1] > most:
        what = f"{_PARAMETERS[over]} must lie from {least:g} to {most:g}, got {numbers[0]:g} to {numbers[-1]:g}"
        raise ArgumentError(what, fix, parameter="values")
    return np.array(numbers, dtype=np.intp if fits is _is_integer else np.float64)


def _is_integer(value: Any) -> bool:
    return math.isfinite(value) and float(value).is_integer()
