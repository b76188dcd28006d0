"""Baselines: simple enough to be beaten by any model worth its trouble."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.learning.baselines import MAJORITY, ONE_FEATURE, OneFeatureRule, baselines

X, Y = load_breast_cancer(return_X_y=True)


@parametrize_with_checks([OneFeatureRule()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_the_majority_class_ranks_nothing():
    model = baselines()[MAJORITY].fit(X, Y)
    assert set(model.predict(X)) == {1}
    assert len(th.rank(Y, model.predict_proba(X)[:, 1])) == 1


def test_the_rule_asks_about_one_feature_alone():
    model = baselines()[ONE_FEATURE].fit(X, Y)
    other = X.copy()
    other[:, np.arange(X.shape[1]) != model.feature_] = 0
    np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(X))
    assert (model.predict(X) == Y).mean() > 0.9
    assert len(th.rank(Y, model.predict_proba(X)[:, 1])) <= 3
