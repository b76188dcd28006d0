"""`feature_curve`: error against the number of features."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

from thresher._internal.arguments import (
    is_one_of,
    require_classifier,
    require_function,
    require_instance,
    require_level,
)
from thresher._internal.parallel import Progress
from thresher.errors import ArgumentError
from thresher.learning.validation.fit_and_score import problem_of
from thresher.learning.validation.folds import Folding, mean_test_share, splits_of
from thresher.learning.validation.learning_curve import SizeCurve, measure_curves, spaced_sizes
from thresher.learning.validation.scoring import MeasureLike, fold_metric, variance_factor

_MOST_SIZES = 12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FeatureCurve(SizeCurve):
    """Apparent and validation measure against features or another parameter.

    `sizes` are the numbers of features, or the values of `parameter`. `best` has the best mean on other rows, and
    `simplest` is the first that is within one corrected standard error of it.
    """

    best: Any
    simplest: Any
    parameter: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        plain = {"parameter": self.parameter, "best": self.best, "simplest": self.simplest}
        return SizeCurve.to_dict(self) | plain

    def _brief(self) -> str:
        value = self.validation.estimate[self.sizes.index(self.best)]
        return f"{self.measure}: {value:.4f} at {self.parameter} = {self.best}"


def feature_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    measure: MeasureLike = "error_rate",
    sizes: Sequence[Any] | None = None,
    selector: Callable[[int], Any] | None = None,
    parameter: str | None = None,
    folds: Folding = 5,
    groups: Any = None,
    times: Any = None,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FeatureCurve:
    """How a model fares with more features, or with more of any complexity.

    Features are selected on the training rows of each fold and never on test rows: selection on all rows makes
    even random features seem good.

    `sizes` are numbers of features, by default up to twelve in equal ratios. `selector` makes of such a number a
    transformer that selects as many, e.g. `lambda d: ScatterSelector(d, search="exact")`; by default the best single
    features by ANOVA's F. With the name of a `parameter` of the estimator, e.g. "max_depth", `sizes` are its values and
    nothing is selected. Other arguments are those of `learning_curve` and `cross_validate`.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(300) % 2 == 0
    >>> X = rng.normal(size=(300, 40))
    >>> X[:, :3] += y[:, None]
    >>> feature_curve(GaussianNB(), X, y, sizes=[1, 3, 10, 40])
    FeatureCurve(error_rate: 0.1867 at features = 3)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> feature_curve(tree, X, y, parameter="max_depth", sizes=[1, 3, 9]).apparent.estimate.round(2)
    array([0.28, 0.15, 0.  ])
    """
    require_level(level)
    require_classifier(estimator)
    require_function(selector, name="selector")
    if sizes is not None:
        require_instance(sizes, (Sequence, np.ndarray), name="sizes", fix="e.g. sizes=[1, 2, 5]")
    problem = problem_of(X, y, positive=positive, classes=classes, groups=groups, times=times)
    metric = fold_metric(measure, problem.target.several)
    splits = splits_of(folds, problem.target.labels, groups=groups, times=times, seed=seed)
    if parameter is None:
        asked, models = _by_features(estimator, X, sizes, selector)
    else:
        asked, models = _by_parameter(estimator, parameter, sizes, selector)
    tasks = [(model, problem, split.train, split.test) for model in models for split in splits]
    apparent, validation = measure_curves(tasks, splits, metric, level=level, n_jobs=n_jobs, progress=progress)
    loss = validation.estimate if metric.better == "lower" else -validation.estimate
    place, error = int(loss.argmin()), 0.0
    if len(splits) > 1:
        factor = variance_factor(len(splits), mean_test_share(splits))
        error = np.sqrt(factor * validation.per_fold[place].var(ddof=1))
    return FeatureCurve(
        sizes=tuple(asked),
        apparent=apparent,
        validation=validation,
        best=asked[place],
        simplest=asked[int(np.flatnonzero(loss <= loss[place] + error)[0])],
        measure=metric.name,
        parameter=parameter or "features",
        level=level,
    )


class BestSingle(SelectKBest):  # type: ignore[misc]
    """The k best single features by ANOVA's F, or all of them where a fold has fewer.

    >>> BestSingle(k=5).fit(np.array([[0.0, 1], [1, 1], [2, 1], [3, 1]]), [0, 0, 1, 1]).get_support().tolist()
    [True, True]
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Score every feature by itself."""
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.simplefilter("ignore", UserWarning)
            super().fit(X, y)
        return self


def _by_features(
    estimator: Any, X: Any, sizes: Sequence[Any] | None, selector: Callable[[int], Any] | None
) -> tuple[list[int], list[Any]]:
    features = int(X.shape[1]) if hasattr(X, "shape") else len(X[0])
    asked = spaced_sizes(1, features, min(_MOST_SIZES, features)).tolist() if sizes is None else list(sizes)
    integers = all(isinstance(size, int | np.integer) for size in asked)
    if not asked or not integers or min(asked) < 1 or max(asked) > features or asked != list(dict.fromkeys(asked)):
        what = f"sizes must be whole numbers from 1 to {features}, each once, got {asked}"
        raise ArgumentError(what, "e.g. [1, 2, 5]")
    numbers, select = [int(size) for size in asked], selector or (lambda size: BestSingle(k=size))
    return numbers, [make_pipeline(select(size), clone(estimator)) for size in numbers]


def _by_parameter(
    estimator: Any, parameter: str, values: Sequence[Any] | None, selector: Any
) -> tuple[list[Any], list[Any]]:
    if not values or selector is not None:
        what = f"the values of {parameter} go to sizes=, and there is nothing to select"
        raise ArgumentError(what, f"pass parameter={parameter!r}, sizes=[...] without a selector")
    known = estimator.get_params()
    if not is_one_of(parameter, known):
        raise ArgumentError(f"{type(estimator).__name__} has no parameter {parameter!r}", f"it has {', '.join(known)}")
    return list(values), [clone(estimator).set_params(**{parameter: value}) for value in values]
