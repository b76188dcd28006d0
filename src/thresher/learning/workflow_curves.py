"""The winner's curves: what more rows and what more features would bring, at the threshold decided for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from thresher.cautions import Caution
from thresher.choices import OperatingCondition
from thresher.errors import ThresherError
from thresher.inference.resampling import Progress
from thresher.learning.calibrated_model import CalibratedModel
from thresher.learning.feature_curve import BestSingle, FeatureCurve, feature_curve, spaced_sizes
from thresher.learning.folds import Folding
from thresher.learning.learning_curve import LearningCurve, learning_curve
from thresher.learning.yardstick import Yardstick, yardstick
from thresher.ranking import reaches

Curve = TypeVar("Curve")

_HOW_MANY = "estimator__select__k"
# As few points as an asymptote needs, since every one is a fit in each fold; `learning_curve` and `feature_curve` draw
# finer curves.
_ROWS, _FEATURES, _FEATURE_FOLDS = 4, 4, 3


@dataclass(frozen=True, slots=True, eq=False)
class WinnerCurves:
    """The curves that could be drawn, and a caution for each that could not."""

    rows: LearningCurve | None = None
    features: FeatureCurve | None = None
    cautions: tuple[Caution, ...] = ()


def winner_curves(
    model: CalibratedModel,
    X: Any,
    y: Any,
    *,
    threshold: float,
    condition: OperatingCondition,
    folds: Folding,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    stage: Callable[[str], None],
    progress: Progress | None = None,
    **beside: Any,
) -> WinnerCurves:
    """The expected cost against training rows and against prepared features, the best single ones first.

    `model` is a calibrated pipeline of a preparation and a classifier, so that features are prepared and selected
    on the training rows of each fold; `beside` holds groups or times. A few points each, and the second on three
    folds: they are to show whether more is worth asking for. Small parts of few rows may be more than a model or
    its calibration can learn from; a curve that fails for it is left out, with a caution.

    >>> import pandas as pd
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning import column_types, preparation
    >>> X = pd.DataFrame({"age": [*range(20, 40)] * 2, "town": ["Oslo", "Rome"] * 20})
    >>> steps = Pipeline([("prepare", preparation(column_types(X))), ("model", GaussianNB())])
    >>> asked = {"threshold": 0.5, "condition": OperatingCondition(), "folds": 2, "stage": print}
    >>> found = winner_curves(CalibratedModel(steps, method="platt", cv=2), X, X["age"] >= 30, **asked)
    learning curve
    feature curve
    >>> found.features.sizes, found.rows.measure
    ((1, 2, 3), 'expected_cost')
    """
    measure = _at_threshold(condition, threshold)
    given = {"measure": measure, "level": level, "seed": seed, "n_jobs": n_jobs, "progress": progress, **beside}
    cautions: list[Caution] = []

    def drawn(name: str, draw: Callable[[], Curve]) -> Curve | None:
        stage(name)
        try:
            with warnings.catch_warnings():
                # Parts of few rows lack categories and do not converge, which says nothing of the model deployed.
                warnings.simplefilter("ignore", UserWarning)
                return draw()
        except ValueError as error:  # what scikit-learn refuses, and every ThresherError
            cautions.append(_undrawn(name, error))
            return None

    rows = drawn("learning curve", lambda: learning_curve(model, X, y, points=_ROWS, folds=folds, **given))
    few = min(folds, _FEATURE_FOLDS) if isinstance(folds, int) else folds
    features = drawn("feature curve", lambda: _by_features(model, X, y, folds=few, **given))
    return WinnerCurves(rows, features, tuple(cautions))


def _by_features(model: CalibratedModel, X: Any, y: Any, **given: Any) -> FeatureCurve:
    prepare, classifier = model.estimator.steps
    features = clone(prepare[1]).fit(X, y).get_feature_names_out().size
    selecting = clone(model).set_params(estimator=Pipeline([prepare, ("select", BestSingle()), classifier]))
    sizes = spaced_sizes(features, most=_FEATURES)
    found = feature_curve(selecting, X, y, parameter=_HOW_MANY, sizes=sizes, **given)
    return replace(found, parameter="features")


def _undrawn(name: str, error: ValueError) -> Caution:
    reason = error.what if isinstance(error, ThresherError) else str(error).strip().partition("\n")[0]
    return Caution("no-curve", f"there is no {name}: {reason}")


def _at_threshold(condition: OperatingCondition, threshold: float) -> Yardstick:
    """The expected cost of calling rows positive whose score reaches a threshold."""
    cost = yardstick(condition)
    return replace(cost, of=lambda fold: cost.of(replace(fold, called=reaches(fold.score, threshold))))
