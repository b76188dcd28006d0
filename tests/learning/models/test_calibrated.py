"""Maps are fitted on scores of rows the model has not learnt from, and applied to the model of all rows."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.learning import CalibratedModel, CostSensitiveClassifier

X, Y = make_classification(n_samples=600, n_redundant=8, weights=[0.7], flip_y=0.1, random_state=5)
TRAIN, TEST = np.arange(0, 600, 2), np.arange(1, 600, 2)


@parametrize_with_checks(
    [
        CalibratedModel(LogisticRegression(), cv=3),
        CalibratedModel(LinearSVC(random_state=0), method="platt", cv=3),
        CalibratedModel(RidgeClassifier(), method="vector", cv=3),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([CalibratedModel(LogisticRegression(), method=name, cv=3) for name in ("dirichlet", "auto")])
def test_scikit_learn_accepts_maps_that_choose_on_folds(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "isotonic"},
        {"method": "isotonic", "smoothing": "laplace", "interpolate": True},
        {"method": "histogram", "bins": 5, "smoothing": th.calibration.MEstimate(m=5, prior=0.3)},
        {"method": "platt"},
        {"method": "beta"},
        {"method": "temperature"},
    ],
)
def test_the_map_is_that_of_the_out_of_fold_ranking(options):
    model = CalibratedModel(GaussianNB(), cv=4, **options).fit(X[TRAIN], Y[TRAIN])
    folds = StratifiedKFold(4)
    scores = cross_val_predict(GaussianNB(), X[TRAIN], Y[TRAIN], cv=folds, method="predict_proba")[:, 1]
    fitted = th.calibration_map(th.rank(Y[TRAIN], scores), **options)
    assert model.map_ == fitted
    raw = GaussianNB().fit(X[TRAIN], Y[TRAIN]).predict_proba(X[TEST])[:, 1]
    np.testing.assert_array_equal(model.predict_proba(X[TEST])[:, 1], fitted(raw))
    calibrated, before = th.rank(Y[TEST], model.predict_proba(X[TEST])[:, 1]), th.rank(Y[TEST], raw)
    assert th.brier(calibrated) < th.brier(before)


def test_isotonic_agrees_with_the_peer_on_a_fitted_model():
    fitted = FrozenEstimator(LinearSVC(random_state=0).fit(X[:200], Y[:200]))
    ours = CalibratedModel(fitted, method="isotonic", interpolate=False).fit(X[200:], Y[200:])
    peer = CalibratedClassifierCV(fitted, method="isotonic").fit(X[200:], Y[200:])
    # The peer draws lines between knots where we step, so the two agree on the rows they were fitted on.
    np.testing.assert_allclose(ours.predict_proba(X[200:]), peer.predict_proba(X[200:]), atol=1e-12)


def test_either_label_may_be_positive():
    names = np.where(Y == 1, "ham", "spam")
    first = CalibratedModel(GaussianNB(), smoothing=th.calibration.MEstimate(m=5, prior=0.3), positive="ham").fit(
        X, names
    )
    plain = CalibratedModel(GaussianNB(), smoothing=th.calibration.MEstimate(m=5, prior=0.3)).fit(X, Y)
    np.testing.assert_allclose(first.predict_proba(X)[:, ::-1], plain.predict_proba(X))
    with pytest.raises(th.errors.PositiveLabelError):
        CalibratedModel(GaussianNB(), smoothing=th.calibration.MEstimate(m=5, prior=0.3)).fit(X, names)


def test_a_decision_function_is_mapped_as_it_is():
    model = CalibratedModel(LinearSVC(random_state=0), method="platt").fit(X[TRAIN], Y[TRAIN])
    assert model.map_.to_dict()["curve"]["on"] == "score"
    assert th.brier(th.rank(Y[TEST], model.predict_proba(X[TEST])[:, 1])) < 0.13
    with pytest.raises(th.errors.ArgumentError, match="beta calibration maps probabilities"):
        CalibratedModel(LinearSVC(), method="beta").fit(X, Y)


IRIS, SPECIES = load_iris(return_X_y=True)


@pytest.mark.parametrize("method", ["isotonic", "temperature", "vector", "dirichlet", "auto"])
def test_vectors_are_mapped_as_those_of_other_rows(method):
    costs = th.CostMatrix.by_class({2: 5}, range(3)) if method == "auto" else None
    model = CalibratedModel(GaussianNB(), method=method, condition=costs, cv=3).fit(IRIS, SPECIES)
    vectors = cross_val_predict(GaussianNB(), IRIS, SPECIES, cv=StratifiedKFold(3), method="predict_proba")
    fitted = th.calibration_map(th.segment(SPECIES, vectors), method=method, condition=costs)
    assert model.map_ == fitted
    raw = GaussianNB().fit(IRIS, SPECIES).predict_proba(IRIS)
    np.testing.assert_array_equal(model.predict_proba(IRIS), fitted(raw))
    assert model.calibrated_ == th.segment(SPECIES, fitted(vectors))


def test_margins_of_classes_become_probabilities():
    model = CalibratedModel(LinearSVC(random_state=0), method="dirichlet", cv=3).fit(IRIS, SPECIES)
    assert th.log_loss(th.segment(SPECIES, model.predict_proba(IRIS))) < 0.2
    assert (model.predict(IRIS) == SPECIES).mean() > 0.93


def test_a_temperature_of_separated_classes_stays_finite():
    model = CalibratedModel(LogisticRegression(), method="temperature").fit(IRIS, SPECIES == 0)
    assert [caution.code for caution in model.map_.cautions] == ["separable"]
    assert model.predict_proba(IRIS).max() < 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "platt"}, r"CalibratedModel\(method='dirichlet'\)"),
        ({"method": "vector", "positive": 1}, "each class has its own"),
        ({"method": "vector", "condition": th.CostMatrix.equal(range(3))}, "vector calibration knows no costs"),
        ({"method": "auto", "condition": th.OperatingCondition()}, "no cost matrix"),
        ({"positive": 1}, "and the target has 3"),
    ],
)
def test_what_three_classes_cannot_have_is_refused(options, words):
    with pytest.raises(th.errors.ThresherError, match=words):
        CalibratedModel(GaussianNB(), **options).fit(IRIS, SPECIES)


def test_unknown_methods_and_options_are_refused():
    with pytest.raises(th.errors.ArgumentError, match="method must be one of"):
        CalibratedModel(GaussianNB(), method="sigmoid").fit(X, Y)  # type: ignore[arg-type]
    with pytest.raises(th.errors.ArgumentError, match="platt has no option bins"):
        CalibratedModel(GaussianNB(), method="platt", bins=3).fit(X, Y)


def test_it_nests_in_a_threshold_a_pipeline_and_a_grid():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    inner = CalibratedModel(make_pipeline(StandardScaler(), GaussianNB()), method="platt")
    grid = GridSearchCV(inner, {"method": ["platt", "isotonic"]}, scoring="neg_brier_score").fit(frame, Y)
    assert set(grid.cv_results_["param_method"]) == {"platt", "isotonic"}
    model = CostSensitiveClassifier(inner, th.OperatingCondition(cost_ratio=3)).fit(frame, Y)
    assert list(model.feature_names_in_) == list(frame.columns)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    assert clone(model).get_params()["estimator__method"] == "platt"
