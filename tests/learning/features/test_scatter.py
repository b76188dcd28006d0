"""Scatter by its definition, in blocks, in pieces and on published tables."""

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
from thresher.learning.features.scatter import moments


def by_definition(X, codes, classes):
    means = np.array(
        [X[codes == k].mean(axis=0) if (codes == k).any() else np.zeros(X.shape[1]) for k in range(classes)]
    )
    deviation = X - means[codes]
    return np.bincount(codes, minlength=classes), means, deviation.T @ deviation


@given(st.integers(1, 80), st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**32))
def test_blocks_give_what_the_definition_gives(rows, features, classes, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, rows)
    X = rng.normal(size=(rows, features)) + 3 * codes[:, None]
    counts, means, squares = by_definition(X, codes, classes)
    for matrix, expected in ((False, np.diagonal(squares)), (True, squares)):
        result = moments(X, codes, classes=classes, matrix=matrix, block=1)
        assert result[0].tolist() == counts.tolist()
        np.testing.assert_allclose(result[1], means, atol=1e-12)
        np.testing.assert_allclose(result[2], expected, rtol=1e-10, atol=1e-10 if matrix else 1e-12)


@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_a_large_offset_costs_no_digits_beyond_those_of_the_data(offset):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(1000, 2)), 3) + offset
    codes = rng.integers(0, 2, 1000)
    exact = sum(((X[codes == k] - X[codes == k].mean(axis=0)) ** 2).sum(axis=0) for k in range(2))
    squares = moments(X, codes, classes=2, matrix=False, block=1)[2]
    # The mean itself is known to one part in 2⁵², so |mean|/σ times that is what any method can promise.
    np.testing.assert_allclose(squares, exact, rtol=offset * 2.0**-52)


def test_an_outlier_as_first_row_costs_few_digits():
    X = np.concatenate([[1e8], np.random.default_rng(1).normal(size=999)])[:, None]
    squares = moments(X, np.zeros(1000, dtype=int), classes=1, matrix=False, block=1)[2]
    assert squares[0] == pytest.approx(((X - X.mean()) ** 2).sum(), rel=1e-12)


@pytest.mark.parametrize("matrix", [False, True])
def test_a_feature_constant_within_classes_has_no_scatter_at_all(matrix):
    codes = np.random.default_rng(2).integers(0, 3, 500)
    X = np.array([0.1, 1 / 3, 1e-7])[codes][:, None]
    assert moments(X, codes, classes=3, matrix=matrix, block=1)[2].item() == 0.0


def test_rows_that_drift_are_as_exact():
    X = (np.arange(5000.0) * 1e3)[:, None]
    exact = ((X - X.mean()) ** 2).sum()
    assert moments(X, np.zeros(5000, dtype=int), classes=1, matrix=False)[2][0] == pytest.approx(exact, rel=1e-13)


def test_single_precision_is_summed_in_double():
    X = np.full((100_000, 1), np.float32(0.1))
    X[::2] += np.float32(1)
    _, means, squares = moments(X, np.zeros(100_000, dtype=int), classes=1, matrix=False)
    assert means.dtype == np.float64
    assert squares[0] == pytest.approx(X.astype(np.float64).var() * 100_000, rel=1e-12)


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
    table = scatter(X, y, matrix=True)
    within, between = scatter_matrices(X, y)
    np.testing.assert_allclose(table.within_matrix, within, atol=1e-9)
    np.testing.assert_allclose(table.between_matrix, between, atol=1e-9)
    np.testing.assert_allclose(table.total_matrix, np.cov(X.T, bias=True).reshape(within.shape), atol=1e-9)
    np.testing.assert_allclose(table.mean, X.mean(axis=0), atol=1e-12)


@given(tables())
def test_traces_do_not_need_the_matrices(table):
    X, y = table
    few, full = scatter(X, y), scatter(X, y, matrix=True)
    np.testing.assert_allclose(few.within, np.diagonal(full.within_matrix), atol=1e-12)
    np.testing.assert_allclose(few.between, np.diagonal(full.between_matrix), atol=1e-12)
    np.testing.assert_allclose(few.J, full.J)


@given(tables(), st.data())
def test_counting_pieces_and_adding_is_counting_all(table, data):
    X, y = table
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(y)), max_size=3))), len(y)]
    full = scatter(X, y, matrix=True)
    pieces = [(X[a:b], y[a:b]) for a, b in pairwise(cuts)]
    added = scatter_of_chunks(pieces, matrix=True)
    assert added.classes == full.classes
    assert added.counts.tolist() == full.counts.tolist()
    np.testing.assert_allclose(added.means, full.means, atol=1e-11)
    np.testing.assert_allclose(added.squares, full.squares, atol=1e-8)


@given(tables(), tables(), st.randoms())
def test_the_order_of_adding_and_of_rows_is_irrelevant(one, other, random):
    (X, y), (U, v) = one, other
    width = min(X.shape[1], U.shape[1])
    a, b = scatter(X[:, :width], y), scatter(U[:, :width], v)
    np.testing.assert_allclose((a + b).squares, (b + a).squares, atol=1e-9)
    order = list(range(len(y)))
    random.shuffle(order)
    np.testing.assert_allclose(scatter(X[order], y[order]).within, scatter(X, y).within, atol=1e-10)


def test_the_worked_definition_of_two_classes():
    """Two classes of two rows: S_W = ½·diag(1, 0) + ½·diag(0, ¼) and S_B from means (2, 0), (8, ½) around (5, ¼)."""
    table = scatter([[1, 0], [3, 0], [8, 0], [8, 1]], [0, 0, 1, 1], matrix=True)
    np.testing.assert_array_equal(table.within_matrix, [[0.5, 0], [0, 0.125]])
    np.testing.assert_array_equal(table.between, [9, 0.0625])
    np.testing.assert_allclose(table.between_matrix, [[9, 0.75], [0.75, 0.0625]])
    assert table.J == 9.0625 / 0.625
    assert table.scores.tolist() == [18, 0.5]


def test_iris_agrees_with_the_published_sums_of_squares():
    """SSW and SSB of Fisher's iris from the usual one-way ANOVA tables (NIST, R's aov): F = 119.26 for sepal length."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    table = scatter(X, y)
    assert table.names[0] == "sepal length (cm)"
    np.testing.assert_allclose(table.within * 150, [38.9562, 16.9620, 27.2226, 6.1566], atol=5e-5)
    np.testing.assert_allclose(table.between * 150, [63.21213, 11.34493, 437.1028, 80.41333], rtol=1e-6)
    assert table.scores[0] * 147 / 2 == pytest.approx(119.2645, abs=1e-4)


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
    table = scatter([[1, 5], [1, 6]], [0, 1])
    assert np.isnan(table.scores[0])
    assert np.isinf(table.scores[1])
    assert np.isinf(table.J)


def test_arrays_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        scatter([[1.0]], [0]).means[0] = 3


@pytest.mark.parametrize(
    ("X", "y", "kind", "words"),
    [
        (
            [[1.0], [np.nan]],
            [0, 1],
            th.errors.MissingValueError,
            "1 of 2 entries are NaN or infinite .* column 'x0', row 1",
        ),
        ([[1.0], [np.inf]], [0, 1], th.errors.MissingValueError, "infinite"),
        ([[1e200], [-1e200]], [0, 0], th.errors.MissingValueError, "overflow"),
        ([[1.0], [2.0]], [0, None], th.errors.MissingValueError, "1 of 2 labels are missing"),
        ([[1.0], [2.0]], [0], th.errors.LengthError, "X has 2 rows and y 1"),
        ([1.0, 2.0], [0, 1], th.errors.LengthError, "table of numbers"),
        ([["a"], ["b"]], [0, 1], th.errors.LengthError, "table of numbers"),
        (np.empty((0, 3)), [], th.errors.EmptyError, "no rows"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
def test_what_cannot_be_scattered_is_refused(X, y, kind, words):
    with pytest.raises(kind, match=words):
        scatter(X, y)


def test_matrices_are_refused_where_they_were_not_computed():
    few = scatter([[1.0], [2.0]], [0, 1])
    with pytest.raises(th.errors.ArgumentError, match="matrix=True"):
        _ = few.within_matrix
    with pytest.raises(th.errors.ArgumentError, match="one of these scatters has matrices"):
        few + scatter([[1.0], [2.0]], [0, 1], matrix=True)
    with pytest.raises(th.errors.ArgumentError, match="different features"):
        few + scatter(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1])
    with pytest.raises(TypeError):
        few + 1
    with pytest.raises(th.errors.EmptyError):
        scatter_of_chunks([])
