import numpy as np
import pytest
from scipy.special import ndtri

import thresher as th
from thresher.errors import ThresherError
from thresher.laboratory import Scores, coverage

WORLD = Scores.of_auc(0.8, prevalence=0.3)


def normal_limits(sample, deviations=1.96):
    """Textbook limits of the mean score, and of the mean of its square."""
    out = {}
    for name, values in (("mean", sample.scores), ("square", sample.scores**2)):
        mean, error = values.mean(), values.std(ddof=1) / values.size**0.5
        out[name] = th.Interval(mean, mean - deviations * error, mean + deviations * error, error**2, 0.95, "normal")
    return out


SHIFT = float(np.sqrt(2) * ndtri(0.8))
TRUTH = {"mean": 0.3 * SHIFT, "square": 1 + 0.3 * SHIFT**2}


def test_right_limits_cover_and_narrow_ones_do_not():
    shares = coverage(WORLD, 200, normal_limits, TRUTH, replicates=1000)
    assert all(0.92 < share.estimate < 0.97 for share in shares.values())
    narrow = coverage(WORLD, 200, lambda sample: normal_limits(sample, 1.0)["mean"], TRUTH["mean"], replicates=1000)
    assert narrow.estimate == pytest.approx(0.683, abs=0.05)
    assert 0.683 in narrow


def test_it_is_the_count_over_the_samples_of_the_seed():
    samples = [WORLD.sample(50, np.random.default_rng([5, i])) for i in range(40)]
    held = sum(TRUTH["mean"] in normal_limits(sample)["mean"] for sample in samples)
    share = coverage(WORLD, 50, lambda sample: normal_limits(sample)["mean"], TRUTH["mean"], replicates=40, seed=5)
    assert share.estimate == held / 40
    assert share == th.rate_interval(held, 40)


def test_tests_are_counted_by_what_they_let_stand():
    calibrated = WORLD.as_probabilities()
    stands = coverage(
        calibrated, 100, lambda s: th.calibration_test(s.ranking, replicates=100).p_value > 0.05, replicates=100
    )
    assert stands.estimate > 0.85
    high = WORLD.as_probabilities(shift=2)
    falls = coverage(high, 100, lambda s: th.calibration_test(s.ranking, replicates=100).p_value > 0.05, replicates=20)
    assert falls.estimate == 0


def test_samples_without_an_interval_are_left_out_and_counted():
    rare = Scores.of_auc(0.8, prevalence=0.02)
    share = coverage(rare, 20, lambda sample: th.auc_interval(sample.ranking), rare.auc, replicates=60)
    lacking = sum(not rare.sample(20, np.random.default_rng([0, i])).labels.any() for i in range(60))
    assert share.note == f"{lacking} of 60 samples have no interval"
    with pytest.raises(ThresherError, match="none of 5 samples"):
        coverage(rare, 1, lambda sample: th.auc_interval(sample.ranking), 0.8, replicates=5)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"replicates": 0}, "at least 1"),
        ({"interval": 3}, "function"),
        ({"world": "normal"}, "no world"),
        ({"truth": None}, "cannot be held"),
        ({"truth": "auc"}, "cannot be held"),
        ({"interval": lambda sample: float(sample.scores.mean())}, "cannot be held"),
    ],
)
def test_bad_input(changes, words):
    options = {"world": WORLD, "n": 30, "interval": lambda s: th.auc_interval(s.ranking), "truth": 0.8} | changes
    with pytest.raises(ThresherError, match=words):
        coverage(**options)
