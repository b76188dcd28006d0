"""Baselines: simple enough to be beaten by any model worth its trouble."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.cautions import Caution
from thresher.learning import CalibratedModel, cross_validate
from thresher.learning.models.candidates import (
    MAJORITY,
    ONE_FEATURE,
    OneFeatureRule,
    baselines,
    drop_majority_caution,
    merge_majority_scores,
)

X, Y = load_breast_cancer(return_X_y=True)


@parametrize_with_checks([OneFeatureRule()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_the_majority_class_ranks_nothing():
    model = baselines()[MAJORITY].fit(X, Y)
    assert set(model.predict(X)) == {1}
    assert len(th.rank(Y, model.predict_proba(X)[:, 1])) == 1


def test_folds_do_not_make_the_majority_class_rank():
    y = np.arange(43) % 3 == 0
    cv = cross_validate(baselines(), np.zeros((43, 1)), y, folds=4)
    assert th.auc(cv.pooled(MAJORITY)) < 0.5  # the fewer positives to learn from, the more are left to test on
    level = merge_majority_scores(cv)
    assert th.auc(level.pooled(MAJORITY)) == 0.5
    assert level.scores[MAJORITY][0] == pytest.approx(cv.scores[MAJORITY].mean())
    np.testing.assert_array_equal(level.scores[ONE_FEATURE], cv.scores[ONE_FEATURE])


def test_that_it_gives_one_score_is_no_news():
    given = tuple(Caution("one-score", f"{name} gives every case the score 0.3") for name in (MAJORITY, "tree"))
    assert drop_majority_caution(given) == given[1:]


def test_the_rule_asks_about_one_feature_alone():
    model = baselines()[ONE_FEATURE].fit(X, Y)
    other = X.copy()
    other[:, np.arange(X.shape[1]) != model.feature_] = 0
    np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(X))
    assert (model.predict(X) == Y).mean() > 0.9
    assert len(th.rank(Y, model.predict_proba(X)[:, 1])) <= 3


def test_folds_within_folds_do_not_make_the_majority_class_rank_either():
    y = np.arange(43) % 3 == 0
    models = {name: CalibratedModel(model, cv=3) for name, model in baselines().items()}
    level = merge_majority_scores(cross_validate(models, y[:, None] + np.arange(43.0)[:, None] % 2, y, folds=4))
    assert [len(ranking) for ranking in level.within[MAJORITY]] == [1] * 4
    assert {ranking.score[0] for ranking in level.within[MAJORITY]} == set(level.scores[MAJORITY])
    assert min(len(ranking) for ranking in level.within[ONE_FEATURE]) > 1
