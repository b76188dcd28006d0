"""The one loop that fits on training rows and scores others."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning.data.target import binary_target
from thresher.learning.validation.fit_and_score import (
    Problem,
    fit_and_score,
    in_parallel,
    positive_scores,
    response_of,
)

X, Y = make_classification(n_samples=100, random_state=0)
TARGET = binary_target(Y, positive=0, matters=True)
POWERS = [1, 2, 4, 8, 16]
TRAIN, TEST = np.arange(70), np.arange(70, 100)


def test_scores_and_calls_are_those_of_a_plain_fit():
    seen, unseen = fit_and_score(LogisticRegression(), Problem(X, TARGET), TRAIN, [TRAIN, TEST])
    model = LogisticRegression().fit(X[TRAIN], Y[TRAIN])
    np.testing.assert_array_equal(unseen.score, model.predict_proba(X[TEST])[:, 0])
    np.testing.assert_array_equal(unseen.predicted, model.predict(X[TEST]) == 0)
    np.testing.assert_array_equal(seen.labels, Y[TRAIN] == 0)


def test_weights_reach_the_fit_or_are_refused():
    weight = np.arange(100.0) % 4
    (result,) = fit_and_score(LogisticRegression(), Problem(X, TARGET, weight), TRAIN, [TEST])
    model = LogisticRegression().fit(X[TRAIN], Y[TRAIN], weight[TRAIN])
    np.testing.assert_array_equal(result.score, model.predict_proba(X[TEST])[:, 0])
    with pytest.raises(th.errors.ArgumentError, match="takes no sample_weight"):
        fit_and_score(KNeighborsClassifier(), Problem(X, TARGET, weight), TRAIN, [TEST])


def test_results_come_in_order_and_progress_is_reported():
    reports = []
    assert in_parallel(pow, [(2, n) for n in range(5)], n_jobs=2, progress=lambda *at: reports.append(at)) == POWERS
    assert reports == [(n, 5) for n in range(1, 6)]


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
    with pytest.raises(th.errors.ArgumentError, match="RidgeClassifier has no predict_proba"):
        response_of(RidgeClassifier(), "predict_proba")
