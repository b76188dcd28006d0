import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.learning.scatter_oracles import scatter_matrices, trace_of
from thresher.learning import scatter
from thresher.learning.criteria import hotelling_lawley, require_criterion


def drawn(seed, features, rows=40):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    return rng.normal(size=(rows, features)) @ rng.normal(size=(features, features)) + y[:, None], y


@given(st.integers(0, 2**32), st.integers(1, 5))
def test_the_trace_is_that_of_the_inverse_times_between(seed, features):
    X, y = drawn(seed, features)
    found = scatter(X, y, matrix=True)
    subset = list(range(features))
    traced = hotelling_lawley(found.within_matrix, found.spread, np.array([subset, subset[::-1]]))
    within, between = scatter_matrices(X, y)
    np.testing.assert_allclose(traced, trace_of(within, between, subset), rtol=1e-6)


def test_a_repeated_feature_adds_nothing_and_a_class_label_is_perfect():
    X, y = drawn(0, 2)
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 1], y, np.ones(len(y))])
    found = scatter(X, y, matrix=True)

    def traced(*subset):
        return hotelling_lawley(found.within_matrix, found.spread, np.array([subset]))[0]

    assert traced(0, 1, 2) == pytest.approx(traced(0, 1))
    assert traced(0, 3) == np.inf
    assert traced(0, 4) == traced(0)


def test_a_perfect_combination_is_seen():
    """x1 differs from x0 by the class alone, so together they separate the classes though neither does."""
    x = np.random.default_rng(0).normal(size=20)
    y = np.arange(20) % 2
    found = scatter(np.column_stack([x, x + y]), y, matrix=True)
    assert hotelling_lawley(found.within_matrix, found.spread, np.array([[0, 1]]))[0] == np.inf


def test_an_unknown_criterion_is_refused():
    with pytest.raises(th.ArgumentError, match="there is no criterion 'J'"):
        require_criterion("J")
