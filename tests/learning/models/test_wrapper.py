"""Tests of wrapper."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

import thresher as th
from thresher.learning import CalibratedModel, GroupedModel, ThresholdClassifier
from thresher.learning.data.target import binary_target
from thresher.learning.models.wrapper import ProbableClassifier, out_of_fold, positive_scores, response_of
from thresher.learning.validation.folds import inner_splits

X, Y = make_classification(n_samples=100, random_state=1)


@pytest.mark.parametrize(
    ("model", "method"),
    [(LogisticRegression(), "predict_proba"), (LogisticRegression(), "decision_function"), (RidgeClassifier(), None)],
)
def test_turning_the_classes_round_turns_the_ranking_round(model, method):
    method = method or response_of(model, "auto")
    model.fit(X, Y)
    first, second = (positive_scores(model, X, method=method, positive=place) for place in (0, 1))
    assert th.auc(th.rank(Y, second)) > 0.8
    assert th.auc(th.rank(Y == 0, first)) == th.auc(th.rank(Y, second))


def test_of_several_classes_the_column_is_taken():
    data, labels = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=500).fit(data, labels)
    for place in range(3):
        scores = positive_scores(model, data, method="decision_function", positive=place)
        np.testing.assert_array_equal(scores, model.decision_function(data)[:, place])


def test_the_method_asked_for_must_exist():
    assert response_of(DecisionTreeClassifier(), "auto") == "predict_proba"
    with pytest.raises(th.ArgumentError, match="RidgeClassifier has no predict_proba"):
        response_of(RidgeClassifier(), "predict_proba")


RNG = np.random.default_rng(0)
X_OF_OUT_OF_FOLD, LABELS = RNG.normal(size=(60, 3)), RNG.integers(0, 2, 60)
TARGET = binary_target(LABELS, positive=None, matters=True)


def found(splits, **options):
    one = KNeighborsClassifier(1)
    return out_of_fold(one, X_OF_OUT_OF_FOLD, TARGET, splits=splits, method="predict_proba", parameters={}, **options)


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
    splits = list(ShuffleSplit(4, test_size=0.25, random_state=0).split(X_OF_OUT_OF_FOLD))
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


X_OF_WRAPPED, Y_OF_WRAPPED = make_classification(n_samples=120, random_state=0)
WRAPPERS = [ThresholdClassifier, CalibratedModel, GroupedModel]


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_the_inner_model_is_fitted_on_all_rows_and_the_given_one_untouched(wrapper):
    inner = LogisticRegression()
    model = wrapper(inner, cv=3).fit(X_OF_WRAPPED, Y_OF_WRAPPED)
    np.testing.assert_array_equal(model.estimator_.coef_, LogisticRegression().fit(X_OF_WRAPPED, Y_OF_WRAPPED).coef_)
    assert not hasattr(inner, "coef_")
    assert model.ranking_.total == 120
    assert model.n_features_in_ == 20
    np.testing.assert_array_equal(model.scores(X_OF_WRAPPED), model.estimator_.predict_proba(X_OF_WRAPPED)[:, 1])


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_wrappers_share_one_out_of_fold_ranking(wrapper):
    first = ThresholdClassifier(LogisticRegression(), cv=4).fit(X_OF_WRAPPED, Y_OF_WRAPPED).ranking_
    assert wrapper(LogisticRegression(), cv=4, n_jobs=2).fit(X_OF_WRAPPED, Y_OF_WRAPPED).ranking_ == first


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_tags_are_the_inner_models_and_two_classes(wrapper):
    tags = get_tags(wrapper(HistGradientBoostingClassifier()))
    assert tags.input_tags.allow_nan
    assert not tags.classifier_tags.multi_class
    with pytest.raises(NotFittedError):
        wrapper(LogisticRegression()).predict(X_OF_WRAPPED)


PATIENT = np.repeat(np.arange(60), 5)
ILL = np.random.default_rng(0).permutation(60)[PATIENT] % 2 == 0
# What is measured tells who it is and nothing else, so rows of other patients say nothing.
NOISE = np.random.default_rng(1).normal(size=(60, 2))[PATIENT] + np.random.default_rng(2).normal(0, 0.01, (300, 2))
NEAREST = KNeighborsClassifier(1)
SHUFFLED = StratifiedKFold(5, shuffle=True, random_state=0)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("inner", [NEAREST, make_pipeline(StandardScaler(), NEAREST)])
def test_groups_stay_together_within_a_number_of_folds(wrapper, inner):
    torn = wrapper(inner, cv=SHUFFLED, positive=True).fit(NOISE, ILL)
    kept = wrapper(inner, cv=5, positive=True).fit(NOISE, ILL, groups=PATIENT)
    assert th.auc(torn.ranking_) > 0.95  # a patient's other rows give her away
    assert th.auc(kept.ranking_) < 0.65


def test_a_map_that_tore_groups_apart_is_sure_of_itself():
    fresh = np.random.default_rng(5).normal(size=(400, 2))
    torn = CalibratedModel(NEAREST, method="platt", cv=SHUFFLED).fit(NOISE, ILL)
    kept = CalibratedModel(NEAREST, method="platt", cv=5).fit(NOISE, ILL, groups=PATIENT)
    assert np.abs(torn.predict_proba(fresh)[:, 1] - 0.5).mean() > 0.4
    assert np.abs(kept.predict_proba(fresh)[:, 1] - 0.5).mean() < 0.2


@pytest.mark.parametrize("steps", [lambda model: model, lambda model: make_pipeline(StandardScaler(), model)])
def test_groups_are_handed_on_to_wrappers_within(steps):
    within = steps(CalibratedModel(NEAREST, method="platt", cv=5))
    both = ThresholdClassifier(within, cv=5).fit(NOISE, ILL, groups=PATIENT)
    last = both.estimator_[-1] if hasattr(both.estimator_, "steps") else both.estimator_
    assert th.auc(last.ranking_) < 0.65


def test_times_run_forward_within_a_number_of_folds():
    day = np.random.default_rng(0).permutation(120)
    model = CalibratedModel(LogisticRegression(), method="platt", cv=3).fit(X_OF_WRAPPED, Y_OF_WRAPPED, times=day)
    splits = inner_splits(3, Y_OF_WRAPPED == 1, {"times": day})
    assert model.ranking_.total == sum(test.size for _, test in splits) < 120


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_groups_and_times_are_one_per_row(wrapper):
    for name in ("groups", "times"):
        with pytest.raises(th.LengthError, match=f"3 {name} for 120 rows"):
            wrapper(LogisticRegression()).fit(X_OF_WRAPPED, Y_OF_WRAPPED, **{name: [1, 2, 3]})


def test_calibrated_rankings_are_the_maps():
    model = CalibratedModel(LogisticRegression(), method="platt", cv=3).fit(X_OF_WRAPPED, Y_OF_WRAPPED)
    np.testing.assert_allclose(model.calibrated_ranking_.score, model.map_(model.ranking_.score))
    assert model.calibrated_ranking_.Pos == model.ranking_.Pos


FLAGS = RNG.random(120) < 0.4
X_OF_PROBABLE = RNG.normal(size=(120, 2)) + 2 * FLAGS[:, None]
Y_OF_PROBABLE = np.where(FLAGS, "ill", "well")
MODELS = [CalibratedModel(GaussianNB(), method="platt"), GroupedModel(GaussianNB(), boundaries=4)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("positive", ["ill", "well"])
def test_columns_follow_the_labels(model, positive):
    model = model.set_params(positive=positive).fit(X_OF_PROBABLE, Y_OF_PROBABLE)
    assert isinstance(model, ProbableClassifier)
    found = model.predict_proba(X_OF_PROBABLE)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found[FLAGS, 0].mean() > 0.7 > found[~FLAGS, 0].mean()
    np.testing.assert_array_equal(model.predict(X_OF_PROBABLE), model.classes_[found.argmax(axis=1)])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_nothing_is_said_before_fitting(model):
    with pytest.raises(NotFittedError):
        type(model)(GaussianNB()).predict_proba(X_OF_PROBABLE)
    with pytest.raises(NotImplementedError):
        ProbableClassifier()._probability(X_OF_PROBABLE)
