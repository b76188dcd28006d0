import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.learning import OutlierFilter

X, Y = make_classification(n_samples=200, random_state=0)


@parametrize_with_checks([OutlierFilter(LogisticRegression(), factor=20)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_training_goes_without_outliers_and_scoring_with_every_row():
    spoiled = X.copy()
    spoiled[:5] = 1e6
    model = OutlierFilter(LogisticRegression(), factor=8).fit(spoiled, Y)
    assert model.dropped_ == 5
    plain = LogisticRegression().fit(spoiled[5:], Y[5:])
    np.testing.assert_array_equal(model.estimator_.coef_, plain.coef_)
    assert len(model.predict_proba(spoiled)) == 200
    np.testing.assert_array_equal(model.decision_function(spoiled), plain.decision_function(spoiled))


def test_every_row_is_scored_in_cross_validation():
    spoiled = X.copy()
    spoiled[::20] = 1e6
    scores = cross_val_predict(OutlierFilter(LogisticRegression()), spoiled, Y, method="predict_proba")
    assert np.isfinite(scores).all()
    assert len(scores) == 200


def test_names_reach_the_classifier_and_methods_are_its_own():
    table = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    model = OutlierFilter(DecisionTreeClassifier(), factor=20).fit(table, Y)
    assert model.estimator_.feature_names_in_.tolist() == list(table.columns)
    assert not hasattr(model, "decision_function")


def test_a_class_of_outliers_is_refused():
    rows = np.array([[1.0], [2.0], [3.0], [4.0], [90.0]])
    with pytest.raises(th.LabelError, match="every row of class 'b' is an outlier by iqr"):
        OutlierFilter(LogisticRegression()).fit(rows, ["a", "a", "a", "a", "b"])
