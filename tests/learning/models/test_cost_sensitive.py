"""Costs decide by probabilities as they are, or by a threshold that `choose` finds on scores of other rows."""

import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    TunedThresholdClassifierCV,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.learning import CostSensitiveClassifier, cost_scorer

X, Y = make_classification(n_samples=400, weights=[0.8], flip_y=0.1, random_state=3)
CONDITION = th.OperatingCondition(cost_ratio=7)
Fitted = partial(CostSensitiveClassifier, fit_weights=True)


@parametrize_with_checks([CostSensitiveClassifier(LogisticRegression()), Fitted(RidgeClassifier(), cv=3)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_the_threshold_is_the_exact_choice_on_out_of_fold_scores():
    model = Fitted(LogisticRegression(), CONDITION, cv=4).fit(X, Y)
    scores = cross_val_predict(LogisticRegression(), X, Y, cv=StratifiedKFold(4), method="predict_proba")[:, 1]
    choice = th.choose(th.rank(Y, scores), CONDITION)
    assert model.threshold_ == choice.threshold
    assert model.ranking_ == th.rank(Y, scores)
    expected = LogisticRegression().fit(X, Y).predict_proba(X)[:, 1] >= choice.threshold
    np.testing.assert_array_equal(model.predict(X), expected.astype(int))


def test_it_costs_no_more_than_a_grid_on_the_scores_it_chose_on():
    def cost(labels, calls):
        return -th.OperatingCondition(cost_ratio=7).expected_cost(th.contingency(labels, calls))

    scoring = sklearn.metrics.make_scorer(cost)
    peer = TunedThresholdClassifierCV(LogisticRegression(), scoring=scoring, cv=StratifiedKFold(5)).fit(X, Y)
    ours = Fitted(LogisticRegression(), CONDITION, cv=5).fit(X, Y)
    at_peer = CONDITION.expected_cost(th.tables.contingency_at(ours.ranking_, peer.best_threshold_))
    assert ours.choice_.expected_cost <= at_peer


@pytest.mark.parametrize("options", [{"maximise": "f1"}, {"minimise": "error_rate", "subject_to": "recall >= 0.9"}])
def test_measures_and_constraints_reach_choose(options):
    model = Fitted(GaussianNB(), cv=3, **options).fit(X, Y)
    assert model.threshold_ == th.choose(model.ranking_, **options).threshold


def test_the_decision_function_has_its_zero_at_the_threshold():
    for base in (LogisticRegression(), RidgeClassifier()):
        model = Fitted(base, CONDITION).fit(X, Y)
        np.testing.assert_array_equal(model.decision_function(X) >= 0, model.predict(X) == 1)
    assert not hasattr(Fitted(RidgeClassifier()), "predict_proba")


def test_either_label_may_be_positive():
    names = np.where(Y == 1, "ham", "spam")  # spam is now the frequent class, and last in order
    first = Fitted(LogisticRegression(), CONDITION, positive="ham").fit(X, names)
    plain = Fitted(LogisticRegression(), CONDITION).fit(X, Y)
    assert first.positive_ == "ham"
    assert first.threshold_ == pytest.approx(plain.threshold_)
    np.testing.assert_array_equal(first.predict(X) == "ham", plain.predict(X) == 1)
    np.testing.assert_allclose(first.decision_function(X), -plain.decision_function(X), atol=1e-9)
    ridge = Fitted(RidgeClassifier(), CONDITION, positive="ham").fit(X, names)
    plain = Fitted(RidgeClassifier(), CONDITION).fit(X, Y)
    assert ridge.threshold_ == pytest.approx(plain.threshold_)


def test_costs_without_a_positive_label_are_refused():
    names = np.where(Y == 1, "spam", "ham")
    with pytest.raises(th.errors.PositiveLabelError, match="'ham' or 'spam'"):
        Fitted(LogisticRegression(), CONDITION).fit(X, names)
    assert Fitted(LogisticRegression()).fit(X, names).positive_ == "spam"  # equal costs: no matter
    with pytest.raises(th.errors.PositiveLabelError, match="eggs"):
        Fitted(LogisticRegression(), positive="eggs").fit(X, names)


def test_a_fitted_model_is_left_as_it_is():
    fitted = LogisticRegression().fit(X[:200], Y[:200])
    frozen = Fitted(FrozenEstimator(fitted), CONDITION).fit(X[200:], Y[200:])
    prefit = Fitted(fitted, CONDITION, cv="prefit").fit(X[200:], Y[200:])
    ranking = th.rank(Y[200:], fitted.predict_proba(X[200:])[:, 1])
    assert frozen.threshold_ == prefit.threshold_ == th.choose(ranking, CONDITION).threshold
    assert prefit.estimator_ is fitted
    assert clone(frozen).fit(X[200:], Y[200:]).threshold_ == frozen.threshold_
    with pytest.raises(sklearn.exceptions.NotFittedError):
        Fitted(LogisticRegression(), cv="prefit").fit(X, Y)


def test_weights_reach_the_model_and_the_choice():
    weights = np.where(np.arange(Y.size) < 300, 1, 3)
    weighted = Fitted(LogisticRegression(), CONDITION, cv=_blocks(Y.size)).fit(X, Y, sample_weight=weights)
    again = np.repeat(np.arange(Y.size), weights)
    repeated = Fitted(LogisticRegression(), CONDITION, cv=_blocks(Y.size, again)).fit(X[again], Y[again])
    assert weighted.threshold_ == pytest.approx(repeated.threshold_, rel=1e-3)
    assert weighted.ranking_.total == repeated.ranking_.total
    with pytest.raises(th.errors.ArgumentError, match="takes no sample_weight"):
        Fitted(KNeighborsClassifier()).fit(X, Y, sample_weight=weights)


def _blocks(rows, source=None):
    source = np.arange(rows) if source is None else source
    return [(np.flatnonzero(source % 4 != fold), np.flatnonzero(source % 4 == fold)) for fold in range(4)]


def test_groups_reach_the_splitter_and_metadata_is_routed():
    groups = np.arange(Y.size) // 10
    model = Fitted(LogisticRegression(), CONDITION, cv=GroupKFold(5))
    plain = model.fit(X, Y, groups=groups).threshold_
    with sklearn.config_context(enable_metadata_routing=True):
        requested = LogisticRegression().set_fit_request(sample_weight=True)
        routed = Fitted(requested, CONDITION, cv=GroupKFold(5))
        assert routed.fit(X, Y, groups=groups).threshold_ == plain
        weighted = routed.fit(X, Y, sample_weight=np.arange(Y.size) % 3, groups=groups)
        assert weighted.ranking_.weighted


def test_folds_need_not_cover_all_rows():
    model = Fitted(GaussianNB(), CONDITION, cv=TimeSeriesSplit(3)).fit(X, Y)
    assert model.ranking_.total == 300


def test_it_works_in_a_pipeline_and_a_grid_and_keeps_names():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    model = Fitted(make_pipeline(StandardScaler(), LogisticRegression()), CONDITION)
    grid = GridSearchCV(
        model,
        {"condition": [CONDITION, th.OperatingCondition(cost_ratio=1)], "estimator__logisticregression__C": [0.1, 1]},
        scoring="recall",
    ).fit(frame, Y)
    assert grid.best_params_["condition"] == CONDITION
    best = grid.best_estimator_
    assert list(best.feature_names_in_) == list(frame.columns)
    again = pickle.loads(pickle.dumps(best))  # noqa: S301
    np.testing.assert_array_equal(again.predict(frame), best.predict(frame))
    assert make_pipeline(StandardScaler(), model).fit(frame, Y).predict(frame).shape == Y.shape


@pytest.mark.parametrize(
    ("options", "labels", "error", "words"),
    [
        (
            {"cv": 10},
            np.r_[1, 1, 1, np.zeros(397, int)],
            th.errors.ArgumentError,
            "10 stratified folds need 10 rows of each class",
        ),
        ({"cv": "five"}, Y, th.errors.ArgumentError, "cv is 'five'"),
        ({"cv": []}, Y, th.errors.ArgumentError, "no folds"),
        (
            {"cv": [(np.flatnonzero(Y == 0), np.flatnonzero(Y == 1))]},
            Y,
            th.errors.OneClassError,
            "fold 0 lack class 1",
        ),
        ({"response": "scores"}, Y, th.errors.ArgumentError, "response must be one of"),
        ({"maximise": "acuracy"}, Y, th.errors.MeasureError, "did you mean accuracy"),
        ({"condition": 5}, Y, th.errors.ArgumentError, "an operating condition is needed"),
        ({}, np.zeros(400, int), th.errors.OneClassError, "one class only"),
    ],
)
def test_what_cannot_be_is_refused_in_words(options, labels, error, words):
    with pytest.raises(error, match=words):
        Fitted(LogisticRegression(), **options).fit(X, labels)


IRIS, SPECIES = load_iris(return_X_y=True)
NAMES = load_iris().target_names[SPECIES]
COSTS = th.CostMatrix.by_class({"virginica": 8}, ["virginica", "setosa", "versicolor"])  # not in rising order
BY_NAME = th.OperatingCondition(costs=COSTS)
MIX = {"setosa": 0.6, "versicolor": 0.3, "virginica": 0.1}


@pytest.mark.parametrize("mix", [None, MIX])
def test_of_several_classes_the_action_of_least_expected_cost_is_taken(mix):
    condition = th.OperatingCondition(costs=COSTS, mix=mix)
    train = np.r_[0:50, 50:90, 100:130]
    model = CostSensitiveClassifier(GaussianNB(), condition).fit(IRIS[train], NAMES[train])
    vectors = GaussianNB().fit(IRIS[train], NAMES[train]).predict_proba(IRIS)
    share = {"setosa": 50 / 120, "versicolor": 40 / 120, "virginica": 30 / 120}
    weight = [1.0 if mix is None else mix[name] / share[name] for name in sorted(share)]
    miss = np.array([1, 1, 8]) * weight * vectors
    best = np.array(sorted(share))[(miss.sum(axis=1, keepdims=True) - miss).argmin(axis=1)]
    np.testing.assert_array_equal(model.predict(IRIS), best)
    assert model.rule_ is not None
    np.testing.assert_array_equal(model.predict(IRIS), model.rule_.apply(vectors))
    np.testing.assert_array_equal(np.array(sorted(share))[model.decision_function(IRIS).argmax(axis=1)], best)
    wrong = np.where(NAMES == "virginica", 8, 1) * (best != NAMES)
    at = np.full(150, 1 / 150) if mix is None else np.array([mix[name] / 50 for name in NAMES])
    assert model.score(IRIS, NAMES) == pytest.approx(-(wrong * at).sum())
    assert model.score(IRIS, NAMES) == pytest.approx(cost_scorer(condition)(model, IRIS, NAMES))


def test_weights_of_classes_are_fitted_on_out_of_fold_probabilities():
    condition = th.OperatingCondition(costs=COSTS, mix=MIX)
    model = Fitted(GaussianNB(), condition, cv=3).fit(IRIS, NAMES)
    vectors = cross_val_predict(GaussianNB(), IRIS, NAMES, cv=StratifiedKFold(3), method="predict_proba")
    choice = th.choose(th.segment(NAMES, vectors), condition, fit="weights")
    np.testing.assert_allclose(model.weights_, choice.weights, rtol=1e-12)
    assert model.choice_.expected_cost == pytest.approx(choice.expected_cost)
    assert choice.expected_cost <= th.choose(th.segment(NAMES, vectors), condition).expected_cost
    raw = GaussianNB().fit(IRIS, NAMES).predict_proba(IRIS)
    np.testing.assert_array_equal(model.predict(IRIS), choice.apply(raw))
    recalling = Fitted(GaussianNB(), cv=3, maximise="macro_f1", subject_to='recall["virginica"] >= 0.98')
    table = th.confusion(NAMES, recalling.fit(IRIS, NAMES).predict(IRIS))
    assert table.recall[2] >= 0.98
    with pytest.raises(AttributeError, match="nothing was fitted"):
        CostSensitiveClassifier(GaussianNB()).fit(IRIS, NAMES).choice_  # noqa: B018


def test_two_classes_are_decided_alike_by_names_and_by_a_cost_ratio():
    ratio = th.OperatingCondition(cost_ratio=7, prevalence=0.1)
    named = th.OperatingCondition(costs=ratio.cost_matrix(positive=1, negative=0), mix={1: 0.1, 0: 0.9})
    plain, other = (CostSensitiveClassifier(LogisticRegression(), each).fit(X, Y) for each in (ratio, named))
    np.testing.assert_array_equal(plain.predict(X), other.predict(X))
    assert plain.score(X, Y) == pytest.approx(other.score(X, Y))
    np.testing.assert_array_equal(plain.predict(X), (plain.decision_function(X) > 0).astype(int))
    bayes = [cost_scorer(each, threshold="bayes")(LogisticRegression().fit(X, Y), X, Y) for each in (ratio, named)]
    assert bayes[0] == pytest.approx(bayes[1])


def test_an_action_that_is_no_class_is_taken_where_it_is_cheapest():
    costs = th.CostMatrix.equal(range(3)).with_action("refer", 0.2)
    model = CostSensitiveClassifier(GaussianNB(), th.OperatingCondition(costs=costs)).fit(IRIS, SPECIES)
    unsure = model.predict_proba(IRIS).max(axis=1) < 0.8
    assert unsure.any()
    assert [action == "refer" for action in model.predict(IRIS)] == unsure.tolist()
    assert model.decision_function(IRIS).shape == (150, 4)
    wrong = (~unsure) & (GaussianNB().fit(IRIS, SPECIES).predict(IRIS) != SPECIES)
    assert model.score(IRIS, SPECIES) == pytest.approx(-(0.2 * unsure.sum() + wrong.sum()) / 150)


@pytest.mark.parametrize(
    ("options", "labels", "error", "words"),
    [
        ({"condition": CONDITION}, SPECIES, th.errors.ConditionError, "two classes without names"),
        ({"condition": BY_NAME}, SPECIES, th.errors.LabelError, "no class"),
        ({"condition": BY_NAME, "positive": 1}, NAMES, th.errors.ArgumentError, "each class has its own"),
        ({"maximise": "f1", "positive": 1}, SPECIES == 1, th.errors.ArgumentError, "fit_weights=True"),
        ({"response": "decision_function"}, SPECIES, th.errors.ArgumentError, "has margins"),
    ],
)
def test_what_costs_cannot_be_of_is_refused(options, labels, error, words):
    with pytest.raises(error, match=words):
        CostSensitiveClassifier(LogisticRegression(), **options).fit(IRIS, labels)


def test_a_model_without_scores_is_refused():
    class Mute(RidgeClassifier):  # type: ignore[misc]
        def __getattribute__(self, name):
            if name == "decision_function":
                raise AttributeError(name)
            return super().__getattribute__(name)

    with pytest.raises(th.errors.ArgumentError, match="gives no scores"):
        Fitted(Mute()).fit(X, Y)
