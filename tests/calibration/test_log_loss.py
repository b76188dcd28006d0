import copy
import json
import math
import pickle

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given

from tests.calibration import oracles
from thresher import rank
from thresher.calibration import LogLoss, log_loss, log_loss_multiclass
from thresher.errors import ArgumentError, ProbabilityError
from thresher.ranking import Ranking


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
    assert log_loss_multiclass([positive for positive, _ in rows], matrix) == pytest.approx(log_loss(ranking))


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
    by_hand = -(3 * math.log(0.999) + math.log(0.001) + 2 * math.log(0.5)) / 6
    assert loss == pytest.approx(by_hand)
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


def test_peer_scikit_learn():
    rng = np.random.default_rng(2)
    score, weight = rng.uniform(0.01, 0.99, 400).round(2), rng.random(400)
    label = rng.random(400) < score
    assert log_loss(rank(label, score)) == pytest.approx(sklearn.metrics.log_loss(label, score))
    assert log_loss(rank(label, score, weights=weight)) == pytest.approx(
        sklearn.metrics.log_loss(label, score, sample_weight=weight)
    )
    matrix, of_three = rng.dirichlet([1, 2, 3], size=400), rng.integers(0, 3, size=400)
    assert log_loss_multiclass(of_three, matrix, weights=weight) == pytest.approx(
        sklearn.metrics.log_loss(of_three, matrix, sample_weight=weight)
    )


def test_many_classes_certain_and_wrong():
    p = [[0.99, 0, 0.01], [0.99, 0, 0.01], [0, 1, 0]]
    loss = log_loss_multiclass([2, 3, 2], p, classes=[1, 2, 3])
    assert (loss, loss.certain_and_wrong, loss.cases) == (math.inf, 1, 3)
    without = log_loss_multiclass([2, 3, 2], p, classes=[1, 2, 3], weights=[0, 2, 1])
    assert without == pytest.approx(-2 * math.log(0.01) / 3)
    assert without.certain_and_wrong == 0
    clipped = log_loss_multiclass([2], p[:1], classes=[1, 2, 3], clip=1e-6)
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
