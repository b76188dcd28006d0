"""Runs of folds: scores are those of a plain fit, whoever runs them and how many at once."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import thresher as th
from thresher.learning.fold_runs import Problem, in_parallel, scored
from thresher.learning.targets import binary_target

X, Y = make_classification(n_samples=100, random_state=0)
TARGET = binary_target(Y, positive=0, matters=True)
TRAIN, TEST = np.arange(70), np.arange(70, 100)


def test_scores_and_calls_are_those_of_a_plain_fit():
    seen, unseen = scored(LogisticRegression(), Problem(X, TARGET), TRAIN, [TRAIN, TEST])
    model = LogisticRegression().fit(X[TRAIN], Y[TRAIN])
    np.testing.assert_array_equal(unseen.score, model.predict_proba(X[TEST])[:, 0])
    np.testing.assert_array_equal(unseen.called, model.predict(X[TEST]) == 0)
    np.testing.assert_array_equal(seen.positive, Y[TRAIN] == 0)


def test_weights_reach_the_fit_or_are_refused():
    weight = np.arange(100.0) % 4
    (found,) = scored(LogisticRegression(), Problem(X, TARGET, weight), TRAIN, [TEST])
    model = LogisticRegression().fit(X[TRAIN], Y[TRAIN], weight[TRAIN])
    np.testing.assert_array_equal(found.score, model.predict_proba(X[TEST])[:, 0])
    with pytest.raises(th.ArgumentError, match="takes no sample_weight"):
        scored(KNeighborsClassifier(), Problem(X, TARGET, weight), TRAIN, [TEST])


def test_order_is_kept_and_progress_is_told():
    told = []
    assert in_parallel(pow, [(2, n) for n in range(5)], n_jobs=2, progress=lambda *at: told.append(at)) == [
        1,
        2,
        4,
        8,
        16,
    ]
    assert told == [(n, 5) for n in range(1, 6)]
