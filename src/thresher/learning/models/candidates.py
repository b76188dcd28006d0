"""Candidate models to try on any table, and the baselines they must beat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher._internal.arguments import is_one_of, require_classifier, require_instance, require_integer, require_seed
from thresher.cautions import Caution
from thresher.errors import ArgumentError
from thresher.learning.data.target import class_labels
from thresher.learning.models.calibrated import CalibratedModel, Calibration
from thresher.learning.validation.cross_validate import CrossValidation
from thresher.ranking import Floats, Ranking, Segments

MAJORITY = "majority class"
ONE_FEATURE = "one-feature rule"
# From the least to explain to the most: no feature, one, a weight each, a small tree, the data themselves, many trees.
SIMPLEST_FIRST = (
    *(MAJORITY, ONE_FEATURE, "logistic", "naive bayes", "linear svm", "tree", "neighbours", "forest", "boosting"),
    *("xgboost", "lightgbm"),
)


class _InnerModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that asks `model_`, fitted on what `_rows` returns."""

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class that the inner model predicts."""
        rows = self._rows(X)
        return np.asarray(self.model_.predict(rows))

    def predict_proba(self, X: Any) -> Floats:
        """The class mix among the neighbours, or among rows with the same answer."""
        rows = self._rows(X)
        return np.asarray(self.model_.predict_proba(rows))

    def _rows(self, X: Any) -> npt.NDArray[Any]:
        check_is_fitted(self)
        return validate_data(self, X, reset=False)


class Neighbours(_InnerModel):
    """scikit-learn's nearest neighbours, `most` of them or as many as there are rows.

    >>> model = Neighbours(15).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.model_.n_neighbors, model.predict_proba([[0.0]]).tolist()
    (4, [[0.5, 0.5]])
    """

    def __init__(self, most: int = 15) -> None:
        self.most = most

    def fit(self, X: Any, y: Any) -> Self:
        """Store the rows."""
        most = require_integer(self.most, name="most", least=1, fix="e.g. Neighbours(15)")
        rows, labels = validate_data(self, X), class_labels(y)
        self.X_, self.y_ = rows, labels
        self._store(min(most, len(rows)))
        return self

    def _store(self, neighbours: int) -> None:
        self.model_ = KNeighborsClassifier(neighbours).fit(self.X_, self.y_)
        self.classes_ = self.model_.classes_

    def __getstate__(self) -> dict[str, Any]:
        """The rows without their search tree, which is built again from them."""
        state = dict(super().__getstate__())
        return {name: value for name, value in state.items() if name not in ("model_", "classes_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "X_"):
            self._store(min(self.most, len(self.X_)))


class OneFeatureRule(_InnerModel):
    """A few questions about the one feature that best separates the training rows.

    It has at most so many `leaves`, by default three or one per class; `random_state` decides between features that
    separate equally well.

    >>> rule = OneFeatureRule().fit([[0, 5], [1, 5], [2, 5], [3, 6]], [0, 0, 1, 1])
    >>> rule.feature_, rule.predict([[0, 9], [3, 0]]).tolist()
    (0, [0, 1])
    """

    def __init__(self, *, leaves: int | None = None, random_state: int | None = 0) -> None:
        self.leaves = leaves
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the feature with one question, then ask it again."""
        rows, labels = validate_data(self, X), class_labels(y)
        stump = DecisionTreeClassifier(max_depth=1, random_state=self.random_state)
        stump.fit(rows, labels, sample_weight=sample_weight)
        self.feature_ = max(int(stump.tree_.feature[0]), 0)  # no feature separates anything: any will do
        leaves = max(3, stump.classes_.size) if self.leaves is None else self.leaves
        rule = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=self.random_state)
        self.model_ = rule.fit(rows[:, [self.feature_]], labels, sample_weight=sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one feature is not meant to do well
        return tags

    def _rows(self, X: Any) -> npt.NDArray[Any]:
        return super()._rows(X)[:, [self.feature_]]


def candidate_models(*, seed: int = 0, classes: int = 2) -> dict[str, Any]:
    """Classifiers to try on any table, by name.

    Each is meant for prepared, scaled numbers. The linear SVM has no probabilities and gets them by Platt's map, of
    more than two classes by Dirichlet calibration of its softmaxed margins. XGBoost and LightGBM are added where they
    are installed.

    >>> list(candidate_models())[:7]
    ['tree', 'logistic', 'naive bayes', 'neighbours', 'forest', 'boosting', 'linear svm']
    """
    of_margins: Calibration = "platt" if classes == 2 else "dirichlet"
    models: dict[str, Any] = {
        "tree": DecisionTreeClassifier(max_leaf_nodes=16, min_samples_leaf=5, random_state=seed),
        "logistic": LogisticRegression(max_iter=2000),
        "naive bayes": GaussianNB(),
        "neighbours": Neighbours(15),
        "forest": RandomForestClassifier(n_estimators=200, min_samples_leaf=2, random_state=seed),
        "boosting": HistGradientBoostingClassifier(early_stopping=False, max_iter=100, random_state=seed),
        "linear svm": CalibratedModel(LinearSVC(random_state=seed, max_iter=5000), method=of_margins, cv=3),
    }
    # How many fits run at once is for learn to say, not for each of them.
    if find_spec("xgboost") is not None:
        models["xgboost"] = _nameless(import_module("xgboost").XGBClassifier(random_state=seed, n_jobs=1))
    if find_spec("lightgbm") is not None:
        boosting = import_module("lightgbm").LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)
        models["lightgbm"] = _nameless(boosting)
    return models


def models_to_compare(
    wanted: Sequence[str] | Mapping[str, Any] | None, *, seed: int = 0, classes: int = 2
) -> dict[str, Any]:
    """All candidates, some by name, or those of a mapping; always with the baselines.

    In a mapping, None stands for the candidate of that name.
    """
    known = candidate_models(seed=require_seed(seed), classes=classes)
    if wanted is None:
        wanted = list(known)
    fix = f"name some of {', '.join(known)}, or give a mapping of names to classifiers"
    require_instance(wanted, (str, Sequence, Mapping), name="models", fix=fix)
    names = [wanted] if isinstance(wanted, str) else wanted
    models = {}
    for name, model in names.items() if isinstance(names, Mapping) else ((name, None) for name in names):
        if model is None and not is_one_of(name, known):
            raise ArgumentError(f"there is no model {name!r} among the candidates", f"there are {', '.join(known)}")
        models[name] = known[name] if model is None else model
    always = baselines(seed=seed)
    if taken := [name for name in models if name in always]:
        raise ArgumentError(f"{taken[0]!r} is the name of a baseline", "call the model something else")
    for name, model in models.items():
        require_instance(name, str, name="the name of a model", fix="name it by text")
        require_classifier(model)
    if not models:
        raise ArgumentError("there are no models to try", f"name some of {', '.join(known)}")
    return models | always


def order_of_preference(prefer: str | None, names: Sequence[str]) -> list[str] | None:
    """Models in order of preference: a name, "first" in their order, or "simplest".

    >>> order_of_preference("simplest", ["forest", "ours", "logistic", "majority class"])
    ['majority class', 'logistic', 'forest', 'ours']
    """
    if prefer is None:
        return None
    if is_one_of(prefer, names):
        return [prefer]
    if prefer == "first":
        return list(names)
    if prefer == "simplest":
        return [*(name for name in SIMPLEST_FIRST if name in names), *(n for n in names if n not in SIMPLEST_FIRST)]
    fix = f'give "simplest", "first" or a model: {", ".join(names)}'
    raise ArgumentError(f"prefer={prefer!r} names no model", fix)


def baselines(*, seed: int = 0) -> dict[str, Any]:
    """Models for every comparison: the majority class, and a rule on one feature.

    Two questions about one feature are hard to beat on many tables (Holte 1993).

    >>> list(baselines())
    ['majority class', 'one-feature rule']
    """
    return {MAJORITY: DummyClassifier(strategy="prior"), ONE_FEATURE: OneFeatureRule(random_state=seed)}


def merge_majority_scores(cv: CrossValidation) -> CrossValidation:
    """Out-of-fold scores in which the majority class gives every row the same score.

    Its score is the class mix of its training rows, which is lower the more positives are in the fold left out:
    pooled, such scores would rank rows the wrong way round by chance alone.
    """
    score = cv.scores[MAJORITY]
    same = score.mean(axis=0)
    within = tuple(_with_one_score(ranked, same) for ranked in cv.within.get(MAJORITY, ()))
    return replace(
        cv,
        scores={**cv.scores, MAJORITY: np.broadcast_to(same, score.shape).copy()},
        within={**cv.within, MAJORITY: within} if within else cv.within,
    )


def _with_one_score(rows: Ranking | Segments, score: Any) -> Ranking | Segments:
    if isinstance(rows, Ranking):
        return Ranking([score], [rows.Pos], [rows.Neg])
    return Segments([score], [rows.cases], classes=rows.classes)


def drop_majority_caution(cautions: tuple[Caution, ...]) -> tuple[Caution, ...]:
    """Leave out the caution that the majority class gives a single score, as it must."""
    return tuple(each for each in cautions if each.code != "one-score" or not each.text.startswith(MAJORITY))


def _nameless(model: Any) -> Pipeline:
    """A model of bare numbers: it refuses some names, e.g. "age: missing"."""
    return make_pipeline(FunctionTransformer(validate=True), model)
