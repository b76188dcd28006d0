"""The zoo: every model scores two classes, and baselines always come along."""

import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import Perceptron, RidgeClassifier

import thresher as th
from thresher.learning.cross_validation import cross_validate
from thresher.learning.zoo import chosen_models, zoo

X, Y = make_classification(n_samples=150, n_features=5, class_sep=1.5, random_state=1)


def test_every_model_learns():
    cv = cross_validate(chosen_models(None), X, Y, folds=3)
    for name in zoo():
        assert cv.estimate("auc", name).estimate > 0.85, name
    assert cv.estimate("auc", "majority class").estimate == 0.5


def test_models_are_picked_added_and_replaced():
    assert next(iter(chosen_models("tree"))) == "tree"
    mine = chosen_models({"ridge": RidgeClassifier(), "tree": None})
    assert list(mine) == ["ridge", "tree", "majority class", "one-feature rule"]
    for wanted, told in (
        (["svm"], "no model 'svm'"),
        ([], "no models to try"),
        ({"majority class": Perceptron()}, "name of a baseline"),
    ):
        with pytest.raises(th.ArgumentError, match=told):
            chosen_models(wanted)
