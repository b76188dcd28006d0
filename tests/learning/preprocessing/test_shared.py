"""Rows prepared once for several models, with the answers of preparing them for each."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from thresher.learning import candidate_models, cross_validate
from thresher.learning.models.calibrated import CalibratedModel
from thresher.learning.preprocessing.shared import PreparedRows, SharedPreparation


class Counting(StandardScaler):  # type: ignore[misc]
    """Counts how often it is fitted."""

    fits = 0

    def fit(self, X, y=None, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


def calibrated(prepare, names):
    models = candidate_models()
    return {
        name: CalibratedModel(Pipeline([("p", prepare), ("m", models[name])]), method="platt", cv=3) for name in names
    }


def test_models_that_share_their_preparation_score_as_those_that_do_not():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:200], y[:200] == 0
    names = ["logistic", "naive bayes", "tree"]
    prepare = Counting().set_output(transform="default")
    alone = cross_validate(calibrated(prepare, names), X, y, folds=3)
    apart, Counting.fits = Counting.fits, 0
    shared = SharedPreparation(prepare, PreparedRows())
    together = cross_validate(calibrated(shared, names), X, y, folds=3)
    for name in names:
        np.testing.assert_array_equal(alone.scores[name], together.scores[name])
    assert apart == 3 * Counting.fits == 3 * 3 * 4  # one fit on all rows of a fold, and three within, per model


def test_rows_with_other_values_or_labels_are_prepared_again():
    rows = PreparedRows(most=2)
    one = SharedPreparation(StandardScaler(), rows)
    X = np.arange(6.0).reshape(3, 2)
    first = one.fit(X, [0, 1, 1]).transformer_
    assert one.fit(X, [0, 1, 0]).transformer_ is not first
    assert one.fit(X + 1, [0, 1, 1]).transformer_ is not first  # the third: only two are remembered
    assert one.fit(X, [0, 1, 1]).transformer_ is not first
    assert copy.deepcopy(rows) is rows
    assert not pickle.loads(pickle.dumps(rows))._latest  # noqa: S301 - its own bytes


def test_a_model_that_changes_its_rows_changes_nobody_elses():
    shared = SharedPreparation(StandardScaler().set_output(transform="pandas"), PreparedRows())
    X = pd.DataFrame({"a": [1.0, 3.0]})
    made = shared.fit_transform(X, [0, 1])
    made.iloc[:] = 99
    assert shared.fit_transform(X, [0, 1])["a"].tolist() == pytest.approx([-1, 1])
