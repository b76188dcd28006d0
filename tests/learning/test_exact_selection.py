import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learning.scatter_oracles import best_by_ratio, value
from thresher.learning.exact_selection import exact_selection, largest

terms = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=8)
rough_terms = st.lists(st.tuples(st.floats(0, 1e3), st.floats(0, 1e3)), min_size=1, max_size=8)


@settings(max_examples=400)
@given(terms, st.data())
def test_no_subset_is_better_in_exact_arithmetic(drawn, data):
    between, within = zip(*drawn, strict=True)
    size = data.draw(st.integers(1, len(drawn)))
    best, _ = best_by_ratio(between, within, size)
    found = exact_selection(np.array(between, float), np.array(within, float), size)
    assert value([between[i] for i in found.features], [within[i] for i in found.features]) == best


@given(rough_terms, st.data())
def test_no_subset_of_any_numbers_is_better_beyond_rounding(drawn, data):
    between, within = zip(*drawn, strict=True)
    size = data.draw(st.integers(1, len(drawn)))
    best, _ = best_by_ratio(between, within, size)
    found = exact_selection(np.array(between), np.array(within), size)
    reached = value([between[i] for i in found.features], [within[i] for i in found.features])
    if isinstance(best, Fraction) and best < Fraction(10) ** 300:
        assert reached >= best * (1 - Fraction(1, 10**12))


@given(terms, st.data())
def test_steps_rise_and_features_are_distinct_and_rising(drawn, data):
    between, within = (np.array(column, float) for column in zip(*drawn, strict=True))
    size = data.draw(st.integers(1, len(drawn)))
    found = exact_selection(between, within, size)
    assert (np.diff(found.steps) > 0).all()
    assert (np.diff(found.features) > 0).all()
    assert found.features.size == size


def test_ratios_so_large_that_products_overflow():
    assert exact_selection(np.array([0.0, 1.0]), np.array([262.0, 1.5e-306]), 1).features.tolist() == [1]


def test_single_scores_and_greedy_search_can_be_wrong_and_this_is_not():
    """Feature 1 alone has the larger ratio, but its terms are too small to lift the sum."""
    between, within = np.array([10.0, 8.0, 0.02]), np.array([10.0, 9.0, 0.01])
    best, subsets = best_by_ratio([1000, 800, 2], [1000, 900, 1], 2)
    found = exact_selection(between, within, 2)
    assert [tuple(found.features.tolist())] == subsets
    assert found.steps[-1] == pytest.approx(float(best))


def test_ties_take_the_earlier_feature():
    assert exact_selection(np.ones(5), np.ones(5), 2).features.tolist() == [0, 1]
    assert largest(np.array([1.0, 2.0, 2.0, 2.0]), 2).tolist() == [1, 2]


def test_features_without_scatter_within_come_first_by_what_lies_between():
    between, within = np.array([1.0, 5.0, 0.0, 2.0, 9.0]), np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    found = exact_selection(between, within, 2)
    assert found.features.tolist() == [1, 3]
    assert found.steps == (math.inf,)


def test_too_few_perfect_features_are_filled_up_with_the_best():
    between, within = np.array([1.0, 4.0, 3.0]), np.array([0.0, 4.0, 2.0])
    assert exact_selection(between, within, 2).features.tolist() == [0, 2]


def test_features_that_separate_nothing():
    assert exact_selection(np.zeros(3), np.array([0.0, 1.0, 2.0]), 2).features.tolist() == [0, 1]


def test_ten_thousand_features_take_a_handful_of_steps():
    rng = np.random.default_rng(0)
    found = exact_selection(rng.exponential(size=10_000) ** 3, rng.exponential(size=10_000), 50)
    assert len(found.steps) < 10
