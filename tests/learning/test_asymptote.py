"""The fitted law finds asymptotes it was made from, and its limits hold the truth."""

import numpy as np
import pytest

import thresher as th
from thresher.learning.asymptote import PowerLaw, fitted_law

SIZES = np.array([20, 40, 80, 160, 320, 640])


def draws(seed, *, law, folds=25, common=0.01, own=0.02):
    """Fold values as in cross-validation: noise that all sizes of a fold share, and noise of their own."""
    rng = np.random.default_rng(seed)
    noise = common * rng.normal(size=folds) + own * rng.normal(size=(SIZES.size, folds))
    return law(SIZES)[:, None] + noise


def law_of(*given, **options):
    found = fitted_law(*given, **options)
    assert found is not None
    return found


@pytest.mark.parametrize("exponent", [0.4, 1.0, 2.0])
@pytest.mark.parametrize("asymptote", [0.05, 0.2])
def test_without_noise_the_law_comes_back(asymptote, exponent):
    truth = PowerLaw(asymptote, 0.3 * 20**exponent, exponent)
    law, interval = law_of(SIZES, draws(0, law=truth, common=1e-6, own=1e-6), test_share=0.2)
    assert law.asymptote == pytest.approx(asymptote, abs=2e-3)
    assert law.exponent == pytest.approx(exponent, rel=0.03)
    np.testing.assert_allclose(law(SIZES), truth(SIZES), atol=1e-3)
    assert interval.lower <= law.asymptote <= interval.upper


@pytest.mark.parametrize("truth", [PowerLaw(0.1, 2.0, 1.0), PowerLaw(0.15, 1.0, 0.5), PowerLaw(0.02, 1.0, 0.8)])
def test_limits_hold_the_truth_as_often_as_they_say(truth):
    """Independent folds: the corrected variance is larger than theirs, so limits hold more than 95 %."""
    held = [truth.asymptote in law_of(SIZES, draws(seed, law=truth), test_share=0.2)[1] for seed in range(100)]
    assert sum(held) >= 95


def test_higher_is_better_is_the_mirror():
    truth = PowerLaw(0.1, 2.0, 1.0)
    values = draws(1, law=truth)
    law, interval = law_of(SIZES, values, test_share=0.2)
    mirrored, limits = law_of(SIZES, 1 - values, test_share=0.2, better="higher")
    assert mirrored.asymptote == pytest.approx(1 - law.asymptote, abs=1e-3)
    assert (limits.lower, limits.upper) == pytest.approx((1 - interval.upper, 1 - interval.lower), abs=1e-3)
    assert mirrored.factor < 0 < law.factor


def test_slower_laws_widen_the_limits_and_the_end_of_the_range_is_told():
    values = draws(2, law=PowerLaw(0.1, 0.5, 0.5))
    widths = [law_of(SIZES, values, test_share=0.2, exponents=(least, 3))[1].width for least in (0.05, 0.2, 0.5)]
    assert widths == sorted(widths, reverse=True)
    noisy = draws(2, law=PowerLaw(0.02, 0.5, 0.5), own=0.1)
    _, interval = law_of(SIZES, noisy, test_share=0.2)
    assert interval.lower == 0
    assert "lower limit is the end" in interval.note
    with pytest.raises(th.ArgumentError, match="exponents"):
        law_of(SIZES, values, test_share=0.2, exponents=(2, 1))


def test_a_measure_without_upper_end_has_an_asymptote():
    values = 3 * draws(3, law=PowerLaw(0.5, 4.0, 1.0))
    assert 1.5 in law_of(SIZES, values, test_share=0.2, spread=(0, np.inf))[1]


def test_too_little_says_nothing():
    values = draws(4, law=PowerLaw(0.1, 2.0, 1.0))
    assert fitted_law(SIZES[:3], values[:3], test_share=0.2) is None
    assert fitted_law(SIZES, values[:, :1], test_share=0.2) is None
    assert fitted_law(SIZES, np.zeros((6, 5)), test_share=0.2) is None


def test_limits_stay_within_the_range_of_the_measure():
    values = np.random.default_rng(0).uniform(0, 1, (4, 3))
    for better in ("lower", "higher"):
        fitted = fitted_law([10, 20, 40, 80], values, test_share=0.3, better=better)
        assert fitted is not None
        assert 0 <= fitted[1].lower <= fitted[1].upper <= 1
