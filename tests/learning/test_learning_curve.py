"""Learning curves of classes whose Bayes error is known."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import thresher as th
from thresher.learning import Folds, learning_curve
from thresher.learning.learning_curve import parts


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
def test_any_measure_stands_on_the_axis(measure):
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


@given(positives=st.integers(1, 20), negatives=st.integers(1, 20), data=st.data())
def test_parts_are_nested_and_hold_both_classes(positives, negatives, data):
    flags = np.arange(positives + negatives) < positives
    sizes = sorted(data.draw(st.sets(st.integers(2, flags.size), min_size=1)))
    found = parts(np.arange(flags.size), flags, np.array(sizes), seed=1, number=2)
    for part, size in zip(found, sizes, strict=True):
        assert part.size == len(set(part.tolist())) == size
        assert 0 < flags[part].sum() < size
        assert abs(flags[part].sum() - size * flags.mean()) <= 1
    for smaller, larger in itertools.pairwise(found):
        assert set(smaller.tolist()) <= set(larger.tolist())


def test_seeds_decide():
    X, y = gaussian_classes(150, features=2, apart=1.0, seed=3)
    first, again, other = (learning_curve(GaussianNB(), X, y, folds=3, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.validation.per_fold, again.validation.per_fold)
    assert (first.validation.per_fold != other.validation.per_fold).any()


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"sizes": [50, 20]}, th.ArgumentError, "rising"),
        ({"sizes": [50, 500]}, th.ArgumentError, "from 2 to 48"),
        ({"measure": "acuracy"}, th.MeasureError, "did you mean accuracy"),
        ({"measure": "prevalence"}, th.MeasureError, "neither better nor worse"),
        ({"level": 95}, th.ArgumentError, "level must lie"),
        ({"folds": 100}, th.ArgumentError, "100 folds need"),
        ({"folds": Folds(kind="leave-one-out"), "measure": "auc"}, th.OneClassError, "tested on one class"),
    ],
)
def test_bad_input_is_refused_in_words(options, error, told):
    X, y = gaussian_classes(60, features=2, apart=1.0, seed=3)
    with pytest.raises(error, match=told):
        learning_curve(GaussianNB(), X, y, **{"folds": 5, **options})
    with pytest.raises(th.LengthError):
        learning_curve(GaussianNB(), X[:50], y)
