import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.learning import Outliers

ROWS = pd.DataFrame({"a": [1.0, 2, 3, 4, 90], "b": [5.0, 6, 7, np.nan, 8]})


@parametrize_with_checks(
    [Outliers(), Outliers("robust_z", action="flag"), Outliers("isolation_forest", action="flag", factor=0.1)]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_clipping_keeps_rows_names_and_gaps():
    found = Outliers().set_output(transform="pandas").fit_transform(ROWS)
    assert list(found.columns) == ["a", "b"]
    assert found["a"].tolist() == [1, 2, 3, 4, 7]
    assert np.isnan(found["b"][3])


def test_flagging_adds_a_column():
    found = Outliers(action="flag").set_output(transform="pandas").fit_transform(ROWS)
    assert found["outlier"].tolist() == [0, 0, 0, 0, 1]
    assert found["a"].tolist() == ROWS["a"].tolist()


def test_fences_are_those_of_the_rows_of_fit():
    fitted = Outliers().fit(ROWS.iloc[:4])
    assert fitted.found(ROWS).tolist() == [False, False, False, False, True]
    assert fitted.transform(ROWS)[4, 0] == fitted.fences_.high[0] == 5.5


def test_a_forest_flags_the_row_that_stands_alone():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(200, 2)), [[9, -9]]])
    fitted = Outliers("isolation_forest", action="flag", factor=0.01).fit(X)
    assert fitted.found(X)[-1]
    assert fitted.found(X).sum() <= 3
    with pytest.raises(th.ArgumentError, match="no fence to clip"):
        Outliers("isolation_forest").fit(X)


def test_it_stands_in_a_pipeline_and_pickles():
    model = make_pipeline(Outliers(action="flag"), StandardScaler()).fit(ROWS.dropna())
    assert list(model.get_feature_names_out()) == ["a", "b", "outlier"]
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(again.transform(ROWS.dropna()), model.transform(ROWS.dropna()))


def test_unknown_actions_are_refused():
    with pytest.raises(th.ArgumentError, match="no action 'drop'"):
        Outliers(action="drop").fit(ROWS)  # type: ignore[arg-type]
