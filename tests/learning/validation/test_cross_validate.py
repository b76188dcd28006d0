"""Out-of-fold scores against scikit-learn's, and nested costs, for which noise cannot pay."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from benchmarks.nested import REPETITIONS, SETTINGS, held, repetitions
from thresher.learning import CalibratedModel, Folds, cross_validate, nested_costs, nested_interval
from thresher.learning.validation.cross_validate import nested_predictions
from thresher.learning.validation.scoring import corrected_interval

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


def test_it_serves_evaluate_compare_and_the_corrected_test():
    cv = cross_validate(MODELS, X, Y, folds=Folds(5, repeats=2), seed=4)
    np.testing.assert_array_equal(cv.clusters, cv.row)
    result = th.evaluate(cv.labels, cv.scores, predictions=cv.predictions, clusters=cv.clusters, replicates=50, seed=1)
    assert set(result.models) == set(MODELS)
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


ROWS, LABELS = make_classification(n_samples=200, flip_y=0.2, random_state=0)
CONDITION = th.OperatingCondition(cost_ratio=3)


@pytest.mark.parametrize("folds", [4, Folds(4, repeats=2)])
def test_each_fold_is_judged_at_the_threshold_of_the_others(folds):
    cv = cross_validate(GaussianNB(), ROWS, LABELS, folds=folds)
    costs = nested_costs(cv, CONDITION, "model")
    score = cv.scores["model"]
    for number, split in enumerate(cv.splits):
        others = np.array([row not in set(split.test.tolist()) for row in cv.row])
        threshold = th.choose(th.rank(cv.labels[others], score[others]), CONDITION).threshold
        here = cv.fold == number
        table = th.contingency(cv.labels[here], score[here] >= threshold)
        assert costs[number] == pytest.approx(float(CONDITION.expected_cost(table)))


def test_without_a_model_that_is_chosen_on_the_other_folds_too():
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2), "none": DummyClassifier()}
    cv = cross_validate(models, ROWS, LABELS, folds=4)
    costs, chosen = nested_costs(cv, CONDITION), set()
    for number in range(4):
        others, here = cv.fold != number, cv.fold == number
        choices = {
            name: th.choose(th.rank(cv.labels[others], score[others]), CONDITION) for name, score in cv.scores.items()
        }
        best = min(choices, key=lambda name: choices[name].expected_cost)
        chosen.add(best)
        table = th.contingency(cv.labels[here], cv.scores[best][here] >= choices[best].threshold)
        assert costs[number] == pytest.approx(float(CONDITION.expected_cost(table)))
    assert chosen <= {"bayes", "tree"}


def test_of_calibrated_models_the_choice_has_met_no_row_of_the_fold():
    models = {
        name: CalibratedModel(model, method="platt", cv=3)
        for name, model in {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}.items()
    }
    cv = cross_validate(models, ROWS, LABELS, folds=4)
    costs = nested_costs(cv, CONDITION)
    for number, split in enumerate(cv.splits):
        fitted = {name: model.fit(ROWS[split.train], LABELS[split.train]) for name, model in models.items()}
        choices: Any = {name: th.choose(model.calibrated_, CONDITION) for name, model in fitted.items()}
        best = min(choices, key=lambda name: choices[name].expected_cost)
        calls = fitted[best].predict_proba(ROWS[split.test])[:, 1] >= choices[best].threshold
        table = th.contingency(LABELS[split.test], calls)
        assert costs[number] == pytest.approx(float(CONDITION.expected_cost(table)))


def test_a_model_without_folds_of_its_own_is_judged_as_before():
    cv = cross_validate(
        {"calibrated": CalibratedModel(GaussianNB(), cv=3), "plain": GaussianNB()}, ROWS, LABELS, folds=4
    )
    assert list(cv.within) == ["calibrated"]
    alone = cross_validate({"plain": GaussianNB()}, ROWS, LABELS, folds=4)
    np.testing.assert_array_equal(nested_costs(cv, CONDITION, "plain"), nested_costs(alone, CONDITION, "plain"))
    assert nested_costs(cv, CONDITION).size == 4


def test_one_fold_is_enough_where_there_are_folds_within():
    split = [(np.arange(150), np.arange(150, 200))]
    cv = cross_validate(CalibratedModel(GaussianNB(), method="platt"), ROWS, LABELS, folds=split)
    assert nested_costs(cv, CONDITION, "model").size == 1


def test_limits_allow_for_groups():
    groups = np.repeat(np.arange(20), 10)
    model = CalibratedModel(GaussianNB(), method="platt", cv=3)
    order = np.lexsort((ROWS[:, 0], LABELS))  # groups of one class each
    grouped = cross_validate(model, ROWS[order], LABELS[order], groups=groups, folds=4)
    alone = replace(grouped, groups=None)
    wide, narrow = (nested_interval(cv, CONDITION) for cv in (grouped, alone))
    assert wide.estimate == narrow.estimate
    assert wide.upper - wide.lower >= narrow.upper - narrow.lower


def test_limits_allow_for_folds_and_for_cases():
    cv = cross_validate(GaussianNB(), ROWS, LABELS, folds=Folds(4, repeats=2))
    costs, interval = nested_costs(cv, CONDITION, "model"), nested_interval(cv, CONDITION, "model", level=0.9)
    assert interval.estimate == pytest.approx(costs.mean())
    folds = corrected_interval(costs, test_share=0.25, level=0.9, spread=(0, 3))
    calls = nested_predictions(cv, CONDITION, "model")[:200]
    cases = th.interval(th.contingency(cv.labels[:200], calls), CONDITION, level=0.9)
    assert interval.upper - interval.estimate == pytest.approx(
        max(folds.upper - folds.estimate, cases.upper - cases.estimate)
    )
    assert interval.estimate - interval.lower == pytest.approx(
        max(folds.estimate - folds.lower, cases.estimate - cases.lower)
    )


def test_folds_that_are_alike_leave_doubt_about_cases():
    flags = np.arange(100) % 4 == 0
    cv = cross_validate(DummyClassifier(), np.zeros((100, 1)), flags, folds=5)
    interval = nested_interval(cv, CONDITION, "model")
    assert interval.estimate == pytest.approx(0.75)
    assert interval.lower < 0.65
    assert interval.upper > 0.85


def test_choosing_on_the_same_rows_flatters():
    noise = np.random.default_rng(1).normal(size=(200, 5))
    cv = cross_validate(GaussianNB(), noise, LABELS, folds=5)
    assert nested_costs(cv, CONDITION, "model").mean() >= th.choose(cv.pooled(), CONDITION).expected_cost


def test_one_fold_has_no_others():
    cv = cross_validate(GaussianNB(), ROWS, LABELS, folds=[(range(150), range(150, 200))])
    with pytest.raises(th.errors.ArgumentError, match="no others"):
        nested_costs(cv, CONDITION, "model")


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_fresh_rows_cost_what_nested_costs_say(setting):
    assert held(list(repetitions(setting)))[0] >= 0.9 * REPETITIONS
