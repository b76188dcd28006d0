import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from tests.calibration import oracles
from tests.golden import probabilities as golden
from tests.strategies import labelled_scores, two_class_rankings
from thresher import auc, rank
from thresher.calibration import CalibrationMap, MEstimate, brier, calibration_map, recalibrate
from thresher.errors import ArgumentError, MissingValueError, NotationError, OneClassError, ProbabilityError, ScoreError
from thresher.ranking import Ranking

EMAILS = rank(golden.EMAIL_LABELS, golden.EMAIL_SCORES)
METHODS = ["isotonic", "platt", "beta", "temperature", "histogram"]


def test_r5_the_hull_is_the_map():
    isotonic = calibration_map(EMAILS)
    assert isotonic(golden.EMAIL_SCORES) == pytest.approx(golden.R5_PROBABILITIES)
    assert (isotonic.auc_before, isotonic.auc_after) == pytest.approx(golden.R5_AUC)
    assert isotonic.cautions == ()


def test_r6_with_the_laplace_correction():
    corrected = calibration_map(EMAILS, smoothing="laplace")
    assert corrected(golden.EMAIL_SCORES) == pytest.approx(golden.R6_PROBABILITIES)
    same = calibration_map(EMAILS, smoothing=MEstimate(m=2, prior=0.5))
    assert same(golden.EMAIL_SCORES) == pytest.approx(golden.R6_PROBABILITIES)


@given(two_class_rankings)
def test_isotonic_is_the_best_monotone_map_of_its_rows(ranking):
    fitted = calibration_map(ranking)
    assert fitted(ranking.score) == pytest.approx(oracles.pooled_probability(ranking))
    assert fitted.auc_before == auc(ranking)
    assert fitted.auc_after == auc(recalibrate(ranking, fitted))
    assert fitted.auc_after >= fitted.auc_before - 1e-12


@pytest.mark.parametrize("interpolate", [False, True])
def test_isotonic_does_not_fall_where_weights_round(interpolate):
    weights = [2.8, 1.6, 1.6799999999999997, 0.9600000000000002]  # 7/11 twice, but for the last digit
    ranking = rank([1, 0, 1, 0], [0.8, 0.8, 0.4, 0.4], weights=weights)
    fitted = calibration_map(ranking, interpolate=interpolate)
    low, high = fitted([0.4, 0.8])
    assert low == high == pytest.approx(7 / 11)
    assert fitted.cautions == ()


@pytest.mark.parametrize("weighted", [False, True])
def test_peer_scikit_learn_isotonic_regression(weighted):
    rng = np.random.default_rng(18)
    score = rng.normal(size=600).round(1)
    label = rng.random(600) < 1 / (1 + np.exp(-score))
    weight = rng.random(600) if weighted else None
    peer = IsotonicRegression().fit_transform(score, label, sample_weight=weight)
    ours = calibration_map(rank(label, score, weights=weight))(score)
    assert ours == pytest.approx(peer)


@given(oracles.probability_rankings())
def test_weights_are_replicates(ranking):
    for options in ({}, {"smoothing": "laplace"}, {"interpolate": True}, {"method": "histogram", "bins": 3}):
        weighted = calibration_map(oracles.weighted(ranking, 4), **options)
        replicated = calibration_map(oracles.replicated(ranking, 4), **options)
        assert weighted(ranking.score) == pytest.approx(replicated(ranking.score))


def test_trap_18_both_aucs_are_reported_and_so_is_reordering():
    tree = Ranking.parse("[1+][99+,1-][9-]")
    fitted = calibration_map(tree, smoothing="laplace")
    assert [caution.code for caution in fitted.cautions] == ["reordered"]
    assert fitted.auc_before == auc(tree)
    assert fitted.auc_after == auc(recalibrate(tree, fitted)) < fitted.auc_before
    assert calibration_map(tree).cautions == ()


@pytest.mark.parametrize("method", METHODS)
def test_both_aucs_for_every_method(method):
    fitted = calibration_map(EMAILS, method=method)
    assert fitted.auc_before == auc(EMAILS)
    assert fitted.auc_after == auc(recalibrate(EMAILS, fitted))


def test_the_textbook_s_ramps():
    ramps = calibration_map(EMAILS, interpolate=True)
    assert ramps([0.77, 0.74, 0.32, 0.28]) == pytest.approx([5 / 6, 2 / 3, 2 / 3, 1 / 3])
    assert brier(recalibrate(EMAILS, ramps)) == pytest.approx(2 / 15)
    assert ramps.auc_after == auc(recalibrate(EMAILS, ramps)) == pytest.approx(5 / 6)
    corrected = calibration_map(EMAILS, interpolate=True, smoothing="laplace")
    assert corrected(golden.EMAIL_SCORES) == pytest.approx(golden.R6_PROBABILITIES)


@given(
    labelled_scores(both_classes=True),
    st.sampled_from([{}, {"smoothing": "laplace"}, {"method": "histogram", "bins": 3}]),
)
def test_steps_and_ramps_give_each_pool_its_value(rows, options):
    ranking = rank(*rows)
    steps = calibration_map(ranking, **options)
    assert steps.auc_after == auc(recalibrate(ranking, steps))
    if np.isfinite(ranking.score).all():
        ramps = calibration_map(ranking, interpolate=True, **options)
        assert ramps(ranking.score).tolist() == steps(ranking.score).tolist()
        assert ramps.auc_after == steps.auc_after


@given(
    st.lists(st.tuples(st.integers(-40, 40), st.booleans()), min_size=2, max_size=60),
    st.lists(st.floats(-50, 50), min_size=1, max_size=20),
)
def test_peer_scikit_learn_draws_the_same_ramps(rows, new):
    score, label = (np.array(column) for column in zip(*rows, strict=True))
    label[:2] = [True, False]
    peer = IsotonicRegression(out_of_bounds="clip").fit(score / 8, label)
    ours = calibration_map(rank(label, score / 8), interpolate=True)
    assert ours(new) == pytest.approx(peer.predict(new), abs=1e-9)


def test_histogram_gives_each_bin_its_proportion_and_says_when_it_falls():
    fitted = calibration_map(EMAILS, method="histogram", bins=5)
    assert fitted(golden.EMAIL_SCORES) == pytest.approx([1, 1, 0.5, 0.5, 0.5, 0.5, 1, 1, 0, 0])
    assert fitted([0.99, 0.75, 0.50]).tolist() == [1, 0.5, 0.5]
    assert [caution.code for caution in fitted.cautions] == ["not-rising"]
    halves = calibration_map(EMAILS, method="histogram", bins=2, smoothing="laplace")
    assert halves([0.9, 0.1]) == pytest.approx([5 / 7, 3 / 7])
    assert halves.cautions == ()


@pytest.mark.parametrize("options", [{}, {"interpolate": True}, {"smoothing": "laplace"}])
def test_scores_far_outside_are_extended(options):
    fitted = calibration_map(EMAILS, **options)
    assert fitted([np.inf, 1e300, -1e300, -np.inf]).tolist() == fitted([0.89, 0.89, 0.13, 0.13]).tolist()


@pytest.mark.parametrize("method", METHODS)
def test_any_shape_and_float32(method):
    fitted = calibration_map(EMAILS, method=method)
    assert fitted([[0.5, 0.6], [0.1, 0.9]]).shape == (2, 2)
    assert np.ndim(fitted(0.5)) == 0
    assert fitted([]).shape == (0,)
    assert fitted(np.array([0.5], np.float32)).dtype == np.float64


ALL_OPTIONS = [
    {"method": "isotonic"},
    {"method": "isotonic", "interpolate": True, "smoothing": "laplace"},
    {"method": "histogram", "bins": 4},
    {"method": "platt"},
    {"method": "platt", "on": "score", "targets": "counts"},
    {"method": "beta"},
    {"method": "temperature"},
]


@given(oracles.probability_rankings(), st.sampled_from(ALL_OPTIONS))
def test_json_and_back_is_the_identity(ranking, options):
    try:
        fitted = calibration_map(ranking, **options)
    except ArgumentError:
        fitted = calibration_map(EMAILS, **options)  # the drawn one is separable
    again = CalibrationMap.from_json(fitted.to_json())
    assert again == fitted
    assert again.to_json() == fitted.to_json()
    grid = np.linspace(0, 1, 101)
    assert again(grid).tolist() == fitted(grid).tolist()
    assert pickle.loads(pickle.dumps(fitted)) == fitted  # noqa: S301


def test_json_carries_infinite_scores_and_cautions():
    fitted = calibration_map(Ranking([np.inf, 0, -np.inf], [2, 1, 0], [0, 1, 2]))
    assert CalibrationMap.from_json(fitted.to_json()) == fitted
    certain = calibration_map(Ranking([1, 0.8, 0.3, 0], [9, 6, 2, 1], [1, 2, 6, 9]), method="platt")
    again = CalibrationMap.from_json(certain.to_json())
    assert again.cautions == certain.cautions
    assert json.loads(certain.to_json())["format"] == "thresher/calibration-map/1"


@pytest.mark.parametrize(
    "change",
    [
        {"format": "thresher/ranking/1"},
        {"method": "spline"},
        {"curve": {}},
        {"curve": None},
        {"curve": {"score": "up", "probability": [1], "interpolate": False}},
        {"cautions": [{"code": "unheard-of", "text": ""}]},
        {"auc_after": None},
    ],
)
def test_what_is_no_map_is_refused(change):
    with pytest.raises(NotationError):
        CalibrationMap.from_dict(calibration_map(EMAILS).to_dict() | change)


@pytest.mark.parametrize("text", ["{", "[]", "null", None])
def test_what_is_no_json_object_is_refused(text):
    with pytest.raises(NotationError):
        CalibrationMap.from_json(text)


def test_nan_and_texts_are_refused():
    fitted = calibration_map(EMAILS)
    with pytest.raises(MissingValueError, match="1 of 2 scores are NaN"):
        fitted([0.5, np.nan])
    with pytest.raises(ScoreError):
        fitted(["0.5"])


def test_trap_31_maps_on_log_odds_refuse_what_is_no_probability():
    with pytest.raises(ProbabilityError):
        calibration_map(EMAILS, method="platt")([1.5])
    assert calibration_map(EMAILS, method="platt", on="score")([1.5])[0] > 0.5


@pytest.mark.parametrize("method", METHODS)
def test_one_class_has_no_map(method):
    with pytest.raises(OneClassError):
        calibration_map(Ranking([0.5, 0.4], [1, 1], [0, 0]), method=method)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"method": "spline"}, "'spline'"),
        ({"method": "platt", "smoothing": "laplace"}, "platt has no option smoothing"),
        ({"method": "isotonic", "on": "score"}, "isotonic has no option on"),
        ({"method": "beta", "interpolate": True}, "beta has no option interpolate"),
        ({"method": "isotonic", "bins": 5}, "isotonic has no option bins"),
        ({"method": "histogram", "bins": 0}, "bins must be"),
        ({"smoothing": "jeffreys"}, "'jeffreys'"),
    ],
)
def test_options_a_method_does_not_know_are_refused(options, match):
    with pytest.raises(ArgumentError, match=match):
        calibration_map(EMAILS, **options)


@pytest.mark.parametrize("method", METHODS)
def test_calibrating_lowers_the_brier_score_of_fresh_rows(method):
    rng = np.random.default_rng(19)
    score = rng.random(4000)
    label = rng.random(4000) < score**3
    fit_on, fresh = rank(label[:2000], score[:2000]), rank(label[2000:], score[2000:])
    assert brier(recalibrate(fresh, calibration_map(fit_on, method=method))) < brier(fresh)
