"""Baselines: what a model has to beat before it is worth its trouble."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher.cautions import Caution
from thresher.learning.data.target import class_labels
from thresher.learning.validation.cross_validate import CrossValidation
from thresher.ranking import Floats, Ranking

MAJORITY = "majority class"
ONE_FEATURE = "one-feature rule"


def baselines(*, seed: int = 0) -> dict[str, Any]:
    """The two models that every comparison holds: the majority class, and a rule on one feature.

    The first knows the class mix and nothing else; the second, two questions about one feature, is hard to beat
    on many tables (Holte 1993).

    >>> list(baselines())
    ['majority class', 'one-feature rule']
    """
    return {MAJORITY: DummyClassifier(strategy="prior"), ONE_FEATURE: OneFeatureRule(random_state=seed)}


def with_one_majority_score(cv: CrossValidation) -> CrossValidation:
    """Out-of-fold scores in which the majority class gives every row the same score, in folds and within them.

    It knows nothing but the class mix of its training rows, and that is lower the more positives are in the fold left
    out: pooled, such scores would rank rows the wrong way round by chance alone.

    >>> from thresher.learning import cross_validate
    >>> y = np.arange(31) % 3 == 0
    >>> cv = cross_validate(baselines(), np.zeros((31, 1)), y, folds=3)
    >>> len(cv.pooled(MAJORITY)), len(with_one_majority_score(cv).pooled(MAJORITY))
    (3, 1)
    """
    score = cv.scores[MAJORITY]
    same = score.mean()
    within = tuple(Ranking([same], [ranked.Pos], [ranked.Neg]) for ranked in cv.within.get(MAJORITY, ()))
    return replace(
        cv,
        scores={**cv.scores, MAJORITY: np.full_like(score, same)},
        within={**cv.within, MAJORITY: within} if within else cv.within,
    )


def without_majority_remark(cautions: tuple[Caution, ...]) -> tuple[Caution, ...]:
    """Cautions but for the one that the majority class gives one score, which is what it is for."""
    return tuple(each for each in cautions if each.code != "one-score" or not each.text.startswith(MAJORITY))


class OneFeatureRule(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A few questions about the one feature that best separates the training rows when asked once.

    Parameters
    ----------
    leaves
        How many answers there are at most.
    random_state
        Decides between features that separate equally well.

    Examples
    --------
    >>> rule = OneFeatureRule().fit([[0, 5], [1, 5], [2, 5], [3, 6]], [0, 0, 1, 1])
    >>> rule.feature_, rule.predict([[0, 9], [3, 0]]).tolist()
    (0, [0, 1])
    """

    def __init__(self, *, leaves: int = 3, random_state: int | None = 0) -> None:
        self.leaves = leaves
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the feature with one question, then ask it again."""
        rows = validate_data(self, X)
        labels = class_labels(y)
        stump = DecisionTreeClassifier(max_depth=1, random_state=self.random_state)
        found = stump.fit(rows, labels, sample_weight=sample_weight).tree_.feature[0]
        self.feature_ = max(int(found), 0)  # no feature separates anything: any will do
        rule = DecisionTreeClassifier(max_leaf_nodes=self.leaves, random_state=self.random_state)
        self.rule_ = rule.fit(rows[:, [self.feature_]], labels, sample_weight=sample_weight)
        self.classes_ = self.rule_.classes_
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The answer of each row."""
        column = self._column(X)
        return np.asarray(self.rule_.predict(column))

    def predict_proba(self, X: Any) -> Floats:
        """The class mix among training rows with the same answer."""
        column = self._column(X)
        return np.asarray(self.rule_.predict_proba(column))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one feature is not meant to do well
        return tags

    def _column(self, X: Any) -> npt.NDArray[Any]:
        check_is_fitted(self)
        rows: npt.NDArray[Any] = validate_data(self, X, reset=False)
        return rows[:, [self.feature_]]
