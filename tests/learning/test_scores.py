"""Scores are higher for the positive class, whichever it is and however the model scores."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning.scores import positive_scores, response_of

X, Y = make_classification(n_samples=100, random_state=1)


@pytest.mark.parametrize(
    ("model", "method"),
    [(LogisticRegression(), "predict_proba"), (LogisticRegression(), "decision_function"), (RidgeClassifier(), None)],
)
def test_turning_the_classes_round_turns_the_ranking_round(model, method):
    method = method or response_of(model, "auto")
    model.fit(X, Y)
    first, second = (positive_scores(model, X, method=method, positive=place) for place in (0, 1))
    assert th.auc(th.rank(Y, second)) > 0.8
    assert th.auc(th.rank(Y == 0, first)) == th.auc(th.rank(Y, second))


def test_of_several_classes_the_column_is_taken():
    data, labels = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=500).fit(data, labels)
    for place in range(3):
        scores = positive_scores(model, data, method="decision_function", positive=place)
        np.testing.assert_array_equal(scores, model.decision_function(data)[:, place])


def test_the_method_asked_for_must_exist():
    assert response_of(DecisionTreeClassifier(), "auto") == "predict_proba"
    with pytest.raises(th.ArgumentError, match="RidgeClassifier has no predict_proba"):
        response_of(RidgeClassifier(), "predict_proba")
