"""Tests of cross validate."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning import Folds, cross_validate
from thresher.learning.data.target import binary_target
from thresher.learning.validation.cross_validate import Problem, in_parallel, scored

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


X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION = make_classification(n_samples=300, flip_y=0.2, random_state=6)
MODELS = {"bayes": GaussianNB(), "logit": LogisticRegression(), "tree": DecisionTreeClassifier(random_state=0)}


def test_scores_are_the_peers():
    splitter = StratifiedKFold(5, shuffle=True, random_state=1)
    cv = cross_validate(MODELS, X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, folds=splitter)
    for name, model in MODELS.items():
        peer = cross_val_predict(
            model, X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, cv=splitter, method="predict_proba"
        )[:, 1]
        np.testing.assert_array_equal(cv.scores[name], peer[cv.row])
        folds = cross_val_score(model, X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, cv=splitter, scoring="roc_auc")
        np.testing.assert_allclose(cv.per_fold("auc", name), folds)
        np.testing.assert_allclose(
            cv.per_fold("error_rate", name),
            1 - cross_val_score(model, X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, cv=splitter, scoring="accuracy"),
        )


def test_it_is_handed_to_evaluate_compare_and_the_corrected_test():
    cv = cross_validate(MODELS, X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, folds=Folds(5, repeats=2), seed=4)
    np.testing.assert_array_equal(cv.clusters, cv.row)
    found = th.evaluate(cv.labels, cv.scores, predictions=cv.predictions, clusters=cv.clusters, replicates=50, seed=1)
    assert set(found.models) == set(MODELS)
    assert th.compare(cv.labels, cv.scores, clusters=cv.clusters)["logit", "tree"].verdict == "better"
    logit, tree = (cv.per_fold("auc", name) for name in ("logit", "tree"))
    expected = th.corrected_t(logit, tree, test_share=1 / 5)
    difference = cv.difference("logit", "tree", "auc")
    assert (difference.a, difference.b) == ("logit", "tree")
    assert (difference.lower, difference.p_value) == pytest.approx((expected.lower, expected.p_value))
    assert cv.test_share == pytest.approx(0.2)
    assert cv.difference("logit", "tree", th.OperatingCondition(cost_ratio=2)).better == "lower"


def test_rankings_per_fold_and_pooled():
    cv = cross_validate(GaussianNB(), X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, folds=4)
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

    cv = cross_validate(Shifted(), X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, folds=5)
    assert th.auc(cv.pooled()) < cv.per_fold("auc").min()


def test_labels_groups_times_and_weights():
    names = np.where(Y_OF_CROSS_VALIDATION == 1, "ham", "spam")
    groups = np.arange(300) // 3
    cv = cross_validate(
        GaussianNB(), X_OF_CROSS_VALIDATION, names, positive="ham", groups=groups, weights=np.arange(300) % 5
    )
    assert cv.positive == "ham"
    np.testing.assert_array_equal(cv.labels, (names == "ham")[cv.row])
    np.testing.assert_array_equal(cv.clusters, groups[cv.row])
    assert cv.pooled().weighted
    late = cross_validate(GaussianNB(), X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, times=np.arange(300), folds=4)
    assert late.row.min() == 60
    alone = cross_validate(
        GaussianNB(), X_OF_CROSS_VALIDATION[:40], Y_OF_CROSS_VALIDATION[:40], folds=Folds(kind="leave-one-out")
    )
    assert len(alone.splits) == 40
    assert alone.estimate("error_rate").estimate == pytest.approx((alone.predictions["model"] != alone.labels).mean())
    with pytest.raises(th.OneClassError, match=r"cv\.pooled"):
        alone.per_fold("auc")
    with pytest.raises(th.PositiveLabelError):
        cross_validate(GaussianNB(), X_OF_CROSS_VALIDATION, names)


@pytest.mark.parametrize("kind", [pd.DataFrame, sparse.csr_array, lambda table: table.tolist()])
def test_tables_of_other_kinds(kind):
    plain = cross_validate(LogisticRegression(), X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, seed=2)
    other = cross_validate(LogisticRegression(), kind(X_OF_CROSS_VALIDATION), Y_OF_CROSS_VALIDATION, seed=2)
    np.testing.assert_allclose(other.scores["model"], plain.scores["model"], atol=1e-6)


def test_seeds_and_jobs():
    first = cross_validate(GaussianNB(), X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, seed=1)
    np.testing.assert_array_equal(
        first.row, cross_validate(GaussianNB(), X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, seed=1, n_jobs=2).row
    )
    assert (
        first.row.tolist()
        != cross_validate(GaussianNB(), X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, seed=2).row.tolist()
    )
    assert repr(first) == "CrossValidation(model; 300 rows, 5 folds)"


@pytest.mark.parametrize(
    ("ask", "error", "told"),
    [
        (
            lambda: cross_validate({}, X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION),
            th.ArgumentError,
            "mapping of names",
        ),
        (
            lambda: cross_validate("tree", X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION),
            th.ArgumentError,
            "mapping of names",
        ),
        (
            lambda: cross_validate(GaussianNB(), X_OF_CROSS_VALIDATION[:9], Y_OF_CROSS_VALIDATION),
            th.LengthError,
            "X has 9 rows",
        ),
        (
            lambda: cross_validate(GaussianNB(), X_OF_CROSS_VALIDATION[:4], Y_OF_CROSS_VALIDATION[:4], folds=5),
            th.ArgumentError,
            "5 folds need",
        ),
        (
            lambda: cross_validate(GaussianNB(), X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION, weights=[1, 2]),
            th.LengthError,
            "2 weights",
        ),
        (
            lambda: cross_validate(MODELS, X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION).per_fold("auc"),
            th.ArgumentError,
            "several models",
        ),
        (
            lambda: cross_validate(MODELS, X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION).per_fold("auc", "svm"),
            th.ArgumentError,
            "no model 'svm'",
        ),
        (
            lambda: cross_validate(GaussianNB(), X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION).per_fold("acuracy"),
            th.MeasureError,
            "did you mean accuracy",
        ),
        (
            lambda: cross_validate(MODELS, X_OF_CROSS_VALIDATION, Y_OF_CROSS_VALIDATION).difference(
                "bayes", "tree", "prevalence"
            ),
            th.MeasureError,
            "neither",
        ),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(ask, error, told):
    with pytest.raises(error, match=told):
        ask()


def test_an_undefined_measure_says_in_how_many_folds():
    cv = cross_validate(DecisionTreeClassifier(max_depth=1), np.zeros((40, 1)), np.arange(40) < 10, folds=4)
    assert np.isnan(cv.per_fold("precision")).all()
    with pytest.raises(th.MeasureError, match="undefined in 4 of 4 folds"):
        cv.estimate("precision")
