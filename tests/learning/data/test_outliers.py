"""Outliers against Tukey's and SciPy's definitions."""

import pickle
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import median_abs_deviation
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.learning import OutlierFilter, Outliers
from thresher.learning.data.outliers import fences

columns = st.lists(st.integers(-50, 50).map(float), min_size=4, max_size=30)


@given(columns)
def test_iqr_is_tukeys(values):
    low, high = np.percentile(values, [25, 75])
    (lower,), (upper,) = fences(np.array(values)[:, None], method="iqr", factor=None)
    if high > low:
        assert lower == pytest.approx(low - 1.5 * (high - low))
        assert upper == pytest.approx(high + 1.5 * (high - low))
    else:
        assert (lower, upper) == (-np.inf, np.inf)


@given(columns)
def test_robust_z_is_scipys_deviation(values):
    spread = median_abs_deviation(values, scale="normal")
    _, (upper,) = fences(np.array(values)[:, None], method="robust_z", factor=3)
    if spread > 0:
        assert upper == pytest.approx(np.median(values) + 3 * spread)


@given(columns, st.sampled_from(["iqr", "robust_z"]))
def test_missing_values_move_no_fence(values, method):
    one = fences(np.array(values)[:, None], method=method, factor=None)
    gappy = fences(np.array([*values, np.nan, np.nan])[:, None], method=method, factor=None)
    np.testing.assert_array_equal(one, gappy)
    assert not Outliers(method).fit(np.array(values)[:, None]).flags([[np.nan]]).any()


def test_a_column_that_is_wholly_missing_has_no_fences():
    assert np.ravel(fences(np.full((3, 1), np.nan), method="iqr", factor=None)).tolist() == [-np.inf, np.inf]


def test_unknown_ways_are_refused():
    with pytest.raises(th.errors.ArgumentError, match=r"method must be .*, got 'z'"):
        Outliers(cast("Any", "z")).fit(np.ones((2, 1)))
    with pytest.raises(th.errors.ArgumentError, match="above 0"):
        fences(np.ones((2, 1)), method="iqr", factor=0)


ROWS = pd.DataFrame({"a": [1.0, 2, 3, 4, 90], "b": [5.0, 6, 7, np.nan, 8]})


@parametrize_with_checks(
    [Outliers(), Outliers("robust_z", action="flag"), Outliers("isolation_forest", action="flag", factor=0.1)]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_clipping_keeps_rows_names_and_gaps():
    result = Outliers().set_output(transform="pandas").fit_transform(ROWS)
    assert list(result.columns) == ["a", "b"]
    assert result["a"].tolist() == [1, 2, 3, 4, 7]
    assert np.isnan(result["b"][3])


def test_flagging_adds_a_column():
    result = Outliers(action="flag").set_output(transform="pandas").fit_transform(ROWS)
    assert result["outlier"].tolist() == [0, 0, 0, 0, 1]
    assert result["a"].tolist() == ROWS["a"].tolist()


def test_fences_are_those_of_the_rows_of_fit():
    fitted = Outliers().fit(ROWS.iloc[:4])
    assert fitted.flags(ROWS).tolist() == [False, False, False, False, True]
    assert fitted.transform(ROWS)[4, 0] == fitted.fences_[1][0] == 5.5


def test_a_forest_flags_the_row_far_from_all_others():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(200, 2)), [[9, -9]]])
    fitted = Outliers("isolation_forest", action="flag", factor=0.01).fit(X)
    assert fitted.flags(X)[-1]
    assert fitted.flags(X).sum() <= 3
    with pytest.raises(th.errors.ArgumentError, match="no fence to clip"):
        Outliers("isolation_forest").fit(X)


def test_it_works_in_a_pipeline_and_pickles():
    model = make_pipeline(Outliers(action="flag"), StandardScaler()).fit(ROWS.dropna())
    assert list(model.get_feature_names_out()) == ["a", "b", "outlier"]
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(again.transform(ROWS.dropna()), model.transform(ROWS.dropna()))


def test_unknown_actions_are_refused():
    with pytest.raises(th.errors.ArgumentError, match=r"action must be .*, got 'drop'"):
        Outliers(action="drop").fit(ROWS)  # type: ignore[arg-type]


X, Y = make_classification(n_samples=200, random_state=0)


@parametrize_with_checks([OutlierFilter(LogisticRegression(), factor=20)])
def test_scikit_learn_accepts_it_outlier_filter(estimator, check):
    check(estimator)


def test_training_goes_without_outliers_and_scoring_with_every_row():
    spoiled = X.copy()
    spoiled[:5] = 1e6
    model = OutlierFilter(LogisticRegression(), factor=8).fit(spoiled, Y)
    assert model.dropped_ == 5
    plain = LogisticRegression().fit(spoiled[5:], Y[5:])
    np.testing.assert_array_equal(model.estimator_.coef_, plain.coef_)
    assert len(model.predict_proba(spoiled)) == 200
    np.testing.assert_array_equal(model.decision_function(spoiled), plain.decision_function(spoiled))


def test_every_row_is_scored_in_cross_validation():
    spoiled = X.copy()
    spoiled[::20] = 1e6
    scores = cross_val_predict(OutlierFilter(LogisticRegression()), spoiled, Y, method="predict_proba")
    assert np.isfinite(scores).all()
    assert len(scores) == 200


def test_names_reach_the_classifier_and_methods_are_its_own():
    table = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    model = OutlierFilter(DecisionTreeClassifier(), factor=20).fit(table, Y)
    assert model.estimator_.feature_names_in_.tolist() == list(table.columns)
    assert not hasattr(model, "decision_function")


def test_a_class_of_outliers_is_refused():
    rows = np.array([[1.0], [2.0], [3.0], [4.0], [90.0]])
    with pytest.raises(th.errors.LabelError, match="every row of class 'b' is an outlier by iqr"):
        OutlierFilter(LogisticRegression()).fit(rows, ["a", "a", "a", "a", "b"])
