import copy
import json
import math
import pickle

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

import thresher as th
from tests.calibration import oracles
from tests.golden import probabilities as golden
from thresher import rank, segment
from thresher.calibration import (
    LogLoss,
    brier,
    calibration_map,
    log_loss,
    recalibrate,
    squared_error,
)
from thresher.calibration.scores import numbers, plain_array, probabilities_in
from thresher.errors import (
    ArgumentError,
    EmptyError,
    LabelError,
    LengthError,
    MissingValueError,
    ProbabilityError,
    ScoreError,
    WeightError,
)
from thresher.ranking import Ranking
from thresher.tables import contingency_at


def test_numbers_keep_their_shape_and_exact_value():
    assert numbers(np.array([[0.1, 0.2]], np.float32), name="x").tolist() == [
        [float(np.float32(0.1)), float(np.float32(0.2))]
    ]
    assert numbers(3, name="x").shape == ()


def test_nan_is_refused_with_counts_and_rows():
    with pytest.raises(MissingValueError, match=r"2 of 4 scores are NaN \(first at rows 1, 3\)"):
        numbers([0, np.nan, 1, np.nan], name="scores")


def test_masked_entries_are_missing():
    with pytest.raises(MissingValueError, match="1 of 2"):
        numbers(np.ma.masked_equal([1, 2], 2), name="scores")


def test_ragged_rows_and_texts_are_refused():
    with pytest.raises(LengthError, match="different lengths"):
        plain_array([[1], [1, 2]], name="counts")
    with pytest.raises(ScoreError, match="must be numbers"):
        numbers(["a"], name="scores")


@pytest.mark.parametrize("bad", [-1e-300, 1.0000000000000002, np.inf, -np.inf])
def test_a_probability_lies_in_zero_to_one(bad):
    with pytest.raises(ProbabilityError, match="1 of 3 numbers are no probabilities") as caught:
        probabilities_in([0, bad, 1])
    assert f"{bad:g} at rows 1" in caught.value.what


def test_many_bad_values_are_not_all_shown():
    with pytest.raises(ProbabilityError) as caught:
        probabilities_in([2] * 9)
    assert "first 2, 2, 2, 2, 2, … at rows 0, 1, 2, 3, 4, …" in caught.value.what


def test_rows_of_a_matrix_are_rows_and_not_entries():
    with pytest.raises(th.errors.MissingValueError, match="first at rows 2"):
        segment([1, 2, 3], [[0.5, 0.5, 0], [0.5, 0.5, 0], [0.5, 0.5, math.nan]])
    with pytest.raises(th.errors.ProbabilityError, match="at row 1"):
        segment([1, 2, 3], [[0.5, 0.5, 0], [1.5, -0.5, 0], [0.5, 0.5, 0]])


HALVES = [[0.5, 0.5], [0.5, 0.5]]


def test_lengths_must_agree():
    with pytest.raises(LengthError, match=r"labels 2, weights 3, probabilities\[:, 0\] 2"):
        segment([0, 1], HALVES, weights=[1, 2, 3])
    with pytest.raises(LengthError, match="2 columns, and there are 3 classes"):
        segment([0, 1], HALVES, classes=[0, 1, 2])


@pytest.mark.parametrize("bad", [[0.5, 0.5], [[[0.5, 0.5]]], None, 5, "x"])
def test_a_matrix_has_rows_and_columns(bad):
    with pytest.raises(LengthError, match="a matrix of them has rows and columns"):
        segment([0, 1], bad)


def test_a_matrix_has_rows_and_a_column_for_each_of_two_classes_or_more():
    with pytest.raises(EmptyError):
        segment([0, 1], HALVES, weights=[0, 0])
    with pytest.raises(EmptyError):
        segment([], np.empty((0, 3)))
    with pytest.raises(LengthError, match="there is one class, 1, and one column"):
        segment([1, 1], [[1.0], [1.0]])


@pytest.mark.parametrize("case", golden.P1, ids=lambda case: case.id)
def test_p1_squared_error_of_three_classes(case):
    error = squared_error([case.true_class], [case.prediction], classes=[1, 2, 3])
    assert error == pytest.approx([case.expected], abs=0.005 if case.expected > 0.5 else 5e-9)


@pytest.mark.parametrize("leaf", golden.P2, ids=lambda leaf: leaf.id)
def test_p2_squared_errors_of_a_leaf(leaf):
    ranking = Ranking([leaf.predicted], [leaf.pos], [leaf.neg])
    assert brier(ranking) * ranking.total == pytest.approx(leaf.squared_errors, abs=0.005)


def test_p2_mean_over_the_tree():
    tree = Ranking([1 / 3, 2 / 3, 4 / 5], [20, 10, 20], [40, 5, 5])
    assert round(brier(tree), 2) == golden.P2_MEAN
    assert brier(tree) == pytest.approx((40 / 3 + 10 / 3 + 4) / 100)


@given(st.integers(0, 30), st.integers(0, 30), st.floats(0, 1))
def test_p3_leaf_identity(pos, neg, p):
    n = pos + neg
    if n:
        share = pos / n
        assert n * brier(Ranking([p], [pos], [neg])) == pytest.approx(n * ((p - share) ** 2 + share * (1 - share)))


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(1, 9))
def test_p5_categorical_predictions_score_their_error_rate(tp, fp, fn, tn):
    ranking = Ranking([1, 0], [tp, fn], [fp, tn])
    assert brier(ranking) == pytest.approx(contingency_at(ranking, 0.5).error_rate)


def test_r5_before_and_after_calibration():
    emails = rank(golden.EMAIL_LABELS, golden.EMAIL_SCORES)
    after = recalibrate(emails, calibration_map(emails))
    assert (round(brier(emails), 3), round(brier(after), 3)) == golden.R5_BRIER


@pytest.mark.parametrize("case", golden.BRIER, ids=lambda case: case.id)
def test_reference_values(case):
    assert brier(rank(case.labels, case.scores)) == pytest.approx(case.brier)


@given(oracles.probability_rankings(both_classes=False))
def test_brier_is_the_mean_over_cases(ranking):
    assert brier(ranking) == pytest.approx(oracles.brier(ranking))
    assert brier(oracles.weighted(ranking, 3)) == pytest.approx(brier(oracles.replicated(ranking, 3)))
    assert 0 <= brier(ranking) <= 1


def test_brier_keeps_its_digits_where_cases_are_nearly_certain():
    assert brier(Ranking([1 - 2**-30], [5], [0])) == 2.0**-60


def test_peer_scikit_learn():
    rng = np.random.default_rng(1)
    score, weight = rng.random(500).round(2), rng.random(500)
    label = rng.random(500) < score**2
    assert brier(rank(label, score)) == pytest.approx(brier_score_loss(label, score))
    assert brier(rank(label, score, weights=weight)) == pytest.approx(
        brier_score_loss(label, score, sample_weight=weight)
    )
    matrix = rng.dirichlet([1, 2, 3], size=200)
    of_three = rng.integers(0, 3, size=200)
    peer = brier_score_loss(of_three, matrix, labels=[0, 1, 2])  # without the factor ½
    assert brier(segment(of_three, matrix)) == pytest.approx(peer / 2)


@given(oracles.probability_rankings())
def test_two_classes_are_a_case_of_many(ranking):
    rows = oracles.cases(ranking)
    matrix = [[1 - score, score] for _, score in rows]
    assert brier(segment([positive for positive, _ in rows], matrix)) == pytest.approx(brier(ranking))


def test_weights_and_texts_in_another_order_of_classes():
    p = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.8, 0.1]]
    by_weight = brier(segment(["c", "a", "a"], p, classes=["c", "a", "b"], weights=[1, 0, 2]))
    assert by_weight == pytest.approx(brier(segment(["c", "a", "a"], [p[0], p[1], p[1]], classes=["c", "a", "b"])))
    assert squared_error(["c"], p[:1], classes=["c", "a", "b"]) == pytest.approx([0.07])


@pytest.mark.parametrize("scores", [[1.5, 0.5], [0.5, -0.1], [np.inf, 0.5], [0.5, -np.inf], [20, 10]])
def test_trap_31_scores_outside_zero_to_one_are_refused_and_never_squashed(scores):
    with pytest.raises(ProbabilityError) as caught:
        brier(Ranking(scores, [1, 0], [0, 1]))
    assert "calibration_map" in caught.value.fix


def test_bad_matrices_and_labels():
    with pytest.raises(LengthError, match="pass classes="):
        brier(segment([1, 3], [[0.7, 0.1, 0.2], [0.7, 0.1, 0.2]]))
    with pytest.raises(LengthError, match="labels 1, probabilities"):
        brier(segment([1], [[0.5, 0.5], [0.5, 0.5]]))
    with pytest.raises(LabelError, match="not among the classes"):
        brier(segment([1, 7], [[0.5, 0.5], [0.5, 0.5]], classes=[1, 2]))
    with pytest.raises(MissingValueError):
        brier(segment([1, None], [[0.5, 0.5], [0.5, 0.5]], classes=[1, 2]))
    with pytest.raises(WeightError):
        brier(segment([1, 2], [[0.5, 0.5], [0.5, 0.5]], weights=[1, -1]))
    with pytest.raises(ProbabilityError, match="do not sum to 1"):
        squared_error([1, 2], [[0.5, 0.5], [0.5, 0.6]])


@given(oracles.probability_rankings(both_classes=False))
def test_log_loss_is_the_mean_over_cases(ranking):
    loss = log_loss(ranking)
    assert loss == pytest.approx(oracles.log_loss(ranking))
    wrong = sum(score == 1 - positive for positive, score in oracles.cases(ranking))
    assert loss.certain_and_wrong == wrong
    assert math.isinf(loss) == (wrong > 0)
    assert bool(loss.cautions) == (wrong > 0)


@given(oracles.probability_rankings(certain=False))
def test_weights_are_replicates_and_two_classes_a_case_of_many(ranking):
    rows = oracles.cases(ranking)
    matrix = [[1 - score, score] for _, score in rows]
    assert log_loss(oracles.weighted(ranking, 3)) == pytest.approx(log_loss(oracles.replicated(ranking, 3)))
    assert log_loss(segment([positive for positive, _ in rows], matrix)) == pytest.approx(log_loss(ranking))


def test_trap_14_certain_and_wrong_is_infinite_and_says_how_many():
    loss = log_loss(rank([1, 0, 0, 1], [1.0, 1.0, 0.0, 0.0]))
    assert loss == math.inf
    assert loss.certain_and_wrong == 2
    assert loss.cautions[0].code == "certain-and-wrong"
    assert "2 of 4 cases" in repr(loss)
    assert "2 of 4 cases" in f"{loss}"


def test_trap_14_float32_and_float64_give_the_same_answer():
    labels, scores = [1, 0, 1], [1.0, 1.0, 0.5]
    assert log_loss(rank(labels, np.array(scores, np.float32))) == log_loss(rank(labels, np.array(scores))) == math.inf


def test_trap_14_clipping_only_on_request_with_epsilon_shown():
    ranking = Ranking([1, 0.5], pos=[3, 1], neg=[1, 1])
    loss = log_loss(ranking, clip=1e-3)
    expected = -(3 * math.log(0.999) + math.log(0.001) + 2 * math.log(0.5)) / 6
    assert loss == pytest.approx(expected)
    assert loss.clip == 1e-3
    assert "0.001" in repr(loss)
    assert "1 of 6" in loss.cautions[0].text
    assert log_loss(Ranking([0.5], [1], [1]), clip=1e-3).cautions[0].code == "clipped"


def test_certain_and_right_costs_nothing():
    loss = log_loss(Ranking([1, 0], pos=[3, 0], neg=[0, 2]))
    assert loss == 0.0
    assert repr(loss) == "0.0"


def test_it_is_a_float_in_every_other_way():
    loss = log_loss(Ranking([0.5], [1], [1]))
    assert isinstance(loss, float)
    assert loss + 1 == pytest.approx(1 + math.log(2))
    assert f"{loss:.3f}" == "0.693"
    assert json.loads(json.dumps({"log_loss": loss})) == {"log_loss": float(loss)}


def test_copies_and_pickles_keep_the_count():
    loss = LogLoss(math.inf, certain_and_wrong=2, cases=9)
    for twin in (copy.copy(loss), pickle.loads(pickle.dumps(loss))):  # noqa: S301
        assert (twin, twin.certain_and_wrong, twin.cases, twin.clip) == (math.inf, 2, 9, None)


def test_peer_scikit_learn_log_loss():
    rng = np.random.default_rng(2)
    score, weight = rng.uniform(0.01, 0.99, 400).round(2), rng.random(400)
    label = rng.random(400) < score
    assert log_loss(rank(label, score)) == pytest.approx(sklearn.metrics.log_loss(label, score))
    assert log_loss(rank(label, score, weights=weight)) == pytest.approx(
        sklearn.metrics.log_loss(label, score, sample_weight=weight)
    )
    matrix, of_three = rng.dirichlet([1, 2, 3], size=400), rng.integers(0, 3, size=400)
    assert log_loss(segment(of_three, matrix, weights=weight)) == pytest.approx(
        sklearn.metrics.log_loss(of_three, matrix, sample_weight=weight)
    )


def test_many_classes_certain_and_wrong():
    p = [[0.99, 0, 0.01], [0.99, 0, 0.01], [0, 1, 0]]
    loss = log_loss(segment([2, 3, 2], p, classes=[1, 2, 3]))
    assert (loss, loss.certain_and_wrong, loss.cases) == (math.inf, 1, 3)
    without = log_loss(segment([2, 3, 2], p, classes=[1, 2, 3], weights=[0, 2, 1]))
    assert without == pytest.approx(-2 * math.log(0.01) / 3)
    assert without.certain_and_wrong == 0
    clipped = log_loss(segment([2], p[:1], classes=[1, 2, 3]), clip=1e-6)
    assert clipped == pytest.approx(-math.log(1e-6))
    assert clipped.certain_and_wrong == 1


@pytest.mark.parametrize("clip", [0, 0.5, -1, math.nan])
def test_clip_is_a_small_probability(clip):
    with pytest.raises(ArgumentError, match=r"clip must lie between 0 and 0\.5"):
        log_loss(Ranking([0.5], [1], [1]), clip=clip)


@pytest.mark.parametrize("score", [1.5, -0.5, math.inf, -math.inf])
def test_trap_31_no_probability_no_answer(score):
    with pytest.raises(ProbabilityError):
        log_loss(Ranking([score, 0.5], [1, 1], [1, 1]))
