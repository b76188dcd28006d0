"""Tests of cross validate."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning import Folds, cross_validate

X, Y = make_classification(n_samples=300, flip_y=0.2, random_state=6)
MODELS = {"bayes": GaussianNB(), "logit": LogisticRegression(), "tree": DecisionTreeClassifier(random_state=0)}


def test_scores_are_the_peers():
    splitter = StratifiedKFold(5, shuffle=True, random_state=1)
    cv = cross_validate(MODELS, X, Y, folds=splitter)
    for name, model in MODELS.items():
        peer = cross_val_predict(model, X, Y, cv=splitter, method="predict_proba")[:, 1]
        np.testing.assert_array_equal(cv.scores[name], peer[cv.row])
        folds = cross_val_score(model, X, Y, cv=splitter, scoring="roc_auc")
        np.testing.assert_allclose(cv.per_fold("auc", name), folds)
        np.testing.assert_allclose(
            cv.per_fold("error_rate", name),
            1 - cross_val_score(model, X, Y, cv=splitter, scoring="accuracy"),
        )


def test_it_is_handed_to_evaluate_compare_and_the_corrected_test():
    cv = cross_validate(MODELS, X, Y, folds=Folds(5, repeats=2), seed=4)
    np.testing.assert_array_equal(cv.clusters, cv.row)
    found = th.evaluate(cv.labels, cv.scores, predictions=cv.predictions, clusters=cv.clusters, replicates=50, seed=1)
    assert set(found.models) == set(MODELS)
    assert th.compare(cv.labels, cv.scores, clusters=cv.clusters)["logit", "tree"].verdict == "better"
    logit, tree = (cv.per_fold("auc", name) for name in ("logit", "tree"))
    expected = th.inference.corrected_t(logit, tree, test_share=1 / 5)
    difference = cv.difference("logit", "tree", "auc")
    assert (difference.a, difference.b) == ("logit", "tree")
    assert (difference.lower, difference.p_value) == pytest.approx((expected.lower, expected.p_value))
    assert cv.test_share == pytest.approx(0.2)
    assert cv.difference("logit", "tree", th.OperatingCondition(cost_ratio=2)).better == "lower"


def test_rankings_per_fold_and_pooled():
    cv = cross_validate(GaussianNB(), X, Y, folds=4)
    rankings = cv.rankings()
    assert len(rankings) == 4
    assert sum(rankings) == cv.pooled()
    assert cv.pooled() == th.rank(cv.labels, cv.scores["model"])
    assert [caution.code for caution in cv.cautions] == ["pooled-folds"]
    estimate = cv.estimate("auc")
    assert estimate.estimate == pytest.approx(np.mean([th.auc(ranking) for ranking in rankings]))
    assert estimate.lower < estimate.estimate < estimate.upper <= 1
    assert cv.clusters is None


def test_pooling_scores_of_different_scales_is_worse_than_any_fold():
    class Shifted(GaussianNB):  # type: ignore[misc]
        """Each fit adds a number of its own, which harms no ranking of its own."""

        def predict_proba(self, rows):
            return super().predict_proba(rows) * 1e-3 + self.theta_[0, 0] * 100

    cv = cross_validate(Shifted(), X, Y, folds=5)
    assert th.auc(cv.pooled()) < cv.per_fold("auc").min()


def test_labels_groups_times_and_weights():
    names = np.where(Y == 1, "ham", "spam")
    groups = np.arange(300) // 3
    cv = cross_validate(GaussianNB(), X, names, positive="ham", groups=groups, weights=np.arange(300) % 5)
    assert cv.positive == "ham"
    np.testing.assert_array_equal(cv.labels, (names == "ham")[cv.row])
    np.testing.assert_array_equal(cv.clusters, groups[cv.row])
    assert cv.pooled().weighted
    late = cross_validate(GaussianNB(), X, Y, times=np.arange(300), folds=4)
    assert late.row.min() == 60
    alone = cross_validate(GaussianNB(), X[:40], Y[:40], folds=Folds(kind="leave-one-out"))
    assert len(alone.splits) == 40
    assert alone.estimate("error_rate").estimate == pytest.approx((alone.predictions["model"] != alone.labels).mean())
    with pytest.raises(th.errors.OneClassError, match=r"cv\.pooled"):
        alone.per_fold("auc")
    with pytest.raises(th.errors.PositiveLabelError):
        cross_validate(GaussianNB(), X, names)


@pytest.mark.parametrize("kind", [pd.DataFrame, sparse.csr_array, lambda table: table.tolist()])
def test_tables_of_other_kinds(kind):
    plain = cross_validate(LogisticRegression(), X, Y, seed=2)
    other = cross_validate(LogisticRegression(), kind(X), Y, seed=2)
    np.testing.assert_allclose(other.scores["model"], plain.scores["model"], atol=1e-6)


def test_seeds_and_jobs():
    first = cross_validate(GaussianNB(), X, Y, seed=1)
    np.testing.assert_array_equal(first.row, cross_validate(GaussianNB(), X, Y, seed=1, n_jobs=2).row)
    assert first.row.tolist() != cross_validate(GaussianNB(), X, Y, seed=2).row.tolist()
    assert repr(first) == "CrossValidation(model; 300 rows, 5 folds)"


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (
            lambda: cross_validate({}, X, Y),
            th.errors.ArgumentError,
            "mapping of names",
        ),
        (
            lambda: cross_validate("tree", X, Y),
            th.errors.ArgumentError,
            "mapping of names",
        ),
        (
            lambda: cross_validate(GaussianNB(), X[:9], Y),
            th.errors.LengthError,
            "X has 9 rows",
        ),
        (
            lambda: cross_validate(GaussianNB(), X[:4], Y[:4], folds=5),
            th.errors.ArgumentError,
            "5 folds need",
        ),
        (
            lambda: cross_validate(GaussianNB(), X, Y, weights=[1, 2]),
            th.errors.LengthError,
            "2 weights",
        ),
        (
            lambda: cross_validate(MODELS, X, Y).per_fold("auc"),
            th.errors.ArgumentError,
            "several models",
        ),
        (
            lambda: cross_validate(MODELS, X, Y).per_fold("auc", "svm"),
            th.errors.ArgumentError,
            "no model 'svm'",
        ),
        (
            lambda: cross_validate(GaussianNB(), X, Y).per_fold("acuracy"),
            th.errors.MeasureError,
            "did you mean accuracy",
        ),
        (
            lambda: cross_validate(MODELS, X, Y).difference("bayes", "tree", "prevalence"),
            th.errors.MeasureError,
            "neither",
        ),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(ask, error, words):
    with pytest.raises(error, match=words):
        ask()


def test_an_undefined_measure_says_in_how_many_folds():
    cv = cross_validate(DecisionTreeClassifier(max_depth=1), np.zeros((40, 1)), np.arange(40) < 10, folds=4)
    assert np.isnan(cv.per_fold("precision")).all()
    with pytest.raises(th.errors.MeasureError, match="undefined in 4 of 4 folds"):
        cv.estimate("precision")
