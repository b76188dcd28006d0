"""Anytime limits of means: goldens, laws, coverage at every look."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln

import thresher as th
from tests.inference.anytime.worlds import ever_outside, labels
from thresher.errors import ThresherError
from thresher.inference import mean_interval, portfolio_interval
from thresher.inference.anytime.mixture import log_evidence, mean_limits, nodes

GOLDEN = {  # 95 %, intrinsic time 50
    (0, 1): (0, 1),
    (0, 20): (0, 0.2575),
    (80, 100): (0.6576, 0.9063),
    (160, 200): (0.7035, 0.8784),
    (0, 500): (0, 0.0116),
    (720, 1000): (0.6731, 0.7639),
}


@pytest.mark.parametrize("counts", GOLDEN)
def test_golden_limits(counts):
    interval = th.rate_interval(*counts, method="anytime")
    assert (interval.lower, interval.upper) == pytest.approx(GOLDEN[counts], abs=5e-5)


def test_mirror_and_scale():
    k, n = np.array([0, 3, 70, 998]), np.array([7, 9, 200, 1000])
    lower, upper = mean_limits(k, k, n)
    mirrored = mean_limits(n - k, n - k, n)
    np.testing.assert_allclose((lower, upper), (1 - mirrored[1], 1 - mirrored[0]), atol=1e-12)
    scaled = mean_interval(2 * 70 - 200, 200, within=(-1, 1))
    assert (scaled.lower, scaled.upper) == pytest.approx((2 * lower[2] - 1, 2 * upper[2] - 1))


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.data())
def test_limits_with_unlabelled_rows_hold_those_of_every_labelling(counts, data):
    k, n = counts
    unlabelled = data.draw(st.integers(0, n - k))
    positive = data.draw(st.integers(0, unlabelled))
    bounds, known = mean_interval(k, n, unlabelled=unlabelled), mean_interval(k + positive, n)
    assert bounds.lower <= known.lower + 1e-12
    assert known.upper <= bounds.upper + 1e-12


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.floats(0, n), st.just(n))), st.floats(0, 1))
def test_limits_are_where_the_evidence_suffices(counts, mean):
    total, n = counts
    lower, upper = (float(limit) for limit in mean_limits(total, total, n))
    evidence = log_evidence(total, total, n, mean, nodes())
    if abs(mean - lower) > 1e-9 and abs(mean - upper) > 1e-9:
        assert (lower < mean < upper) == (evidence < np.log(20))
    assert lower <= total / n <= upper


def test_width_is_near_one_look_and_near_the_beta_binomial_mixture():
    n = np.repeat([20, 100, 500, 2000], 5)
    k = np.rint(n * np.tile([0.05, 0.2, 0.5, 0.8, 0.95], 4))
    lower, upper = mean_limits(k, k, n)
    wilson = np.array([th.rate_interval(a, b).width for a, b in zip(k.tolist(), n.tolist(), strict=True)])
    assert ((upper - lower) / wilson).max() < 1.7
    grid = np.linspace(1e-4, 1 - 1e-4, 9999)
    for a, b, width in zip(k, n, upper - lower, strict=True):
        log_ratio = betaln(a + 1, b - a + 1) - a * np.log(grid) - (b - a) * np.log1p(-grid)
        robbins = grid[log_ratio < np.log(20)]
        assert b < 100 or width <= 1.05 * (robbins[-1] - robbins[0] + 2e-4)


def test_portfolio_is_narrower_than_the_mixture_for_squared_errors():
    rng = np.random.default_rng(1)
    score = rng.beta(1, 3, 1500).round(2)
    squares = (score - (rng.random(1500) < score)) ** 2
    values, counts = np.unique(squares, return_counts=True)
    narrow = portfolio_interval(values, counts)
    assert narrow.width < 0.95 * mean_interval(squares.sum(), 1500).width
    asymptotic = mean_interval(squares.sum(), 1500, squares=(squares**2).sum(), method="asymptotic")
    assert 1 < narrow.width / asymptotic.width < 1.3
    assert portfolio_interval(squares).width == pytest.approx(narrow.width)
    assert narrow.estimate == pytest.approx(squares.mean())


@pytest.mark.parametrize("world", ["p = 0.8", "blocks", "drop", "past decides"])
def test_limits_hold_at_every_look(world):
    outside = ever_outside(labels(world, runs=300, n=1000, seed=4))
    assert outside["anytime"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
    assert outside["wilson"] > 0.15 or world == "past decides"


@pytest.mark.parametrize(
    "arguments",
    [(3, 2), (1, 0), (-1, 2), (float("nan"), 2), ("x", 2)],
)
def test_what_is_no_sum_is_refused(arguments):
    with pytest.raises(ThresherError):
        mean_interval(*arguments)


def test_asymptotic_limits_need_squares():
    with pytest.raises(ThresherError, match="spread of all values"):
        mean_interval(3, 20, method="asymptotic")
