"""Nearest neighbours, however few rows there are."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.learning.models.candidates import Neighbours

X, Y = load_breast_cancer(return_X_y=True)


@parametrize_with_checks([Neighbours()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_it_is_scikit_learns_where_there_are_rows_enough():
    own, peer = Neighbours(15).fit(X[::2], Y[::2]), KNeighborsClassifier(15).fit(X[::2], Y[::2])
    np.testing.assert_array_equal(own.predict_proba(X), peer.predict_proba(X))
    np.testing.assert_array_equal(own.predict(X), peer.predict(X))


def test_fewer_rows_are_all_neighbours():
    few = slice(15, 23)
    found = Neighbours(15).fit(X[few], Y[few]).predict_proba(X[:2])
    np.testing.assert_array_equal(found[:, 1], [Y[few].mean()] * 2)


@pytest.mark.parametrize("most", [0, "many", None, 2.5])
def test_how_many_is_a_whole_number(most):
    with pytest.raises(th.ArgumentError, match="most must be"):
        Neighbours(most).fit(X, Y)
