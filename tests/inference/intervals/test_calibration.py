import math

import numpy as np
import pytest
from scipy.optimize import brentq, isotonic_regression
from scipy.special import expit, ndtri

import thresher as th
from tests.inference.oracles import apparent
from tests.inference.resampling_oracles import calibrated
from thresher.inference.intervals.calibration import calibration_intervals, calibration_test, noise_gains, null_labels

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


PARTS = ("calibration", "refinement", "discrimination")


def world(shift, prevalence, *, levels=0):
    """A way to draw labels and scores whose log-odds are too high by `shift`, and the true parts of the Brier score."""
    z = ndtri((np.arange(20_000) + 0.5) / 20_000)
    ends = np.linspace(0, 1, levels + 1)[1:-1]
    heart = ndtri((np.arange(levels) + 0.5) / max(levels, 1))

    def level(z):
        return heart[np.searchsorted(ndtri(ends), z)] if levels else z

    centre = brentq(lambda at: expit(at + 1.5 * z).mean() - prevalence, -9, 9)
    score, share = expit(centre + 1.5 * level(z) + shift), expit(centre + 1.5 * z)
    if levels:
        share = share.reshape(levels, -1).mean(axis=1).repeat(z.size // levels)
    truth = {"calibration": ((score - share) ** 2).mean(), "refinement": (share * (1 - share)).mean()}
    truth["discrimination"] = prevalence * (1 - prevalence) - truth["refinement"]

    def draw(n, rng):
        z = rng.normal(size=n)
        return rng.random(n) < expit(centre + 1.5 * z), expit(centre + 1.5 * level(z) + shift)

    return draw, truth


def coverage(draw, truth, *, n, times, replicates=60):
    """How often the limits of each part hold it."""
    rng, held, drawn = np.random.default_rng(1), dict.fromkeys(PARTS, 0), 0
    while drawn < times:
        labels, scores = draw(n, rng)
        if 0 < labels.sum() < n:
            result = calibration_intervals(th.rank(labels, scores), replicates=replicates)
            held = {name: held[name] + (truth[name] in getattr(result, name)) for name in PARTS}
            drawn += 1
    return {name: number / times for name, number in held.items()}


@pytest.mark.parametrize("n", [200, 5000])
def test_scores_fitted_to_their_own_labels_are_not_known_to_be_calibrated(n):
    """The hull's shares leave no apparent loss: less than labels drawn from true probabilities ever would."""
    rng = np.random.default_rng(0)
    labels = rng.random(n) < 0.3
    labels = labels[np.argsort(rng.normal(size=n) + labels)]
    scores = isotonic_regression(labels.astype(np.float64)).x
    loss = calibration_intervals(th.rank(labels, scores)).calibration
    assert (loss.estimate, loss.lower) == (0, 0)
    assert 0 < loss.upper < 10 / n


@pytest.mark.parametrize("levels", [0, 5])
def test_limits_hold_the_parts_of_scores_that_are_too_high(levels):
    """With noise drawn from such scores, or resamples mirrored, they held it in 74 and 85 % of samples."""
    shares = coverage(*world(1.0, 0.02, levels=levels), n=1000, times=200)
    assert all(0.89 <= share <= 0.99 for share in shares.values()), shares


@pytest.mark.slow
@pytest.mark.parametrize("n", [200, 1000])
@pytest.mark.parametrize("prevalence", [0.5, 0.1])
@pytest.mark.parametrize("shift", [0.0, 1.0, -1.0])
@pytest.mark.parametrize("levels", [0, 5])
def test_limits_hold_the_parts_as_often_as_they_say(n, prevalence, shift, levels):
    shares = coverage(*world(shift, prevalence, levels=levels), n=n, times=400)
    assert all(0.915 <= share <= 0.985 for share in shares.values()), shares


@pytest.mark.parametrize(("n", "times"), [(40, 300), (400, 100), (4000, 30)])
@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_what_the_hull_fits_of_noise_is_taken_off(n, times, shift):
    """Refinement loss is right on average, whether or not scores are calibrated."""
    draw, truth = world(shift, 0.3)
    rng = np.random.default_rng(2)
    estimates, raw = [], []
    for _ in range(times):
        result = calibration_intervals(th.rank(*draw(n, rng)), replicates=30).refinement
        estimates.append(result.estimate)
        raw.append(apparent(result))
    error = np.std(estimates) / math.sqrt(times)
    # Where there is no calibration loss, what would be negative is not taken off.
    assert np.mean(estimates) == pytest.approx(truth["refinement"], abs=3 * error + (0.1 / n if shift else 0.5 / n))
    assert np.mean(raw) < np.mean(estimates) - error


def test_cases_that_are_worth_less_leave_more_to_noise():
    ranking = calibrated(500, 4)
    plain, less = (noise_gains(ranking, ranking.score, worth=worth).mean() for worth in (1, 0.25))
    assert less > 2 * plain
    doubled = th.Ranking(ranking.score, 2 * ranking.pos, 2 * ranking.neg)
    assert noise_gains(doubled, ranking.score, worth=0.5) == pytest.approx(noise_gains(ranking, ranking.score))


def test_calibrated_scores_may_have_no_calibration_loss():
    held = [calibration_intervals(calibrated(400, seed)).calibration.lower == 0 for seed in range(40)]
    assert np.mean(held) >= 0.9


def test_evaluate_has_the_same_intervals():
    ranking = calibrated(300, 8, off=1.5)
    labels, scores = ranking.pos > 0, ranking.score  # one case each
    numbers = th.evaluate(labels, scores, replicates=2)["model"].numbers
    alone = calibration_intervals(ranking)
    for name, own in (("miscalibration", "calibration"), ("refinement", "refinement"), ("discrimination",) * 2):
        assert numbers[name] == getattr(alone, own)


def test_forty_perfect_calls_leave_doubt():
    result = calibration_intervals(th.Ranking([1.0, 0.0], [20, 0], [0, 20]))
    assert (result.brier.estimate, result.brier.lower) == (0, 0)
    assert result.brier.upper > 0.05
    assert result.brier.note
    assert (result.refinement.estimate, result.refinement.lower) == (0, 0)
    assert result.refinement.upper > 0.05


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
