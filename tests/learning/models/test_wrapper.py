"""Tests of wrapper."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

import thresher as th
from thresher.learning import CalibratedModel, CostSensitiveClassifier, GroupedModel
from thresher.learning.models.wrapper import ClassifierWrapper
from thresher.learning.validation.folds import inner_splits

RNG = np.random.default_rng(0)
X, Y = make_classification(n_samples=120, random_state=0)
Fitted = partial(CostSensitiveClassifier, fit_weights=True)
WRAPPERS = [Fitted, CalibratedModel, GroupedModel]
NOISY, LABELS = RNG.normal(size=(60, 3)), RNG.integers(0, 2, 60)


def ranked(splits, **options):
    return Fitted(KNeighborsClassifier(1), cv=splits).fit(NOISY, LABELS, **options).ranking_


def test_a_nearest_neighbour_never_meets_itself():
    """On random labels one neighbour is right every time if and only if it has seen the row."""
    rows = np.arange(60)
    ranking = ranked([(rows[rows % 5 != k], rows[rows % 5 == k]) for k in range(5)])
    assert ranking.total == 60
    assert 0.2 < th.auc(ranking) < 0.8


def test_rows_may_be_tested_often_or_never_and_weights_follow():
    splits = list(ShuffleSplit(4, test_size=0.25, random_state=0).split(NOISY))
    weights = np.arange(60.0)
    tested = np.concatenate([test for _, test in splits])
    assert ranked(splits).total == 60
    model = Fitted(GaussianNB(), cv=splits).fit(NOISY, LABELS, sample_weight=weights)
    assert model.ranking_.total == pytest.approx(weights[tested].sum())


def test_folds_that_cannot_teach_or_test_are_named():
    rows = np.arange(60)
    with pytest.raises(th.errors.OneClassError, match="fold 1 lack class 0"):
        ranked([(rows[:40], rows[40:]), (rows[LABELS == 1], rows[LABELS == 0])])
    with pytest.raises(th.errors.ArgumentError, match="fold 0 has no test rows"):
        ranked([(rows, rows[:0])])


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_the_inner_model_is_fitted_on_all_rows_and_the_given_one_untouched(wrapper):
    inner = LogisticRegression()
    model = wrapper(inner, cv=3).fit(X, Y)
    np.testing.assert_array_equal(model.estimator_.coef_, LogisticRegression().fit(X, Y).coef_)
    assert not hasattr(inner, "coef_")
    assert model.ranking_.total == 120
    assert model.n_features_in_ == 20
    np.testing.assert_array_equal(model.scores(X), model.estimator_.predict_proba(X)[:, 1])


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_wrappers_share_one_out_of_fold_ranking(wrapper):
    first = Fitted(LogisticRegression(), cv=4).fit(X, Y).ranking_
    assert wrapper(LogisticRegression(), cv=4, n_jobs=2).fit(X, Y).ranking_ == first


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_tags_are_the_inner_models_and_those_of_the_map(wrapper):
    tags = get_tags(wrapper(HistGradientBoostingClassifier()))
    assert tags.input_tags.allow_nan
    assert tags.classifier_tags.multi_class == (wrapper is not GroupedModel)
    assert not get_tags(CalibratedModel(HistGradientBoostingClassifier(), method="platt")).classifier_tags.multi_class
    with pytest.raises(NotFittedError):
        wrapper(LogisticRegression()).predict(X)


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
    together = wrapper(inner, cv=5, positive=True).fit(NOISE, ILL, groups=PATIENT)
    assert th.auc(torn.ranking_) > 0.95  # a patient's other rows give her away
    assert th.auc(together.ranking_) < 0.65


def test_a_map_that_tore_groups_apart_is_sure_of_itself():
    fresh = np.random.default_rng(5).normal(size=(400, 2))
    torn = CalibratedModel(NEAREST, method="platt", cv=SHUFFLED).fit(NOISE, ILL)
    together = CalibratedModel(NEAREST, method="platt", cv=5).fit(NOISE, ILL, groups=PATIENT)
    assert np.abs(torn.predict_proba(fresh)[:, 1] - 0.5).mean() > 0.4
    assert np.abs(together.predict_proba(fresh)[:, 1] - 0.5).mean() < 0.2


@pytest.mark.parametrize("steps", [lambda model: model, lambda model: make_pipeline(StandardScaler(), model)])
def test_groups_reach_wrappers_within(steps):
    within = steps(CalibratedModel(NEAREST, method="platt", cv=5))
    both = Fitted(within, cv=5).fit(NOISE, ILL, groups=PATIENT)
    last = both.estimator_[-1] if hasattr(both.estimator_, "steps") else both.estimator_
    assert th.auc(last.ranking_) < 0.65


def test_times_run_forward_within_a_number_of_folds():
    day = np.random.default_rng(0).permutation(120)
    model = CalibratedModel(LogisticRegression(), method="platt", cv=3).fit(X, Y, times=day)
    splits = inner_splits(3, Y == 1, {"times": day})
    assert model.ranking_.total == sum(split.test.size for split in splits) < 120


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_groups_and_times_are_one_per_row(wrapper):
    for name in ("groups", "times"):
        with pytest.raises(th.errors.LengthError, match=f"3 {name} for 120 rows"):
            wrapper(LogisticRegression()).fit(X, Y, **{name: [1, 2, 3]})


def test_calibrated_rankings_are_the_maps():
    model = CalibratedModel(LogisticRegression(), method="platt", cv=3).fit(X, Y)
    assert isinstance(model.calibrated_, th.Ranking)
    np.testing.assert_allclose(model.calibrated_.score, model.map_(model.ranking_.score))
    assert model.calibrated_.Pos == model.ranking_.Pos


FLAGS = RNG.random(120) < 0.4
SHIFTED = RNG.normal(size=(120, 2)) + 2 * FLAGS[:, None]
WORDS = np.where(FLAGS, "ill", "well")
MODELS = [CalibratedModel(GaussianNB(), method="platt"), GroupedModel(GaussianNB(), boundaries=4)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("positive", ["ill", "well"])
def test_columns_follow_the_labels(model, positive):
    model = model.set_params(positive=positive).fit(SHIFTED, WORDS)
    assert isinstance(model, ClassifierWrapper)
    result = model.predict_proba(SHIFTED)
    np.testing.assert_allclose(result.sum(axis=1), 1)
    assert result[FLAGS, 0].mean() > 0.7 > result[~FLAGS, 0].mean()
    np.testing.assert_array_equal(model.predict(SHIFTED), model.classes_[result.argmax(axis=1)])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_nothing_is_predicted_before_fitting(model):
    with pytest.raises(NotFittedError):
        type(model)(GaussianNB()).predict_proba(SHIFTED)


def test_the_base_class_is_not_a_model():
    with pytest.raises(TypeError, match="abstract"):
        ClassifierWrapper(GaussianNB())
