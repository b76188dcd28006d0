"""Candidate models: every model scores two classes, and baselines always come along."""

import sys
from types import SimpleNamespace

import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import Perceptron, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import thresher as th
from thresher.learning.models.candidates import candidate_models, chosen_models
from thresher.learning.validation.cross_validate import cross_validate

X, Y = make_classification(n_samples=150, n_features=5, class_sep=1.5, random_state=1)


def test_every_model_learns():
    cv = cross_validate(chosen_models(None), X, Y, folds=3)
    for name in candidate_models():
        assert cv.estimate("auc", name).estimate > 0.85, name
    assert cv.estimate("auc", "majority class").estimate == 0.5


class Picky(GaussianNB):  # type: ignore[misc]
    """Refuses frames, as boosters refuse some of their names."""

    def __init__(self, *, random_state=None, n_jobs=None, verbose=0):
        super().__init__()
        self.random_state, self.n_jobs, self.verbose = random_state, n_jobs, verbose

    def fit(self, X, y, sample_weight=None):
        assert not hasattr(X, "columns")
        return super().fit(X, y, sample_weight)


def test_boosters_join_where_they_are_installed(monkeypatch):
    installed = {"XGBClassifier": Picky, "LGBMClassifier": Picky}
    module = sys.modules[candidate_models.__module__]
    monkeypatch.setattr(module, "find_spec", lambda name: name)
    monkeypatch.setattr(module, "import_module", lambda _: SimpleNamespace(**installed))
    assert list(candidate_models())[7:] == ["xgboost", "lightgbm"]
    frame = pd.DataFrame(X, columns=["a: missing", "b [x]", "c<d", '"e"', "f,g"])
    for name in ("xgboost", "lightgbm"):
        model = candidate_models(seed=3)[name].fit(frame, Y)
        assert model[-1].random_state == 3
        assert model.predict_proba(frame).shape == (150, 2)


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
