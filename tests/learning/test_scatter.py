from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import thresher as th
from tests.learning.scatter_oracles import scatter_matrices
from thresher.learning import scatter, scatter_of_chunks

numbers = st.integers(-20, 20).map(float)


@st.composite
def tables(draw, min_rows=2):
    features = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(st.integers(0, 2), *[numbers] * features), min_size=min_rows, max_size=25))
    array = np.array(rows)
    return array[:, 1:], array[:, 0].astype(int)


@given(tables())
def test_matrices_are_the_defined_ones_and_add_up_to_the_covariance(table):
    X, y = table
    found = scatter(X, y, matrix=True)
    within, between = scatter_matrices(X, y)
    np.testing.assert_allclose(found.within_matrix, within, atol=1e-9)
    np.testing.assert_allclose(found.between_matrix, between, atol=1e-9)
    np.testing.assert_allclose(found.total_matrix, np.cov(X.T, bias=True).reshape(within.shape), atol=1e-9)
    np.testing.assert_allclose(found.mean, X.mean(axis=0), atol=1e-12)


@given(tables())
def test_traces_do_not_need_the_matrices(table):
    X, y = table
    few, whole = scatter(X, y), scatter(X, y, matrix=True)
    np.testing.assert_allclose(few.within, np.diagonal(whole.within_matrix), atol=1e-12)
    np.testing.assert_allclose(few.between, np.diagonal(whole.between_matrix), atol=1e-12)
    np.testing.assert_allclose(few.J, whole.J)


@given(tables(), st.data())
def test_counting_pieces_and_adding_is_counting_all(table, data):
    X, y = table
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(y)), max_size=3))), len(y)]
    whole = scatter(X, y, matrix=True)
    pieces = [(X[a:b], y[a:b]) for a, b in pairwise(cuts)]
    added = scatter_of_chunks(pieces, matrix=True)
    assert added.classes == whole.classes
    assert added.counts.tolist() == whole.counts.tolist()
    np.testing.assert_allclose(added.means, whole.means, atol=1e-11)
    np.testing.assert_allclose(added.squares, whole.squares, atol=1e-8)


@given(tables(), tables(), st.randoms())
def test_the_order_of_adding_and_of_rows_is_irrelevant(one, other, random):
    (X, y), (U, v) = one, other
    width = min(X.shape[1], U.shape[1])
    a, b = scatter(X[:, :width], y), scatter(U[:, :width], v)
    np.testing.assert_allclose((a + b).squares, (b + a).squares, atol=1e-9)
    order = list(range(len(y)))
    random.shuffle(order)
    np.testing.assert_allclose(scatter(X[order], y[order]).within, scatter(X, y).within, atol=1e-10)


def test_the_worked_definition_by_hand():
    """Two classes of two rows: S_W = ½·diag(1, 0) + ½·diag(0, ¼) and S_B from means (2, 0), (8, ½) around (5, ¼)."""
    found = scatter([[1, 0], [3, 0], [8, 0], [8, 1]], [0, 0, 1, 1], matrix=True)
    np.testing.assert_array_equal(found.within_matrix, [[0.5, 0], [0, 0.125]])
    np.testing.assert_array_equal(found.between, [9, 0.0625])
    np.testing.assert_allclose(found.between_matrix, [[9, 0.75], [0.75, 0.0625]])
    assert found.J == 9.0625 / 0.625
    assert found.scores.tolist() == [18, 0.5]


def test_iris_agrees_with_the_published_sums_of_squares():
    """SSW and SSB of Fisher's iris from the usual one-way ANOVA tables (NIST, R's aov): F = 119.26 for sepal length."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    found = scatter(X, y)
    assert found.names[0] == "sepal length (cm)"
    np.testing.assert_allclose(found.within * 150, [38.9562, 16.9620, 27.2226, 6.1566], atol=5e-5)
    np.testing.assert_allclose(found.between * 150, [63.21213, 11.34493, 437.1028, 80.41333], rtol=1e-6)
    assert found.scores[0] * 147 / 2 == pytest.approx(119.2645, abs=1e-4)


def test_ten_thousand_features_need_no_matrix():
    X = np.random.default_rng(0).normal(size=(30, 10_000))
    assert scatter(X, np.arange(30) % 2).squares.shape == (10_000,)


def test_texts_booleans_and_mixed_labels():
    X = [[1.0], [2.0], [3.0]]
    assert scatter(X, ["ham", "spam", "ham"]).classes == ("ham", "spam")
    assert scatter(X, [True, False, True]).classes == (False, True)
    both = scatter(X, ["a", "b", "a"]) + scatter(X, [1, 2, 1])
    assert both.classes == (scatter(X, [1, 2, 1]) + scatter(X, ["a", "b", "a"])).classes


def test_constant_features_say_that_there_is_no_ratio():
    found = scatter([[1, 5], [1, 6]], [0, 1])
    assert np.isnan(found.scores[0])
    assert np.isinf(found.scores[1])
    assert np.isinf(found.J)


def test_arrays_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        scatter([[1.0]], [0]).means[0] = 3


@pytest.mark.parametrize(
    ("X", "y", "kind", "words"),
    [
        ([[1.0], [np.nan]], [0, 1], th.MissingValueError, "1 of 2 entries are NaN or infinite .* column 'x0', row 1"),
        ([[1.0], [np.inf]], [0, 1], th.MissingValueError, "infinite"),
        ([[1e200], [-1e200]], [0, 0], th.MissingValueError, "overflow"),
        ([[1.0], [2.0]], [0, None], th.MissingValueError, "1 of 2 labels are missing"),
        ([[1.0], [2.0]], [0], th.LengthError, "X has 2 rows and y 1"),
        ([1.0, 2.0], [0, 1], th.LengthError, "table of numbers"),
        ([["a"], ["b"]], [0, 1], th.LengthError, "table of numbers"),
        (np.empty((0, 3)), [], th.EmptyError, "no rows"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
def test_what_cannot_be_scattered_is_refused(X, y, kind, words):
    with pytest.raises(kind, match=words):
        scatter(X, y)


def test_matrices_are_refused_where_they_were_not_kept():
    few = scatter([[1.0], [2.0]], [0, 1])
    with pytest.raises(th.ArgumentError, match="matrix=True"):
        _ = few.within_matrix
    with pytest.raises(th.ArgumentError, match="one of these scatters has matrices"):
        few + scatter([[1.0], [2.0]], [0, 1], matrix=True)
    with pytest.raises(th.ArgumentError, match="different features"):
        few + scatter(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1])
    with pytest.raises(TypeError):
        few + 1
    with pytest.raises(th.EmptyError):
        scatter_of_chunks([])
