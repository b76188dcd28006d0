import numpy as np
import pytest

import thresher as th
from tests.inference.resampling_oracles import calibrated
from thresher.inference import noise_fit as room
from thresher.inference.noise_fit import miscalibration_without_noise


@pytest.mark.parametrize(("n", "times"), [(40, 300), (400, 150), (4000, 60)])
def test_calibrated_scores_show_none_on_average(n, times):
    plain = [th.decomposition(calibrated(n, seed), segments="hull").miscalibration for seed in range(times)]
    found = [miscalibration_without_noise(calibrated(n, seed)) for seed in range(times)]
    error = np.std(found) / np.sqrt(times)
    assert abs(np.mean(found)) < 4 * error
    assert np.mean(plain) > 20 * error


def test_miscalibration_stays():
    """Scores √p of true probabilities p uniform in [0, 1] are off by E(√p - p)² = 1/30."""
    found = [miscalibration_without_noise(calibrated(2000, seed, off=2.0)) for seed in range(40)]
    assert np.mean(found) == pytest.approx(1 / 30, rel=0.1)


def test_joining_takes_nothing_off(monkeypatch):
    ranking = calibrated(2000, 3, off=1.5)
    fine = []
    for most in (2000, 200):
        monkeypatch.setattr(room, "MOST_GROUPS", most)
        fine.append(miscalibration_without_noise(ranking))
    assert fine[0] == pytest.approx(fine[1], abs=0.002)


def test_cases_that_are_worth_less_leave_more_to_noise():
    ranking = calibrated(500, 4)
    assert miscalibration_without_noise(ranking, worth=0.25) < miscalibration_without_noise(ranking)
    doubled = th.Ranking(ranking.score, 2 * ranking.pos, 2 * ranking.neg)
    assert miscalibration_without_noise(doubled, worth=0.5) == pytest.approx(miscalibration_without_noise(ranking))


def test_certain_scores_have_no_noise():
    assert miscalibration_without_noise(th.Ranking([1, 0], [5, 0], [0, 5])) == 0
