"""Tests of learning curve."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import thresher as th
from thresher.learning import Folds, learning_curve
from thresher.learning.validation.learning_curve import MeasureCurve, PowerLaw, fit_power_law, nested_parts
from thresher.learning.validation.scoring import corrected_interval

SIZES = np.array([20, 40, 80, 160, 320, 640])


def draws(seed, *, law, folds=25, common=0.01, own=0.02):
    """Fold values as in cross-validation: noise that all sizes of a fold share, and noise of their own."""
    rng = np.random.default_rng(seed)
    noise = common * rng.normal(size=folds) + own * rng.normal(size=(SIZES.size, folds))
    return law(SIZES)[:, None] + noise


def law_of(*arrays, **options):
    result = fit_power_law(*arrays, **options)
    assert result is not None
    return result


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


def test_slower_laws_widen_the_limits_and_the_end_of_the_range_is_noted():
    values = draws(2, law=PowerLaw(0.1, 0.5, 0.5))
    widths = [law_of(SIZES, values, test_share=0.2, exponents=(least, 3))[1].width for least in (0.05, 0.2, 0.5)]
    assert widths == sorted(widths, reverse=True)
    noisy = draws(2, law=PowerLaw(0.02, 0.5, 0.5), own=0.1)
    _, interval = law_of(SIZES, noisy, test_share=0.2)
    assert interval.lower == 0
    assert "lower limit is the end" in interval.note
    with pytest.raises(th.errors.ArgumentError, match="exponents"):
        law_of(SIZES, values, test_share=0.2, exponents=(2, 1))


def test_a_measure_without_upper_end_has_an_asymptote():
    values = 3 * draws(3, law=PowerLaw(0.5, 4.0, 1.0))
    assert 1.5 in law_of(SIZES, values, test_share=0.2, spread=(0, np.inf))[1]


def test_too_little_says_nothing():
    values = draws(4, law=PowerLaw(0.1, 2.0, 1.0))
    assert fit_power_law(SIZES[:3], values[:3], test_share=0.2) is None
    assert fit_power_law(SIZES, values[:, :1], test_share=0.2) is None
    assert fit_power_law(SIZES, np.zeros((6, 5)), test_share=0.2) is None


def test_limits_stay_within_the_range_of_the_measure():
    values = np.random.default_rng(0).uniform(0, 1, (4, 3))
    for better in ("lower", "higher"):
        fitted = fit_power_law([10, 20, 40, 80], values, test_share=0.3, better=better)
        assert fitted is not None
        assert 0 <= fitted[1].lower <= fitted[1].upper <= 1


def test_each_point_has_its_corrected_limits():
    values = np.random.default_rng(0).random((4, 5))
    curve = MeasureCurve.of(values, test_share=0.2, level=0.9, spread=(0, 1))
    for place, row in enumerate(values):
        point = corrected_interval(row, test_share=0.2, level=0.9, spread=(0, 1))
        assert (curve.estimate[place], curve.lower[place], curve.upper[place]) == (
            point.estimate,
            point.lower,
            point.upper,
        )
    still = MeasureCurve.of(np.zeros((1, 3)), test_share=0.2, level=0.9, spread=(0, 1))
    assert still.to_dict() == {"estimate": [0.0], "lower": [None], "upper": [None]}
    with pytest.raises(ValueError, match="read-only"):
        curve.estimate[0] = 1


def test_undefined_values_are_refused():
    X, y = gaussian_classes(60, features=2, apart=1.0, seed=3)
    with pytest.raises(th.errors.MeasureError, match="precision is undefined or infinite in 12 of 12 fits"):
        learning_curve(DummyClassifier(), X, y == 0, measure="precision", sizes=[10, 20], folds=3)


def gaussian_classes(rows, *, features, apart, seed):
    """Two round Gaussian classes; the Bayes error is Φ(-apart / 2)."""
    y = np.arange(rows) % 2 == 0
    X = np.random.default_rng(seed).normal(size=(rows, features))
    X[:, 0] += apart * y
    return X, y


def asymptote_of(curve):
    assert curve.asymptote is not None
    return curve.asymptote


@pytest.mark.parametrize("apart", [1.0, 2.0])
@pytest.mark.slow
def test_the_asymptote_holds_the_bayes_error(apart):
    held = 0
    for seed in range(20):
        X, y = gaussian_classes(300, features=3, apart=apart, seed=seed)
        sizes = [20, 50, 110, 240]
        held += ndtr(-apart / 2) in asymptote_of(learning_curve(GaussianNB(), X, y, folds=5, sizes=sizes, seed=seed))
    assert held >= 19


def test_repeats_narrow_the_asymptote_and_keep_the_truth():
    X, y = gaussian_classes(500, features=3, apart=2.0, seed=1)
    curve = learning_curve(GaussianNB(), X, y, sizes=[20, 60, 120, 240, 400])
    assert ndtr(-1) in asymptote_of(curve)
    assert asymptote_of(curve).width < 0.2
    assert curve.validation.per_fold.shape == (5, 25)
    auc = learning_curve(GaussianNB(), X, y, measure="auc", folds=5)
    assert ndtr(2 / np.sqrt(2)) in asymptote_of(auc)


def test_apparent_error_flatters_and_both_meet():
    X, y = gaussian_classes(400, features=8, apart=1.5, seed=2)
    curve = learning_curve(GaussianNB(), X, y, folds=5)
    gap = curve.validation.estimate - curve.apparent.estimate
    assert gap[0] > 0.05
    assert abs(gap[-1]) < 0.03
    assert (curve.validation.lower <= curve.validation.estimate).all()
    memory = learning_curve(KNeighborsClassifier(1), X, y, folds=5)
    assert (memory.apparent.estimate == 0).all()
    assert np.isnan(memory.apparent.lower).all()


@pytest.mark.parametrize("measure", ["auc", "brier", "f1", th.OperatingCondition(cost_ratio=5), th.pr_area])
def test_any_measure_has_a_curve(measure):
    X, y = gaussian_classes(200, features=2, apart=2.0, seed=3)
    curve = learning_curve(GaussianNB(), X, y, measure=measure, folds=3)
    last = curve.validation.per_fold[-1]
    assert curve.sizes[-1] == 133
    assert np.isfinite(last).all()
    plain = curve.to_dict()
    assert plain["sizes"] == curve.sizes.tolist()
    assert repr(curve).startswith(f"LearningCurve({curve.measure}: ")


def test_the_last_size_is_plain_cross_validation():
    from thresher.learning import cross_validate

    X, y = gaussian_classes(200, features=2, apart=2.0, seed=3)
    curve = learning_curve(GaussianNB(), X, y, folds=4, seed=7)
    cv = cross_validate(GaussianNB(), X, y, folds=4, seed=7)
    np.testing.assert_allclose(curve.validation.per_fold[-1], cv.per_fold("error_rate"))


@given(cases=st.lists(st.integers(1, 15), min_size=2, max_size=4), data=st.data())
def test_parts_are_nested_and_hold_every_class(cases, data):
    codes = np.repeat(np.arange(len(cases)), cases)
    sizes = sorted(data.draw(st.sets(st.integers(len(cases), codes.size), min_size=1)))
    parts = nested_parts(np.arange(codes.size), codes, np.array(sizes), seed=1)
    for part, size in zip(parts, sizes, strict=True):
        assert part.size == len(set(part.tolist())) == size
        inside = np.bincount(codes[part], minlength=len(cases))
        assert inside.all()
        assert (np.abs(inside - size * np.bincount(codes) / codes.size) <= len(cases) - 1).all()
    for smaller, larger in itertools.pairwise(parts):
        assert set(smaller.tolist()) <= set(larger.tolist())


def test_seeds_decide():
    X, y = gaussian_classes(150, features=2, apart=1.0, seed=3)
    first, again, other = (learning_curve(GaussianNB(), X, y, folds=3, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.validation.per_fold, again.validation.per_fold)
    assert (first.validation.per_fold != other.validation.per_fold).any()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"sizes": [50, 20]}, th.errors.ArgumentError, "rising"),
        ({"sizes": [50, 500]}, th.errors.ArgumentError, "from 2, one row of each class, to 48"),
        ({"measure": "acuracy"}, th.errors.MeasureError, "did you mean accuracy"),
        ({"measure": "prevalence"}, th.errors.MeasureError, "neither better nor worse"),
        ({"level": 95}, th.errors.ArgumentError, "level must lie"),
        ({"folds": 100}, th.errors.ArgumentError, "100 folds need"),
        (
            {"folds": Folds(kind="leave-one-out"), "measure": "auc"},
            th.errors.OneClassError,
            "tested on rows that lack a class",
        ),
    ],
)
def test_bad_input_is_refused_in_words(options, error, words):
    X, y = gaussian_classes(60, features=2, apart=1.0, seed=3)
    with pytest.raises(error, match=words):
        learning_curve(GaussianNB(), X, y, **{"folds": 5, **options})
    with pytest.raises(th.errors.LengthError):
        learning_curve(GaussianNB(), X[:50], y)
