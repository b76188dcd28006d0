import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from tests.calibration import oracles
from tests.golden import probabilities as golden
from thresher import rank
from thresher.calibration import brier, brier_multiclass, calibration_map, recalibrated, squared_error
from thresher.errors import LabelError, LengthError, MissingValueError, ProbabilityError, WeightError
from thresher.ranking import Ranking
from thresher.tables import contingency_at


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
    after = recalibrated(emails, calibration_map(emails))
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
    assert brier_multiclass(of_three, matrix) == pytest.approx(peer / 2)


@given(oracles.probability_rankings())
def test_two_classes_are_a_case_of_many(ranking):
    rows = oracles.cases(ranking)
    matrix = [[1 - score, score] for _, score in rows]
    assert brier_multiclass([positive for positive, _ in rows], matrix) == pytest.approx(brier(ranking))


def test_weights_and_texts_in_a_given_order_of_classes():
    p = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.8, 0.1]]
    by_weight = brier_multiclass(["c", "a", "a"], p, classes=["c", "a", "b"], weights=[1, 0, 2])
    assert by_weight == pytest.approx(brier_multiclass(["c", "a", "a"], [p[0], p[1], p[1]], classes=["c", "a", "b"]))
    assert squared_error(["c"], p[:1], classes=["c", "a", "b"]) == pytest.approx([0.07])


@pytest.mark.parametrize("scores", [[1.5, 0.5], [0.5, -0.1], [np.inf, 0.5], [0.5, -np.inf], [20, 10]])
def test_trap_31_scores_outside_zero_to_one_are_refused_and_never_squashed(scores):
    with pytest.raises(ProbabilityError) as caught:
        brier(Ranking(scores, [1, 0], [0, 1]))
    assert "calibration_map" in caught.value.fix


def test_bad_matrices_and_labels():
    with pytest.raises(LengthError, match="pass classes="):
        brier_multiclass([1, 3], [[0.7, 0.1, 0.2], [0.7, 0.1, 0.2]])
    with pytest.raises(LengthError, match="labels 1, probabilities"):
        brier_multiclass([1], [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(LabelError, match="not among the classes"):
        brier_multiclass([1, 7], [[0.5, 0.5], [0.5, 0.5]], classes=[1, 2])
    with pytest.raises(MissingValueError):
        brier_multiclass([1, None], [[0.5, 0.5], [0.5, 0.5]], classes=[1, 2])
    with pytest.raises(WeightError):
        brier_multiclass([1, 2], [[0.5, 0.5], [0.5, 0.5]], weights=[1, -1])
    with pytest.raises(ProbabilityError, match="do not sum to 1"):
        squared_error([1, 2], [[0.5, 0.5], [0.5, 0.6]])
