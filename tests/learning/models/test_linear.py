"""Distances from a flat boundary, checked against geometry."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.learning import DistanceClassifier

X, Y = make_classification(n_samples=200, n_features=4, random_state=0)


@parametrize_with_checks([DistanceClassifier(LogisticRegression()), DistanceClassifier(LinearSVC(random_state=0))])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("base", [LogisticRegression(), LinearDiscriminantAnalysis(), SVC(kernel="linear")])
def test_a_step_along_the_normal_changes_the_score_by_its_length(base):
    model = DistanceClassifier(base).fit(X, Y)
    weights = model.estimator_.coef_[0]
    away = model.decision_function(X)
    np.testing.assert_allclose(model.decision_function(X + 3 * weights / np.linalg.norm(weights)), away + 3)
    foot = X - away[:, None] * weights / np.linalg.norm(weights)
    np.testing.assert_allclose(model.decision_function(foot), 0, atol=1e-9)
    assert th.auc(th.rank(Y, away)) == th.auc(th.rank(Y, model.estimator_.decision_function(X)))


def test_several_classes_are_refused():
    data, labels = load_iris(return_X_y=True)
    with pytest.raises(th.errors.LabelError, match="Only binary"):
        DistanceClassifier(LinearSVC(random_state=0)).fit(data, labels)


def test_a_fitted_model_is_measured_as_it_is():
    fitted = LogisticRegression().fit(X[:100], Y[:100])
    frozen = DistanceClassifier(FrozenEstimator(fitted)).fit(X, Y)
    np.testing.assert_array_equal(frozen.estimator_.coef_, fitted.coef_)


def test_what_has_no_flat_boundary_is_refused():
    for base in (DecisionTreeClassifier(), SVC()):
        with pytest.raises((th.errors.ArgumentError, AttributeError), match="coef_"):
            DistanceClassifier(base).fit(X, Y)
    with pytest.raises(th.errors.ArgumentError, match="all weights are 0"):
        DistanceClassifier(LogisticRegression()).fit(np.zeros((4, 2)), [0, 1, 0, 1])


def test_weights_of_rows_reach_the_model():
    weights = np.arange(200) % 3
    model = DistanceClassifier(LogisticRegression()).fit(X, Y, sample_weight=weights)
    np.testing.assert_array_equal(model.estimator_.coef_, LogisticRegression().fit(X, Y, weights).coef_)
