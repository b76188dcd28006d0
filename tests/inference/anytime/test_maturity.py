"""How long labels take: textbook numbers, brute force, delays that tell the class."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import ThresherError
from thresher.inference import arrival_weights, delay_test, maturity


def test_freireichs_remissions():
    """The 6-MP arm of Freireich et al. (1963), in every textbook: S(6) = .857, S(10) = .753, S(23) = .448."""
    age = [6, 7, 9, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 34, 35]
    relapse = [3, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0]
    waiting = [1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 2, 1, 1]
    curve = maturity(age, relapse, waiting)
    assert (1 - curve.share_at([6, 10, 23])).round(4).tolist() == [0.8571, 0.7529, 0.4482]
    assert math.isnan(curve.age_of_maturity)  # nine labels are too few
    placebo = {1: 2, 2: 2, 3: 1, 4: 2, 5: 2, 8: 4, 11: 2, 12: 2, 15: 1, 17: 1, 22: 1, 23: 1}
    assert (1 - maturity(list(placebo), list(placebo.values()), [0] * 12).share_at(8)).round(4) == 0.3810


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=40))
def test_shares_are_those_of_rows_one_by_one(rows):
    age, labelled = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    curve = maturity(age, labelled, ~labelled)
    for at in range(7):
        remaining = 1.0
        for earlier in range(at + 1):
            risk = (age >= earlier).sum()
            remaining *= 1 - (labelled & (age == earlier)).sum() / risk if risk else 1
        assert curve.share_at(at) == pytest.approx(1 - remaining)
    assert ((curve.lower <= curve.share + 1e-12) & (curve.share <= curve.upper + 1e-12)).all()


def test_greenwood_limits_cover_and_maturity_ignores_what_is_never_labelled():
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(200):
        delay = np.where(rng.random(300) < 0.8, rng.geometric(0.2, 300), 10**6)
        now = rng.integers(1, 40, 300)
        age, labelled = np.minimum(delay, now), delay <= now
        curve = maturity(age, labelled, ~labelled)
        at = np.searchsorted(curve.age, 10, side="right") - 1
        inside += curve.lower[at] <= 0.8 * (1 - 0.8**10) <= curve.upper[at]
    assert 0.9 <= inside / 200 <= 0.99
    assert 9 <= curve.age_of_maturity <= 18  # 95 % of a geometric delay of 0.2 comes by age 14
    assert curve.plateau == pytest.approx(0.8, abs=0.08)


def test_delays_that_tell_the_class():
    rng = np.random.default_rng(4)
    age = np.arange(1, 80)
    late, early = (np.bincount(rng.geometric(p, 300), minlength=80)[1:80] for p in (0.1, 0.5))
    assert delay_test(age, late, early).differs
    refused = [
        delay_test(age, *(np.bincount(rng.geometric(0.2, 25), minlength=80)[1:80] for _ in "ab")).differs
        for _ in range(200)
    ]
    assert 0.01 <= np.mean(refused) <= 0.1  # the log-rank test keeps its 5 % where labels are few
    assert not delay_test([1, 2], [3, 4], [0, 0]).differs


def test_arrival_weights_mend_a_young_cohort():
    rng = np.random.default_rng(5)
    delay = rng.geometric(0.2, 20_000)
    curve = maturity(delay, np.ones(20_000), np.zeros(20_000))
    young = delay[:5000] <= 3
    weight = arrival_weights(curve, [3])[0]
    assert young.sum() * weight == pytest.approx(5000, rel=0.03)


@pytest.mark.parametrize("columns", [([1], [1, 2], [0]), ([-1], [1], [0]), ([1], [-1], [0]), ([1], [0], [0])])
def test_counts_by_age_are_checked(columns):
    with pytest.raises(ThresherError):
        maturity(*columns)
