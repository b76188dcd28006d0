"""Settings of a model, chosen by racing them on folds within its training rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils.validation import check_is_fitted

from thresher._internal.arguments import require_instance
from thresher.calibration import brier, calibration_map
from thresher.errors import ArgumentError
from thresher.inputs.matrix import segment
from thresher.inputs.rank import rank
from thresher.learning.models.calibrated import CalibratedModel
from thresher.learning.validation.fit_and_score import Problem, ScoredFold, fit_and_score
from thresher.learning.validation.folds import groups_and_times
from thresher.ranking import Floats, Ranking, Segments

Setting: TypeAlias = Mapping[str, Any]
Tuning: TypeAlias = "bool | Mapping[str, Any]"

USUAL: Setting = {}
# Few settings of each candidate, since each is a fit: on both sides of the usual one, which is tried first.
GRIDS: Mapping[str, Sequence[Setting]] = {
    "tree": ({"max_leaf_nodes": 4}, {"max_leaf_nodes": 8}, {"max_leaf_nodes": 48}),
    "logistic": ({"C": 0.01}, {"C": 0.1}, {"C": 10.0}),
    "naive bayes": ({"var_smoothing": 1e-3}, {"var_smoothing": 0.1}),
    "neighbours": ({"most": 5}, {"most": 30}, {"most": 60}),
    "forest": ({"min_samples_leaf": 8}, {"max_features": 0.5}),
    "boosting": ({"max_leaf_nodes": 4}, {"max_leaf_nodes": 8, "l2_regularization": 10.0}, {"learning_rate": 0.03}),
    "linear svm": ({"estimator__C": 0.01}, {"estimator__C": 0.1}, {"estimator__C": 10.0}),
    "xgboost": ({"xgbclassifier__max_depth": 2}, {"xgbclassifier__learning_rate": 0.05}),
    "lightgbm": ({"lgbmclassifier__num_leaves": 4}, {"lgbmclassifier__learning_rate": 0.03}),
}
_FEWEST_RACING = 2
_WITHIN = "estimator__model__"  # where a calibrated pipeline has the parameters of its model


@dataclass(frozen=True, slots=True)
class Race:
    """The setting that won, and how many fits it took to find it."""

    setting: Setting
    fits: int


def settings_to_try(tune: Tuning, models: Mapping[str, Any]) -> dict[str, tuple[Setting, ...]]:
    """Settings of each model that is tuned, the usual one first.

    >>> from sklearn.linear_model import LogisticRegression
    >>> settings_to_try({"mine": {"C": [0.1, 1]}}, {"mine": LogisticRegression()})
    {'mine': ({}, {'C': 0.1}, {'C': 1})}
    """
    require_instance(tune, (bool, Mapping), name="tune", fix='give True, or e.g. tune={"logistic": {"C": [0.1, 10]}}')
    if isinstance(tune, bool):
        return {name: (USUAL, *GRIDS[name]) for name in models if tune and name in GRIDS}
    settings = {}
    for name, grid in tune.items():
        if name not in models:
            raise ArgumentError(f"tune names {name!r}, which is not compared", f"name some of {', '.join(models)}")
        settings[name] = (USUAL, *_grid(name, grid, models[name]))
    return settings


def _grid(name: str, grid: Any, model: Any) -> Iterable[Setting]:
    """The settings of scikit-learn's grid, of parameters that the model has."""
    example = f'e.g. tune={{{name!r}: {{"C": [0.1, 10]}}}}'
    try:
        settings = tuple(ParameterGrid(grid))
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"the settings of {name!r} are no grid: {error}", f"give {example}") from None
    if not any(settings):
        raise ArgumentError(f"there are no settings of {name!r} to try", f"give {example}")
    known = model.get_params()
    if unknown := [each for setting in settings for each in setting if each not in known]:
        raise ArgumentError(f"{name!r} has no parameter {unknown[0]!r}", f"it has {', '.join(known)}")
    return settings


def race_settings(
    model: CalibratedModel, settings: Sequence[Setting], X: Any, y: Any, *, groups: Any = None, times: Any = None
) -> Race:
    """The setting with the least Brier score on folds within these rows.

    All are fitted on the first fold, the better half of them on the next, and the last two on every fold (successive
    halving, Jamieson & Talwalkar 2016, with folds as the resource). Scores are compared as they are used, that is
    calibrated: by Platt's map, of several classes by a temperature. Of equal settings the earlier wins.
    """
    splits, target = model.folds_within(X, y, groups=groups, times=times)
    problem = Problem(X, target, None, groups_and_times(groups, times, rows=target.labels.size))
    racing: dict[int, list[ScoredFold]] = {place: [] for place in range(len(settings))}
    fits = 0
    for done, split in enumerate(splits, start=1):
        for place in racing:
            pipeline = model_with(model, settings[place]).estimator
            racing[place] += fit_and_score(pipeline, problem, split.train, [split.test], predict=False)
            fits += 1
        losses = {place: _loss(folds) for place, folds in racing.items()}
        left = 1 if done == len(splits) else max(_FEWEST_RACING, len(racing) // 2)
        best = sorted(losses, key=lambda place: (losses[place], place))[:left]
        racing = {place: racing[place] for place in sorted(best)}
    return Race(settings[next(iter(racing))], fits)


def race_fits(settings: int, folds: int = 3) -> int:
    """How many fits a race of so many settings takes.

    >>> race_fits(4), race_fits(3)
    (8, 7)
    """
    fits = 0
    for _ in range(folds):
        fits += settings
        settings = min(settings, max(_FEWEST_RACING, settings // 2))
    return fits


def model_with(model: CalibratedModel, setting: Setting) -> CalibratedModel:
    """A copy of a calibrated pipeline with these parameters of its model."""
    parameters = {f"{_WITHIN}{name}": value for name, value in setting.items()}
    copy: CalibratedModel = clone(model).set_params(**parameters)
    return copy


def _loss(folds: Sequence[ScoredFold]) -> float:
    """The Brier score of calibrated scores of all rows so far."""
    labels, scores = (np.concatenate([getattr(fold, name) for fold in folds]) for name in ("labels", "score"))
    if folds[0].classes is not None:
        counted = segment(labels, scores, classes=folds[0].classes)
        cooled = calibration_map(counted, method="temperature")(counted.probability)
        return brier(Segments(cooled, counted.counts, classes=counted.classes))
    ranked = rank(labels, scores)
    curve = calibration_map(ranked, method="platt", targets="platt")
    return brier(Ranking(curve(ranked.score), ranked.pos, ranked.neg))


@dataclass(eq=False, repr=False)
class TunedModel(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A calibrated pipeline that chooses the settings of its model in `fit`.

    So in cross-validation settings are chosen within the training rows of each fold, and no fold is judged by settings
    that it helped to choose.
    """

    estimator: CalibratedModel
    _: KW_ONLY
    settings: Sequence[Setting] = (USUAL,)

    makes_folds = True  # so that `route` passes groups and times

    def fit(self, X: Any, y: Any, *, groups: Any = None, times: Any = None) -> Self:
        """Race the settings, and fit the calibrated model with the one that wins."""
        self.race_ = race_settings(self.estimator, self.settings, X, y, groups=groups, times=times)
        self.model_ = model_with(self.estimator, self.race_.setting).fit(X, y, groups=groups, times=times)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The more probable label of each row."""
        check_is_fitted(self)
        return self.model_.predict(X)

    def predict_proba(self, X: Any) -> Floats:
        """Calibrated probabilities, one column per label in the order of `classes_`."""
        check_is_fitted(self)
        return self.model_.predict_proba(X)

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, in order."""
        return self.model_.classes_

    @property
    def positive_(self) -> Any:
        """The positive label, None where no class is."""
        return self.model_.positive_

    @property
    def calibrated_(self) -> Ranking | Segments:
        """Training rows by calibrated out-of-fold scores at the chosen settings."""
        return self.model_.calibrated_
