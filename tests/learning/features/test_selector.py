import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import thresher as th
from thresher.learning import ScatterSelector

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)


@parametrize_with_checks(
    [
        ScatterSelector(),
        ScatterSelector(1, search="exact"),
        ScatterSelector(1, search="forward", criterion="hotelling_lawley"),
        ScatterSelector(0.5, search="backward"),
        ScatterSelector(1, search="exhaustive", criterion="hotelling_lawley"),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_names_and_support_are_kept():
    selector = ScatterSelector(3, search="exact").set_output(transform="pandas").fit(X, Y)
    kept = selector.transform(X)
    assert list(kept.columns) == list(selector.get_feature_names_out()) == list(selector.selection_.names)
    assert selector.get_support(indices=True).tolist() == selector.selection_.features.tolist()
    np.testing.assert_array_equal(kept.to_numpy(), X.iloc[:, selector.get_support(indices=True)])
    assert selector.inverse_transform(kept.to_numpy()).shape == X.shape


def test_it_is_searched_over_in_a_pipeline():
    model = make_pipeline(StandardScaler(), ScatterSelector(), LogisticRegression())
    grid = GridSearchCV(
        model, {"scatterselector__n_features": [1, 5], "scatterselector__search": ["top", "exact", "forward"]}, cv=3
    )
    grid.fit(X, Y)
    assert grid.best_params_["scatterselector__n_features"] == 5
    assert grid.best_score_ > 0.93


def test_it_clones_and_pickles():
    selector = ScatterSelector(4, search="forward", criterion="hotelling_lawley").fit(X, Y)
    again = pickle.loads(pickle.dumps(selector))  # noqa: S301
    np.testing.assert_array_equal(again.transform(X), selector.transform(X))
    assert clone(selector).get_params() == selector.get_params()


def test_a_share_of_the_features():
    assert ScatterSelector(0.1).fit(X, Y).get_support().sum() == 3


def test_labels_may_be_texts():
    named = np.where(Y == 1, "benign", "malignant")
    assert ScatterSelector(2).fit(X, named).scatter_.classes == ("benign", "malignant")


def test_bad_wishes_are_refused():
    with pytest.raises(th.ArgumentError, match="from 1 to 30"):
        ScatterSelector(31).fit(X, Y)
    with pytest.raises(th.OneClassError):
        ScatterSelector(1).fit(X, np.zeros(len(X)))
