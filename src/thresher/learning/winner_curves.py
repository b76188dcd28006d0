"""The winner's expected cost against training rows, and against features."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from thresher.cautions import Caution
from thresher.errors import ThresherError
from thresher.inputs.arrow import Column
from thresher.learning.models.calibrated import CalibratedModel
from thresher.learning.validation.feature_curve import BestSingle, FeatureCurve, feature_curve
from thresher.learning.validation.folds import Folding
from thresher.learning.validation.learning_curve import LearningCurve, learning_curve, spaced_sizes
from thresher.learning.validation.scoring import fold_metric
from thresher.ranking import Floats
from thresher.tables import OperatingCondition

Curve = TypeVar("Curve")

# As few points as an asymptote needs, since every one is a fit in each fold; `learning_curve` and `feature_curve` draw
# finer curves.
_ROWS, _FEATURES, _FEATURE_FOLDS = 4, 4, 3


class WinnerCurves(NamedTuple):
    """The curves that could be drawn, and a caution for each that could not."""

    rows: LearningCurve | None = None
    features: FeatureCurve | None = None
    cautions: tuple[Caution, ...] = ()


def winner_curves(
    model: CalibratedModel,
    X: Any,
    y: Any,
    *,
    decide: Callable[[Floats], Column],
    condition: OperatingCondition,
    folds: Folding,
    stage: Callable[[str], None],
    **options: Any,
) -> WinnerCurves:
    """The expected cost against training rows, and against the best single features.

    `decide` says what is predicted by scores. `model` is a calibrated pipeline of a preparation and a classifier, so
    that features are prepared and selected on the training rows of each fold; `options` are those of the curves. A
    curve for which there are too few rows is left out, with a caution.
    """
    cost = fold_metric(condition, options.get("classes"))
    options["measure"] = replace(cost, read=lambda fold: cost(replace(fold, predicted=decide(fold.score))))
    cautions: list[Caution] = []

    def attempt(name: str, draw: Callable[[], Curve]) -> Curve | None:
        stage(name)
        try:
            with warnings.catch_warnings():
                # Parts of few rows lack categories and do not converge, which says nothing of the model deployed.
                warnings.simplefilter("ignore", UserWarning)
                return draw()
        except ValueError as error:  # what scikit-learn refuses, and every ThresherError
            reason = error.what if isinstance(error, ThresherError) else str(error).strip().partition("\n")[0]
            cautions.append(Caution("no-curve", f"there is no {name}: {reason}"))
            return None

    rows = attempt("learning curve", lambda: learning_curve(model, X, y, points=_ROWS, folds=folds, **options))
    few = min(folds, _FEATURE_FOLDS) if isinstance(folds, int) else folds
    features = attempt("feature curve", lambda: _by_features(model, X, y, folds=few, **options))
    return WinnerCurves(rows, features, tuple(cautions))


def _by_features(model: CalibratedModel, X: Any, y: Any, **options: Any) -> FeatureCurve:
    prepare, classifier = model.estimator.steps
    features = clone(prepare[1]).fit(X, y).get_feature_names_out().size
    selecting = clone(model).set_params(estimator=Pipeline([prepare, ("select", BestSingle()), classifier]))
    sizes = spaced_sizes(1, features, min(_FEATURES, features)).tolist()
    curve = feature_curve(selecting, X, y, parameter="estimator__select__k", sizes=sizes, **options)
    return replace(curve, parameter="features")
