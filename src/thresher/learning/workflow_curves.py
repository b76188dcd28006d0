"""The winner's curves: what more rows and what more features would bring, at the threshold decided for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline

from thresher.choices import OperatingCondition
from thresher.inference.resampling import Progress
from thresher.learning.calibrated_model import CalibratedModel
from thresher.learning.feature_curve import BestSingle, FeatureCurve, feature_curve, spaced_sizes
from thresher.learning.folds import Folding
from thresher.learning.learning_curve import LearningCurve, learning_curve

_HOW_MANY = "estimator__estimator__select__k"


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
) -> tuple[LearningCurve, FeatureCurve]:
    """The expected cost against training rows and against prepared features, the best single ones first.

    `model` is a calibrated pipeline of a preparation and a classifier, so that features are prepared and selected
    on the training rows of each fold; `beside` holds groups or times.

    >>> import pandas as pd
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning import column_types, preparation
    >>> X = pd.DataFrame({"age": [*range(20, 40)] * 2, "town": ["Oslo", "Rome"] * 20})
    >>> steps = Pipeline([("prepare", preparation(column_types(X))), ("model", GaussianNB())])
    >>> asked = {"threshold": 0.5, "condition": OperatingCondition(), "folds": 2, "stage": print}
    >>> rows, features = winner_curves(CalibratedModel(steps, method="platt", cv=2), X, X["age"] >= 30, **asked)
    learning curve
    feature curve
    >>> features.sizes, rows.measure
    ((1, 2, 3), 'expected_cost')
    """
    prepare, classifier = model.estimator.steps
    features = clone(prepare[1]).fit(X, y).get_feature_names_out().size
    selecting = clone(model).set_params(estimator=Pipeline([prepare, ("select", BestSingle()), classifier]))
    given = {"measure": condition, "folds": folds, "level": level, "seed": seed, "n_jobs": n_jobs, **beside}
    stage("learning curve")
    rows = learning_curve(_decided(model, threshold), X, y, progress=progress, **given)
    stage("feature curve")
    sizes = spaced_sizes(features)
    columns = feature_curve(
        _decided(selecting, threshold), X, y, parameter=_HOW_MANY, sizes=sizes, progress=progress, **given
    )
    return rows, replace(columns, parameter="features")


def _decided(model: CalibratedModel, threshold: float) -> FixedThresholdClassifier:
    return FixedThresholdClassifier(model, threshold=threshold, pos_label=True, response_method="predict_proba")
