"""Candidate models score two classes, and the baselines they must beat always come along."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.linear_model import Perceptron, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.cautions import Caution
from thresher.learning import CalibratedModel, cross_validate
from thresher.learning.models.candidates import (
    MAJORITY,
    ONE_FEATURE,
    Neighbours,
    OneFeatureRule,
    baselines,
    candidate_models,
    drop_majority_caution,
    merge_majority_scores,
    models_to_compare,
)

X, Y = load_breast_cancer(return_X_y=True)
ROWS, LABELS = make_classification(n_samples=150, n_features=5, class_sep=1.5, random_state=1)


@parametrize_with_checks([Neighbours(), OneFeatureRule()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_every_model_learns():
    cv = cross_validate(models_to_compare(None), ROWS, LABELS, folds=3)
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


def test_boosters_are_added_where_they_are_installed(monkeypatch):
    installed = {"XGBClassifier": Picky, "LGBMClassifier": Picky}
    module = sys.modules[candidate_models.__module__]
    monkeypatch.setattr(module, "find_spec", lambda name: name)
    monkeypatch.setattr(module, "import_module", lambda _: SimpleNamespace(**installed))
    assert list(candidate_models())[7:] == ["xgboost", "lightgbm"]
    frame = pd.DataFrame(ROWS, columns=["a: missing", "b [x]", "c<d", '"e"', "f,g"])
    for name in ("xgboost", "lightgbm"):
        model = candidate_models(seed=3)[name].fit(frame, LABELS)
        assert model[-1].random_state == 3
        assert model.predict_proba(frame).shape == (150, 2)


def test_models_are_picked_added_and_replaced():
    assert next(iter(models_to_compare("tree"))) == "tree"
    chosen = models_to_compare({"ridge": RidgeClassifier(), "tree": None})
    assert list(chosen) == ["ridge", "tree", "majority class", "one-feature rule"]
    for wanted, words in (
        (["svm"], "no model 'svm'"),
        ([], "no models to try"),
        ({"majority class": Perceptron()}, "name of a baseline"),
    ):
        with pytest.raises(th.errors.ArgumentError, match=words):
            models_to_compare(wanted)


def test_the_majority_class_ranks_nothing():
    model = baselines()[MAJORITY].fit(X, Y)
    assert set(model.predict(X)) == {1}
    assert len(th.rank(Y, model.predict_proba(X)[:, 1])) == 1


def test_folds_do_not_make_the_majority_class_rank():
    y = np.arange(43) % 3 == 0
    cv = cross_validate(baselines(), np.zeros((43, 1)), y, folds=4)
    assert th.auc(cv.pooled(MAJORITY)) < 0.5  # the fewer positives to learn from, the more are left to test on
    level = merge_majority_scores(cv)
    assert th.auc(level.pooled(MAJORITY)) == 0.5
    assert level.scores[MAJORITY][0] == pytest.approx(cv.scores[MAJORITY].mean())
    np.testing.assert_array_equal(level.scores[ONE_FEATURE], cv.scores[ONE_FEATURE])


def test_that_it_gives_one_score_is_no_news():
    cautions = tuple(Caution("one-score", f"{name} gives every case the score 0.3") for name in (MAJORITY, "tree"))
    assert drop_majority_caution(cautions) == cautions[1:]


def test_the_rule_asks_about_one_feature_alone():
    model = baselines()[ONE_FEATURE].fit(X, Y)
    other = X.copy()
    other[:, np.arange(X.shape[1]) != model.feature_] = 0
    np.testing.assert_array_equal(model.predict_proba(other), model.predict_proba(X))
    assert (model.predict(X) == Y).mean() > 0.9
    assert len(th.rank(Y, model.predict_proba(X)[:, 1])) <= 3


def test_folds_within_folds_do_not_make_the_majority_class_rank_either():
    y = np.arange(43) % 3 == 0
    models = {name: CalibratedModel(model, cv=3) for name, model in baselines().items()}
    level = merge_majority_scores(cross_validate(models, y[:, None] + np.arange(43.0)[:, None] % 2, y, folds=4))
    assert [len(ranking) for ranking in level.within[MAJORITY]] == [1] * 4
    assert {ranking.score[0] for ranking in level.within[MAJORITY]} == set(level.scores[MAJORITY])
    assert min(len(ranking) for ranking in level.within[ONE_FEATURE]) > 1


def test_neighbours_are_scikit_learns_where_there_are_rows_enough():
    own, peer = Neighbours(15).fit(X[::2], Y[::2]), KNeighborsClassifier(15).fit(X[::2], Y[::2])
    np.testing.assert_array_equal(own.predict_proba(X), peer.predict_proba(X))
    np.testing.assert_array_equal(own.predict(X), peer.predict(X))


def test_fewer_rows_are_all_neighbours():
    few = slice(15, 23)
    mix = Neighbours(15).fit(X[few], Y[few]).predict_proba(X[:2])
    np.testing.assert_array_equal(mix[:, 1], [Y[few].mean()] * 2)


@pytest.mark.parametrize("most", [0, "many", None, 2.5])
def test_how_many_neighbours_is_an_integer(most):
    with pytest.raises(th.errors.ArgumentError, match="most must be"):
        Neighbours(most).fit(X, Y)
