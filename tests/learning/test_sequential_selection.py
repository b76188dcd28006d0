import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.learning.scatter_oracles import backward, forward, scatter_matrices, trace_of, value
from tests.learning.test_criteria import drawn as drawn_rows
from thresher.learning import scatter
from thresher.learning.sequential_selection import (
    backward_by_ratio,
    backward_by_trace,
    forward_by_ratio,
    forward_by_trace,
)

# Sums of eighths are exact, and so are their ratios' orders for numbers this small.
terms = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), min_size=1, max_size=8)


@pytest.mark.parametrize(("search", "generic"), [(forward_by_ratio, forward), (backward_by_ratio, backward)])
@given(drawn=terms, data=st.data())
def test_by_ratio_goes_the_way_of_a_generic_search(search, generic, drawn, data):
    between, within = zip(*drawn, strict=True)
    size = data.draw(st.integers(1, len(drawn)))

    def worth(subset):
        return value([between[i] for i in subset], [within[i] for i in subset])

    found = search(np.array(between, float), np.array(within, float), size)
    assert found.features.tolist() == generic(worth, len(drawn), size)
    if found.steps:
        assert found.steps[-1] == pytest.approx(float(worth(found.features.tolist())))


@pytest.mark.parametrize(("search", "generic"), [(forward_by_trace, forward), (backward_by_trace, backward)])
@given(seed=st.integers(0, 2**32), features=st.integers(1, 6), data=st.data())
def test_by_trace_goes_the_way_of_a_generic_search(search, generic, seed, features, data):
    X, y = drawn_rows(seed, features)
    within, between = scatter_matrices(X, y)
    size = data.draw(st.integers(1, features))
    found_scatter = scatter(X, y, matrix=True)
    found = search(found_scatter.within_matrix, found_scatter.spread, size)
    assert found.features.tolist() == generic(lambda subset: trace_of(within, between, subset), features, size)
    if found.steps:
        assert found.steps[-1] == pytest.approx(trace_of(within, between, found.features.tolist()), rel=1e-5)


def test_forward_takes_perfect_features_first():
    between, within = np.array([1.0, 5.0, 9.0]), np.array([0.0, 0.0, 1.0])
    assert forward_by_ratio(between, within, 3).features.tolist() == [1, 0, 2]
    assert forward_by_trace(np.diag(within), np.sqrt(between)[None, :], 3).features.tolist() == [1, 0, 2]


def test_backward_keeps_a_small_feature_beside_a_huge_one():
    """1e20 - 1e20 + 1 is not 1: sums without a feature are not found by subtracting it."""
    found = backward_by_ratio(np.array([1e20, 1.0, 0.5]), np.array([1e30, 1.0, 1.0]), 1)
    assert found.features.tolist() == [1]
    assert found.steps == (0.75, 1.0)


def test_forward_by_trace_prefers_new_information_to_a_copy():
    X, y = drawn_rows(3, 3)
    X = np.column_stack([X, X[:, 0]])
    found = scatter(X, y, matrix=True)
    assert set(forward_by_trace(found.within_matrix, found.spread, 3).features.tolist()) == {0, 1, 2}


def test_backward_by_trace_needs_an_inverse_and_says_so():
    with pytest.raises(th.ArgumentError, match="has no inverse"):
        backward_by_trace(np.ones((2, 2)), np.ones((1, 2)), 1)
    with pytest.raises(th.ArgumentError, match="has no inverse"):
        backward_by_trace(np.diag([1.0, 0.0]), np.ones((1, 2)), 1)
