import math

import numpy as np
import pytest

import thresher as th
from tests.inference.resampling_oracles import calibrated
from thresher.inference.intervals.calibration import calibration_intervals, calibration_test, null_labels

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])


def test_the_test_has_its_nominal_level():
    p, z = [], []
    for seed in range(100):
        result = calibration_test(calibrated(200, seed), replicates=60, seed=seed)
        p.append(result.p_value)
        z.append(result.z_p_value)
    for values in (p, z):
        assert (np.array(values) <= 0.1).mean() <= 0.18
        assert 0.4 < np.mean(values) < 0.6


def test_overconfidence_is_noticed():
    result = calibration_test(calibrated(500, 1, off=2.0), replicates=200)
    assert result.p_value == 1 / 201
    assert result.miscalibration > result.null_upper
    assert result.z_p_value < 0.05 or abs(result.z) < 2  # squaring shifts, it does not only spread
    rng = np.random.default_rng(2)
    truth = rng.random(500)
    spread = np.where(truth > 0.5, 1 - (1 - truth) ** 2 * 2, truth**2 * 2)
    over = calibration_test(th.rank(rng.random(500) < truth, spread), replicates=200)
    assert over.p_value < 0.05
    assert over.z > 3


def test_spiegelhalters_z_is_a_loop_over_cases():
    away = spread = 0.0
    for p, pos, neg in zip(TREE.score, TREE.pos, TREE.neg, strict=True):
        for label in [1] * int(pos) + [0] * int(neg):
            away += (label - p) * (1 - 2 * p)
            spread += (1 - 2 * p) ** 2 * p * (1 - p)
    result = calibration_test(TREE, replicates=5)
    assert result.z == pytest.approx(away / math.sqrt(spread))
    assert result.miscalibration == pytest.approx(th.decomposition(TREE, bins="hull").miscalibration)


def test_the_null_is_that_of_labels_drawn_case_by_case():
    ranking = calibrated(150, 3)
    rng = np.random.default_rng(4)
    by_case = []
    for _ in range(1000):
        drawn = th.rank(rng.random(150) < ranking.score, ranking.score)
        by_case.append(th.decomposition(drawn, bins="hull").miscalibration)
    null = calibration_test(ranking, replicates=2000).null
    assert null.mean() == pytest.approx(np.mean(by_case), rel=0.08)
    assert null.std() == pytest.approx(np.std(by_case), rel=0.12)


def test_certain_scores():
    result = calibration_test(th.Ranking([1.0, 0.0], [3, 0], [0, 4]), replicates=20)
    assert (result.miscalibration, result.p_value) == (0, 1)
    assert math.isnan(result.z)
    wrong = calibration_test(th.Ranking([1.0, 0.0], [3, 1], [0, 4]), replicates=20)
    assert wrong.p_value == 1 / 21


def test_one_class_can_be_tested_too():
    result = calibration_test(th.Ranking([0.9, 0.5], [5, 5], [0, 0]), replicates=100)
    assert result.miscalibration == pytest.approx(th.brier(th.Ranking([0.9, 0.5], [5, 5], [0, 0])))
    assert result.p_value < 0.2


def test_intervals():
    ranking = calibrated(800, 5, off=1.6)
    result = calibration_intervals(ranking, replicates=200)
    parts = th.decomposition(ranking, bins="hull")
    assert result.brier.estimate == pytest.approx(parts.brier)
    for interval, raw in (
        (result.calibration, parts.miscalibration),
        (result.refinement, parts.refinement),
        (result.discrimination, parts.discrimination),
    ):
        assert interval.apparent == pytest.approx(raw)
    assert result.calibration.estimate < parts.miscalibration
    assert result.refinement.estimate > parts.refinement
    assert 0 <= result.calibration.lower < result.calibration.upper
    assert "taken off" in result.calibration.note


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Scores u with P(+) = u^1.6: calibration loss is the mean of (u - u^1.6)², refinement that of q (1 - q)."""
    u = (np.arange(100_000) + 0.5) / 100_000
    q = u**1.6
    truth = {"calibration": ((u - q) ** 2).mean(), "refinement": (q * (1 - q)).mean()}
    truth["brier"] = sum(truth.values())
    held = dict.fromkeys(truth, 0)
    for seed in range(40):
        result = calibration_intervals(calibrated(500, 300 + seed, off=1.6), replicates=150, level=0.9, seed=seed)
        for name, value in truth.items():
            held[name] += value in getattr(result, name)
    assert all(number >= 30 for number in held.values()), held  # 36 expected


def test_calibrated_scores_may_have_no_calibration_loss():
    held = [calibration_intervals(calibrated(400, seed), replicates=120).calibration.lower == 0 for seed in range(40)]
    assert np.mean(held) >= 0.92


def test_forty_perfect_calls_leave_doubt():
    result = calibration_intervals(th.Ranking([1.0, 0.0], [20, 0], [0, 20]), replicates=20).brier
    assert (result.estimate, result.lower) == (0, 0)
    assert result.upper > 0.05
    assert result.note


def test_seeds_and_threads():
    one, two = (calibration_test(TREE, replicates=60, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.null, two.null)
    assert not np.array_equal(one.null, calibration_test(TREE, replicates=60, seed=1).null)


def test_labels_of_single_cases_and_of_several():
    rng = np.random.default_rng(6)
    for ranking in (calibrated(2000, 7), th.Ranking([0.75, 0.25], [900, 100], [100, 900])):
        draw = null_labels(ranking)
        pos, neg = (np.mean(side, axis=0) for side in zip(*(draw(rng) for _ in range(200)), strict=True))
        assert pos + neg == pytest.approx(ranking.pos + ranking.neg)
        assert pos.sum() == pytest.approx((ranking.score * (pos + neg)).sum(), rel=0.01)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: calibration_test(th.Ranking.parse("[3+][2-]")),
        lambda: calibration_test(TREE, level=2),
        lambda: calibration_test(TREE, replicates=0),
        lambda: calibration_test(th.Ranking([0.5], [1.5], [2.0])),
        lambda: calibration_intervals(th.Ranking.parse("[3+][2-]")),
        lambda: calibration_intervals(TREE, level=0),
        lambda: calibration_intervals(th.Ranking([0.5], [3], [0])),
    ],
)
def test_bad_input(ask):
    with pytest.raises(th.ThresherError):
        ask()
