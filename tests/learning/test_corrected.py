"""Corrected limits agree with the corrected test of a difference from nothing."""

import math

import numpy as np
import pytest

import thresher as th
from thresher.learning.corrected import corrected_interval, correction

VALUES = np.array([0.81, 0.79, 0.84, 0.80, 0.82])


def test_it_is_the_corrected_test_of_the_values_against_zero():
    found = corrected_interval(VALUES, test_share=0.2, level=0.9, spread=(0, 1))
    test = th.corrected_t(VALUES, np.zeros(5), test_share=0.2, level=0.9)
    assert (found.estimate, found.lower, found.upper) == pytest.approx((test.difference, test.lower, test.upper))
    assert found.variance == pytest.approx(test.variance)


def test_limits_stay_in_the_range_and_no_spread_gives_none():
    found = corrected_interval(np.array([0.99, 1.0, 0.8]), test_share=0.3, level=0.95, spread=(0, 1))
    assert found.upper == 1
    for values in (np.ones(4), np.ones(1)):
        still = corrected_interval(values, test_share=0.3, level=0.95, spread=(0, 1))
        assert math.isnan(still.lower)
        assert still.note


def test_the_correction_is_larger_than_for_independent_folds():
    assert correction(10, 0.1) == pytest.approx(1 / 10 + 1 / 9)
