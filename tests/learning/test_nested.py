"""Nested costs: thresholds come from other folds, so noise cannot pay."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

import thresher as th
from thresher.learning import Folds, cross_validate, nested_costs

X, Y = make_classification(n_samples=200, flip_y=0.2, random_state=0)
CONDITION = th.OperatingCondition(cost_ratio=3)


@pytest.mark.parametrize("folds", [4, Folds(4, repeats=2)])
def test_each_fold_is_judged_at_the_threshold_of_the_others(folds):
    cv = cross_validate(GaussianNB(), X, Y, folds=folds)
    found = nested_costs(cv, CONDITION, "model")
    score = cv.scores["model"]
    for number, split in enumerate(cv.splits):
        others = np.array([row not in set(split.test.tolist()) for row in cv.row])
        threshold = th.choose(th.rank(cv.labels[others], score[others]), CONDITION).threshold
        here = cv.fold == number
        table = th.contingency(cv.labels[here], score[here] >= threshold)
        assert found[number] == pytest.approx(float(CONDITION.expected_cost(table)))


def test_choosing_on_the_same_rows_flatters():
    noise = np.random.default_rng(1).normal(size=(200, 5))
    cv = cross_validate(GaussianNB(), noise, Y, folds=5)
    assert nested_costs(cv, CONDITION, "model").mean() >= th.choose(cv.pooled(), CONDITION).expected_cost


def test_one_fold_has_no_others():
    cv = cross_validate(GaussianNB(), X, Y, folds=[(range(150), range(150, 200))])
    with pytest.raises(th.ArgumentError, match="no others"):
        nested_costs(cv, CONDITION, "model")
