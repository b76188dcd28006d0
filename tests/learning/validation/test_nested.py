"""Nested costs: thresholds come from other folds, so noise cannot pay."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from benchmarks.nested import REPETITIONS, SETTINGS, held, repetitions
from thresher.learning import CalibratedModel, Folds, cross_validate, nested_costs, nested_interval
from thresher.learning.validation.cross_validate import nested_predictions
from thresher.learning.validation.scoring import corrected_interval

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


def test_without_a_model_that_is_chosen_on_the_other_folds_too():
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2), "none": DummyClassifier()}
    cv = cross_validate(models, X, Y, folds=4)
    found, chosen = nested_costs(cv, CONDITION), set()
    for number in range(4):
        others, here = cv.fold != number, cv.fold == number
        choices = {
            name: th.choose(th.rank(cv.labels[others], score[others]), CONDITION) for name, score in cv.scores.items()
        }
        best = min(choices, key=lambda name: choices[name].expected_cost)
        chosen.add(best)
        table = th.contingency(cv.labels[here], cv.scores[best][here] >= choices[best].threshold)
        assert found[number] == pytest.approx(float(CONDITION.expected_cost(table)))
    assert chosen <= {"bayes", "tree"}


def test_of_calibrated_models_the_choice_has_met_no_row_of_the_fold():
    models = {
        name: CalibratedModel(model, method="platt", cv=3)
        for name, model in {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}.items()
    }
    cv = cross_validate(models, X, Y, folds=4)
    found = nested_costs(cv, CONDITION)
    for number, split in enumerate(cv.splits):
        fitted = {name: model.fit(X[split.train], Y[split.train]) for name, model in models.items()}
        choices = {name: th.choose(model.calibrated_ranking_, CONDITION) for name, model in fitted.items()}
        best = min(choices, key=lambda name: choices[name].expected_cost)
        called = fitted[best].predict_proba(X[split.test])[:, 1] >= choices[best].threshold
        table = th.contingency(Y[split.test], called)
        assert found[number] == pytest.approx(float(CONDITION.expected_cost(table)))


def test_a_model_without_folds_of_its_own_is_judged_as_before():
    cv = cross_validate({"calibrated": CalibratedModel(GaussianNB(), cv=3), "plain": GaussianNB()}, X, Y, folds=4)
    assert list(cv.within) == ["calibrated"]
    alone = cross_validate({"plain": GaussianNB()}, X, Y, folds=4)
    np.testing.assert_array_equal(nested_costs(cv, CONDITION, "plain"), nested_costs(alone, CONDITION, "plain"))
    assert nested_costs(cv, CONDITION).size == 4


def test_one_fold_is_enough_where_there_are_folds_within():
    split = [(np.arange(150), np.arange(150, 200))]
    cv = cross_validate(CalibratedModel(GaussianNB(), method="platt"), X, Y, folds=split)
    assert nested_costs(cv, CONDITION, "model").size == 1


def test_limits_allow_for_groups():
    groups = np.repeat(np.arange(20), 10)
    model = CalibratedModel(GaussianNB(), method="platt", cv=3)
    order = np.lexsort((X[:, 0], Y))  # groups of one class each
    grouped = cross_validate(model, X[order], Y[order], groups=groups, folds=4)
    alone = replace(grouped, groups=None)
    wide, narrow = (nested_interval(cv, CONDITION) for cv in (grouped, alone))
    assert wide.estimate == narrow.estimate
    assert wide.upper - wide.lower >= narrow.upper - narrow.lower


def test_limits_allow_for_folds_and_for_cases():
    cv = cross_validate(GaussianNB(), X, Y, folds=Folds(4, repeats=2))
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
    cv = cross_validate(GaussianNB(), noise, Y, folds=5)
    assert nested_costs(cv, CONDITION, "model").mean() >= th.choose(cv.pooled(), CONDITION).expected_cost


def test_one_fold_has_no_others():
    cv = cross_validate(GaussianNB(), X, Y, folds=[(range(150), range(150, 200))])
    with pytest.raises(th.errors.ArgumentError, match="no others"):
        nested_costs(cv, CONDITION, "model")


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_fresh_rows_cost_what_nested_costs_say(setting):
    assert held(list(repetitions(setting)))[0] >= 0.9 * REPETITIONS
