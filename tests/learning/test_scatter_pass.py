import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.learning import scatter_pass
from thresher.learning.scatter_pass import moments


def by_definition(X, codes, classes):
    means = np.array(
        [X[codes == k].mean(axis=0) if (codes == k).any() else np.zeros(X.shape[1]) for k in range(classes)]
    )
    deviation = X - means[codes]
    return np.bincount(codes, minlength=classes), means, deviation.T @ deviation


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(scatter_pass, "_BLOCK", 1)
    monkeypatch.setattr(scatter_pass, "_MATRIX_BLOCK", 1)


@given(st.integers(1, 80), st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**32))
def test_blocks_give_what_the_definition_gives(rows, features, classes, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, rows)
    X = rng.normal(size=(rows, features)) + 3 * codes[:, None]
    counts, means, squares = by_definition(X, codes, classes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scatter_pass, "_BLOCK", 1)
        patch.setattr(scatter_pass, "_MATRIX_BLOCK", 1)
        one, whole = (moments(X, codes, classes=classes, matrix=matrix) for matrix in (False, True))
    assert one.counts.tolist() == whole.counts.tolist() == counts.tolist()
    np.testing.assert_allclose(one.means, means, atol=1e-12)
    np.testing.assert_allclose(one.squares, np.diagonal(squares), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(whole.squares, squares, rtol=1e-10, atol=1e-10)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_a_large_offset_costs_no_digits_beyond_those_of_the_data(offset):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(1000, 2)), 3) + offset
    codes = rng.integers(0, 2, 1000)
    exact = sum(((X[codes == k] - X[codes == k].mean(axis=0)) ** 2).sum(axis=0) for k in range(2))
    found = moments(X, codes, classes=2, matrix=False).squares
    # The mean itself is known to one part in 2⁵², so |mean|/σ times that is what any method can promise.
    np.testing.assert_allclose(found, exact, rtol=offset * 2.0**-52)


@pytest.mark.usefixtures("small_blocks")
def test_an_outlier_as_first_row_costs_few_digits():
    X = np.concatenate([[1e8], np.random.default_rng(1).normal(size=999)])[:, None]
    exact = ((X - X.mean()) ** 2).sum()
    assert moments(X, np.zeros(1000, dtype=int), classes=1, matrix=False).squares[0] == pytest.approx(exact, rel=1e-12)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("matrix", [False, True])
def test_a_feature_constant_within_classes_has_no_scatter_at_all(matrix):
    codes = np.random.default_rng(2).integers(0, 3, 500)
    X = np.array([0.1, 1 / 3, 1e-7])[codes][:, None]
    assert moments(X, codes, classes=3, matrix=matrix).squares.item() == 0.0


def test_rows_that_drift_are_as_exact():
    X = (np.arange(5000.0) * 1e3)[:, None]
    exact = ((X - X.mean()) ** 2).sum()
    assert moments(X, np.zeros(5000, dtype=int), classes=1, matrix=False).squares[0] == pytest.approx(exact, rel=1e-13)


def test_single_precision_is_summed_in_double():
    X = np.full((100_000, 1), np.float32(0.1))
    X[::2] += np.float32(1)
    found = moments(X, np.zeros(100_000, dtype=int), classes=1, matrix=False)
    assert found.means.dtype == np.float64
    assert found.squares[0] == pytest.approx(X.astype(np.float64).var() * 100_000, rel=1e-12)
