import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from thresher.calibration.logistic_fit import logistic_fit
from thresher.errors import ArgumentError

shift = st.floats(-100, 100)
scale = st.floats(0.01, 100)


def gradient(features, pos, neg, slopes, constant):
    z = sum(w * x for w, x in zip(slopes, features, strict=True)) + constant
    residual = (pos + neg) / (1 + np.exp(-z)) - pos
    return [x @ residual / (pos + neg).sum() for x in features] + [residual.sum() / (pos + neg).sum()]


@given(
    st.lists(
        st.tuples(st.integers(-12, 12).map(lambda x: x / 4), st.integers(1, 9), st.integers(1, 9)),
        min_size=2,
        max_size=8,
    ),
    shift,
    scale,
)
def test_the_gradient_vanishes_whatever_the_units(rows, by, times):
    x, pos, neg = (np.array(column) for column in zip(*rows, strict=True))
    slopes, constant = logistic_fit([x], pos, neg, intercept=True, nonnegative=False)
    assert gradient([x], pos, neg, slopes, constant) == pytest.approx([0, 0], abs=1e-9)
    moved, start = logistic_fit([x * times + by], pos, neg, intercept=True, nonnegative=False)
    z, moved_z = slopes[0] * x + constant, moved[0] * (x * times + by) + start
    assert moved_z == pytest.approx(z, abs=1e-5)


def test_two_values_are_fitted_exactly():
    slopes, constant = logistic_fit(
        [np.array([1.0, 0.0])], np.array([3, 1]), np.array([1, 4]), intercept=True, nonnegative=False
    )
    assert constant == pytest.approx(np.log(1 / 4))
    assert slopes[0] + constant == pytest.approx(np.log(3))


@pytest.mark.parametrize("intercept", [True, False])
def test_peer_scikit_learn(intercept):
    rng = np.random.default_rng(13)
    x = rng.normal(size=(300, 2))
    y = rng.random(300) < 1 / (1 + np.exp(-(x @ [1.5, 0.5] - 0.7)))
    peer = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000, fit_intercept=intercept).fit(x, y)
    slopes, constant = logistic_fit([x[:, 0], x[:, 1]], y.astype(int), 1 - y, intercept=intercept, nonnegative=False)
    assert slopes == pytest.approx(peer.coef_[0], abs=1e-5)
    assert constant == pytest.approx(float(peer.intercept_[0]) if intercept else 0, abs=1e-5)


@given(st.integers(0, 10_000))
def test_bounds_hold_and_no_feasible_neighbour_is_better(seed):
    rng = np.random.default_rng(seed)
    features = list(rng.normal(size=(2, 20)))
    pos, neg = rng.integers(0, 4, 20), rng.integers(1, 4, 20)
    pos[0] = 1
    slopes, constant = logistic_fit(features, pos, neg, intercept=True, nonnegative=True)
    of = gradient(features, pos, neg, slopes, constant)
    assert of[2] == pytest.approx(0, abs=1e-8)
    for slope, partial in zip(slopes, of[:2], strict=True):  # Karush, Kuhn and Tucker's conditions
        assert slope >= 0
        assert partial == pytest.approx(0, abs=1e-8) if slope > 0 else partial >= -1e-8


def test_a_rare_class_is_fitted_as_sharply():
    x, pos, neg = np.array([1.0, 0.0]), np.array([3, 1]), np.array([10**7, 10**8])
    slopes, constant = logistic_fit([x], pos, neg, intercept=True, nonnegative=False)
    assert constant == pytest.approx(np.log(1e-8), abs=1e-8)
    assert slopes[0] == pytest.approx(np.log(30), abs=1e-8)


def test_no_optimum_no_answer(monkeypatch):
    monkeypatch.setattr("thresher.calibration.logistic_fit.MOST_STEPS", 2)
    x, pos, neg = np.array([5.0, 1.0, 0.0]), np.array([9, 3, 1]), np.array([1, 1, 4])
    with pytest.raises(ArgumentError, match="did not converge in 2 steps"):
        logistic_fit([x], pos, neg, intercept=True, nonnegative=False)
