import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

import thresher as th
from thresher.learning import principal_components

IRIS = load_iris(as_frame=True).data


def test_iris_as_everyone_prints_it():
    """Explained shares of iris, raw and standardised, as in scikit-learn's and R's documentation."""
    np.testing.assert_allclose(
        principal_components(IRIS).ratios, [0.92461872, 0.05306648, 0.01710261, 0.00521218], atol=1e-8
    )
    result = principal_components(IRIS, standardise=True)
    np.testing.assert_allclose(result.ratios, [0.72962445, 0.22850762, 0.03668922, 0.00517871], atol=1e-8)
    np.testing.assert_allclose(result.cumulative[:2], [0.72962445, 0.95813207], atol=1e-8)
    assert result.names == tuple(IRIS.columns)


@given(st.integers(0, 2**32), st.integers(3, 30), st.integers(1, 5))
def test_the_four_steps_written_out_agree(seed, rows, features):
    X = np.random.default_rng(seed).normal(size=(rows, features)) * np.arange(1, features + 1) + 5
    result = principal_components(X)
    centred = X - X.mean(axis=0)
    covariance = centred.T @ centred / (rows - 1)
    np.testing.assert_allclose(result.covariance, covariance, atol=1e-10)
    values = np.linalg.eigvalsh(covariance)[::-1][: result.ratios.size]
    np.testing.assert_allclose(result.variances, values, atol=1e-9)
    np.testing.assert_allclose(result.components @ result.components.T, np.eye(result.ratios.size), atol=1e-9)
    np.testing.assert_allclose(covariance @ result.components.T, result.components.T * result.variances, atol=1e-8)
    np.testing.assert_allclose(
        np.cov(result.project(X).T).reshape(2 * (result.ratios.size,)), np.diag(result.variances), atol=1e-8
    )
    assert (result.components.max(axis=1) >= -result.components.min(axis=1)).all()


def test_it_is_scikit_learns_up_to_signs():
    ours = principal_components(IRIS, n_components=2, standardise=True)
    steady = StandardScaler().fit_transform(IRIS.to_numpy())
    theirs = PCA(2).fit(steady)
    # scikit-learn's scaler divides by N, and a standard deviation here by N - 1.
    np.testing.assert_allclose(
        np.abs(ours.project(IRIS)), np.abs(theirs.transform(steady)) * np.sqrt(149 / 150), atol=1e-9
    )
    np.testing.assert_allclose(ours.ratios, theirs.explained_variance_ratio_, atol=1e-12)


def test_projection_and_back_is_the_identity_with_all_components():
    result = principal_components(IRIS, standardise=True)
    np.testing.assert_allclose(result.restored(result.project(IRIS)), IRIS, atol=1e-12)
    few = principal_components(IRIS, n_components=1)
    lost = ((few.restored(few.project(IRIS)) - IRIS) ** 2).to_numpy().sum() / 149
    assert lost == pytest.approx(principal_components(IRIS).variances[1:].sum())


def test_how_many_explain_enough():
    result = principal_components(IRIS)
    assert [result.explaining(share) for share in (0.9, 0.95, 0.99, 1)] == [1, 2, 3, 4]
    with pytest.raises(th.errors.ArgumentError, match=r"the 1 components kept explain 0\.9246"):
        principal_components(IRIS, n_components=1).explaining(0.99)
    with pytest.raises(th.errors.ArgumentError, match="above 0"):
        result.explaining(0)


def test_constants_stay_and_add_nothing():
    X = np.column_stack([np.arange(5.0), np.full(5, 0.1)])
    result = principal_components(X, standardise=True)
    np.testing.assert_allclose(result.ratios, [1, 0], atol=1e-15)
    assert result.scale[1] == 1


def test_long_lists_are_cut():
    assert str(principal_components(np.random.default_rng(0).normal(size=(30, 12)))).endswith("…")


@pytest.mark.parametrize(
    ("X", "options", "kind", "words"),
    [
        ([[1.0, np.nan], [1, 2]], {}, th.errors.MissingValueError, "1 of 4 entries"),
        ([[1.0, 2.0]], {}, th.errors.EmptyError, "one row does not vary"),
        ([1.0, 2.0], {}, th.errors.LengthError, "table of numbers"),
        (np.ones((4, 2)), {}, th.errors.ArgumentError, "every feature is constant"),
        ([[1e308, 1.0], [1, 2]], {}, th.errors.ArgumentError, "square overflows"),
        ([[1.0, 2.0], [1]], {}, th.errors.LengthError, "differ in length"),
        (np.eye(3), {"n_components": 3}, th.errors.ArgumentError, "at most 2, got 3"),
    ],
)
def test_what_has_no_components_is_refused(X, options, kind, words):
    with pytest.raises(kind, match=words):
        principal_components(X, **options)


def test_other_columns_are_refused():
    with pytest.raises(th.errors.LengthError, match="X has 1 columns"):
        principal_components(IRIS).project(pd.DataFrame({"a": [1.0]}))


@pytest.mark.parametrize("word", ["min-max", "no", 1])
def test_unknown_ways_to_scale_are_refused(word):
    with pytest.raises(th.errors.ArgumentError, match="standardise must be True or False"):
        principal_components(np.eye(3), standardise=word)
