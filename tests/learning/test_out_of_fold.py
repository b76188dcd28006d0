"""No row is scored by a model that learnt from it."""

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

import thresher as th
from thresher.learning.out_of_fold import out_of_fold
from thresher.learning.targets import binary_target

RNG = np.random.default_rng(0)
X, LABELS = RNG.normal(size=(60, 3)), RNG.integers(0, 2, 60)
TARGET = binary_target(LABELS, positive=None, matters=True)


def found(splits, **options):
    one = KNeighborsClassifier(1)
    return out_of_fold(one, X, TARGET, splits=splits, method="predict_proba", parameters={}, **options)


def test_a_nearest_neighbour_never_meets_itself():
    """On random labels one neighbour is right every time if and only if it has seen the row."""
    rows = np.arange(60)
    splits = [(rows[rows % 5 != k], rows[rows % 5 == k]) for k in range(5)]
    scored = found(splits)
    assert sorted(scored.row.tolist()) == rows.tolist()
    assert 0.2 < (scored.score == LABELS[scored.row]).mean() < 0.8
    in_parallel = found(splits, n_jobs=2)
    np.testing.assert_array_equal(in_parallel.score, scored.score)


def test_rows_may_be_tested_often_or_never_and_weights_follow():
    splits = list(ShuffleSplit(4, test_size=0.25, random_state=0).split(X))
    scored = found(splits)
    weights = np.arange(60.0)
    assert scored.ranking(TARGET).total == 60
    assert scored.ranking(TARGET, weights).total == pytest.approx(weights[scored.row].sum())


def test_folds_that_cannot_teach_or_test_are_named():
    rows = np.arange(60)
    with pytest.raises(th.OneClassError, match="fold 1 hold one class only"):
        found([(rows[:40], rows[40:]), (rows[LABELS == 1], rows[LABELS == 0])])
    with pytest.raises(th.ArgumentError, match="fold 0 has no test rows"):
        found([(rows, rows[:0])])
