import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.calibration import oracles
from thresher import rank
from thresher.calibration import ece
from thresher.calibration.calibration_error import MOST_GROUPS
from thresher.errors import ArgumentError, ProbabilityError, WeightError
from thresher.ranking import Ranking


def calibrated(cases: int, seed: int, *, off: float = 1.0) -> Ranking:
    rng = np.random.default_rng(seed)
    score = rng.random(cases)
    return rank(rng.random(cases) < score**off, score)


@given(oracles.probability_rankings(both_classes=False), st.integers(1, 6))
def test_the_estimate_is_that_of_a_loop_over_cases(ranking, bins):
    assert ece(ranking, bins=bins, replicates=1).estimate == pytest.approx(
        oracles.uniform_ece(ranking, bins), abs=1e-12
    )


def test_over_exact_segments():
    tree = Ranking([0.9, 0.6, 0.3], [20, 10, 20], [5, 5, 40])
    found = ece(tree, segments="exact")
    assert found.estimate == pytest.approx((2.5 + 1 + 2) / 100)
    assert (found.segments, found.bins) == ("exact", 3)


def test_trap_15_a_calibrated_model_shows_an_error_and_the_null_explains_it():
    found = ece(calibrated(1000, 6), bins=15)
    assert found.estimate > 0.02
    assert found.null_mean == pytest.approx(0.04, abs=0.01)
    assert found.null_lower < found.estimate < found.null_upper
    assert found.p_value > 0.05
    assert "if calibrated" in repr(found)


def test_a_miscalibrated_model_stands_out():
    found = ece(calibrated(1000, 7, off=2))
    assert found.estimate > found.null_upper
    assert found.p_value == 1 / 1001


def test_p_values_of_calibrated_models_are_spread_evenly():
    p = [ece(calibrated(300, seed), replicates=200, seed=seed, segments="quantile").p_value for seed in range(60)]
    assert 0.35 < np.mean(p) < 0.65
    assert np.mean(np.array(p) <= 0.1) < 0.25


def test_the_null_is_that_of_labels_drawn_row_by_row():
    ranking = calibrated(200, 8)
    rng = np.random.default_rng(9)
    score = np.repeat(ranking.score, ranking.pos + ranking.neg)
    by_row = [oracles.uniform_ece(rank(rng.random(200) < score, score), 5) for _ in range(400)]
    found = ece(ranking, bins=5, replicates=2000)
    assert found.null_mean == pytest.approx(np.mean(by_row), rel=0.08)
    assert np.quantile(found.null, [0.1, 0.9]) == pytest.approx(np.quantile(by_row, [0.1, 0.9]), rel=0.12)


def test_neighbours_drawn_together_give_the_same_null():
    many = calibrated(4 * MOST_GROUPS, 10)
    few = Ranking(many.score.round(3), many.pos, many.neg)
    assert len(few) <= MOST_GROUPS < len(many)
    together, apart = ece(many, replicates=500), ece(few, replicates=500)
    assert together.null_mean == pytest.approx(apart.null_mean, rel=0.05)
    assert together.estimate == pytest.approx(oracles.uniform_ece(many, 10), abs=1e-12)


def test_the_seed_decides_and_generators_are_taken():
    ranking = calibrated(100, 11)
    assert ece(ranking, seed=1).null.tolist() == ece(ranking, seed=1).null.tolist()
    assert ece(ranking, seed=1).null.tolist() != ece(ranking, seed=2).null.tolist()
    assert ece(ranking, seed=np.random.default_rng(1)).null.tolist() == ece(ranking, seed=1).null.tolist()


def test_whole_weights_are_counts_and_others_have_no_null():
    tree = Ranking([0.9, 0.6, 0.3], [20, 10, 20], [5, 5, 40])
    whole = ece(oracles.weighted(tree, 2))
    assert whole.null.tolist() == ece(oracles.replicated(tree, 2)).null.tolist()
    with pytest.raises(WeightError, match="not whole"):
        ece(oracles.weighted(tree, 0.3))


def test_null_values_that_equal_the_estimate_count_as_reached():
    found = ece(Ranking([0.5], [1], [0]), replicates=50)  # one case: always 0.5 off
    assert found.null.tolist() == [0.5] * 50
    assert found.p_value == 1


def test_bad_input():
    ranking = calibrated(MOST_GROUPS + 1, 12)
    with pytest.raises(ArgumentError, match="too many bins"):
        ece(ranking, segments="exact")
    with pytest.raises(ArgumentError) as caught:
        ece(ranking, segments="hull")  # type: ignore[arg-type]
    assert "miscalibration" in caught.value.fix
    with pytest.raises(ArgumentError, match="replicates"):
        ece(ranking, replicates=0)
    with pytest.raises(ArgumentError, match="level"):
        ece(ranking, level=1)
    with pytest.raises(ProbabilityError):
        ece(Ranking([2], [1], [1]))


@given(st.integers(0, 10**6), st.floats(0.01, 0.9), st.none() | st.floats(0.05, 0.9))
def test_at_a_declared_prevalence_it_is_that_of_the_restated_cases(seed, prevalence, trained_at):
    rng = np.random.default_rng(seed)
    labels, p = np.arange(40) < 15, np.round(rng.uniform(0.02, 0.98, 40), 2)
    ranking = th.rank(labels, p)
    rare = th.adjust_prevalence(ranking, prevalence, trained_at=trained_at)
    gaps = np.abs(rare.pos - (rare.pos + rare.neg) * rare.score)
    found = th.ece(ranking, segments="exact", prevalence=prevalence, trained_at=trained_at, replicates=20)
    assert found.estimate == pytest.approx(gaps.sum() / rare.total, abs=1e-9)
    own = th.ece(ranking, prevalence=ranking.prevalence, replicates=20)
    assert own.estimate == pytest.approx(th.ece(ranking, replicates=20).estimate)
    assert own.null == pytest.approx(th.ece(ranking, replicates=20).null)


def test_calibrated_probabilities_are_so_at_another_prevalence():
    rng = np.random.default_rng(4)
    p = rng.uniform(0.05, 0.95, 4000)
    found = th.ece(th.rank(rng.random(4000) < p, p), prevalence=0.05)
    assert found.p_value > 0.05
    assert found.null_lower <= found.estimate <= found.null_upper


@pytest.mark.parametrize("wrong", [{"prevalence": 0}, {"prevalence": 1.5}, {"trained_at": "half"}])
def test_prevalences_are_proportions(wrong):
    with pytest.raises(th.ThresherError):
        th.ece(th.Ranking([0.9, 0.2], [3, 1], [1, 3]), **wrong)
